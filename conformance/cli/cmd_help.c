#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "cmd_option.h"
#include "iw_option.h"
#include "iw_suggest.h"
#include "iw_topic.h"

enum { HELP_COMMAND_MAX = 32 };

static int help_take_format(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    const struct iw_usage_form **form = at;

    *form = iw_usage_form_find(optarg);
    return *form != NULL ? 0 : cmd_option_not_listed(usage, option);
}

static const struct iw_option options[] = {
    {"format", "text|man|bash|zsh|fish", 'f',
        "text for people; the manual page (man) of the program, a command or a\n"
        "topic that has one; or the completion of all commands in a shell [text]",
        .take = help_take_format},
};

static const char exits[] = "  0  conforms\n"
                            "  1  violations\n"
                            "  2  nothing failed, but something could not be judged\n"
                            "  3  usage or environment\n"
                            "  4  internal error\n";

/* The operands are added when the command runs: they are those of two tables. */
static struct iw_usage usage = {
    .command = "help",
    .arguments = "[OPTION...] [COMMAND|TOPIC]",
    .operand = "topic",
    .operand_optional = true,
    .summary = "Prints what a command or a topic is about.",
    .detail =
        "Without an operand, it lists the commands and topics. Topics are parts of the documentation.\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck help check\n"
                "  warpcheck help verdicts\n"
                "  warpcheck help --format man check | man -l -\n"
                "  source <(warpcheck help --format bash)\n",
    .exits = "  0  printed\n"
             "  3  usage or environment\n",
};

static void help_print_all(void) {
    printf(
        "Usage: warpcheck COMMAND [OPTION...] [ARGUMENT...]\n\n"
        "The iWARP conformance kit: decodes, drives and judges MPA, DDP and RDMAP over TCP.\n\nCommands:\n");
    for (size_t i = 0; i < cmd_command_count; i++)
        printf("  %-13s %s\n", cmd_commands[i].name, cmd_commands[i].summary);
    printf("\nTopics, for warpcheck help TOPIC:\n");
    for (size_t i = 0; i < iw_topic_count; i++)
        printf("  %-13s %s\n", iw_topics[i].name, iw_topics[i].summary);
    printf("\nEach command has its own --help. --version prints the version.\n\n"
           "Exit codes: 0 conforms, 1 violations, 2 nothing failed but something could not be judged,\n"
           "3 usage or environment, 4 internal error.\n");
}

/* Runs `warpcheck COMMAND --help=FORM`. */
static int help_command(const struct cmd_command *command, const struct iw_usage_form *form) {
    char option[32];

    snprintf(option, sizeof option, "--help=%s", form->name);
    optind = 0; /* glibc: begin with another command line */
    return command->run(2, (char *[]){(char *)(uintptr_t)command->name, option, NULL});
}

/* What concerns the whole program: its manual page, or completion with all commands. */
static int help_program(const struct iw_usage_form *form) {
    struct iw_program_command rows[HELP_COMMAND_MAX];
    struct iw_program program = {.name = "warpcheck",
        .summary = "iWARP conformance kit",
        .detail = "Decodes, drives and judges MPA, DDP and RDMAP over TCP and SCTP.\n\n"
                  "Each command has a page of its own, and --help.\n\n"
                  "warpcheck --version prints the version.\n",
        .exits = exits,
        .commands = rows,
        .command_count = cmd_command_count};
    char see[512] = "warpcheck-agent(1)";

    for (size_t i = 0; i < cmd_command_count; i++)
        rows[i] = (struct iw_program_command){cmd_commands[i].name, cmd_commands[i].summary};
    for (size_t i = 0, length; i < iw_topic_count; i++) {
        length = strlen(see);
        if (iw_topics[i].page != NULL)
            snprintf(see + length, sizeof see - length, " %s(%d)", iw_topics[i].page, iw_topics[i].section);
    }
    program.see = see;
    form->begin(stdout, &program);
    if (form->end == NULL)
        return IW_EXIT_CONFORMS;
    for (size_t i = 0; i < cmd_command_count; i++)
        help_command(&cmd_commands[i], form);
    form->end(stdout, &program);
    return IW_EXIT_CONFORMS;
}

static int help_unknown(const char *word) {
    char topics[256];
    struct iw_suggest suggest;
    size_t length = 0;

    iw_suggest_init(&suggest, word);
    for (size_t i = 0; i < iw_topic_count; i++)
        iw_suggest_consider(&suggest, iw_topics[i].name);
    for (size_t i = 0; i < cmd_command_count; i++)
        iw_suggest_consider(&suggest, cmd_commands[i].name);
    if (suggest.name != NULL)
        return iw_option_error(&usage, "unknown topic %s (did you mean %s?)", word, suggest.name);
    for (size_t i = 0; i < iw_topic_count && length < sizeof topics; i++)
        length += (size_t)snprintf(
            topics + length, sizeof topics - length, "%s%s", i > 0 ? ", " : "", iw_topics[i].name);
    return iw_option_error(&usage, "unknown topic %s (topics: %s; or a command)", word, topics);
}

/* The name of a manual page names its command, too. */
static const char *help_command_name(const char *word) {
    static const char prefix[] = "warpcheck-";

    return strncmp(word, prefix, sizeof prefix - 1) == 0 ? word + sizeof prefix - 1 : word;
}

static int help_operand(const char *word, const struct iw_usage_form *form) {
    const char *name = help_command_name(word);
    const struct cmd_command *command = cmd_find(name);
    const struct iw_topic *topic = iw_topic_find(word);

    if (command == NULL && topic == NULL)
        return help_unknown(word);
    if (form->end != NULL)
        return iw_option_error(&usage, "--format %s is for all commands: it takes no %s", form->name, word);
    if (command != NULL)
        return help_command(command, form);
    if (form->begin == NULL)
        iw_topic_print(stdout, topic);
    else if (topic->page == NULL)
        return iw_option_error(&usage, "%s has no manual page", word);
    else
        iw_topic_man(stdout, topic);
    return IW_EXIT_CONFORMS;
}

/* Joins the names of commands and topics. */
static void help_join_choices(char *choices, size_t octets) {
    size_t length = 0;

    for (size_t i = 0; i < cmd_command_count + iw_topic_count; i++)
        length += (size_t)snprintf(choices + length, octets - length, "%s%s", i > 0 ? "|" : "",
            i < cmd_command_count ? cmd_commands[i].name : iw_topics[i - cmd_command_count].name);
}

int cmd_help(int argc, char **argv) {
    const struct iw_usage_form *form = &iw_usage_text;
    char choices[512];
    int code;

    help_join_choices(choices, sizeof choices);
    usage.choices = choices;
    code = iw_option_all(&usage, argc, argv, &form);
    if (code != IW_OPTION_DONE)
        return code;
    if (optind < argc)
        return help_operand(argv[optind], form);
    if (form->begin != NULL)
        return help_program(form);
    help_print_all();
    return IW_EXIT_CONFORMS;
}
