#include "iw_verbs_agent_test.h"

#include <errno.h>

#include "iw_kernel_hash.h"

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
    snprintf(text, sizeof text, "{'op':'hash','stag':%d,'offset':1,'size':3,'hash':'crc32c'}", stag);
    ask_for(session, text, "{'hash':'85682325'}");
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

/* The octets of `fill` are repeated, the last time as far as they fit. */
static void a_region_is_filled(void **state) {
    struct session *session = *state;
    json_t *answer = ask(session, "{'op':'register','size':11,'fill':'616263'}");
    char text[160];

    snprintf(text, sizeof text, "{'op':'read','stag':%d,'size':11}",
        (int)json_integer_value(json_object_get(answer, "stag")));
    json_decref(answer);
    ask_for(session, text, "{'data':'6162636162636162636162'}");
    answer = ask(session, "{'op':'register','size':2,'fill':'616263'}");
    snprintf(text, sizeof text, "{'op':'read','stag':%d,'size':2}",
        (int)json_integer_value(json_object_get(answer, "stag")));
    json_decref(answer);
    ask_for(session, text, "{'data':'6162'}");
}

/* The error of the kernel when a hash begins; 0: it is computed. */
static int hash_error;

size_t __real_iw_kernel_hash(
    enum iw_hash hash, const uint8_t *octets, size_t count, uint8_t value[IW_HASH_OCTETS_MAX]);
size_t __wrap_iw_kernel_hash(
    enum iw_hash hash, const uint8_t *octets, size_t count, uint8_t value[IW_HASH_OCTETS_MAX]);

size_t __wrap_iw_kernel_hash(
    enum iw_hash hash, const uint8_t *octets, size_t count, uint8_t value[IW_HASH_OCTETS_MAX]) {
    errno = hash_error;
    return hash_error ? 0 : __real_iw_kernel_hash(hash, octets, count, value);
}

/* A hash that the host lacks is unsupported; one that fails is not: a case would be skipped then. */
static void only_a_hash_that_the_host_lacks_is_unsupported(void **state) {
    static const int lacking[] = {EAFNOSUPPORT, ENOENT, EPERM, EACCES};
    struct session *session = *state;
    json_t *answer = ask(session, "{'op':'register','size':8}");
    char text[160], reason[160];

    snprintf(text, sizeof text, "{'op':'hash','stag':%d,'hash':'sha256'}",
        (int)json_integer_value(json_object_get(answer, "stag")));
    json_decref(answer);
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++) {
        hash_error = lacking[i];
        snprintf(reason, sizeof reason, "hash is not computed by this kernel: %s", strerror(lacking[i]));
        refused(session, text, "unsupported", reason);
    }
    hash_error = EIO;
    refused(session, text, "memory", "hash cannot be computed: Input/output error");
    hash_error = 0;
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

int main(void) {
    const struct CMUnitTest tests[] = {
        SESSION(a_device_may_have_no_region_that_a_peer_invalidates),
        SESSION(memory_is_read_and_written),
        SESSION(a_region_is_filled),
        SESSION(only_a_hash_that_the_host_lacks_is_unsupported),
        SESSION(a_region_of_a_connection_excludes_the_next),
        SESSION(a_held_connection_has_its_domain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
