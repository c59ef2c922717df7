#include "iw_agent_server_test.h"

/* The agent with hostile clients, and the suite with a hostile agent. */

/* A client that writes octets and records the reply. */
struct talker {
    struct iw_port *port;
    char *text; /* the reply */
    size_t length;
    bool connected, ended;
};

static void connected(void *user) {
    ((struct talker *)user)->connected = true;
}

static void received(void *user, const uint8_t *octets, size_t length) {
    struct talker *talker = user;

    talker->text = realloc(talker->text, talker->length + length + 1);
    memcpy(talker->text + talker->length, octets, length);
    talker->length += length;
    talker->text[talker->length] = '\0';
}

static void writable(void *user) {
    (void)user;
}

static void ended(void *user, enum iw_port_end end, const char *text) {
    (void)end;
    (void)text;
    ((struct talker *)user)->ended = true;
}

static void call(struct talker *talker) {
    static const struct iw_port_handlers handlers = {connected, received, writable, ended};
    char text[IW_PORT_TEXT_OCTETS];

    *talker = (struct talker){0};
    talker->port = iw_port_connect(loop, "127.0.0.1", iw_agent_server_port(server), &handlers, talker, text);
    assert_non_null(talker->port);
    run_ms(10);
    assert_true(talker->connected);
}

static void say(struct talker *talker, const char *text) {
    assert_int_equal(iw_port_write(talker->port, (const uint8_t *)text, strlen(text)), IW_OK);
    run_ms(10);
}

static void hang_up(struct talker *talker) {
    iw_port_free(talker->port);
    free(talker->text);
    *talker = (struct talker){0};
    run_ms(10);
}

static void has(const struct talker *talker, const char *words) {
    if (!talker->text || !strstr(talker->text, words))
        fail_msg("no %s in %s", words, talker->text ? talker->text : "nothing");
}

static const char hello[] = "{\"id\":1,\"op\":\"hello\",\"version\":1}\n";
static const char ping[] = "{\"id\":2,\"op\":\"ping\"}\n";

/* Checks that the agent still serves a new client. */
static void serves(void) {
    struct talker talker;

    call(&talker);
    say(&talker, hello);
    say(&talker, ping);
    has(&talker, "\"port\":");
    has(&talker, "{\"id\":2}\n");
    assert_false(talker.ended);
    hang_up(&talker);
}

static int begin(void **state) {
    (void)state;
    begin_server(NULL, NULL);
    return 0;
}

static int end(void **state) {
    (void)state;
    end_server();
    return 0;
}

static void lines_may_come_in_any_pieces(void **state) {
    struct talker talker;

    (void)state;
    call(&talker);
    say(&talker, "\n"); /* empty, before any memory is allocated */
    for (size_t i = 0; hello[i]; i++)
        say(&talker, (const char[]){hello[i], '\0'});
    say(&talker, "\n\r\n{\"id\":2,\"op\":\"ping\"}\r\n{\"id\":3,\"op\":\"ping\"}\n");
    has(&talker, "{\"id\":2}\n{\"id\":3}\n");
    hang_up(&talker);
}

/* A malformed request in a running session is rejected, and the session continues. */
static void a_request_that_is_refused_ends_nothing(void **state) {
    struct talker talker;

    (void)state;
    call(&talker);
    say(&talker, hello);
    say(&talker, "{}\n{\"id\":-9223372036854775808,\"op\":\"\xc3\xa4\xc3\xa4\"}\n");
    say(&talker, ping);
    has(&talker, "{\"id\":2}\n");
    hang_up(&talker);
}

static void what_is_no_request_ends_the_session(void **state) {
    static const char *const wrong[] = {"[]\n", "7\n", "\"\"\n", "null\n"};
    struct talker talker;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        call(&talker);
        say(&talker, hello);
        say(&talker, wrong[i]);
        has(&talker, "\"code\":\"protocol\",\"text\":\"a request must be a JSON object\"");
        assert_true(talker.ended);
        hang_up(&talker);
    }
}

static void a_rejected_hello_ends_the_session(void **state) {
    static const char *const wrong[] = {"{\"id\":1,\"op\":\"hello\",\"version\":2}\n",
        "{\"id\":1,\"op\":\"hello\",\"version\":1,\"loud\":true}\n", "{\"op\":\"hello\",\"version\":1}\n"};
    struct talker talker;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        call(&talker);
        say(&talker, wrong[i]);
        has(&talker, "\"error\":{");
        assert_true(talker.ended);
        hang_up(&talker);
    }
}

static void what_is_no_json_ends_the_session_with_a_reason(void **state) {
    static const char *const wrong[] = {"GET / HTTP/1.1\n", "{\"id\":1,\n", "{\"id\":1,\"id\":2}\n",
        "{\"id\":99999999999999999999}\n", "\xff\xfe\n", "{\"op\":\"\xc3\x28\"}\n"};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct talker talker;

        call(&talker);
        say(&talker, hello);
        say(&talker, wrong[i]);
        has(&talker, "\"code\":\"protocol\",\"text\":\"not JSON: ");
        assert_true(talker.ended);
        hang_up(&talker);
    }
    serves();
}

static void a_line_of_any_length_and_depth_is_survived(void **state) {
    enum { MORE = IW_AGENT_LINE_MAX + 1 };
    static char line[MORE + 1];
    struct talker talker;

    (void)state;
    memset(line, '[', MORE);
    call(&talker);
    say(&talker, hello);
    say(&talker, line);
    has(&talker, "a line has at most 1048576 octets");
    assert_true(talker.ended);
    hang_up(&talker);
    line[MORE - 2] = '\n';
    line[MORE - 1] = '\0';
    call(&talker);
    say(&talker, hello);
    say(&talker, line);
    has(&talker, "not JSON: ");
    hang_up(&talker);
    serves();
}

static void nothing_is_done_before_the_hello(void **state) {
    struct talker talker;

    (void)state;
    call(&talker);
    say(&talker, ping);
    has(&talker,
        "{\"id\":2,\"error\":{\"code\":\"protocol\",\"text\":\"the first request must be hello\"}}\n");
    assert_true(talker.ended);
    hang_up(&talker);
}

static void who_says_nothing_is_sent_away(void **state) {
    struct talker talker;

    (void)state;
    call(&talker);
    say(&talker, "{\"id\":");
    run_ms(9000);
    assert_false(talker.ended);
    run_ms(2000);
    assert_true(talker.ended);
    hang_up(&talker);
}

static void there_are_so_many_sessions_and_no_more(void **state) {
    static struct talker talkers[IW_AGENT_SESSIONS_MAX + 1];

    (void)state;
    for (size_t i = 0; i <= IW_AGENT_SESSIONS_MAX; i++) {
        call(&talkers[i]);
        if (i < IW_AGENT_SESSIONS_MAX)
            say(&talkers[i], hello);
    }
    has(&talkers[IW_AGENT_SESSIONS_MAX], "there are too many sessions");
    assert_true(talkers[IW_AGENT_SESSIONS_MAX].ended);
    for (size_t i = 0; i <= IW_AGENT_SESSIONS_MAX; i++)
        hang_up(&talkers[i]);
    serves();
}

static void who_says_nothing_keeps_nobody_out(void **state) {
    static struct talker talkers[IW_AGENT_SESSIONS_MAX];

    (void)state;
    for (size_t i = 0; i < IW_AGENT_SESSIONS_MAX; i++)
        call(&talkers[i]);
    say(&talkers[0], hello);
    serves();
    serves();
    assert_false(talkers[0].ended);
    assert_true(talkers[1].ended); /* the oldest without a hello, evicted for the first client of serves() */
    assert_false(talkers[2].ended);
    for (size_t i = 0; i < IW_AGENT_SESSIONS_MAX; i++)
        hang_up(&talkers[i]);
}

static void what_a_session_made_ends_with_it(void **state) {
    struct talker first, second;
    char request[128];

    (void)state;
    call(&first);
    call(&second);
    say(&first, hello);
    say(&second, hello);
    snprintf(request, sizeof request, "{\"id\":2,\"op\":\"connect\",\"host\":\"127.0.0.1\",\"port\":%ld}\n",
        strtol(strstr(second.text, "\"port\":") + 7, NULL, 10));
    say(&first, request);
    has(&first, "\"event\":\"established\"");
    has(&second, "\"event\":\"established\"");
    /* a partial line */
    say(&first, "{\"id\":3,\"op\":\"po");
    hang_up(&first);
    has(&second, "\"event\":\"closed\"");
    hang_up(&second);
    serves();
}

static void the_token_has_to_be_known(void **state) {
    static const char *const wrong[] = {"", ",\"token\":\"secre\"", ",\"token\":\"secret.\"",
        ",\"token\":\"secretsecret\"", ",\"token\":\"\"", ",\"token\":7"};
    struct talker talker;
    char line[128];

    (void)state;
    iw_agent_server_free(server);
    begin_server("secret", NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        call(&talker);
        snprintf(line, sizeof line, "{\"id\":1,\"op\":\"hello\",\"version\":1%s}\n", wrong[i]);
        say(&talker, line);
        assert_string_equal(
            talker.text, "{\"id\":1,\"error\":{\"code\":\"token\",\"text\":\"wrong token\"}}\n");
        assert_true(talker.ended);
        hang_up(&talker);
    }
    call(&talker);
    say(&talker, "{\"id\":1,\"op\":\"hello\",\"version\":1,\"token\":\"secret\"}\n");
    has(&talker, "\"version\":1");
    assert_false(talker.ended);
    hang_up(&talker);
}

/* ---- the suite's side ---- */

static void the_suite_has_its_answers(void **state) {
    struct suite suite = {.pings = true};
    char host[64];

    (void)state;
    begin_suite(&suite, iw_agent_server_port(server), NULL, NULL);
    assert_true(suite.ready);
    assert_int_equal(suite.answered, 2);
    iw_agent_client_own_host(suite.client, host);
    assert_string_equal(host, "127.0.0.1");
    for (unsigned i = 0; i < IW_AGENT_REQUESTS_MAX; i++)
        assert_int_equal(iw_agent_client_request(suite.client, json_pack("{ss}", "op", "ping")), 3 + i);
    assert_int_equal(iw_agent_client_request(suite.client, json_pack("{ss}", "op", "ping")), 0);
    run_ms(10);
    assert_int_equal(suite.answered, 2 + IW_AGENT_REQUESTS_MAX);
    iw_agent_client_free(suite.client);
}

/* An agent that answers the first request with this text, and no other request. */
static const char *answer_of_all;
static struct iw_port *accepted;

static void answer_all(void *user, const uint8_t *octets, size_t length) {
    (void)user, (void)octets, (void)length;
    iw_port_write(accepted, (const uint8_t *)answer_of_all, strlen(answer_of_all));
    answer_of_all = "";
}

static void accept_one(void *user, struct iw_port *port) {
    static const struct iw_port_handlers handlers = {writable, answer_all, writable, ended};
    static struct talker unused;

    (void)user;
    accepted = port;
    iw_port_handle(port, &handlers, &unused);
}

static void an_agent_that_talks_nonsense_is_told_so(void **state) {
    static const struct {
        const char *says, *failure;
    } cases[] = {
        {"nonsense\n", "not JSON: "},
        {"[]\n", "sends a line that is not a JSON object"},
        {"{}\n", "sends an unsolicited answer"},
        {"{\"id\":1}\n", "uses a different version of the protocol"},
        {"{\"id\":1,\"version\":2}\n", "uses a different version of the protocol"},
        {"{\"id\":1,\"error\":{\"text\":\"go away\"}}\n", "go away"},
        {"{\"id\":1,\"error\":7}\n", "rejects the session"},
        {"{\"id\":1,\"version\":1,\"port\":7}\n{\"id\":1}\n", "sends an unsolicited answer"},
        {"{\"id\":1,\"version\":1,\"port\":7}\n{\"id\":3}\n", "sends an unsolicited answer"},
        {"{\"id\":1,\"version\":1,\"port\":7}\n{\"id\":2}\n{\"id\":2}\n", "sends an unsolicited answer"},
        {"{\"id\":1,\"version\":1,\"port\":7}\n{\"event\":[]}\n{\"id\":2}\n", ""},
    };
    char text[IW_PORT_TEXT_OCTETS];
    struct iw_listener *listener = iw_listener_new(loop, "127.0.0.1", 0, accept_one, NULL, text);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct suite suite = {.pings = true};

        answer_of_all = cases[i].says;
        begin_suite(&suite, iw_listener_port(listener), NULL, NULL);
        if (cases[i].failure[0] ? !strstr(suite.failure, cases[i].failure) : suite.failure[0])
            fail_msg("%s: %s", cases[i].says, suite.failure);
        iw_agent_client_free(suite.client);
        iw_port_free(accepted);
        run_ms(10);
    }
    iw_listener_free(listener);
}

static void who_is_not_there_is_named(void **state) {
    struct suite suite = {.pings = true};

    (void)state;
    begin_suite(&suite, 1, NULL, NULL);
    assert_string_equal(suite.failure, "agent 127.0.0.1:1: connection refused");
    iw_agent_client_free(suite.client);
    iw_agent_server_free(server);
    begin_server("secret", NULL);
    begin_suite(&suite, iw_agent_server_port(server), "other", NULL);
    assert_non_null(strstr(suite.failure, ": wrong token"));
    iw_agent_client_free(suite.client);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(lines_may_come_in_any_pieces),
        TEST(a_request_that_is_refused_ends_nothing),
        TEST(what_is_no_request_ends_the_session),
        TEST(a_rejected_hello_ends_the_session),
        TEST(what_is_no_json_ends_the_session_with_a_reason),
        TEST(a_line_of_any_length_and_depth_is_survived),
        TEST(nothing_is_done_before_the_hello),
        TEST(who_says_nothing_is_sent_away),
        TEST(there_are_so_many_sessions_and_no_more),
        TEST(who_says_nothing_keeps_nobody_out),
        TEST(what_a_session_made_ends_with_it),
        TEST(the_token_has_to_be_known),
        TEST(the_suite_has_its_answers),
        TEST(an_agent_that_talks_nonsense_is_told_so),
        TEST(who_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
