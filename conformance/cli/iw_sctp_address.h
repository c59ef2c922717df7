#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "iw_sctp_link.h"

/* Reads an SCTP address: "HOST:PORT" is in IP, "udp:HOST:PORT" in UDP (RFC 6951) at port 9899,
 * "udp/PORT:HOST:PORT" at that UDP port. Sets where->host to `host`. Returns false for any other text. */
bool iw_sctp_address_read(const char *text, char *host, size_t host_octets, struct iw_sctp_where *where);
