#include "iw_verbs_server_test.h"

/* With sanitizers a session takes several times as long. */
#ifdef __SANITIZE_ADDRESS__
enum { SOAK_SESSIONS = 2000 };
#else
enum { SOAK_SESSIONS = 10000 };
#endif

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

static void thousands_of_sessions_leave_nothing(void **state) {
    (void)state;
    for (unsigned i = 0; i < SOAK_SESSIONS; i++) {
        soak_one(i);
        assert_true(fake_verbs_is_empty());
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVER(lines_may_come_in_any_pieces),
        SERVER(events_do_not_wait_for_acknowledgments),
        SERVER(a_client_that_reads_late_gets_all_lines_in_order),
        SERVER(a_client_with_slow_requests_does_not_keep_others_waiting),
        SERVER(sessions_take_turns_on_a_fixed_port),
        SERVER(only_a_client_with_the_token_waits_its_turn),
        SERVER(a_pending_signal_ends_the_wait),
        SERVER(a_device_without_a_driver_ends_the_server),
        SERVER(a_removed_device_ends_the_server),
        SERVER(a_failed_device_ends_the_server),
        SERVER(thousands_of_sessions_leave_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
