#pragma once

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "iw_agent_session.h"
#include "iw_fake_verbs.h"
#include "iw_verbs_server.h"

/* The agent's sockets with clients, on a device that the test plays. */

#define SERVER(test) cmocka_unit_test_setup_teardown(test, begin, end)

enum {
    TURNS = 4,          /* of the server for each step of a client */
    READ_SIZE = 262144, /* the longest that an answer can carry */
};

static struct iw_verbs_device device;
static struct iw_verbs_server *server;
static int readable[2]; /* a pipe as the descriptor of asynchronous events, so that the server never waits */

static const char hello[] = "{\"id\":1,\"op\":\"hello\",\"version\":1}\n";
static const char ping[] = "{\"id\":2,\"op\":\"ping\"}\n";

/* ---- the server ---- */

static sigset_t unblocked; /* empty */

static inline void begin_server_with(const char *token, uint16_t device_port) {
    struct iw_verbs_server_config config = {.unblocked = &unblocked,
        .agent = {.device = &device, .startup = {.revision = 2}, .port = device_port},
        .host = "127.0.0.1",
        .token = token};
    char text[IW_VERBS_TEXT_OCTETS];

    assert_true(iw_verbs_device_open(&device, NULL, text));
    device.context->async_fd = readable[0];
    server = iw_verbs_server_new(&config, text);
    assert_non_null(server);
}

static inline void end_server(void) {
    iw_verbs_server_free(server);
    iw_verbs_device_close(&device);
}

static inline int begin(void **state) {
    (void)state;
    assert_int_equal(pipe(readable), 0);
    assert_int_equal(write(readable[1], "", 1), 1);
    fake_verbs_begin();
    begin_server_with(NULL, 0);
    return 0;
}

static inline int end(void **state) {
    (void)state;
    end_server();
    assert_true(fake_verbs_is_empty());
    close(readable[0]);
    close(readable[1]);
    return 0;
}

static inline bool serve(void) {
    bool more = true;

    for (int i = 0; i < TURNS; i++)
        more = iw_verbs_server_turn(server);
    return more;
}

/* ---- clients ---- */

struct client {
    int tcp;
    char *text; /* all that the server has sent */
    size_t length;
    bool ended;
};

static inline size_t append_capacity(size_t octets) {
    size_t capacity = 1;

    while (capacity < octets)
        capacity *= 2;
    return capacity;
}

/* Appends octets to the terminated text, which has grown by this function alone. */
static inline void append(char **text, size_t *length, const void *octets, size_t count) {
    size_t capacity = append_capacity(*length + count + 1);

    if (*text == NULL || capacity > append_capacity(*length + 1))
        *text = realloc(*text, capacity);
    assert_non_null(*text);
    memcpy(*text + *length, octets, count);
    *length += count;
    (*text)[*length] = '\0';
}

static inline void client_read(struct client *client) {
    static char octets[1 << 16];
    ssize_t length;

    while ((length = recv(client->tcp, octets, sizeof octets, MSG_DONTWAIT)) > 0)
        append(&client->text, &client->length, octets, (size_t)length);
    client->ended |= length == 0 || (errno != EAGAIN && errno != EINTR);
}

static inline void call(struct client *client) {
    struct sockaddr_in to = {.sin_family = AF_INET,
        .sin_port = htons(iw_verbs_server_port(server)),
        .sin_addr = {htonl(0x7F000001)}};
    int on = 1;

    *client = (struct client){.tcp = socket(AF_INET, SOCK_STREAM, 0)};
    assert_int_equal(connect(client->tcp, (struct sockaddr *)&to, sizeof to), 0);
    /* Otherwise Nagle's algorithm delays a line until the server's TCP acknowledges the one before. */
    assert_int_equal(setsockopt(client->tcp, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), 0);
    fcntl(client->tcp, F_SETFL, O_NONBLOCK);
    serve();
}

/* Sends the octets while the server reads, but does not read its answers. */
static inline void say_octets(struct client *client, const char *octets, size_t length) {
    while (length > 0) {
        ssize_t sent = send(client->tcp, octets, length, MSG_NOSIGNAL);

        if (sent < 0 && errno != EAGAIN && errno != EINTR)
            return; /* the server has ended the session */
        octets += sent > 0 ? sent : 0;
        length -= sent > 0 ? (size_t)sent : 0;
        serve();
    }
}

/* Until the server has read all, or has ended the session. */
static inline void say_long_line(struct client *client, const char *octets, size_t length) {
    say_octets(client, octets, length);
    for (int i = 0; i < 100 && !client->ended; i++) {
        serve();
        client_read(client);
    }
}

static inline void say(struct client *client, const char *text) {
    say_octets(client, text, strlen(text));
    client_read(client);
}

static inline void hang_up(struct client *client) {
    /* RST: ten thousand sessions would use up the ports by TIME_WAIT. */
    struct linger at_once = {.l_onoff = 1};

    setsockopt(client->tcp, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(client->tcp);
    free(client->text);
    *client = (struct client){.tcp = -1};
    serve();
}

static inline void has(const struct client *client, const char *words) {
    if (!client->text || !strstr(client->text, words))
        fail_msg("no %s in %s", words, client->text ? client->text : "nothing");
}

/* The server still serves a new client. */
static inline void serves(void) {
    struct client client;

    call(&client);
    say(&client, hello);
    say(&client, ping);
    has(&client, "\"port\":7174");
    has(&client, "{\"id\":2}\n");
    assert_false(client.ended);
    hang_up(&client);
}
