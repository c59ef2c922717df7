#include "iw_sctp_address.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "iw_option.h"
#include "iw_sctp_stack.h"

bool iw_sctp_address_read(const char *text, char *host, size_t host_octets, struct iw_sctp_where *where) {
    size_t length = strcspn(text, ":");
    unsigned long number = IW_SCTP_TUNNEL_PORT;
    char udp[sizeof "udp/65535"] = "";

    if (length < sizeof udp && text[length] == ':')
        snprintf(udp, sizeof udp, "%.*s", (int)length, text);
    where->host = host;
    where->tunnelled = strcmp(udp, "udp") == 0 || strncmp(udp, "udp/", 4) == 0;
    if (where->tunnelled && udp[3] == '/' && !iw_option_read_number(udp + 4, 0, UINT16_MAX, &number))
        return false;
    where->tunnel = (uint16_t)number;
    return iw_option_address(where->tunnelled ? text + length + 1 : text, host, host_octets, &where->port);
}
