#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "iw_packet.h"
#include "iw_pcapng.h"

/* A file of --extract. The directory may be writable for other users, and the file is closed between packets:
 * if another file replaces it, that file is not written to. The name ends in ".part" until the file is
 * complete, so a killed run leaves no file that looks complete. */

enum { IW_CHECK_EXTRACT_LINKS = 32 };

struct iw_check_extract_file {
    char *path;
    char *part;   /* temporary name until the file is finished */
    dev_t device; /* identifies the file, with `inode`, even if another file gets its path */
    ino_t inode;
    enum iw_link links[IW_CHECK_EXTRACT_LINKS]; /* link types of the interface descriptions in the file */
    unsigned link_count;
};

/* Creates the directory if necessary, and in it the file NAME-streamN.pcapng.part. NAME is that of the
 * capture without suffix; N is `number`. Appends "-2", "-3" and so on to N if one of the `count` files in
 * `made`, the earlier files of the run, has that name. On failure returns false and sets *reason; file->path
 * is then the path with the error, or NULL if memory ran out. It is the directory if no file can be created
 * there. Dispose of `file` in any case. */
bool iw_check_extract_file_new(struct iw_check_extract_file *file, const char *directory,
    const struct iw_check_extract_file *made, size_t count, const char *capture, uint64_t number,
    const char **reason);
void iw_check_extract_file_dispose(struct iw_check_extract_file *file);

/* Appends the packet; before the first packet also the file header, and before the first packet of each link
 * type an interface description. Ignores `packet->interface`. On failure returns false and sets *reason. */
bool iw_check_extract_file_append(struct iw_check_extract_file *file, enum iw_link link,
    const struct iw_pcapng_packet *packet, const char **reason);

/* Gives the file its final name. On failure returns false and sets *reason. Removes an empty file and fails.
 */
bool iw_check_extract_file_finish(const struct iw_check_extract_file *file, const char **reason);
