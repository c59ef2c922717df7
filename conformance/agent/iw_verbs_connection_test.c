#include "iw_verbs_agent_test.h"

static void the_ulp_accepts_and_rejects(void **state) {
    struct session *session = *state;

    ask_for(session, "{'op':'configure','hold':true}", "{}");
    fake_verbs_cm(RDMA_CM_EVENT_CONNECT_REQUEST, NULL, 0);
    fake_verbs_cm(RDMA_CM_EVENT_CONNECT_REQUEST, NULL, 0);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'requested','connection':1}");
    expect_event(session, "{'event':'requested','connection':2}");
    ask_for(session, "{'op':'answer','connection':1,'reject':true}", "{}");
    expect_event(session, "{'event':'rejected','connection':1}");
    expect_event(session, "{'event':'closed','connection':1}");
    assert_int_equal(fake_verbs.rejected, 1);
    ask_for(session, "{'op':'answer'}", "{}");
    assert_int_equal(fake_verbs.accepted, 1);
    refused(session, "{'op':'answer'}", "connection", "the connection has no pending Request");
    fake_verbs_cm(RDMA_CM_EVENT_CONNECT_ERROR, fake_verbs.last, -ECONNRESET);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'closed','connection':2,'how':'failed'}");
}

static void a_listener_for_ipv6_has_the_same_port(void **state) {
    struct session *session = *state;
    const struct sockaddr_in6 *own;

    assert_int_equal(fake_verbs.ids, 1); /* without IPv6 */
    iw_verbs_agent_free(session->agent);
    fake_verbs.ipv6 = true;
    begin_agent(session);
    assert_int_equal(fake_verbs.ids, 2);
    own = (const void *)&fake_verbs.listener->route.addr.src_storage;
    assert_int_equal(own->sin6_family, AF_INET6);
    assert_int_equal(own->sin6_port, htons(7174));
    accept_one(session);
    assert_int_equal(fake_verbs.accepted, 1);
    fake_verbs_cm(RDMA_CM_EVENT_ADDR_CHANGE, fake_verbs.listener, 0); /* an event without a connection */
    expect_silence(session);
}

static void a_terminate_of_an_aborted_connection_is_not_that_of_the_next(void **state) {
    struct session *session = *state;

    accept_one(session);
    ask_for(session, "{'op':'abort'}", "{}");
    log_terminate(session);
    fake_verbs_cm(RDMA_CM_EVENT_DISCONNECTED, accept_one(session), 0);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'closed','connection':2}");
    expect_silence(session);
}

static void a_terminate_of_an_ended_session_is_not_that_of_the_next(void **state) {
    struct session *session = *state;

    accept_one(session);
    log_terminate(session);
    iw_verbs_agent_free(session->agent);
    begin_agent(session);
    fake_verbs_cm(RDMA_CM_EVENT_DISCONNECTED, accept_one(session), 0);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'closed','connection':1}");
    expect_silence(session);
}

/* The log does not say which of two connections got the Terminate: neither reports it. */
static void a_terminate_of_one_of_two_connections_is_not_reported(void **state) {
    struct session *session = *state;
    struct rdma_cm_id *first = accept_one(session);

    accept_one(session);
    log_terminate(session);
    fake_verbs_cm(RDMA_CM_EVENT_DISCONNECTED, first, 0);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'closed','connection':1}");
    log_terminate(session);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'terminate','connection':2}");
    expect_silence(session);
}

static void an_aborted_connection_reports_nothing(void **state) {
    struct session *session = *state;

    accept_one(session);
    ask_for(session, "{'op':'post','message':'send','data':'01'}", "{'post':1}");
    ask_for(session, "{'op':'abort'}", "{}");
    expect_silence(session);
}

static void connections_are_limited(void **state) {
    struct session *session = *state;
    json_t *answer;

    ask_for(session, "{'op':'configure','hold':true}", "{}");
    for (int i = 0; i < 70; i++)
        fake_verbs_cm(RDMA_CM_EVENT_CONNECT_REQUEST, NULL, 0);
    iw_verbs_agent_drain(session->agent);
    assert_int_equal(json_array_size(session->events), 64);
    assert_int_equal(fake_verbs.rejected, 6);
    answer = ask(session, "{'op':'connect','host':'127.0.0.1','port':7}");
    check_has(json_object_get(answer, "error"),
        "{'code':'memory','text':'the limit of 64 connections is reached'}");
    json_decref(answer);
    ask_for(session, "{'op':'abort','connection':9}", "{}");
    ask_for(session, "{'op':'connect','host':'127.0.0.1','port':7}", "{'connection':65}");
}

/* The agent has one thread: peers that connect without end must not keep it. */
static void a_drain_handles_a_limited_number_of_requests(void **state) {
    struct session *session = *state;

    ask_for(session, "{'op':'configure','reject':true}", "{}");
    for (int i = 0; i < 200; i++)
        fake_verbs_cm(RDMA_CM_EVENT_CONNECT_REQUEST, NULL, 0);
    iw_verbs_agent_drain(session->agent);
    assert_int_equal(fake_verbs.rejected, 128);
    iw_verbs_agent_drain(session->agent);
    assert_int_equal(fake_verbs.rejected, 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SESSION(the_ulp_accepts_and_rejects),
        SESSION(a_listener_for_ipv6_has_the_same_port),
        SESSION(a_terminate_of_an_aborted_connection_is_not_that_of_the_next),
        SESSION(a_terminate_of_an_ended_session_is_not_that_of_the_next),
        SESSION(a_terminate_of_one_of_two_connections_is_not_reported),
        SESSION(an_aborted_connection_reports_nothing),
        SESSION(connections_are_limited),
        SESSION(a_drain_handles_a_limited_number_of_requests),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
