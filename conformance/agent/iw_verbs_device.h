#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <infiniband/verbs.h>

/* The RDMA device that the agent drives, and what it can do. */

enum { IW_VERBS_TEXT_OCTETS = 256 };

struct iw_verbs_abilities {
    unsigned messages;     /* 1 << enum iw_agent_message */
    unsigned rights;       /* 1 << enum iw_agent_right */
    unsigned extensions;   /* 1 << index in iw_agent_extensions */
    uint32_t depth;        /* highest IRD, and highest ORD */
    uint32_t receives;     /* limit: receive buffers of a connection */
    uint32_t sends;        /* limit: work requests in the send queue of a connection */
    uint64_t extended;     /* enum ibv_qp_create_send_ops_flags: operations that only ibv_wr_* have */
    bool to_is_address;    /* the TO of a region is its virtual address */
    bool tells_solicited;  /* it raises an event for programs if a message has a solicited event */
    bool terminate_logged; /* the driver logs a received Terminate, with layer and EType exchanged */
};

/* Derives the abilities of the device from its attributes. */
struct iw_verbs_abilities iw_verbs_abilities_of(const struct ibv_device_attr_ex *attributes);

/* The send_ops_flags of a queue pair with all operations of the agent; only for a device with `extended`. */
uint64_t iw_verbs_send_operations(const struct iw_verbs_abilities *abilities);

/* The flags of ibv_reg_mr for a set of rights (1 << enum iw_agent_right); local write is always set. */
unsigned iw_verbs_access_flags(unsigned rights);

struct iw_verbs_device {
    struct ibv_context *context;
    struct iw_verbs_abilities abilities;
    char firmware[64];            /* its version, as the driver tells it; "": unknown */
    struct ibv_context **list;    /* all devices, from librdmacm */
    LIST_HEAD(, iw_agent) agents; /* sessions that use the device */
    bool gone;                    /* it was removed or has failed: it can only be closed */
};

/* Opens the device of that name; NULL: the first one for iWARP, or else the only one. Returns false with one
 * line in `text`, of IW_VERBS_TEXT_OCTETS octets. */
bool iw_verbs_device_open(struct iw_verbs_device *device, const char *name, char *text);
void iw_verbs_device_close(struct iw_verbs_device *device);
