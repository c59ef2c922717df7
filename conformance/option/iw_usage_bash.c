#include "iw_usage.h"

/* Completion in bash: one function, in which each command has a branch. The branch sets what is offered:
 * `words`, `lists` (topics of `warpcheck list`), `files` and `folders`. */

static void bash_assign(FILE *out, const struct iw_usage_value *value) {
    fprintf(out, "words='%s' lists='%s' files=%s folders=%s", value->words,
        value->lists != NULL ? value->lists : "", value->files ? "yes" : "", value->folders ? "yes" : "");
}

static void bash_option(FILE *out, const struct iw_option *option) {
    struct iw_usage_value value = iw_usage_value(option);

    fprintf(out, "        --%s", option->name);
    if (option->letter)
        fprintf(out, " | -%c", option->letter);
    fputs(") value=yes ", out);
    bash_assign(out, &value);
    fputs(" ;;\n", out);
}

static void bash_branch(FILE *out, const struct iw_usage *usage) {
    struct iw_usage_value operand = iw_usage_operand(usage);

    fprintf(out, "    %s)\n        options='", usage->command);
    for (size_t i = 0; i < usage->option_count; i++)
        if (usage->options[i].help != NULL)
            fprintf(out, "--%s ", usage->options[i].name);
    fprintf(out, "--%s'\n        ", iw_usage_help.name);
    bash_assign(out, &operand);
    fputs("\n        case $prev in\n", out);
    for (size_t i = 0; i < usage->option_count; i++)
        if (usage->options[i].help != NULL && usage->options[i].argument != NULL)
            bash_option(out, &usage->options[i]);
    fputs("        esac\n        ;;\n", out);
}

static void bash_begin(FILE *out, const struct iw_program *program) {
    fprintf(out, "# Completion of %s in bash, made from the program's own options.\n_", program->name);
    iw_usage_identifier(out, program->name);
    fputs("() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} "
          "command=${COMP_WORDS[1]}\n"
          "    local program=${COMP_WORDS[0]/#\\~/$HOME} options='' value='' words='' lists='' files='' "
          "folders=''\n"
          "    local topic line\n"
          "    COMPREPLY=()\n"
          "    # \"=\" is a word of its own\n"
          "    if [[ $cur == = ]]; then\n"
          "        cur=\n"
          "    elif [[ $prev == = && $COMP_CWORD -ge 2 ]]; then\n"
          "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    fi\n",
        out);
    if (program->command_count == 0)
        fprintf(out, "    command=%s\n", program->name);
    fputs("    case $command in\n", out);
}

static void bash_end(FILE *out, const struct iw_program *program) {
    fputs("    esac\n", out);
    if (program->command_count > 0) {
        fputs("    if [[ $COMP_CWORD -eq 1 ]]; then\n        words='", out);
        for (size_t i = 0; i < program->command_count; i++)
            fprintf(out, "%s ", program->commands[i].name);
        fputs("--help --version' lists='' files='' folders='' value=yes\n    fi\n", out);
    }
    fputs("    if [[ -z $value && $cur == -* ]]; then\n"
          "        words=$options lists='' files='' folders=''\n"
          "    fi\n"
          "    for topic in $lists; do\n"
          "        while read -r line _; do\n"
          "            words+=\" $line\"\n"
          "        done < <(\"$program\" list \"$topic\" 2>/dev/null)\n"
          "    done\n"
          "    [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
          "    if [[ -n $files || -n $folders ]]; then\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen ${files:+-f} ${folders:+-d} -- "
          "\"$cur\" "
          "| sort -u)\n"
          "    fi\n"
          "}\ncomplete -F _",
        out);
    iw_usage_identifier(out, program->name);
    fprintf(out, " %s\n", program->name);
}

static void bash_usage(FILE *out, const struct iw_usage *usage) {
    const struct iw_program program = {.name = usage->command};

    if (usage->alone)
        bash_begin(out, &program);
    bash_branch(out, usage);
    if (usage->alone)
        bash_end(out, &program);
}

const struct iw_usage_form iw_usage_bash = {"bash", bash_usage, bash_begin, bash_end};
