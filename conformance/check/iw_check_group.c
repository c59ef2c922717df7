#include "iw_check_group.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iw_capture_file.h"

enum { NUMBER_DIGITS = 5, DATE_DIGITS = 14 };

/* The parts that the names of all files of one capture have in common: their beginning and end. */
struct name_stem {
    size_t front; /* length of the beginning; 0: not a name from tcpdump or dumpcap */
    const char *rear;
    size_t rear_octets;
};

static size_t group_digits_before(const char *path, size_t end) {
    size_t count = 0;

    while (count < end && isdigit((unsigned char)path[end - 1 - count]))
        count++;
    return count;
}

static bool group_ends_with(const char *path, size_t end, const char *what) {
    size_t length = strlen(what);

    return end > length && memcmp(path + end - length, what, length) == 0;
}

size_t iw_check_uncompressed_length(const char *path) {
    static const char *const endings[] = {".gz", ".bz2", ".xz", ".zst", ".lz4"};
    size_t end = strlen(path);

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (group_ends_with(path, end, endings[i]))
            return end - strlen(endings[i]);
    return end;
}

static size_t group_last_dot(const char *path, size_t end) {
    size_t dot = end;

    while (dot > 0 && path[dot - 1] != '.' && path[dot - 1] != '/')
        dot--;
    return dot > 0 && path[dot - 1] == '.' ? dot - 1 : end;
}

/* Returns the stem of a dumpcap name: "x_00001_20260131120000.pcapng", or with its two numbers exchanged. */
static struct name_stem group_dumpcap_stem(const char *path) {
    size_t name = iw_check_uncompressed_length(path), end = group_last_dot(path, name);
    size_t last = group_digits_before(path, end), before, front;

    if ((last != NUMBER_DIGITS && last != DATE_DIGITS) || end == last || path[end - last - 1] != '_')
        return (struct name_stem){0};
    before = group_digits_before(path, end - last - 1);
    front = end - last - 1 - before;
    if (before + last != NUMBER_DIGITS + DATE_DIGITS || front == 0 || path[front - 1] != '_')
        return (struct name_stem){0};
    return (struct name_stem){front, path + end, name - end};
}

/* Returns the stem of a tcpdump name, which may end with digits: "x.pcap", "x.pcap1". */
static struct name_stem group_tcpdump_stem(const char *path) {
    static const char *const suffixes[] = {".pcap", ".pcapng", ".cap", ".dump"};
    size_t name = iw_check_uncompressed_length(path), end = name - group_digits_before(path, name);

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (group_ends_with(path, end, suffixes[i]))
            return (struct name_stem){end, "", 0};
    return (struct name_stem){0};
}

struct member {
    const char *path;
    struct name_stem stem;
    uint64_t time_ns; /* of the first packet */
    size_t ordinal;   /* index on the command line */
    size_t leader;    /* ordinal of the first file of its group */
};

static bool group_same_capture(
    const struct member *a, const struct member *b, enum iw_check_grouping grouping) {
    if (grouping != IW_CHECK_GROUP_AUTO)
        return grouping == IW_CHECK_GROUP_ALL;
    return a->stem.front > 0 && a->stem.front == b->stem.front &&
           memcmp(a->path, b->path, a->stem.front) == 0 && a->stem.rear_octets == b->stem.rear_octets &&
           memcmp(a->stem.rear, b->stem.rear, a->stem.rear_octets) == 0 && strcmp(a->path, b->path) != 0;
}

bool iw_check_reads_once(const char *path) {
    struct stat status;

    return (strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &status) : stat(path, &status)) == 0 &&
           (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || S_ISCHR(status.st_mode));
}

static uint64_t group_first_time(struct iw_check_groups *groups, const char *path) {
    struct iw_capture_file *file;
    struct iw_packet packet;
    uint64_t time_ns = UINT64_MAX;
    enum iw_status status;
    char error[256];

    if (iw_check_reads_once(path)) {
        groups->pipe = path;
        return UINT64_MAX;
    }
    status = iw_capture_file_open(path, &file, error, sizeof error);
    groups->no_memory |= status == IW_ERR_NOMEM;
    if (status != IW_OK)
        return UINT64_MAX;
    if (iw_capture_file_next(file, &packet, error, sizeof error) == IW_CAPTURE_PACKET)
        time_ns = packet.time_ns;
    iw_capture_file_close(file);
    return time_ns;
}

static int group_compare_members(const void *left, const void *right) {
    const struct member *one = left, *other = right;

    if (one->leader != other->leader)
        return one->leader < other->leader ? -1 : 1;
    if (one->time_ns != other->time_ns)
        return one->time_ns < other->time_ns ? -1 : 1;
    return one->ordinal < other->ordinal ? -1 : one->ordinal > other->ordinal;
}

/* Sets the leader of each file, the first file of its group; and in a group of several files, their times. */
static void group_find_leaders(
    struct iw_check_groups *groups, struct member *members, size_t count, enum iw_check_grouping grouping) {
    for (size_t i = 0; i < count; i++) {
        size_t leader = 0;

        while (leader < i && (members[leader].leader != leader ||
                                 !group_same_capture(&members[leader], &members[i], grouping)))
            leader++;
        members[i].leader = leader;
        if (leader == i)
            continue;
        members[i].time_ns = group_first_time(groups, members[i].path);
        if (members[leader].time_ns == 0)
            members[leader].time_ns = group_first_time(groups, members[leader].path);
    }
}

bool iw_check_groups_make(
    struct iw_check_groups *groups, char *const *paths, size_t count, enum iw_check_grouping grouping) {
    struct member *members = calloc(count, sizeof *members);

    *groups = (struct iw_check_groups){
        .paths = calloc(count, sizeof *groups->paths), .group_end = calloc(count, sizeof *groups->group_end)};
    if (members == NULL || groups->paths == NULL || groups->group_end == NULL) {
        free(members);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        members[i] = (struct member){.path = paths[i], .stem = group_dumpcap_stem(paths[i]), .ordinal = i};
        if (members[i].stem.front == 0)
            members[i].stem = group_tcpdump_stem(paths[i]);
    }
    group_find_leaders(groups, members, count, grouping);
    qsort(members, count, sizeof *members, group_compare_members);
    for (size_t i = 0; i < count; i++) {
        groups->paths[i] = members[i].path;
        if (i + 1 == count || members[i].leader != members[i + 1].leader)
            groups->group_end[groups->group_count++] = i + 1;
    }
    free(members);
    if (groups->no_memory)
        groups->group_count = 0;
    return !groups->no_memory;
}

void iw_check_groups_clear(struct iw_check_groups *groups) {
    free(groups->paths);
    free(groups->group_end);
    *groups = (struct iw_check_groups){0};
}
