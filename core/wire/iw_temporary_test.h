#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Tests write to $TMPDIR, or /tmp. */

enum {
    TEMPORARY_PATH = 256,
    TEMPORARY_FILE = TEMPORARY_PATH + 64, /* of a file in such a folder */
};

/* What mkstemp and mkdtemp want: a path that begins with `name` and ends in six Xs. */
static inline char *temporary_path(char path[TEMPORARY_PATH], const char *name) {
    const char *folder = getenv("TMPDIR");
    int length = snprintf(
        path, TEMPORARY_PATH, "%s/%s.XXXXXX", folder == NULL || *folder == '\0' ? "/tmp" : folder, name);

    assert(length < TEMPORARY_PATH);
    return path;
}

/* Removes such a folder with everything in it. */
static inline bool temporary_remove(const char *folder) {
    char command[TEMPORARY_FILE];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) == 0;
}
