#include "iw_extensions.h"

#include <string.h>

static const struct {
    const char *name;
    unsigned extensions;
} extensions_rows[] = {
    {"none", IW_EXT_BASE},
    {"7306", IW_EXT_RFC7306},
    {"talpey", IW_EXT_COMMIT},
    {"talpey5", IW_EXT_COMMIT | IW_EXT_OPCODE5},
    {"storm", IW_EXT_STORM},
    {"all", IW_EXT_ALL},
    {"default", IW_EXT_DEFAULT},
};

static bool extensions_find(const char *name, size_t length, unsigned *extensions) {
    for (size_t i = 0; i < sizeof extensions_rows / sizeof *extensions_rows; i++)
        if (strlen(extensions_rows[i].name) == length &&
            strncmp(extensions_rows[i].name, name, length) == 0) {
            *extensions |= extensions_rows[i].extensions;
            return true;
        }
    return false;
}

bool iw_extensions_parse(const char *text, unsigned *extensions) {
    unsigned found = 0;

    for (;;) {
        size_t length = strcspn(text, ",");

        if (!extensions_find(text, length, &found))
            return false;
        if (text[length] == '\0')
            break;
        text += length + 1;
    }
    *extensions = found;
    return true;
}

const char *iw_extensions_name(enum iw_extension extension) {
    for (size_t i = 0; i < sizeof extensions_rows / sizeof *extensions_rows; i++)
        if (extensions_rows[i].extensions == extension)
            return extensions_rows[i].name;
    return NULL;
}
