#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_bundle_check.h"
#include "iw_capture_file.h"

/* Evidence that `run --evidence-limit` has shortened, and that cannot be judged again. */

static bool bundle_limit_is_shortened(const char *path) {
    struct iw_capture_file *file;
    struct iw_packet packet;
    char error[512];
    bool shortened = false;

    if (iw_capture_file_open(path, &file, error, sizeof error) != IW_OK)
        return false;
    while (!shortened && iw_capture_file_next(file, &packet, error, sizeof error) == IW_CAPTURE_PACKET)
        shortened = packet.captured < packet.length;
    iw_capture_file_close(file);
    return shortened;
}

/* Whether the log says that something was left out. */
static bool bundle_limit_is_abridged(const char *path) {
    FILE *in = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    bool abridged = false;

    while (in != NULL && !abridged && getline(&line, &capacity, in) > 0)
        abridged = strncmp(line, "  (", 3) == 0 && strstr(line, " left out here: --evidence-limit)") != NULL;
    free(line);
    if (in != NULL)
        fclose(in);
    return abridged;
}

/* The results alone do not prove that: whoever changes them could excuse any case. */
bool iw_bundle_is_limited(const struct iw_outcome_case *one) {
    return json_is_object(json_object_get(one->object, "left_out")) &&
           (bundle_limit_is_shortened(one->capture) || bundle_limit_is_abridged(one->log));
}
