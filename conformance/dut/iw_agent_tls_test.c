#include "iw_agent_server_test.h"

#include <unistd.h>

/* Sessions of the agent over TLS, while others never end their handshake. */

enum { HOSTILE = 24 };

static struct iw_tls_context *of_server, *of_suite, *of_stranger;

static struct iw_tls_context *make_context(enum iw_tls_side side, const char *key) {
    char path[] = "/tmp/iw_agent_tls_test.XXXXXX", error[256];
    const struct iw_tls_files files = {.psk = path};
    struct iw_tls_context *context;
    int file = mkstemp(path);

    assert_true(file >= 0);
    assert_int_equal(write(file, key, strlen(key)), strlen(key));
    close(file);
    context = iw_tls_context_new(&files, side, error, sizeof error);
    unlink(path);
    assert_non_null(context);
    return context;
}

static int begin(void **state) {
    (void)state;
    of_server = make_context(IW_TLS_SERVER, "00112233445566778899aabbccddeeff");
    of_suite = make_context(IW_TLS_CLIENT, "00112233445566778899aabbccddeeff");
    of_stranger = make_context(IW_TLS_CLIENT, "00112233445566778899aabbccddee00");
    begin_server(NULL, of_server);
    return 0;
}

static int end(void **state) {
    (void)state;
    end_server();
    iw_tls_context_free(of_server);
    iw_tls_context_free(of_suite);
    iw_tls_context_free(of_stranger);
    return 0;
}

/* ---- a suite ---- */

static void ask(struct suite *suite, json_t *request) {
    assert_int_not_equal(iw_agent_client_request(suite->client, request), 0);
    run_ms(10);
}

static void a_suite_is_served(void) {
    struct suite suite = {0};

    begin_suite(&suite, iw_agent_server_port(server), NULL, of_suite);
    if (!suite.ready)
        fail_msg("%s", suite.failure);
    ask(&suite, json_pack("{ss}", "op", "ping"));
    assert_int_equal(suite.answered, 2);
    iw_agent_client_free(suite.client);
}

/* Lines of many TLS records in both directions. */
static void long_lines_cross(void **state) {
    enum { OCTETS = 200000 };
    struct suite suite = {0};
    char *data = malloc(2 * OCTETS + 1);

    (void)state;
    memset(data, 'a', 2 * OCTETS);
    data[2 * OCTETS] = '\0';
    begin_suite(&suite, iw_agent_server_port(server), NULL, of_suite);
    ask(&suite, json_pack("{sssisi}", "op", "register", "size", OCTETS, "stag", 7));
    ask(&suite, json_pack("{sssisiss}", "op", "write", "stag", 7, "offset", 0, "data", data));
    ask(&suite, json_pack("{sssisisi}", "op", "read", "stag", 7, "offset", 0, "size", OCTETS));
    assert_string_equal(suite.failure, "");
    assert_int_equal(suite.answered, 4);
    assert_int_equal(suite.octets, OCTETS);
    iw_agent_client_free(suite.client);
    free(data);
}

static void a_handler_may_free_the_client(void **state) {
    struct suite suite = {.frees_itself = true}, stranger = {.frees_itself = true};

    (void)state;
    begin_suite(&suite, iw_agent_server_port(server), NULL, of_suite);
    ask(&suite, json_pack("{ss}", "op", "ping"));
    assert_null(suite.client);
    begin_suite(&stranger, iw_agent_server_port(server), NULL, of_stranger);
    assert_null(stranger.client);
    assert_non_null(strstr(stranger.failure, "agent 127.0.0.1:"));
}

static void who_lacks_the_key_is_sent_away(void **state) {
    struct suite suite = {0};

    (void)state;
    begin_suite(&suite, iw_agent_server_port(server), NULL, of_stranger);
    assert_false(suite.ready);
    assert_non_null(strstr(suite.failure, ": TLS: "));
    iw_agent_client_free(suite.client);
    suite = (struct suite){0};
    begin_suite(&suite, iw_agent_server_port(server), NULL, NULL);
    assert_false(suite.ready);
    assert_true(suite.failure[0] != '\0');
    iw_agent_client_free(suite.client);
    a_suite_is_served();
}

/* ---- hostile clients ---- */

struct hostile {
    struct iw_port *port;
    bool ended;
};

static void ignore(void *user) {
    (void)user;
}

static void ignore_octets(void *user, const uint8_t *octets, size_t length) {
    (void)user, (void)octets, (void)length;
}

static void hostile_ended(void *user, enum iw_port_end end, const char *text) {
    (void)end, (void)text;
    ((struct hostile *)user)->ended = true;
}

static void call(struct hostile *hostile) {
    static const struct iw_port_handlers handlers = {ignore, ignore_octets, ignore, hostile_ended};
    char text[IW_PORT_TEXT_OCTETS];

    hostile->port =
        iw_port_connect(loop, "127.0.0.1", iw_agent_server_port(server), &handlers, hostile, text);
    assert_non_null(hostile->port);
    run_ms(1);
}

/* The beginning of a real handshake. */
static size_t client_hello(uint8_t *octets, size_t size) {
    struct iw_tls *tls = iw_tls_new(of_suite, "127.0.0.1");
    uint8_t none[1];
    size_t length;

    assert_int_equal(iw_tls_read(tls, none, sizeof none), 0);
    length = iw_tls_output(tls, octets, size);
    iw_tls_free(tls);
    return length;
}

/* Half a handshake, an octet at a time, silence, and garbage: others are served meanwhile, and all end by the
 * timeout of hello at the latest. */
static void hostile_handshakes_keep_nobody_waiting(void **state) {
    struct hostile hostile[HOSTILE] = {{0}};
    uint8_t octets[1024], garbage[64];
    size_t length = client_hello(octets, sizeof octets);

    (void)state;
    assert_true(length > 100 && length < sizeof octets);
    memset(garbage, 0xA5, sizeof garbage);
    for (size_t i = 0; i < HOSTILE; i++) {
        call(&hostile[i]);
        if (i % 4 == 1)
            iw_port_write(hostile[i].port, octets, length / 2);
        if (i % 4 == 2)
            iw_port_write(hostile[i].port, octets, length);
        if (i % 4 == 3)
            iw_port_write(hostile[i].port, garbage, sizeof garbage);
    }
    for (size_t at = 0; at < 50; at++) {
        for (size_t i = 0; i < HOSTILE; i += 4)
            iw_port_write(hostile[i].port, octets + at, 1);
        a_suite_is_served();
    }
    for (size_t i = 0; i < HOSTILE; i++)
        assert_int_equal(hostile[i].ended, i % 4 == 3);
    run_ms(IW_AGENT_HELLO_MS);
    for (size_t i = 0; i < HOSTILE; i++) {
        assert_true(hostile[i].ended);
        iw_port_free(hostile[i].port);
    }
    a_suite_is_served();
}

/* The oldest unfinished handshake gives way at the limit of sessions. */
static void unfinished_handshakes_keep_nobody_out(void **state) {
    struct hostile hostile[IW_AGENT_SESSIONS_MAX] = {{0}};

    (void)state;
    for (size_t i = 0; i < IW_AGENT_SESSIONS_MAX; i++)
        call(&hostile[i]);
    a_suite_is_served();
    assert_true(hostile[0].ended);
    for (size_t i = 0; i < IW_AGENT_SESSIONS_MAX; i++)
        iw_port_free(hostile[i].port);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(long_lines_cross), TEST(a_handler_may_free_the_client),
        TEST(who_lacks_the_key_is_sent_away), TEST(hostile_handshakes_keep_nobody_waiting),
        TEST(unfinished_handshakes_keep_nobody_out)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
