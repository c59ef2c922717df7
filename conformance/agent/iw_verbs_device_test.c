#include "iw_verbs_agent_test.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(abilities_follow_the_device),
        cmocka_unit_test(what_no_queue_pair_has_is_not_offered),
        cmocka_unit_test(without_a_device_one_line_says_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
