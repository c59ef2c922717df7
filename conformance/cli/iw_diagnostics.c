#include "iw_diagnostics.h"

#include <stdlib.h>
#include <string.h>

#include "iw_show.h"

void iw_diagnostics_open(struct iw_diagnostics *complaints) {
    iw_text_open(&complaints->text);
    complaints->out = complaints->text.out;
}

bool iw_diagnostics_tell(struct iw_diagnostics *complaints) {
    char *text = iw_text_close(&complaints->text), *rest;

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
