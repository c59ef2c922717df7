#pragma once

#include <stdbool.h>

#include <rdma/rdma_cma.h>

/* libibverbs and librdmacm for tests: a device whose events and completions come from the test. The functions
 * of both libraries that the agent calls are replaced. */

struct fake_verbs {
    unsigned domains, registrations, queues, pairs, ids, channels; /* that exist */
    unsigned rejected, accepted, connected, disconnected;          /* calls */
    unsigned kept;             /* registrations when the last pair ended */
    unsigned modified;         /* calls of ibv_modify_qp */
    bool absent;               /* there is no device */
    bool gone;                 /* the driver has let go of the device */
    bool full;                 /* nothing more can be registered */
    bool refuses_sends;        /* ibv_post_send fails, but the device has the work request, as siw does */
    struct ibv_pd *registered; /* domain of the latest registration */
    unsigned access;           /* flags of the latest registration */
    bool ipv6;                 /* the host has IPv6 */
    unsigned flood;            /* completions that the next polls of any queue find in addition: flushed */
    struct rdma_cm_id *listener;
    struct rdma_cm_id *last; /* the latest other id */
    uint64_t received[8192]; /* ids of posted receive buffers, oldest first */
    struct ibv_sge buffers[8192];
    size_t receive_count;
    size_t receive_limit;        /* the device takes only so many; 0: no limit */
    struct ibv_send_wr sent[64]; /* posted work requests, oldest first */
    size_t sent_count;
    struct ibv_device_attr_ex attributes; /* of the device */
    uint64_t operations;                  /* send_ops_flags with which it can create queue pairs */
    uint64_t value;                       /* of the latest Atomic Write */
    struct {
        size_t octets;
        uint8_t type, level;
    } flush; /* the latest */
};

extern struct fake_verbs fake_verbs;

/* Forgets everything. The device is siw, with its name and its abilities. */
void fake_verbs_begin(void);

/* Whether no object of the device exists. */
bool fake_verbs_is_empty(void);

/* Raises an event of the connection manager. For a Request, of a new id. */
void fake_verbs_cm(enum rdma_cm_event_type type, struct rdma_cm_id *id, int status);

/* Completes the oldest posted receive buffer of the connection with the octets of `text`. */
void fake_verbs_receive(struct rdma_cm_id *id, const char *text, bool solicited);

/* Raises the event of a solicited message separately: before its completion, or `delay_us` after now. */
void fake_verbs_notice(struct rdma_cm_id *id, unsigned delay_us);

/* The same with a length that the buffer does not have. */
void fake_verbs_receive_excess(struct rdma_cm_id *id, uint32_t octets);

/* The same by Immediate Data, of which verbs tell 4 octets. */
void fake_verbs_receive_immediate(struct rdma_cm_id *id, bool solicited);

/* Completes the oldest posted work request. */
void fake_verbs_complete(struct rdma_cm_id *id, enum ibv_wc_status status);

/* Raises an asynchronous event of the device. */
void fake_verbs_async(enum ibv_event_type type, struct ibv_qp *pair);
