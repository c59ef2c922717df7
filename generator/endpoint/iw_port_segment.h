#pragma once

#include "iw_port.h"

/* Ports whose peers send TCP segments of at most as many octets, from 88 to 32767; 0: no limit. The SYN
 * announces it (RFC 9293 3.7.1). No effect on a virtual loop. */

/* As iw_port_connect. */
struct iw_port *iw_port_segment_connect(struct iw_loop *loop, const char *host, uint16_t port,
    uint32_t octets, const struct iw_port_handlers *handlers, void *user, char *text);

/* For connections that are opened from now on. */
void iw_port_segment_listen(struct iw_listener *listener, uint32_t octets);
