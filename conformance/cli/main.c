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
#include "iw_whole_file.h"

/* warpcheck, the iWARP conformance kit. */

static const struct command {
    const char *name;
    const char *summary;
    cmd *run;
    bool connects; /* the command uses sockets, so it ignores SIGPIPE */
} commands[] = {
    {"run", "run the suite against a device under test", cmd_run, true},
    {"differential", "hold the same conversations with two devices, and show where they differ",
        cmd_differential, true},
    {"report", "render, compare or merge results of 'run'; merge those of 'check'", cmd_report, false},
    {"verify-bundle", "verify what 'report --bundle' has made of a run", cmd_verify_bundle, false},
    {"check", "judge recorded captures", cmd_check, false},
    {"split", "divide a capture into shards with whole connections", cmd_split, false},
    {"play", "play one scripted conversation with a peer", cmd_play, true},
    {"serve", "the reference endpoint as a responder, optionally with a named defect", cmd_serve, true},
    {"synth", "run a script in memory and write the conversation as a capture", cmd_synth, false},
    {"script", "turn a captured conversation into a script that plays one side of it", cmd_script, false},
    {"load", "sustained traffic with measured rates and latencies", cmd_load, true},
    {"probe", "find out what a device does, and write its profile", cmd_probe, true},
    {"list", "what the kit knows: requirements, cases, defects, layouts, opcodes, errors, fields", cmd_list,
        false},
    {"extcap", "scripts among Wireshark's interfaces: for Wireshark to run", cmd_extcap, true},
};

static const struct command *main_find_command(const char *name) {
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static void main_print_help(void) {
    printf(
        "Usage: warpcheck COMMAND [OPTION...] [ARGUMENT...]\n\n"
        "The iWARP conformance kit: decodes, drives and judges MPA, DDP and RDMAP over TCP.\n\nCommands:\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        printf("  %-13s %s\n", commands[i].name, commands[i].summary);
    printf("\nEach command has its own --help. --version prints the version.\n\n"
           "Exit codes: 0 conforms, 1 violations, 2 nothing failed but something could not be judged,\n"
           "3 usage or environment, 4 internal error.\n");
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
    const struct command *command;

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
    if (argc == 3 && strcmp(argv[1], "help") == 0 && main_find_command(argv[2]) != NULL)
        return main_finish(main_find_command(argv[2])->run(2, (char *[]){argv[2], "--help", NULL}));
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        main_print_help();
        return main_finish(IW_EXIT_CONFORMS);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("warpcheck %s\n", WARPCHECK_VERSION);
        return main_finish(IW_EXIT_CONFORMS);
    }
    command = main_find_command(argv[1]);
    if (!command) {
        fprintf(stderr, "warpcheck: unknown %s %s (see warpcheck --help)\n",
            argv[1][0] == '-' ? "option" : "command", argv[1]);
        return IW_EXIT_ENVIRONMENT;
    }
    if (command->connects)
        signal(SIGPIPE, SIG_IGN);
    return main_finish(command->run(argc - 1, argv + 1));
}
