#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "iw_helper.h"

/* A file that replaces an earlier one only when it is complete: the octets go to PATH.part, which is renamed
 * to PATH at the end. If PATH is a device, a pipe or a symbolic link, they go directly to PATH. */
struct iw_whole_file {
    FILE *out;
    const char *path;        /* the caller's */
    char *part;              /* NULL: the octets go directly to `path` */
    struct iw_helper helper; /* of iw_whole_file_detach */
};

/* Opens the file. Returns 0, or an errno. */
int iw_whole_file_open(struct iw_whole_file *file, const char *path);

/* Starts a process that will rename or remove the file for this one, which can then give up the right to do
 * so (iw_confine). It also removes the file if this process ends without iw_whole_file_close. Call it before
 * any other thread exists. Returns 0, or an errno; the file is then unchanged. */
int iw_whole_file_detach(struct iw_whole_file *file);

/* Closes the file. If it is `complete` and everything was written, it replaces the earlier file; otherwise
 * the earlier file remains. Returns 0, or an errno. */
int iw_whole_file_close(struct iw_whole_file *file, bool complete);

/* Removes what a killed process has left of the file at `path`. */
void iw_whole_file_discard(const char *path);

/* Flushes `out`. Returns 0, or the errno of the failure if some octets could not be written. */
int iw_whole_file_flush(FILE *out);
