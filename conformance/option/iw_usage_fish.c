#include "iw_usage.h"

/* Completion in fish: a line for each command, option and kind of operand. */

static void fish_brief(FILE *out, const char *help) {
    char brief[IW_USAGE_BRIEF_OCTETS];

    iw_usage_brief(help, brief);
    fputs(" -d '", out);
    for (const char *at = brief; *at != '\0'; at++)
        fprintf(out, *at == '\'' || *at == '\\' ? "\\%c" : "%c", *at);
    putc('\'', out);
}

/* -n: only after this command. */
static void fish_complete(FILE *out, const struct iw_usage *usage) {
    if (usage->alone)
        fprintf(out, "complete -c %s", usage->command);
    else
        fprintf(out, "complete -c warpcheck -n '__warpcheck_command %s'", usage->command);
}

static void fish_values(FILE *out, const struct iw_usage_value *value) {
    if (value->words[0] == '\0' && value->lists == NULL && (value->files || !value->folders))
        return;
    fprintf(out, " -a '%s", value->words);
    if (value->lists != NULL)
        fprintf(out, " (__warpcheck_ids %s)", value->lists);
    if (value->folders && !value->files)
        fputs(" (__fish_complete_directories)", out);
    putc('\'', out);
}

static void fish_option(FILE *out, const struct iw_usage *usage, const struct iw_option *option) {
    struct iw_usage_value value = iw_usage_value(option);

    fish_complete(out, usage);
    fprintf(out, " -l %s", option->name);
    if (option->letter)
        fprintf(out, " -s %c", option->letter);
    if (option->argument != NULL) {
        fputs(value.files ? " -r -F" : " -x", out);
        fish_values(out, &value);
    }
    fish_brief(out, option->help);
    putc('\n', out);
}

static void fish_branch(FILE *out, const struct iw_usage *usage) {
    struct iw_usage_value operand = iw_usage_operand(usage);

    for (size_t i = 0; i < usage->option_count; i++)
        if (usage->options[i].help != NULL)
            fish_option(out, usage, &usage->options[i]);
    fish_option(out, usage, &iw_usage_help);
    if (usage->operand == NULL)
        return;
    fish_complete(out, usage);
    fputs(operand.files || operand.folders ? " -F" : " -f", out);
    fish_values(out, &operand);
    putc('\n', out);
}

static void fish_begin(FILE *out, const struct iw_program *program) {
    fprintf(out, "# Completion of %s in fish, made from the program's own options.\ncomplete -c %s -f\n",
        program->name, program->name);
    if (program->command_count == 0)
        return;
    fputs("function __warpcheck_command\n"
          "    set -l words (commandline -opc)\n"
          "    test (count $words) -gt 1; and test $words[2] = $argv[1]\n"
          "end\n"
          "function __warpcheck_ids\n"
          "    set -l words (commandline -opc)\n"
          "    for topic in $argv\n"
          "        $words[1] list $topic 2>/dev/null | string replace -r ' .*' ''\n"
          "    end\n"
          "end\n",
        out);
    for (size_t i = 0; i < program->command_count; i++) {
        fprintf(out, "complete -c %s -n 'test (count (commandline -opc)) -eq 1' -a %s", program->name,
            program->commands[i].name);
        fish_brief(out, program->commands[i].summary);
        putc('\n', out);
    }
}

static void fish_end(FILE *out, const struct iw_program *program) {
    (void)out;
    (void)program;
}

static void fish_usage(FILE *out, const struct iw_usage *usage) {
    const struct iw_program program = {.name = usage->command};

    if (usage->alone)
        fish_begin(out, &program);
    fish_branch(out, usage);
}

const struct iw_usage_form iw_usage_fish = {"fish", fish_usage, fish_begin, fish_end};
