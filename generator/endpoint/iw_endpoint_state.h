#pragma once

#include "iw_endpoint.h"
#include "iw_fpdu_reader.h"
#include "iw_sequence.h"

enum {
    IW_ENDPOINT_HELD_MAX = 262144,      /* octets held until full operation, startup frame included */
    IW_ENDPOINT_MESSAGE_MAX = 67108864, /* maximum octets of an untagged message that is assembled */
    IW_ENDPOINT_REQUESTS_MAX = 65536,   /* inbound requests queued, whatever the IRD */
    IW_ENDPOINT_BURST = 64, /* after this many FPDUs, sending continues in the next iteration of the loop */
    IW_ENDPOINT_SPARE_OCTETS = 512, /* largest header and payload of a post that is kept for reuse */
    IW_ENDPOINT_SPARE_MAX = 16,     /* limit of posts kept for reuse, and of requests of the peer */
};

enum iw_phase {
    IW_PHASE_CONNECTING,
    IW_PHASE_STARTUP, /* awaits a startup frame */
    IW_PHASE_HOLD,    /* the frame has come; octets are held until iw_endpoint_full or _answer */
    IW_PHASE_FULL,
    IW_PHASE_OUTSIDE, /* outside MPA */
    IW_PHASE_DEAF,    /* after an error, a Terminate or the peer's FIN: received octets are dropped */
    IW_PHASE_OVER,    /* TCP is reset or lost, or the endpoint is freed */
};

/* A posted message. It is freed after sending, but a request on queue 1 after its response. */
struct iw_endpoint_post {
    struct iw_endpoint_post *next;
    struct iw_post post; /* header, and payload unless borrowed, point into `octets` */
    size_t sent;         /* octets of the payload already sent */
    bool silent;         /* an RTR: makes no events */
    bool by_emit;        /* a request sent by iw_endpoint_emit: reports its response, but no COMPLETED */
    bool open;           /* a request that is completely sent */
    struct iw_read_request read; /* READ_REQUEST: as it was sent */
    uint64_t answered;           /* READ_REQUEST: payload octets of its response so far */
    uint32_t identifier;         /* ATOMIC_REQUEST: as it was sent */
    size_t capacity;             /* size of `octets` */
    uint8_t octets[];
};

/* A message that is sent, but completes only after earlier requests. */
struct iw_endpoint_completion {
    uint64_t id;
    uint64_t after; /* completes once this many requests of the stream are answered */
    uint8_t opcode;
};

struct iw_endpoint_completions {
    struct iw_endpoint_completion *ring;
    size_t capacity;
    size_t first;
    size_t count;
};

struct iw_post_list {
    struct iw_endpoint_post *first;
    struct iw_endpoint_post **last;
    uint32_t count;
};

/* A request of the peer on queue 1. */
struct iw_endpoint_request {
    struct iw_endpoint_request *next;
    uint8_t ddp[iw_ddp_untagged_octets]; /* its DDP header, for a Terminate */
    uint16_t length;                     /* its ULPDU_Length, for a Terminate */
    uint8_t opcode;
    bool begun;                        /* part of the response is sent */
    struct iw_read_request read;       /* READ_REQUEST */
    uint64_t served;                   /* octets of the response that are sent */
    struct iw_execute_request execute; /* other requests */
};

struct iw_receive_buffers {
    uint32_t count; /* or IW_RECEIVES_ENDLESS */
    uint32_t octets;
};

/* MPA startup: frames, and the octets that came before full operation. */
struct iw_endpoint_startup {
    struct iw_timer timer;
    bool requested;               /* a Request waits for iw_endpoint_answer */
    struct iw_startup peer_frame; /* private_data is NULL */
    struct iw_startup own_frame;
    uint8_t *held; /* startup frame, and the octets after it */
    size_t held_octets;
    uint32_t held_capacity;
};

/* The untagged message of the peer's ULP that is being received. */
struct iw_endpoint_message {
    bool open; /* its first segment has arrived, its last has not */
    uint8_t opcode;
    uint64_t octets;        /* octets received so far */
    uint32_t buffer_octets; /* size of its buffer */
    uint32_t invalidate_stag;
};

struct iw_endpoint_input {
    struct iw_fpdu_reader reader;
    struct iw_sequence sequence;
    struct iw_assembly assembly;
    struct iw_endpoint_message message;
    uint64_t received; /* octets of the peer in startup and full operation */
    bool first_fpdu;   /* no FPDU has arrived yet */
    struct iw_receive_buffers *buffers;
    size_t buffer_entries;
};

struct iw_endpoint_output {
    bool allowed;    /* FPDUs may be sent; a responder must first receive one */
    bool reply_last; /* the last message sent was a response */
    struct iw_fpdu_writer writer;
    uint8_t *merged; /* octets that `merge` delays; the next write begins with them */
    size_t merged_octets;
    uint32_t merged_capacity;
    uint32_t next_msn[IW_QN_COUNT];
};

struct iw_endpoint_posts {
    struct iw_post_list queued;
    size_t unsent;                   /* unsent octets of the payload of `queued` */
    struct iw_post_list outstanding; /* requests without a complete response, oldest first */
    uint64_t requests_sent;
    uint64_t requests_answered;
    struct iw_endpoint_completions completions;
    struct iw_post_list flushed;
    struct iw_post_list spare;
};

/* Requests of the peer that are not completely answered, oldest first. */
struct iw_endpoint_replies {
    struct iw_endpoint_request *first;
    struct iw_endpoint_request **last;
    uint32_t count;
    bool running; /* a request of the peer is being answered */
    struct iw_endpoint_request *spare;
    uint32_t spare_count;
    struct iw_timer timer; /* while it runs, responses wait (policy.response_delay_us) */
};

struct iw_endpoint_end {
    bool fin_wanted;
    bool fin_sent;
    bool fin_by_emit; /* FIN was sent by iw_endpoint_emit: posts cannot follow */
    bool half_closed; /* the peer has closed its half; responses and posts are still sent */
    bool reported;    /* IW_EVENT_CLOSED was reported, or iw_endpoint_reset has suppressed it */
    struct iw_timer timer;
    char text[IW_PORT_TEXT_OCTETS];
};

struct iw_endpoint {
    struct iw_port *port;
    struct iw_loop *loop;
    iw_endpoint_sink *sink;
    void *user;
    enum iw_phase phase;
    unsigned depth;  /* nested calls from the loop and the user */
    uint64_t now_ns; /* start of the outermost call */
    bool pumping;    /* iw_endpoint_pump runs, or will run before the outermost call ends */
    bool freed;
    struct iw_terms terms;
    struct iw_endpoint_input input;
    struct iw_endpoint_output output;
    struct iw_endpoint_posts posts;
    struct iw_endpoint_replies replies;
    struct iw_timer turn_timer;
    struct iw_endpoint_config config;
    uint64_t number;                /* number of the stream, from iw_memory_number */
    struct iw_memory_stream stream; /* may use the memory from full operation until the stream ends */
    struct iw_endpoint_startup startup;
    struct iw_endpoint_end end;
};

void iw_endpoint_enter(struct iw_endpoint *endpoint);
void iw_endpoint_exit(struct iw_endpoint *endpoint); /* may free the endpoint */
void iw_endpoint_notify(struct iw_endpoint *endpoint, struct iw_event *event);
void iw_endpoint_schedule(struct iw_endpoint *endpoint); /* resumes receiving and sending, from the loop */
void iw_endpoint_flush(struct iw_endpoint *endpoint);
void iw_endpoint_pump_late(struct iw_endpoint *endpoint); /* delays responses by policy.response_delay_us */
/* Sends RST after close_ms, unless the peer sends FIN or continues to read. */
void iw_endpoint_await_close(struct iw_endpoint *endpoint);
void iw_endpoint_shut(struct iw_endpoint *endpoint, enum iw_emit_cause cause);

void iw_post_list_push(struct iw_post_list *list, struct iw_endpoint_post *post);
void iw_post_list_push_first(struct iw_post_list *list, struct iw_endpoint_post *post);
struct iw_endpoint_post *iw_post_list_pop(struct iw_post_list *list);
/* Makes a zeroed post with space for `octets` octets. Returns NULL if memory runs out. */
struct iw_endpoint_post *iw_endpoint_post_new(struct iw_endpoint *endpoint, size_t octets);
void iw_endpoint_post_free(struct iw_endpoint *endpoint, struct iw_endpoint_post *post);
bool iw_endpoint_is_request(uint8_t opcode); /* whether it is sent on queue 1 and has a response */
void iw_endpoint_posts_init(struct iw_endpoint *endpoint);
void iw_endpoint_posts_dispose(struct iw_endpoint *endpoint);

/* The post is sent: a request becomes outstanding; another message completes, after earlier requests. */
void iw_endpoint_post_sent(struct iw_endpoint *endpoint, struct iw_endpoint_post *post);
void iw_endpoint_request_open(struct iw_endpoint *endpoint, struct iw_endpoint_post *post);
/* Reports `event`; then completes the oldest outstanding request and the messages that waited for it. */
void iw_endpoint_request_answered(struct iw_endpoint *endpoint, struct iw_event *event);
/* Flushes the post, which is outstanding or not completely sent, and the messages that wait for it. */
void iw_endpoint_post_flushed(struct iw_endpoint *endpoint, struct iw_endpoint_post *post);
void iw_endpoint_completions_dispose(struct iw_endpoint *endpoint);

void iw_endpoint_startup_begin(struct iw_endpoint *endpoint);
void iw_endpoint_startup_octets(struct iw_endpoint *endpoint, const uint8_t *octets, size_t length);
void iw_endpoint_startup_note(struct iw_endpoint *endpoint, const struct iw_emit *emit);
/* Ends the stream because of iw_endpoint_config.local_error. */
void iw_endpoint_fail_locally(struct iw_endpoint *endpoint);

enum iw_status iw_endpoint_put(struct iw_endpoint *endpoint, const struct iw_emit *emit);
/* Applies the policy's filter to `emit`. Returns how many times to send it. */
unsigned iw_endpoint_filter(struct iw_endpoint *endpoint, struct iw_emit *emit);
/* Filters and sends the item. If memory runs out, the endpoint gives up and flushes posts and requests. */
void iw_endpoint_put_filtered(struct iw_endpoint *endpoint, struct iw_emit *emit);
void iw_endpoint_fin(struct iw_endpoint *endpoint); /* sends FIN after everything written before */

void iw_endpoint_pump(struct iw_endpoint *endpoint);
bool iw_endpoint_can_send(const struct iw_endpoint *endpoint); /* whether a post or response is ready */
void iw_endpoint_send_rtr(struct iw_endpoint *endpoint, enum iw_rtr rtr);
/* The largest payload of a segment with `headers` octets of headers; at least 1. */
size_t iw_endpoint_payload_limit(const struct iw_endpoint *endpoint, size_t headers);

/* Whether iw_endpoint_gather may be used now. */
bool iw_endpoint_gathers(const struct iw_endpoint *endpoint);
/* Sends one or more FPDUs of a message without RDMAP header; joins several in one write only with `joined`.
 * `first` describes the next segment, `payload` points to the `*left` octets not sent yet. Subtracts the
 * octets sent from `*left`; 0: the message is complete. Returns the number of FPDUs, at least 1. */
unsigned iw_endpoint_gather(
    struct iw_endpoint *endpoint, const struct iw_segment *first, const uint8_t *payload, size_t *left);

/* Queues a request; `ddp` points to its DDP header, `read` to a decoded Read Request (unused for other
 * requests). Returns false if memory runs out. */
bool iw_endpoint_reply_add(struct iw_endpoint *endpoint, const struct iw_segment *segment, const uint8_t *ddp,
    const struct iw_read_request *read);
/* Answers the oldest request, completely or in part. Returns the FPDUs sent, or 1 if the request fails. */
unsigned iw_endpoint_reply_step(struct iw_endpoint *endpoint);
void iw_endpoint_reply_drop(struct iw_endpoint *endpoint);
void iw_endpoint_reply_dispose(struct iw_endpoint *endpoint);

/* Check an FPDU or segment. `policy` selects the checks; NULL: those that are on by default. The endpoint's
 * own policy always gives `access`, `slots` and `omitted_accesses`. Return enum iw_error or IW_NO_ERROR. */
int iw_endpoint_check_fpdu(const struct iw_fpdu *fpdu, bool decoded, const struct iw_policy *policy);
int iw_endpoint_check_segment(const struct iw_endpoint *endpoint, const struct iw_segment *segment,
    const struct iw_segment_fact *fact, const struct iw_policy *policy);
/* Whether the MSN is later than expected, the policy does not reject that, and a buffer for it is free. The
 * caller then drops the segment: to the peer it looks like a message that waits for the earlier ones. */
bool iw_endpoint_is_ahead(
    const struct iw_endpoint *endpoint, const struct iw_segment *segment, const struct iw_segment_fact *fact);
bool iw_endpoint_is_rtr(const struct iw_endpoint *endpoint, const struct iw_segment *segment);
/* The peer's access to `length` octets, to be checked; the caller adds the rights that it needs. */
struct iw_access iw_endpoint_access(
    const struct iw_endpoint *endpoint, uint32_t stag, uint64_t to, uint64_t length);

void iw_endpoint_receive_octets(struct iw_endpoint *endpoint, const uint8_t *octets, size_t length);
void iw_endpoint_receive_held(struct iw_endpoint *endpoint);
/* Places the segments whose placement the policy has delayed. */
void iw_endpoint_settle(struct iw_endpoint *endpoint);

struct iw_endpoint_offence {
    const struct iw_segment *segment;   /* cause of the error; NULL: no segment, or its header is truncated */
    const uint8_t *ddp;                 /* the DDP header of `segment` */
    const struct iw_read_request *read; /* the rest of a Read that cannot be served; or NULL */
};
void iw_endpoint_offend(
    struct iw_endpoint *endpoint, uint16_t error, const struct iw_endpoint_offence *offence);
void iw_endpoint_give_up(struct iw_endpoint *endpoint, uint16_t error, const char *text);
