#ifndef IW_CHECK_EXTRACT_FILE_H
#define IW_CHECK_EXTRACT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "iw_packet.h"
#include "iw_pcapng.h"

/* A file of --extract: made anew in a directory that others may write to, and closed between two packets.
 * What stands in its place later and is another file is not written to. Until it is finished its name ends in
 * ".part": a run that is killed leaves nothing that looks whole. */

enum { IW_CHECK_EXTRACT_LINKS = 32 };

struct iw_check_extract_file {
    char *path;
    char *part;                                 /* temporary name until the file is finished */
    dev_t device;                               /* device of the file, to identify it */
    ino_t inode;                                /* inode of the file, to identify it if the path changes */
    enum iw_link links[IW_CHECK_EXTRACT_LINKS]; /* link types of the interfaces that the file describes */
    unsigned link_count;                        /* so many */
};

/* Begins DIRECTORY/NAME-streamN.pcapng, NAME being that of the capture, and the directory, if it is not
 * there. Two captures of one name are told apart by a number: `made` are the `count` files that the run has
 * made. False: `reason` says why; the path, if there is memory for one, is that of what was in the way: the
 * directory, if no other file could be made in it either. To be disposed of in any case. */
bool iw_check_extract_file_new(struct iw_check_extract_file *file, const char *directory,
    const struct iw_check_extract_file *made, size_t count, const char *capture, uint64_t number,
    const char **reason);
void iw_check_extract_file_dispose(struct iw_check_extract_file *file);

/* Adds the packet. Writes the file header before the first packet, and an interface description before the
 * first packet of another link type. Ignores `packet->interface`. On failure returns false with `reason` set;
 * the octets written before remain. */
bool iw_check_extract_file_append(struct iw_check_extract_file *file, enum iw_link link,
    const struct iw_pcapng_packet *packet, const char **reason);

/* No more packets come: gives the file its name. False: `reason` says why; a file without any packet is
 * removed. */
bool iw_check_extract_file_finish(const struct iw_check_extract_file *file, const char **reason);

#endif
