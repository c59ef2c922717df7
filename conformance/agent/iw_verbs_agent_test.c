#include "iw_verbs_agent_test.h"

static void hello_lists_what_the_device_reports(void **state) {
    struct session *session = *state;

    ask_for(session, "{'op':'hello','version':1}",
        "{'version':1,'agent':'warpcheck-agent on "
        "fake0','device':'fake0','firmware':'3.1','port':7174,'rights':['read','write','invalidate'],'"
        "extensions':[],"
        "'hashes':[],'messages':['send','send_se','send_inv','send_se_inv','write','read'],'limits':"
        "{'line':1048576,'requests':64,'data':262144,'region':16777216,'regions':268435456,'private_data':"
        "252},"
        "'operations':['hello','ping','configure','connect','answer','receives','close','abort','register',"
        "'deregister','invalidate','read','write','hash','post'],'events':['requested','established','"
        "rejected',"
        "'message','completed','terminate','error','closed'],'abilities':['invalidate']}");
    refused(session, "{'op':'hello','version':2}", "version", "version of this agent is 1");
}

static void what_verbs_lack_is_unsupported(void **state) {
    struct session *session = *state;

    refused(
        session, "{'op':'local_error'}", "unsupported", "op is not supported by this device: local_error");
    refused(session, "{'op':'frob'}", "unsupported", "op is unknown to this agent: frob");
    refused(session, "{'op':'configure','rev':1}", "unsupported", "rev cannot be changed by verbs");
    refused(session, "{'op':'configure','crc':true}", "unsupported", "crc cannot be changed by verbs");
    refused(session, "{'op':'configure','rtr':['read']}", "unsupported", "rtr cannot be changed by verbs");
    refused(session, "{'op':'configure','ird':65}", "unsupported", "ird of this device is at most 64");
    refused(session, "{'op':'register','hash':'sha256'}", "unsupported", "hash is not supported by verbs");
    refused(session, "{'op':'register','rights':['atomic','verify']}", "unsupported",
        "rights has rights that this device does not support: atomic, verify");
    refused(session, "{'op':'register','rights':['fly']}", "argument",
        "rights takes a list of read, write, atomic, persist, expose, verify, invalidate, not fly");
    refused(session, "{'op':'ping','loud':true}", "argument", "ping has no field loud");
    refused(session, "{'op':'connect','host':'127.0.0.1','port':1,'transport':'sctp'}", "unsupported",
        "transport is not supported by this device: sctp");
    /* A name would be looked up: the agent has one thread. */
    refused(session, "{'op':'connect','host':'localhost','port':1}", "argument",
        "host takes an IPv4 or IPv6 address, not localhost");
    ask_for(session,
        "{'op':'configure','rev':2,'enhanced':true,'crc':false,'markers':false,'extensions':[],'ird':4}",
        "{}");
    accept_one(session);
    refused(session, "{'op':'post','message':'flush'}", "unsupported",
        "message is not supported by this device: flush");
}

/* A device with Atomics cannot be told to do without them; one without them is as wanted by any set. */
static void extensions_are_allowed_not_chosen(void **state) {
    struct session *session = *state;

    ask_for(session, "{'op':'configure','extensions':[]}", "{}");
    ask_for(session, "{'op':'configure','extensions':['7306','storm']}", "{}");
    session->device.abilities.extensions = 1;
    ask_for(session, "{'op':'configure','extensions':['talpey','7306']}", "{}");
    ask_for(session, "{'op':'configure','ird':1}", "{}");
    refused(session, "{'op':'configure','extensions':[]}", "unsupported",
        "extensions cannot be changed by verbs");
    refused(session, "{'op':'configure','extensions':['talpey']}", "unsupported",
        "extensions cannot be changed by verbs");
}

static void a_lost_device_ends_the_connections(void **state) {
    struct session *session = *state;

    fake_verbs_async(IBV_EVENT_QP_ACCESS_ERR, accept_one(session)->qp);
    fake_verbs_async(IBV_EVENT_DEVICE_FATAL, NULL);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'error','connection':1,'terminates':true}");
    expect_event(session, "{'event':'error','connection':1,'terminates':false}");
    expect_event(session, "{'event':'closed','connection':1,'how':'failed'}");
    ask_for(session, "{'op':'ping'}", "{}");
}

/* "the agent sends all events that happened before a request completed before its answer" (docs/agent.md) */
static void errors_and_terminates_come_before_the_answer(void **state) {
    struct session *session = *state;
    struct rdma_cm_id *id = accept_one(session);

    fake_verbs_receive(id, "one", false);
    log_terminate(session);
    fake_verbs_async(IBV_EVENT_QP_ACCESS_ERR, id->qp);
    fake_verbs_cm(RDMA_CM_EVENT_DISCONNECTED, id, 0);
    ask_for(session, "{'op':'ping'}", "{}");
    expect_event(session, "{'event':'message','data':'6f6e65'}");
    expect_event(session, "{'event':'terminate','connection':1,'error':'1/1/00'}");
    expect_event(session, "{'event':'error','connection':1}");
    expect_event(session, "{'event':'closed','connection':1}");
    expect_silence(session);
}

static void without_a_log_no_terminate_is_promised(void **state) {
    struct session *session = *state;
    int log = session->log.fd;

    session->log.fd = -1;
    ask_for(session, "{'op':'hello','version':1}",
        "{'events':['requested','established','rejected','message','completed','error','closed']}");
    session->log.fd = log;
}

/* The peer has closed the connection: there is nothing to reset. */
static void a_session_resets_only_open_connections(void **state) {
    struct session *session = *state;
    struct rdma_cm_id *id = accept_one(session);

    accept_one(session);
    fake_verbs_cm(RDMA_CM_EVENT_DISCONNECTED, id, 0);
    fake_verbs_cm(RDMA_CM_EVENT_CONNECT_REQUEST, NULL, 0);
    fake_verbs.accepted = fake_verbs.modified = 0;
    iw_verbs_agent_free(session->agent);
    assert_int_equal(fake_verbs.modified, 3); /* one for each end, one for the reset */
    assert_int_equal(fake_verbs.accepted, 0);
    assert_int_equal(json_array_size(session->events), 0);
    begin_agent(session);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SESSION(hello_lists_what_the_device_reports),
        SESSION(what_verbs_lack_is_unsupported),
        SESSION(extensions_are_allowed_not_chosen),
        SESSION(a_lost_device_ends_the_connections),
        SESSION(errors_and_terminates_come_before_the_answer),
        SESSION(without_a_log_no_terminate_is_promised),
        SESSION(a_session_resets_only_open_connections),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
