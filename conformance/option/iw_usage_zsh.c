#include <string.h>

#include "iw_usage.h"

/* Completion in zsh: one function, in which each command has a branch that calls _arguments. */

/* Text in single quotes, and in a specification of _arguments. */
static void zsh_text(FILE *out, const char *text) {
    for (; *text != '\0'; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fprintf(out, strchr("[]:\\", *text) != NULL ? "\\%c" : "%c", *text);
}

static void zsh_brief(FILE *out, const char *help) {
    char brief[IW_USAGE_BRIEF_OCTETS];

    iw_usage_brief(help, brief);
    zsh_text(out, brief);
}

/* What completes a value: the action of a specification. The blank before a function keeps _arguments from
 * adding arguments of its own. */
static void zsh_action(FILE *out, const struct iw_usage_value *value) {
    bool files = value->files || value->folders;
    int kinds = (value->words[0] != '\0') + (value->lists != NULL) + files;

    if (kinds == 0)
        fputs(" ", out); /* a message, and nothing to choose from */
    else if (kinds == 1 && value->words[0] != '\0')
        fprintf(out, "(%s)", value->words);
    else
        fprintf(out, " _warpcheck_values \"%s\" \"%s\" \"%s\"", value->words,
            value->lists != NULL ? value->lists : "",
            value->files     ? "files"
            : value->folders ? "folders"
                             : "");
}

static void zsh_option(FILE *out, const struct iw_option *option) {
    struct iw_usage_value value = iw_usage_value(option);

    fputs(" \\\n        '*'", out);
    if (option->letter)
        fprintf(out, "{-%c%s,--%s%s}'[", option->letter, option->argument ? "+" : "", option->name,
            option->argument ? "=" : "");
    else
        fprintf(out, "'--%s%s[", option->name, option->argument ? "=" : "");
    zsh_brief(out, option->help);
    putc(']', out);
    if (option->argument != NULL) {
        putc(':', out);
        zsh_text(out, option->argument);
        putc(':', out);
        zsh_action(out, &value);
    }
    putc('\'', out);
}

static void zsh_branch(FILE *out, const struct iw_usage *usage) {
    struct iw_usage_value operand = iw_usage_operand(usage);

    fprintf(out, "    %s)\n        _arguments -s -S", usage->command);
    for (size_t i = 0; i < usage->option_count; i++)
        if (usage->options[i].help != NULL)
            zsh_option(out, &usage->options[i]);
    zsh_option(out, &iw_usage_help);
    if (usage->operand != NULL) {
        fprintf(out, " \\\n        '%s:%s:", usage->operands ? "*" : "1", usage->operand);
        zsh_action(out, &operand);
        putc('\'', out);
    }
    fputs("\n        ;;\n", out);
}

static void zsh_begin(FILE *out, const struct iw_program *program) {
    fprintf(out, "#compdef %s\n# Completion of %s in zsh, made from the program's own options.\n",
        program->name, program->name);
    /* words, topics of `warpcheck list`, "files" or "folders" */
    fputs("_warpcheck_values() {\n"
          "    local -a values expl\n"
          "    local topic\n"
          "    values=(${=1})\n"
          "    for topic in ${=2}; do\n"
          "        values+=(${${(f)\"$(_call_program ids $program list $topic 2>/dev/null)\"}%% *})\n"
          "    done\n"
          "    [[ $3 != files ]] || _files\n"
          "    [[ $3 != folders ]] || _files -/\n"
          "    (( ! $#values )) || _wanted values expl value compadd -a values\n"
          "}\n_",
        out);
    iw_usage_identifier(out, program->name);
    fputs("() {\n"
          "    local program=$words[1] command\n"
          "    typeset -A opt_args\n",
        out);
    if (program->command_count == 0) {
        fprintf(out, "    command=%s\n", program->name);
    } else {
        fputs("    local -a commands\n    commands=(", out);
        for (size_t i = 0; i < program->command_count; i++) {
            fprintf(out, "\n        '%s:", program->commands[i].name);
            zsh_brief(out, program->commands[i].summary);
            putc('\'', out);
        }
        fputs("\n    )\n"
              "    if (( CURRENT == 2 )); then\n"
              "        _describe -t commands command commands\n"
              "        _arguments '--help[print the commands]' '--version[print the version]'\n"
              "        return\n"
              "    fi\n"
              "    command=$words[2]\n"
              "    shift words\n"
              "    (( CURRENT-- ))\n",
            out);
    }
    fputs("    case $command in\n", out);
}

static void zsh_end(FILE *out, const struct iw_program *program) {
    fputs("    esac\n}\n_", out);
    iw_usage_identifier(out, program->name);
    fputs(" \"$@\"\n", out);
}

static void zsh_usage(FILE *out, const struct iw_usage *usage) {
    const struct iw_program program = {.name = usage->command};

    if (usage->alone)
        zsh_begin(out, &program);
    zsh_branch(out, usage);
    if (usage->alone)
        zsh_end(out, &program);
}

const struct iw_usage_form iw_usage_zsh = {"zsh", zsh_usage, zsh_begin, zsh_end};
