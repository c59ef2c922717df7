#include "iw_socket_destroy.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>

struct message {
    struct nlmsghdr header;
    struct inet_diag_req_v2 request;
};

/* The kernel's answer to a message: a socket, or a result. */
struct answer {
    struct nlmsghdr header;
    union {
        struct inet_diag_msg socket;
        struct nlmsgerr error;
    };
    char more[1024]; /* attributes, or the message with an error */
};

/* Copies port and address in network byte order. */
static bool socket_destroy_copy_address(const struct sockaddr *from, __be16 *port, __be32 address[4]) {
    if (from->sa_family == AF_INET) {
        const struct sockaddr_in *in = (const void *)from;

        *port = in->sin_port;
        memcpy(address, &in->sin_addr, sizeof in->sin_addr);
    } else if (from->sa_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const void *)from;

        *port = in6->sin6_port;
        memcpy(address, &in6->sin6_addr, sizeof in6->sin6_addr);
    } else {
        return false;
    }
    return true;
}

static bool socket_destroy_ask(
    int netlink, struct message *message, __u16 type, __u16 flags, struct answer *answer) {
    ssize_t octets;

    message->header = (struct nlmsghdr){
        .nlmsg_len = sizeof *message, .nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | flags};
    if (send(netlink, message, sizeof *message, 0) != sizeof *message)
        return false;
    octets = recv(netlink, answer, sizeof *answer, 0);
    return octets >= (ssize_t)sizeof answer->header && answer->header.nlmsg_len <= (size_t)octets;
}

/* Completes the request with the cookie of the connection. The kernel looks up a socket as for an incoming
 * packet: if there is no such connection, it finds a listener on the local port, and would close that. */
static bool socket_destroy_find(int netlink, struct message *message) {
    struct inet_diag_sockid *wanted = &message->request.id;
    struct answer answer;
    const struct inet_diag_sockid *found = &answer.socket.id;

    if (!socket_destroy_ask(netlink, message, SOCK_DIAG_BY_FAMILY, 0, &answer) ||
        answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
        answer.header.nlmsg_len < NLMSG_LENGTH(sizeof answer.socket) ||
        answer.socket.idiag_state == TCP_LISTEN || found->idiag_sport != wanted->idiag_sport ||
        found->idiag_dport != wanted->idiag_dport ||
        memcmp(found->idiag_src, wanted->idiag_src, sizeof found->idiag_src) != 0 ||
        memcmp(found->idiag_dst, wanted->idiag_dst, sizeof found->idiag_dst) != 0)
        return false;
    memcpy(wanted->idiag_cookie, found->idiag_cookie, sizeof wanted->idiag_cookie);
    return true;
}

static bool socket_destroy_end(int netlink, struct message *message) {
    struct answer answer;

    return socket_destroy_ask(netlink, message, SOCK_DESTROY, NLM_F_ACK, &answer) &&
           answer.header.nlmsg_type == NLMSG_ERROR &&
           answer.header.nlmsg_len >= NLMSG_LENGTH(sizeof answer.error.error) && answer.error.error == 0;
}

bool iw_socket_destroy(const struct sockaddr *local, const struct sockaddr *peer) {
    struct message message = {
        .request = {.sdiag_family = (__u8)local->sa_family,
            .sdiag_protocol = IPPROTO_TCP,
            .idiag_states = ~0u,
            .id.idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}},
    };
    struct inet_diag_sockid *id = &message.request.id;
    int netlink;
    bool reset;

    if (!socket_destroy_copy_address(local, &id->idiag_sport, id->idiag_src) ||
        !socket_destroy_copy_address(peer, &id->idiag_dport, id->idiag_dst))
        return false;
    netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (netlink < 0)
        return false;
    reset = socket_destroy_find(netlink, &message) && socket_destroy_end(netlink, &message);
    close(netlink);
    return reset;
}
