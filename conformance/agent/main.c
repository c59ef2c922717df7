#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "iw_agent_token.h"
#include "iw_tls.h"
#include "iw_verbs_server.h"

/* warpcheck-agent: the agent for a device with verbs (docs/agent.md). */

enum { EXIT_ENVIRONMENT = 3, HOST_MAX = 256 }; /* exit codes as those of warpcheck */

static const char help[] =
    "Usage: warpcheck-agent --listen [HOST:]PORT [OPTION...]\n"
    "\n"
    "Lets `warpcheck run --agent` use an RDMA device of this host: it registers memory, posts work requests "
    "and\n"
    "reports completions. It runs until it gets SIGINT or SIGTERM, or the device is removed.\n"
    "\n"
    "  --listen [HOST:]PORT  where the suite connects; HOST is 127.0.0.1 by default, PORT 0 is chosen by the "
    "system\n"
    "  --device NAME         the RDMA device, as `rdma link` shows it; default: the first one for iWARP\n"
    "  --token-file FILE     the secret of each session. For a HOST other than loopback, this, --tls-psk\n"
    "                        or --tls-ca is required\n"
    "  --tls                 use TLS 1.3; required, or --insecure, for a HOST other than loopback\n"
    "  --tls-cert FILE, --tls-key FILE\n"
    "                        the agent's chain of certificates and its private key, PEM\n"
    "  --tls-ca FILE         certificates by which each client must be certified, PEM\n"
    "  --tls-psk FILE        instead of certificates: file whose first line is a key of 32 to 128 "
    "hexadecimal\n"
    "                        digits, which the suite has, too\n"
    "  --insecure            allow other hosts without TLS\n"
    "  --port PORT           where the device accepts connections, one session at a time; default: for each "
    "session\n"
    "                        a port that the system chooses\n"
    "  --rev 1|2             the MPA revision of the device's Requests; default: 2\n"
    "  --crc, --markers      the device requests CRC, Markers; default: it does not\n"
    "  --help\n"
    "\n"
    "Exit codes: 0 ended by a signal, 3 usage or environment, 4 internal error\n";

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

__attribute__((format(printf, 1, 2))) static int main_fail(const char *format, ...) {
    va_list arguments;

    fputs("warpcheck-agent: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return EXIT_ENVIRONMENT;
}

static bool main_number(const char *text, unsigned long high, uint16_t *number) {
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    *number = (uint16_t)value;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && value <= high;
}

/* Parses "[HOST:]PORT", with an IPv6 HOST in brackets. Without HOST, `host` stays unchanged. */
static bool main_address(const char *text, char host[HOST_MAX], uint16_t *port) {
    const char *colon = strrchr(text, ':'), *from = text;
    size_t length = colon ? (size_t)(colon - text) : 0;

    if (!colon)
        return main_number(text, UINT16_MAX, port);
    if (text[0] == '[' && length > 2 && text[length - 1] == ']') {
        from++;
        length -= 2;
    }
    if (length == 0 || length >= HOST_MAX)
        return false;
    memcpy(host, from, length);
    host[length] = '\0';
    return main_number(colon + 1, UINT16_MAX, port);
}

/* Returns 0, or the exit code after one line on stderr. */
static int main_take(int option, struct options *options) {
    struct iw_verbs_startup *startup = &options->config.agent.startup;
    char error[512];
    uint16_t number;

    switch (option) {
    case 'l':
        options->listens = main_address(optarg, options->host, &options->config.port);
        return options->listens ? 0 : main_fail("--listen takes [HOST:]PORT, not %s", optarg);
    case 'd':
        options->device = optarg;
        return 0;
    case 't':
        if (iw_agent_token_read(optarg, options->token, error, sizeof error) != IW_OK)
            return main_fail("--token-file: %s", error);
        options->config.token = options->token;
        return 0;
    case 'p':
        if (!main_number(optarg, UINT16_MAX, &options->config.agent.port))
            return main_fail("--port takes a number up to 65535, not %s", optarg);
        return 0;
    case 'r':
        if (!main_number(optarg, 2, &number) || number == 0)
            return main_fail("--rev takes 1 or 2, not %s", optarg);
        startup->revision = (uint8_t)number;
        return 0;
    case 'c':
        startup->crc = true;
        return 0;
    case 'm':
        startup->markers = true;
        return 0;
    case 'T':
        options->tls.enabled = true;
        return 0;
    case 'C':
        options->tls.cert = optarg;
        return 0;
    case 'K':
        options->tls.key = optarg;
        return 0;
    case 'A':
        options->tls.ca = optarg;
        return 0;
    case 'P':
        options->tls.psk = optarg;
        return 0;
    case 'I':
        options->insecure = true;
        return 0;
    default:
        fputs("warpcheck-agent: see --help\n", stderr);
        return EXIT_ENVIRONMENT;
    }
}

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
        return main_fail("%s", text);
    options->config.agent.device = &device;
    options->config.host = options->host;
    server = iw_verbs_server_new(&options->config, text);
    if (!server) {
        iw_verbs_device_close(&device);
        return main_fail("%s", text);
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
    return gone ? main_fail("%s", text) : 0;
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
        return main_fail("--listen %s needs %s, as other hosts can reach it", options->host, lacks);
    if (encrypted && !(tls = iw_tls_context_new(&options->tls, IW_TLS_SERVER, error, sizeof error)))
        return main_fail("--tls: %s", error);
    options->config.tls = tls;
    code = main_serve(options);
    iw_tls_context_free(tls);
    return code;
}

int main(int argc, char **argv) {
    static const struct option long_options[] = {{"listen", required_argument, NULL, 'l'},
        {"device", required_argument, NULL, 'd'}, {"token-file", required_argument, NULL, 't'},
        {"port", required_argument, NULL, 'p'}, {"rev", required_argument, NULL, 'r'},
        {"crc", no_argument, NULL, 'c'}, {"markers", no_argument, NULL, 'm'}, {"tls", no_argument, NULL, 'T'},
        {"tls-cert", required_argument, NULL, 'C'}, {"tls-key", required_argument, NULL, 'K'},
        {"tls-ca", required_argument, NULL, 'A'}, {"tls-psk", required_argument, NULL, 'P'},
        {"insecure", no_argument, NULL, 'I'}, {"help", no_argument, NULL, 'h'}, {0}};
    static struct options options = {.host = "127.0.0.1", .config.agent.startup.revision = 2};
    int option;

    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        int code = 0;

        if (option == 'h')
            return fputs(help, stdout) < 0 || fflush(stdout) != 0
                       ? main_fail("standard output: %s", strerror(errno))
                       : 0;
        code = main_take(option, &options);
        if (code != 0)
            return code;
    }
    if (optind < argc)
        return main_fail("takes no operand: %s", argv[optind]);
    if (!options.listens)
        return main_fail("--listen is missing; see --help");
    return main_secure(&options);
}
