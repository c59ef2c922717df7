#pragma once

#include "iw_agent_field.h"

/* The requests of the agent protocol (docs/agent.md): limits, names, fields, and answers. */

enum {
    IW_AGENT_VERSION = 1,
    IW_AGENT_LINE_MAX = 1 << 20,      /* octets of a protocol line, with its newline */
    IW_AGENT_HELLO_MAX = 4096,        /* of the first one */
    IW_AGENT_DATA_MAX = 1 << 18,      /* octets that a request or event may carry in hexadecimal */
    IW_AGENT_REQUESTS_MAX = 64,       /* outstanding requests */
    IW_AGENT_REGION_MAX = 16 << 20,   /* octets of a region */
    IW_AGENT_REGIONS_MAX = 256 << 20, /* octets of all regions together */
    IW_AGENT_RECEIVES_MAX = 1 << 20,  /* receive buffers of a request */
    IW_AGENT_RECEIVE_MAX = 64 << 20,  /* octets of a receive buffer */
    IW_AGENT_POSTS_MAX = 10000,       /* posts of a connection that are not sent yet */
    IW_AGENT_WAITING_MAX = 64 << 20,  /* octets of them */
};

enum iw_agent_operation {
    IW_AGENT_OP_HELLO,
    IW_AGENT_OP_PING,
    IW_AGENT_OP_CONFIGURE,
    IW_AGENT_OP_LOCAL_ERROR,
    IW_AGENT_OP_CONNECT,
    IW_AGENT_OP_ANSWER,
    IW_AGENT_OP_RECEIVES,
    IW_AGENT_OP_CLOSE,
    IW_AGENT_OP_ABORT,
    IW_AGENT_OP_REGISTER,
    IW_AGENT_OP_DEREGISTER,
    IW_AGENT_OP_INVALIDATE,
    IW_AGENT_OP_READ,
    IW_AGENT_OP_WRITE,
    IW_AGENT_OP_HASH,
    IW_AGENT_OP_POST,
    IW_AGENT_OPERATIONS,
};

enum iw_agent_message {
    IW_AGENT_MESSAGE_SEND,
    IW_AGENT_MESSAGE_SEND_SE,
    IW_AGENT_MESSAGE_SEND_INV,
    IW_AGENT_MESSAGE_SEND_SE_INV,
    IW_AGENT_MESSAGE_IMMEDIATE,
    IW_AGENT_MESSAGE_IMMEDIATE_SE,
    IW_AGENT_MESSAGE_WRITE,
    IW_AGENT_MESSAGE_READ,
    IW_AGENT_MESSAGE_FETCH_ADD,
    IW_AGENT_MESSAGE_CMP_SWAP,
    IW_AGENT_MESSAGE_SWAP,
    IW_AGENT_MESSAGE_FLUSH,
    IW_AGENT_MESSAGE_VERIFY,
    IW_AGENT_MESSAGE_ATOMIC_WRITE,
    IW_AGENT_MESSAGES,
};

enum iw_agent_event {
    IW_AGENT_EVENT_REQUESTED,
    IW_AGENT_EVENT_ESTABLISHED,
    IW_AGENT_EVENT_REJECTED,
    IW_AGENT_EVENT_MESSAGE,
    IW_AGENT_EVENT_COMPLETED,
    IW_AGENT_EVENT_TERMINATE,
    IW_AGENT_EVENT_ERROR,
    IW_AGENT_EVENT_CLOSED,
    IW_AGENT_EVENTS,
};

enum iw_agent_ability {
    IW_AGENT_ABILITY_HALF_CLOSE, /* after `close`, the device receives until the peer's FIN */
    IW_AGENT_ABILITY_INVALIDATE, /* a peer can invalidate STags that have this right */
    IW_AGENT_ABILITIES,
};

/* Rights of a region. The first ones are in the order of the bits of enum iw_right. */
enum iw_agent_right {
    IW_AGENT_RIGHT_READ,
    IW_AGENT_RIGHT_WRITE,
    IW_AGENT_RIGHT_ATOMIC,
    IW_AGENT_RIGHT_PERSIST,
    IW_AGENT_RIGHT_EXPOSE,
    IW_AGENT_RIGHT_VERIFY,
    IW_AGENT_RIGHT_INVALIDATE,
    IW_AGENT_RIGHTS,
};

/* Names, which end with NULL. */
extern const char *const iw_agent_abilities[];  /* by enum iw_agent_ability */
extern const char *const iw_agent_rights[];     /* by enum iw_agent_right */
extern const char *const iw_agent_events[];     /* by enum iw_agent_event */
extern const char *const iw_agent_messages[];   /* by enum iw_agent_message */
extern const char *const iw_agent_extensions[]; /* in the order of the bits of enum iw_extension */

/* One session of an agent. Each agent program defines this struct. */
struct iw_agent;

/* The operations that an agent supports; the others are NULL. */
struct iw_agent_operations {
    void (*execute[IW_AGENT_OPERATIONS])(struct iw_agent *agent, struct iw_agent_request *request);
};

/* Executes the request, which the caller keeps, and returns the answer: with the `id` of the request, and
 * `error` if it is rejected: also for an unsupported operation and for an unknown field, because a misspelt
 * field would have no effect. Returns NULL if memory runs out. */
json_t *iw_agent_operation_execute(
    const struct iw_agent_operations *supported, struct iw_agent *agent, const json_t *request);

/* Answers `hello` with what all agents tell, or rejects it for another version of the protocol. `agent` is a
 * name for the user. */
void iw_agent_hello(
    struct iw_agent_request *request, const struct iw_agent_operations *supported, const char *agent);

/* The number in the field `connection`, by default `latest`. */
unsigned iw_agent_connection_number(struct iw_agent_request *request, unsigned latest);

/* Rejects the request unless `connection`, which it names or implies, exists. */
void iw_agent_check_connection(struct iw_agent_request *request, const void *connection);

/* Does nothing: the agent sends events before the answer, so the answer shows that all earlier ones have
 * arrived. */
void iw_agent_ping(struct iw_agent *agent, struct iw_agent_request *request);

/* An answer that rejects a request. With `id` NULL, the answer has a null id. */
json_t *iw_agent_error(const json_t *id, const char *code, const char *field, const char *text);
