#include "iw_complaints.h"

#include <stdlib.h>
#include <string.h>

#include "iw_show.h"

void iw_complaints_open(struct iw_complaints *complaints) {
    *complaints = (struct iw_complaints){0};
    complaints->out = open_memstream(&complaints->text, &complaints->octets);
}

bool iw_complaints_tell(struct iw_complaints *complaints) {
    char *rest;

    if (complaints->out != NULL)
        fclose(complaints->out);
    if (complaints->text == NULL) {
        fputs("warpcheck: out of memory\n", stderr);
        return false;
    }
    for (char *line = strtok_r(complaints->text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        fputs("warpcheck: ", stderr);
        iw_show_text(stderr, line);
        fputc('\n', stderr);
    }
    free(complaints->text);
    return true;
}
