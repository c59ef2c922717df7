#include <stdio.h>
#include <string.h>

#include "cmd_run_settings.h"
#include "iw_impaired_run.h"

/* `run --relay`: the relay between an initiator and a responder, none of which is ours. */

/* Options that are about one device, or about cases of other tiers. */
static const char *const run_relay_others[] = {"peer", "sctp", "agent", "token-file", "tls", "tls-cert",
    "tls-key", "tls-ca", "tls-psk", "insecure", "rping", "rping-size", "initiator", "defect", "variant",
    "tier", "profile", "no-preflight", "without", "role", "without-danger", "allow-danger", "jobs",
    "simulate", "strength", "random", "combination"};

static bool run_relay_word(const struct cmd_run_settings *settings, const char *name) {
    for (size_t i = 0; i < json_array_size(settings->words); i++) {
        const char *word = json_string_value(json_array_get(settings->words, i));

        if (strncmp(word, "--", 2) == 0 && strcmp(word + 2, name) == 0)
            return true;
    }
    return false;
}

static int run_relay_check(const struct cmd_run_settings *settings) {
    static const char *const own[] = {"listen", "to", "start", "wait", "checked"};

    for (size_t i = 0; !settings->relay.given && i < sizeof own / sizeof *own; i++)
        if (run_relay_word(settings, own[i]))
            return iw_option_error(&cmd_run_usage, "--%s goes with --relay", own[i]);
    if (!settings->relay.given)
        return 0;
    for (size_t i = 0; i < sizeof run_relay_others / sizeof *run_relay_others; i++)
        if (run_relay_word(settings, run_relay_others[i]))
            return iw_option_error(&cmd_run_usage, "--%s does not go with --relay", run_relay_others[i]);
    if (settings->relay.to.host == NULL && !settings->list)
        return iw_option_error(&cmd_run_usage, "--relay needs the responder: --to HOST:PORT");
    if (settings->relay.start != NULL && strstr(settings->relay.start, "{port}") == NULL)
        return iw_option_error(
            &cmd_run_usage, "--start takes a command that contains {host} and {port}, the destination");
    if (run_relay_word(settings, "checked") && settings->run.health == NULL && settings->console == NULL)
        return iw_option_error(&cmd_run_usage, "--checked goes with --health or --console");
    return 0;
}

int cmd_run_relay_settle(struct cmd_run_settings *settings) {
    struct cmd_run_relay *relay = &settings->relay;
    int code = run_relay_check(settings);

    if (code != 0 || !relay->given)
        return code;
    if (relay->listen.host == NULL) {
        snprintf(relay->listen.text, sizeof relay->listen.text, "127.0.0.1");
        relay->listen.host = relay->listen.text;
        relay->listen.port = 20100;
    }
    cmd_address_name(&relay->listen, relay->where);
    settings->run.relay = relay->where;
    settings->run.target.host = relay->to.host;
    settings->run.target.port = relay->to.port;
    settings->options.no_preflight = true;
    return 0;
}

static void run_relay_print_begin(void *user, uint16_t port) {
    const struct cmd_run_relay *relay = user;
    const struct cmd_address listen = {.host = relay->listen.host, .port = port};
    char own[CMD_ADDRESS_OCTETS], to[CMD_ADDRESS_OCTETS];

    cmd_address_name(&listen, own);
    cmd_address_name(&relay->to, to);
    printf("relaying %s to %s\n", own, to);
    fflush(stdout);
}

enum iw_status cmd_run_relay(
    struct cmd_run_settings *settings, struct iw_run_counts *counts, char *error, size_t error_octets) {
    struct cmd_run_relay *relay = &settings->relay;
    const char *own_host = settings->agent.agent.own_host;
    const struct iw_impaired_devices devices = {.host = relay->listen.host,
        .port = relay->listen.port,
        .device_host = relay->to.host,
        .device_port = relay->to.port,
        .start = relay->start,
        .start_host = own_host != NULL ? own_host : relay->listen.host,
        .wait_ms = relay->wait_ms,
        .seed = settings->options.seed,
        .listening = run_relay_print_begin,
        .user = relay};

    return iw_impaired_run(&settings->run, &devices, counts, error, error_octets);
}
