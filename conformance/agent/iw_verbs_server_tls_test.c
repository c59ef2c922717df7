#include "iw_verbs_server_test.h"

/* The agent's sockets with clients over TLS. */

static struct iw_tls_context *of_server, *of_suite;

static struct iw_tls_context *make_context(enum iw_tls_side side) {
    static const char key[] = "00112233445566778899aabbccddeeff\n";
    char path[] = "/tmp/iw_verbs_server_tls_test.XXXXXX", error[256];
    const struct iw_tls_files files = {.psk = path};
    struct iw_tls_context *context;
    int file = mkstemp(path);

    assert_true(file >= 0);
    assert_int_equal(write(file, key, sizeof key - 1), sizeof key - 1);
    close(file);
    context = iw_tls_context_new(&files, side, error, sizeof error);
    unlink(path);
    assert_non_null(context);
    return context;
}

static int begin_tls(void **state) {
    struct iw_verbs_server_config config = {.unblocked = &unblocked,
        .agent = {.device = &device, .startup = {.revision = 2}},
        .host = "127.0.0.1"};
    char text[IW_VERBS_TEXT_OCTETS];

    of_server = make_context(IW_TLS_SERVER);
    of_suite = make_context(IW_TLS_CLIENT);
    begin(state);
    iw_verbs_server_free(server);
    config.tls = of_server;
    server = iw_verbs_server_new(&config, text);
    assert_non_null(server);
    return 0;
}

static int end_tls(void **state) {
    end(state);
    iw_tls_context_free(of_server);
    iw_tls_context_free(of_suite);
    return 0;
}

/* ---- clients ---- */

struct secure_client {
    struct client tcp; /* its `text` is encrypted */
    size_t fed;        /* octets of it that `tls` has got */
    struct iw_tls *tls;
    char *text;
    size_t length;
    bool failed;
};

/* Exchanges octets until neither side has more. */
static void exchange(struct secure_client *client) {
    uint8_t octets[4096];

    for (int idle = 0; idle < 3 && !client->failed; idle++) {
        size_t out = iw_tls_output(client->tls, octets, sizeof octets);
        int length;

        say_octets(&client->tcp, (const char *)octets, out);
        serve();
        client_read(&client->tcp);
        assert_true(iw_tls_feed(
            client->tls, (const uint8_t *)client->tcp.text + client->fed, client->tcp.length - client->fed));
        idle = out > 0 || client->tcp.length > client->fed ? 0 : idle;
        client->fed = client->tcp.length;
        while ((length = iw_tls_read(client->tls, octets, sizeof octets)) > 0)
            append(&client->text, &client->length, octets, (size_t)length);
        client->failed = length < 0;
    }
}

static void call_securely(struct secure_client *client) {
    *client = (struct secure_client){.tls = iw_tls_new(of_suite, "127.0.0.1")};
    assert_non_null(client->tls);
    call(&client->tcp);
    client->tcp.text = calloc(1, 1);
    exchange(client);
    assert_true(iw_tls_established(client->tls));
}

static void say_securely(struct secure_client *client, const char *text) {
    assert_true(iw_tls_write(client->tls, (const uint8_t *)text, strlen(text)));
    exchange(client);
}

static void hang_up_securely(struct secure_client *client) {
    hang_up(&client->tcp);
    iw_tls_free(client->tls);
    free(client->text);
}

static void serves_securely(void) {
    struct secure_client client;

    call_securely(&client);
    say_securely(&client, hello);
    say_securely(&client, ping);
    assert_non_null(client.text);
    assert_non_null(strstr(client.text, "\"port\":7174"));
    assert_non_null(strstr(client.text, "{\"id\":2}\n"));
    hang_up_securely(&client);
}

static void a_session_works(void **state) {
    (void)state;
    serves_securely();
}

/* 20 answers of 1/2 MB, and requests that together fill several records. */
static void long_answers_and_many_requests_keep_their_order(void **state) {
    enum { READS = 20, PINGS = 2000 };
    struct secure_client client;
    char line[128], *lines = malloc(PINGS * 32);
    size_t length = 0;
    const char *at;
    int stag;

    (void)state;
    call_securely(&client);
    say_securely(&client, hello);
    say_securely(&client, "{\"id\":2,\"op\":\"register\",\"size\":262144}\n");
    stag = (int)strtol(strstr(client.text, "\"stag\":") + 7, NULL, 10);
    for (int i = 0; i < READS; i++) {
        snprintf(line, sizeof line, "{\"id\":%d,\"op\":\"read\",\"stag\":%d,\"size\":%d}\n", 100 + i, stag,
            READ_SIZE);
        assert_true(iw_tls_write(client.tls, (const uint8_t *)line, strlen(line)));
    }
    exchange(&client);
    for (int i = 0; i < PINGS; i++)
        length += (size_t)snprintf(lines + length, 32, "{\"id\":%d,\"op\":\"ping\"}\n", 1000 + i);
    say_securely(&client, lines);
    at = client.text;
    for (int i = 0; i < READS; i++) {
        snprintf(line, sizeof line, "\",\"id\":%d}\n", 100 + i);
        at = strstr(at, line);
        assert_non_null(at);
    }
    for (int i = 0; i < PINGS; i++) {
        snprintf(line, sizeof line, "{\"id\":%d}\n", 1000 + i);
        at = strstr(at, line);
        assert_non_null(at);
    }
    free(lines);
    hang_up_securely(&client);
}

static void garbage_and_half_handshakes_keep_nobody_waiting(void **state) {
    struct client clear, silent, half, garbage;
    struct iw_tls *tls = iw_tls_new(of_suite, "127.0.0.1");
    uint8_t octets[1024], none[1];
    size_t length;

    (void)state;
    assert_int_equal(iw_tls_read(tls, none, sizeof none), 0);
    length = iw_tls_output(tls, octets, sizeof octets);
    call(&silent);
    call(&half);
    say_octets(&half, (const char *)octets, length / 2);
    call(&garbage);
    memset(octets, 0xA5, sizeof octets);
    say_octets(&garbage, (const char *)octets, sizeof octets);
    call(&clear);
    say(&clear, hello);
    serves_securely();
    client_read(&garbage);
    client_read(&clear);
    assert_true(garbage.ended && clear.ended);
    assert_null(clear.text ? strstr(clear.text, "port") : NULL);
    client_read(&silent);
    client_read(&half);
    assert_false(silent.ended || half.ended);
    hang_up(&silent);
    hang_up(&half);
    hang_up(&garbage);
    hang_up(&clear);
    iw_tls_free(tls);
}

static void unfinished_handshakes_keep_nobody_out(void **state) {
    struct client silent[IW_AGENT_SESSIONS_MAX];

    (void)state;
    for (size_t i = 0; i < IW_AGENT_SESSIONS_MAX; i++)
        call(&silent[i]);
    serves_securely();
    client_read(&silent[0]);
    assert_true(silent[0].ended);
    for (size_t i = 0; i < IW_AGENT_SESSIONS_MAX; i++)
        hang_up(&silent[i]);
}

#define TLS(test) cmocka_unit_test_setup_teardown(test, begin_tls, end_tls)

int main(void) {
    const struct CMUnitTest tests[] = {TLS(a_session_works),
        TLS(long_answers_and_many_requests_keep_their_order),
        TLS(garbage_and_half_handshakes_keep_nobody_waiting), TLS(unfinished_handshakes_keep_nobody_out)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
