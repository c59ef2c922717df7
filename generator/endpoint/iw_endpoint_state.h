#ifndef IW_ENDPOINT_STATE_H
#define IW_ENDPOINT_STATE_H

#include "iw_assembly.h"
#include "iw_endpoint.h"
#include "iw_execute.h"
#include "iw_fpdu_reader.h"

/* The inside of an endpoint, and what its modules ask of each other. */

enum {
    IW_ENDPOINT_HELD_MAX = 262144,      /* octets kept between startup frame and full operation */
    IW_ENDPOINT_MESSAGE_MAX = 67108864, /* octets of an untagged message that are put together */
    IW_ENDPOINT_REQUESTS_MAX = 65536,   /* inbound requests kept, whatever IRD says */
    IW_ENDPOINT_BURST = 64,             /* FPDUs sent before the loop has its turn */
    IW_ENDPOINT_SPARE_OCTETS = 512,     /* payload of a post that is kept to be used again */
    IW_ENDPOINT_SPARE_MAX = 16,         /* posts, and requests of the peer, that are kept so */
};

enum iw_phase {
    IW_PHASE_CONNECTING,
    IW_PHASE_STARTUP, /* a startup frame is awaited */
    IW_PHASE_HOLD,    /* it has come; octets are kept until iw_endpoint_full */
    IW_PHASE_FULL,
    IW_PHASE_OUTSIDE, /* MPA is left */
    IW_PHASE_DEAF,    /* after an error or a Terminate: what comes is dropped */
    IW_PHASE_OVER,    /* nothing is to be had from TCP any more */
};

/* A posted message, and then, if it is a request on queue 1, what waits for its answer. */
struct iw_endpoint_post {
    struct iw_endpoint_post *next;
    struct iw_post post;         /* payload and header point behind this struct */
    size_t sent;                 /* octets of the payload */
    bool silent;                 /* makes no events: an RTR */
    bool by_hand;                /* a request that was not posted: it is answered, but completes nothing */
    bool open;                   /* a request that is sent whole */
    struct iw_read_request read; /* READ_REQUEST: as it was sent */
    uint64_t answered;           /* and octets of its answer */
    uint32_t identifier;         /* ATOMIC_REQUEST: as it was sent */
    size_t capacity;             /* of `octets` */
    uint8_t octets[];
};

/* What is sent, but not complete as long as requests before it are open. */
struct iw_endpoint_completion {
    uint64_t id;
    uint64_t after; /* so many requests, counted from the first */
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
    uint8_t ddp[iw_ddp_untagged_octets]; /* for a Terminate, */
    uint16_t length;                     /* and its ULPDU_Length */
    uint8_t opcode;
    bool begun;                        /* octets of its answer are sent */
    struct iw_read_request read;       /* READ_REQUEST */
    uint64_t served;                   /* octets of it */
    struct iw_execute_request execute; /* any other */
};

struct iw_receive_buffers {
    uint32_t count; /* or IW_RECEIVES_ENDLESS */
    uint32_t octets;
};

/* A segment of a Write that is still to be placed. */
struct iw_overtaken {
    uint8_t *octets; /* NULL: none */
    size_t count;
    uint32_t stag;
    uint64_t to;
};

struct iw_endpoint {
    struct iw_port *port;
    struct iw_loop *loop;
    struct iw_endpoint_config config;
    iw_endpoint_sink *sink;
    void *user;
    enum iw_phase phase;
    uint64_t number;                /* of the stream, as the memory knows it */
    struct iw_memory_stream stream; /* joined from full operation to the end */
    unsigned depth;                 /* entries from the loop and the user that are running */
    uint64_t now_ns;                /* when the first of them began */
    bool pumping;                   /* iw_endpoint_pump runs before they end */
    bool replying;                  /* a request of the peer is being answered */
    struct iw_overtaken overtaken;  /* for IW_OMITTED_CHECK_OVERTAKEN */
    bool freed;
    bool told_closed;
    bool half_closed; /* the peer has closed, and is told the rest of what it has asked for */
    char closed_text[IW_PORT_TEXT_OCTETS];
    struct iw_timer startup_timer;
    struct iw_timer close_timer;
    struct iw_timer turn_timer;
    struct iw_timer reply_timer; /* answers wait for it */

    /* startup */
    bool requested;               /* a Request waits for iw_endpoint_answer */
    struct iw_startup peer_frame; /* private_data is NULL */
    struct iw_startup own_frame;
    struct iw_terms terms;

    /* sending */
    bool may_send; /* responder: the first FPDU has come */
    bool fin_wanted;
    bool fin_sent;
    bool fin_by_hand; /* sent by iw_endpoint_emit: nothing that is posted can follow */
    bool reply_last;  /* the last message sent was an answer */
    struct iw_fpdu_writer writer;
    uint8_t *merged; /* what goes out with the next write */
    size_t merged_octets;
    uint32_t next_msn[IW_QN_COUNT];
    struct iw_post_list posts;
    size_t unsent;            /* octets of their payload that are still to be sent */
    struct iw_post_list open; /* requests that wait for their answer, oldest first */
    struct iw_endpoint_completions completions;
    uint64_t requests_sent;
    uint64_t requests_answered;
    struct iw_post_list flushed;
    struct iw_post_list spare;
    struct iw_endpoint_request *requests; /* of the peer, oldest first */
    struct iw_endpoint_request **last_request;
    uint32_t request_count;
    struct iw_endpoint_request *spare_requests;
    uint32_t spare_request_count;

    /* receiving */
    uint64_t received; /* octets */
    uint8_t *held;     /* startup frame, and what came behind it */
    size_t held_octets;
    size_t held_capacity;
    struct iw_fpdu_reader reader;
    struct iw_sequence sequence;
    struct iw_assembly assembly;
    bool first_fpdu; /* the next one is */
    struct iw_receive_buffers *buffers;
    size_t buffer_entries;
    bool message_open;       /* a Send has begun and its last segment has not come */
    uint64_t message_octets; /* of it that have come */
    uint32_t buffer_octets;  /* of the buffer it has taken */
    uint8_t message_opcode;
    uint32_t message_invalidate_stag;
};

/* iw_endpoint.c */
void iw_endpoint_enter(struct iw_endpoint *endpoint);
void iw_endpoint_exit(struct iw_endpoint *endpoint); /* the endpoint may be gone afterwards */
void iw_endpoint_tell(struct iw_endpoint *endpoint, struct iw_event *event);
void iw_endpoint_turn(struct iw_endpoint *endpoint); /* goes on from the loop */
void iw_endpoint_flush(struct iw_endpoint *endpoint);
void iw_endpoint_pump_late(struct iw_endpoint *endpoint);   /* answers begin a little later than now */
void iw_endpoint_await_close(struct iw_endpoint *endpoint); /* leaves FIN to the peer, for so long */
void iw_endpoint_shut(struct iw_endpoint *endpoint, enum iw_emit_cause cause);

/* iw_endpoint_post.c */
void iw_post_list_push(struct iw_post_list *list, struct iw_endpoint_post *post);
void iw_post_list_push_first(struct iw_post_list *list, struct iw_endpoint_post *post);
struct iw_endpoint_post *iw_post_list_pop(struct iw_post_list *list);
/* A post, all zero but `capacity`, with room for that many octets; NULL if there is no
 * memory. */
struct iw_endpoint_post *iw_endpoint_post_new(struct iw_endpoint *endpoint, size_t octets);
void iw_endpoint_post_free(struct iw_endpoint *endpoint, struct iw_endpoint_post *post);
bool iw_endpoint_is_request(uint8_t opcode); /* on queue 1, to be answered */
void iw_endpoint_posts_init(struct iw_endpoint *endpoint);
void iw_endpoint_posts_dispose(struct iw_endpoint *endpoint);

/* iw_endpoint_complete.c */
/* The post is sent whole: a request is open then, anything else is complete unless requests are open. */
void iw_endpoint_post_sent(struct iw_endpoint *endpoint, struct iw_endpoint_post *post);
/* A request is sent, and awaits its answer. */
void iw_endpoint_request_open(struct iw_endpoint *endpoint, struct iw_endpoint_post *post);
/* The oldest open request is answered, and `event` says how: it is complete, and what was sent behind it. */
void iw_endpoint_request_answered(struct iw_endpoint *endpoint, struct iw_event *event);
/* The post, a request that is open or anything that is not sent whole, comes to nothing, as does what waits
 * for it. */
void iw_endpoint_post_flushed(struct iw_endpoint *endpoint, struct iw_endpoint_post *post);
void iw_endpoint_completions_dispose(struct iw_endpoint *endpoint);

/* iw_endpoint_startup.c */
void iw_endpoint_startup_begin(struct iw_endpoint *endpoint);
void iw_endpoint_startup_octets(struct iw_endpoint *endpoint, const uint8_t *octets, size_t length);
void iw_endpoint_startup_note(struct iw_endpoint *endpoint, const struct iw_emit *emit);
/* Ends the stream for iw_endpoint_config.local_error. */
void iw_endpoint_fail_locally(struct iw_endpoint *endpoint);

/* iw_endpoint_write.c */
enum iw_status iw_endpoint_put(struct iw_endpoint *endpoint, const struct iw_emit *emit);
/* As the filter has it. Without memory the endpoint gives up: all posts and requests are flushed then. */
void iw_endpoint_put_filtered(struct iw_endpoint *endpoint, struct iw_emit *emit);
void iw_endpoint_fin(struct iw_endpoint *endpoint); /* behind all that was put */

/* iw_endpoint_send.c */
void iw_endpoint_pump(struct iw_endpoint *endpoint);
bool iw_endpoint_has_to_say(const struct iw_endpoint *endpoint); /* something that can be sent now */
void iw_endpoint_send_rtr(struct iw_endpoint *endpoint, enum iw_rtr rtr);
size_t iw_endpoint_room(const struct iw_endpoint *endpoint, size_t headers); /* for payload in a segment */

/* iw_endpoint_gather.c: whether iw_endpoint_gather may be used now. */
bool iw_endpoint_gathers(const struct iw_endpoint *endpoint);
/* Sends FPDUs of a message without RDMAP header, of whose payload the last `*left` octets, at `payload`, are
 * still to be sent: one, or with `joined` many. `first` is the segment that comes next. Takes what is sent
 * from `*left`; the message is sent when that is 0. Returns how many FPDUs, at least 1. */
unsigned iw_endpoint_gather(
    struct iw_endpoint *endpoint, const struct iw_segment *first, const uint8_t *payload, size_t *left);

/* iw_endpoint_reply.c */
/* A request has come, whose DDP header is at `ddp`; `read` is what it says if it is a Read. False if there is
 * no memory. */
bool iw_endpoint_reply_add(struct iw_endpoint *endpoint, const struct iw_segment *segment, const uint8_t *ddp,
    const struct iw_read_request *read);
unsigned iw_endpoint_reply_step(struct iw_endpoint *endpoint); /* FPDUs, or 1 for none */
void iw_endpoint_reply_drop(struct iw_endpoint *endpoint);
void iw_endpoint_reply_dispose(struct iw_endpoint *endpoint);

/* iw_endpoint_check.c: enum iw_error, or IW_NO_ERROR; `skip` is a set of enum iw_skip, to be left out. */
int iw_endpoint_check_fpdu(const struct iw_fpdu *fpdu, bool decoded, unsigned skip);
int iw_endpoint_check_segment(const struct iw_endpoint *endpoint, const struct iw_segment *segment,
    const struct iw_segment_fact *fact, unsigned skip);
/* Whether the message has to wait for those before it. */
bool iw_endpoint_is_ahead(
    const struct iw_endpoint *endpoint, const struct iw_segment *segment, const struct iw_segment_fact *fact);
/* Whether DDP has nothing against it, whatever RDMAP has. */
bool iw_endpoint_ddp_places(const struct iw_endpoint *endpoint, const struct iw_segment *segment);
/* iw_endpoint_check.c: whether the segment is the initiator's sign that the responder may send. */
bool iw_endpoint_is_rtr(const struct iw_endpoint *endpoint, const struct iw_segment *segment);
/* iw_endpoint_overstrict.c: the same, with `fuss`. */
int iw_endpoint_overstrict(
    const struct iw_endpoint *endpoint, const struct iw_fpdu *fpdu, const struct iw_segment *segment);
int iw_endpoint_overstrict_read(const struct iw_endpoint *endpoint, const struct iw_read_request *read);
/* Of what came at once, with so many FPDUs in it. */
void iw_endpoint_overstrict_octets(struct iw_endpoint *endpoint, unsigned fpdus);
/* iw_endpoint_check.c: an access of the peer's, without rights. */
struct iw_access iw_endpoint_access(
    const struct iw_endpoint *endpoint, uint32_t stag, uint64_t to, uint64_t length);

/* iw_endpoint_receive.c */
void iw_endpoint_receive_octets(struct iw_endpoint *endpoint, const uint8_t *octets, size_t length);
void iw_endpoint_receive_held(struct iw_endpoint *endpoint);
void iw_endpoint_place_overtaken(struct iw_endpoint *endpoint);

/* iw_endpoint_terminate.c */
struct iw_endpoint_offence {
    const struct iw_segment *segment;   /* NULL: none, or its header is not whole */
    const uint8_t *ddp;                 /* its DDP header */
    const struct iw_read_request *read; /* of a Read that cannot be served; or NULL */
};
void iw_endpoint_offend(
    struct iw_endpoint *endpoint, uint16_t error, const struct iw_endpoint_offence *offence);
void iw_endpoint_give_up(struct iw_endpoint *endpoint, uint16_t error, const char *text);

#endif
