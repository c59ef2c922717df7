#ifndef IW_TRACE_H
#define IW_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_chunk.h"
#include "iw_tcp_segment.h"

/* The packets of one conversation (a TCP connection or an SCTP association), taken apart so that they can be
 * changed, and put into a capture again. */

struct iw_trace_packet {
    struct iw_tcp_segment segment; /* over SCTP: `seq` is the Verification Tag, the payload are the chunks */
    enum iw_side side;             /* A is the source of the first packet of the conversation */
    unsigned copy;                 /* 0; 1 for the conversation that uses the same addresses again */
    bool foreign;                  /* no octet of it is of the conversation: a receiver drops it */
};

enum { IW_TRACE_COPIES = 2 };

struct iw_trace {
    struct iw_trace_packet *packets;
    size_t count, capacity;
    bool sctp;
    struct iw_tcp_address address[2];   /* by enum iw_side */
    uint32_t start[IW_TRACE_COPIES][2]; /* TCP: sequence number of stream offset 0 */
    unsigned copies;
    struct iw_trace_block *blocks; /* octets that were made: see iw_trace_octets */
    bool failed;                   /* there was no memory */
};

/* A set of conversations read from one capture file. */
struct iw_trace_set {
    struct iw_trace *traces;
    size_t count;
    uint8_t **octets; /* one allocation per captured packet */
    size_t octets_count;
};

/* Reads the capture file at `path` and sorts its TCP and SCTP packets into conversations by their addresses.
 * Returns false, with a line on stderr, if the file cannot be read. Other packets are left out. */
bool iw_trace_set_read(struct iw_trace_set *set, const char *path);
void iw_trace_set_dispose(struct iw_trace_set *set);

/* A copy of `from` that can be changed; its payload is borrowed from `from`. */
void iw_trace_init(struct iw_trace *trace, const struct iw_trace *from);
void iw_trace_dispose(struct iw_trace *trace);

/* Inserts `packet` before index `at`; `at` may be the count. */
void iw_trace_insert(struct iw_trace *trace, size_t at, const struct iw_trace_packet *packet);
void iw_trace_remove(struct iw_trace *trace, size_t at);

/* Moves the packet at `from` so that it has index `to`. */
void iw_trace_move(struct iw_trace *trace, size_t from, size_t to);

/* Room for `count` octets that lives as long as the trace; NULL if there is no memory. */
uint8_t *iw_trace_octets(struct iw_trace *trace, size_t count);

#endif
