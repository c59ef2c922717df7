#include "iw_port_segment.h"
#include "iw_port_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The addresses of a name. */

int iw_port_host_resolve(const char *host, uint16_t number, struct addrinfo **found) {
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    char service[8];

    snprintf(service, sizeof service, "%u", number);
    return getaddrinfo(host, service, &hints, found);
}

void iw_port_host_label(const char *host, uint16_t number, char label[IW_PORT_LABEL_OCTETS]) {
    snprintf(
        label, IW_PORT_LABEL_OCTETS, strchr(host, ':') != NULL ? "[%.100s]:%u" : "%.100s:%u", host, number);
}

struct iw_port_host *iw_port_host_new(const char *host, uint16_t port, char *text) {
    struct iw_port_host *made = calloc(1, sizeof *made);
    char label[IW_PORT_LABEL_OCTETS];
    int error;

    iw_port_host_label(host, port, label);
    if (made == NULL) {
        snprintf(text, IW_PORT_TEXT_OCTETS, "%s: out of memory", label);
        return NULL;
    }
    memcpy(made->label, label, sizeof label);
    error = iw_port_host_resolve(host, port, &made->found);
    if (error == 0)
        return made;
    snprintf(text, IW_PORT_TEXT_OCTETS, "%s: %s", label, gai_strerror(error));
    free(made);
    return NULL;
}

void iw_port_host_free(struct iw_port_host *host) {
    if (host == NULL)
        return;
    freeaddrinfo(host->found);
    free(host);
}
