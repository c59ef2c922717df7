#ifndef IW_PAIRS_H
#define IW_PAIRS_H

#include <stdbool.h>
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

/* Passes each line to `take`; it is invalid afterwards. Each error of a line, found here or by `take`, adds
 * a line to `diagnostics`: "PATH:7: no reason given"; an error of the file adds one too. Returns
 * IW_ERR_FORMAT or IW_ERR_IO on errors. */
enum iw_status iw_pairs_read(
    const char *path, FILE *diagnostics, bool (*take)(void *user, struct iw_pairs *line), void *user);

/* The first word of the line, valid as long as the line. */
char *iw_pairs_word(struct iw_pairs *line);

/* Whether the line has more words. */
bool iw_pairs_more(struct iw_pairs *line);

/* Takes the next KEY=VALUE, valid as long as the line. Otherwise reports an error and returns false. */
bool iw_pairs_next(struct iw_pairs *line, char **key, char **value);

/* Reports an error of the line. Returns false, for the caller to pass on. */
bool iw_pairs_error(const struct iw_pairs *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Copies the value to *to. If *to is set, or memory runs out, reports an error and returns false. */
bool iw_pairs_set(const struct iw_pairs *line, char **to, const char *key, const char *value);

#endif
