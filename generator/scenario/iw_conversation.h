#pragma once

#include "iw_monitor.h"
#include "iw_status.h"
#include "iw_tcp_segment.h"

/* One recorded connection in memory: the octets of both sides, when they arrived, and what the monitor found
 * in them. It is complete unless `broken` is set. */

enum {
    IW_CONVERSATION_OCTETS_MAX = 64 << 20, /* of both sides together */
    IW_CONVERSATION_FINDINGS_MAX = 3,      /* kept per unit */
};

/* When a chunk of a side's octets arrived, and in which frame. */
struct iw_conversation_mark {
    uint64_t end;   /* stream offset after the chunk */
    uint64_t order; /* number of the chunk among those of both sides, from 1 */
    uint64_t frame;
    uint64_t time_ns;
};

/* A startup frame or an FPDU. */
struct iw_conversation_unit {
    enum iw_llp_event_kind kind;                        /* IW_LLP_STARTUP or IW_LLP_SEGMENT */
    uint64_t offset;                                    /* stream offset of its first octet */
    uint32_t octets;                                    /* length in the stream, with Markers */
    uint64_t frame;                                     /* frame that contains its last octet */
    const char *findings[IW_CONVERSATION_FINDINGS_MAX]; /* ids of requirements, or NULL */

    /* for an FPDU only */
    size_t image; /* index into the side's `images`: ULPDU_Length, ULPDU, PAD and CRC without Markers */
    uint32_t image_octets;
    uint16_t ulpdu_length;
    bool decoded;              /* the ULPDU has a complete DDP header */
    struct iw_segment segment; /* the ULPDU with all extensions; set by iw_conversation_finish */
    uint8_t pad_octets;
    uint32_t crc_received;
    uint32_t crc_computed;
    bool crc_known; /* `crc_computed` is valid */
    bool markers;
    uint16_t marker_reserved; /* of the first Marker */
    int16_t fpduptr_shift;    /* of the first Marker: FPDUPTR minus its expected value */
};

struct iw_conversation_side {
    uint8_t *octets;
    size_t length;
    uint32_t capacity;
    struct iw_conversation_mark *marks;
    size_t mark_count;
    struct iw_conversation_unit *units;
    size_t unit_count;
    uint8_t *images;
    size_t image_octets;
    uint32_t image_capacity;
    bool syn;                             /* its SYN was captured */
    struct iw_conversation_mark fin, rst; /* order 0: absent */
};

struct iw_conversation {
    struct iw_conversation_side side[2]; /* by enum iw_side */
    struct iw_tcp_address address[2];
    uint64_t stream; /* number of the TCP connection in the capture, from 0 */
    enum iw_side initiator;
    bool initiator_known;
    uint64_t order;   /* number of the last chunk */
    char broken[160]; /* why the conversation is incomplete, or "" */
    bool no_memory;
    struct iw_monitor *monitor;
};

/* Sets up an empty conversation. Returns false if memory runs out. */
bool iw_conversation_init(struct iw_conversation *conversation);
void iw_conversation_dispose(struct iw_conversation *conversation);

/* Takes the next chunk. Pass all chunks of both sides in the order of the capture. */
void iw_conversation_feed(struct iw_conversation *conversation, const struct iw_chunk *chunk);

/* Call it after the last chunk. Then the conversation is complete, or `broken` says why not. */
void iw_conversation_finish(struct iw_conversation *conversation);

/* The mark of the chunk that contains the octet at stream offset `at`; after the last chunk, the last mark.
 * The side must have a mark. */
const struct iw_conversation_mark *iw_conversation_when(const struct iw_conversation_side *side, uint64_t at);

struct iw_conversation_choice {
    uint64_t connection; /* number of the iWARP connection, from 1; 0: unspecified */
    bool by_stream;      /* or select the TCP connection number `stream`, from 0 */
    uint64_t stream;
};

struct iw_conversation_count {
    uint64_t connections; /* iWARP connections over TCP in the file */
    uint64_t tcp_flows;
    bool sctp; /* the file contains SCTP */
};

/* Reads the conversation that `choice` selects (by default the first) into `conversation`; the caller
 * disposes of it in every case. Sets *count to what the file contains. IW_ERR_ARGUMENT: no such conversation.
 * Other errors are those of iw_capture_file_open, with one line in `error`. */
enum iw_status iw_conversation_read(const char *path, const struct iw_conversation_choice *choice,
    struct iw_conversation *conversation, struct iw_conversation_count *count, char *error,
    size_t error_octets);
