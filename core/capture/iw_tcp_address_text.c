#include "iw_tcp_address_text.h"

#include <arpa/inet.h>
#include <stdio.h>

void iw_tcp_address_text(const struct iw_tcp_address *address, char text[IW_TCP_ADDRESS_TEXT_OCTETS]) {
    char host[INET6_ADDRSTRLEN] = "?";
    bool six = address->version == 6;

    inet_ntop(six ? AF_INET6 : AF_INET, address->octets, host, sizeof host);
    snprintf(text, IW_TCP_ADDRESS_TEXT_OCTETS, six ? "[%s]:%u" : "%s:%u", host, address->port);
}
