#include "iw_diagnostics.h"

#include <stdlib.h>
#include <string.h>

#include "iw_show.h"

void iw_diagnostics_open(struct iw_diagnostics *diagnostics) {
    iw_text_open(&diagnostics->text);
    diagnostics->out = diagnostics->text.out;
}

bool iw_diagnostics_tell(struct iw_diagnostics *diagnostics) {
    char *text = iw_text_close(&diagnostics->text), *rest;

    if (text == NULL) {
        fputs("warpcheck: out of memory\n", stderr);
        return false;
    }
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        fputs("warpcheck: ", stderr);
        iw_show_text(stderr, line);
        fputc('\n', stderr);
    }
    free(text);
    return true;
}
