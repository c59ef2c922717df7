#ifndef IW_RULE_STATE_H
#define IW_RULE_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* What the rules remember of one side. Each struct is the memory of the file that it names; other rules ask
 * that file. */

/* A reference to a finding that later ones may follow from. */
struct iw_finding_ref {
    uint64_t number; /* 0: none */
    uint64_t frame;
};

/* A finding that others about the same message or queue may follow from. */
struct iw_fault {
    struct iw_finding_ref finding;
    uint64_t message_frame; /* in which the message at fault began */
    uint32_t qn;            /* IW_QN_COUNT: tagged */
    bool warning;
};

/* iw_rule_operation.c: the latest findings about responses. */
struct iw_response_faults {
    struct {
        struct iw_finding_ref finding; /* that one is out of order */
        uint64_t due_frame;            /* of the request that is due */
    } order;
    struct {
        struct iw_finding_ref finding; /* that a Read Response has the length of another one */
        uint32_t expected, actual;     /* octets */
    } length;
};

/* iw_rule_size.c */
struct iw_size_habit {
    uint8_t small_segments; /* number of segments that are smaller than necessary, counted up to a limit */
    bool large_reported;    /* a finding has reported segments larger than the MULPDU */
};

/* iw_rule_marker.c */
struct iw_marker_faults {
    struct iw_finding_ref latest; /* its latest Marker is wrong */
    struct iw_finding_ref first;  /* its first Marker is missing */
};

/* iw_rule_stag.c: a row of STags, each without the ULP's octet. */
struct iw_stag_row {
    uint32_t index;      /* the latest */
    uint32_t step;       /* difference to the previous one; 0 before the first */
    uint8_t even_steps;  /* number of steps with the length of the latest */
    uint8_t small_steps; /* number of consecutive short steps */
    bool even_reported;
    bool small_reported;
};

/* iw_rule_reaction.c: a response that proves that the receiver continued after a message that it must reject.
 * Used if it is no longer known which requests are outstanding. */
struct iw_telltale {
    uint64_t request_frame;
    uint64_t request_end; /* stream offset after that request */
    uint64_t to;          /* Read Response: the Data Sink Tagged Offset to expect */
    uint32_t stag; /* Read Response: the Data Sink STag to expect; Atomic Response: the Request Identifier */
    uint32_t before; /* number of other responses that must be complete before it */
    uint8_t opcode;  /* of the response */
    bool payload;    /* Read Response: the request asks for at least one octet */
    bool set;        /* its request is known: the message with the fault, or a later one */
    bool armed;      /* `before` is known */
};

/* How far a side has come in its session over SCTP. */
enum iw_session_stage {
    IW_SESSION_STAGE_BEFORE, /* it has sent no control message */
    IW_SESSION_STAGE_WITHIN, /* it has sent, or may have sent, the first one */
    IW_SESSION_STAGE_AFTER,  /* it has sent one after which nothing may follow */
};

/* iw_rule_sctp.c */
struct iw_session_place {
    enum iw_session_stage stage;
    bool unplaced;               /* one of its messages was not judged by its place in the session */
    bool unseen;                 /* it has answered a later Initiate, which the capture may lack */
    struct iw_finding_ref stray; /* the first finding about a chunk after its session */
    uint64_t control_frame;      /* capture frame of its last control message */
    /* A chunk that may be sent too early, and the control message that it must wait for; frame 0: none */
    struct {
        uint64_t frame, control_frame;
        uint32_t tsn, control_tsn;
        uint32_t last_tsn; /* of the chunks that wait for the same control message */
        uint32_t chunks;   /* number of these, the first one included */
    } early;
    uint32_t early_doubts; /* further chunks that may be sent too early, which is not proven */
};

/* iw_rule_session_depth.c */
struct iw_session_depth {
    uint64_t request_frame;   /* capture frame of its latest request */
    uint32_t request_tsn;     /* TSN of its latest request */
    uint32_t packet_requests; /* number of requests in that frame */
    uint32_t doubts;          /* requests that may be above the limit, which is not proven */
};

#endif
