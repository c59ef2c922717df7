#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "iw_show.h"

int cmd_fail(int code, const char *format, ...) {
    va_list arguments;

    fputs("warpcheck: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return code;
}

enum iw_exit cmd_cannot_write(const char *path, int error) {
    return (enum iw_exit)cmd_fail(IW_EXIT_ENVIRONMENT, "%s: %s", path, strerror(error));
}

bool cmd_print_diagnostics(struct iw_text *diagnostics) {
    char *text = iw_text_close(diagnostics), *rest;

    if (text == NULL)
        return cmd_fail(false, "out of memory");
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        fputs("warpcheck: ", stderr);
        iw_show_text(stderr, line);
        fputc('\n', stderr);
    }
    free(text);
    return true;
}

bool cmd_read_waivers(struct iw_waivers *waivers, const char *path) {
    struct iw_text diagnostics;
    bool good = iw_text_open(&diagnostics) && iw_waivers_read(waivers, path, diagnostics.out) == IW_OK;

    return cmd_print_diagnostics(&diagnostics) && good;
}
