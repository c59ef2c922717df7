#define _GNU_SOURCE /* basename */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "iw_exit.h"
#include "iw_json.h"
#include "iw_suggest.h"
#include "iw_whole_file.h"

/* warpcheck, the iWARP conformance kit. */

const struct cmd_command cmd_commands[] = {
    {"run", "run the suite against a device under test", cmd_run, true},
    {"differential", "hold the same conversations with two devices, and show where they differ",
        cmd_differential, true},
    {"report", "render, compare or merge results of 'run'; merge those of 'check'", cmd_report, false},
    {"verify-bundle", "verify what 'report --bundle' has made of a run", cmd_verify_bundle, false},
    {"check", "judge recorded captures", cmd_check, false},
    {"watch", "judge the connections on a network as they happen", cmd_watch, false},
    {"relay", "between an initiator and a device: record and judge both", cmd_relay, true},
    {"matrix", "run each initiator with each responder, and judge both", cmd_matrix, true},
    {"explain", "tell why connections died, hung or were slow", cmd_explain, false},
    {"split", "divide a capture into shards with whole connections", cmd_split, false},
    {"play", "play one scripted conversation with a peer", cmd_play, true},
    {"serve", "the reference endpoint as a responder, optionally with a named defect", cmd_serve, true},
    {"synth", "run a script in memory and write the conversation as a capture", cmd_synth, false},
    {"script", "turn a captured conversation into a script that plays one side of it", cmd_script, false},
    {"load", "sustained traffic with measured rates and latencies", cmd_load, true},
    {"probe", "find out what a device does, and write its profile", cmd_probe, true},
    {"list", "what the kit knows: requirements, cases, defects, layouts, opcodes, errors, fields", cmd_list,
        false},
    {"doctor", "what this machine lacks, and what to do", cmd_doctor, false},
    {"help", "what a command or a topic is about; manual pages, completion", cmd_help, false},
    {"extcap", "scripts among Wireshark's interfaces: for Wireshark to run", cmd_extcap, true},
};

const size_t cmd_command_count = sizeof cmd_commands / sizeof *cmd_commands;

const struct cmd_command *cmd_find(const char *name) {
    for (size_t i = 0; i < cmd_command_count; i++)
        if (strcmp(cmd_commands[i].name, name) == 0)
            return &cmd_commands[i];
    return NULL;
}

static int main_unknown(const char *word) {
    struct iw_suggest suggest;

    if (word[0] == '-')
        return cmd_fail(IW_EXIT_ENVIRONMENT, "unknown option %s (see warpcheck --help)", word);
    iw_suggest_init(&suggest, word);
    for (size_t i = 0; i < cmd_command_count; i++)
        iw_suggest_consider(&suggest, cmd_commands[i].name);
    if (suggest.name == NULL)
        return cmd_fail(IW_EXIT_ENVIRONMENT, "unknown command %s (see warpcheck --help)", word);
    return cmd_fail(IW_EXIT_ENVIRONMENT, "unknown command %s (did you mean %s?)", word, suggest.name);
}

/* Flushes stdout, and returns the exit code: a full disk must not look like success. If the reader of a pipe
 * is gone, SIGPIPE ends the program, also after a command that ignores SIGPIPE. */
static int main_finish(int code) {
    int error = iw_whole_file_flush(stdout);

    if (error == 0)
        return code;
    if (error == EPIPE) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    fprintf(stderr, "warpcheck: standard output: %s\n", strerror(error));
    return (int)iw_exit_join((enum iw_exit)code, IW_EXIT_ENVIRONMENT);
}

static void main_end_without_memory(void) {
    fputs("warpcheck: out of memory\n", stderr);
    exit(IW_EXIT_INTERNAL);
}

/* Opens /dev/null in place of a closed standard stream, so that no file of ours gets its number. It is opened
 * so that reading and writing still fail. */
static void main_fill_standard_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            exit(IW_EXIT_ENVIRONMENT);
}

int main(int argc, char **argv) {
    const struct cmd_command *command;

    main_fill_standard_streams();
    signal(SIGXFSZ, SIG_IGN); /* a file size limit becomes a write error */
    iw_json_on_failure(main_end_without_memory);
    /* Wireshark runs the programs in its extcap folder without the name of a command. */
    if (argc > 0 && strcmp(basename(argv[0]), "warpcheck-extcap") == 0) {
        signal(SIGPIPE, SIG_IGN);
        return main_finish(cmd_extcap(argc, argv));
    }
    if (argc < 2) {
        fprintf(stderr, "warpcheck: no command given (see warpcheck --help)\n");
        return IW_EXIT_ENVIRONMENT;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return main_finish(cmd_help(1, (char *[]){"help", NULL}));
    if (strcmp(argv[1], "--version") == 0 && argc > 2) {
        fprintf(stderr, "warpcheck --version: unexpected argument %s\n", argv[2]);
        return IW_EXIT_ENVIRONMENT;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("warpcheck %s\n", WARPCHECK_VERSION);
        return main_finish(IW_EXIT_CONFORMS);
    }
    command = cmd_find(argv[1]);
    if (!command)
        return main_unknown(argv[1]);
    if (command->connects)
        signal(SIGPIPE, SIG_IGN);
    return main_finish(command->run(argc - 1, argv + 1));
}
