#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Finds the files that are parts of one capture, and their order. A rotated capture has several files
 * (tcpdump -C and -W, the ring buffer of dumpcap). */

enum iw_check_grouping {
    IW_CHECK_GROUP_AUTO, /* group files whose names show that they are parts of one capture */
    IW_CHECK_GROUP_ALL,
    IW_CHECK_GROUP_NONE,
};

/* The files, grouped by capture. */
struct iw_check_groups {
    const char **paths; /* all files; those of a group are adjacent, in order of time */
    size_t *group_end;  /* by group: index after its last path */
    size_t group_count;
    const char *pipe; /* path of a group that can be read only once, so the group is not sorted; or NULL */
    bool no_memory;   /* memory ran out while a first packet was read */
};

/* Returns whether the path can be read only once: a pipe, a terminal or the like. "-" is standard input. */
bool iw_check_reads_once(const char *path);

/* Returns the length of the path without the suffix .gz, .bz2, .xz, .zst or .lz4. */
size_t iw_check_uncompressed_length(const char *path);

/* Groups `count` paths by capture. The groups are in the order of their first paths. The files of a group are
 * sorted by the time of their first packet; files without a readable packet come last. AUTO groups these
 * names: "x.pcap", "x.pcap1", "x.pcap2" (tcpdump; also .pcapng, .cap and .dump, compressed or not); or
 * "x_00001_20260131120000.pcapng", or with its two numbers exchanged (dumpcap). Borrows the paths. Returns
 * false if memory runs out. */
bool iw_check_groups_make(
    struct iw_check_groups *groups, char *const *paths, size_t count, enum iw_check_grouping grouping);
void iw_check_groups_clear(struct iw_check_groups *groups);
