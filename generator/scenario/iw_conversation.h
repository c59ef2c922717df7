#ifndef IW_CONVERSATION_H
#define IW_CONVERSATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_monitor.h"
#include "iw_tcp_segment.h"

/* One recorded connection, both sides of it whole and at hand: the octets of each, when each of them came,
 * and what the monitor found in them. For those who want to see all of it before they say anything. */

enum {
    IW_CONVERSATION_OCTETS_MAX = 64 << 20, /* of both sides */
    IW_CONVERSATION_FINDINGS_MAX = 3,      /* kept of a unit */
};

/* Where octets of a side came in: those up to stream offset `end`. */
struct iw_conversation_mark {
    uint64_t end;
    uint64_t order; /* 1, 2, 3, ... through the chunks of both sides */
    uint64_t frame;
    uint64_t time_ns;
};

/* A startup frame or an FPDU. */
struct iw_conversation_unit {
    enum iw_mpa_event_kind kind;                        /* STARTUP or FPDU */
    uint64_t offset;                                    /* of its first octet in the stream */
    uint32_t octets;                                    /* in the stream, Markers included */
    uint64_t frame;                                     /* in which it ends */
    const char *findings[IW_CONVERSATION_FINDINGS_MAX]; /* ids of requirements, or NULL */

    /* FPDU */
    size_t image; /* index into the side's `images`: ULPDU_Length, ULPDU, PAD and CRC without Markers */
    uint32_t image_octets;
    uint16_t ulpdu_length;
    uint8_t pad_octets;
    uint32_t crc_received;
    uint32_t crc_computed;
    bool crc_known; /* `crc_computed` is */
    bool markers;
    uint16_t marker_reserved; /* of the first */
    int16_t fpduptr_shift;    /* of the first: what it has more than it should */
};

struct iw_conversation_side {
    uint8_t *octets;
    size_t length, capacity;
    struct iw_conversation_mark *marks;
    size_t mark_count, mark_capacity;
    struct iw_conversation_unit *units;
    size_t unit_count, unit_capacity;
    uint8_t *images;
    size_t image_octets, image_capacity;
    bool syn;                             /* was seen */
    struct iw_conversation_mark fin, rst; /* order 0: there was none */
};

struct iw_conversation {
    struct iw_conversation_side side[2]; /* by enum iw_side */
    struct iw_tcp_address address[2];
    uint64_t stream; /* number of the TCP connection in the capture, from 0 */
    enum iw_side initiator;
    bool initiator_known;
    uint64_t order;   /* of the last chunk */
    char broken[160]; /* why it is not all there, or "" */
    bool no_memory;
    struct iw_monitor *monitor;
};

/* Of a connection whose first chunk is to come. False: no memory. */
bool iw_conversation_init(struct iw_conversation *conversation);
void iw_conversation_dispose(struct iw_conversation *conversation);

void iw_conversation_feed(struct iw_conversation *conversation, const struct iw_chunk *chunk);

/* No more chunks come; now all of it is there, or `broken` tells why not. */
void iw_conversation_finish(struct iw_conversation *conversation);

/* When the octet at stream offset `at` of a side came; the last mark for what is behind the end. */
const struct iw_conversation_mark *iw_conversation_when(const struct iw_conversation_side *side, uint64_t at);

#endif
