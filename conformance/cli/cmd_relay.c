#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "cmd_confine.h"
#include "cmd_option.h"
#include "cmd_relay_judge.h"
#include "iw_interrupt.h"
#include "iw_json.h"
#include "iw_play.h"
#include "iw_port.h"

enum { SECONDS_MAX = 30 * 24 * 3600, RULES_MAX = 64 };

struct settings {
    struct cmd_address listen, to;
    const char *record;
    uint32_t duration_ms;
    uint32_t drain_ms; /* time for open connections to end, after a signal */
    bool unjudged;
    bool quiet;
    enum cmd_confining confining;
    struct iw_relay_rule rules[RULES_MAX]; /* `rule_count` of them */
    size_t rule_count;
    unsigned repair; /* set of enum iw_relay_repair */
    uint64_t seed;
    struct cmd_relay_judge judge;
};

struct running {
    struct settings *settings;
    struct iw_loop *loop;
    struct iw_relay *relay;
    struct iw_recorder *recorder; /* of the file; or NULL */
    struct iw_interrupt *interrupt;
    struct iw_timer timer; /* of the duration, then of the drain */
    struct iw_timer check; /* whether all connections have ended */
    bool drains;
};

static int relay_take_format(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    static const struct {
        const char *name;
        const struct iw_check_report_form *form;
    } forms[] = {{"text", &iw_check_report_text}, {"decode", &iw_check_report_decode},
        {"jsonl", &iw_check_report_jsonl}};
    const struct iw_check_report_form **form = at;

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(optarg, forms[i].name) == 0) {
            *form = forms[i].form;
            return 0;
        }
    return cmd_option_not_listed(usage, option);
}

static int relay_take_rule(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    struct settings *settings = at;
    char error[IW_RELAY_TEXT_OCTETS];

    if (settings->rule_count == RULES_MAX)
        return iw_option_error(usage, "at most %d impairments", RULES_MAX);
    return iw_relay_rule_parse(optarg, &settings->rules[settings->rule_count++], error)
               ? 0
               : iw_option_error(usage, "--%s: %s", option->name, error);
}

static int relay_take_repair(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    return iw_relay_repair_parse(optarg, at)
               ? 0
               : iw_option_refuse(usage, option, "a list of length, crc and markers");
}

static int relay_take_seconds(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    return iw_option_read_seconds(optarg, SECONDS_MAX, at)
               ? 0
               : iw_option_refuse(usage, option, "seconds from 0.001 to 2592000");
}

#define AT(member) .at = offsetof(struct settings, member)
static const struct iw_option options[] = {
    {"listen", "HOST:PORT", 'l', "where initiators connect [127.0.0.1:20100]; port 0: the system chooses",
        cmd_option_address, AT(listen)},
    {"to", "HOST:PORT", 't', "the device", cmd_option_address, AT(to)},
    {CMD_OPTION_RECORD, iw_option_text, AT(record)},
    {"impairment", "RULE", 'i', "what to change, and when; see above; may be repeated [nothing]",
        relay_take_rule, .at = 0},
    {"repair", "LIST", 0,
        "of a unit that was changed: length (ULPDU_Length and PAD), crc; and markers,\n"
        "also of all later units [nothing]",
        relay_take_repair, AT(repair)},
    {"seed", "NUMBER", 's', "seed of the random choices of --impairment [1]",
        IW_OPTION_NUMBER(struct settings, seed, 1, UINT64_MAX), .takes = "a number from 1 on"},
    {"format", "text|decode|jsonl", 'f', "form of the report, as for 'watch' [text]", relay_take_format,
        AT(judge.report.form)},
    {"no-judge", NULL, 0, "do not judge; without --record, octets then pass without a copy", iw_option_flag,
        AT(unjudged)},
    {CMD_OPTION_EXTENSIONS, "documents in force besides RFC 5040, as for 'check' [default]",
        cmd_option_extensions, AT(judge.report.extensions)},
    /* Without the letter that it has in other commands: -l is --listen here, as in 'serve'. */
    {"max-level", "LEVEL", 0, "lowest level of findings that count as violations [error]",
        cmd_option_max_level, AT(judge.report.stricter)},
    {"duration", "SECONDS", 0, "end after this time [SIGINT or SIGTERM]", relay_take_seconds,
        AT(duration_ms)},
    {"drain", "SECONDS", 0, "after SIGINT or SIGTERM, wait so long for open connections to end [no time]",
        relay_take_seconds, AT(drain_ms)},
    {CMD_OPTION_QUIET, "do not print when connections begin and end", iw_option_flag, AT(quiet)},
    {CMD_OPTION_CONFINE, AT(confining)},
};

static const struct iw_usage usage = {
    .command = "relay",
    .arguments = "--to HOST:PORT [OPTION...]",
    .summary = "Relays TCP connections between initiators and a device, judges both, and impairs them.",
    .detail =
        "It opens one connection to the device for each that it accepts, and passes on octets, FIN and RST.\n"
        "It accepts before the device does: if the device then refuses, the initiator's connection is\n"
        "reset. SIGINT, SIGTERM or --duration end it, and reset the connections that are still open.\n"
        "\n"
        "The initiator is judged by its connection to the relay, the device by its own, by the rules of\n"
        "'check'. Findings about octets that the relay sends are shown, but waived.\n"
        "\n"
        "--impairment changes what passes. RULE is NAME[=VALUE],...: the unit that it waits for, and what\n"
        "it does. A unit is a startup frame or an FPDU with its Markers; positions in it do not count\n"
        "Markers.\n"
        "\n"
        "  at=UNIT[#N|#*][+OCTETS]    startup, fpdu, or an opcode such as rdma-read-response: the Nth\n"
        "                             (or each) that begins after OCTETS of its stream [fpdu#1]\n"
        "  direction=initiator|responder    only of this sender [both]\n"
        "  with=payload|message|payload+message    only an FPDU with payload, only a message of one segment\n"
        "  chance=PERCENT             each unit that fits, with this probability\n"
        "  flip=PART[:OCTET[:MASK]]   inverts bits of length, header, payload, pad, crc or marker\n"
        "  set=FIELD:VALUE            as Wireshark names it: mpa.ird, ddp.mo, rdmap.opcode\n"
        "  private=HEX                replaces the private data\n"
        "  cut=POSITION:COUNT, insert=POSITION:HEX    removes or adds octets\n"
        "  drop, repeat[=N], swap     omits the unit, repeats it, or sends it after the next one\n"
        "  delay=MS                   waits before it\n"
        "  segment=OCTETS[,pause=MS]  sends it in several TCP segments\n"
        "  close, reset               sends a FIN after it, or a RST to both\n"
        "  stop[=MS], window=OCTETS   reads no more from its sender, or limits the window of TCP\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck relay --listen 0.0.0.0:20100 --to 192.0.2.7:20100\n"
                "  warpcheck relay --to 192.0.2.7:20100 --record both.pcapng --format jsonl\n"
                "  warpcheck relay --to 192.0.2.7:20100 --impairment at=rdma-read-response#3,flip=payload\n"
                "  warpcheck relay --to 192.0.2.7:20100 --no-judge --duration 60\n",
    .exits = "  0  conforms; with --no-judge, ended\n"
             "  1  at least one violation\n"
             "  2  no violation, but something could not be judged\n"
             "  3  usage; the port is in use; a file cannot be written; no iWARP stream seen\n"
             "  4  internal error\n",
};

/* ---- output ---- */

static const char *const note_names[] = {
    [IW_RELAY_OPENED] = "opened",
    [IW_RELAY_REFUSED] = "refused",
    [IW_RELAY_LEFT] = "left",
    [IW_RELAY_ENDED] = "ended",
    [IW_RELAY_IMPAIRED] = "impaired",
    [IW_RELAY_UNFIT] = "not impaired",
    [IW_RELAY_RESET] = "reset",
};

static bool relay_prints_jsonl(const struct settings *settings) {
    return settings->judge.report.form == &iw_check_report_jsonl;
}

static const char *relay_sender(const struct iw_relay_note *note) {
    return note->direction == IW_SIDE_A ? "initiator" : "responder";
}

static void relay_print_jsonl(
    const struct iw_relay_note *note, const char *initiator, const char *device, FILE *out) {
    json_t *object = json_pack("{ss sI ss ss}", "type", "relay", "connection", (json_int_t)note->connection,
        "event", note_names[note->kind], "initiator", initiator);

    if (device != NULL)
        iw_json_set_text(object, "device", device);
    if (note->text != NULL)
        iw_json_set_text(object, "reason", note->text);
    if (note->rule != NULL) {
        iw_json_set_text(object, "rule", note->rule->text);
        iw_json_set_text(object, "direction", relay_sender(note));
        json_object_set_new(object, "offset", json_integer((json_int_t)note->offset));
    }
    iw_json_line(out, object);
}

static void relay_print_text(
    const struct iw_relay_note *note, const char *initiator, const char *device, FILE *out) {
    fprintf(out, "[%" PRIu64 "] %s: ", note->connection, note_names[note->kind]);
    if (note->rule != NULL) {
        fprintf(
            out, "%s at octet %" PRIu64 " of the %s\n", note->rule->text, note->offset, relay_sender(note));
        return;
    }
    fputs(initiator, out);
    if (device != NULL)
        fprintf(out, ", to the device from %s", device);
    fprintf(out, "%s%s\n", note->text != NULL ? ": " : "", note->text != NULL ? note->text : "");
}

static void relay_print_note(const struct settings *settings, const struct iw_relay_note *note) {
    FILE *out = settings->judge.report.out;
    char initiator[64], from[64];
    const char *device = note->kind == IW_RELAY_REFUSED || note->kind == IW_RELAY_LEFT ? NULL : from;

    iw_port_name(&note->initiator[IW_SIDE_A], initiator);
    iw_port_name(&note->device[IW_SIDE_A], from);
    if (relay_prints_jsonl(settings))
        relay_print_jsonl(note, initiator, device, out);
    else
        relay_print_text(note, initiator, device, out);
    fflush(out);
}

static void relay_check_drained(void *user) {
    const struct running *running = user;

    if (iw_relay_open(running->relay) == 0)
        iw_loop_stop(running->loop);
}

static void relay_take_note(void *user, const struct iw_relay_note *note) {
    struct running *running = user;
    struct settings *settings = running->settings;

    if (running->drains) /* the relay forgets the connection only after the note */
        iw_timer_start(&running->check, running->loop, 0, relay_check_drained, running);

    if (note->kind == IW_RELAY_OPENED && !settings->unjudged)
        cmd_relay_judge_opened(&settings->judge, note);
    if (settings->quiet)
        return;
    if (!settings->unjudged)
        cmd_relay_judge_lock(&settings->judge);
    relay_print_note(settings, note);
    if (!settings->unjudged)
        cmd_relay_judge_unlock(&settings->judge);
}

/* A script may start its peers when it reads this. */
static void relay_say_begin(const struct running *running) {
    const struct settings *settings = running->settings;
    FILE *out = settings->judge.report.out;
    uint16_t port = iw_relay_port(running->relay);
    const struct cmd_address listen = {.host = settings->listen.host, .port = port};
    char own[CMD_ADDRESS_OCTETS], to[CMD_ADDRESS_OCTETS];

    cmd_address_name(&listen, own);
    cmd_address_name(&settings->to, to);
    if (relay_prints_jsonl(settings))
        iw_json_line(
            out, json_pack("{ss ss si ss si}", "type", "relay", "host", settings->listen.host, "port", port,
                     "device_host", settings->to.host, "device_port", settings->to.port));
    else
        fprintf(out, "relaying %s to %s\n", own, to);
    fflush(out);
}

/* ---- begin and end ---- */

static void relay_stop(void *user) {
    const struct running *running = user;

    iw_loop_stop(running->loop);
}

static void relay_interrupted(void *user) {
    struct running *running = user;

    running->drains = running->settings->drain_ms > 0;
    if (!running->drains) {
        relay_stop(running);
        return;
    }
    iw_timer_start(
        &running->timer, running->loop, running->settings->drain_ms * UINT64_C(1000), relay_stop, running);
    relay_check_drained(running);
}

static bool relay_open(struct running *running, char *text) {
    struct settings *settings = running->settings;
    const struct iw_relay_config config = {.host = settings->listen.host,
        .port = settings->listen.port,
        .device_host = settings->to.host,
        .device_port = settings->to.port,
        .recorders = {running->recorder, settings->judge.recorder},
        .rules = settings->rules,
        .rule_count = settings->rule_count,
        .repair = settings->repair,
        .seed = settings->seed,
        .note = relay_take_note,
        .user = running};

    running->relay = iw_relay_new(running->loop, &config, text);
    return running->relay != NULL;
}

static void relay_run(struct running *running) {
    running->interrupt = iw_interrupt_new(running->loop, relay_interrupted, running);
    relay_say_begin(running);
    if (running->settings->duration_ms > 0)
        iw_timer_start(&running->timer, running->loop, running->settings->duration_ms * UINT64_C(1000),
            relay_stop, running);
    iw_loop_run(running->loop);
    iw_timer_stop(&running->timer);
    iw_timer_stop(&running->check);
    running->drains = false;
    iw_interrupt_free(running->interrupt);
}

/* From here on no file can be opened, and no port but that of the device connected to. If the descriptors run
 * out, libuv keeps one of /dev/null in reserve. */
static bool relay_confine(const struct settings *settings) {
    struct iw_confine confine;

    iw_confine_begin(&confine);
    confine.relays = true;
    iw_confine_connect(&confine, settings->to.port);
    iw_confine_read(&confine, "/dev/null");
    return cmd_confine(settings->confining, &confine) == 0;
}

/* Opens all that the relay needs, and confines the process. Returns false with the reason in `text`, which is
 * "" if it was printed. */
static bool relay_prepare(struct running *running, char text[IW_RECORDER_TEXT_OCTETS]) {
    struct settings *settings = running->settings;

    snprintf(text, IW_RECORDER_TEXT_OCTETS, "out of memory");
    running->loop = iw_loop_new(IW_LOOP_REAL);
    if (running->loop == NULL)
        return false;
    if (settings->record != NULL) {
        running->recorder = iw_recorder_open(settings->record, NULL, text);
        if (running->recorder == NULL)
            return false;
        iw_recorder_tell(running->recorder, iw_play_report_trouble, stderr);
    }
    if (!relay_open(running, text))
        return false;
    text[0] = '\0';
    return relay_confine(settings) && (settings->unjudged || cmd_relay_judge_start(&settings->judge, text));
}

/* Runs between the begin and the end of the judge. Returns the exit code without a judgement. */
static int relay_between(struct settings *settings) {
    struct running running = {.settings = settings};
    char text[IW_RECORDER_TEXT_OCTETS];
    bool right = relay_prepare(&running, text);

    if (right)
        relay_run(&running);
    iw_relay_free(running.relay);
    if (iw_recorder_close(running.recorder, right ? text : NULL) != IW_OK)
        right = false;
    iw_loop_free(running.loop);
    if (!right && text[0] != '\0')
        cmd_fail(IW_EXIT_ENVIRONMENT, "%s", text);
    return right ? IW_EXIT_CONFORMS : IW_EXIT_ENVIRONMENT;
}

static int relay_judged(struct settings *settings) {
    char text[IW_RECORDER_TEXT_OCTETS];
    int code;

    if (!cmd_relay_judge_open(&settings->judge, text))
        return cmd_fail(IW_EXIT_ENVIRONMENT, "%s", text);
    code = relay_between(settings);
    return (int)iw_exit_join((enum iw_exit)code, cmd_relay_judge_end(&settings->judge));
}

int cmd_relay(int argc, char **argv) {
    static struct settings settings;
    int code;

    settings = (struct settings){.seed = 1,
        .listen = {.host = "127.0.0.1", .port = 20100},
        .judge.report = {.out = stdout, .extensions = IW_EXT_DEFAULT, .form = &iw_check_report_text}};
    code = iw_option_all(&usage, argc, argv, &settings);
    if (code != IW_OPTION_DONE)
        return code;
    if (settings.to.host == NULL)
        return iw_option_error(&usage, "no device given: --to HOST:PORT");
    return settings.unjudged ? relay_between(&settings) : relay_judged(&settings);
}
