#include "iw_verbs_agent.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "iw_agent_lines.h"
#include "iw_fake_verbs.h"

/* The agent on a device that this test plays. */

struct session {
    struct iw_verbs_device device;
    struct iw_kernel_log log;
    int log_writer;
    struct iw_agent *agent;
    json_t *events;
};

static void keep_event(void *user, json_t *event) {
    json_array_append_new(((struct session *)user)->events, event);
}

static void begin_agent(struct session *session) {
    struct iw_verbs_agent_config config = {.device = &session->device,
        .startup = {.revision = 2},
        .log = &session->log,
        .event = keep_event,
        .user = session};
    char text[IW_VERBS_TEXT_OCTETS];

    session->agent = iw_verbs_agent_new(&config, text);
    assert_non_null(session->agent);
}

/* A session with a log of the kernel that the test writes. */
static struct session *begin_session(void) {
    struct session *session = calloc(1, sizeof *session);
    char text[IW_VERBS_TEXT_OCTETS];
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends), 0);
    session->log.fd = ends[0];
    session->log_writer = ends[1];
    session->events = json_array();
    assert_true(iw_verbs_device_open(&session->device, NULL, text));
    begin_agent(session);
    return session;
}

static void log_terminate(const struct session *session) {
    static const char text[] = "4,1,2,-;siw: got TERMINATE. layer 1, type 1, code 0\n";

    assert_int_equal(write(session->log_writer, text, sizeof text - 1), sizeof text - 1);
}

static int begin(void **state) {
    fake_verbs_begin();
    *state = begin_session();
    return 0;
}

/* Whatever a test does, the session leaves nothing on the device. */
static int end(void **state) {
    struct session *session = *state;

    iw_verbs_agent_free(session->agent);
    iw_verbs_device_close(&session->device);
    iw_kernel_log_close(&session->log);
    close(session->log_writer);
    json_decref(session->events);
    free(session);
    assert_int_equal(fake_verbs.domains, 0);
    assert_int_equal(fake_verbs.registrations, 0);
    assert_int_equal(fake_verbs.queues, 0);
    assert_int_equal(fake_verbs.pairs, 0);
    assert_int_equal(fake_verbs.ids, 0);
    assert_int_equal(fake_verbs.channels, 0);
    return 0;
}

/* JSON with ' for ". */
static json_t *parse(const char *text) {
    char copy[1024];
    json_t *value;

    snprintf(copy, sizeof copy, "%s", text);
    for (char *at = copy; *at; at++)
        if (*at == '\'')
            *at = '"';
    value = json_loads(copy, 0, NULL);
    assert_non_null(value);
    return value;
}

static json_t *ask(struct session *session, const char *text) {
    json_t *request = parse(text), *answer;

    json_object_set_new(request, "id", json_integer(1));
    answer = iw_verbs_agent_execute(session->agent, request);
    json_decref(request);
    assert_non_null(answer);
    return answer;
}

/* Each member of `expected` is in `value`. */
static void check_has(json_t *value, const char *expected) {
    json_t *members = parse(expected), *member;
    const char *key;

    json_object_foreach(members, key, member) {
        if (!json_equal(json_object_get(value, key), member)) {
            char *text = json_dumps(value, JSON_COMPACT);

            fail_msg("%s lacks %s of %s", text, key, expected);
        }
    }
    json_decref(members);
}

static void ask_for(struct session *session, const char *text, const char *expected) {
    json_t *answer = ask(session, text);

    assert_null(json_object_get(answer, "error"));
    check_has(answer, expected);
    json_decref(answer);
}

static void refused(struct session *session, const char *request, const char *code, const char *text) {
    json_t *answer = ask(session, request), *error = json_object_get(answer, "error");

    assert_non_null(error);
    assert_string_equal(json_string_value(json_object_get(error, "code")), code);
    assert_string_equal(json_string_value(json_object_get(error, "text")), text);
    json_decref(answer);
}

/* The oldest event. */
static void expect_event(struct session *session, const char *expected) {
    assert_true(json_array_size(session->events) > 0);
    check_has(json_array_get(session->events, 0), expected);
    json_array_remove(session->events, 0);
}

static void expect_silence(struct session *session) {
    iw_verbs_agent_drain(session->agent);
    assert_int_equal(json_array_size(session->events), 0);
}

/* The device is the responder. Returns the connection's id. */
static struct rdma_cm_id *accept_one(struct session *session) {
    struct rdma_cm_id *id;

    fake_verbs_cm(RDMA_CM_EVENT_CONNECT_REQUEST, NULL, 0);
    id = fake_verbs.last;
    iw_verbs_agent_drain(session->agent);
    fake_verbs_cm(RDMA_CM_EVENT_ESTABLISHED, id, 0);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'established'}");
    return id;
}

static void hello_lists_what_the_device_reports(void **state) {
    struct session *session = *state;

    ask_for(session, "{'op':'hello','version':1}",
        "{'version':1,'agent':'warpcheck-agent on "
        "fake0','port':7174,'rights':['read','write','invalidate'],'extensions':[],"
        "'hashes':[],'messages':['send','send_se','send_inv','send_se_inv','write','read'],'limits':"
        "{'line':1048576,'requests':64,'data':262144,'region':16777216,'regions':268435456,'private_data':"
        "252},"
        "'operations':['hello','ping','configure','connect','answer','receives','close','abort','register',"
        "'deregister','invalidate','read','write','post'],'events':['requested','established','rejected',"
        "'message','completed','terminate','error','closed'],'abilities':['invalidate']}");
    refused(session, "{'op':'hello','version':2}", "version", "version of this agent is 1");
}

static void abilities_follow_the_device(void **state) {
    const struct ibv_device_attr_ex attributes = {.orig_attr = {.atomic_cap = IBV_ATOMIC_HCA,
                                                      .max_qp_wr = 16,
                                                      .max_qp_rd_atom = 1000,
                                                      .max_qp_init_rd_atom = 1000}};
    struct iw_verbs_abilities abilities = iw_verbs_abilities_of(&attributes);

    (void)state;
    assert_int_equal(abilities.messages,
        1u << IW_AGENT_MESSAGE_SEND | 1u << IW_AGENT_MESSAGE_SEND_SE | 1u << IW_AGENT_MESSAGE_WRITE |
            1u << IW_AGENT_MESSAGE_READ | 1u << IW_AGENT_MESSAGE_FETCH_ADD | 1u << IW_AGENT_MESSAGE_CMP_SWAP);
    assert_int_equal(abilities.rights, 7);
    assert_int_equal(abilities.depth, 255);
    assert_int_equal(abilities.receives, 16);
    assert_false(abilities.to_is_address);
    assert_true(abilities.tells_solicited);
    assert_int_equal(iw_verbs_access_flags(1), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
}

/* ib_uverbs_device_cap_flags of the kernel's ib_user_verbs.h: Flush to global visibility, Flush to
 * persistence, Atomic Write. */
static const uint64_t flush_global = 1ULL << 38, flush_persistent = 1ULL << 39, atomic_write = 1ULL << 40;

/* A device that has what `flags` say, and creates queue pairs with `operations`. */
static struct session *begin_extended(uint64_t flags, uint64_t operations) {
    fake_verbs_begin();
    fake_verbs.attributes.orig_attr.atomic_cap = IBV_ATOMIC_HCA;
    fake_verbs.attributes.device_cap_flags_ex = flags;
    fake_verbs.operations = operations;
    return begin_session();
}

static void end_extended(struct session *session) {
    void *state = session;

    end(&state);
}

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

/* The driver reports the operations, but no queue pair can be created with them. */
static void what_no_queue_pair_has_is_not_offered(void **state) {
    struct session *session = begin_extended(
        atomic_write | flush_global | flush_persistent, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE);

    (void)state;
    assert_int_equal(session->device.abilities.extended, 0);
    ask_for(session, "{'op':'hello','version':1}",
        "{'extensions':['7306','talpey'],'rights':['read','write','atomic','invalidate'],"
        "'messages':['send','send_se','send_inv','send_se_inv','write','read','fetch_add','cmp_swap']}");
    accept_one(session);
    refused(session, "{'op':'post','message':'atomic_write'}", "unsupported",
        "message is not supported by this device: atomic_write");
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

static void a_device_may_have_no_region_that_a_peer_invalidates(void **state) {
    struct session *session = *state;

    ask_for(session, "{'op':'register','rights':['write','invalidate']}", "{}");
    session->device.abilities.rights &= ~(1u << IW_AGENT_RIGHT_INVALIDATE);
    refused(session, "{'op':'register','rights':['write','invalidate']}", "unsupported",
        "rights has rights that this device does not support: invalidate");
    ask_for(session, "{'op':'hello','version':1}", "{'abilities':[],'rights':['read','write']}");
}

static void memory_is_read_and_written(void **state) {
    struct session *session = *state;
    json_t *answer = ask(session, "{'op':'register','size':8,'fill':'6162','to':'0x7654321'}");
    char text[160];
    int stag = (int)json_integer_value(json_object_get(answer, "stag"));

    check_has(answer, "{'size':8,'to':'0x7654321'}");
    json_decref(answer);
    snprintf(text, sizeof text, "{'op':'write','stag':%d,'offset':1,'data':'78797a'}", stag);
    ask_for(session, text, "{}");
    snprintf(text, sizeof text, "{'op':'read','stag':%d,'offset':0,'size':8}", stag);
    ask_for(session, text, "{'data':'6178797a61626162'}");
    snprintf(text, sizeof text, "{'op':'read','stag':%d,'offset':8,'size':1}", stag);
    refused(session, text, "argument", "offset and the octets from there exceed the region");
    snprintf(text, sizeof text, "{'op':'invalidate','stag':%d}", stag);
    ask_for(session, text, "{}");
    assert_int_equal(fake_verbs.registrations, 0);
    snprintf(text, sizeof text, "{'op':'read','stag':%d,'size':1}", stag);
    ask_for(session, text, "{'data':'61'}");
    snprintf(text, sizeof text, "{'op':'deregister','stag':%d}", stag);
    ask_for(session, text, "{}");
    refused(session, text, "region", "stag does not name a region");
    fake_verbs.full = true;
    refused(session, "{'op':'register'}", "memory", "the device cannot register it: Cannot allocate memory");
    fake_verbs.full = false;
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

static void a_region_of_a_connection_excludes_the_next(void **state) {
    struct session *session = *state;
    struct rdma_cm_id *first = accept_one(session), *second;

    ask_for(session, "{'op':'register','connection':1}", "{}");
    second = accept_one(session);
    assert_true(first->qp->pd != second->qp->pd);
    refused(session, "{'op':'register'}", "unsupported",
        "stream cannot be separated from other connections: the device has only protection domains for that");
    ask_for(session, "{'op':'register','domain':'other'}", "{}");
}

/* A region registered before the connection has queues is in the domain of its queues. */
static void a_held_connection_has_its_domain(void **state) {
    struct session *session = *state;
    struct rdma_cm_id *first = accept_one(session);
    struct ibv_pd *domain;

    ask_for(session, "{'op':'register','connection':1}", "{}");
    ask_for(session, "{'op':'configure','hold':true}", "{}");
    fake_verbs_cm(RDMA_CM_EVENT_CONNECT_REQUEST, NULL, 0);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'requested','connection':2}");
    ask_for(session, "{'op':'register','connection':2}", "{}");
    domain = fake_verbs.registered;
    ask_for(session, "{'op':'answer','connection':2}", "{}");
    assert_ptr_equal(fake_verbs.last->qp->pd, domain);
    assert_ptr_not_equal(first->qp->pd, domain);
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

static void without_a_log_no_terminate_is_promised(void **state) {
    struct session *session = *state;
    int log = session->log.fd;

    session->log.fd = -1;
    ask_for(session, "{'op':'hello','version':1}",
        "{'events':['requested','established','rejected','message','completed','error','closed']}");
    session->log.fd = log;
}

static void an_aborted_connection_reports_nothing(void **state) {
    struct session *session = *state;

    accept_one(session);
    ask_for(session, "{'op':'post','message':'send','data':'01'}", "{'post':1}");
    ask_for(session, "{'op':'abort'}", "{}");
    expect_silence(session);
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

static void without_a_device_one_line_says_so(void **state) {
    struct iw_verbs_device device;
    char text[IW_VERBS_TEXT_OCTETS];

    (void)state;
    fake_verbs_begin();
    assert_false(iw_verbs_device_open(&device, "siw1", text));
    assert_string_equal(text, "no RDMA device siw1; `rdma link` lists the devices");
    fake_verbs.absent = true;
    assert_false(iw_verbs_device_open(&device, NULL, text));
    assert_memory_equal(text, "no RDMA device; ", 16);
}

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

enum { LINES = sizeof lines / sizeof *lines, LINE_OCTETS = 512, FUZZED_LINES = 30000 };

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
#define SESSION(test) cmocka_unit_test_setup_teardown(test, begin, end)
    const struct CMUnitTest tests[] = {
        SESSION(hello_lists_what_the_device_reports),
        cmocka_unit_test(abilities_follow_the_device),
        cmocka_unit_test(atomics_return_the_original),
        cmocka_unit_test(an_atomic_write_needs_a_device_that_has_it),
        cmocka_unit_test(what_no_queue_pair_has_is_not_offered),
        cmocka_unit_test(a_flush_needs_a_device_that_has_it),
        SESSION(immediate_data_is_no_send),
        SESSION(what_verbs_lack_is_unsupported),
        SESSION(extensions_are_allowed_not_chosen),
        SESSION(a_device_may_have_no_region_that_a_peer_invalidates),
        SESSION(memory_is_read_and_written),
        SESSION(siw_does_not_tell_the_kind),
        SESSION(a_message_exceeds_no_buffer),
        SESSION(a_drain_has_an_end),
        SESSION(messages_come_before_the_answer),
        SESSION(a_solicited_event_may_come_late),
        SESSION(a_solicited_event_without_a_message_has_none),
        SESSION(messages_come_after_established),
        SESSION(messages_of_a_connection_that_ends_early_are_reported),
        SESSION(messages_and_completions_come_before_the_end),
        SESSION(payloads_outlive_the_queue_pair),
        SESSION(a_refused_post_may_complete),
        SESSION(posts_wait_for_the_connection),
        SESSION(the_ulp_accepts_and_rejects),
        SESSION(a_listener_for_ipv6_has_the_same_port),
        SESSION(receive_buffers_are_those_of_the_ulp),
        SESSION(a_region_of_a_connection_excludes_the_next),
        SESSION(a_held_connection_has_its_domain),
        SESSION(a_lost_device_ends_the_connections),
        SESSION(errors_and_terminates_come_before_the_answer),
        SESSION(a_terminate_of_an_aborted_connection_is_not_that_of_the_next),
        SESSION(a_terminate_of_an_ended_session_is_not_that_of_the_next),
        SESSION(a_terminate_of_one_of_two_connections_is_not_reported),
        SESSION(without_a_log_no_terminate_is_promised),
        SESSION(an_aborted_connection_reports_nothing),
        SESSION(a_session_resets_only_open_connections),
        cmocka_unit_test(without_a_device_one_line_says_so),
        SESSION(no_request_breaks_the_agent),
        cmocka_unit_test(no_octets_break_the_agent),
    };
#undef SESSION
    return cmocka_run_group_tests(tests, NULL, NULL);
}
