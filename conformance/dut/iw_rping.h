#ifndef IW_RPING_H
#define IW_RPING_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_reference.h"

/* The ULP of rping, the example program of rdma-core, on the connections of a reference, each with buffers of
 * its own. The client tells with a Send where its source is (an advert: TO of 64 bits, STag and octets of 32
 * each, the most significant octet first). The server reads it by an RDMA Read and answers with a Send; the
 * client tells where its sink is; the server puts there what it has read, up to its first NUL, by an RDMA
 * Write, and answers with a Send again. That is one ping; then comes the next. Who gets something else than
 * is due closes the connection. Each side has one receive buffer at a time, of the octets of an advert. */

enum {
    IW_RPING_SIZE = 64, /* octets of a buffer, as of `rping` without -S */
    IW_RPING_ADVERT_OCTETS = 16,
};

struct iw_rping;

struct iw_rping_config {
    bool client;
    unsigned pings; /* that a client does before it closes */
};

/* NULL if there is no memory. */
struct iw_rping *iw_rping_new(const struct iw_rping_config *config);
/* After the reference, whose memory has the buffers. NULL is allowed. */
void iw_rping_free(struct iw_rping *rping);

/* Makes of the settings of a reference those that rping asks for: one receive buffer, and depths of one, as
 * rping has them. */
void iw_rping_configure(struct iw_endpoint_config *endpoint);

/* For the `event` of struct iw_reference_config: does what the ULP does about it. */
void iw_rping_take(struct iw_rping *rping, struct iw_reference *reference, unsigned connection,
    const struct iw_event *event);

#endif
