#ifndef IW_CHECK_EXTRACT_H
#define IW_CHECK_EXTRACT_H

#include "iw_check_extract_file.h"
#include "iw_check_result.h"

/* A small capture (pcapng) of each connection, or session over SCTP, that violates a requirement: its
 * handshake and startup, and the packets around its findings, which packet comments describe. A short
 * connection is extracted whole. */

enum {
    IW_CHECK_EXTRACT_MAX = 1000,   /* extracts of a run; further connections are only counted */
    IW_CHECK_EXTRACT_WHOLE = 1000, /* most packets of a connection that is extracted whole */
    IW_CHECK_EXTRACT_HEAD = 32,    /* first packets extracted of a longer connection */
    IW_CHECK_EXTRACT_BEFORE = 16,  /* packets extracted before each finding and each frame that led to one */
    IW_CHECK_EXTRACT_AFTER = 4,    /* packets extracted after each finding and each frame that led to one */
};

struct iw_check_wanted;

struct iw_check_extract {
    const char *directory;          /* of the extracts, created if it does not exist; NULL: extract nothing */
    struct iw_check_wanted *wanted; /* selected connections of the chain being read */
    size_t count;
    struct iw_check_extract_file files[IW_CHECK_EXTRACT_MAX]; /* extracts of the whole run */
    size_t made;                                              /* number of files */
    uint64_t omitted;     /* connections not extracted because of IW_CHECK_EXTRACT_MAX or `closed` */
    bool closed;          /* no file can be created in the directory, or memory ran out: stop extracting */
    bool failed;          /* because of an error, an extract is missing or incomplete */
    uint64_t diagnostics; /* number of failures; stderr has the first few */
};

/* Selects the connection, before iw_check_connection_place, if it violates a requirement. Creates
 * DIRECTORY/NAME-streamN.pcapng.part and stores the final path in `connection`. Leaves an existing file
 * unchanged, and reports that. */
void iw_check_extract_add(struct iw_check_extract *extract, const char *file,
    const struct iw_check_stream *stream, struct iw_check_connection *connection);

/* Reads the chain twice more, writes the extracts of the selected connections, and clears the selection. */
void iw_check_extract_write(struct iw_check_extract *extract, const struct iw_check_chain *chain);

/* At the end of the run: reports on stderr how many errors were not printed and how many violating
 * connections were not extracted. */
void iw_check_extract_end(struct iw_check_extract *extract);

#endif
