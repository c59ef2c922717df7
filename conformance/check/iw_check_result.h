#ifndef IW_CHECK_RESULT_H
#define IW_CHECK_RESULT_H

#include "iw_check_connection.h"

/* What a run of `warpcheck check` has found: its files, and the connections in them. */

/* A file that was read. */
struct iw_check_file_result {
    char *path;               /* as given; of a chain, the first and the last: */
    const char *const *parts; /* all of them, */
    size_t part_count;        /* so many; of a single file 1 */
    struct iw_check_counts counts;
    char *error; /* why it was not judged, or not to its end; or NULL */
    bool unread; /* kind of error: true if the file was not read to its end, false if it has no iWARP */
};

/* What of the files could not be read, so that it is not judged. */
struct iw_check_unread {
    const char *key;  /* for programs: "fragments" */
    const char *what; /* one of it, for people: "frame" */
    char which[160];
    uint64_t count;
};
enum { IW_CHECK_UNREAD = 11 };
void iw_check_unread(const struct iw_check_counts *counts, struct iw_check_unread rows[IW_CHECK_UNREAD]);

/* The whole run, for forms that need all of it at once. All zero: nothing yet. */
struct iw_check_result {
    struct iw_check_file_result *files;
    size_t file_count;
    struct iw_check_connection **connections; /* in the order in which they ended */
    size_t connection_count;
    bool incomplete; /* there was no memory for all of it */
};

/* Takes over `connection`, which may be NULL: no memory. */
void iw_check_result_connection(struct iw_check_result *result, struct iw_check_connection *connection);
/* Copies `path` and `error` of `file`; the parts have to outlive the result. */
void iw_check_result_file(struct iw_check_result *result, const struct iw_check_file_result *file);
/* Counts the files with an error, and those that were not read to their end. */
size_t iw_check_result_failed(const struct iw_check_result *result);
size_t iw_check_result_unread(const struct iw_check_result *result);

void iw_check_result_clear(struct iw_check_result *result);

#endif
