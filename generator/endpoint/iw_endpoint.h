#pragma once

#include "iw_policy.h"
#include "iw_port.h"

/* One iWARP connection as initiator or responder: MPA startup, full operation, Terminate. By default it
 * conforms; each automatic action can be switched off, and each value it sends can be changed. */

/* What the endpoint does on its own. */
struct iw_automatic {
    bool startup;   /* sends the Request, answers a Request, enters full operation, closes on an error */
    bool rtr;       /* initiator: sends the RTR if A=1; responder: handles an RTR, and sends
                       no FPDU before the initiator's first FPDU */
    bool responses; /* checks receive buffers and accesses to the memory, places tagged segments,
                       invalidates STags, executes and answers requests */
    bool terminate; /* sends Terminate and FIN for an error of the peer; such an error, or the peer's
                       Terminate, ends receiving. If false, an error is reported, its segment ignored */
    bool close; /* answers the peer's FIN by a FIN once everything pending is sent (RFC 5041 6.2.1), and the
                   peer's Terminate by a FIN at once */
};

enum { IW_RECEIVES_ENDLESS = UINT32_MAX };

enum { IW_ENDPOINT_EMSS = 1448 }; /* assumed payload of a TCP segment, without `emss_of_tcp` */
enum { IW_ENDPOINT_DEPTH = 8 };   /* default IRD and ORD */

struct iw_endpoint_timeouts {
    uint32_t startup_ms; /* to wait for the peer's startup frame [10,000] */
    uint32_t close_ms;   /* limit until the endpoint sends RST: it awaits the peer's FIN after its own FIN or
                            Terminate; after the peer's FIN, it waits until the peer reads [5,000] */
};

/* Receive buffers for untagged messages of the peer's ULP. */
struct iw_endpoint_receives {
    uint32_t count;  /* initial receive buffers, or IW_RECEIVES_ENDLESS [0] */
    uint32_t octets; /* size of each buffer */
    bool by_sink;    /* the sink reassembles the messages from IW_EVENT_FPDU; there is no IW_EVENT_MESSAGE */
};

/* Values of 0 mean the default in brackets. */
struct iw_endpoint_config {
    bool initiator;
    uint8_t revision;  /* initiator: of the Request [1]; responder: the highest it accepts [2] */
    bool enhanced;     /* initiator with revision 2: with enhanced data */
    bool no_crc;       /* does not request CRC (C=0) */
    bool markers;      /* requests Markers in the FPDUs that it receives (M=1) */
    bool peer_to_peer; /* initiator: A=1 */
    unsigned rtr; /* set of enum iw_rtr: types that the initiator can send or the responder accepts [all] */
    uint16_t ird; /* inbound requests on queue 1 that it can hold */
    uint16_t ord; /* outbound requests on queue 1 that it wants to have outstanding */
    bool reject;  /* responder: R=1 */
    bool held;    /* responder: waits for iw_endpoint_answer before it answers a Request */
    bool local_error; /* simulates a local error that ends the stream (RFC 6581 9.3): of an initiator at the
                         Reply, of a responder at the first valid FPDU */
    bool streaming;   /* starts outside MPA, until iw_endpoint_await_startup (RFC 5044 7.1) */
    const uint8_t *private_data; /* borrowed until the startup frame is sent */
    size_t private_octets;
    uint16_t mulpdu;     /* octets [derived from IW_ENDPOINT_EMSS, RFC 5044 4.5] */
    bool emss_of_tcp;    /* derives a mulpdu of 0 from TCP's EMSS at the end of the startup */
    bool joined;         /* several FPDUs may go to TCP in one write; otherwise each has its own write */
    unsigned extensions; /* set of enum iw_extension that it accepts */
    struct iw_endpoint_timeouts timeouts;
    struct iw_endpoint_receives receives;
    struct iw_automatic automatic;
    struct iw_memory *memory; /* borrowed; NULL: no STag is valid */
    uint32_t domain; /* protection domain of the stream; regions of other domains are not accessible [0] */
    struct iw_policy policy; /* [conforms, with the usual choices] */
};

/* Everything automatic, IRD and ORD 8, no memory; otherwise the defaults in brackets. */
struct iw_endpoint_config iw_endpoint_config_default(bool initiator);

/* What the two startup frames have negotiated, or what was given to iw_endpoint_full. */
struct iw_terms {
    bool markers_out; /* Markers in the FPDUs that this endpoint sends */
    bool markers_in;
    bool crc;
    bool enhanced;     /* both frames carried enhanced data */
    bool peer_to_peer; /* both frames have A=1 */
    unsigned rtr;      /* set of enum iw_rtr that both frames name; 0 unless `peer_to_peer` */
    uint8_t revision;
    uint16_t ird; /* requests on queue 1 that the peer may have outstanding */
    uint16_t ord; /* requests on queue 1 that this endpoint may have outstanding */
};

enum iw_event_kind {
    IW_EVENT_CONNECTED,   /* TCP is open */
    IW_EVENT_STARTUP,     /* a startup frame, or octets in its place, arrived and is not yet handled */
    IW_EVENT_REQUESTED,   /* responder with `held`: a Request waits for iw_endpoint_answer */
    IW_EVENT_ESTABLISHED, /* full operation: `terms` */
    IW_EVENT_REJECTED,    /* a Reply with R=1 was received or sent: MPA ends; TCP stays open by default */
    IW_EVENT_OCTETS,      /* octets outside MPA: with `streaming`, after a Reject or iw_endpoint_leave */
    IW_EVENT_FPDU,        /* each FPDU received, before it is handled; `error` is the error it will cause */
    IW_EVENT_RTR, /* responder: the initiator's RTR arrived: `opcode`. Besides FPDU, the RTR causes no other
                     event, unless the policy delivers an RTR Send */
    IW_EVENT_MESSAGE,  /* a complete Send or Immediate Data: `opcode`, `msn`, `octets`, and `invalidate_stag`,
                          the STag invalidated, or 0 */
    IW_EVENT_TAGGED,   /* the last segment of an RDMA Write: `stag`, `to`, `length` of the message */
    IW_EVENT_READ,     /* a Read Request arrived and is not answered yet: `read` */
    IW_EVENT_EXECUTED, /* an Atomic, Flush, Verify or Atomic Write of the peer is executed and answered:
                          `opcode`, `stag`, `to`, `length` */
    IW_EVENT_READ_DONE, /* the post `id`, a Read, is answered: `read`, `stag`, `to`, `length` */
    IW_EVENT_ANSWERED,  /* the post `id`, a request other than a Read, is answered: `opcode` of the request,
                           `original` (Atomic), `octets` (Verify: the hash) */
    IW_EVENT_SENT, /* all octets of the post `id` are written to the port, which may still queue them; of a
                      request, only the request message, not its response. Later posts do not wait for the
                      response */
    IW_EVENT_COMPLETED, /* the post `id` and all posts before it are sent and, if requests, answered.
                           Completions come in the order of the posts (RFC 5040 5.5) */
    IW_EVENT_FLUSHED, /* the post `id` will not be sent, or it or an earlier request will not be answered (RFC
                         5041 6.2.2). Each post has one COMPLETED or one FLUSHED, unless the endpoint is freed
                         before */
    IW_EVENT_TERMINATE, /* a Terminate arrived: `terminate` */
    IW_EVENT_ERROR,  /* an error or timeout of the peer, or a local failure: `error`, `text`, `terminates` */
    IW_EVENT_CLOSED, /* `end`, `text`, `pending`; once; with automatic.close, only FLUSHED may follow */
};

enum iw_end {
    IW_END_FIN,     /* the peer closed */
    IW_END_RST,     /* the peer reset */
    IW_END_FAILED,  /* could not connect, or connection lost */
    IW_END_TIMEOUT, /* the peer did not close or read in time; this endpoint sent RST */
};

/* The name of the end: "fin", "rst", "failed" or "timeout". */
const char *iw_end_name(enum iw_end end);

/* Pointers are valid during the call only. Ignore members that are not named for the kind. */
struct iw_event {
    enum iw_event_kind kind;
    uint64_t time_ns;

    const struct iw_startup *startup; /* STARTUP, REJECTED if received */
    const struct iw_terms *terms;     /* ESTABLISHED */

    const struct iw_fpdu *fpdu;       /* FPDU */
    const struct iw_segment *segment; /* FPDU, unless its DDP header is truncated; MESSAGE, TAGGED, READ,
                                         TERMINATE: the last segment */
    int error;                        /* FPDU, ERROR: enum iw_error or IW_NO_ERROR */
    bool terminates;                  /* ERROR: a Terminate is sent */

    uint8_t opcode;
    uint32_t msn;
    uint32_t stag;
    uint64_t to;
    uint64_t length;
    uint32_t invalidate_stag;
    uint64_t id;
    uint64_t original; /* ANSWERED: Original Remote Data Value */
    const struct iw_read_request *read;
    const struct iw_terminate_message *terminate; /* NULL if truncated */
    const uint8_t *octets;                        /* STARTUP, OCTETS, MESSAGE, ANSWERED */
    size_t octet_count;

    enum iw_end end;
    bool pending; /* CLOSED: the stream ended within a startup frame or FPDU */
    const char *text;
};

struct iw_endpoint;

/* Takes an event. May call any function of the endpoint, iw_endpoint_free included. */
typedef void iw_endpoint_sink(void *user, struct iw_endpoint *endpoint, const struct iw_event *event);

/* Connects to `port` of `host`. `config` is copied. Events come from the loop, and from within
 * iw_endpoint_answer and iw_endpoint_full. On an error, returns NULL with a `text`, as iw_port_connect. */
struct iw_endpoint *iw_endpoint_connect(struct iw_loop *loop, const char *host, uint16_t port,
    const struct iw_endpoint_config *config, iw_endpoint_sink *sink, void *user, char *text);

/* Takes over a port that was accepted or is connecting and has no handlers yet; its tap, if any, is already
 * set. Events come as for iw_endpoint_connect, CONNECTED first. Returns NULL if memory runs out; then the
 * caller still owns the port. */
struct iw_endpoint *iw_endpoint_accept(
    struct iw_port *port, const struct iw_endpoint_config *config, iw_endpoint_sink *sink, void *user);

/* Releases the endpoint and its port (FIN if still open); no event follows. NULL is allowed. */
void iw_endpoint_free(struct iw_endpoint *endpoint);

/* The number of the endpoint's stream in its memory (iw_memory_number); 0 if the endpoint has no memory. */
uint64_t iw_endpoint_number(const struct iw_endpoint *endpoint);

/* The port, which the endpoint owns. */
struct iw_port *iw_endpoint_port(struct iw_endpoint *endpoint);

/* Answers the Request of IW_EVENT_REQUESTED, with R=1 for `reject`. Returns false if no Request waits. */
bool iw_endpoint_answer(struct iw_endpoint *endpoint, bool reject);

/* Adds `count` receive buffers (IW_RECEIVES_ENDLESS: an unlimited number) of `octets` each, at most 64 MiB.
 * Each Send or Immediate Data takes the oldest buffer. Returns IW_OK or IW_ERR_NOMEM. */
enum iw_status iw_endpoint_receives(struct iw_endpoint *endpoint, uint32_t count, uint32_t octets);

/* A message to send. */
struct iw_post {
    uint8_t opcode;         /* any; iw_opcode.def gives T, QN and the header's size */
    uint64_t id;            /* reported in SENT, READ_DONE, ANSWERED, COMPLETED, FLUSHED */
    const uint8_t *payload; /* copied unless `borrowed`; segmented by MULPDU */
    size_t payload_octets;
    bool borrowed; /* copied only for a request: the payload must stay unchanged until SENT or FLUSHED */
    uint32_t invalidate_stag; /* the untagged header's RsvdULP[8:39] */
    uint32_t stag;            /* tagged */
    uint64_t to;
    struct iw_read_request read; /* READ_REQUEST */
    const uint8_t *header;       /* RDMAP header for other opcodes that have one; NULL: all zero */
    /* Changes each segment before the endpoint's filter sees it. May be NULL. `adjust_user` must stay valid
     * until SENT or FLUSHED. */
    iw_emit_filter *adjust;
    void *adjust_user;
};

/* Queues a message. Messages are sent in the order of the posts; requests on queue 1 only while fewer than
 * ORD are outstanding, and they are answered in order. A responder sends no post before the first FPDU
 * arrives. Posts made before ESTABLISHED wait; posts made after iw_endpoint_close or the end of the stream
 * are FLUSHED (from the loop). Returns IW_OK, IW_ERR_NOMEM, or IW_ERR_ARGUMENT if the payload is longer than
 * 2^32 - 1 octets. */
enum iw_status iw_endpoint_post(struct iw_endpoint *endpoint, const struct iw_post *post);

/* Octets queued for TCP, plus the unsent payload of posts, plus the number of posts that are not completely
 * sent. After a FIN by iw_endpoint_emit, posts do not count. */
size_t iw_endpoint_backlog(const struct iw_endpoint *endpoint);

/* Sends FIN once all posts are sent, all requests are answered, and the peer's requests are answered. Posts
 * that a responder may not send yet are flushed. */
void iw_endpoint_close(struct iw_endpoint *endpoint);

/* Sends RST now. Only FLUSHED may follow. */
void iw_endpoint_reset(struct iw_endpoint *endpoint);

/* Sends a Terminate with that error and no headers, then FIN; posts are flushed. For errors of the ULP (RFC
 * 5040 5.4). Does nothing outside full operation. */
void iw_endpoint_terminate(struct iw_endpoint *endpoint, uint16_t error);

/* Fills in the startup frame that the endpoint would send now: the initiator's Request, or the responder's
 * Reply to the Request received, if any. */
void iw_endpoint_prepare_startup(struct iw_endpoint *endpoint, struct iw_emit *emit);

/* Fills in an FPDU as iw_emit_init_fpdu, with the next MSN of its queue. */
void iw_endpoint_prepare_fpdu(const struct iw_endpoint *endpoint, uint8_t opcode, struct iw_emit *emit);

/* The shape of what iw_endpoint_emit would send now (see iw_emit_measure). Sets `waiting` to the number of
 * merged octets that precede the item in the same write. */
struct iw_fpdu_shape iw_endpoint_measure(
    const struct iw_endpoint *endpoint, const struct iw_emit *emit, size_t *waiting);

/* Sends the item in any phase, after everything already written to the port, but bypassing the queue of posts
 * and the filter. The terms are negotiated with a startup frame that was sent in this way. An untagged FPDU
 * with L=1 and the next MSN of its queue uses up that MSN; a request on queue 1 counts as outstanding. In
 * full operation the octets count for marker positions. Returns IW_OK or IW_ERR_NOMEM. */
enum iw_status iw_endpoint_emit(struct iw_endpoint *endpoint, const struct iw_emit *emit);

/* Enters full operation, but only from the startup, with these terms; NULL: those that the startup
 * frames have negotiated. Then handles the octets that followed the peer's frame. Neither sends nor
 * awaits an RTR. */
void iw_endpoint_full(struct iw_endpoint *endpoint, const struct iw_terms *terms);

/* Leaves MPA: octets received from now on are reported as OCTETS; posts are flushed. */
void iw_endpoint_leave(struct iw_endpoint *endpoint);

/* Starts or restarts MPA, if the endpoint is outside it: a startup frame is expected next, and the endpoint
 * does its part of the startup (RFC 5044 7.1.3). */
void iw_endpoint_await_startup(struct iw_endpoint *endpoint);
