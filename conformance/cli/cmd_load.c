#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "cmd_option.h"
#include "iw_embedded_peer.h"
#include "iw_exit.h"
#include "iw_interrupt.h"
#include "iw_load.h"
#include "iw_option.h"
#include "iw_plural.h"

struct settings {
    struct iw_load_config load;
    struct cmd_address peer;
    uint64_t region_octets;
    bool json;
};

static bool load_octets(const char *text, size_t length, uint32_t *octets) {
    char item[16];
    uint64_t number;

    if (length >= sizeof item)
        return false;
    memcpy(item, text, length);
    item[length] = '\0';
    if (!iw_option_read_octets(item, 64 << 20, &number))
        return false;
    *octets = (uint32_t)number;
    return true;
}

static int load_take_sizes(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    struct iw_load_config *load = at;

    (void)option;
    load->size_count = 0;
    for (const char *size = optarg;; size++) {
        size_t length = strcspn(size, ",");

        if (load->size_count == IW_LOAD_SIZES_MAX ||
            !load_octets(size, length, &load->sizes[load->size_count++]))
            return iw_option_error(usage,
                "--size takes up to %d sizes of 0 to 64M octets with commas between, not %s",
                IW_LOAD_SIZES_MAX, optarg);
        size += length;
        if (*size == '\0')
            return 0;
    }
}

static int load_take_region(const struct iw_usage *usage, const struct iw_option *option, void *user) {
    struct settings *settings = user;
    unsigned long long numbers[3];
    const char *at = optarg;
    char *end;

    for (int i = 0; i < 3; i++) {
        numbers[i] = at[0] >= '0' && at[0] <= '9' ? strtoull(at, &end, 0) : 0;
        if (at[0] < '0' || at[0] > '9' || *end != (i < 2 ? ',' : '\0') || (i == 0 && numbers[0] > UINT32_MAX))
            return iw_option_refuse(usage, option, "STAG,TO,OCTETS");
        at = end + 1;
    }
    settings->load.stag = (uint32_t)numbers[0];
    settings->load.to = numbers[1];
    settings->region_octets = numbers[2];
    return 0;
}

static int load_take_mix(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    char error[512];

    return iw_load_mix_parse(optarg, at, error, sizeof error)
               ? 0
               : iw_option_error(usage, "--%s: %s", option->name, error);
}

static int load_take_rate(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    uint64_t rate = 0;
    int code = iw_option_number(usage, option, &rate);

    *(double *)at = (double)rate;
    return code;
}

#define AT(member) .at = offsetof(struct settings, member)
#define NUMBER(member, low, high) IW_OPTION_NUMBER(struct settings, load.member, low, high)
static const struct iw_option options[] = {
    {CMD_OPTION_PEER, "the responder [the embedded peer, in a process of its own]", cmd_option_address,
        AT(peer)},
    {"region", "STAG,TO,OCTETS", 0, "the peer's memory for Reads and Writes, as 'serve' prints it",
        .take = load_take_region},
    {"mix", "LIST", 'm', "operations and their weights [write=70,read=20,send=10]", load_take_mix,
        AT(load.mix)},
    {"size", "LIST", 's', "octets of the operations, in turn; K and M are KiB and MiB [4096]",
        load_take_sizes, AT(load)},
    {"depth", "N", 'd', "outstanding operations per connection [8]", NUMBER(depth, 1, 4096)},
    {"connections", "N", 'c', "connections [1]", NUMBER(connections, 1, 1000000)},
    {"duration", "SECONDS", 't', "stop starting operations after this time [10; with --count, no limit]",
        cmd_option_seconds, AT(load.duration_ms)},
    {"count", "N", 'n', "total number of operations [no limit]", NUMBER(count, 1, UINT64_MAX)},
    {"rate", "N", 'r', "operations started per second [as many as possible]", load_take_rate, AT(load.rate),
        .octets = sizeof(uint64_t), .low = 1, .high = 1000000000},
    {"verify", "N", 0, "read back every Nth Write at once; 0: never [64]",
        NUMBER(verify_every, 0, UINT32_MAX)},
    {"no-echo", NULL, 0, "the peer does not echo Sends: do not verify them", iw_option_flag,
        AT(load.no_echo)},
    {CMD_OPTION_NO_CRC, iw_option_flag, AT(load.no_crc)},
    {"markers", NULL, 0, "request markers", iw_option_flag, AT(load.markers)},
    {"aligned", NULL, 0, "write each FPDU separately", iw_option_flag, AT(load.aligned)},
    {"mulpdu", "N", 0, "largest ULPDU [as fits into a TCP segment]", NUMBER(mulpdu, 128, UINT16_MAX)},
    {"rev", "N", 0, "revision of MPA, 1 or 2 [2]", NUMBER(revision, 1, 2)},
    {"ord", "N", 0, "outstanding Reads per connection [depth; with --rev 1 at most 8]",
        NUMBER(ord, 1, 0x3FFE)},
    {"timeout", "SECONDS", 0, "timeout of a response [10]", cmd_option_seconds, AT(load.timeout_ms)},
    {"json", NULL, 0, "print one JSON object", iw_option_flag, AT(json)},
};

static const struct iw_usage usage = {
    .command = "load",
    .arguments = "[OPTION...]",
    .instead = "--peer",
    .summary = "Sends sustained traffic to a responder, measures rates and latencies, and verifies payloads.",
    .detail =
        "Some Writes are read back at once, and all written memory at the end; a Write's latency is the\n"
        "time until TCP has accepted it. Reads fetch data written before the first Read. The peer echoes\n"
        "Sends, as 'serve --echo' does. 'atomic' adds 1 to a number; 'flush' makes written data visible;\n"
        "'verify' requests a hash of the data that Reads fetch; 'atomic_write' writes eight octets, which\n"
        "are read back like a Write. With --rate, latency includes the delay after the scheduled start.\n"
        "SIGINT starts no further operations, and reports.\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck load\n"
                "  warpcheck load --mix write --size 1M --depth 4 --duration 5\n"
                "  warpcheck load --mix send --size 64 --depth 1 --count 100000 --json\n"
                "  warpcheck load --peer 192.0.2.7:20100 --region 0x100,0x10000,65536 --mix write,read\n",
    .exits = "  0  every operation succeeded\n"
             "  1  wrong payload, a Terminate, a lost connection, no response\n"
             "  3  usage; the peer cannot be reached; interrupted before the first operation\n"
             "  4  internal error\n",
};

static int load_check_settings(struct settings *settings) {
    struct iw_load_config *load = &settings->load;
    uint64_t need = iw_load_region_octets(load);

    load->host = settings->peer.host;
    load->port = settings->peer.port;
    if (load->duration_ms == 0 && load->count == 0)
        load->duration_ms = 10000;
    if (load->ord == 0)
        load->ord = (uint16_t)(load->revision == 1 && load->depth > 8 ? 8 : load->depth);
    if (load->host == NULL && settings->region_octets > 0)
        return iw_option_error(&usage, "--region goes with --peer");
    if (load->host != NULL && need > settings->region_octets)
        return iw_option_error(&usage,
            "these Reads and Writes need %llu octets of memory: give --region STAG,TO,OCTETS, as 'serve' "
            "prints it",
            (unsigned long long)need);
    return 0;
}

/* ---- running the load ---- */

struct running {
    const struct settings *settings;
    struct iw_loop *loop;
    struct iw_load *load;
    struct iw_timer timer;
    struct iw_load_progress before;
    FILE *terminal; /* NULL: show no progress */
};

enum { LOAD_PROGRESS_MS = 500 };

static void load_show_progress(void *user) {
    struct running *running = user;

    fputc('\r', running->terminal);
    iw_load_report_progress(running->terminal, iw_load_result(running->load), &running->before,
        (uint64_t)LOAD_PROGRESS_MS * 1000000);
    fputs("\x1b[K", running->terminal);
    fflush(running->terminal);
    iw_timer_start(
        &running->timer, running->loop, (uint64_t)LOAD_PROGRESS_MS * 1000, load_show_progress, running);
}

static void load_interrupt(void *user) {
    const struct running *running = user;

    iw_load_stop(running->load);
}

static int load_report(const struct running *running) {
    const struct iw_load_config *config = &running->settings->load;
    const struct iw_load_result *result = iw_load_result(running->load);

    if (result->opened == 0 && result->error_count > 0)
        return cmd_fail(IW_EXIT_ENVIRONMENT, "%s", result->errors[0].text);
    if (result->running_ns == 0 && result->error_count == 0)
        return cmd_fail(IW_EXIT_ENVIRONMENT,
            "interrupted before the first operation: %u of %u connection%s open", result->opened,
            config->connections, iw_plural(config->connections));
    if (!running->settings->json)
        iw_load_report_text(stdout, config, result);
    else if (!iw_load_report_json(stdout, config, result))
        return IW_EXIT_ENVIRONMENT;
    return result->error_count > 0 ? IW_EXIT_VIOLATIONS : IW_EXIT_CONFORMS;
}

static int load_run(struct settings *settings) {
    struct running running = {.settings = settings, .loop = iw_loop_new(IW_LOOP_REAL)};
    struct iw_interrupt *interrupt;
    int code;

    if (running.loop == NULL)
        return cmd_fail(IW_EXIT_INTERNAL, "not enough memory");
    iw_loop_busy_poll(running.loop);
    settings->load.loop = running.loop;
    running.load = iw_load_new(&settings->load);
    if (running.load == NULL) {
        iw_loop_free(running.loop);
        return cmd_fail(IW_EXIT_INTERNAL, "not enough memory");
    }
    interrupt = iw_interrupt_new(running.loop, load_interrupt, &running);
    if (isatty(STDERR_FILENO)) {
        running.terminal = stderr;
        load_show_progress(&running);
    }
    iw_loop_run(running.loop);
    iw_timer_stop(&running.timer);
    if (running.terminal != NULL)
        fputs("\r\x1b[K", running.terminal);
    code = load_report(&running);
    iw_interrupt_free(interrupt);
    iw_load_free(running.load);
    iw_loop_free(running.loop);
    return code;
}

/* Runs the load against an embedded peer with suitable settings. */
static int load_run_with_embedded_peer(struct settings *settings) {
    struct iw_load_config *load = &settings->load;
    uint64_t need = iw_load_region_octets(load);
    struct iw_serve_config serve = {.host = "127.0.0.1",
        .extensions = IW_EXT_ALL,
        .quiet = true,
        .region_octets = need > 0 ? need : 1,
        .receive_octets = 64 << 20,
        .no_crc = load->no_crc,
        .echo = !load->no_echo,
        .bulk = !load->aligned};
    struct iw_embedded_peer peer;
    char error[512];
    int code;

    if (iw_embedded_peer_start(&peer, &serve, error, sizeof error) != IW_OK)
        return cmd_fail(IW_EXIT_ENVIRONMENT, "%s", error);
    load->host = serve.host;
    load->port = peer.port;
    load->stag = peer.stag;
    load->to = peer.to;
    code = load_run(settings);
    iw_embedded_peer_end(&peer);
    return code;
}

int cmd_load(int argc, char **argv) {
    struct settings settings = {
        .load = {.mix = {.weights = {[IW_LOAD_WRITE] = 70, [IW_LOAD_READ] = 20, [IW_LOAD_SEND] = 10}},
            .sizes = {4096},
            .size_count = 1,
            .connections = 1,
            .depth = 8,
            .verify_every = 64,
            .revision = 2,
            .timeout_ms = 10000}};
    int code = iw_option_all(&usage, argc, argv, &settings);

    if (code != IW_OPTION_DONE || (code = load_check_settings(&settings)) != 0)
        return code;
    return settings.load.host != NULL ? load_run(&settings) : load_run_with_embedded_peer(&settings);
}
