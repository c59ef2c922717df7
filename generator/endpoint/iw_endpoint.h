#ifndef IW_ENDPOINT_H
#define IW_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_emit.h"
#include "iw_endpoint_change.h"
#include "iw_fpdu.h"
#include "iw_memory.h"
#include "iw_port.h"
#include "iw_sequence.h"
#include "iw_startup.h"
#include "iw_status.h"
#include "iw_terminate.h"

/* One iWARP connection as initiator or responder: MPA startup, full operation, Terminate. By itself it
 * conforms; each thing it does by itself can be switched off, and each value it sends can be changed. */

/* What the endpoint does by itself. */
struct iw_automatic {
    bool startup;   /* sends the Request, answers a Request, enters full operation, closes on what is wrong */
    bool rtr;       /* initiator: sends the RTR; responder: holds all FPDUs until the first one has come */
    bool responses; /* checks tagged segments and requests against the memory, places, answers Reads, executes
                       Atomics, Flushes, Verifies and Atomic Writes and answers them */
    bool terminate; /* an error of the peer is answered by Terminate and FIN and ends all receiving; without,
                       it is only reported, and the segment is left out */
    bool close; /* answers the peer's FIN by FIN, behind what is still to be sent (RFC 5041 6.2.1), and its
                   Terminate at once */
};

enum { IW_RECEIVES_ENDLESS = UINT32_MAX };

enum { IW_ENDPOINT_EMSS = 1448 }; /* octets that a TCP segment is taken to carry, unless TCP tells */
enum { IW_ENDPOINT_DEPTH = 8 };   /* IRD and ORD that iw_endpoint_defaults gives */

/* Values of 0 mean the default in brackets. */
struct iw_endpoint_config {
    bool initiator;
    uint8_t revision;  /* initiator: of the Request; responder: the highest it takes [1; responder 2] */
    bool enhanced;     /* initiator with revision 2: with enhanced data */
    bool no_crc;       /* does not ask for CRC (C=0) */
    bool markers;      /* asks for markers in what it receives (M=1) */
    bool peer_to_peer; /* initiator: A=1 */
    unsigned rtr;      /* set of enum iw_rtr: what the initiator can send or the responder take [all] */
    uint16_t ird;      /* inbound Reads, and other requests on queue 1, it can hold */
    uint16_t ord;      /* outbound ones it wants */
    bool reject;       /* responder: R=1 */
    bool held;         /* responder: answers a Request when iw_endpoint_answer says so */
    bool local_error;  /* behind the startup it has not the means to go on (RFC 6581 9.3): as initiator when
                          the Reply has come, as responder, which has to wait for an FPDU, with that */
    bool streaming;    /* begins outside of MPA, until iw_endpoint_await_startup (RFC 5044 7.1) */
    const uint8_t *private_data; /* borrowed until the startup frame is sent */
    size_t private_octets;
    uint16_t mulpdu;         /* octets [what IW_ENDPOINT_EMSS gives, RFC 5044 4.5] */
    bool emss_of_tcp;        /* with mulpdu 0: what the EMSS gives that TCP tells when the startup is over */
    bool joined;             /* FPDUs may go to TCP together; otherwise each is a write of its own */
    unsigned extensions;     /* set of enum iw_extension that it takes */
    uint32_t startup_ms;     /* how long it waits for the startup frame [10,000] */
    uint32_t close_ms;       /* how long after its own FIN for the peer's, or for a peer that has sent FIN to
                                read on, before RST [5,000] */
    uint32_t receive_count;  /* receive buffers from the start; IW_RECEIVES_ENDLESS [0] */
    uint32_t receive_octets; /* their size */
    struct iw_automatic automatic;
    struct iw_memory *memory; /* borrowed; NULL: no STag is valid */
    uint32_t domain;          /* the protection domain of the stream: a region of another is not for it [0] */
    unsigned skip;            /* set of enum iw_skip */
    unsigned fuss;            /* set of enum iw_overstrict */
    unsigned lapses;          /* set of enum iw_omitted_check */
    unsigned manners;         /* set of enum iw_behaviour */
    uint32_t undelivered;     /* opcodes, 1 << each, of messages that are kept from the ULP */
    iw_emit_filter
        *filter; /* sees all that the endpoint sends by itself or by iw_endpoint_post; may be NULL */
    void *filter_user;
    /* Changes the header of a request of the peer's before it is executed, though not before it is answered;
     * gets `filter_user`, too, and may be NULL. */
    void (*execute_filter)(void *user, uint8_t opcode, uint8_t *header);
    /* For a filter that keeps something in mind of each endpoint: makes of `filter_user` what the filter gets
     * in its place, NULL if there is no memory, and releases that. Both or neither may be NULL. */
    void *(*filter_begin)(void *filter_user);
    void (*filter_end)(void *state);
    /* Set to true, unless NULL, once the filter has made other octets of what is sent, or the execute_filter
     * another header, or an FPDU is judged otherwise for the sake of IW_SKIP_FPDU or IW_OVERSTRICT_FPDU. */
    bool *deviated;
};

/* Revision 1, everything automatic, IRD and ORD 8, no receive buffers, no memory. */
struct iw_endpoint_config iw_endpoint_config_default(bool initiator);

/* What the two startup frames settled, or what iw_endpoint_full was given. */
struct iw_terms {
    bool markers_out; /* in what this endpoint sends */
    bool markers_in;
    bool crc;
    bool enhanced;     /* both frames carried enhanced data */
    bool peer_to_peer; /* both have A=1 */
    unsigned rtr;      /* types that both named; of enum iw_rtr */
    uint8_t revision;
    uint16_t ird; /* requests on queue 1 that the peer may have open at a time */
    uint16_t ord; /* and that this endpoint may */
};

enum iw_event_kind {
    IW_EVENT_CONNECTED,   /* TCP is open */
    IW_EVENT_STARTUP,     /* a startup frame came, or octets in its place; nothing was done about it yet */
    IW_EVENT_REQUESTED,   /* responder, `held`: a Request waits for iw_endpoint_answer */
    IW_EVENT_ESTABLISHED, /* full operation: `terms` */
    IW_EVENT_REJECTED,    /* a Reply with R=1 came or was sent: MPA is left, TCP is open */
    IW_EVENT_OCTETS,      /* octets outside MPA: `streaming`, after a rejection or iw_endpoint_leave */
    IW_EVENT_FPDU,        /* every FPDU that came, before anything is done about it; `error` tells what will
                             be, unless IW_NO_ERROR */
    IW_EVENT_RTR,       /* responder: the initiator's RTR came; `opcode`. It makes no other event but FPDU */
    IW_EVENT_MESSAGE,   /* an untagged message of the ULP is whole (Sends, Immediate): `opcode`, `msn`,
                           `octets`, and `invalidate_stag`, which was invalidated, or 0 */
    IW_EVENT_TAGGED,    /* the last segment of an RDMA Write came: `stag`, `to`, `length` of the message */
    IW_EVENT_READ,      /* a Read Request came and is being answered: `read` */
    IW_EVENT_EXECUTED,  /* an Atomic, Flush, Verify or Atomic Write of the peer is done, and its answer sent:
                           `opcode`, `stag`, `to`, `length` */
    IW_EVENT_READ_DONE, /* the post `id`, a Read, is answered */
    IW_EVENT_ANSWERED,  /* the post `id`, another request, is answered: `opcode` of the request, `original`
                           (Atomic), `octets` (Verify: the hash) */
    IW_EVENT_SENT,      /* the post `id` is handed to TCP whole; for a request, the request. What is posted
                           behind a request is sent before that is answered */
    IW_EVENT_COMPLETED, /* the post `id` is sent and, if it is a request, answered, and so is all that was
                           posted before it: Completions are in the order of the posts (RFC 5040 5.5) */
    IW_EVENT_FLUSHED,   /* the post `id` will not be sent, or it or a request before it will not be answered
                           any more (RFC 5041 6.2.2). At the end of the stream each post has had one COMPLETED
                           or one FLUSHED, unless the endpoint was freed */
    IW_EVENT_TERMINATE, /* a Terminate came: `terminate` */
    IW_EVENT_ERROR,     /* the peer did something wrong, or nothing in time: `error`, `text`, and whether a
                           Terminate goes out for it */
    IW_EVENT_CLOSED,    /* `end`, `text`; once, and the last event but FLUSHED */
};

enum iw_end {
    IW_END_FIN,     /* the peer closed */
    IW_END_RST,     /* the peer reset */
    IW_END_FAILED,  /* not connected, or lost */
    IW_END_TIMEOUT, /* the peer did not close in time; reset by this endpoint */
};

/* "fin", "rst", "failed", "timeout". */
const char *iw_end_name(enum iw_end end);

/* Everything pointed to is valid during the call only. Members not named for a kind are zero. */
struct iw_event {
    enum iw_event_kind kind;
    uint64_t time_ns;

    const struct iw_startup *startup; /* STARTUP, REJECTED if received */
    const struct iw_terms *terms;     /* ESTABLISHED */

    const struct iw_fpdu *fpdu;       /* FPDU */
    const struct iw_segment *segment; /* FPDU, unless the DDP header is not whole; MESSAGE, TAGGED,
                                         READ, TERMINATE: the last segment */
    int error;                        /* FPDU, ERROR: enum iw_error or IW_NO_ERROR */
    bool terminates;                  /* ERROR: a Terminate goes out */

    uint8_t opcode;
    uint32_t msn;
    uint32_t stag;
    uint64_t to;
    uint64_t length;
    uint32_t invalidate_stag;
    uint64_t id;
    uint64_t original; /* ANSWERED: Original Remote Data Value */
    const struct iw_read_request *read;
    const struct iw_terminate_message *terminate; /* NULL if it is too short for its header */
    const uint8_t *octets;                        /* STARTUP, OCTETS, MESSAGE, ANSWERED */
    size_t octet_count;

    enum iw_end end;
    bool pending; /* CLOSED: in the middle of a startup frame or FPDU */
    const char *text;
};

struct iw_endpoint;

/* May call any function of the endpoint, iw_endpoint_free included. */
typedef void iw_endpoint_sink(void *user, struct iw_endpoint *endpoint, const struct iw_event *event);

/* Connects to `port` of `host` as `config` says (copied; usually an initiator). NULL with a line in `text` as
 * iw_port_connect. */
struct iw_endpoint *iw_endpoint_connect(struct iw_loop *loop, const char *host, uint16_t port,
    const struct iw_endpoint_config *config, iw_endpoint_sink *sink, void *user, char *text);

/* Takes over a port that was accepted or is connecting, and has no handlers yet; gives it a tap beforehand
 * who wants one. Events come from the loop only, CONNECTED first. NULL if there is no memory; then the port
 * is still the caller's.
 */
struct iw_endpoint *iw_endpoint_accept(
    struct iw_port *port, const struct iw_endpoint_config *config, iw_endpoint_sink *sink, void *user);

/* Releases the endpoint and its port (FIN if still open); no event any more. NULL is allowed. */
void iw_endpoint_free(struct iw_endpoint *endpoint);

/* The number of its stream, as its memory knows it (iw_memory_number); 0 without memory. */
uint64_t iw_endpoint_number(const struct iw_endpoint *endpoint);

/* The port, which stays the endpoint's: it is gone with iw_endpoint_free. */
struct iw_port *iw_endpoint_port(struct iw_endpoint *endpoint);

/* Answers the Request that IW_EVENT_REQUESTED has told of, with R=1 for `reject`. Returns false if none
 * waits. */
bool iw_endpoint_answer(struct iw_endpoint *endpoint, bool reject);

/* Adds `count` receive buffers of `octets` each, at most 64 MiB, or with IW_RECEIVES_ENDLESS buffers without
 * end. Each Send or Immediate takes the oldest. IW_ERR_NOMEM. */
enum iw_status iw_endpoint_receives(struct iw_endpoint *endpoint, uint32_t count, uint32_t octets);

/* A message to be sent. */
struct iw_post {
    uint8_t opcode;         /* any; its table row gives T, QN and the header's size */
    uint64_t id;            /* handed back in SENT, READ_DONE, ANSWERED, COMPLETED, FLUSHED */
    const uint8_t *payload; /* copied; cut into segments by MULPDU */
    size_t payload_octets;
    bool borrowed;            /* the payload is not copied: it stays as it is until SENT or FLUSHED */
    uint32_t invalidate_stag; /* the untagged header's RsvdULP[8:39] */
    uint32_t stag;            /* tagged */
    uint64_t to;
    struct iw_read_request read; /* READ_REQUEST */
    const uint8_t *header;       /* RDMAP header of other opcodes that have one, or NULL: all zero */
    /* Called for every segment before the endpoint's filter; what it changes is sent as it is. May be NULL.
     * `adjust_user` must stay until SENT or FLUSHED. */
    iw_emit_filter *adjust;
    void *adjust_user;
};

/* Queues a message; messages leave in the order they were posted, requests on queue 1 only while fewer than
 * ORD are open; these are answered in that order, too. A responder holds them all until the first FPDU has
 * come. Before ESTABLISHED they wait; after the end they are FLUSHED (from the loop). IW_ERR_NOMEM;
 * IW_ERR_ARGUMENT: longer than 2^32 - 1 octets. */
enum iw_status iw_endpoint_post(struct iw_endpoint *endpoint, const struct iw_post *post);

/* Octets and messages posted that have not gone to TCP. */
size_t iw_endpoint_backlog(const struct iw_endpoint *endpoint);

/* Sends FIN when all that was posted is sent, all requests are answered, and what the peer has asked for is
 * given. What a responder still has to hold is flushed. */
void iw_endpoint_close(struct iw_endpoint *endpoint);

/* Sends RST now. No event follows but FLUSHED. */
void iw_endpoint_reset(struct iw_endpoint *endpoint);

/* Sends a Terminate of that error without headers, then FIN; what is posted is flushed. For the ULP's own
 * errors (RFC 5040 5.4). */
void iw_endpoint_terminate(struct iw_endpoint *endpoint, uint16_t error);

/* ---- by hand ---- */

/* Fills in the startup frame that the endpoint would send now: as initiator its Request, as responder its
 * Reply to the Request that came (or to none). */
void iw_endpoint_prepare_startup(struct iw_endpoint *endpoint, struct iw_emit *emit);

/* Fills in an FPDU as iw_emit_init_fpdu, with the next MSN of its queue. */
void iw_endpoint_prepare_fpdu(const struct iw_endpoint *endpoint, uint8_t opcode, struct iw_emit *emit);

/* What iw_endpoint_emit would make of it now, before it is cut: see iw_emit_measure. `waiting` are octets
 * that go out in front of it, in the same write. */
struct iw_fpdu_shape iw_endpoint_measure(
    const struct iw_endpoint *endpoint, const struct iw_emit *emit, size_t *waiting);

/* Sends at once what the caller says, in any phase, past queue and filter; overtakes what waits for TCP
 * never. A startup frame is remembered as this side's. A single-segment untagged FPDU that has the next MSN
 * of its queue uses it up; a request on queue 1 so sent counts as open. Octets count for the place of the
 * markers once in full operation. IW_ERR_NOMEM. */
enum iw_status iw_endpoint_emit(struct iw_endpoint *endpoint, const struct iw_emit *emit);

/* Enters full operation with these terms, or with NULL as the frames sent and received settle it. What came
 * behind the startup frame is then read. No RTR is sent and none awaited. */
void iw_endpoint_full(struct iw_endpoint *endpoint, const struct iw_terms *terms);

/* Leaves MPA: what comes from now on is OCTETS. */
void iw_endpoint_leave(struct iw_endpoint *endpoint);

/* MPA begins, or begins again: what comes from now on is a startup frame, and the endpoint does its part of
 * the startup (RFC 5044 7.1.3). */
void iw_endpoint_await_startup(struct iw_endpoint *endpoint);

#endif
