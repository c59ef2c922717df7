#include <ctype.h>
#include <string.h>

#include "iw_roff.h"
#include "iw_usage.h"

/* Manual pages in section 1. */

static void man_text(struct iw_roff *roff, const char *text) {
    iw_roff_text(roff, text, strlen(text));
}

static void man_styled(struct iw_roff *roff, char font, const char *text) {
    iw_roff_font(roff, font);
    man_text(roff, text);
    iw_roff_font(roff, 'R');
}

static void man_section(struct iw_roff *roff, const char *title) {
    iw_roff_section(roff, ".SH", title, strlen(title));
}

/* "check - judges recorded captures": a summary without its capital and its period. A word such as "RFC"
 * keeps its capitals. */
static void man_name(struct iw_roff *roff, const char *prefix, const char *name, const char *summary) {
    size_t length = strlen(summary);
    char first = islower((unsigned char)summary[1]) ? (char)tolower((unsigned char)summary[0]) : summary[0];

    man_section(roff, "NAME");
    man_text(roff, prefix);
    man_text(roff, name);
    man_text(roff, " - ");
    iw_roff_text(roff, &first, 1);
    iw_roff_text(roff, summary + 1, length - 1 - (summary[length - 1] == '.'));
}

/* Paragraphs, and lines that begin with blanks and stay as they are. */
static void man_detail(struct iw_roff *roff, const char *text) {
    while (*text != '\0') {
        const char *end = text;

        if (*text == '\n') {
            text++;
            continue;
        }
        do {
            end += strcspn(end, "\n");
            end += *end == '\n';
        } while (*end != '\0' && *end != '\n' && (*end == ' ') == (*text == ' '));
        if (*text != ' ')
            iw_roff_paragraph(roff);
        if (*text == ' ')
            iw_roff_verbatim(roff, text, (size_t)(end - text));
        else
            iw_roff_text(roff, text, (size_t)(end - text));
        text = end;
    }
}

static void man_option(struct iw_roff *roff, const struct iw_option *option) {
    iw_roff_request(roff, ".TP");
    if (option->letter) {
        man_styled(roff, 'B', (char[]){'-', option->letter, '\0'});
        man_text(roff, ", ");
    }
    iw_roff_font(roff, 'B');
    man_text(roff, "--");
    man_text(roff, option->name);
    iw_roff_font(roff, 'R');
    if (option->argument != NULL) {
        man_text(roff, " ");
        man_styled(roff, 'I', option->argument);
    }
    iw_roff_end_line(roff);
    man_text(roff, option->help);
}

/* Lines "  0  conforms"; a line without a number continues the one before. */
static void man_exits(struct iw_roff *roff, const char *text) {
    man_section(roff, "EXIT STATUS");
    for (size_t length; *text != '\0'; text += length + (text[length] == '\n')) {
        size_t blanks = strspn(text, " ");

        length = strcspn(text, "\n");
        if (isdigit((unsigned char)text[blanks])) {
            iw_roff_request(roff, ".TP");
            man_styled(roff, 'B', (char[]){text[blanks], '\0'});
            iw_roff_end_line(roff);
            blanks++;
        }
        iw_roff_text(roff, text + blanks, length - blanks);
        iw_roff_text(roff, " ", 1);
    }
}

/* Pages "NAME(SECTION)", with blanks between them. */
static void man_see(struct iw_roff *roff, const char *pages, const char **comma) {
    for (size_t length; pages != NULL && *pages != '\0'; pages += length + (pages[length] == ' ')) {
        size_t name = strcspn(pages, "(");

        length = strcspn(pages, " ");
        man_text(roff, *comma);
        iw_roff_font(roff, 'B');
        iw_roff_text(roff, pages, name);
        iw_roff_font(roff, 'R');
        iw_roff_text(roff, pages + name, length - name);
        *comma = ", ";
    }
}

static void man_usage(FILE *out, const struct iw_usage *usage) {
    const char *prefix = usage->alone ? "" : "warpcheck-", *comma = "";
    struct iw_roff roff;
    char title[64];

    snprintf(title, sizeof title, "%s%s", prefix, usage->command);
    iw_roff_begin(&roff, out, title, 1);
    man_name(&roff, prefix, usage->command, usage->summary);
    man_section(&roff, "SYNOPSIS");
    iw_roff_font(&roff, 'B');
    man_text(&roff, usage->alone ? "" : "warpcheck ");
    man_text(&roff, usage->command);
    iw_roff_font(&roff, 'R');
    man_text(&roff, " ");
    man_text(&roff, usage->arguments);
    man_section(&roff, "DESCRIPTION");
    man_text(&roff, usage->summary);
    iw_roff_end_line(&roff);
    man_detail(&roff, usage->detail);
    man_section(&roff, "OPTIONS");
    for (size_t i = 0; i < usage->option_count; i++)
        if (usage->options[i].help != NULL)
            man_option(&roff, &usage->options[i]);
    man_option(&roff, &iw_usage_help);
    man_section(&roff, "EXAMPLES");
    iw_roff_verbatim(&roff, usage->examples, strlen(usage->examples));
    man_exits(&roff, usage->exits);
    man_section(&roff, "SEE ALSO");
    man_see(&roff, "warpcheck(1)", &comma);
    man_see(&roff, usage->see, &comma);
    iw_roff_end_line(&roff);
}

/* The page of the program itself. The pages of the commands are files of their own. */
static void man_program(FILE *out, const struct iw_program *program) {
    struct iw_roff roff;
    const char *comma = "";
    char page[64];

    iw_roff_begin(&roff, out, program->name, 1);
    man_name(&roff, "", program->name, program->summary);
    man_section(&roff, "SYNOPSIS");
    man_styled(&roff, 'B', program->name);
    man_text(&roff, " COMMAND [OPTION...] [ARGUMENT...]");
    man_section(&roff, "DESCRIPTION");
    man_detail(&roff, program->detail);
    man_section(&roff, "COMMANDS");
    for (size_t i = 0; i < program->command_count; i++) {
        iw_roff_request(&roff, ".TP");
        man_styled(&roff, 'B', program->commands[i].name);
        iw_roff_end_line(&roff);
        man_text(&roff, program->commands[i].summary);
    }
    man_exits(&roff, program->exits);
    man_section(&roff, "SEE ALSO");
    for (size_t i = 0; i < program->command_count; i++) {
        snprintf(page, sizeof page, "%s-%s(1)", program->name, program->commands[i].name);
        man_see(&roff, page, &comma);
    }
    man_see(&roff, program->see, &comma);
    iw_roff_end_line(&roff);
}

const struct iw_usage_form iw_usage_man = {"man", man_usage, man_program, NULL};
