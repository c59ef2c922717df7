#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_json_member.h"
#include "iw_matrix_file.h"
#include "iw_text.h"

/* The command lines of iw_matrix_file.h. */

const char *iw_matrix_role_name(enum iw_matrix_role role) {
    return role == IW_MATRIX_INITIATOR ? "initiator" : "responder";
}

const char *iw_matrix_peer_command(
    const struct iw_matrix_peer *peer, enum iw_matrix_role role, const struct iw_matrix_scenario *scenario) {
    const json_t *commands =
        json_object_get(json_object_get(peer->definition, iw_matrix_role_name(role)), "commands");
    const json_t *own = json_object_get(commands, scenario->name);

    if (own == NULL && !scenario->own_command && (scenario->network == NULL || peer->local))
        own = json_object_get(commands, "*");
    return json_string_value(own);
}

/* Encloses the command in what runs it at the place of the peer, and frees it. */
static char *matrix_call_place(const struct iw_matrix_peer *peer, char *command) {
    char *quoted = command != NULL ? iw_matrix_text_quote(command) : NULL;
    char *where = peer->namespace != NULL ? iw_matrix_text_quote(peer->namespace)
                  : peer->ssh != NULL     ? iw_matrix_text_quote(peer->ssh)
                                          : NULL;
    char *placed = NULL;

    if (quoted != NULL && where != NULL && peer->namespace != NULL)
        placed = iw_text_format("exec ip netns exec %s /bin/sh -c %s", where, quoted);
    /* A terminal of its own: when ssh ends here, the command gets SIGHUP there. */
    else if (quoted != NULL && where != NULL)
        placed = iw_text_format("exec ssh -tt -o BatchMode=yes -- %s %s", where, quoted);
    free(quoted);
    free(where);
    free(command);
    return placed;
}

/* The words of tc's netem for the network of the scenario, and its MTU. */
static void matrix_call_network(
    const struct iw_matrix_scenario *scenario, char netem[IW_NETWORK_WORDS_OCTETS], char mtu[8]) {
    struct iw_network_profile profile;

    iw_matrix_scenario_network(scenario, &profile);
    iw_network_profile_netem(&profile, netem);
    snprintf(mtu, 8, "%u", (unsigned)profile.mtu);
}

/* Encloses the command in what runs it in the network of its cell, and frees it. */
static char *matrix_call_enter(const char *prefix, char *command) {
    char *quoted = command != NULL ? iw_matrix_text_quote(command) : NULL;
    char *entered = quoted != NULL ? iw_text_format("exec %s /bin/sh -c %s", prefix, quoted) : NULL;

    free(quoted);
    free(command);
    return entered;
}

char *iw_matrix_call_text(const struct iw_matrix_call *call, const char *command) {
    const struct iw_matrix_scenario *scenario = call->scenario;
    char port[8], size[16], count[16], connections[16], seconds[16], netem[IW_NETWORK_WORDS_OCTETS], mtu[8];
    const struct iw_matrix_value values[] = {{"host", call->host}, {"port", port}, {"size", size},
        {"count", count}, {"connections", connections}, {"seconds", seconds}, {"scenario", scenario->name},
        {"here", call->here}, {"warpcheck", call->program}, {"profile", call->peer->profile},
        {"agent", call->peer->agent}, {"netem", netem}, {"mtu", mtu}, {"address", call->peer->address}};
    char *text;

    snprintf(port, sizeof port, "%u", call->port);
    snprintf(size, sizeof size, "%u", scenario->size);
    snprintf(count, sizeof count, "%u", scenario->count);
    snprintf(connections, sizeof connections, "%u", scenario->connections);
    snprintf(seconds, sizeof seconds, "%u", scenario->seconds > 0 ? call->seconds : 0);
    matrix_call_network(scenario, netem, mtu);
    text = iw_matrix_text_fill(command, values, sizeof values / sizeof *values);
    if (call->prefix != NULL)
        return matrix_call_enter(call->prefix, text);
    return call->peer->namespace == NULL && call->peer->ssh == NULL ? text
                                                                    : matrix_call_place(call->peer, text);
}
