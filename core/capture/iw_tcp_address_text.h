#pragma once

#include "iw_tcp_segment.h"

/* Writes address and port, for example "10.0.0.1:4791" or "[fe80::1]:4791". */
enum { IW_TCP_ADDRESS_TEXT_OCTETS = 64 };
void iw_tcp_address_text(const struct iw_tcp_address *address, char text[IW_TCP_ADDRESS_TEXT_OCTETS]);

/* The same without port: "10.0.0.1" or "fe80::1". Returns `text`. */
const char *iw_tcp_address_text_host(
    const struct iw_tcp_address *address, char text[IW_TCP_ADDRESS_TEXT_OCTETS]);
