#include "iw_usage.h"

#include <ctype.h>
#include <string.h>

const struct iw_option iw_usage_help = {"help", NULL, 'h', "print this text", .take = NULL};

const struct iw_usage_form *iw_usage_form_find(const char *name) {
    static const struct iw_usage_form *const forms[] = {
        &iw_usage_text, &iw_usage_man, &iw_usage_bash, &iw_usage_zsh, &iw_usage_fish};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(name, forms[i]->name) == 0)
            return forms[i];
    return NULL;
}

/* Takes one alternative of an option's argument: a word as it is given, or the name of what is given. */
static void usage_take_alternative(struct iw_usage_value *value, const char *text, size_t length) {
    size_t octets = strlen(value->words);

    if (islower((unsigned char)text[0]) || isdigit((unsigned char)text[0])) {
        snprintf(value->words + octets, sizeof value->words - octets, "%s%.*s", octets > 0 ? " " : "",
            (int)length, text);
        return;
    }
    value->files |= strncmp(text, "FILE", length) == 0 || strncmp(text, "SCRIPT", length) == 0 ||
                    strncmp(text, "KEY", length) == 0;
    value->folders |= strncmp(text, "DIR", length) == 0;
}

static void usage_take_alternatives(struct iw_usage_value *value, const char *text) {
    for (size_t length; *text != '\0'; text += length + (text[length] == '|')) {
        length = strcspn(text, "|");
        if (length > 0)
            usage_take_alternative(value, text, length);
    }
}

struct iw_usage_value iw_usage_value(const struct iw_option *option) {
    struct iw_usage_value value = {.lists = option->lists};

    if (option->argument != NULL)
        usage_take_alternatives(&value, option->argument);
    return value;
}

struct iw_usage_value iw_usage_operand(const struct iw_usage *usage) {
    struct iw_usage_value value = {.lists = NULL};

    if (usage->operand == NULL)
        return value;
    if (usage->choices != NULL)
        usage_take_alternatives(&value, usage->choices);
    value.files = strstr(usage->arguments, "FILE") != NULL || strstr(usage->arguments, "SCRIPT") != NULL;
    value.folders = strstr(usage->arguments, "DIR") != NULL;
    return value;
}

void iw_usage_brief(const char *help, char brief[IW_USAGE_BRIEF_OCTETS]) {
    size_t length = strcspn(help, ";[");

    for (size_t i = 0; i < length; i++)
        if ((help[i] == ':' || help[i] == '.') &&
            (isspace((unsigned char)help[i + 1]) || help[i + 1] == '\0'))
            length = i;
    while (length > 0 && isspace((unsigned char)help[length - 1]))
        length--;
    snprintf(brief, IW_USAGE_BRIEF_OCTETS, "%.*s", (int)length, help);
    for (char *at = brief; *at != '\0'; at++)
        if (*at == '\n')
            *at = ' ';
}

void iw_usage_identifier(FILE *out, const char *name) {
    for (; *name != '\0'; name++)
        putc(isalnum((unsigned char)*name) ? *name : '_', out);
}
