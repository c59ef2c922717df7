#ifndef IW_PAIRS_H
#define IW_PAIRS_H

#include <stdbool.h>
#include <stdio.h>

#include "iw_status.h"

/* Files for people to write, with one thing a line: a word, and behind it KEY=VALUE, in any order. A value
 * with blanks stands in double quotes. Empty lines, and those that begin with #, are left out. */

enum { IW_PAIRS_LINE_MAX = 4096 }; /* octets */

/* A line while it is read. */
struct iw_pairs {
    const char *path;
    unsigned number; /* from 1 */
    char *at;        /* what is left of it */
    FILE *complaints;
};

/* Hands each line to `take`, which has nothing of it afterwards. With another result than IW_OK `complaints`
 * has got a line for each line of the file that is wrong, or that `take` returned false for, "PATH:7: no
 * reason given", or one about the file; IW_ERR_FORMAT, IW_ERR_IO. */
enum iw_status iw_pairs_read(
    const char *path, FILE *complaints, bool (*take)(void *user, struct iw_pairs *line), void *user);

/* The first word of the line, valid as long as the line. */
char *iw_pairs_word(struct iw_pairs *line);

/* Whether more stands on the line. */
bool iw_pairs_more(struct iw_pairs *line);

/* The next KEY=VALUE, valid as long as the line. False: it is none, or has no value; complained. */
bool iw_pairs_next(struct iw_pairs *line, char **key, char **value);

/* Says what is wrong with the line. False, for the caller to pass on. */
bool iw_pairs_complain(const struct iw_pairs *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sets *to, which is NULL, to a copy of the value. False: it was set before, or there is no memory;
 * complained. */
bool iw_pairs_set(const struct iw_pairs *line, char **to, const char *key, const char *value);

#endif
