#include "iw_diagnosis_test.h"

/* What a Terminate says, and what the octets say. */

/* RFC 5040 4.8: whatever a Terminate says, it is a statement of its sender. */
static void a_statement_alone_is_never_certain(void **state) {
    static const uint16_t errors[] = {
#define IW_ERROR(symbol, layer, etype, code, name, clause) IW_ERROR_##symbol,
#define IW_ETYPE(layer, etype, name)
#include "iw_error.def"
#undef IW_ETYPE
#undef IW_ERROR
    };
    static const struct iw_history_message about[] = {{.last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 2},
        {.last = true, .opcode = IW_RDMAP_OP_READ_REQUEST, .qn = IW_QN_REQUEST, .msn = 1, .length = 8},
        {.tagged = true, .last = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 7, .length = 8},
        {.tagged = true, .last = true, .opcode = IW_RDMAP_OP_READ_RESPONSE, .stag = 7, .length = 8}};
    unsigned named = 0;

    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        for (size_t at = 0; at < sizeof about / sizeof *about; at++) {
            struct iw_history_message message = about[at];

            rejects(errors[i], &message, 1);
            trouble.terminate.header_opcode = message.opcode;
            trouble.terminate.header_qn = message.qn;
            trouble.terminate.header_stag = message.stag;
            named += first()[0] != '\0';
            if (diagnosis.truth[IW_SIDE_B] == IW_TRUTH_UNDECIDED && diagnosis.count > 0)
                assert_int_not_equal(confidence(), IW_CONFIDENCE_CERTAIN);
        }
    assert_true(named > 20);
}

/* RFC 5040 4.3: a Read Request has one length, which is right here. */
static void a_request_of_its_length_is_not_too_long(void **state) {
    struct iw_history_message read[] = {
        {.last = true, .opcode = IW_RDMAP_OP_READ_REQUEST, .qn = IW_QN_REQUEST, .msn = 1, .length = 5}};

    (void)state;
    rejects(IW_ERROR_DDP_TOO_LONG, read, 1);
    trouble.terminate.header_qn = IW_QN_REQUEST;
    assert_string_equal(first(), "");
    assert_true(diagnosis.failed);
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_REFUTED);
    counts.unjudged[IW_UNJUDGED_STARTUP] = 1;
    assert_string_equal(first(), "");
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_UNDECIDED);
}

/* RFC 5041 4.3: each queue has MSNs of its own. */
static void a_wrong_msn_of_another_queue_explains_nothing(void **state) {
    struct iw_history_message messages[] = {
        {.last = true, .opcode = IW_RDMAP_OP_READ_REQUEST, .qn = IW_QN_REQUEST, .msn = 9, .length = 8},
        {.last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 2, .length = 5}};

    (void)state;
    rejects(IW_ERROR_DDP_MSN_RANGE, messages, 2);
    messages[0].msn_expected = false;
    finds("RFC5041-4.3-08", IW_SIDE_A, 10);
    assert_string_equal(first(), "msn-out-of-step");
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_REFUTED);
    history.message_count = 1000; /* the wrong one may be no longer kept, and then its queue is not known */
    messages[0].msn_expected = true;
    assert_string_equal(first(), "");
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_UNDECIDED);
}

static void the_msn_after_a_wrong_one_is_possibly_its_consequence(void **state) {
    struct iw_history_message messages[] = {{.last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 4, .length = 5},
        {.last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 5, .length = 5}};

    (void)state;
    rejects(IW_ERROR_DDP_MSN_RANGE, messages, 2);
    messages[0].msn_expected = false;
    finds("RFC5041-4.3-08", IW_SIDE_A, 10);
    assert_string_equal(first(), "msn-sender");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_UNDECIDED);
    assert_int_equal(diagnosis.causes[0].frames[0], 10);
    trouble.terminate.message.msn_expected = false;
    assert_string_equal(first(), "msn-sender");
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_CONFIRMED);
}

/* The sender of the Terminate names a segment that is not in the capture. */
static void a_header_of_no_message_leaves_the_msn_open(void **state) {
    struct iw_history_message sends[] = {{.last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 4, .length = 5}};

    (void)state;
    rejects(IW_ERROR_DDP_MSN_RANGE, sends, 1);
    finds("RFC5041-4.3-08", IW_SIDE_A, 10);
    trouble.terminate.has_message = false;
    assert_string_equal(first(), "msn-sender");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    trouble.terminate.has_header = false; /* then it is about any message */
    assert_string_equal(first(), "msn-sender");
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_CONFIRMED);
}

/* RFC 5041 5.2, RFC 5040 5.2.1: no receiver checks the STag and TO of a message without octets. RFC 5041 7.2:
 * a Tagged Offset wraps only beyond 2^64. */
static void a_finding_against_the_terminate_refutes_it(void **state) {
    static const struct {
        uint16_t error;
        const char *finding;
        struct iw_history_message message;
    } lies[] = {{IW_ERROR_DDP_INVALID_STAG, "RFC5041-5.2-10",
                    {.tagged = true, .last = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 7}},
        {IW_ERROR_DDP_BASE_BOUNDS, "RFC5041-5.2-10",
            {.tagged = true, .last = true, .opcode = IW_RDMAP_OP_READ_RESPONSE, .stag = 7}},
        {IW_ERROR_RDMAP_INVALID_STAG, "RFC5040-5.2.1-13",
            {.last = true, .opcode = IW_RDMAP_OP_READ_REQUEST, .qn = IW_QN_REQUEST, .msn = 1}},
        {IW_ERROR_DDP_TO_WRAP, "RFC5041-7.2-01",
            {.tagged = true, .last = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 7, .length = 5}},
        {IW_ERROR_RDMAP_BASE_BOUNDS, "RFC5040-7.1-02", {.last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 2}}};

    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct iw_history_message message = lies[i].message;

        reset(state);
        rejects(lies[i].error, &message, 1);
        trouble.terminate.header_opcode = message.opcode;
        finds(lies[i].finding, IW_SIDE_B, 20);
        assert_string_equal(first(), "");
        assert_true(diagnosis.failed);
        assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_REFUTED);
    }
    findings[0].requirement = iw_requirement_find("RFC5040-4.8-12"); /* a wrong header refutes nothing */
    first();
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_UNDECIDED);
}

/* The same without such a finding, as of a capture that begins late: no cause, and no statement about it. */
static void a_message_without_octets_names_no_memory(void **state) {
    struct iw_history_message writes[] = {
        {.tagged = true, .last = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 7, .length = 8},
        {.tagged = true, .last = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 7}};

    (void)state;
    rejects(IW_ERROR_DDP_INVALID_STAG, writes, 2);
    assert_string_equal(first(), "stag-unknown"); /* the Terminate may be about either of them */
    writes[0].to = 100;
    assert_string_equal(first(), "");
    assert_true(diagnosis.failed);
    trouble.terminate.error = IW_ERROR_RDMAP_ACCESS_RIGHTS;
    assert_string_equal(first(), "");
    trouble.terminate.error = IW_ERROR_DDP_BASE_BOUNDS;
    assert_string_equal(first(), "");
    history.message_count = 1000; /* others with its header may be no longer kept */
    assert_string_equal(first(), "bounds");
}

static void no_receive_buffer_is_shorter_than_0_octets(void **state) {
    struct iw_history_message sends[] = {{.last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 2}};

    (void)state;
    rejects(IW_ERROR_DDP_TOO_LONG, sends, 1);
    assert_string_equal(first(), "");
    assert_true(diagnosis.failed);
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_REFUTED);
    trouble.terminate.message.last = false; /* more of it may follow */
    assert_string_equal(first(), "send-too-long");
    trouble.terminate.message.last = true;
    trouble.terminate.message.mo = 100;
    assert_string_equal(first(), "send-too-long");
}

/* A plain Send names no memory, so nothing can lack a right for it. */
static void a_send_needs_no_right(void **state) {
    struct iw_history_message sends[] = {{.last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 2, .length = 5}};

    (void)state;
    rejects(IW_ERROR_RDMAP_ACCESS_RIGHTS, sends, 1);
    trouble.terminate.header_opcode = IW_RDMAP_OP_SEND;
    assert_string_equal(first(), "");
    assert_true(diagnosis.failed);
    trouble.terminate.has_message = false;
    assert_string_equal(first(), "");
    trouble.terminate.header_opcode = IW_RDMAP_OP_SEND_INV;
    assert_string_equal(first(), "rights");
}

/* A receiver that goes on has accepted what was wrong before; a Terminate without a header may be for
 * anything. */
static void a_receiver_that_goes_on_has_accepted_a_violation(void **state) {
    static const struct {
        uint16_t error;
        const char *finding, *cause;
    } cases[] = {{IW_ERROR_DDP_MSN_RANGE, "RFC5041-4.3-08", "msn-sender"},
        {IW_ERROR_DDP_INVALID_MO, "RFC5041-4.3-12", "protocol-violation"}};
    struct iw_history_message messages[] = {{.last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 4, .length = 5},
        {.side = IW_SIDE_B, .last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 4, .length = 5}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reset(state);
        rejects(cases[i].error, messages, 2);
        trouble.terminate.has_message = trouble.terminate.has_header = false;
        finds(cases[i].finding, IW_SIDE_A, 10);
        assert_string_equal(first(), cases[i].cause);
        assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
        assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_UNDECIDED);
        messages[1].side = IW_SIDE_A;
        assert_string_equal(first(), cases[i].cause);
        assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
        assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_CONFIRMED);
        messages[1].side = IW_SIDE_B;
        history.message_count = 1000; /* what came before is no longer kept */
        messages[1].side = IW_SIDE_A;
        messages[0].mark.frame = 11;
        assert_string_equal(first(), cases[i].cause);
        assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
        messages[1].side = IW_SIDE_B;
    }
}

/* A receiver that does not know Terminates, or cannot send one, resets. */
static void a_reset_directly_after_a_violation_is_possibly_for_it(void **state) {
    struct iw_history_message messages[] = {
        {.mark = {5, 1}, .side = IW_SIDE_B, .decoded = true, .opcode = IW_RDMAP_OP_SEND, .msn = 1},
        {.mark = {6, 1}, .side = IW_SIDE_B, .decoded = true, .opcode = IW_RDMAP_OP_SEND, .msn = 7}};

    (void)state;
    history.messages = messages;
    history.message_count = history.message_max = 2;
    history.side[IW_SIDE_A].fpdus = 1; /* the initiator has sent its first message */
    finds("RFC5041-4.3-08", IW_SIDE_B, 6);
    assert_string_equal(first(), "");
    ends(IW_LLP_CLOSE_GRACEFUL);
    assert_string_equal(first(), "");
    ends(IW_LLP_CLOSE_ABORTIVE);
    assert_string_equal(first(), "protocol-violation");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    assert_int_equal(diagnosis.causes[0].frames[0], 6);
    assert_int_equal(diagnosis.causes[0].frames[1], 10);
    messages[1] = (struct iw_history_message){.mark = {8, 1}, .side = IW_SIDE_A}; /* it went on */
    assert_string_equal(first(), "");
    messages[1].mark.frame = 5;
    findings[0].side = IW_SIDE_A; /* its own violation */
    assert_string_equal(first(), "");
}

/* RFC 5040 6.1: the requests that are outstanding, and those that the startup permits. */
static void a_receiver_may_take_fewer_requests_than_it_said(void **state) {
    struct iw_history_message reads[] = {{.last = true,
        .opcode = IW_RDMAP_OP_READ_REQUEST,
        .qn = IW_QN_REQUEST,
        .msn = 3,
        .length = 8,
        .waiting = 3}};

    (void)state;
    rejects(IW_ERROR_DDP_MSN_NO_BUFFER, reads, 1);
    trouble.terminate.header_qn = IW_QN_REQUEST;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        terms.frame[side].enhanced = true;
        terms.frame[side].enhanced_data = (struct iw_mpa_enhanced){.ird = 2, .ord = 2};
    }
    assert_string_equal(first(), "ird-exceeded");
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_CONFIRMED);
    trouble.lost_frame = 8; /* perhaps a response */
    assert_string_equal(first(), "ird-exceeded");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    trouble.lost_frame = 0;
    trouble.terminate.message.waiting = 2;
    assert_string_equal(first(), "ird-exceeded");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_REFUTED);
    trouble.terminate.message.msn_expected = false;
    assert_string_equal(first(), "msn-sender");
}

/* siw sends 0/2/07 for a Read beyond the IRD, which does not name it. */
static void a_catastrophic_error_may_be_a_request_beyond_the_ird(void **state) {
    struct iw_history_message reads[] = {{.last = true,
        .opcode = IW_RDMAP_OP_READ_REQUEST,
        .qn = IW_QN_REQUEST,
        .msn = 3,
        .length = 8,
        .waiting = 3}};

    (void)state;
    rejects(IW_ERROR_RDMAP_CATASTROPHIC_STREAM, reads, 1);
    assert_string_equal(first(), ""); /* the startup states no IRD */
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        terms.frame[side].enhanced = true;
        terms.frame[side].enhanced_data = (struct iw_mpa_enhanced){.ird = 2, .ord = 2};
    }
    assert_string_equal(first(), "ird-exceeded");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    assert_int_equal(diagnosis.causes[0].side, IW_SIDE_A);
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_UNDECIDED);
    trouble.terminate.message.waiting = 2;
    assert_string_equal(first(), "");
    trouble.terminate.has_message = false;
    assert_string_equal(first(), "");
}

/* siw rejects so a Send that is longer than the receive buffer. */
static void the_rest_of_a_send_may_be_too_long(void **state) {
    struct iw_history_message sends[] = {{.last = false, .opcode = IW_RDMAP_OP_SEND, .msn = 2, .length = 400},
        {.last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 2, .mo = 400, .length = 400}};

    (void)state;
    rejects(IW_ERROR_DDP_MSN_NO_BUFFER, sends, 2);
    assert_string_equal(first(), "no-receive-buffer");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    trouble.terminate.header_mo = 400;
    assert_string_equal(first(), "send-too-long");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    assert_string_equal(diagnosis.causes[1].cause->id, "no-receive-buffer");
    assert_int_equal(diagnosis.causes[1].confidence, IW_CONFIDENCE_POSSIBLE);
}

static void a_local_error_after_a_violation_may_be_for_it(void **state) {
    struct iw_history_message sends[] = {{.last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 2, .length = 5},
        {.side = IW_SIDE_B, .last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 2, .length = 5}};

    (void)state;
    rejects(IW_ERROR_RDMAP_LOCAL_CATASTROPHIC, sends, 1);
    trouble.terminate.has_header = trouble.terminate.has_message = false;
    assert_string_equal(first(), "local-error");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    finds("RFC5041-4.3-12", IW_SIDE_A, 10);
    assert_string_equal(first(), "local-error");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    assert_non_null(strstr(diagnosis.causes[0].detail, "RFC5041-4.3-12"));
    sends[1].mark.frame = 12; /* its receiver went on */
    history.message_count = history.message_max = 2;
    first();
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
}

static void octets_that_came_twice_may_have_a_wrong_crc(void **state) {
    struct iw_history_message sends[] = {{.last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 2, .length = 5}};

    (void)state;
    rejects(IW_ERROR_MPA_CRC, sends, 1);
    history.side[IW_SIDE_A].crc_good = 2;
    assert_string_equal(first(), "crc-receiver");
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_REFUTED);
    counts.unjudged[IW_UNJUDGED_DIFFERING] = 1;
    assert_string_equal(first(), "crc-damage");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_UNDECIDED);
}

/* Both sides end the connection at once: a MSN that is wrong on the wire shows that the second one is right.
 */
static void a_second_terminate_may_be_confirmed(void **state) {
    static struct iw_history_trouble first_trouble;
    struct iw_history_message sends[] = {{.last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 7, .length = 5}};

    (void)state;
    rejects(IW_ERROR_DDP_MSN_RANGE, sends, 1);
    first_trouble.terminate =
        (struct iw_history_terminate){.mark = {19, 19}, .error = IW_ERROR_RDMAP_LOCAL_CATASTROPHIC};
    history.side[IW_SIDE_A].trouble = &first_trouble;
    assert_string_equal(first(), "local-error"); /* that MSN is right */
    assert_int_equal(diagnosis.count, 1);
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_REFUTED);
    trouble.terminate.message.msn_expected = false;
    assert_string_equal(first(), "msn-sender");
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_CONFIRMED);
    assert_string_equal(diagnosis.causes[1].cause->id, "local-error");
}

static void without_a_cause_there_is_a_next_step(void **state) {
    char next[IW_DIAGNOSIS_NEXT];

    (void)state;
    first();
    assert_null(iw_diagnosis_next_without_cause(&facts, &diagnosis, next)); /* nothing failed */
    trouble.terminate = (struct iw_history_terminate){.mark = {9, 9}, .error = 0x0FFF};
    assert_string_equal(first(), "");
    assert_string_equal(iw_diagnosis_next_without_cause(&facts, &diagnosis, next),
        "Look at the logs of the responder at this time: program, driver and device. It sent the Terminate.");
    facts.address[IW_SIDE_B] = "192.0.2.2:4711";
    assert_non_null(strstr(iw_diagnosis_next_without_cause(&facts, &diagnosis, next),
        "the responder, 192.0.2.2:4711, at this time"));
    trouble.terminate.error = IW_ERROR_RDMAP_LOCAL_CATASTROPHIC;
    assert_string_equal(first(), "local-error"); /* has its own */
    assert_null(iw_diagnosis_next_without_cause(&facts, &diagnosis, next));
}

/* What is incomplete at the end without a silence before may only be cut off by it. */
static void a_side_that_stopped_within_a_frame_is_named(void **state) {
    char next[IW_DIAGNOSIS_NEXT];

    (void)state;
    ends(IW_LLP_CLOSE_GRACEFUL); /* of side A in frame 10 */
    history.side[IW_SIDE_B].close_unfinished = true;
    assert_string_equal(first(), "");
    assert_string_equal(iw_diagnosis_next_without_cause(&facts, &diagnosis, next),
        "Look at the logs of the initiator at this time: program, driver and device. It sent the FIN.");
    life.idle_ns = 20 * SECOND;
    life.idle_end_frame = 10;
    assert_string_equal(iw_diagnosis_next_without_cause(&facts, &diagnosis, next),
        "Look at the logs of the responder at this time: program, driver and device. It stopped within a "
        "frame, 20.000 s before the other side sent the FIN.");
    life.idle_end_frame = 8; /* it went on after the silence */
    assert_non_null(strstr(iw_diagnosis_next_without_cause(&facts, &diagnosis, next), "the initiator"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_statement_alone_is_never_certain),
        TEST(a_request_of_its_length_is_not_too_long),
        TEST(a_wrong_msn_of_another_queue_explains_nothing),
        TEST(the_msn_after_a_wrong_one_is_possibly_its_consequence),
        TEST(a_header_of_no_message_leaves_the_msn_open),
        TEST(a_finding_against_the_terminate_refutes_it),
        TEST(a_message_without_octets_names_no_memory),
        TEST(no_receive_buffer_is_shorter_than_0_octets),
        TEST(a_send_needs_no_right),
        TEST(a_receiver_that_goes_on_has_accepted_a_violation),
        TEST(a_reset_directly_after_a_violation_is_possibly_for_it),
        TEST(a_receiver_may_take_fewer_requests_than_it_said),
        TEST(a_catastrophic_error_may_be_a_request_beyond_the_ird),
        TEST(the_rest_of_a_send_may_be_too_long),
        TEST(a_local_error_after_a_violation_may_be_for_it),
        TEST(octets_that_came_twice_may_have_a_wrong_crc),
        TEST(a_second_terminate_may_be_confirmed),
        TEST(without_a_cause_there_is_a_next_step),
        TEST(a_side_that_stopped_within_a_frame_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
