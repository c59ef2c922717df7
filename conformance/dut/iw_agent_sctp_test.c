#include "iw_agent_test.h"

/* Agents of devices with DDP over SCTP. */

static int begin_agents(void **state) {
    struct pair *pair = calloc(1, sizeof *pair);

    pair->loop = iw_loop_new(IW_LOOP_VIRTUAL);
    pair->stack = iw_sctp_stack_new(pair->loop);
    begin_parties(pair);
    *state = pair;
    return 0;
}

/* Makes the device initiate a session with the other device on that stream. */
static void open_session(struct pair *pair, unsigned stream, const char *part) {
    const struct iw_sctp_where where = iw_agent_sctp(pair->other.agent);
    char text[128];

    snprintf(text, sizeof text,
        "{'op':'connect','host':'127.0.0.1','port':%u,'transport':'sctp','tunnel':%u,'stream':%u}",
        where.port, where.tunnel, stream);
    ask_for(&pair->device, text, part);
}

static void a_hello_tells_where_sctp_is(void **state) {
    struct pair *pair = *state;
    json_t *answer = ask(&pair->device, "{'op':'hello','version':1}");
    const json_t *place = json_object_get(answer, "sctp");

    assert_int_equal(
        json_integer_value(json_object_get(place, "port")), iw_agent_sctp(pair->device.agent).port);
    assert_int_equal(
        json_integer_value(json_object_get(place, "tunnel")), iw_agent_sctp(pair->device.agent).tunnel);
    json_decref(answer);
}

static void what_is_wrong_with_a_connect_is_named(void **state) {
    struct pair *pair = *state;

    refused(&pair->device, "{'op':'connect','host':'127.0.0.1','port':7,'transport':'udp'}", "argument",
        "transport", "transport takes one of tcp, sctp, not udp");
    refused(&pair->device, "{'op':'connect','host':'127.0.0.1','port':7,'stream':1}", "argument", "stream",
        "stream needs the transport sctp");
    refused(&pair->device, "{'op':'connect','host':'127.0.0.1','port':7,'transport':'sctp','stream':65536}",
        "argument", "stream", "stream takes an integer from 0 to 65535");
}

static void sessions_are_connections(void **state) {
    struct pair *pair = *state;

    ask_for(&pair->other, "{'op':'register','stag':512,'size':8}", "{}");
    open_session(pair, 3, "{'connection':1}");
    open_session(pair, 0, "{'connection':2}");
    ask_for(&pair->device, "{'op':'post','connection':1,'message':'send','data':'68656c6c6f'}", "{}");
    ask_for(&pair->device,
        "{'op':'post','connection':2,'message':'write','stag':512,'to':'0x10000','data':'01'}", "{}");
    run_for_a_while(pair->loop);
    expect_event(&pair->device, "established", "{'connection':1,'crc':false,'markers_out':false}");
    expect_event(&pair->device, "established", "{'connection':2}");
    expect_event(&pair->other, "message", "{'connection':1,'message':'send','msn':1,'data':'68656c6c6f'}");
    ask_for(&pair->other, "{'op':'read','stag':512,'size':1}", "{'data':'01'}");
    /* the passive side may send first (RFC 6581 7) */
    ask_for(&pair->other, "{'op':'post','connection':2,'message':'send','data':'02'}", "{}");
    run_for_a_while(pair->loop);
    expect_event(&pair->device, "message", "{'connection':2,'data':'02'}");
    ask_for(&pair->device, "{'op':'close','connection':1}", "{}");
    run_for_a_while(pair->loop);
    expect_event(&pair->other, "closed", "{'connection':1,'how':'fin'}");
    no_event(&pair->other, "closed");
    ask_for(&pair->device, "{'op':'post','connection':2,'message':'send','data':'03'}", "{}");
    run_for_a_while(pair->loop);
    expect_event(&pair->other, "message", "{'connection':2,'data':'03'}");
}

static void an_initiate_waits_for_the_ulp(void **state) {
    struct pair *pair = *state;

    ask_for(&pair->other, "{'op':'configure','hold':true}", "{}");
    open_session(pair, 0, "{'connection':1}");
    open_session(pair, 1, "{'connection':2}");
    run_for_a_while(pair->loop);
    expect_event(&pair->other, "requested", "{'connection':1}");
    expect_event(&pair->other, "requested", "{'connection':2}");
    ask_for(&pair->other, "{'op':'answer','connection':1}", "{}");
    ask_for(&pair->other, "{'op':'answer','connection':2,'reject':true}", "{}");
    run_for_a_while(pair->loop);
    expect_event(&pair->device, "established", "{'connection':1}");
    expect_event(&pair->device, "rejected", "{'connection':2}");
    /* RFC 5043 6.3: the session has ended, and a new one may start on the stream */
    expect_event(&pair->device, "closed", "{'connection':2,'how':'fin'}");
    expect_event(&pair->other, "closed", "{'connection':2,'how':'fin'}");
    open_session(pair, 1, "{'connection':3}");
    run_for_a_while(pair->loop);
    expect_event(&pair->other, "requested", "{'connection':3}");
}

/* RFC 6581 7: the other device supports none of the RTR types of the Initiate. */
static void a_session_without_an_rtr_type_is_rejected(void **state) {
    struct pair *pair = *state;

    ask_for(
        &pair->device, "{'op':'configure','rev':2,'enhanced':true,'peer_to_peer':true,'rtr':['send']}", "{}");
    ask_for(&pair->other, "{'op':'configure','rtr':['read']}", "{}");
    open_session(pair, 0, "{'connection':1}");
    run_for_a_while(pair->loop);
    expect_event(&pair->device, "rejected", "{'connection':1}");
    expect_event(&pair->other, "rejected", "{'connection':1}");
}

static void a_session_that_cannot_be_has_failed(void **state) {
    struct pair *pair = *state;

    open_session(pair, 16, "{'connection':1}"); /* the association has streams 0 to 15 */
    open_session(pair, 15, "{'connection':2}");
    run_for_a_while(pair->loop);
    expect_event(&pair->device, "closed", "{'connection':1,'how':'failed'}");
    expect_event(&pair->device, "established", "{'connection':2}");
    open_session(pair, 14, "{'connection':3}"); /* on the open association */
    run_for_a_while(pair->loop);
    expect_event(&pair->device, "established", "{'connection':3}");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_agents, end_pair)
    const struct CMUnitTest tests[] = {
        TEST(a_hello_tells_where_sctp_is),
        TEST(what_is_wrong_with_a_connect_is_named),
        TEST(sessions_are_connections),
        TEST(an_initiate_waits_for_the_ulp),
        TEST(a_session_without_an_rtr_type_is_rejected),
        TEST(a_session_that_cannot_be_has_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
