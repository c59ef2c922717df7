#ifndef IW_CHECK_GROUP_H
#define IW_CHECK_GROUP_H

#include <stdbool.h>
#include <stddef.h>

/* Which files are parts of one capture, and in which order: a capture that is rotated has a file for each
 * part (tcpdump -C and -W, the ring buffer of dumpcap). */

enum iw_check_grouping {
    IW_CHECK_GROUP_AUTO, /* those whose names say so */
    IW_CHECK_GROUP_ALL,
    IW_CHECK_GROUP_NONE,
};

/* A file of each capture, and the others behind it. */
struct iw_check_groups {
    const char **paths; /* of all files, those of a group one behind the other, in order of time */
    size_t *group_end;  /* by group: index of the path behind its last */
    size_t group_count;
    const char *pipe; /* NULL, or a path that is in company and can be read but once, so that it has not been
                         looked at, and cannot be put in order of time */
    bool no_memory;   /* to read the time of a file */
};

/* Whether the octets at the path, "-" being standard input, are gone once they have been read: it is a pipe,
 * a terminal or the like. */
bool iw_check_reads_once(const char *path);

/* Octets of the path without an ending that names a compression: .gz, .bz2, .xz, .zst or .lz4. */
size_t iw_check_uncompressed_name(const char *path);

/* Groups `count` paths; groups stand in the order of their first mention. The time of a file is that of its
 * first packet; files without one, or that cannot be read, stand behind the others. Names that say so are
 * "x.pcap", "x.pcap1", "x.pcap2" (tcpdump; also .pcapng, .cap, .dump, each compressed or not), and
 * "x_00001_20260131120000.pcapng" or "x_20260131120000_00001.pcapng" (dumpcap). The paths are not copied.
 * False: no memory. */
bool iw_check_groups_make(
    struct iw_check_groups *groups, char *const *paths, size_t count, enum iw_check_grouping grouping);
void iw_check_groups_clear(struct iw_check_groups *groups);

#endif
