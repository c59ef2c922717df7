#include "iw_diagnosis_test.h"

#include "iw_ulp_identify.h"

/* Connections that end before their first message, and Terminates about the startup. */

/* A Terminate of the initiator, which is side B here. */
static void terminates(uint16_t error) {
    terms.initiator = IW_SIDE_B;
    trouble.terminate = (struct iw_history_terminate){.mark = {9, 9}, .error = error};
}

static void enhances(struct iw_mpa_enhanced request, struct iw_mpa_enhanced reply) {
    terms.frame[IW_SIDE_B].enhanced = terms.frame[IW_SIDE_A].enhanced = true;
    terms.frame[IW_SIDE_B].enhanced_data = request;
    terms.frame[IW_SIDE_A].enhanced_data = reply;
}

/* RFC 6581 9.1: the startup frames show it only if the Reply's ORD is above the Request's IRD. */
static void a_lack_of_ird_is_certain_only_by_the_startup_frames(void **state) {
    (void)state;
    terminates(IW_ERROR_MPA_INSUFFICIENT_IRD);
    assert_string_equal(first(), ""); /* Rev 1 negotiates neither */
    assert_true(diagnosis.failed);
    enhances((struct iw_mpa_enhanced){.ird = 8}, (struct iw_mpa_enhanced){.ord = 1});
    assert_string_equal(first(), "startup-resources");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_UNDECIDED);
    enhances((struct iw_mpa_enhanced){.ird = 8}, (struct iw_mpa_enhanced){.ord = 9});
    assert_string_equal(first(), "startup-resources");
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_CONFIRMED);
    history.side[IW_SIDE_B].fpdus = 2; /* it used the connection before */
    first();
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    enhances((struct iw_mpa_enhanced){.ird = 8}, (struct iw_mpa_enhanced){.ord = 0x3FFF});
    first();
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    terms.settled = false; /* a frame was not captured */
    assert_string_equal(first(), "startup-resources");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
}

/* RFC 6581 9.2 */
static void a_matching_rtr_contradicts_that_none_matches(void **state) {
    (void)state;
    terminates(IW_ERROR_MPA_NO_RTR);
    enhances((struct iw_mpa_enhanced){.a = 1, .d = 1}, (struct iw_mpa_enhanced){.a = 1, .c = 1});
    assert_string_equal(first(), "startup-resources");
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
    enhances((struct iw_mpa_enhanced){.a = 1, .c = 1, .d = 1}, (struct iw_mpa_enhanced){.a = 1, .c = 1});
    assert_string_equal(first(), "");
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_REFUTED);
    enhances((struct iw_mpa_enhanced){.d = 1}, (struct iw_mpa_enhanced){.a = 1, .c = 1});
    assert_string_equal(first(), "");
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_UNDECIDED);
}

/* No message for so long after the Reply in frame 5; side A, the initiator, or side B closes then. */
static void silent(uint64_t ns, enum iw_side closer) {
    history.message_count = 0;
    history.side[IW_SIDE_B].startup = (struct iw_history_mark){5, SECOND};
    history.last = (struct iw_history_mark){6, SECOND + ns};
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        history.side[side].close_kind = side == closer ? IW_LLP_CLOSE_GRACEFUL : IW_LLP_CLOSE_INPUT;
        history.side[side].close = (struct iw_history_mark){side == closer ? 6 : 0, SECOND + ns};
    }
}

static void an_initiator_may_have_nothing_to_send(void **state) {
    (void)state;
    silent(10 * SECOND, IW_SIDE_B);
    life.side[IW_SIDE_A].complete = (struct iw_tcp_mark){6, 11 * SECOND}; /* it has sent nothing more */
    assert_string_equal(first(), "both-wait");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    silent(310 * SECOND, IW_SIDE_A); /* in order: nothing is wrong */
    life.side[IW_SIDE_A].segments = life.side[IW_SIDE_B].segments = 9;
    assert_string_equal(first(), "");
    assert_false(diagnosis.failed);
    assert_int_equal(diagnosis.note_count, 1);
    assert_string_equal(diagnosis.notes[0].cause->id, "unused");
    assert_string_equal(diagnosis.notes[0].detail,
        "No message of either side came in the 310.000 s after the Reply; then the initiator closed.");
    assert_int_equal(diagnosis.notes[0].frames[1], 6);
}

/* A host that resets the connection without a message has a reason, but not always this one. */
static void an_initiator_that_resets_may_have_waited(void **state) {
    (void)state;
    silent(10 * SECOND, IW_SIDE_A);
    history.side[IW_SIDE_A].close_kind = IW_LLP_CLOSE_ABORTIVE;
    assert_string_equal(first(), "");
    silent(31 * SECOND, IW_SIDE_A);
    history.side[IW_SIDE_A].close_kind = IW_LLP_CLOSE_ABORTIVE;
    assert_string_equal(first(), "both-wait");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    assert_non_null(strstr(diagnosis.causes[0].detail, "perhaps it had nothing to send"));
}

static void a_part_of_a_message_is_not_silence(void **state) {
    (void)state;
    silent(10 * SECOND, IW_SIDE_B);
    history.side[IW_SIDE_A].close_unfinished = true;
    assert_string_equal(first(), "");
    assert_true(diagnosis.failed);
    history.side[IW_SIDE_A].close_unfinished = false;
    history.side[IW_SIDE_B].close_unfinished = true;
    assert_string_equal(first(), "");
    enhances((struct iw_mpa_enhanced){.a = 1, .d = 1}, (struct iw_mpa_enhanced){.a = 1, .d = 1});
    assert_string_equal(first(), "rtr-missing"); /* of the initiator, which sent nothing */
    history.side[IW_SIDE_A].close_unfinished = true;
    assert_string_equal(first(), "");
}

static void a_part_of_a_reply_is_a_reply(void **state) {
    (void)state;
    terms.seen[IW_SIDE_B] = terms.settled = false;
    history.message_count = 0;
    history.side[IW_SIDE_A].startup = (struct iw_history_mark){4, SECOND};
    history.last = (struct iw_history_mark){6, 11 * SECOND};
    life.side[IW_SIDE_A].syn = true;
    life.side[IW_SIDE_B].segments = 1;
    ends(IW_LLP_CLOSE_GRACEFUL);
    assert_string_equal(first(), "startup-timeout");
    history.side[IW_SIDE_B].close_unfinished = true;
    assert_string_equal(first(), "");
}

/* The Request of side A in frame 4, and 10 s without a Reply. */
static void asks_in_vain(void) {
    terms.seen[IW_SIDE_B] = terms.settled = false;
    history.message_count = 0;
    history.side[IW_SIDE_A].startup = (struct iw_history_mark){4, SECOND};
    history.last = (struct iw_history_mark){6, 11 * SECOND};
    life.side[IW_SIDE_A].syn = true;
    life.side[IW_SIDE_B].segments = 1;
    ends(IW_LLP_CLOSE_GRACEFUL);
}

/* Whether the side's startup frame is acknowledged; if not, it is sent again this many times. */
static void flies(enum iw_side side, bool acknowledged, uint32_t again) {
    static struct iw_tcp_trouble sent_again;

    life.side[side].has_next = life.side[side].has_acked = true;
    life.side[side].next = 21;
    life.side[side].acked_seq = acknowledged ? 21 : 1;
    sent_again.resend.count = again;
    life.side[side].trouble = &sent_again;
}

/* The host as a whole is silent then, or its packets were not captured. */
static void startup_frames_in_vain_show_nothing(void **state) {
    (void)state;
    asks_in_vain();
    flies(IW_SIDE_A, true, 0);
    assert_string_equal(first(), "startup-timeout");
    flies(IW_SIDE_A, false, 3);
    assert_string_equal(first(), "");
    flies(IW_SIDE_A, true, 0);
    life.side[IW_SIDE_B].segments = 0;
    assert_string_equal(first(), "");
    reset(state);
    silent(10 * SECOND, IW_SIDE_B);
    flies(IW_SIDE_B, true, 0);
    assert_string_equal(first(), "both-wait");
    flies(IW_SIDE_B, false, 0); /* nothing is sent again: the capture lacks the ACK */
    assert_string_equal(first(), "both-wait");
    flies(IW_SIDE_B, false, 3);
    assert_string_equal(first(), "");
    enhances((struct iw_mpa_enhanced){.a = 1, .d = 1}, (struct iw_mpa_enhanced){.a = 1, .d = 1});
    assert_string_equal(first(), "");
    flies(IW_SIDE_B, true, 0);
    assert_string_equal(first(), "rtr-missing");
}

static void responder_closes(uint64_t frame) {
    asks_in_vain();
    history.side[IW_SIDE_A].close_kind = IW_LLP_CLOSE_INPUT;
    history.side[IW_SIDE_B].close_kind = IW_LLP_CLOSE_GRACEFUL;
    history.side[IW_SIDE_B].close = (struct iw_history_mark){frame, SECOND};
    history.side[IW_SIDE_A].private_octets = 4;
}

static void a_responder_may_close_before_the_request(void **state) {
    (void)state;
    responder_closes(5);
    facts.address[IW_SIDE_B] = "192.0.2.2:4711";
    assert_string_equal(first(), "startup-closed");
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
    history.side[IW_SIDE_B].close_kind = IW_LLP_CLOSE_ABORTIVE; /* as a firewall sends it, too */
    assert_string_equal(first(), "startup-closed");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    history.side[IW_SIDE_B].close_kind = IW_LLP_CLOSE_GRACEFUL;
    first();
    assert_int_equal(diagnosis.count, 2);
    assert_non_null(strstr(
        iw_diagnosed_next(&diagnosis.causes[0]), "the log of the responder, 192.0.2.2:4711: the program"));
    responder_closes(3);
    assert_string_equal(first(), "startup-closed");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    assert_int_equal(diagnosis.count, 1);
    assert_non_null(strstr(diagnosis.causes[0].detail, "before the Request"));
}

/* RFC 5044 7.1.1: a PD_Length above 512 */
static void a_responder_closes_after_a_wrong_request(void **state) {
    (void)state;
    responder_closes(5);
    finds("RFC5044-7.1.1-17", IW_SIDE_A, 4);
    assert_string_equal(first(), "protocol-violation");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    assert_int_equal(diagnosis.count, 1);
    findings[0].side = IW_SIDE_B;
    assert_string_equal(first(), "startup-closed");
}

/* Rev 1 has all that a Request without enhanced data asks for. */
static void a_lower_revision_matters_to_enhanced_data(void **state) {
    (void)state;
    history.message_count = 0;
    terms.frame[IW_SIDE_A].header.rev = 2;
    terms.frame[IW_SIDE_B].header.rev = 1;
    ends(IW_LLP_CLOSE_GRACEFUL);
    facts.address[IW_SIDE_A] = "192.0.2.1:40000";
    assert_string_equal(first(), "startup-revision");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    assert_non_null(strstr(
        iw_diagnosed_next(&diagnosis.causes[0]), "Let the initiator, 192.0.2.1:40000, use the lower Rev"));
    terms.frame[IW_SIDE_A].enhanced = true;
    first();
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
}

/* RFC 5044 7.1.1: a receiver closes if it cannot interoperate with the Rev. */
static void other_connections_show_which_rev_a_responder_accepts(void **state) {
    (void)state;
    responder_closes(5);
    terms.frame[IW_SIDE_A].header.rev = 2;
    assert_string_equal(first(), "startup-closed");
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
    assert_string_equal(diagnosis.causes[1].cause->id, "startup-revision");
    assert_int_equal(diagnosis.causes[1].confidence, IW_CONFIDENCE_POSSIBLE);
    facts.rev_1_accepted = "stream 1, which begins in frame 7";
    assert_string_equal(first(), "startup-revision");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    assert_non_null(strstr(diagnosis.causes[0].detail, "same host: stream 1, which begins in frame 7."));
    assert_string_equal(diagnosis.causes[1].cause->id, "startup-closed");
    assert_int_equal(diagnosis.causes[1].confidence, IW_CONFIDENCE_POSSIBLE);
    facts.rev_answered = true;
    assert_string_equal(first(), "startup-closed");
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
    for (unsigned i = 0; i < diagnosis.count; i++)
        assert_string_not_equal(diagnosis.causes[i].cause->id, "startup-revision");
    facts.rev_answered = false;
    responder_closes(3); /* before the Request */
    terms.frame[IW_SIDE_A].header.rev = 2;
    assert_string_equal(first(), "startup-closed");
    assert_int_equal(diagnosis.count, 1);
}

/* Eight octets of private data, which a Reply with R=1 answers. */
static void only_its_port_or_protocol_shows_smb_direct(void **state) {
    static const uint8_t depths[] = {1, 0, 0, 0, 2, 0, 0, 0};
    struct iw_history_side *request = &history.side[IW_SIDE_A];

    (void)state;
    terms.rejected = true;
    history.message_count = 0;
    request->private_octets = request->private_kept = sizeof depths;
    memcpy(request->private_data, depths, sizeof depths);
    assert_string_equal(first(), "startup-rejected");
    assert_int_equal(diagnosis.count, 2);
    assert_string_equal(diagnosis.causes[1].cause->id, "private-data-refused");
    facts.port[IW_SIDE_A] = IW_ULP_PORT_SMB_DIRECT; /* of the initiator */
    assert_string_equal(first(), "startup-rejected");
    facts.port[IW_SIDE_B] = IW_ULP_PORT_SMB_DIRECT;
    assert_string_equal(first(), "smb-byte-order");
}

/* Only the side that reads the depths goes wrong by them: IRD 1 and ORD 2 of the initiator. */
static void depths_in_the_wrong_order_explain_only_what_they_limit(void **state) {
    static const uint8_t depths[] = {1, 0, 0, 0, 2, 0, 0, 0};
    struct iw_history_message reads[] = {{.last = true,
        .opcode = IW_RDMAP_OP_READ_REQUEST,
        .qn = IW_QN_REQUEST,
        .msn = 2,
        .length = 8,
        .waiting = 2}};

    (void)state;
    terms.initiator = IW_SIDE_B;
    facts.port[IW_SIDE_A] = IW_ULP_PORT_SMB_DIRECT;
    history.side[IW_SIDE_B].private_octets = history.side[IW_SIDE_B].private_kept = sizeof depths;
    memcpy(history.side[IW_SIDE_B].private_data, depths, sizeof depths);
    rejects(IW_ERROR_RDMAP_LOCAL_CATASTROPHIC, reads, 1);
    assert_string_equal(first(), "local-error");
    assert_int_equal(diagnosis.count, 1);
    assert_string_equal(diagnosis.notes[diagnosis.note_count - 1].cause->id, "smb-byte-order");
    trouble.terminate.error = IW_ERROR_RDMAP_CATASTROPHIC_STREAM;
    assert_string_equal(first(), "smb-byte-order");
    for (unsigned i = 0; i < diagnosis.note_count; i++)
        assert_string_not_equal(diagnosis.notes[i].cause->id, "smb-byte-order");
    trouble.terminate.message.waiting = 1; /* within it */
    assert_string_equal(first(), "");
}

/* The private data of a rejecting Reply of NVMe over RDMA are little-endian as well. */
static void other_little_endian_data_are_no_depths(void **state) {
    static const uint8_t rejects[] = {0, 0, 6, 0};
    struct iw_history_side *reply = &history.side[IW_SIDE_B];

    (void)state;
    terms.rejected = true;
    history.message_count = 0;
    reply->private_octets = reply->private_kept = sizeof rejects;
    memcpy(reply->private_data, rejects, sizeof rejects);
    facts.port[IW_SIDE_B] = IW_ULP_PORT_NVME;
    assert_string_equal(first(), "startup-rejected");
    assert_int_equal(diagnosis.count, 1);
}

/* RFC 9293 3.4: only the number of a later segment shows what its sender had sent until then. */
static void a_startup_frame_may_be_lost_before_the_capture(void **state) {
    (void)state;
    asks_in_vain();
    assert_string_equal(first(), "startup-timeout");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    assert_non_null(strstr(diagnosis.causes[0].detail, "shows that the responder sent nothing more"));
    assert_string_equal(iw_diagnosed_next(&diagnosis.causes[0]),
        "Capture again at the host of the responder, and see whether it sends the Reply. If so, look at the "
        "path; otherwise at the program and the device of the responder.");
    life.side[IW_SIDE_B].complete = (struct iw_tcp_mark){5, SECOND}; /* the ACK of the Request */
    first();
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    life.side[IW_SIDE_B].complete = (struct iw_tcp_mark){6, 11 * SECOND};
    first();
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
    reset(state);
    silent(10 * SECOND, IW_SIDE_B);
    assert_string_equal(first(), "both-wait");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    enhances((struct iw_mpa_enhanced){.a = 1, .d = 1}, (struct iw_mpa_enhanced){.a = 1, .d = 1});
    assert_string_equal(first(), "rtr-missing");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    assert_non_null(strstr(iw_diagnosed_next(&diagnosis.causes[0]), "see whether it sends the RTR"));
    life.side[IW_SIDE_A].complete = (struct iw_tcp_mark){6, 11 * SECOND};
    first();
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_lack_of_ird_is_certain_only_by_the_startup_frames),
        TEST(a_matching_rtr_contradicts_that_none_matches),
        TEST(an_initiator_may_have_nothing_to_send),
        TEST(an_initiator_that_resets_may_have_waited),
        TEST(a_part_of_a_message_is_not_silence),
        TEST(a_part_of_a_reply_is_a_reply),
        TEST(startup_frames_in_vain_show_nothing),
        TEST(a_responder_may_close_before_the_request),
        TEST(a_responder_closes_after_a_wrong_request),
        TEST(a_lower_revision_matters_to_enhanced_data),
        TEST(other_connections_show_which_rev_a_responder_accepts),
        TEST(only_its_port_or_protocol_shows_smb_direct),
        TEST(depths_in_the_wrong_order_explain_only_what_they_limit),
        TEST(other_little_endian_data_are_no_depths),
        TEST(a_startup_frame_may_be_lost_before_the_capture),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
