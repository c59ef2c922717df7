#include "iw_argument.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Whether a script can read the argument as args.NAME. Does not exclude Lua keywords. */
static bool argument_is_name(const char *text, size_t length) {
    if (length == 0 || length >= IW_ARGUMENT_NAME_OCTETS || isdigit((unsigned char)text[0]))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    return true;
}

bool iw_arguments_add(struct iw_arguments *arguments, const char *text) {
    const char *equals = strchr(text, '=');
    char *name;

    if (!equals || !argument_is_name(text, (size_t)(equals - text))) {
        snprintf(arguments->error, sizeof arguments->error, "--arg takes NAME=VALUE, not %.80s", text);
        return false;
    }
    if (arguments->count == IW_ARGUMENTS_MAX) {
        snprintf(arguments->error, sizeof arguments->error, "--arg is given too often");
        return false;
    }
    name = arguments->names[arguments->count];
    snprintf(name, IW_ARGUMENT_NAME_OCTETS, "%.*s", (int)(equals - text), text);
    arguments->list[arguments->count++] = (struct iw_script_argument){.name = name, .value = equals + 1};
    return true;
}
