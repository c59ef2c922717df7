#pragma once

#include <stdio.h>

#include "iw_check_extract_file.h"
#include "iw_check_result.h"

/* Writes a small capture (pcapng) of each connection, or session over SCTP, that violates a requirement. It
 * has the handshake, the startup, and the packets around each finding, with packet comments about the
 * findings. A short connection is extracted whole. */

enum {
    IW_CHECK_EXTRACT_MAX = 1000,   /* extracts of a run; further violating connections are only counted */
    IW_CHECK_EXTRACT_WHOLE = 1000, /* a connection with more packets is not extracted whole */
    IW_CHECK_EXTRACT_HEAD = 32,    /* packets extracted from the beginning of a longer connection */
    IW_CHECK_EXTRACT_BEFORE = 16,  /* packets extracted before each finding and each frame that led to one */
    IW_CHECK_EXTRACT_AFTER = 4,    /* packets extracted after each finding and each frame that led to one */
};

/* Prints a finding as a line of a packet comment, without newline. */
void iw_check_finding_comment(FILE *out, const struct iw_finding *finding, bool waived);

struct iw_check_wanted;

struct iw_check_extract {
    const char *directory;          /* for the extracts; created if necessary; NULL: extract nothing */
    struct iw_check_wanted *wanted; /* selected connections of the capture being read */
    size_t count;
    struct iw_check_extract_file files[IW_CHECK_EXTRACT_MAX]; /* extracts of the whole run */
    size_t made;                                              /* number of files */
    uint64_t omitted; /* violating connections not extracted because of IW_CHECK_EXTRACT_MAX or `closed` */
    bool closed;      /* stop extracting: no file can be created in the directory, or memory ran out */
    bool failed;      /* an error occurred: an extract, or a part of it, is missing */
    uint64_t diagnostics; /* number of errors; stderr has only the first few */
};

/* If the connection violates a requirement, selects it, creates DIRECTORY/NAME-streamN.pcapng.part and stores
 * the final path in `connection`. Reports errors on stderr, such as an existing file, which stays. Call this
 * function before iw_check_connection_place. */
void iw_check_extract_add(struct iw_check_extract *extract, const char *file,
    const struct iw_check_stream *stream, struct iw_check_connection *connection);

/* Reads the files of the capture twice again, writes the selected extracts, and clears the selection. */
void iw_check_extract_write(struct iw_check_extract *extract, const struct iw_check_chain *chain);

/* Call this function at the end of the run. Reports on stderr how many further errors occurred and how many
 * violating connections were not extracted. */
void iw_check_extract_end(struct iw_check_extract *extract);
