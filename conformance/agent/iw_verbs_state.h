#pragma once

#include <sys/queue.h>

#include <rdma/rdma_cma.h>

#include "iw_agent_operation.h"
#include "iw_verbs_agent.h"

/* State shared by the modules of the agent for verbs devices. */

enum {
    IW_VERBS_PRIVATE_MAX = 252,    /* octets: the kernel's 256, less the enhanced data (RFC 6581) */
    IW_VERBS_CONNECTIONS_MAX = 64, /* of a session at a time */
};

struct iw_verbs_slab;

/* A receive buffer. Its address is the wr_id of its work request. */
struct iw_verbs_receive {
    struct iw_verbs_slab *slab;
    uint8_t *octets;
    bool posted;
};

/* Buffers for incoming messages, registered together. */
struct iw_verbs_slab {
    struct iw_verbs_receive *receives;
    uint8_t *octets;
    struct ibv_mr *registration;
    uint32_t size;   /* of a buffer */
    uint32_t count;  /* of buffers */
    uint32_t posted; /* of them */
    bool endless;    /* each buffer is posted again after its message is reported */
    SLIST_ENTRY(iw_verbs_slab) next;
};

struct iw_verbs_post {
    uint64_t number;
    unsigned message; /* enum iw_agent_message */
    struct ibv_send_wr request;
    struct ibv_sge segment;
    uint8_t *octets; /* the payload, or the result of an atomic operation; may be NULL */
    size_t octet_count;
    uint8_t value[8]; /* of an Atomic Write */
    struct {
        uint32_t octets;
        bool persist, expose;
    } flush;
    struct ibv_mr *registration; /* of `octets` */
    bool given;                  /* to the device */
    TAILQ_ENTRY(iw_verbs_post) next;
};

enum iw_verbs_stage {
    IW_VERBS_CONNECTING, /* as initiator, until the Reply */
    IW_VERBS_REQUESTED,  /* as responder, waits for `answer` */
    IW_VERBS_ACCEPTING,  /* after the Reply, until the device reports the connection */
    IW_VERBS_OPEN,
    IW_VERBS_ENDED, /* reports what is left */
};

struct iw_verbs_connection {
    struct iw_agent *agent;
    unsigned number;
    enum iw_verbs_stage stage;
    bool silent; /* reports no further events */
    struct rdma_cm_id *id;
    struct ibv_pd *domain; /* that of the agent, or one of its own */
    struct ibv_cq *send_queue, *receive_queue;
    SLIST_HEAD(, iw_verbs_slab) slabs;
    uint32_t receives;                 /* posted buffers */
    uint64_t receive_octets;           /* of all slabs */
    uint32_t msn;                      /* of the last message */
    unsigned solicited;                /* events of the receive queue whose messages are not reported yet */
    bool solicited_late;               /* one of them came without a new message */
    TAILQ_HEAD(, iw_verbs_post) posts; /* not completed */
    uint32_t given;                    /* posts that the device has */
    uint32_t waiting;                  /* posts not given to the device yet */
    uint64_t waiting_octets;           /* of them */
    bool closes;                       /* to be closed after all posts */
    struct iw_kernel_log_stream log;   /* its Terminates, if the driver logs them */
    TAILQ_ENTRY(iw_verbs_connection) next;
};

struct iw_verbs_region {
    uint32_t stag;
    uint64_t to;
    size_t size;
    uint8_t *octets;             /* first octet, in `mapping` */
    struct ibv_mr *registration; /* NULL after `invalidate`, or after its only connection ended */
    void *mapping;
    size_t mapped;
    unsigned connection; /* the only connection that may use it, or 0 */
    SLIST_ENTRY(iw_verbs_region) next;
};

struct iw_verbs_settings {
    uint8_t ird, ord;
    bool reject, hold;
    bool receives_given; /* the next two apply to the next connection; otherwise buffers are posted again */
    uint32_t receives, receive_octets;
    uint8_t private_data[IW_VERBS_PRIVATE_MAX];
    uint8_t private_octets;
};

struct iw_agent {
    struct iw_verbs_agent_config config;
    struct rdma_event_channel *channel;
    struct rdma_cm_id *listener;
    struct rdma_cm_id *listener6; /* on the same port for IPv6, or NULL */
    struct ibv_pd *domain;        /* of the connections that share their regions */
    struct ibv_pd *other;         /* of the regions that no connection may use; or NULL */
    struct ibv_comp_channel *sent, *received;
    struct iw_verbs_settings settings;
    TAILQ_HEAD(iw_verbs_list, iw_verbs_connection) connections; /* the latest first */
    unsigned opened;                                            /* number of the last connection */
    SLIST_HEAD(, iw_verbs_region) regions;
    unsigned region_count;
    uint64_t region_octets;
    uint64_t posts; /* number of the last post */
    LIST_ENTRY(iw_agent) others;
};

/* iw_verbs_connection.c */

/* The connection that the request names; by default the latest. Rejects the request if no such connection
 * exists. Returns NULL if the request is or was rejected. */
struct iw_verbs_connection *iw_verbs_connection_of(struct iw_agent *agent, struct iw_agent_request *request);

/* Reports a received Terminate, if there is one; not before the connection is open. */
void iw_verbs_connection_tell_terminate(struct iw_verbs_connection *connection);
bool iw_verbs_connection_listen(struct iw_agent *agent, char *text);
/* Handles events of the connection manager, a limited number of them. */
void iw_verbs_connection_drain(struct iw_agent *agent);
/* Frees the connection after reporting its last events and its end; with `how` NULL, reports nothing. */
void iw_verbs_connection_end(struct iw_verbs_connection *connection, const char *how, const char *text);
/* Sends RST if the host's TCP has the connection; otherwise puts the queue pair into the error state. */
void iw_verbs_connection_reset(struct iw_verbs_connection *connection);
/* Closes a connection whose posts are over, if `close` has been requested. */
void iw_verbs_connection_close_if_done(struct iw_verbs_connection *connection);

void iw_verbs_connect(struct iw_agent *agent, struct iw_agent_request *request);
void iw_verbs_answer(struct iw_agent *agent, struct iw_agent_request *request);
void iw_verbs_close(struct iw_agent *agent, struct iw_agent_request *request);
void iw_verbs_abort(struct iw_agent *agent, struct iw_agent_request *request);

/* iw_verbs_queue.c: the queues of a connection */

/* Creates the queues of a connection, posts its receive buffers. Returns false with one line in `text`. */
bool iw_verbs_queue_begin(struct iw_verbs_connection *connection, char *text);
/* Reports the remaining completions, and frees the queues. */
void iw_verbs_queue_end(struct iw_verbs_connection *connection);
/* Reports messages and completed posts, none before the connection is open; then gives waiting posts, and
 * closes the connection if due. */
void iw_verbs_queue_drain(struct iw_verbs_connection *connection);
/* Gives waiting posts of an open connection to the device, up to the limit of its send queue. */
void iw_verbs_queue_give(struct iw_verbs_connection *connection);
/* Reads the events of the completion channels, arms the queues again, and counts solicited events. */
void iw_verbs_queue_read_channels(struct iw_agent *agent);
void iw_verbs_queue_free_post(struct iw_verbs_post *post);

/* iw_verbs_receive.c: the receive buffers of a connection, and the messages in them */

/* Posts the buffers that the next connection was to have, or the default. On failure returns false with
 * errno; the buffers posted by then remain. */
bool iw_verbs_receive_begin(struct iw_verbs_connection *connection);
/* Frees the buffers; the queue pair is destroyed before. */
void iw_verbs_receive_end(struct iw_verbs_connection *connection);
/* Reports the messages in the buffers posted so far. */
void iw_verbs_receive_drain(struct iw_verbs_connection *connection);

void iw_verbs_receives(struct iw_agent *agent, struct iw_agent_request *request);

/* iw_verbs_post.c */
void iw_verbs_post(struct iw_agent *agent, struct iw_agent_request *request);

/* iw_verbs_memory.c */
struct iw_verbs_region *iw_verbs_memory_find(struct iw_agent *agent, uint32_t stag);
/* The protection domain for a new connection: a separate one if a region belongs to one connection alone. */
struct ibv_pd *iw_verbs_memory_domain(struct iw_agent *agent);
/* Deregisters the regions of one connection alone, but keeps their octets, and frees its separate domain. */
void iw_verbs_memory_forget(struct iw_agent *agent, struct iw_verbs_connection *connection);
void iw_verbs_memory_free(struct iw_agent *agent);

void iw_verbs_register(struct iw_agent *agent, struct iw_agent_request *request);
void iw_verbs_deregister(struct iw_agent *agent, struct iw_agent_request *request);
void iw_verbs_invalidate(struct iw_agent *agent, struct iw_agent_request *request);
void iw_verbs_read(struct iw_agent *agent, struct iw_agent_request *request);
void iw_verbs_write(struct iw_agent *agent, struct iw_agent_request *request);
void iw_verbs_hash(struct iw_agent *agent, struct iw_agent_request *request);

/* iw_verbs_agent.c */

/* Reports an event of the connection, with the members of `more`, which it releases; `more` may be NULL. Does
 * nothing if the connection is silent. */
void iw_verbs_tell(const struct iw_verbs_connection *connection, const char *event, json_t *more);
