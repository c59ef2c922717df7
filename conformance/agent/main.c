#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "iw_agent_token.h"
#include "iw_exit.h"
#include "iw_option.h"
#include "iw_secret_file.h"
#include "iw_tls.h"
#include "iw_verbs_server.h"

/* warpcheck-agent: the agent for a device with verbs (docs/agent.md). */

enum { HOST_MAX = 256 };

struct options {
    char host[HOST_MAX], token[IW_AGENT_TOKEN_MAX];
    bool listens;
    const char *device;
    struct iw_tls_files tls;
    bool insecure;
    struct iw_verbs_server_config config;
};

static volatile sig_atomic_t stopped;

static void main_stop(int signal_number) {
    (void)signal_number;
    stopped = 1;
}

static int main_take_listen(const struct iw_usage *usage, const struct iw_option *option, void *user) {
    struct options *options = user;

    options->listens = iw_option_address_or_port(
        optarg, "127.0.0.1", options->host, sizeof options->host, &options->config.port);
    return options->listens ? 0 : iw_option_refuse(usage, option, option->argument);
}

static int main_take_token(const struct iw_usage *usage, const struct iw_option *option, void *user) {
    struct options *options = user;
    char error[512];

    if (iw_agent_token_read(optarg, options->token, error, sizeof error) != IW_OK)
        return iw_option_error(usage, "--%s: %s", option->name, error);
    iw_secret_file_warn("warpcheck-agent", optarg);
    options->config.token = options->token;
    return 0;
}

#define AT(member) .at = offsetof(struct options, member)
static const struct iw_option table[] = {
    {"listen", "[HOST:]PORT", 0,
        "where the suite connects; HOST is 127.0.0.1 by default; port 0 lets the\n"
        "system choose",
        .take = main_take_listen},
    {"device", "NAME", 0, "the RDMA device, as 'rdma link' shows it [the first one for iWARP]",
        iw_option_text, AT(device)},
    {"token-file", "FILE", 0,
        "the secret of each session. For a HOST other than loopback, this, --tls-psk\n"
        "or --tls-ca is required",
        .take = main_take_token},
    {"tls", NULL, 0, "use TLS 1.3; required, or --insecure, for a HOST other than loopback", iw_option_flag,
        AT(tls.enabled)},
    {"tls-cert", "FILE", 0, "the agent's chain of certificates, PEM", iw_option_text, AT(tls.cert)},
    {"tls-key", "FILE", 0, "its private key, PEM", iw_option_text, AT(tls.key)},
    {"tls-ca", "FILE", 0, "certificates by which each client must be certified, PEM", iw_option_text,
        AT(tls.ca)},
    {"tls-psk", "FILE", 0,
        "instead of certificates: file whose first line is a key of 32 to 128\n"
        "hexadecimal digits, which the suite has, too",
        iw_option_text, AT(tls.psk)},
    {"insecure", NULL, 0, "allow other hosts without TLS", iw_option_flag, AT(insecure)},
    {"port", "PORT", 0,
        "where the device accepts connections, one session at a time [for each\n"
        "session a port that the system chooses]",
        IW_OPTION_NUMBER(struct options, config.agent.port, 0, UINT16_MAX), .takes = "a number up to 65535"},
    {"rev", "1|2", 0, "the MPA revision of the device's Requests [2]",
        IW_OPTION_NUMBER(struct options, config.agent.startup.revision, 1, 2), .takes = "1 or 2"},
    {"crc", NULL, 0, "the device requests CRC", iw_option_flag, AT(config.agent.startup.crc)},
    {"markers", NULL, 0, "the device requests Markers", iw_option_flag, AT(config.agent.startup.markers)},
};

static const struct iw_usage usage = {
    .command = "warpcheck-agent",
    .alone = true,
    .arguments = "--listen [HOST:]PORT [OPTION...]",
    .summary = "Lets 'warpcheck run --agent' use an RDMA device of this host.",
    .detail =
        "It registers memory, posts work requests and reports completions. It runs until it gets SIGINT\n"
        "or SIGTERM, or the device is removed. Run it as root: the kernel limits registered memory\n"
        "otherwise.\n",
    IW_USAGE_OPTIONS(table),
    .examples = "  warpcheck-agent --listen 20101\n"
                "  warpcheck-agent --listen 192.0.2.7:20101 --tls-psk key --port 20100\n",
    .exits = "  0  ended by a signal\n"
             "  3  usage or environment\n"
             "  4  internal error\n",
    .see = "warpcheck-run(1) warpcheck-agent-protocol(7)",
};

/* The kernel may limit the memory that a program pins, even for root. */
static void main_raise_memlock(void) {
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};

    if (setrlimit(RLIMIT_MEMLOCK, &limit) == 0 || getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_MEMLOCK, &limit);
}

/* Blocks SIGINT and SIGTERM except while the server waits: one that arrived between the check of `stopped`
 * and the wait would have no effect. `unblocked` is the mask during the wait. */
static void main_handle_signals(sigset_t *unblocked) {
    struct sigaction stop = {.sa_handler = main_stop};
    sigset_t both;

    sigemptyset(&both);
    sigaddset(&both, SIGINT);
    sigaddset(&both, SIGTERM);
    sigprocmask(SIG_BLOCK, &both, unblocked);
    sigdelset(unblocked, SIGINT);
    sigdelset(unblocked, SIGTERM);
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
}

/* SIGINT and SIGTERM are blocked except during the wait: one that comes while a wait ends by a ready
 * descriptor stays pending. */
static bool main_is_stopped(void) {
    sigset_t pending;

    return stopped || (sigpending(&pending) == 0 &&
                          (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1));
}

static int main_serve(struct options *options) {
    struct iw_verbs_device device;
    struct iw_verbs_server *server;
    char text[IW_VERBS_TEXT_OCTETS];
    sigset_t unblocked;
    bool gone;

    main_raise_memlock();
    main_handle_signals(&unblocked);
    options->config.unblocked = &unblocked;
    if (!iw_verbs_device_open(&device, options->device, text))
        return iw_option_error(&usage, "%s", text);
    options->config.agent.device = &device;
    options->config.host = options->host;
    server = iw_verbs_server_new(&options->config, text);
    if (!server) {
        iw_verbs_device_close(&device);
        return iw_option_error(&usage, "%s", text);
    }
    printf("agent of %s on %s:%u\n", ibv_get_device_name(device.context->device), options->host,
        iw_verbs_server_port(server));
    fflush(stdout);
    while (!main_is_stopped() && iw_verbs_server_turn(server))
        ;
    snprintf(text, sizeof text, "the device %s is gone", ibv_get_device_name(device.context->device));
    gone = device.gone;
    iw_verbs_server_free(server);
    iw_verbs_device_close(&device);
    return gone ? iw_option_error(&usage, "%s", text) : 0;
}

/* Creates the context of TLS, if wanted, and serves. */
static int main_secure(struct options *options) {
    bool encrypted = iw_tls_wanted(&options->tls);
    const char *lacks = iw_agent_lacks(options->host,
        options->config.token || iw_tls_knows_client(&options->tls), encrypted, options->insecure);
    struct iw_tls_context *tls = NULL;
    char error[512];
    int code;

    if (lacks)
        return iw_option_error(
            &usage, "--listen %s needs %s, as other hosts can reach it", options->host, lacks);
    if (encrypted && !(tls = iw_tls_context_new(&options->tls, IW_TLS_SERVER, error, sizeof error)))
        return iw_option_error(&usage, "--tls: %s", error);
    iw_secret_file_warn("warpcheck-agent", options->tls.psk);
    iw_secret_file_warn("warpcheck-agent", options->tls.key);
    options->config.tls = tls;
    code = main_serve(options);
    iw_tls_context_free(tls);
    return code;
}

int main(int argc, char **argv) {
    static struct options options = {.host = "127.0.0.1", .config.agent.startup.revision = 2};
    int code = iw_option_all(&usage, argc, argv, &options);

    if (code == IW_EXIT_CONFORMS && fflush(stdout) != 0)
        return iw_option_error(&usage, "standard output: %s", strerror(errno));
    if (code != IW_OPTION_DONE)
        return code;
    if (!options.listens)
        return iw_option_error(&usage, "--listen is missing; see --help");
    return main_secure(&options);
}
