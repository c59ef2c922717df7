#include "iw_matrix_trial.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iw_json.h"
#include "iw_json_member.h"
#include "iw_matrix_conclusion.h"
#include "iw_matrix_evidence.h"
#include "iw_network_place.h"
#include "iw_text.h"

enum {
    LOG_OCTETS = 1 << 20,       /* of a peer */
    JUDGEMENT_OCTETS = 1 << 26, /* of the relay */
    DRAIN_SECONDS = 5,          /* for connections to end after the initiator */
};

/* The trial waits for: */
enum step {
    TRIAL_RESPONDER, /* to listen */
    TRIAL_RELAY,     /* to listen */
    TRIAL_INITIATOR, /* to end */
    TRIAL_JUDGE,     /* the relay to end */
    TRIAL_LEAVING,   /* the responder to end by itself */
    TRIAL_DIAGRAM,   /* its page */
    TRIAL_DONE,
};

struct iw_matrix_trial {
    struct iw_matrix_trial_config config;
    enum step step;
    struct iw_matrix_process peer[IW_MATRIX_ROLES], relay, diagram;
    struct iw_timer timer;
    struct iw_matrix_conclusion conclusion;
    struct iw_network_place *place; /* the network of the cell; NULL: none of its own */
    uint16_t port;                  /* of the responder */
    uint32_t wait_ms;               /* how much longer it waits because of the network */
    uint64_t begin_ns;
    json_t *result;
};

/* ---- steps ---- */

static void matrix_trial_advance(void *user);

/* Goes to the next step as soon as the handler that calls has returned: a process may be freed there. */
static void matrix_trial_go(struct iw_matrix_trial *trial, enum step step) {
    trial->step = step;
    iw_timer_start(&trial->timer, trial->config.loop, 0, matrix_trial_advance, trial);
}

static void matrix_trial_fail(struct iw_matrix_trial *trial, const char *who, const char *text) {
    if (trial->step == TRIAL_DONE)
        return; /* the first reason counts */
    snprintf(trial->conclusion.error, sizeof trial->conclusion.error, "%s: %.320s", who, text);
    matrix_trial_go(trial, TRIAL_DONE);
}

static char *matrix_trial_path(const struct iw_matrix_trial *trial, const char *name) {
    return iw_text_format("%s/%s", trial->config.folder, name);
}

/* Starts a command, and frees its text. */
static void matrix_trial_start(
    struct iw_matrix_trial *trial, struct iw_matrix_process *process, const char *who, char *command) {
    char *path = iw_text_format("%s/%s", trial->config.folder, who);

    if (command == NULL || path == NULL)
        matrix_trial_fail(trial, who, "out of memory");
    else if (!iw_matrix_process_start(process, trial->config.loop, command, path))
        matrix_trial_fail(trial, who, process->text);
    free(command);
    free(path);
}

static void matrix_trial_on_timeout(void *user);

static void matrix_trial_wait(struct iw_matrix_trial *trial, uint64_t more_s) {
    if (trial->step != TRIAL_DONE)
        iw_timer_start(&trial->timer, trial->config.loop,
            (trial->config.timeout_ms + UINT64_C(1) * trial->wait_ms) * 1000 + more_s * 1000000,
            matrix_trial_on_timeout, trial);
}

static const char *const trial_logs[IW_MATRIX_ROLES] = {"initiator.log", "responder.log"};

static void matrix_trial_start_peer(
    struct iw_matrix_trial *trial, enum iw_matrix_role role, const char *host, uint16_t port) {
    const struct iw_matrix_trial_config *config = &trial->config;
    struct iw_matrix_call call = {.here = config->peer[role]->folder,
        .peer = config->peer[role],
        .scenario = config->scenario,
        .host = host,
        .port = port,
        .seconds = config->seconds,
        .program = config->program};
    const char *text = iw_matrix_peer_command(call.peer, role, call.scenario);
    char prefix[IW_NETWORK_PLACE_PREFIX_OCTETS], *told;

    if (trial->place != NULL) {
        iw_network_place_prefix(trial->place, prefix);
        call.prefix = prefix;
    }
    matrix_trial_start(trial, &trial->peer[role], trial_logs[role], iw_matrix_call_text(&call, text));
    call.prefix = NULL;
    call.here = ".";
    call.program = "warpcheck";
    told = iw_matrix_call_text(&call, text);
    if (told != NULL)
        iw_json_set_text(json_object_get(trial->result, "commands"), iw_matrix_role_name(role), told);
    free(told);
}

static const char *matrix_trial_brackets(const char *host, bool end) {
    return strchr(host, ':') == NULL ? "" : end ? "]" : "[";
}

/* Makes the network of the scenario, if both peers can run in it. */
static bool matrix_trial_make_place(struct iw_matrix_trial *trial) {
    const struct iw_matrix_trial_config *config = &trial->config;
    struct iw_network_profile profile;
    char error[IW_NETWORK_TEXT_OCTETS];

    iw_matrix_scenario_network(config->scenario, &profile);
    trial->wait_ms = profile.wait_ms;
    if (config->scenario->network == NULL || !config->peer[IW_MATRIX_INITIATOR]->local ||
        !config->peer[IW_MATRIX_RESPONDER]->local)
        return true;
    trial->place = iw_network_place_new(&profile, error);
    if (trial->place == NULL)
        matrix_trial_fail(trial, "network", error);
    return trial->place != NULL;
}

static void matrix_trial_start_relay(struct iw_matrix_trial *trial) {
    const char *own = trial->config.peer[IW_MATRIX_INITIATOR]->own_host;
    const char *to = trial->config.peer[IW_MATRIX_RESPONDER]->address;
    char *listen =
        iw_text_format("%s%s%s:0", matrix_trial_brackets(own, false), own, matrix_trial_brackets(own, true));
    char *device = iw_text_format(
        "%s%s%s:%u", matrix_trial_brackets(to, false), to, matrix_trial_brackets(to, true), trial->port);
    const char *const words[] = {trial->config.program, listen, device};
    char prefix[IW_NETWORK_PLACE_PREFIX_OCTETS] = "";
    char *record = matrix_trial_path(trial, "capture.pcapng"), *quoted[4] = {NULL}, *command = NULL;

    if (trial->place != NULL)
        iw_network_place_prefix(trial->place, prefix);
    for (int i = 0; i < 3; i++)
        quoted[i] = words[i] != NULL ? iw_matrix_text_quote(words[i]) : NULL;
    quoted[3] = record != NULL ? iw_matrix_text_quote(record) : NULL;
    if (quoted[0] != NULL && quoted[1] != NULL && quoted[2] != NULL && quoted[3] != NULL)
        command = iw_text_format("exec %s %s relay --listen %s --to %s --format jsonl --drain %d%s%s", prefix,
            quoted[0], quoted[1], quoted[2], DRAIN_SECONDS, trial->conclusion.recorded ? " --record " : "",
            trial->conclusion.recorded ? quoted[3] : "");
    for (int i = 0; i < 4; i++)
        free(quoted[i]);
    free(record);
    free(listen);
    free(device);
    matrix_trial_start(trial, &trial->relay, "judgement.jsonl", command);
}

static void matrix_trial_start_diagram(struct iw_matrix_trial *trial) {
    char *program = iw_matrix_text_quote(trial->config.program);
    char *folder = iw_matrix_text_quote(trial->config.folder), *command = NULL;

    /* In its folder, so that the page names the capture without the path; up to 2 the exit code says what was
     * seen. */
    if (program != NULL && folder != NULL)
        command = iw_text_format("cd %s || exit 3; %s explain --format html --chain none capture.pcapng "
                                 ">diagram.html; [ $? -le 2 ]",
            folder, program);
    free(program);
    free(folder);
    matrix_trial_start(trial, &trial->diagram, "diagram.log", command);
}

static bool matrix_trial_responder_leaves(const struct iw_matrix_trial *trial) {
    return json_is_true(json_object_get(
        json_object_get(trial->config.peer[IW_MATRIX_RESPONDER]->definition, "responder"), "ends"));
}

/* ---- the end ---- */

static void matrix_trial_remove(const struct iw_matrix_trial *trial, const char *name) {
    char *path = matrix_trial_path(trial, name);

    if (path != NULL)
        unlink(path);
    free(path);
}

static bool matrix_trial_keeps_evidence(const struct iw_matrix_trial *trial, const json_t *result) {
    return trial->config.every_evidence ||
           iw_matrix_verdict_find(iw_json_member_text(result, "verdict")) != IW_MATRIX_PASS;
}

static void matrix_trial_remove_evidence(const struct iw_matrix_trial *trial, json_t *result) {
    iw_matrix_evidence_remove(trial->config.folder);
    json_object_set_new(result, "capture", json_false());
}

static void matrix_trial_conclude(struct iw_matrix_trial *trial) {
    char *path = matrix_trial_path(trial, "judgement.jsonl");

    trial->conclusion.initiator = &trial->peer[IW_MATRIX_INITIATOR];
    trial->conclusion.responder = &trial->peer[IW_MATRIX_RESPONDER];
    trial->conclusion.relay = &trial->relay;
    iw_matrix_conclude(&trial->conclusion, path, trial->result);
    free(path);
}

static void matrix_trial_finish(struct iw_matrix_trial *trial) {
    json_t *result = trial->result;
    uint64_t now_ns = iw_loop_time_ns(trial->config.loop);
    bool diagram = trial->diagram.ended && trial->diagram.end == IW_COMMAND_SUCCEEDED;

    trial->result = NULL;
    matrix_trial_remove(trial, "diagram.log");
    if (json_object_get(result, "verdict") == NULL)
        iw_matrix_conclude(&trial->conclusion, NULL, result);
    json_object_set_new(result, "capture", json_boolean(trial->conclusion.recorded && trial->relay.ended));
    json_object_set_new(result, "diagram", json_boolean(diagram));
    json_object_set_new(result, "ms", json_integer((json_int_t)((now_ns - trial->begin_ns) / 1000000)));
    if (matrix_trial_keeps_evidence(trial, result))
        iw_json_set_text(result, "files", trial->config.name);
    else
        matrix_trial_remove_evidence(trial, result);
    trial->config.done(trial->config.user, result);
}

static bool matrix_trial_wants_diagram(const struct iw_matrix_trial *trial) {
    return trial->conclusion.recorded && matrix_trial_keeps_evidence(trial, trial->result);
}

/* After the judge and, if it leaves by itself, the responder. */
static void matrix_trial_end_peers(struct iw_matrix_trial *trial) {
    matrix_trial_conclude(trial);
    iw_matrix_process_stop(&trial->peer[IW_MATRIX_RESPONDER]);
    matrix_trial_go(trial, matrix_trial_wants_diagram(trial) ? TRIAL_DIAGRAM : TRIAL_DONE);
}

static void matrix_trial_advance(void *user) {
    struct iw_matrix_trial *trial = user;
    const struct iw_matrix_peer *const *peer = trial->config.peer;

    switch (trial->step) {
    case TRIAL_RESPONDER:
        if (matrix_trial_make_place(trial))
            matrix_trial_start_peer(trial, IW_MATRIX_RESPONDER, peer[IW_MATRIX_RESPONDER]->address,
                peer[IW_MATRIX_RESPONDER]->port);
        break;
    case TRIAL_RELAY:
        matrix_trial_start_relay(trial);
        break;
    case TRIAL_INITIATOR:
        matrix_trial_start_peer(trial, IW_MATRIX_INITIATOR, peer[IW_MATRIX_INITIATOR]->own_host, trial->port);
        matrix_trial_wait(trial, trial->config.scenario->seconds > 0 ? trial->config.seconds : 0);
        return;
    case TRIAL_JUDGE:
        iw_matrix_process_stop(&trial->peer[IW_MATRIX_INITIATOR]);
        iw_command_interrupt(trial->relay.command);
        break;
    case TRIAL_LEAVING:
        iw_matrix_process_stop(&trial->relay);
        if (!matrix_trial_responder_leaves(trial) || trial->peer[IW_MATRIX_RESPONDER].ended) {
            matrix_trial_end_peers(trial);
            return;
        }
        break;
    case TRIAL_DIAGRAM:
        matrix_trial_start_diagram(trial);
        break;
    case TRIAL_DONE:
        for (int i = 0; i < IW_MATRIX_ROLES; i++)
            iw_matrix_process_stop(&trial->peer[i]);
        iw_matrix_process_stop(&trial->relay);
        iw_matrix_process_stop(&trial->diagram);
        matrix_trial_finish(trial);
        return;
    }
    matrix_trial_wait(trial, 0);
}

/* ---- what happens ---- */

static void matrix_trial_on_timeout(void *user) {
    struct iw_matrix_trial *trial = user;
    char text[IW_COMMAND_TEXT_OCTETS + 64];

    switch (trial->step) {
    case TRIAL_RESPONDER:
        snprintf(text, sizeof text, "it does not print that it listens; its last line: %s",
            trial->peer[IW_MATRIX_RESPONDER].last[0] != '\0' ? trial->peer[IW_MATRIX_RESPONDER].last
                                                             : "none");
        matrix_trial_fail(trial, "responder", text);
        break;
    case TRIAL_RELAY:
        matrix_trial_fail(trial, "relay", "it does not listen");
        break;
    case TRIAL_INITIATOR:
        trial->conclusion.initiator_hangs = true;
        matrix_trial_go(trial, TRIAL_JUDGE);
        break;
    case TRIAL_JUDGE:
        matrix_trial_fail(trial, "relay", "it does not end");
        break;
    case TRIAL_LEAVING:
        trial->conclusion.responder_hangs = true;
        matrix_trial_end_peers(trial);
        break;
    case TRIAL_DIAGRAM:
    case TRIAL_DONE:
        matrix_trial_go(trial, TRIAL_DONE);
        break;
    }
}

static void matrix_trial_on_responder_line(void *user, const char *line) {
    struct iw_matrix_trial *trial = user;
    const struct iw_matrix_peer *peer = trial->config.peer[IW_MATRIX_RESPONDER];
    regmatch_t found[2];

    if (trial->step != TRIAL_RESPONDER || regexec(&peer->ready, line, 2, found, 0) != 0)
        return;
    trial->port = peer->port;
    if (peer->ready.re_nsub > 0 && found[1].rm_so >= 0)
        trial->port = (uint16_t)strtoul(line + found[1].rm_so, NULL, 10);
    if (trial->port == 0)
        matrix_trial_fail(trial, "responder: no port in what it prints", line);
    else
        matrix_trial_go(trial, TRIAL_RELAY);
}

static void matrix_trial_on_relay_line(void *user, const char *line) {
    struct iw_matrix_trial *trial = user;
    json_error_t wrong;
    json_t *first;

    if (trial->step != TRIAL_RELAY)
        return;
    first = iw_json_read(line, strlen(line), 0, &wrong);
    trial->port = (uint16_t)json_integer_value(json_object_get(first, "port"));
    json_decref(first);
    if (trial->port != 0)
        matrix_trial_go(trial, TRIAL_INITIATOR);
}

static void matrix_trial_on_responder_end(void *user) {
    struct iw_matrix_trial *trial = user;

    if (trial->step == TRIAL_RESPONDER)
        matrix_trial_fail(
            trial, "responder: it ended before it listened", trial->peer[IW_MATRIX_RESPONDER].text);
    else if (trial->step == TRIAL_RELAY || trial->step == TRIAL_INITIATOR)
        trial->conclusion.responder_early = true;
    else if (trial->step == TRIAL_LEAVING)
        matrix_trial_go(trial, TRIAL_LEAVING);
}

static void matrix_trial_on_relay_end(void *user) {
    struct iw_matrix_trial *trial = user;

    if (trial->step == TRIAL_JUDGE)
        matrix_trial_go(trial, TRIAL_LEAVING);
    else
        matrix_trial_fail(trial, "relay", trial->relay.text);
}

static void matrix_trial_on_initiator_end(void *user) {
    struct iw_matrix_trial *trial = user;

    if (trial->step == TRIAL_INITIATOR)
        matrix_trial_go(trial, TRIAL_JUDGE);
}

static void matrix_trial_on_diagram_end(void *user) {
    matrix_trial_go(user, TRIAL_DONE);
}

/* ---- begin ---- */

struct iw_matrix_trial *iw_matrix_trial_new(const struct iw_matrix_trial_config *config) {
    struct iw_matrix_trial *trial = calloc(1, sizeof *trial);

    if (trial == NULL)
        return NULL;
    trial->config = *config;
    trial->result = json_pack("{s{}}", "commands");
    trial->conclusion.leaves = matrix_trial_responder_leaves(trial);
    trial->conclusion.recorded =
        config->scenario->seconds == 0; /* others could fill the disk; they are judged live */
    trial->begin_ns = iw_loop_time_ns(config->loop);
    trial->peer[IW_MATRIX_INITIATOR] =
        (struct iw_matrix_process){.most = LOG_OCTETS, .over = matrix_trial_on_initiator_end, .user = trial};
    trial->peer[IW_MATRIX_RESPONDER] = (struct iw_matrix_process){.most = LOG_OCTETS,
        .line = matrix_trial_on_responder_line,
        .over = matrix_trial_on_responder_end,
        .user = trial};
    trial->relay = (struct iw_matrix_process){.most = JUDGEMENT_OCTETS,
        .line = matrix_trial_on_relay_line,
        .over = matrix_trial_on_relay_end,
        .user = trial};
    trial->diagram =
        (struct iw_matrix_process){.most = LOG_OCTETS, .over = matrix_trial_on_diagram_end, .user = trial};
    matrix_trial_go(trial, TRIAL_RESPONDER);
    return trial;
}

void iw_matrix_trial_free(struct iw_matrix_trial *trial) {
    if (trial == NULL)
        return;
    iw_timer_stop(&trial->timer);
    for (int i = 0; i < IW_MATRIX_ROLES; i++)
        iw_matrix_process_stop(&trial->peer[i]);
    iw_matrix_process_stop(&trial->relay);
    iw_matrix_process_stop(&trial->diagram);
    if (trial->result != NULL) /* it was interrupted: files of a cell without a result would mislead */
        matrix_trial_remove_evidence(trial, trial->result);
    iw_network_place_free(trial->place);
    json_decref(trial->result);
    free(trial);
}
