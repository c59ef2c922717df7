#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "cmd_option.h"
#include "iw_argument.h"
#include "iw_exit.h"
#include "iw_option.h"
#include "iw_play.h"
#include "iw_synth.h"
#include "iw_text.h"

/* The extcap interface of Wireshark (its doc/README.extcap). Wireshark runs this command to list interfaces,
 * link types and settings, and reads the captured packets from a FIFO. */

/* Options from Wireshark. A text is NULL if the option is not given or empty. */
struct settings {
    bool interfaces, dlts, config, capture, sctp, trust;
    const char *version, *interface, *fifo, *filter, *script, *peer, *peer_script, *args, *impairment, *seed;
};

/* Like iw_option_text, but ignores the empty argument that Wireshark gives for a setting without a value. */
static int extcap_text(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    return *optarg != '\0' ? iw_option_text(usage, option, at) : 0;
}

#define GIVEN(member) iw_option_flag, .at = offsetof(struct settings, member)
#define TEXT(member) extcap_text, .at = offsetof(struct settings, member)
static const struct iw_option options[] = {
    {"extcap-interfaces", NULL, 0, "print the interfaces", GIVEN(interfaces)},
    {"extcap-version", "VERSION", 0, "version of Wireshark", TEXT(version)},
    {"extcap-interface", "NAME", 0, "interface of the other options", TEXT(interface)},
    {"extcap-dlts", NULL, 0, "print its link type", GIVEN(dlts)},
    {"extcap-config", NULL, 0, "print its settings", GIVEN(config)},
    {"capture", NULL, 0, "run the script and write its packets", GIVEN(capture)},
    {"fifo", "FILE", 0, "file to write (pcapng)", TEXT(fifo)},
    {"extcap-capture-filter", "FILTER", 0, "ignored: all packets are written", TEXT(filter)},
    {"script", "FILE", 0, "Lua script that holds the conversation", TEXT(script)},
    {"peer", "HOST:PORT", 0, "the device; empty if the script plays both sides", TEXT(peer)},
    {"peer-script", "FILE", 0, "script for the other side; empty: the reference endpoint", TEXT(peer_script)},
    {"args", "LIST", 0, "arguments of the script: NAME=VALUE, with blanks between them", TEXT(args)},
    {"impairment", "LIST", 0, "faults of the capture, as for warpcheck synth: loss=1%,vlan=7",
        TEXT(impairment)},
    {"hardship", "LIST", 0, NULL, TEXT(impairment)},
    {"sctp", NULL, 0, "show the conversation as DDP over SCTP", GIVEN(sctp)},
    {"seed", "NUMBER", 0, "seed of random choices", TEXT(seed)},
    {CMD_OPTION_TRUST, "the script may use all Lua libraries, including files and processes", GIVEN(trust)},
};

static const struct iw_usage usage = {
    .command = "extcap",
    .arguments = "--extcap-interfaces | --extcap-interface NAME (--extcap-dlts | --extcap-config | --capture "
                 "--fifo FILE --script FILE [OPTION...])",
    .summary = "Offers scripts as interfaces in Wireshark (extcap).",
    .detail =
        "scripts/install-plugin.sh puts a copy of this program, called warpcheck-extcap, where Wireshark "
        "looks;\nunder that name it is this command.\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck extcap --extcap-interfaces\n"
                "  warpcheck extcap --extcap-interface iwarp-memory --capture --fifo /dev/stdout "
                "--script tour.lua | wireshark -k -i -\n",
    .exits = "  0  done\n"
             "  1  the script failed, or the peer violated a MUST: see standard error\n"
             "  3  usage; a mistake in the script; the peer cannot be reached; files\n"
             "  4  internal error\n",
};

enum { EXTCAP_ON_PLAY = 1 << 0, EXTCAP_ON_MEMORY = 1 << 1 };

static const struct interface {
    const char *name;
    const char *display;
    unsigned is;
} interfaces[] = {
    {"iwarp-script", "iWARP script", EXTCAP_ON_PLAY},
    {"iwarp-memory", "iWARP script in memory", EXTCAP_ON_MEMORY},
};

/* A field in the dialog of Wireshark, for one option. */
static const struct field {
    const char *option;
    const char *display;
    const char *type; /* type of the field in Wireshark's format, and further properties */
    unsigned on;
} fields[] = {
    {"script", "Script", "{type=fileselect}{mustexist=true}{fileext=Lua scripts (*.lua)}{required=true}",
        EXTCAP_ON_PLAY | EXTCAP_ON_MEMORY},
    {"peer", "Peer", "{type=string}{placeholder=192.0.2.7:20100}", EXTCAP_ON_PLAY},
    {"peer-script", "Peer's script",
        "{type=fileselect}{mustexist=true}{fileext=Lua scripts (*.lua)}{required=false}", EXTCAP_ON_MEMORY},
    {"args", "Arguments", "{type=string}{placeholder=size=4096 count=3}", EXTCAP_ON_PLAY | EXTCAP_ON_MEMORY},
    {"impairment", "Impairment", "{type=string}{placeholder=loss=1%,reorder=5%,vlan=7}", EXTCAP_ON_MEMORY},
    {"sctp", "Over SCTP", "{type=boolflag}", EXTCAP_ON_MEMORY},
    {"seed", "Seed", "{type=unsigned}{range=1,4294967295}{default=1}", EXTCAP_ON_MEMORY},
    {"trust", "Trust the script", "{type=boolflag}", EXTCAP_ON_PLAY | EXTCAP_ON_MEMORY},
};

static int extcap_print_interfaces(void) {
    printf("extcap {version=" WARPCHECK_VERSION "}{display=warpcheck}\n");
    for (size_t i = 0; i < sizeof interfaces / sizeof *interfaces; i++)
        printf("interface {value=%s}{display=%s}\n", interfaces[i].name, interfaces[i].display);
    return IW_EXIT_CONFORMS;
}

static int extcap_print_config(const struct interface *interface) {
    int number = 0;

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const struct iw_option *option = options;

        while (strcmp(option->name, fields[i].option) != 0)
            option++;
        if ((fields[i].on & interface->is) != 0)
            printf("arg {number=%d}{call=--%s}{display=%s}{tooltip=%s}%s\n", number++, option->name,
                fields[i].display, option->help, fields[i].type);
    }
    return IW_EXIT_CONFORMS;
}

struct capture {
    const struct settings *settings;
    struct iw_arguments arguments;
    char words[4096]; /* copy of --args, split into words */
    char host[256];
    FILE *output; /* printed only on failure: Wireshark treats text on stderr as an error */
};

static int extcap_take_arguments(struct capture *capture) {
    const char *text = capture->settings->args;

    if (text == NULL)
        return 0;
    if (strlen(text) >= sizeof capture->words)
        return iw_option_error(&usage, "--args is too long");
    memcpy(capture->words, text, strlen(text) + 1);
    for (char *word = strtok(capture->words, " \t"); word != NULL; word = strtok(NULL, " \t"))
        if (!iw_arguments_add(&capture->arguments, word))
            return iw_option_error(&usage, "--args: %s", capture->arguments.error);
    return 0;
}

static int extcap_play(struct capture *capture) {
    const struct settings *settings = capture->settings;
    struct iw_play_options play = {.script = settings->script,
        .arguments = capture->arguments.list,
        .argument_count = capture->arguments.count,
        .record = settings->fifo,
        .trust = settings->trust,
        .quiet = true,
        .at_once = true, /* Wireshark ends the capture by a signal, and takes later output as an error */
        .out = capture->output};

    if (settings->peer != NULL) {
        if (!iw_option_address(settings->peer, capture->host, sizeof capture->host, &play.port))
            return iw_option_error(&usage, "--peer takes " IW_OPTION_ADDRESS ", not %s", settings->peer);
        play.host = capture->host;
    }
    return (int)iw_play(&play);
}

static int extcap_synthesize(struct capture *capture) {
    const struct settings *settings = capture->settings;
    struct iw_synth_options synth = {.script = settings->script,
        .peer = settings->peer_script,
        .arguments = capture->arguments.list,
        .argument_count = capture->arguments.count,
        .output = settings->fifo,
        .sctp = settings->sctp,
        .trust = settings->trust,
        .quiet = true,
        .out = capture->output};
    char error[IW_IMPAIRMENT_TEXT_OCTETS];
    unsigned long seed = 1;

    if (settings->impairment != NULL && !iw_impairment_parse(settings->impairment, &synth.impairment, error))
        return iw_option_error(&usage, "--impairment: %s", error);
    if (synth.sctp && (synth.impairment.wrap || iw_impairment_changes_packets(&synth.impairment)))
        return iw_option_error(&usage, "--sctp allows only vlan, ipv6 and snaplen of --impairment");
    if (settings->seed != NULL && !iw_option_read_number(settings->seed, 1, UINT32_MAX, &seed))
        return iw_option_error(&usage, "--seed takes a number from 1 on, not %s", settings->seed);
    synth.seed = seed;
    return (int)iw_synth(&synth);
}

/* Prints `text`, the output, if the capture failed; frees it. NULL: out of memory. Returns the exit code. */
static int extcap_print_diagnostics(char *text, int code) {
    if (code != IW_EXIT_CONFORMS && text == NULL)
        code = cmd_fail(IW_EXIT_INTERNAL, "out of memory: the reason is lost");
    if (code != IW_EXIT_CONFORMS && text != NULL)
        fputs(text, stderr);
    free(text);
    return code;
}

static int extcap_run_capture(const struct settings *settings, const struct interface *interface) {
    struct capture capture = {.settings = settings};
    struct iw_text output;

    if (settings->fifo == NULL)
        return iw_option_error(&usage, "no --fifo FILE given");
    if (settings->script == NULL)
        return iw_option_error(&usage, "no script given: choose one in the settings of the interface");
    int code = extcap_take_arguments(&capture);
    if (code != 0)
        return code;
    if (!iw_text_open(&output))
        return cmd_fail(IW_EXIT_INTERNAL, "out of memory");
    capture.output = output.out;
    code = interface->is == EXTCAP_ON_PLAY ? extcap_play(&capture) : extcap_synthesize(&capture);
    return extcap_print_diagnostics(iw_text_close(&output), code);
}

static const struct interface *extcap_find_interface(const char *name) {
    for (size_t i = 0; name != NULL && i < sizeof interfaces / sizeof *interfaces; i++)
        if (strcmp(interfaces[i].name, name) == 0)
            return &interfaces[i];
    return NULL;
}

int cmd_extcap(int argc, char **argv) {
    struct settings settings = {0};
    int code = iw_option_all(&usage, argc, argv, &settings);
    const struct interface *interface = extcap_find_interface(settings.interface);

    if (code != IW_OPTION_DONE)
        return code;
    if (settings.interfaces)
        return extcap_print_interfaces();
    if (!settings.dlts && !settings.config && !settings.capture)
        return iw_option_error(&usage, "nothing to do: Wireshark runs this command");
    if (interface == NULL)
        return iw_option_error(&usage, "%s%s",
            settings.interface == NULL ? "no interface given" : "unknown interface ",
            settings.interface == NULL ? "" : settings.interface);
    if (settings.dlts) {
        printf("dlt {number=1}{name=EN10MB}{display=Ethernet}\n");
        return IW_EXIT_CONFORMS;
    }
    return settings.config ? extcap_print_config(interface) : extcap_run_capture(&settings, interface);
}
