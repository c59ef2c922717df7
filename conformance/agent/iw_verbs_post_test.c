#include "iw_verbs_agent_test.h"

static void atomics_return_the_original(void **state) {
    struct session *session = begin_extended(0, 0);
    struct rdma_cm_id *id = accept_one(session);
    uint64_t original = 0x1122334455667788;

    (void)state;
    ask_for(session, "{'op':'hello','version':1}",
        "{'extensions':['7306'],'rights':['read','write','atomic','invalidate'],"
        "'messages':['send','send_se','send_inv','send_se_inv','write','read','fetch_add','cmp_swap']}");
    ask_for(session, "{'op':'register','rights':['atomic']}", "{}");
    assert_int_equal(fake_verbs.access, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
    ask_for(session, "{'op':'post','message':'fetch_add','stag':7,'to':'0x1000','add':'0x5'}", "{'post':1}");
    ask_for(session,
        "{'op':'post','message':'cmp_swap','stag':8,'to':'0x1008','compare':'0x6','swap':'0x9',"
        "'compare_mask':'0xffffffffffffffff'}",
        "{'post':2}");
    refused(session, "{'op':'post','message':'fetch_add','add_mask':'0x1'}", "unsupported",
        "add_mask is not supported by verbs");
    refused(session, "{'op':'post','message':'swap'}", "unsupported",
        "message is not supported by this device: swap");
    assert_int_equal(fake_verbs.sent_count, 2);
    assert_int_equal(fake_verbs.sent[0].opcode, IBV_WR_ATOMIC_FETCH_AND_ADD);
    assert_int_equal(fake_verbs.sent[0].wr.atomic.rkey, 7);
    assert_int_equal(fake_verbs.sent[0].wr.atomic.remote_addr, 0x1000);
    assert_int_equal(fake_verbs.sent[0].wr.atomic.compare_add, 5);
    assert_int_equal(fake_verbs.sent[1].opcode, IBV_WR_ATOMIC_CMP_AND_SWP);
    assert_int_equal(fake_verbs.sent[1].wr.atomic.compare_add, 6);
    assert_int_equal(fake_verbs.sent[1].wr.atomic.swap, 9);
    assert_int_equal(fake_verbs.sent[0].sg_list->length, 8);
    memcpy((void *)(uintptr_t)fake_verbs.sent[0].sg_list->addr, &original, sizeof original);
    fake_verbs_complete(id, IBV_WC_SUCCESS);
    fake_verbs_complete(id, IBV_WC_REM_ACCESS_ERR);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'completed','post':1,'status':'done','original':'0x1122334455667788'}");
    expect_event(session, "{'event':'completed','post':2,'status':'flushed'}");
    end_extended(session);
}

static void an_atomic_write_needs_a_device_that_has_it(void **state) {
    struct session *session = begin_extended(atomic_write, ~0ULL);
    struct rdma_cm_id *id = accept_one(session);

    (void)state;
    assert_true(session->device.abilities.messages & 1u << IW_AGENT_MESSAGE_ATOMIC_WRITE);
    ask_for(session, "{'op':'hello','version':1}", "{'extensions':['7306','talpey']}");
    ask_for(session, "{'op':'post','message':'send'}", "{'post':1}");
    ask_for(session,
        "{'op':'post','message':'atomic_write','stag':9,'to':'0x2008','value':'0x102030405060708'}",
        "{'post':2}");
    assert_int_equal(fake_verbs.sent_count, 2);
    assert_int_equal(fake_verbs.sent[1].opcode, IBV_WR_ATOMIC_WRITE);
    assert_int_equal(fake_verbs.sent[1].send_flags, IBV_SEND_SIGNALED);
    assert_int_equal(fake_verbs.sent[1].wr.rdma.rkey, 9);
    assert_int_equal(fake_verbs.sent[1].wr.rdma.remote_addr, 0x2008);
    assert_int_equal(fake_verbs.value, 0x0102030405060708);
    fake_verbs_complete(id, IBV_WC_SUCCESS);
    fake_verbs_complete(id, IBV_WC_SUCCESS);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'completed','post':1,'status':'done'}");
    expect_event(session, "{'event':'completed','post':2,'status':'done'}");
    end_extended(session);
}

#ifdef IW_VERBS_HAVE_FLUSH
static void a_flush_needs_a_device_that_has_it(void **state) {
    struct session *session = begin_extended(flush_global, ~0ULL);

    (void)state;
    accept_one(session);
    ask_for(session, "{'op':'register','rights':['write','expose']}", "{}");
    assert_int_equal(
        fake_verbs.access, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_FLUSH_GLOBAL);
    refused(session, "{'op':'register','rights':['persist']}", "unsupported",
        "rights has rights that this device does not support: persist");
    ask_for(session, "{'op':'post','message':'flush','stag':9,'to':'0x2008','size':16}", "{'post':1}");
    assert_int_equal(fake_verbs.sent[0].opcode, IBV_WR_FLUSH);
    assert_int_equal(fake_verbs.sent[0].wr.rdma.rkey, 9);
    assert_int_equal(fake_verbs.sent[0].wr.rdma.remote_addr, 0x2008);
    assert_int_equal(fake_verbs.flush.octets, 16);
    assert_int_equal(fake_verbs.flush.type, IBV_FLUSH_PERSISTENT);
    assert_int_equal(fake_verbs.flush.level, IBV_FLUSH_RANGE);
    ask_for(session, "{'op':'post','message':'flush','expose':true}", "{'post':2}");
    assert_int_equal(fake_verbs.flush.type, IBV_FLUSH_GLOBAL);
    ask_for(session, "{'op':'post','message':'flush','expose':true,'persist':true}", "{'post':3}");
    assert_int_equal(fake_verbs.flush.type, IBV_FLUSH_GLOBAL | IBV_FLUSH_PERSISTENT);
    end_extended(session);
}
#else
static void a_flush_needs_a_device_that_has_it(void **state) {
    struct session *session = begin_extended(flush_global, ~0ULL);

    (void)state;
    accept_one(session);
    refused(session, "{'op':'post','message':'flush'}", "unsupported",
        "message is not supported by this device: flush");
    end_extended(session);
}
#endif

static void messages_and_completions_come_before_the_end(void **state) {
    struct session *session = *state;
    struct rdma_cm_id *id = accept_one(session);

    ask_for(session, "{'op':'post','message':'send','data':'01'}", "{'post':1}");
    ask_for(session, "{'op':'post','message':'write','stag':7,'to':'0x10','data':'0203'}", "{'post':2}");
    ask_for(session, "{'op':'post','message':'send_inv','invalidate':9}", "{'post':3}");
    assert_int_equal(fake_verbs.sent[1].opcode, IBV_WR_RDMA_WRITE);
    assert_int_equal(fake_verbs.sent[1].wr.rdma.rkey, 7);
    assert_int_equal(fake_verbs.sent[2].invalidate_rkey, 9);
    fake_verbs_complete(id, IBV_WC_SUCCESS);
    fake_verbs_complete(id, IBV_WC_WR_FLUSH_ERR);
    fake_verbs_receive(id, "last", false);
    fake_verbs_cm(RDMA_CM_EVENT_DISCONNECTED, id, 0);
    log_terminate(session);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'message','data':'6c617374'}");
    expect_event(session, "{'event':'completed','post':1,'status':'done'}");
    expect_event(session, "{'event':'completed','post':2,'status':'flushed'}");
    expect_event(session, "{'event':'terminate','error':'1/1/00'}");
    expect_event(session, "{'event':'completed','post':3,'status':'flushed'}");
    expect_event(session, "{'event':'closed','connection':1,'how':'fin'}");
    expect_silence(session);
    refused(session, "{'op':'close','connection':1}", "connection", "connection is not open");
}

/* The device may use the payload of a post until its queue pair is destroyed. */
static void payloads_outlive_the_queue_pair(void **state) {
    struct session *session = *state;
    struct rdma_cm_id *id = accept_one(session);

    ask_for(session, "{'op':'post','message':'send','data':'01'}", "{'post':1}");
    ask_for(session, "{'op':'post','message':'write','data':'02'}", "{'post':2}");
    fake_verbs_cm(RDMA_CM_EVENT_DISCONNECTED, id, 0);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'completed','post':1,'status':'flushed'}");
    expect_event(session, "{'event':'completed','post':2,'status':'flushed'}");
    expect_event(session, "{'event':'closed'}");
    assert_int_equal(fake_verbs.kept, 3); /* with the receive buffers */
    assert_int_equal(fake_verbs.registrations, 0);
}

static void a_refused_post_may_complete(void **state) {
    struct session *session = *state;
    struct rdma_cm_id *id = accept_one(session);

    fake_verbs.refuses_sends = true;
    ask_for(session, "{'op':'post','message':'send','data':'01'}", "{'post':1}");
    expect_event(session, "{'event':'completed','post':1,'status':'flushed'}");
    fake_verbs_complete(id, IBV_WC_WR_FLUSH_ERR);
    expect_silence(session);
    fake_verbs.refuses_sends = false;
    ask_for(session, "{'op':'post','message':'send','data':'02'}", "{'post':2}");
    fake_verbs_complete(id, IBV_WC_SUCCESS);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'completed','post':2,'status':'done'}");
}

static void posts_wait_for_the_connection(void **state) {
    struct session *session = *state;
    struct rdma_cm_id *id;

    ask_for(session, "{'op':'connect','host':'127.0.0.1','port':7}", "{'connection':1}");
    id = fake_verbs.last;
    assert_int_equal(fake_verbs.connected, 1);
    ask_for(session, "{'op':'post','message':'send'}", "{'post':1}");
    ask_for(session, "{'op':'close'}", "{}");
    assert_int_equal(fake_verbs.sent_count, 0);
    fake_verbs_cm(RDMA_CM_EVENT_ESTABLISHED, id, 0);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'established'}");
    assert_int_equal(fake_verbs.sent_count, 1);
    assert_int_equal(fake_verbs.disconnected, 0);
    fake_verbs_complete(id, IBV_WC_SUCCESS);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'completed','post':1,'status':'done'}");
    assert_int_equal(fake_verbs.disconnected, 1);
}

static void waiting_posts_are_limited(void **state) {
    struct session *session = *state;
    struct rdma_cm_id *id;
    json_t *answer;

    ask_for(session, "{'op':'connect','host':'127.0.0.1','port':7}", "{}");
    id = fake_verbs.last;
    for (int i = 0; i < 10000; i++)
        json_decref(ask(session, "{'op':'post','message':'send'}"));
    refused(session, "{'op':'post','message':'send'}", "memory",
        "the limit of 10000 posts that wait to be sent is reached");
    fake_verbs_cm(RDMA_CM_EVENT_ESTABLISHED, id, 0);
    iw_verbs_agent_drain(session->agent);
    answer = ask(session, "{'op':'post','message':'send'}");
    check_has(answer, "{'post':10001}"); /* the device has taken some */
    json_decref(answer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atomics_return_the_original),
        cmocka_unit_test(an_atomic_write_needs_a_device_that_has_it),
        cmocka_unit_test(a_flush_needs_a_device_that_has_it),
        SESSION(messages_and_completions_come_before_the_end),
        SESSION(payloads_outlive_the_queue_pair),
        SESSION(a_refused_post_may_complete),
        SESSION(posts_wait_for_the_connection),
        SESSION(waiting_posts_are_limited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
