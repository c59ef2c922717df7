#include "iw_verbs_server_test.h"

/* What a hostile client does not get. */

enum { READS = 400 }; /* so many answers exceed what TCP and the server keep */

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

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVER(a_session_begins_with_hello),
        SERVER(a_rejected_hello_ends_the_session),
        SERVER(the_token_has_to_be_known),
        SERVER(a_session_has_one_hello),
        SERVER(a_line_has_a_limit),
        SERVER(the_first_line_has_a_lower_limit),
        SERVER(sessions_are_limited),
        SERVER(the_oldest_idle_session_is_evicted),
        SERVER(a_client_that_does_not_read_is_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
