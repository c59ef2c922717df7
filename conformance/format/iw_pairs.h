#ifndef IW_PAIRS_H
#define IW_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "iw_status.h"

/* Files that people write: each line has a word, then KEY=VALUE pairs in any order. A value with blanks is
 * in double quotes. Empty lines and lines that begin with # are skipped. */

enum { IW_PAIRS_LINE_MAX = 4096 }; /* octets */

/* The line being read. */
struct iw_pairs {
    const char *path;
    unsigned number; /* from 1 */
    char *at;        /* the rest of the line */
    FILE *diagnostics;
};

/* Passes each line to `take`; the line is valid only during that call. `take` returns false after an
 * error. Each error, found by `take` or by this function, is a line in `diagnostics`: "PATH:7: no reason
 * given". Returns IW_OK, IW_ERR_FORMAT after an error in a line, or IW_ERR_IO. */
enum iw_status iw_pairs_read(
    const char *path, FILE *diagnostics, bool (*take)(void *user, struct iw_pairs *line), void *user);

/* A key of the pairs. */
struct iw_pairs_key {
    const char *name;
    bool required;
    size_t at; /* if `take` is NULL: offset of a char * member of the record; this member gets a copy of the
                  value */
    bool (*take)(const struct iw_pairs *line, void *record, char *value); /* stores the value; or NULL */
};

/* Copies the first word of the line to *word, and takes its pairs into `record`, whose char * members must be
 * NULL. Returns false after reporting an error: a malformed pair, a text given twice, an unknown key, a
 * missing required key, an error of a key's `take`, or no memory. */
bool iw_pairs_take(
    struct iw_pairs *line, char **word, const struct iw_pairs_key *keys, size_t count, void *record);

/* Reports an error of the line. Always returns false, so that the caller can return it. */
bool iw_pairs_error(const struct iw_pairs *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
