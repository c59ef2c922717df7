#include "iw_tcp_address_text.h"

#include <arpa/inet.h>
#include <stdio.h>

void iw_tcp_address_text(const struct iw_tcp_address *address, char text[IW_TCP_ADDRESS_TEXT_OCTETS]) {
    char host[IW_TCP_ADDRESS_TEXT_OCTETS];

    snprintf(text, IW_TCP_ADDRESS_TEXT_OCTETS, address->version == 6 ? "[%.*s]:%u" : "%.*s:%u",
        INET6_ADDRSTRLEN, iw_tcp_address_text_host(address, host), address->port);
}

const char *iw_tcp_address_text_host(
    const struct iw_tcp_address *address, char text[IW_TCP_ADDRESS_TEXT_OCTETS]) {
    if (inet_ntop(address->version == 6 ? AF_INET6 : AF_INET, address->octets, text,
            IW_TCP_ADDRESS_TEXT_OCTETS) == NULL)
        snprintf(text, IW_TCP_ADDRESS_TEXT_OCTETS, "?");
    return text;
}
