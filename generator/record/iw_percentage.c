#include "iw_percentage.h"

#include <stdlib.h>
#include <string.h>

enum { CERTAIN = 1000000 };

static bool percentage_is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool iw_percentage_read(const char *text, uint32_t *millionths) {
    uint32_t fraction = 0, unit = 1000;
    unsigned long whole;
    char *rest;

    if (!percentage_is_digit(text[0]))
        return false;
    whole = strtoul(text, &rest, 10);
    if (whole > 100)
        return false;
    if (*rest == '.' && !percentage_is_digit(*++rest))
        return false;
    for (; percentage_is_digit(*rest); rest++, unit /= 10)
        fraction += unit * (uint32_t)(*rest - '0');
    *millionths = (uint32_t)whole * 10000 + fraction;
    return strcmp(rest, "%") == 0 && *millionths <= CERTAIN;
}
