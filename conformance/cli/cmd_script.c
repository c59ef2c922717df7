#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "cmd_confine.h"
#include "iw_conversation.h"
#include "iw_exit.h"
#include "iw_option.h"
#include "iw_printer.h"

struct settings {
    struct iw_conversation_choice choice;
    bool responder;
    bool timing;
    unsigned long limit;
    enum cmd_confining confining;
};

static int script_take_side(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    bool *responder = at;

    *responder = strcmp(optarg, "responder") == 0;
    return *responder || strcmp(optarg, "initiator") == 0
               ? 0
               : iw_option_refuse(usage, option, "initiator or responder");
}

static int script_take_stream(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    struct iw_conversation_choice *choice = at;

    choice->by_stream = true;
    return iw_option_number(usage, option, &choice->stream);
}

#define AT(member) .at = offsetof(struct settings, member)
static const struct iw_option options[] = {
    {"side", "SIDE", 0, "side of the script: initiator or responder [initiator]", script_take_side,
        AT(responder)},
    {"connection", "N", 'n', "the Nth iWARP connection of the capture [1]",
        IW_OPTION_NUMBER(struct settings, choice.connection, 1, UINT32_MAX), .takes = "a number from 1 on"},
    {"stream", "N", 0, "the connection with this number in check and Wireshark (tcp.stream)",
        script_take_stream, AT(choice), .octets = sizeof(uint64_t), .high = UINT32_MAX,
        .takes = "a number from 0 on"},
    {"limit", "OCTETS", 0, "most payload octets to write as hexadecimal digits [1048576]",
        IW_OPTION_NUMBER(struct settings, limit, 1, UINT32_MAX), .takes = "a number of octets"},
    {"timing", NULL, 0, "keep the delays of the capture before each send", iw_option_flag, AT(timing)},
    {CMD_OPTION_CONFINE, AT(confining)},
};

static const struct iw_usage usage = {
    .command = "script",
    .arguments = "[OPTION...] FILE",
    .operand = "file",
    .summary = "Turns a captured conversation into a script that plays one side of it, octet for octet.",
    .detail =
        "The script goes to standard output. It uses the endpoint's function for each message, names the\n"
        "fields that differ from the endpoint's defaults, and writes FPDUs and octets by hand where no\n"
        "function produces them. It expects the messages of the other side. 'play' runs it against a\n"
        "device, 'synth' in memory.\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck script capture.pcapng >again.lua\n"
                "  warpcheck play again.lua --peer 192.0.2.7:20100\n"
                "  warpcheck script capture.pcapng --side responder >other.lua\n"
                "  warpcheck synth again.lua --peer-script other.lua -o again.pcapng\n",
    .exits = "  0  printed\n"
             "  2  the conversation cannot be repeated: the capture lacks octets of it, or it is too large\n"
             "  3  usage; a file that cannot be read; no iWARP connection in it\n"
             "  4  internal error\n",
    .see = "warpcheck-scripts(7)",
};

static int script_refuse_choice(
    const char *path, const struct settings *settings, const struct iw_conversation_count *count) {
    if (count->connections == 0 && count->sctp)
        return cmd_fail(IW_EXIT_UNJUDGED, "%s: a conversation over SCTP; scripts speak over TCP only", path);
    if (count->connections == 0)
        return cmd_fail(
            IW_EXIT_ENVIRONMENT, "%s: no iWARP connection among %" PRIu64 " of TCP", path, count->tcp_flows);
    if (settings->choice.by_stream)
        return cmd_fail(IW_EXIT_ENVIRONMENT, "%s: stream %" PRIu64 " is not an iWARP connection", path,
            settings->choice.stream);
    return cmd_fail(IW_EXIT_ENVIRONMENT, "%s: no connection %" PRIu64 ": there %s %" PRIu64, path,
        settings->choice.connection, count->connections == 1 ? "is" : "are", count->connections);
}

static int script_print(
    const char *path, const struct settings *settings, struct iw_conversation *conversation) {
    const char *name = strrchr(path, '/');
    struct iw_printer_options printer = {.file = name == NULL ? path : name + 1,
        .side = settings->responder ? iw_side_other(conversation->initiator) : conversation->initiator,
        .timing = settings->timing,
        .limit = settings->limit};
    uint64_t octets;

    if (conversation->broken[0] != '\0')
        return cmd_fail(IW_EXIT_UNJUDGED, "%s: stream %" PRIu64 " cannot be repeated: %s", path,
            conversation->stream, conversation->broken);
    switch (iw_printer_print(conversation, &printer, stdout, &octets)) {
    case IW_OK:
        return (int)IW_EXIT_CONFORMS;
    case IW_ERR_LIMIT:
        return cmd_fail(IW_EXIT_UNJUDGED,
            "%s: the script would have %" PRIu64 " octets as digits; --limit allows %lu", path, octets,
            settings->limit);
    default:
        return cmd_fail(IW_EXIT_INTERNAL, "%s: not enough memory", path);
    }
}

/* From here on only the capture can be read. */
static int script_confine(const struct settings *settings, const char *path) {
    struct iw_confine confine;

    iw_confine_begin(&confine);
    iw_confine_read(&confine, path);
    return cmd_confine(settings->confining, &confine);
}

static int script_read_and_print(const struct settings *settings, const char *path) {
    struct iw_conversation conversation;
    struct iw_conversation_count count;
    char error[512];
    enum iw_status status =
        iw_conversation_read(path, &settings->choice, &conversation, &count, error, sizeof error);
    int code;

    if (status == IW_OK && count.connections > 1 && settings->choice.connection == 0 &&
        !settings->choice.by_stream)
        cmd_fail(0, "%s: the first of %" PRIu64 " connections; --connection N selects one", path,
            count.connections);
    code = status == IW_OK             ? script_print(path, settings, &conversation)
           : status == IW_ERR_ARGUMENT ? script_refuse_choice(path, settings, &count)
                                       : cmd_fail((int)iw_status_exit(status), "%s", error);
    iw_conversation_dispose(&conversation);
    return code;
}

int cmd_script(int argc, char **argv) {
    struct settings settings = {.limit = 1 << 20};
    int code = iw_option_all(&usage, argc, argv, &settings);

    if (code != IW_OPTION_DONE)
        return code;
    if (settings.choice.connection > 0 && settings.choice.by_stream)
        return iw_option_error(&usage, "--connection and --stream exclude each other");
    code = script_confine(&settings, argv[optind]);
    return code == 0 ? script_read_and_print(&settings, argv[optind]) : code;
}
