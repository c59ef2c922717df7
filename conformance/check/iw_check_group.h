#ifndef IW_CHECK_GROUP_H
#define IW_CHECK_GROUP_H

#include <stdbool.h>
#include <stddef.h>

/* Which files are parts of one capture, and in which order: a capture that is rotated has a file for each
 * part (tcpdump -C and -W, the ring buffer of dumpcap). */

enum iw_check_grouping {
    IW_CHECK_GROUP_AUTO, /* files whose names show that they are parts of one capture */
    IW_CHECK_GROUP_ALL,
    IW_CHECK_GROUP_NONE,
};

/* The files, grouped by capture. */
struct iw_check_groups {
    const char **paths; /* all files; those of a group are adjacent, in order of time */
    size_t *group_end;  /* by group: index after its last path */
    size_t group_count;
    const char *pipe; /* NULL, or a path that can be read only once, in a group of several files: such a group
                         cannot be sorted by the time of first packets */
    bool no_memory;   /* memory ran out during the search for the first packet */
};

/* Whether the path, "-" for standard input, can be read only once: a pipe, a terminal or the like. */
bool iw_check_reads_once(const char *path);

/* Length of the path without the suffix of a compression format: .gz, .bz2, .xz, .zst or .lz4. */
size_t iw_check_uncompressed_length(const char *path);

/* Groups `count` paths into captures. Groups are in the order of their first paths. Files of a group are
 * sorted by the time of their first packet; files without a packet, or that cannot be read, come last. With
 * AUTO, files belong together by name: "x.pcap", "x.pcap1", "x.pcap2" (tcpdump; also .pcapng, .cap, .dump,
 * each compressed or not), or "x_00001_20260131120000.pcapng" and "x_20260131120000_00001.pcapng" (dumpcap).
 * The paths are borrowed. Returns false if memory runs out. */
bool iw_check_groups_make(
    struct iw_check_groups *groups, char *const *paths, size_t count, enum iw_check_grouping grouping);
void iw_check_groups_clear(struct iw_check_groups *groups);

#endif
