#include "iw_verbs_server.h"

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

/* The agent's sockets with hostile clients, on a device that this test plays. */

enum {
    TURNS = 4, /* of the server for each step of a client */
    SOAK_SESSIONS = 10000,
    READ_SIZE = 262144, /* the longest that an answer can carry */
    READS = 400,        /* so many answers exceed what TCP and the server keep */
};

static struct iw_verbs_device device;
static struct iw_verbs_server *server;
static int readable[2]; /* a pipe as the descriptor of asynchronous events, so that the server never waits */

static const char hello[] = "{\"id\":1,\"op\":\"hello\",\"version\":1}\n";
static const char ping[] = "{\"id\":2,\"op\":\"ping\"}\n";

/* ---- the server ---- */

static sigset_t unblocked; /* empty */

static void begin_server_with(const char *token, uint16_t device_port) {
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

static void end_server(void) {
    iw_verbs_server_free(server);
    iw_verbs_device_close(&device);
}

static int begin(void **state) {
    (void)state;
    assert_int_equal(pipe(readable), 0);
    assert_int_equal(write(readable[1], "", 1), 1);
    fake_verbs_begin();
    begin_server_with(NULL, 0);
    return 0;
}

static int end(void **state) {
    (void)state;
    end_server();
    assert_true(fake_verbs_is_empty());
    close(readable[0]);
    close(readable[1]);
    return 0;
}

static bool serve(void) {
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

static void client_read(struct client *client) {
    static char octets[1 << 16];
    ssize_t length;

    while ((length = recv(client->tcp, octets, sizeof octets, MSG_DONTWAIT)) > 0) {
        client->text = realloc(client->text, client->length + (size_t)length + 1);
        memcpy(client->text + client->length, octets, (size_t)length);
        client->length += (size_t)length;
        client->text[client->length] = '\0';
    }
    client->ended |= length == 0 || (errno != EAGAIN && errno != EINTR);
}

static void call(struct client *client) {
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
static void say_octets(struct client *client, const char *octets, size_t length) {
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
static void say_long_line(struct client *client, const char *octets, size_t length) {
    say_octets(client, octets, length);
    for (int i = 0; i < 100 && !client->ended; i++) {
        serve();
        client_read(client);
    }
}

static void say(struct client *client, const char *text) {
    say_octets(client, text, strlen(text));
    client_read(client);
}

static void hang_up(struct client *client) {
    /* RST: ten thousand sessions would use up the ports by TIME_WAIT. */
    struct linger at_once = {.l_onoff = 1};

    setsockopt(client->tcp, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(client->tcp);
    free(client->text);
    *client = (struct client){.tcp = -1};
    serve();
}

static void has(const struct client *client, const char *words) {
    if (!client->text || !strstr(client->text, words))
        fail_msg("no %s in %s", words, client->text ? client->text : "nothing");
}

/* The server still serves a new client. */
static void serves(void) {
    struct client client;

    call(&client);
    say(&client, hello);
    say(&client, ping);
    has(&client, "\"port\":7174");
    has(&client, "{\"id\":2}\n");
    assert_false(client.ended);
    hang_up(&client);
}

/* ---- tests ---- */

static void lines_may_come_in_any_pieces(void **state) {
    struct client client;

    (void)state;
    call(&client);
    for (size_t i = 0; hello[i]; i++)
        say(&client, (const char[]){hello[i], '\0'});
    say(&client, "\n\r\n{\"id\":2,\"op\":\"ping\"}\r\n{\"id\":3,\"op\":\"ping\"}\n");
    has(&client, "{\"id\":2}\n{\"id\":3}\n");
    hang_up(&client);
}

/* The server's socket of the client's session. */
static int served_socket(const struct client *client) {
    struct sockaddr_in own, peer;
    socklen_t octets = sizeof own;

    getsockname(client->tcp, (struct sockaddr *)&own, &octets);
    for (int tcp = 0; tcp < 1024; tcp++) {
        octets = sizeof peer;
        if (getpeername(tcp, (struct sockaddr *)&peer, &octets) == 0 && octets == sizeof own &&
            peer.sin_port == own.sin_port)
            return tcp;
    }
    fail();
    return -1;
}

static int socket_option(int tcp, int level, int name) {
    int value = 0;
    socklen_t octets = sizeof value;

    assert_int_equal(getsockopt(tcp, level, name, &value, &octets), 0);
    return value;
}

/* Otherwise an event waits until the suite's TCP has acknowledged the one before; and a suite that vanishes
 * keeps its session. */
static void events_do_not_wait_for_acknowledgments(void **state) {
    struct client client;
    int tcp;

    (void)state;
    call(&client);
    tcp = served_socket(&client);
    assert_int_equal(socket_option(tcp, IPPROTO_TCP, TCP_NODELAY), 1);
    assert_int_equal(socket_option(tcp, SOL_SOCKET, SO_KEEPALIVE), 1);
    hang_up(&client);
}

/* On a fixed port, a rejected session that stays would keep out all others. */
static void a_rejected_hello_ends_the_session(void **state) {
    static const char *const wrong[] = {"{\"id\":1,\"op\":\"hello\",\"version\":2}\n",
        "{\"id\":1,\"op\":\"hello\",\"version\":1,\"loud\":true}\n", "{\"op\":\"hello\",\"version\":1}\n"};
    struct client client;

    (void)state;
    end_server();
    begin_server_with(NULL, 20100);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        call(&client);
        say(&client, wrong[i]);
        has(&client, "\"error\":{");
        assert_true(client.ended);
        assert_int_equal(fake_verbs.ids, 0);
        hang_up(&client);
    }
    call(&client);
    say(&client, hello);
    has(&client, "\"version\":1");
    say(&client, "{\"id\":2,\"op\":\"frob\"}\n");
    has(&client, "\"unsupported\"");
    assert_false(client.ended);
    say(&client, "[]\n");
    has(&client, "\"code\":\"protocol\",\"text\":\"a request must be a JSON object\"");
    assert_true(client.ended);
    assert_int_equal(fake_verbs.ids, 0);
    hang_up(&client);
}

static void a_session_begins_with_hello(void **state) {
    struct client client;

    (void)state;
    call(&client);
    say(&client, ping);
    has(&client,
        "{\"id\":2,\"error\":{\"code\":\"protocol\",\"text\":\"the first request must be hello\"}}\n");
    assert_true(client.ended);
    hang_up(&client);
    call(&client);
    say(&client, hello);
    say(&client, "GET / HTTP/1.1\n");
    has(&client, "\"code\":\"protocol\",\"text\":\"not JSON: ");
    assert_true(client.ended);
    hang_up(&client);
    serves();
}

static void the_token_has_to_be_known(void **state) {
    static const char *const wrong[] = {
        "", ",\"token\":\"secre\"", ",\"token\":\"secrets\"", ",\"token\":\"\"", ",\"token\":7"};
    struct client client;
    char line[128];

    (void)state;
    end_server();
    begin_server_with("secret", 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        call(&client);
        /* A second attempt in the same session is not read. */
        snprintf(line, sizeof line,
            "{\"id\":1,\"op\":\"hello\",\"version\":1%s}\n"
            "{\"id\":2,\"op\":\"hello\",\"version\":1,\"token\":\"secret\"}\n",
            wrong[i]);
        say(&client, line);
        assert_string_equal(
            client.text, "{\"id\":1,\"error\":{\"code\":\"token\",\"text\":\"wrong token\"}}\n");
        assert_true(client.ended);
        assert_int_equal(fake_verbs.ids, 0);
        hang_up(&client);
    }
    call(&client);
    say(&client, "{\"id\":1,\"op\":\"hello\",\"version\":1,\"token\":\"secret\"}\n");
    has(&client, "\"version\":1");
    hang_up(&client);
}

static void a_line_has_a_limit(void **state) {
    enum { MORE = IW_AGENT_LINE_MAX + 1 };
    static char line[MORE];
    struct client client;

    (void)state;
    memset(line, '[', MORE);
    call(&client);
    say(&client, hello);
    say_long_line(&client, line, MORE);
    has(&client, "a line has at most 1048576 octets");
    assert_true(client.ended);
    hang_up(&client);
    line[MORE - 2] = '\n';
    call(&client);
    say(&client, hello);
    say_long_line(&client, line, MORE - 1);
    has(&client, "not JSON: ");
    hang_up(&client);
    serves();
}

static void sessions_are_limited(void **state) {
    static struct client clients[IW_AGENT_SESSIONS_MAX];
    struct client more;

    (void)state;
    for (size_t i = 0; i < IW_AGENT_SESSIONS_MAX; i++) {
        call(&clients[i]);
        say(&clients[i], hello);
    }
    assert_int_equal(fake_verbs.ids, IW_AGENT_SESSIONS_MAX);
    call(&more);
    client_read(&more);
    has(&more, "there are too many sessions");
    assert_true(more.ended);
    hang_up(&more);
    for (size_t i = 0; i < IW_AGENT_SESSIONS_MAX; i++) {
        say(&clients[i], ping);
        has(&clients[i], "{\"id\":2}\n");
    }
    hang_up(&clients[0]);
    serves();
    for (size_t i = 1; i < IW_AGENT_SESSIONS_MAX; i++)
        hang_up(&clients[i]);
}

static void the_oldest_idle_session_is_evicted(void **state) {
    static struct client clients[IW_AGENT_SESSIONS_MAX];

    (void)state;
    for (size_t i = 0; i < IW_AGENT_SESSIONS_MAX; i++)
        call(&clients[i]);
    say(&clients[0], hello);
    serves();
    for (size_t i = 0; i < 3; i++)
        client_read(&clients[i]);
    assert_false(clients[0].ended);
    assert_true(clients[1].ended);
    assert_false(clients[2].ended);
    for (size_t i = 0; i < IW_AGENT_SESSIONS_MAX; i++)
        hang_up(&clients[i]);
}

/* The client requests answers of 200 MB together, and reads none of them. */
static void a_client_that_does_not_read_is_dropped(void **state) {
    struct client slow, other;
    char line[128];
    int stag;

    (void)state;
    call(&other);
    say(&other, hello);
    call(&slow);
    say(&slow, hello);
    say(&slow, "{\"id\":2,\"op\":\"register\",\"size\":262144}\n");
    stag = (int)strtol(strstr(slow.text, "\"stag\":") + 7, NULL, 10);
    snprintf(line, sizeof line, "{\"id\":3,\"op\":\"read\",\"stag\":%d,\"size\":%d}\n", stag, READ_SIZE);
    for (int i = 0; i < READS && fake_verbs.ids == 2; i++)
        say_octets(&slow, line, strlen(line));
    assert_int_equal(fake_verbs.ids, 1); /* the listener of the other session */
    say(&other, ping);
    has(&other, "{\"id\":2}\n");
    hang_up(&slow);
    hang_up(&other);
}

/* The client reads answers of 20 MB together only when all are queued, and then while more are. */
static void a_client_that_reads_late_gets_all_lines_in_order(void **state) {
    enum { LATE_READS = 40 };
    struct client client;
    const char *at;
    char line[128];
    int stag;

    (void)state;
    call(&client);
    say(&client, hello);
    say(&client, "{\"id\":2,\"op\":\"register\",\"size\":262144}\n");
    at = strstr(client.text, "\"stag\":");
    stag = (int)strtol(at + 7, NULL, 10);
    for (int i = 0; i < LATE_READS; i++) {
        snprintf(line, sizeof line, "{\"id\":%d,\"op\":\"read\",\"stag\":%d,\"size\":%d}\n", 100 + i, stag,
            READ_SIZE);
        say_octets(&client, line, strlen(line));
        if (i >= LATE_READS / 2)
            client_read(&client);
    }
    for (int i = 0; i < 100000 && !strstr(client.text + client.length - 16, "\"id\":139}"); i++) {
        iw_verbs_server_turn(server);
        client_read(&client);
    }
    at = client.text;
    for (int i = 0; i < LATE_READS; i++) {
        snprintf(line, sizeof line, "\",\"id\":%d}\n", 100 + i);
        at = strstr(at, line);
        assert_non_null(at);
        at += strlen(line);
        if (i + 1 < LATE_READS) /* {"data":"..." */
            assert_int_equal(strspn(at + 9, "0"), 2 * READ_SIZE);
    }
    assert_ptr_equal(at, client.text + client.length);
    hang_up(&client);
}

static unsigned count_of(const struct client *client, const char *words) {
    unsigned count = 0;

    for (const char *at = client->text; at && (at = strstr(at, words)); at++)
        count++;
    return count;
}

/* A client that sends slow requests at once gets some answers in each turn, and so does another one. */
static void a_client_with_slow_requests_does_not_keep_others_waiting(void **state) {
    enum { SLOW = 10 };
    struct client slow, other;
    char lines[SLOW * 80];
    size_t length = 0;

    (void)state;
    call(&other);
    say(&other, hello);
    call(&slow);
    say(&slow, hello);
    say(&slow, "{\"id\":2,\"op\":\"register\",\"size\":16777216}\n");
    for (int i = 0; i < SLOW; i++)
        length += (size_t)snprintf(lines + length, sizeof lines - length,
            "{\"id\":3,\"op\":\"hash\",\"hash\":\"crc32c\",\"stag\":%d}\n",
            (int)strtol(strstr(slow.text, "\"stag\":") + 7, NULL, 10));
    assert_int_equal(send(slow.tcp, lines, length, MSG_NOSIGNAL), length);
    assert_int_equal(send(other.tcp, ping, strlen(ping), MSG_NOSIGNAL), strlen(ping));
    iw_verbs_server_turn(server);
    client_read(&slow);
    client_read(&other);
    assert_in_range(count_of(&slow, "\"hash\":"), 1, SLOW - 1);
    has(&other, "{\"id\":2}\n");
    for (int i = 0; i < SLOW; i++)
        iw_verbs_server_turn(server);
    client_read(&slow);
    assert_int_equal(count_of(&slow, "\"hash\":"), SLOW);
    hang_up(&slow);
    hang_up(&other);
}

static void sessions_take_turns_on_a_fixed_port(void **state) {
    struct client first, second;

    (void)state;
    end_server();
    begin_server_with(NULL, 20100);
    call(&first);
    say(&first, hello);
    has(&first, "\"version\":1");
    assert_null(strstr(first.text, "\"port\":"));
    call(&second);
    say(&second, hello);
    assert_null(second.text);
    hang_up(&first);
    client_read(&second);
    has(&second, "\"version\":1");
    hang_up(&second);
}

/* Clients without the token wait for nothing: they are answered at once, and they neither keep the device
 * from the client that waits its turn, nor evict it. */
static void only_a_client_with_the_token_waits_its_turn(void **state) {
    static const char with_token[] = "{\"id\":1,\"op\":\"hello\",\"version\":1,\"token\":\"secret\"}\n";
    static struct client idle[2 * IW_AGENT_SESSIONS_MAX];
    struct client first, second, third, wrong;

    (void)state;
    end_server();
    begin_server_with("secret", 20100);
    call(&first);
    say(&first, with_token);
    has(&first, "\"version\":1");
    call(&second);
    say(&second, with_token);
    call(&third);
    say(&third, with_token);
    say(&third, ping); /* waits in TCP */
    call(&wrong);
    say(&wrong, hello);
    has(&wrong, "wrong token");
    assert_true(wrong.ended);
    hang_up(&wrong);
    for (size_t i = 0; i < 2 * IW_AGENT_SESSIONS_MAX; i++)
        call(&idle[i]);
    client_read(&second);
    assert_null(second.text);
    assert_false(second.ended);
    hang_up(&first);
    client_read(&second);
    has(&second, "\"version\":1");
    client_read(&third);
    assert_null(third.text);
    hang_up(&second);
    client_read(&third);
    has(&third, "\"version\":1");
    has(&third, "{\"id\":2}\n");
    hang_up(&third);
    for (size_t i = 0; i < 2 * IW_AGENT_SESSIONS_MAX; i++)
        hang_up(&idle[i]);
}

/* The second is rejected, and the session goes on. */
static void a_session_has_one_hello(void **state) {
    struct client client;

    (void)state;
    call(&client);
    say(&client, hello);
    say(&client, "{\"id\":5,\"op\":\"hello\",\"version\":2}\n");
    has(&client, "{\"id\":5,\"error\":{\"code\":\"argument\",\"text\":\"op takes hello only in the first "
                 "request\",\"field\":\"op\"}}\n");
    say(&client, ping);
    has(&client, "{\"id\":2}\n");
    hang_up(&client);
}

static void the_first_line_has_a_lower_limit(void **state) {
    static char line[IW_AGENT_HELLO_MAX];
    struct client client;

    (void)state;
    memset(line, ' ', sizeof line);
    call(&client);
    say_octets(&client, line, sizeof line);
    client_read(&client);
    has(&client, "a line has at most 4096 octets before the answer to hello");
    assert_true(client.ended);
    hang_up(&client);
    call(&client);
    say_octets(&client, line, sizeof line - strlen(hello));
    say(&client, hello);
    has(&client, "\"version\":1");
    say_octets(&client, line, sizeof line);
    say(&client, ping);
    has(&client, "{\"id\":2}\n");
    hang_up(&client);
}

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number) {
    (void)signal_number;
    interrupted = 1;
}

/* A signal that arrives before the wait ends it, too. */
static void a_pending_signal_ends_the_wait(void **state) {
    struct sigaction action = {.sa_handler = interrupt};
    sigset_t usr1;
    char octet;

    (void)state;
    assert_int_equal(read(readable[0], &octet, 1), 1); /* nothing is ready */
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigprocmask(SIG_BLOCK, &usr1, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    assert_int_equal(interrupted, 0);
    assert_true(iw_verbs_server_turn(server));
    assert_int_equal(interrupted, 1);
    sigprocmask(SIG_UNBLOCK, &usr1, NULL);
}

/* ---- a device that goes away ---- */

/* Two sessions, the first with a connection. */
static void begin_two(struct client clients[2]) {
    for (int i = 0; i < 2; i++) {
        call(&clients[i]);
        say(&clients[i], hello);
    }
    fake_verbs_cm(RDMA_CM_EVENT_CONNECT_REQUEST, NULL, 0);
    fake_verbs_cm(RDMA_CM_EVENT_ESTABLISHED, fake_verbs.last, 0);
    serve();
    client_read(&clients[0]);
    client_read(&clients[1]);
    assert_int_equal(fake_verbs.pairs, 1);
}

/* The sessions end with the events of the connection. */
static void check_ended(struct client clients[2]) {
    struct client *connected;

    for (int i = 0; i < 2; i++) {
        client_read(&clients[i]);
        assert_true(clients[i].ended);
    }
    connected = &clients[strstr(clients[1].text, "established") != NULL];
    has(connected,
        "\"event\":\"error\",\"connection\":1,\"terminates\":false,\"text\":\"the device is gone\"");
    has(connected,
        "\"event\":\"closed\",\"connection\":1,\"how\":\"failed\",\"text\":\"the device is gone\"");
    assert_true(fake_verbs_is_empty());
    for (int i = 0; i < 2; i++) {
        close(clients[i].tcp);
        free(clients[i].text);
    }
}

static void a_device_without_a_driver_ends_the_server(void **state) {
    struct client clients[2];

    (void)state;
    begin_two(clients);
    fake_verbs.gone = true;
    assert_false(serve());
    check_ended(clients);
}

static void a_removed_device_ends_the_server(void **state) {
    struct client clients[2];

    (void)state;
    begin_two(clients);
    fake_verbs_cm(RDMA_CM_EVENT_DEVICE_REMOVAL, fake_verbs.last, 0);
    assert_false(serve());
    check_ended(clients);
}

static void a_failed_device_ends_the_server(void **state) {
    struct client clients[2];

    (void)state;
    begin_two(clients);
    fake_verbs_async(IBV_EVENT_DEVICE_FATAL, NULL);
    assert_false(serve());
    check_ended(clients);
}

/* ---- many sessions ---- */

/* Each session leaves in another state: with regions, connections, posts, half a line, or nothing. */
static void soak_one(unsigned number) {
    struct client client;

    call(&client);
    if (number % 5 == 4) {
        say(&client, "{\"id\":1,\"op\":");
        hang_up(&client);
        return;
    }
    say(&client, hello);
    say(&client,
        "{\"id\":2,\"op\":\"register\",\"size\":64}\n{\"id\":3,\"op\":\"register\",\"domain\":\"other\"}\n");
    if (number % 50 > 0) /* the default buffers have 16 MB */
        say(&client, "{\"id\":9,\"op\":\"receives\",\"count\":2,\"size\":64}\n");
    if (number % 5 > 0) {
        fake_verbs_cm(RDMA_CM_EVENT_CONNECT_REQUEST, NULL, 0);
        fake_verbs_cm(RDMA_CM_EVENT_ESTABLISHED, fake_verbs.last, 0);
        say(&client, "{\"id\":4,\"op\":\"register\",\"connection\":1}\n"
                     "{\"id\":5,\"op\":\"post\",\"message\":\"send\",\"data\":\"0102\"}\n");
        has(&client, "{\"post\":1,\"id\":5}");
    }
    if (number % 5 == 2) {
        fake_verbs_cm(RDMA_CM_EVENT_DISCONNECTED, fake_verbs.last, 0);
        say(&client, ping);
        has(&client, "\"closed\"");
    }
    if (number % 5 == 3)
        say(&client, "{\"id\":6,\"op\":\"connect\",\"host\":\"127.0.0.1\",\"port\":7}\n{\"id\":7,");
    hang_up(&client);
    fake_verbs.sent_count = fake_verbs.receive_count = 0;
}

static void ten_thousand_sessions_leave_nothing(void **state) {
    (void)state;
    for (unsigned i = 0; i < SOAK_SESSIONS; i++) {
        soak_one(i);
        assert_true(fake_verbs_is_empty());
    }
}

int main(void) {
#define SERVER(test) cmocka_unit_test_setup_teardown(test, begin, end)
    const struct CMUnitTest tests[] = {
        SERVER(lines_may_come_in_any_pieces),
        SERVER(a_session_begins_with_hello),
        SERVER(events_do_not_wait_for_acknowledgments),
        SERVER(a_rejected_hello_ends_the_session),
        SERVER(the_token_has_to_be_known),
        SERVER(a_line_has_a_limit),
        SERVER(sessions_are_limited),
        SERVER(the_oldest_idle_session_is_evicted),
        SERVER(a_client_that_does_not_read_is_dropped),
        SERVER(a_client_that_reads_late_gets_all_lines_in_order),
        SERVER(a_client_with_slow_requests_does_not_keep_others_waiting),
        SERVER(sessions_take_turns_on_a_fixed_port),
        SERVER(only_a_client_with_the_token_waits_its_turn),
        SERVER(a_session_has_one_hello),
        SERVER(the_first_line_has_a_lower_limit),
        SERVER(a_pending_signal_ends_the_wait),
        SERVER(a_device_without_a_driver_ends_the_server),
        SERVER(a_removed_device_ends_the_server),
        SERVER(a_failed_device_ends_the_server),
        SERVER(ten_thousand_sessions_leave_nothing),
    };
#undef SERVER
    return cmocka_run_group_tests(tests, NULL, NULL);
}
