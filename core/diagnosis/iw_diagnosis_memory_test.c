#include "iw_diagnosis_test.h"

/* Terminates about memory: STags, rights, bounds, and the Data Sink of the reader itself. */

/* Of 8 octets in the memory with STag 7: a Write and a Read Response of side A, and a Read Request of side B.
 */
static const struct iw_history_message write_of_8 = {
    .tagged = true, .last = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 7, .length = 8};
static const struct iw_history_message response = {
    .tagged = true, .last = true, .opcode = IW_RDMAP_OP_READ_RESPONSE, .stag = 7, .length = 8};
static const struct iw_history_message read_request = {.side = IW_SIDE_B,
    .last = true,
    .opcode = IW_RDMAP_OP_READ_REQUEST,
    .qn = IW_QN_REQUEST,
    .msn = 1,
    .sink_stag = 7,
    .length = 8};

/* Side B rejects a Read Response to the memory with STag 7, the last of the segments. */
static void rejects_response(uint16_t error, struct iw_history_message *messages, uint32_t count) {
    rejects(error, messages, count);
    trouble.terminate.header_opcode = IW_RDMAP_OP_READ_RESPONSE;
    trouble.terminate.header_stag = 7;
}

/* A Write of side A in frame 12 to an STag of side B that a Send of side A in frame 10 had invalidated. */
static struct iw_history_message after_invalidation[3];

static void writes_after_invalidation(struct iw_history_message between) {
    after_invalidation[0] = (struct iw_history_message){
        .last = true, .opcode = IW_RDMAP_OP_SEND_INV, .msn = 1, .invalidates = true, .invalidate_stag = 7};
    after_invalidation[1] = between;
    after_invalidation[2] = (struct iw_history_message){.tagged = true,
        .last = true,
        .opcode = IW_RDMAP_OP_RDMA_WRITE,
        .stag = 7,
        .length = 8,
        .stag_first_frame = 12,
        .stag_ended_frame = 10};
    rejects(IW_ERROR_DDP_INVALID_STAG, after_invalidation, 3);
}

/* RFC 5040 5.3: after the invalidation the owner may use the number for another buffer, and advertise it. */
static void an_owner_may_advertise_an_stag_again(void **state) {
    (void)state;
    writes_after_invalidation((struct iw_history_message){
        .side = IW_SIDE_B, .last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 1, .length = 0});
    assert_string_equal(first(), "stag-invalidated");
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_CONFIRMED);
    history.message_count = 1002; /* what the owner sent is kept: the ring still has the Send in frame 10 */
    assert_string_equal(first(), "stag-invalidated");
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
    after_invalidation[1].length = 16;
    assert_string_equal(first(), "stag-invalidated");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_UNDECIDED);
    assert_non_null(strstr(diagnosis.causes[0].detail, "may have advertised it again"));
}

static void what_the_owner_sent_may_be_no_longer_known(void **state) {
    (void)state;
    writes_after_invalidation(
        (struct iw_history_message){.last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 2});
    history.message_count = 1002;
    after_invalidation[0].mark.frame = 11;
    assert_string_equal(first(), "stag-invalidated");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    history.message_count = 3;
    assert_string_equal(first(), "stag-invalidated");
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
    trouble.lost_frame = 11; /* of the owner */
    assert_string_equal(first(), "stag-invalidated");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
}

/* The use after the invalidation was accepted, so the STag was valid again. */
static void an_accepted_use_after_the_invalidation_excludes_it(void **state) {
    struct iw_history_message accepted = {
        .tagged = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 7, .to = 100, .length = 8};

    (void)state;
    writes_after_invalidation(accepted);
    trouble.lost_frame = 11; /* perhaps it advertised the STag */
    assert_string_equal(first(), "stag-withdrawn");
    assert_int_equal(diagnosis.causes[0].frames[0], 11);
}

/* A capture may have the advertisement after the use that acknowledges it, if the two came from two
 * interfaces.
 */
static void a_use_that_acknowledges_an_advertisement_comes_after_it(void **state) {
    static const struct iw_history_message send = {
        .side = IW_SIDE_B, .last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 1, .length = 16, .end = 140};
    struct iw_history_message last;

    (void)state;
    writes_after_invalidation(after_invalidation[0]);
    last = after_invalidation[2];
    writes_after_invalidation(last);
    after_invalidation[2] = send;
    after_invalidation[2].decoded = after_invalidation[2].known_opcode = true;
    after_invalidation[2].mark.frame = 13;
    after_invalidation[1].mark.frame = 12;
    trouble.terminate.message = after_invalidation[1];
    trouble.terminate.message.received_at_most = 139;
    assert_string_equal(first(), "stag-invalidated");
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
    trouble.terminate.message.received_at_most = 140;
    assert_string_equal(first(), "stag-invalidated");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    after_invalidation[2] = (struct iw_history_message){.mark = {13, 13},
        .side = IW_SIDE_B,
        .decoded = true,
        .known_opcode = true,
        .last = true,
        .opcode = IW_RDMAP_OP_READ_REQUEST,
        .qn = IW_QN_REQUEST,
        .msn = 1,
        .sink_stag = 7,
        .length = 8,
        .end = 140};
    assert_string_not_equal(first(), "stag-invalidated");
    trouble.terminate.message.received_at_most = UINT64_MAX; /* not known */
    assert_string_equal(first(), "stag-invalidated");
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
}

/* Two Writes to one place, and a message of the owner between them: it was sent before the first Write came.
 */
static void a_message_that_crosses_a_use_does_not_accept_it(void **state) {
    struct iw_history_message messages[] = {write_of_8,
        {.side = IW_SIDE_B, .last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 1, .length = 8}, write_of_8};

    (void)state;
    messages[0].end = 80;
    rejects(IW_ERROR_DDP_INVALID_STAG, messages, 3);
    messages[1].received_at_most = 79;
    assert_string_equal(first(), "stag-unknown");
    messages[1].received_at_most = 80;
    assert_string_equal(first(), "stag-withdrawn");
    messages[1].received_at_most = UINT64_MAX;
    assert_string_equal(first(), "stag-withdrawn");
}

/* Of Reads into one sink, both responses are under way when the first is rejected; their headers are equal.
 */
static void responses_under_way_are_not_accepted(void **state) {
    struct iw_history_message messages[] = {read_request, response, response};

    (void)state;
    rejects_response(IW_ERROR_DDP_INVALID_STAG, messages, 3);
    assert_string_equal(first(), "read-sink-rights");
    messages[1].to = 100;
    assert_string_equal(first(), "stag-withdrawn");
}

/* Two Writes of two segments each have the same headers. The first segment is rejected while all are under
 * way. */
static void writes_under_way_are_not_accepted(void **state) {
    struct iw_history_message writes[] = {
        {.tagged = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 7, .to = 0, .length = 8},
        {.tagged = true, .last = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 7, .to = 8, .length = 8},
        {.tagged = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 7, .to = 0, .length = 8},
        {.tagged = true, .last = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 7, .to = 8, .length = 8}};

    (void)state;
    rejects(IW_ERROR_DDP_INVALID_STAG, writes, 4);
    trouble.terminate.message = writes[2]; /* the latest with that header */
    assert_string_equal(first(), "stag-unknown");
    writes[1].side = IW_SIDE_B; /* the owner goes on after the first segment */
    assert_string_equal(first(), "stag-withdrawn");
    writes[1].side = IW_SIDE_A;
    writes[0].to = 100; /* the Terminate is not about it, but about a later one */
    assert_string_equal(first(), "stag-withdrawn");
}

/* Of many segments of one Write, the first are no longer kept. */
static void what_is_no_longer_kept_may_be_rejected_or_accepted(void **state) {
    struct iw_history_message writes[] = {
        {.tagged = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 7, .to = 0, .length = 8},
        {.tagged = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 7, .to = 8, .length = 8}};

    (void)state;
    rejects(IW_ERROR_DDP_INVALID_STAG, writes, 2);
    trouble.terminate.message.stag_first_frame = 6;
    history.message_count = 1000;
    assert_string_equal(first(), "stag-unknown");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    assert_int_equal(diagnosis.count, 2);
    assert_string_equal(diagnosis.causes[1].cause->id, "stag-withdrawn");
    assert_int_equal(diagnosis.causes[1].confidence, IW_CONFIDENCE_POSSIBLE);
    assert_int_equal(diagnosis.causes[1].frames[0], 6);
}

/* RFC 5040 5.2.1: a Read Response goes to the Data Sink of a Read Request. */
static void a_sink_that_no_read_named_has_no_rights_to_lack(void **state) {
    struct iw_history_message messages[] = {response};

    (void)state;
    rejects_response(IW_ERROR_RDMAP_ACCESS_RIGHTS, messages, 1);
    assert_string_equal(first(), "");
    finds("RFC5040-5.2-01", IW_SIDE_A, 10);
    assert_string_equal(first(), "protocol-violation");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    assert_int_equal(diagnosis.count, 1);
    history.finding_count = 0;
    counts.unjudged[IW_UNJUDGED_LOST] = 1; /* the Read Request may be lost */
    assert_string_equal(first(), "read-sink-rights");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
}

/* RFC 5040 4.4: the response is longer than the Read, so its place in the Data Sink is of no account. */
static void a_response_beyond_its_read_is_a_violation(void **state) {
    struct iw_history_message messages[] = {response};

    (void)state;
    messages[0].length = 12;
    rejects_response(IW_ERROR_DDP_BASE_BOUNDS, messages, 1);
    assert_string_equal(first(), "bounds");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    finds("RFC5040-4.4-05", IW_SIDE_A, 10);
    assert_string_equal(first(), "protocol-violation");
    assert_string_equal(diagnosis.causes[1].cause->id, "bounds");
    assert_int_equal(diagnosis.causes[1].confidence, IW_CONFIDENCE_POSSIBLE);
}

/* A reader rejects what its own Read Request names. */
static void the_bounds_of_a_sink_are_those_of_the_reader(void **state) {
    struct iw_history_message messages[] = {read_request, response};

    (void)state;
    rejects_response(IW_ERROR_DDP_BASE_BOUNDS, messages, 2);
    assert_string_equal(first(), "bounds");
    assert_int_equal(diagnosis.causes[0].frames[0], 10);
    assert_non_null(strstr(diagnosis.causes[0].detail, "Its own Read Request names this STag."));
    messages[0].sink_stag = 8;
    assert_string_equal(first(), "bounds");
    assert_int_equal(diagnosis.causes[0].frames[0], 11);
}

/* Segments before the Read are not kept. */
static void an_old_connection_may_have_accepted_a_sink_before(void **state) {
    struct iw_history_message messages[] = {read_request, response};

    (void)state;
    messages[1].stag_first_frame = 10;
    rejects_response(IW_ERROR_DDP_INVALID_STAG, messages, 2);
    history.message_count = 1000;
    assert_string_equal(first(), "read-sink-rights");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    assert_int_equal(diagnosis.count, 1);
    trouble.terminate.message.stag_first_frame = 9;
    assert_string_equal(first(), "read-sink-rights");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    assert_string_equal(diagnosis.causes[1].cause->id, "stag-withdrawn");
    trouble.terminate.message.stag_first_frame = 10;
    counts.unjudged[IW_UNJUDGED_STARTUP] = 2; /* of which the capture lacks the beginning */
    assert_string_equal(first(), "read-sink-rights");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    counts.unjudged[IW_UNJUDGED_STARTUP] = 0;
    trouble.lost_frame = trouble.lost_last_frame = 5; /* long before the Read */
    assert_string_equal(first(), "read-sink-rights");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    trouble.lost_last_frame = 11; /* perhaps a Send that invalidated the sink */
    assert_string_equal(first(), "");
    trouble.lost_frame = trouble.lost_last_frame = 0;
    trouble.terminate.message.stag_first_frame = 0; /* not known */
    assert_string_equal(first(), "read-sink-rights");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    trouble.terminate.message.length = 9; /* one octet more than the Read asked for */
    assert_string_equal(first(), "");
}

/* The reader names its Data Sink again after its invalidation. The response acknowledges the Read, which was
 * captured after it. */
static void a_sink_that_was_invalidated_may_not_be_registered(void **state) {
    struct iw_history_message messages[] = {read_request, response};

    (void)state;
    messages[0].end = messages[1].received_at_most = 100;
    messages[1].stag_ended_frame = 9;
    rejects_response(IW_ERROR_DDP_INVALID_STAG, messages, 2);
    assert_string_equal(first(), "stag-withdrawn");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    assert_non_null(strstr(diagnosis.causes[0].detail, "reads into it again in frame 10"));
    assert_string_equal(diagnosis.causes[1].cause->id, "read-sink-rights");
    assert_int_equal(diagnosis.causes[1].confidence, IW_CONFIDENCE_POSSIBLE);
    trouble.terminate.message.stag_ended_frame = 0;
    assert_string_equal(first(), "read-sink-rights");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
}

/* Two Writes to the same place. The owner sends a message between them, so it accepted the first one. */
static void what_was_accepted_before_speaks_against_the_statement(void **state) {
    struct iw_history_message messages[] = {
        {.tagged = true, .last = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 7, .to = 64, .length = 32},
        {.side = IW_SIDE_B, .last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 1, .length = 4},
        {.tagged = true, .last = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 7, .to = 64, .length = 32}};

    (void)state;
    rejects(IW_ERROR_DDP_BASE_BOUNDS, messages, 3);
    assert_string_equal(first(), "bounds");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    assert_int_equal(diagnosis.causes[0].frames[0], 10);
    messages[0].length = 31; /* one octet fewer */
    assert_string_equal(first(), "bounds");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    trouble.terminate.error = IW_ERROR_RDMAP_ACCESS_RIGHTS;
    assert_string_equal(first(), "rights");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    messages[0].opcode = IW_RDMAP_OP_ATOMIC_REQUEST;
    assert_string_equal(first(), "rights");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
}

/* RFC 5040 4.8: an STag that cannot be invalidated, said of a Write, which invalidates none. */
static void a_write_invalidates_no_stag(void **state) {
    struct iw_history_message write[] = {
        {.tagged = true, .last = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 7, .length = 32}};

    (void)state;
    rejects(IW_ERROR_RDMAP_CANNOT_INVALIDATE, write, 1);
    assert_string_equal(first(), "");
    assert_true(diagnosis.failed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(an_owner_may_advertise_an_stag_again),
        TEST(what_the_owner_sent_may_be_no_longer_known),
        TEST(an_accepted_use_after_the_invalidation_excludes_it),
        TEST(a_use_that_acknowledges_an_advertisement_comes_after_it),
        TEST(a_message_that_crosses_a_use_does_not_accept_it),
        TEST(responses_under_way_are_not_accepted),
        TEST(writes_under_way_are_not_accepted),
        TEST(what_is_no_longer_kept_may_be_rejected_or_accepted),
        TEST(a_sink_that_no_read_named_has_no_rights_to_lack),
        TEST(a_response_beyond_its_read_is_a_violation),
        TEST(the_bounds_of_a_sink_are_those_of_the_reader),
        TEST(an_old_connection_may_have_accepted_a_sink_before),
        TEST(a_sink_that_was_invalidated_may_not_be_registered),
        TEST(what_was_accepted_before_speaks_against_the_statement),
        TEST(a_write_invalidates_no_stag),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
