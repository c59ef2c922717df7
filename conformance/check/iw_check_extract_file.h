#ifndef IW_CHECK_EXTRACT_FILE_H
#define IW_CHECK_EXTRACT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "iw_packet.h"
#include "iw_pcapng.h"

/* A file of --extract. The directory may be writable for others, and the file is closed between packets: if
 * another file takes its path, that file is not written to. The name ends in ".part" until the file is
 * complete, so a killed run leaves no file that looks complete. */

enum { IW_CHECK_EXTRACT_LINKS = 32 };

struct iw_check_extract_file {
    char *path;
    char *part;                                 /* temporary name until the file is finished */
    dev_t device;                               /* device of the file, to identify it */
    ino_t inode;                                /* inode of the file, to identify it if the path changes */
    enum iw_link links[IW_CHECK_EXTRACT_LINKS]; /* link types of the interfaces that the file describes */
    unsigned link_count;
};

/* Creates DIRECTORY/NAME-streamN.pcapng.part, where NAME is that of the capture, and the directory if
 * necessary. A number is appended to N if one of the `count` files in `made`, the earlier files of the run,
 * has that name. On failure returns false with `reason` set; file->path is then the path that `reason` is
 * about: the directory if no file can be created in it; NULL if memory ran out for it. Dispose of `file` in
 * any case. */
bool iw_check_extract_file_new(struct iw_check_extract_file *file, const char *directory,
    const struct iw_check_extract_file *made, size_t count, const char *capture, uint64_t number,
    const char **reason);
void iw_check_extract_file_dispose(struct iw_check_extract_file *file);

/* Adds the packet. Writes the file header before the first packet, and an interface description before the
 * first packet with a new link type. Ignores `packet->interface`. On failure returns false with `reason` set;
 * the packets written before remain. */
bool iw_check_extract_file_append(struct iw_check_extract_file *file, enum iw_link link,
    const struct iw_pcapng_packet *packet, const char **reason);

/* Gives the file its final name. On failure returns false with `reason` set; an empty file is a failure, and
 * is removed. */
bool iw_check_extract_file_finish(const struct iw_check_extract_file *file, const char **reason);

#endif
