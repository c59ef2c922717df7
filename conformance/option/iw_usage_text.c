#include <string.h>

#include "iw_usage.h"

/* The help text: warpcheck COMMAND --help. */

enum { USAGE_HELP_COLUMN = 28 };

static void usage_text_option(FILE *out, const struct iw_option *option) {
    char text[64];
    char letter[8] = "    ";

    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(text, sizeof text, "  %s--%s%s%s", letter, option->name, option->argument ? " " : "",
        option->argument ? option->argument : "");
    fprintf(out, "%-*s", USAGE_HELP_COLUMN, text);
    if (strlen(text) >= USAGE_HELP_COLUMN)
        fprintf(out, "\n%*s", USAGE_HELP_COLUMN, "");
    for (const char *at = option->help; *at; at++) {
        putc(*at, out);
        if (*at == '\n')
            fprintf(out, "%*s", USAGE_HELP_COLUMN, "");
    }
    putc('\n', out);
}

static void usage_text(FILE *out, const struct iw_usage *usage) {
    fprintf(out, "Usage: %s%s %s\n\n%s\n\n%s\nOptions:\n", usage->alone ? "" : "warpcheck ", usage->command,
        usage->arguments, usage->summary, usage->detail);
    for (size_t i = 0; i < usage->option_count; i++)
        if (usage->options[i].help != NULL)
            usage_text_option(out, &usage->options[i]);
    usage_text_option(out, &iw_usage_help);
    fprintf(out, "\nExamples:\n%s\nExit codes:\n%s", usage->examples, usage->exits);
}

const struct iw_usage_form iw_usage_text = {"text", usage_text, NULL, NULL};
