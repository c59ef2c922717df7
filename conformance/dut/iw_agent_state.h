#pragma once

#include "iw_agent.h"

/* State shared by the modules of the agent. */

struct iw_agent {
    struct iw_agent_config config;
    struct iw_reference *reference;
    struct iw_ddp_reference *ddp; /* NULL: the device does not support SCTP */
    uint64_t posts;               /* number of the last post */
    uint8_t private_data[512];
    /* The response to a request of the device, stored until the event `completed` reports it. */
    struct {
        uint64_t id;
        uint8_t opcode;
        uint64_t original;
        uint8_t hash[IW_HASH_OCTETS_MAX];
        size_t hash_octets;
    } answered;
};

/* The endpoint that the request names; by default the one opened last. If it is not open, rejects the
 * request and returns NULL. */
struct iw_endpoint *iw_agent_endpoint(struct iw_agent *agent, struct iw_agent_request *request);

/* iw_agent_connection.c */
void iw_agent_configure(struct iw_agent *agent, struct iw_agent_request *request);
void iw_agent_local_error(struct iw_agent *agent, struct iw_agent_request *request);
void iw_agent_connect(struct iw_agent *agent, struct iw_agent_request *request);
void iw_agent_answer(struct iw_agent *agent, struct iw_agent_request *request);
void iw_agent_receives(struct iw_agent *agent, struct iw_agent_request *request);
void iw_agent_close(struct iw_agent *agent, struct iw_agent_request *request);
void iw_agent_abort(struct iw_agent *agent, struct iw_agent_request *request);

/* iw_agent_memory.c */
void iw_agent_register(struct iw_agent *agent, struct iw_agent_request *request);
void iw_agent_deregister(struct iw_agent *agent, struct iw_agent_request *request);
void iw_agent_invalidate(struct iw_agent *agent, struct iw_agent_request *request);
void iw_agent_read(struct iw_agent *agent, struct iw_agent_request *request);
void iw_agent_write(struct iw_agent *agent, struct iw_agent_request *request);
void iw_agent_hash(struct iw_agent *agent, struct iw_agent_request *request);

/* iw_agent_post.c */
void iw_agent_post(struct iw_agent *agent, struct iw_agent_request *request);

/* iw_agent_event.c: reports the event as a ULP of the device would see it. */
void iw_agent_tell(
    void *agent, struct iw_reference *reference, unsigned connection, const struct iw_event *event);
