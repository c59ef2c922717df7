#include "iw_socket_destroy.h"

#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>

struct message {
    struct nlmsghdr header;
    struct inet_diag_req_v2 request;
};

/* Copies port and address in network byte order. */
static void socket_destroy_copy_address(const struct sockaddr *from, __be16 *port, __be32 address[4]) {
    if (from->sa_family == AF_INET) {
        const struct sockaddr_in *in = (const void *)from;

        *port = in->sin_port;
        memcpy(address, &in->sin_addr, sizeof in->sin_addr);
    } else {
        const struct sockaddr_in6 *in6 = (const void *)from;

        *port = in6->sin6_port;
        memcpy(address, &in6->sin6_addr, sizeof in6->sin6_addr);
    }
}

static bool socket_destroy_send(int netlink, struct message *message) {
    struct {
        struct nlmsghdr header;
        struct nlmsgerr error;
        char more[sizeof *message];
    } answer;

    return send(netlink, message, sizeof *message, 0) == sizeof *message &&
           recv(netlink, &answer, sizeof answer, 0) >= (ssize_t)NLMSG_LENGTH(sizeof answer.error) &&
           answer.header.nlmsg_type == NLMSG_ERROR && answer.error.error == 0;
}

bool iw_socket_destroy(const struct sockaddr *local, const struct sockaddr *peer) {
    struct message message = {
        .header = {.nlmsg_len = sizeof message,
            .nlmsg_type = SOCK_DESTROY,
            .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
        .request = {.sdiag_family = (__u8)local->sa_family,
            .sdiag_protocol = IPPROTO_TCP,
            .idiag_states = ~0u,
            .id.idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}},
    };
    int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    bool reset;

    if (netlink < 0)
        return false;
    socket_destroy_copy_address(local, &message.request.id.idiag_sport, message.request.id.idiag_src);
    socket_destroy_copy_address(peer, &message.request.id.idiag_dport, message.request.id.idiag_dst);
    reset = socket_destroy_send(netlink, &message);
    close(netlink);
    return reset;
}
