#pragma once

#include <stdbool.h>

#include "iw_reference.h"

/* The ULP of rping, the example program of rdma-core, on the connections of a reference. A ping: the client
 * sends the address of its source, an advert (TO of 64 bits, STag and length of 32 bits, big-endian); the
 * server reads the source with an RDMA Read, and answers with a Send; the client sends an advert of its sink;
 * the server writes the text and its NUL to the sink, and answers with a Send. A side that receives
 * anything else closes the connection. Each side posts one receive buffer, of the size of an advert. */

enum {
    IW_RPING_SIZE = 64,            /* octets of a buffer, as in `rping` without -S */
    IW_RPING_SIZE_MAX = 65535,     /* the most that rping -S takes */
    IW_RPING_SIZE_SEGMENTS = 8192, /* enough for several segments with the MULPDU of Ethernet */
    IW_RPING_ADVERT_OCTETS = 16,
};

struct iw_rping;

struct iw_rping_config {
    bool client;
    uint32_t octets; /* of each buffer, as rping's -S; 0: IW_RPING_SIZE */
    unsigned pings;  /* pings of a client, which then closes the connection */
};

/* Returns NULL if out of memory. */
struct iw_rping *iw_rping_new(const struct iw_rping_config *config);
/* Free the reference first: its events go to the struct iw_rping. NULL is allowed. */
void iw_rping_free(struct iw_rping *rping);

/* Sets what rping requires: one receive buffer, and IRD and ORD of 1. With revision 2 the Request is
 * enhanced, as that of rdma-core's rping is over a device that knows RFC 6581. */
void iw_rping_configure(struct iw_endpoint_config *endpoint);

/* The `event` callback of struct iw_reference_config, with the struct iw_rping as `user`: runs the ULP. */
void iw_rping_take(
    void *rping, struct iw_reference *reference, unsigned connection, const struct iw_event *event);
