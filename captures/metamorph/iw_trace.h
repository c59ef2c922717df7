#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_chunk.h"
#include "iw_tcp_segment.h"

/* The packets of one conversation (a TCP connection or an SCTP association). They can be changed and written
 * as a new capture. */

struct iw_trace_packet {
    struct iw_tcp_segment segment; /* over SCTP: `seq` is the Verification Tag, the payload is the chunks */
    enum iw_side side;             /* A is the source of the first packet of the conversation */
    unsigned copy;   /* 0 for the conversation; 1 for a second one between the same addresses and ports */
    uint16_t damage; /* added to the right TCP checksum: damaged in transit; 0: intact */
    bool foreign;    /* its octets do not belong to the conversation; a receiver drops it */
};

enum { IW_TRACE_COPIES = 2 };

struct iw_trace {
    struct iw_trace_packet *packets;
    size_t count;
    uint32_t capacity;
    bool sctp;
    struct iw_tcp_address address[2];   /* by enum iw_side */
    uint32_t start[IW_TRACE_COPIES][2]; /* TCP: sequence number of stream offset 0 */
    unsigned copies;
    struct iw_trace_block *blocks; /* memory of octets that were made for this trace: see iw_trace_octets */
    bool failed;                   /* memory ran out */
};

/* A set of conversations read from one capture file. */
struct iw_trace_set {
    struct iw_trace *traces;
    size_t count;
    uint8_t **octets; /* one allocation per captured packet */
    size_t octets_count;
};

/* Reads the capture file at `path` and sorts its TCP and SCTP packets into conversations by their addresses.
 * Ignores other packets. Returns false, with a line on stderr, if the file cannot be read. */
bool iw_trace_set_read(struct iw_trace_set *set, const char *path);
void iw_trace_set_dispose(struct iw_trace_set *set);

/* A copy of `from` that can be changed. The payload still belongs to `from`. */
void iw_trace_init(struct iw_trace *trace, const struct iw_trace *from);
void iw_trace_dispose(struct iw_trace *trace);

/* Inserts `packet` before index `at`; if `at` is the count, appends it. */
void iw_trace_insert(struct iw_trace *trace, size_t at, const struct iw_trace_packet *packet);
void iw_trace_remove(struct iw_trace *trace, size_t at);

/* Moves the packet at index `from` to index `to`. */
void iw_trace_move(struct iw_trace *trace, size_t from, size_t to);

/* Allocates `count` octets that are freed with the trace; NULL if memory runs out. */
uint8_t *iw_trace_octets(struct iw_trace *trace, size_t count);
