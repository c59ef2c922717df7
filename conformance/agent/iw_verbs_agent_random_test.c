#include "iw_verbs_agent_test.h"

#include "iw_agent_lines.h"

/* ---- requests at random ---- */

static uint32_t chance(uint32_t *seed, uint32_t below) {
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}

/* A value of any type, or one that is often valid. */
static json_t *random_value(uint32_t *seed, const char *name) {
    static const char *const texts[] = {"0x10000", "0xffffffffffffffff", "6162", "zz", "all", "other",
        "connection", "own", "127.0.0.1", "tcp", "send", "write", "read", ""};

    switch (chance(seed, 8)) {
    case 0:
        return json_boolean(chance(seed, 2));
    case 1:
        return json_integer((json_int_t)chance(seed, 1u << 24) - 9);
    case 2:
        return json_pack("[s]", texts[chance(seed, 14)]);
    case 3:
        return strcmp(name, "message") == 0 ? json_string(iw_agent_messages[chance(seed, IW_AGENT_MESSAGES)])
                                            : json_string(texts[chance(seed, 14)]);
    default:
        return json_integer(chance(seed, 9));
    }
}

/* One request in four is made of wrong values; the device does something now and then. */
static void no_request_breaks_the_agent(void **state) {
    static const char *const names[] = {"hello", "ping", "configure", "connect", "answer", "receives",
        "close", "abort", "register", "register", "deregister", "invalidate", "read", "write", "post", "post",
        "post"};
    static const char *const fields[] = {"version", "connection", "message", "size", "count", "to", "stag",
        "rights", "fill", "stream", "domain", "offset", "data", "sink_stag", "source_stag", "host", "port",
        "private_data", "hold", "reject", "invalidate"};
    struct session *session = *state;
    uint32_t seed = 7;

    for (int i = 0; i < 20000; i++) {
        json_t *request = json_pack("{s:i, s:s}", "id", i, "op", names[chance(&seed, 17)]);
        unsigned count = chance(&seed, 5);

        for (unsigned j = 0; j < count; j++) {
            const char *field = fields[chance(&seed, 21)];

            json_object_set_new(request, field, random_value(&seed, field));
        }
        json_decref(iw_verbs_agent_execute(session->agent, request));
        json_decref(request);
        json_array_clear(session->events);
        if (i % 50 == 0) {
            fake_verbs_cm(RDMA_CM_EVENT_CONNECT_REQUEST, NULL, 0);
            fake_verbs_cm(RDMA_CM_EVENT_ESTABLISHED, fake_verbs.last, 0);
        }
        if (i % 200 == 199) {
            fake_verbs_async(IBV_EVENT_DEVICE_FATAL, NULL);
            iw_verbs_agent_drain(session->agent);
            fake_verbs.sent_count = fake_verbs.receive_count = 0;
            json_array_clear(session->events);
        }
    }
}

/* ---- octets at random ---- */

static const char *const lines[] = {"{\"id\":1,\"op\":\"hello\",\"version\":1}", "{\"id\":2,\"op\":\"ping\"}",
    "{\"id\":3,\"op\":\"configure\",\"ird\":4,\"hold\":true,\"private_data\":\"616263\",\"extensions\":["
    "\"7306\"]}",
    "{\"id\":4,\"op\":\"configure\",\"hold\":false,\"reject\":false}",
    "{\"id\":5,\"op\":\"connect\",\"host\":\"127.0.0.1\",\"port\":7}",
    "{\"id\":6,\"op\":\"answer\",\"connection\":1,\"reject\":false}",
    "{\"id\":7,\"op\":\"receives\",\"count\":3,\"size\":64}", "{\"id\":8,\"op\":\"close\"}",
    "{\"id\":9,\"op\":\"abort\",\"connection\":2}",
    "{\"id\":10,\"op\":\"register\",\"size\":64,\"to\":\"0x7654000\",\"rights\":[\"read\",\"write\"],"
    "\"fill\":\"61\"}",
    "{\"id\":11,\"op\":\"register\",\"stream\":\"connection\",\"connection\":1,\"domain\":\"own\"}",
    "{\"id\":12,\"op\":\"deregister\",\"stag\":2}", "{\"id\":13,\"op\":\"invalidate\",\"stag\":1}",
    "{\"id\":14,\"op\":\"read\",\"stag\":1,\"offset\":1,\"size\":8}",
    "{\"id\":15,\"op\":\"write\",\"stag\":1,\"offset\":60,\"data\":\"01020304\"}",
    "{\"id\":16,\"op\":\"post\",\"message\":\"send_inv\",\"data\":\"6162\",\"invalidate\":7}",
    "{\"id\":17,\"op\":\"post\",\"message\":\"write\",\"stag\":7,\"to\":\"0x10\",\"data\":\"00\"}",
    "{\"id\":18,\"op\":\"post\",\"message\":\"read\",\"sink_stag\":1,\"source_stag\":7,\"size\":16}",
    "{\"id\":19,\"op\":\"post\",\"message\":\"fetch_add\",\"stag\":7,\"add\":\"0x1\"}",
    "{\"id\":20,\"op\":\"post\",\"message\":\"atomic_write\",\"stag\":7,\"value\":\"0x1\"}"};

enum { LINES = sizeof lines / sizeof *lines, LINE_OCTETS = 512 };

/* With sanitizers a line takes several times as long. */
#ifdef __SANITIZE_ADDRESS__
enum { FUZZED_LINES = 6000 };
#else
enum { FUZZED_LINES = 30000 };
#endif

/* A line, or a part of one followed by a part of another; then with some octets replaced, removed or doubled.
 */
static size_t mutated_line(uint32_t *seed, char text[LINE_OCTETS]) {
    static const char special[] = "{}[]\":,0x19efnull\\u-+.\r\n\0\xff\xc3";
    const char *first = lines[chance(seed, LINES)], *second = lines[chance(seed, LINES)];
    size_t cut = chance(seed, 4) == 0 ? chance(seed, (uint32_t)strlen(first)) : strlen(first);
    size_t from = cut < strlen(first) ? chance(seed, (uint32_t)strlen(second)) : strlen(second);
    size_t length = (size_t)snprintf(text, LINE_OCTETS, "%.*s%s", (int)cut, first, second + from);

    for (uint32_t changes = chance(seed, 4); changes > 0; changes--) {
        size_t at = chance(seed, (uint32_t)length);

        switch (chance(seed, 4)) {
        case 0:
            text[at] = (char)chance(seed, 256);
            break;
        case 1:
            text[at] = special[chance(seed, sizeof special)];
            break;
        case 2:
            memmove(text + at, text + at + 1, length - at - 1);
            length -= length > 1;
            break;
        default:
            length += length < LINE_OCTETS - 2;
            memmove(text + at + 1, text + at, length - at - 1);
        }
    }
    text[length++] = '\n';
    return length;
}

/* Executes what is a request. */
static bool execute_line(void *user, const json_t *value, const char *error) {
    struct session *session = user;
    json_t *answer;

    (void)error;
    if (!value)
        return true;
    answer = iw_verbs_agent_execute(session->agent, value);
    assert_non_null(answer);
    json_decref(answer);
    json_array_clear(session->events);
    return true;
}

/* What the device does meanwhile. */
static void fuzz_device(struct session *session, uint32_t *seed) {
    if (chance(seed, 20) == 0) {
        fake_verbs_cm(RDMA_CM_EVENT_CONNECT_REQUEST, NULL, 0);
        fake_verbs_cm(RDMA_CM_EVENT_ESTABLISHED, fake_verbs.last, 0);
    }
    if (chance(seed, 100) > 0)
        return;
    fake_verbs_async(IBV_EVENT_DEVICE_FATAL, NULL);
    iw_verbs_agent_drain(session->agent);
    fake_verbs.sent_count = fake_verbs.receive_count = 0;
    json_array_clear(session->events);
}

static void no_octets_break_the_agent(void **state) {
    struct session *session = begin_extended(atomic_write, ~0ULL);
    struct iw_agent_lines input = {0};
    uint32_t seed = 11;
    char text[LINE_OCTETS];

    (void)state;
    for (int i = 0; i < FUZZED_LINES; i++) {
        size_t length = mutated_line(&seed, text), part = chance(&seed, (uint32_t)length);

        if (chance(&seed, 10) == 0)
            for (size_t at = 0; at + 1 < length; at++)
                text[at] = (char)chance(&seed, 256);
        /* in two pieces */
        assert_int_equal(
            iw_agent_lines_feed(&input, (const uint8_t *)text, part, execute_line, session), IW_AGENT_FED);
        assert_int_equal(
            iw_agent_lines_feed(&input, (const uint8_t *)text + part, length - part, execute_line, session),
            IW_AGENT_FED);
        fuzz_device(session, &seed);
    }
    iw_agent_lines_dispose(&input);
    json_array_clear(session->events);
    end_extended(session);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SESSION(no_request_breaks_the_agent),
        cmocka_unit_test(no_octets_break_the_agent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
