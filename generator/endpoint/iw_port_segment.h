#pragma once

#include "iw_port.h"

/* Ports for many connections to one host: its name is resolved once, before a process gives up the right to
 * do so. Their peers send TCP segments of at most as many octets, from 88 to 32767; 0: no limit. The SYN
 * announces it (RFC 9293 3.7.1). */

struct iw_port_host;

/* Resolves `host`, a name or an IPv4 or IPv6 address. Returns NULL with a line in `text`, of
 * IW_PORT_TEXT_OCTETS octets, on failure. */
struct iw_port_host *iw_port_host_new(const char *host, uint16_t port, char *text);
void iw_port_host_free(struct iw_port_host *host); /* NULL is allowed */

/* As iw_port_connect, on a real loop. `host` must live until the port is open or freed. */
struct iw_port *iw_port_segment_connect(struct iw_loop *loop, const struct iw_port_host *host,
    uint32_t octets, const struct iw_port_handlers *handlers, void *user, char *text);

/* For connections that are opened from now on. No effect on a virtual loop. */
void iw_port_segment_listen(struct iw_listener *listener, uint32_t octets);
