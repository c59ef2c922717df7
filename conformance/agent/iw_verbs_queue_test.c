#include "iw_verbs_agent_test.h"

/* Immediate Data has 8 octets, of which verbs tell 4: it is no Send, and its octets are unknown. */
static void immediate_data_is_no_send(void **state) {
    struct session *session = *state;
    struct rdma_cm_id *id = accept_one(session);

    session->device.abilities.tells_solicited = true;
    fake_verbs_receive_immediate(id, false);
    iw_verbs_agent_drain(session->agent);
    assert_null(json_object_get(json_array_get(session->events, 0), "data"));
    expect_event(session, "{'event':'message','message':'immediate','msn':1,'size':8}");
    fake_verbs_receive_immediate(id, true);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'message','message':'immediate_se','msn':2}");
    refused(session, "{'op':'post','message':'immediate','data':'0102030405060708'}", "unsupported",
        "message is not supported by this device: immediate");
}

static void siw_does_not_tell_the_kind(void **state) {
    struct session *session = *state;
    struct rdma_cm_id *id = accept_one(session);

    fake_verbs_receive(id, "one", false);
    iw_verbs_agent_drain(session->agent);
    assert_null(json_object_get(json_array_get(session->events, 0), "message"));
    expect_event(session, "{'event':'message','msn':1,'data':'6f6e65'}");
}

/* No octets outside the buffer are read. */
static void a_message_exceeds_no_buffer(void **state) {
    struct session *session = *state;
    struct rdma_cm_id *id;

    ask_for(session, "{'op':'receives','count':2,'size':2}", "{}");
    id = accept_one(session);
    memcpy((void *)(uintptr_t)fake_verbs.buffers[1].addr, "xy", 2);
    fake_verbs_receive(id, "ab", false);
    fake_verbs_receive_excess(id, 200000);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'message','msn':1,'size':2,'data':'6162'}");
    expect_event(session, "{'event':'error','connection':1,'terminates':false,"
                          "'text':'the device reports a message of 200000 octets in a buffer of 2'}");
    expect_event(session, "{'event':'message','msn':2,'size':200000,'data':'7879'}");
    expect_silence(session);
}

/* The agent has one thread: a device that completes work requests without end must not keep it. */
static void a_drain_has_an_end(void **state) {
    struct session *session = *state;

    ask_for(session, "{'op':'receives','count':300,'size':2}", "{}");
    accept_one(session);
    fake_verbs.flood = 100000;
    iw_verbs_agent_drain(session->agent);
    assert_true(fake_verbs.flood > 90000);
    fake_verbs.flood = 0;
    expect_silence(session);
}

static void messages_come_before_the_answer(void **state) {
    struct session *session = *state;
    struct rdma_cm_id *id = accept_one(session);

    session->device.abilities.tells_solicited = true;
    fake_verbs_receive(id, "one", false);
    ask_for(session, "{'op':'ping'}", "{'id':1}");
    expect_event(
        session, "{'event':'message','connection':1,'message':'send','msn':1,'size':3,'data':'6f6e65'}");
    fake_verbs_receive(id, "two", true);
    ask_for(session, "{'op':'ping'}", "{}");
    expect_event(session, "{'event':'message','message':'send_se','msn':2,'invalidate':0}");
    /* One of the two has the solicited event: it is unknown which. */
    fake_verbs_receive(id, "three", false);
    fake_verbs_receive(id, "four", true);
    ask_for(session, "{'op':'ping'}", "{}");
    assert_null(json_object_get(json_array_get(session->events, 0), "message"));
    expect_event(session, "{'event':'message','msn':3}");
    expect_event(session, "{'event':'message','msn':4}");
    expect_silence(session);
}

/* The next message, of the connection that the device has at that time. */
static void expect_kind(struct session *session, const char *kind) {
    const char *found;

    iw_verbs_agent_drain(session->agent);
    assert_int_equal(json_array_size(session->events), 1);
    found = json_string_value(json_object_get(json_array_get(session->events, 0), "message"));
    if (kind)
        assert_string_equal(found ? found : "unknown", kind);
    else
        assert_null(found);
    expect_event(session, "{'event':'message'}");
}

/* A completion may be visible before its event. */
static void a_solicited_event_may_come_late(void **state) {
    struct session *session = *state;
    struct rdma_cm_id *id = accept_one(session);

    session->device.abilities.tells_solicited = true;
    fake_verbs_receive(id, "one", false);
    fake_verbs_notice(id, 1000);
    expect_kind(session, "send_se");
    fake_verbs_receive(id, "two", false);
    expect_kind(session, "send");
}

/* An event without a message may be that of the message before or of the next one: the next has no kind. */
static void a_solicited_event_without_a_message_has_none(void **state) {
    struct session *session = *state;
    struct rdma_cm_id *id = accept_one(session);

    session->device.abilities.tells_solicited = true;
    fake_verbs_notice(id, 0);
    expect_silence(session);
    fake_verbs_receive(id, "one", false);
    expect_kind(session, NULL);
    fake_verbs_notice(id, 0);
    expect_silence(session);
    fake_verbs_receive(id, "two", true);
    expect_kind(session, NULL);
    fake_verbs_receive(id, "three", true);
    expect_kind(session, "send_se");
    fake_verbs_receive(id, "four", true);
    fake_verbs_notice(id, 0);
    expect_kind(session, NULL); /* one of the two events is late */
    fake_verbs_receive(id, "five", false);
    expect_kind(session, "send");
}

/* A Request that the device has accepted, but not reported as established. */
static struct rdma_cm_id *accept_half(struct session *session) {
    struct rdma_cm_id *id;

    fake_verbs_cm(RDMA_CM_EVENT_CONNECT_REQUEST, NULL, 0);
    id = fake_verbs.last;
    iw_verbs_agent_drain(session->agent);
    fake_verbs_receive(id, "early", false);
    expect_silence(session);
    return id;
}

static void messages_come_after_established(void **state) {
    struct session *session = *state;

    fake_verbs_cm(RDMA_CM_EVENT_ESTABLISHED, accept_half(session), 0);
    ask_for(session, "{'op':'ping'}", "{}");
    expect_event(session, "{'event':'established'}");
    expect_event(session, "{'event':'message','msn':1,'data':'6561726c79'}");
    expect_silence(session);
}

static void messages_of_a_connection_that_ends_early_are_reported(void **state) {
    struct session *session = *state;

    fake_verbs_cm(RDMA_CM_EVENT_DISCONNECTED, accept_half(session), 0);
    log_terminate(session);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'message','msn':1,'data':'6561726c79'}");
    expect_event(session, "{'event':'terminate'}");
    expect_event(session, "{'event':'closed'}");
    expect_silence(session);
}

static void receive_buffers_are_those_of_the_ulp(void **state) {
    struct session *session = *state;
    struct rdma_cm_id *id;

    ask_for(session, "{'op':'receives','count':2,'size':64}", "{}");
    id = accept_one(session);
    assert_int_equal(fake_verbs.receive_count, 2);
    fake_verbs_receive(id, "one", false);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'message'}");
    assert_int_equal(fake_verbs.receive_count, 1);
    ask_for(session, "{'op':'receives','count':3,'size':0}", "{}");
    assert_int_equal(fake_verbs.receive_count, 4);
    refused(session, "{'op':'receives','count':5000}", "memory", "count of this device is at most 4096");
}

static void receive_buffers_are_limited(void **state) {
    struct session *session = *state;
    struct rdma_cm_id *id;

    ask_for(session, "{'op':'receives','count':2,'size':67108864}", "{}");
    id = accept_one(session);
    ask_for(session, "{'op':'receives','count':2,'size':67108864}", "{}");
    refused(session, "{'op':'receives','size':1}", "memory",
        "size times count plus the earlier buffers exceeds 268435456 octets");
    assert_int_equal(fake_verbs.registrations, 2);
    fake_verbs_receive(id, "one", false);
    iw_verbs_agent_drain(session->agent);
    assert_int_equal(fake_verbs.registrations, 2);
    fake_verbs_receive(id, "two", false);
    iw_verbs_agent_drain(session->agent);
    assert_int_equal(fake_verbs.registrations, 1); /* both buffers are used */
    ask_for(session, "{'op':'receives','count':2,'size':67108864}", "{}");
}

/* A completion of a buffer that is not posted any more has no effect. */
static void a_buffer_is_completed_once(void **state) {
    struct session *session = *state;
    struct rdma_cm_id *id;
    uint64_t used;

    ask_for(session, "{'op':'receives','count':1,'size':16}", "{}");
    id = accept_one(session);
    used = fake_verbs.received[0];
    fake_verbs_receive(id, "one", false);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'message','msn':1}");
    assert_int_equal(fake_verbs.registrations, 0);
    fake_verbs.received[fake_verbs.receive_count++] = used;
    fake_verbs_receive_excess(id, 3);
    expect_silence(session);
}

/* The device takes only some of the buffers: those stay posted until they are used. */
static void a_device_may_take_some_buffers(void **state) {
    struct session *session = *state;
    struct rdma_cm_id *id;

    ask_for(session, "{'op':'receives','count':1,'size':16}", "{}");
    id = accept_one(session);
    fake_verbs.receive_limit = 1;
    refused(session, "{'op':'receives','count':3,'size':16}", "memory",
        "count exceeds what the device can take: Cannot allocate memory");
    assert_int_equal(fake_verbs.registrations, 1);
    fake_verbs.receive_limit = 3;
    refused(session, "{'op':'receives','count':3,'size':16}", "memory",
        "count exceeds what the device can take: Cannot allocate memory");
    assert_int_equal(fake_verbs.registrations, 2);
    for (int i = 0; i < 3; i++)
        fake_verbs_receive(id, "one", false);
    iw_verbs_agent_drain(session->agent);
    assert_int_equal(fake_verbs.registrations, 0);
    assert_int_equal(json_array_size(session->events), 3);
    fake_verbs.receive_limit = 0;
    ask_for(session, "{'op':'receives','count':4096,'size':1}", "{}");
    refused(session, "{'op':'receives','size':1}", "memory",
        "count exceeds what the device can take: Cannot allocate memory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SESSION(immediate_data_is_no_send),
        SESSION(siw_does_not_tell_the_kind),
        SESSION(a_message_exceeds_no_buffer),
        SESSION(a_drain_has_an_end),
        SESSION(messages_come_before_the_answer),
        SESSION(a_solicited_event_may_come_late),
        SESSION(a_solicited_event_without_a_message_has_none),
        SESSION(messages_come_after_established),
        SESSION(messages_of_a_connection_that_ends_early_are_reported),
        SESSION(receive_buffers_are_those_of_the_ulp),
        SESSION(receive_buffers_are_limited),
        SESSION(a_buffer_is_completed_once),
        SESSION(a_device_may_take_some_buffers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
