#pragma once

#include "iw_agent_token.h"
#include "iw_dut.h"
#include "iw_option.h"
#include "iw_tls.h"

/* The values of --agent, --token-file, --own-host and the options of TLS, for all commands that use an agent.
 */

struct cmd_agent {
    struct iw_dut_agent agent;
    const char *text; /* the value of --agent; NULL: not given */
    char host[256];
    char token[IW_AGENT_TOKEN_MAX];
    struct iw_tls_files tls;
    bool insecure;
    struct iw_tls_context *context; /* of `tls`, or NULL; see cmd_agent_dispose */
};

/* The rows of the options of TLS: `member` is the struct cmd_agent in the settings of type `type`. */
#define CMD_AGENT_TLS_OPTIONS(type, member)                                                                  \
    {"tls", NULL, 0, "use TLS 1.3 for the connection to the agent", iw_option_flag,                          \
        .at = offsetof(type, member.tls.enabled)},                                                           \
        {"tls-cert", "FILE", 0, "this side's chain of certificates, PEM", iw_option_text,                    \
            .at = offsetof(type, member.tls.cert)},                                                          \
        {"tls-key", "FILE", 0, "its private key, PEM", iw_option_text,                                       \
            .at = offsetof(type, member.tls.key)},                                                           \
        {"tls-ca", "FILE", 0,                                                                                \
            "certificates by which the other side must be certified, PEM [of a\n"                            \
            "client: those of the system]",                                                                  \
            iw_option_text, .at = offsetof(type, member.tls.ca)},                                            \
        {"tls-psk", "FILE", 0,                                                                               \
            "instead of certificates: file whose first line is a key of 32 to 128\n"                         \
            "hexadecimal digits, which both sides have",                                                     \
            iw_option_text, .at = offsetof(type, member.tls.psk)},                                           \
    {                                                                                                        \
        "insecure", NULL, 0, "allow an agent on another host without TLS", iw_option_flag,                   \
            .at = offsetof(type, member.insecure)                                                            \
    }

/* Reads the file of --token-file; `at` is a struct cmd_agent. */
iw_option_take cmd_agent_token;

/* The host of --agent HOST:PORT, for a device without --peer: its hello names the port of the device. Returns
 * NULL without --agent, or if it is a port alone. */
const char *cmd_agent_host(struct cmd_agent *agent);

/* Call after all options. Sets *found to the agent, or to NULL without --agent; the agent's host defaults to
 * `host`, the peer's. `own_host_used`: --own-host is also allowed without --agent. Returns 0, or the exit
 * code with a line on stderr. */
int cmd_agent_find(const struct iw_usage *usage, struct cmd_agent *agent, const char *host,
    bool own_host_used, const struct iw_dut_agent **found);

/* For `serve`, after all options: creates agent->context if the options ask for TLS. `host`: where the agent
 * listens; NULL: there is no agent. Returns 0, or the exit code with a line on stderr. */
int cmd_agent_serve(const struct iw_usage *usage, struct cmd_agent *agent, const char *host);

/* Frees the context. */
void cmd_agent_dispose(struct cmd_agent *agent);
