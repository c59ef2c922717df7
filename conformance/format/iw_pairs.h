#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "iw_status.h"

/* Reads files that people write: each line has a word, then KEY=VALUE pairs in any order. A value with blanks
 * is in double quotes. Empty lines and lines that begin with # are skipped. */

enum { IW_PAIRS_LINE_MAX = 4096 }; /* octets */

/* The line being read. */
struct iw_pairs {
    const char *path;
    unsigned number; /* from 1 */
    char *at;        /* the rest of the line */
    FILE *diagnostics;
};

/* Passes each line to `take`, valid during the call. `take` returns false after an error. Each error is a
 * line in `diagnostics`, such as "PATH:7: no reason given". Returns IW_OK, IW_ERR_FORMAT after an error in a
 * line, or IW_ERR_IO. */
enum iw_status iw_pairs_read(
    const char *path, FILE *diagnostics, bool (*take)(void *user, struct iw_pairs *line), void *user);

/* A key that is allowed in the pairs. */
struct iw_pairs_key {
    const char *name;
    bool required;
    size_t at; /* without `take`: offset in the record of a char * member, which gets a copy of the value */
    bool (*take)(
        const struct iw_pairs *line, void *record, char *value); /* stores the value in the record; or NULL */
};

/* Copies the first word of the line to *word, and stores its pairs in `record`, whose char * members must be
 * NULL. After an error, reports it and returns false: a malformed pair, a key given twice, an unknown key, a
 * missing required key, an error of a key's `take`, or no memory. */
bool iw_pairs_take(
    struct iw_pairs *line, char **word, const struct iw_pairs_key *keys, size_t count, void *record);

/* Returns whether a pair of the line, of which nothing is taken yet, begins with "KEY=". */
bool iw_pairs_has(const struct iw_pairs *line, const char *key);

/* Reports an error of the line. Always returns false. */
bool iw_pairs_error(const struct iw_pairs *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
