#ifndef IW_CHECK_EXTRACT_H
#define IW_CHECK_EXTRACT_H

#include "iw_check_extract_file.h"
#include "iw_check_result.h"

/* A small capture (pcapng) of each connection, or session over SCTP, that violates: its handshake and
 * startup, and what is around its findings, which stand in the comments of their packets; of a short
 * connection all of it. */

enum {
    IW_CHECK_EXTRACT_MAX = 1000,   /* connections of a run; the others are counted */
    IW_CHECK_EXTRACT_WHOLE = 1000, /* packets of a connection that is extracted whole; of a longer one */
    IW_CHECK_EXTRACT_HEAD = 32,    /* the first, */
    IW_CHECK_EXTRACT_BEFORE = 16,  /* and for each finding, and each frame that led to it, those before */
    IW_CHECK_EXTRACT_AFTER = 4,    /* and those behind */
};

struct iw_check_wanted;

struct iw_check_extract {
    const char *directory;          /* is made if it is not there; NULL: nothing is extracted */
    struct iw_check_wanted *wanted; /* of the chain being read */
    size_t count;
    struct iw_check_extract_file files[IW_CHECK_EXTRACT_MAX]; /* of the whole run; */
    size_t made;                                              /* how many */
    uint64_t omitted;    /* connections beyond IW_CHECK_EXTRACT_MAX, or without the directory */
    bool closed;         /* the directory is not there, and cannot be made */
    bool failed;         /* something could not be written; it has been said on stderr, */
    uint64_t complaints; /* so many times; the first few of them */
};

/* Wants the connection, if it violates, with its frames as they are numbered through the chain: makes
 * DIRECTORY/NAME-streamN.pcapng, whose path the connection gets. A file that is there already is left alone,
 * and said to be so. */
void iw_check_extract_add(struct iw_check_extract *extract, const char *file,
    const struct iw_check_stream *stream, struct iw_check_connection *connection);

/* Reads the chain again and writes what was wanted of it. */
void iw_check_extract_write(struct iw_check_extract *extract, const struct iw_check_chain *chain);

/* At the end of the run: says on stderr what has only been counted. */
void iw_check_extract_end(struct iw_check_extract *extract);

#endif
