#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "iw_script.h"

/* The arguments of a script, from --arg NAME=VALUE. */

enum { IW_ARGUMENTS_MAX = 64, IW_ARGUMENT_NAME_OCTETS = 64 };

struct iw_arguments {
    struct iw_script_argument list[IW_ARGUMENTS_MAX];
    char names[IW_ARGUMENTS_MAX][IW_ARGUMENT_NAME_OCTETS];
    size_t count;
    char error[160];
};

/* Adds `text`, "NAME=VALUE", which must stay valid. Returns false with one line in `error` if it is malformed
 * or there are too many. The struct must not move afterwards. */
bool iw_arguments_add(struct iw_arguments *arguments, const char *text);
