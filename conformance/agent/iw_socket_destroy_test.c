#include "iw_socket_destroy.h"

#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>

/* Connections of this host over loopback. A reset needs CAP_NET_ADMIN and a kernel with
 * CONFIG_INET_DIAG_DESTROY. */

struct pair {
    int listener, client, accepted;
    struct sockaddr_in at, from; /* of the listener, and of the client */
};

static struct sockaddr_in own_address(int tcp) {
    struct sockaddr_in own;
    socklen_t octets = sizeof own;

    assert_int_equal(getsockname(tcp, (struct sockaddr *)&own, &octets), 0);
    return own;
}

static int call(const struct sockaddr_in *to) {
    int tcp = socket(AF_INET, SOCK_STREAM, 0);

    assert_int_equal(connect(tcp, (const struct sockaddr *)to, sizeof *to), 0);
    return tcp;
}

static struct pair begin_pair(void) {
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct pair pair = {.listener = socket(AF_INET, SOCK_STREAM, 0)};

    assert_int_equal(bind(pair.listener, (struct sockaddr *)&any, sizeof any), 0);
    assert_int_equal(listen(pair.listener, 4), 0);
    pair.at = own_address(pair.listener);
    pair.client = call(&pair.at);
    pair.accepted = accept(pair.listener, NULL, NULL);
    pair.from = own_address(pair.client);
    return pair;
}

static void end_pair(const struct pair *pair) {
    close(pair->client);
    close(pair->accepted);
    close(pair->listener);
}

static bool destroy(const struct sockaddr_in *local, const struct sockaddr_in *peer) {
    return iw_socket_destroy((const struct sockaddr *)local, (const struct sockaddr *)peer);
}

/* The kernel rejects the reset even of an absent connection if it does not allow a reset at all. */
static bool resets_are_allowed(void) {
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 request;
    } message = {.header = {.nlmsg_len = sizeof message,
                     .nlmsg_type = SOCK_DESTROY,
                     .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
        .request = {.sdiag_family = AF_INET, .sdiag_protocol = IPPROTO_TCP}};
    struct {
        struct nlmsghdr header;
        struct nlmsgerr error;
        char more[sizeof message];
    } answer = {0};
    int netlink = socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG);
    bool answered = send(netlink, &message, sizeof message, 0) == sizeof message &&
                    recv(netlink, &answer, sizeof answer, 0) > 0;

    close(netlink);
    return answered && answer.error.error == -ENOENT;
}

static void check_reset(int tcp) {
    char octet;

    assert_int_equal(recv(tcp, &octet, 1, 0), -1);
    assert_int_equal(errno, ECONNRESET);
}

static void a_live_connection_is_reset(void **state) {
    struct pair pair = begin_pair();

    (void)state;
    if (!resets_are_allowed())
        skip();
    assert_true(destroy(&pair.at, &pair.from));
    check_reset(pair.client);
    end_pair(&pair);
}

/* The kernel looks up a connection as for an incoming packet: it finds the listener of the local port. */
static void a_listener_survives_the_reset_of_an_absent_connection(void **state) {
    struct pair pair = begin_pair();
    struct sockaddr_in absent = pair.from;
    int later;

    (void)state;
    if (!resets_are_allowed())
        skip();
    absent.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
    assert_false(destroy(&pair.at, &absent));
    later = call(&pair.at);
    assert_int_equal(send(pair.client, "", 1, MSG_NOSIGNAL), 1);
    close(later);
    end_pair(&pair);
}

static void an_address_of_no_family_names_no_connection(void **state) {
    const struct sockaddr_in none = {.sin_family = AF_UNSPEC};

    (void)state;
    assert_false(destroy(&none, &none));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_live_connection_is_reset),
        cmocka_unit_test(a_listener_survives_the_reset_of_an_absent_connection),
        cmocka_unit_test(an_address_of_no_family_names_no_connection),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
