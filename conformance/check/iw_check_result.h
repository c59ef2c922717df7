#ifndef IW_CHECK_RESULT_H
#define IW_CHECK_RESULT_H

#include "iw_check_connection.h"

/* The result of a run of `warpcheck check`: its files, and their connections. */

/* A file that was read. */
struct iw_check_file_result {
    char *path;               /* as given; of a chain, the first and the last */
    const char *const *parts; /* all files of the chain, */
    size_t part_count;        /* and their number; 1 for a single file */
    struct iw_check_counts counts;
    char *error; /* why it could not be judged, or not to its end; or NULL */
    bool unread; /* kind of error: true if the file was not read to its end, false if it has no iWARP */
};

/* A kind of packets that could not be read, and so were not judged. */
struct iw_check_unread {
    const char *key;  /* for programs: "fragments" */
    const char *what; /* singular noun, for people: "frame" */
    char which[160];
    uint64_t count;
};
enum { IW_CHECK_UNREAD = 11 };
void iw_check_unread(const struct iw_check_counts *counts, struct iw_check_unread rows[IW_CHECK_UNREAD]);

/* Describes a row, for people: "2 frames truncated within the headers". */
enum { IW_CHECK_UNREAD_OCTETS = 256 };
const char *iw_check_unread_text(const struct iw_check_unread *row, char text[IW_CHECK_UNREAD_OCTETS]);

/* The whole run, for forms that need it at once. All zero: empty. */
struct iw_check_result {
    struct iw_check_file_result *files;
    size_t file_count;
    size_t unread_count;                      /* number of files that were not read to their end, */
    size_t without_iwarp_count;               /* and of those that have no iWARP */
    struct iw_check_connection **connections; /* in the order in which they ended */
    size_t connection_count;
    bool incomplete; /* memory ran out: something is missing */
};

/* Takes ownership of `connection`; NULL means that memory ran out. */
void iw_check_result_connection(struct iw_check_result *result, struct iw_check_connection *connection);
/* Copies `path` and `error` of `file`; `parts` must outlive the result. */
void iw_check_result_file(struct iw_check_result *result, const struct iw_check_file_result *file);
void iw_check_result_clear(struct iw_check_result *result);

#endif
