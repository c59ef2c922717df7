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

/* Passes each line to `take`; the line is valid only during that call. Each error of a line, found here or by
 * `take`, adds a line to `diagnostics`: "PATH:7: no reason given"; an error of the file adds one too. Returns
 * IW_ERR_FORMAT or IW_ERR_IO on errors. */
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
 * NULL. Reports an error and returns false for an unknown key, a text given twice, or a missing required key.
 */
bool iw_pairs_take(
    struct iw_pairs *line, char **word, const struct iw_pairs_key *keys, size_t count, void *record);

/* Reports an error of the line. Always returns false, so that the caller can return it. */
bool iw_pairs_error(const struct iw_pairs *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
