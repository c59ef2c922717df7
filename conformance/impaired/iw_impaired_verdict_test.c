#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_impaired_verdict.h"

/* The initiator has sent the impaired unit, and the responder is the judged device unless a row says
 * otherwise. */

enum { LONG_NS = 100000000, SHORT_NS = 1000000 };

static const struct iw_impaired_facts unimpaired = {
    .opened = true, .crc = true, .sides = {{.messages = 5}, {.messages = 4, .replied = true}}};

struct row {
    const char *about;
    unsigned reactions;
    bool of_sender;
    bool detects; /* with of_sender: as in struct iw_case_relay */
    struct iw_impaired_side side, other;
    bool silent, deadline;
    bool llp;
    bool again;
    bool initiator; /* it is the judged device, and gets the unit of the responder */
    struct iw_impaired_side
        unimpaired; /* with messages > 0: what the judged device does without impairment */
    enum iw_verdict verdict;
    const char *message;
};

static struct iw_trial_result judge(const struct row *row, struct iw_impaired_facts facts, unsigned needs) {
    static struct iw_case_relay relay;
    static struct iw_case one;
    struct iw_trial_result result = {.one = &one, .severity = IW_SEVERITY_ERROR};

    struct iw_impaired_facts base = unimpaired;
    enum iw_side own = row->initiator ? IW_SIDE_A : IW_SIDE_B;

    if (row->unimpaired.messages > 0)
        base.sides[own] = row->unimpaired;
    relay = (struct iw_case_relay){.rule_count = 1,
        .sender = row->of_sender ? own : iw_side_other(own),
        .llp = row->llp,
        .again = row->again,
        .unit = "Send",
        .reactions = row->reactions,
        .detects = row->detects,
        .needs = needs};
    if ((row->reactions & IW_CASE_REACTION_TERMINATE) != 0) {
        relay.errors[0] = 0x2002;
        relay.error_count = 1;
    }
    one =
        (struct iw_case){.id = "a", .tier = IW_CASE_TIER_RELAY, .initiator = row->initiator, .relay = &relay};
    facts.sender = relay.sender;
    facts.sides[own] = row->side;
    facts.sides[iw_side_other(own)] = row->other;
    facts.silent = row->silent;
    facts.deadline = row->deadline;
    facts.waited_ms = row->silent ? 2000 : 0;
    iw_impaired_verdict(&result, &facts, &base, &(struct iw_verdict_rules){.foreign = true});
    return result;
}

static void check_rows(const struct row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct iw_trial_result result =
            judge(&rows[i], (struct iw_impaired_facts){.opened = true, .impaired = true}, 0);

        if (result.verdict != rows[i].verdict || strcmp(result.reason.message, rows[i].message) != 0)
            fail_msg("%s: %s: %s", rows[i].about, iw_verdict_name(result.verdict), result.reason.message);
        assert_int_equal(result.reason.expected[0] == '\0', result.verdict == IW_VERDICT_PASS);
    }
}

#define REACHED .reached = true, .quiet_ns = LONG_NS

static void a_message_in_error_needs_its_terminate(void **state) {
    static const struct row rows[] = {
        {"reported", IW_CASE_REACTION_TERMINATE,
            .side = {REACHED, .terminated = true, .error = 0x2002, .fin = true}, .verdict = IW_VERDICT_PASS,
            .message = ""},
        {"another error", IW_CASE_REACTION_TERMINATE,
            .side = {REACHED, .terminated = true, .error = 0x1203, .fin = true}, .verdict = IW_VERDICT_FAIL,
            .message = "the Terminate reports a different error"},
        {"no close after it, as its peer", IW_CASE_REACTION_TERMINATE,
            .side = {REACHED, .terminated = true, .error = 0x2002}, .silent = true,
            .verdict = IW_VERDICT_PASS, .message = ""},
        {"no close after that of its peer", IW_CASE_REACTION_TERMINATE,
            .side = {REACHED, .terminated = true, .error = 0x2002, .got_fin = true}, .silent = true,
            .verdict = IW_VERDICT_FAIL, .message = "keeps the connection open after its Terminate"},
        {"silence", IW_CASE_REACTION_TERMINATE, .side = {REACHED}, .silent = true, .verdict = IW_VERDICT_FAIL,
            .message = "sends no Terminate"},
        {"a close instead", IW_CASE_REACTION_TERMINATE, .side = {REACHED, .rst = true},
            .verdict = IW_VERDICT_FAIL, .message = "closes without a Terminate"},
        {"it went on", IW_CASE_REACTION_TERMINATE, .side = {REACHED, .after = 2, .messages = 4, .fin = true},
            .verdict = IW_VERDICT_FAIL, .message = "continues, and closes without a Terminate"},
    };

    (void)state;
    check_rows(rows, sizeof rows / sizeof *rows);
}

/* The octets do not prove that the device has seen the unit when it closed. */
static void without_proof_no_device_fails(void **state) {
    static const struct row rows[] = {
        {"not quiet", IW_CASE_REACTION_TERMINATE,
            .side = {.reached = true, .quiet_ns = SHORT_NS, .fin = true}, .verdict = IW_VERDICT_INCONCLUSIVE,
            .message = "closes without a Terminate, perhaps before it saw the unit"},
        {"closed before", IW_CASE_REACTION_TERMINATE, .side = {REACHED, .closed_before = true, .fin = true},
            .verdict = IW_VERDICT_INCONCLUSIVE, .message = "it had closed before the unit reached it"},
        {"never reached", IW_CASE_REACTION_TERMINATE, .side = {.fin = true},
            .verdict = IW_VERDICT_INCONCLUSIVE,
            .message = "the unit did not reach it: the connection had ended"},
        {"reset by the other", IW_CASE_REACTION_TERMINATE, .side = {REACHED, .got_rst = true},
            .verdict = IW_VERDICT_INCONCLUSIVE, .message = "the other device has reset the connection"},
        {"the other closed first", IW_CASE_REACTION_CONTINUE, .side = {REACHED, .messages = 1},
            .other = {.fin = true}, .verdict = IW_VERDICT_INCONCLUSIVE,
            .message = "the other device ended the connection first"},
        {"sender with less", IW_CASE_REACTION_CONTINUE, .of_sender = true,
            .side = {.messages = 1, .fin = true}, .verdict = IW_VERDICT_INCONCLUSIVE,
            .message = "sends less than without the impairment, but got all octets unchanged"},
        {"Terminate of the sender", IW_CASE_REACTION_CLOSE, .of_sender = true, .side = {.terminated = true},
            .verdict = IW_VERDICT_INCONCLUSIVE,
            .message = "sends a Terminate, but got nothing that was changed"},
    };

    (void)state;
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void what_must_be_ignored_changes_nothing(void **state) {
    static const struct row rows[] = {
        {"as without", IW_CASE_REACTION_CONTINUE,
            .side = {REACHED, .replied = true, .messages = 4, .fin = true}, .verdict = IW_VERDICT_PASS,
            .message = ""},
        {"a Terminate", IW_CASE_REACTION_CONTINUE,
            .side = {REACHED, .replied = true, .terminated = true, .messages = 4, .fin = true},
            .verdict = IW_VERDICT_FAIL, .message = "sends a Terminate, although it must accept the unit"},
        {"an early close", IW_CASE_REACTION_CONTINUE,
            .side = {REACHED, .replied = true, .messages = 3, .fin = true}, .verdict = IW_VERDICT_FAIL,
            .message = "ends the connection"},
        {"silence", IW_CASE_REACTION_CONTINUE, .side = {REACHED, .replied = true, .messages = 3},
            .silent = true, .verdict = IW_VERDICT_FAIL, .message = "does not continue"},
        {"no Reply", IW_CASE_REACTION_CONTINUE, .side = {REACHED, .messages = 4, .fin = true},
            .verdict = IW_VERDICT_FAIL, .message = "ends the connection"},
    };

    (void)state;
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void a_startup_frame_is_refused_or_accepted(void **state) {
    static const struct row rows[] = {
        {"closed", IW_CASE_REACTION_REFUSE, .side = {REACHED, .fin = true}, .verdict = IW_VERDICT_PASS,
            .message = ""},
        {"rejected", IW_CASE_REACTION_REFUSE, .side = {REACHED, .replied = true, .rejected = true},
            .verdict = IW_VERDICT_PASS, .message = ""},
        {"accepted", IW_CASE_REACTION_REFUSE, .side = {REACHED, .replied = true, .fin = true},
            .verdict = IW_VERDICT_FAIL, .message = "accepts the startup frame"},
        {"silence", IW_CASE_REACTION_REFUSE, .side = {REACHED}, .silent = true, .verdict = IW_VERDICT_FAIL,
            .message = "neither rejects nor closes"},
        {"closed after a Terminate", IW_CASE_REACTION_REFUSE,
            .side = {REACHED, .octets = 60, .startup_octets = 24, .terminated = true, .fin = true},
            .verdict = IW_VERDICT_PASS, .message = ""},
        {"open after a Terminate", IW_CASE_REACTION_REFUSE, .side = {REACHED, .terminated = true},
            .silent = true, .verdict = IW_VERDICT_FAIL, .message = "neither rejects nor closes"},
        {"a Terminate instead of silence", IW_CASE_REACTION_ABSTAIN,
            .side = {REACHED, .terminated = true, .fin = true}, .verdict = IW_VERDICT_FAIL,
            .message = "sends a Terminate"},
        {"continued or refused", IW_CASE_REACTION_CONTINUE | IW_CASE_REACTION_REFUSE,
            .side = {REACHED, .replied = true, .rejected = true}, .verdict = IW_VERDICT_PASS, .message = ""},
        {"accepted, but not continued", IW_CASE_REACTION_CONTINUE | IW_CASE_REACTION_REFUSE,
            .side = {REACHED, .replied = true, .messages = 1}, .silent = true, .verdict = IW_VERDICT_FAIL,
            .message = "does not continue"},
        {"octets of another protocol after R=1", IW_CASE_REACTION_ABSTAIN,
            .side = {REACHED, .got_reject = true, .octets = 60, .startup_octets = 24},
            .verdict = IW_VERDICT_PASS, .message = ""},
        {"no message", IW_CASE_REACTION_ABSTAIN, .side = {REACHED}, .verdict = IW_VERDICT_PASS,
            .message = ""},
        {"octets of an unknown revision", IW_CASE_REACTION_ABSTAIN,
            .side = {REACHED, .octets = 60, .startup_octets = 24}, .verdict = IW_VERDICT_FAIL,
            .message = "sends messages"},
        {"a message", IW_CASE_REACTION_ABSTAIN, .side = {REACHED, .messages = 1}, .verdict = IW_VERDICT_FAIL,
            .message = "sends messages"},
    };

    (void)state;
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void the_other_device_closes_after_a_terminate(void **state) {
    static const struct row rows[] = {
        {"closes", IW_CASE_REACTION_CLOSE, .of_sender = true, .side = {.told = true, .fin = true},
            .verdict = IW_VERDICT_PASS, .message = ""},
        {"stays open", IW_CASE_REACTION_CLOSE, .of_sender = true, .side = {.told = true, .got_fin = true},
            .silent = true, .verdict = IW_VERDICT_FAIL, .message = "keeps the connection open"},
        {"both wait", IW_CASE_REACTION_CLOSE, .of_sender = true, .side = {.told = true}, .silent = true,
            .verdict = IW_VERDICT_INCONCLUSIVE,
            .message = "keeps the connection open, as the other device does"},
        {"its half stays open", IW_CASE_REACTION_CLOSE, .of_sender = true, .side = {.got_fin = true},
            .silent = true, .verdict = IW_VERDICT_INCONCLUSIVE,
            .message = "keeps its half of the connection open"},
        {"nothing reached it", IW_CASE_REACTION_CLOSE, .of_sender = true, .side = {.messages = 1},
            .silent = true, .verdict = IW_VERDICT_NOT_TESTED,
            .message = "neither a Terminate nor a close of the other device has reached it"},
        {"reset", IW_CASE_REACTION_CLOSE, .of_sender = true, .side = {.got_rst = true},
            .verdict = IW_VERDICT_NOT_TESTED, .message = "the other device has reset the connection"},
    };

    (void)state;
    check_rows(rows, sizeof rows / sizeof *rows);
}

/* What a device owes after the other one has refused a startup frame, it does not owe after it has accepted.
 */
static void the_sender_of_a_startup_frame_is_judged_by_what_the_other_device_did(void **state) {
    static const struct row rows[] = {
        {"refused", IW_CASE_REACTION_ABSTAIN, .of_sender = true, .side = {REACHED}, .other = {.fin = true},
            .verdict = IW_VERDICT_PASS, .message = ""},
        {"refused, and messages", IW_CASE_REACTION_ABSTAIN, .of_sender = true,
            .side = {REACHED, .messages = 1}, .other = {.fin = true}, .verdict = IW_VERDICT_FAIL,
            .message = "sends messages"},
        {"accepted, and messages", IW_CASE_REACTION_ABSTAIN, .of_sender = true,
            .side = {REACHED, .messages = 1}, .other = {.messages = 1}, .verdict = IW_VERDICT_NOT_TESTED,
            .message = "the other device has accepted the startup frame"},
        {"accepted, and what follows", IW_CASE_REACTION_TERMINATE, .of_sender = true, .detects = true,
            .side = {REACHED, .fin = true}, .other = {.startup_octets = 24, .octets = 70},
            .verdict = IW_VERDICT_FAIL, .message = "closes without a Terminate"},
        {"refused, and nothing follows", IW_CASE_REACTION_TERMINATE, .of_sender = true, .detects = true,
            .side = {REACHED, .fin = true}, .other = {.startup_octets = 24, .octets = 24, .fin = true},
            .verdict = IW_VERDICT_NOT_TESTED,
            .message = "the other device has sent nothing that it must report"},
    };

    (void)state;
    check_rows(rows, sizeof rows / sizeof *rows);
}

/* RFC 5040 6.2.1: after an error of MPA, the Terminate is a SHOULD. */
static void an_error_of_mpa_needs_a_close(void **state) {
    static const struct row rows[] = {
        {"closed", IW_CASE_REACTION_TERMINATE, .llp = true, .side = {REACHED, .got_fpdu = true, .fin = true},
            .verdict = IW_VERDICT_WARNING, .message = "closes without a Terminate"},
        {"closed, as it may not send yet", IW_CASE_REACTION_TERMINATE, .llp = true,
            .side = {REACHED, .fin = true}, .verdict = IW_VERDICT_PASS, .message = ""},
        {"it has taken the only FPDU", IW_CASE_REACTION_TERMINATE, .llp = true,
            .side = {REACHED, .replied = true, .messages = 1, .after = 1, .fin = true},
            .verdict = IW_VERDICT_FAIL, .message = "continues as after a valid FPDU"},
        {"an initiator may send", IW_CASE_REACTION_TERMINATE, .llp = true, .initiator = true,
            .side = {REACHED, .fin = true}, .verdict = IW_VERDICT_WARNING,
            .message = "closes without a Terminate"},
        {"last messages, and a close", IW_CASE_REACTION_TERMINATE, .llp = true,
            .side = {REACHED, .got_fpdu = true, .messages = 2, .after = 1, .fin = true},
            .verdict = IW_VERDICT_WARNING, .message = "closes without a Terminate"},
        {"it has taken the FPDU", IW_CASE_REACTION_TERMINATE, .llp = true,
            .side = {REACHED, .got_fpdu = true, .replied = true, .messages = 4, .after = 3, .fin = true},
            .verdict = IW_VERDICT_FAIL, .message = "continues, and closes without a Terminate"},
        {"the segment was dropped", IW_CASE_REACTION_TERMINATE, .llp = true, .side = {REACHED},
            .silent = true, .verdict = IW_VERDICT_INCONCLUSIVE,
            .message = "sends nothing more: it may have dropped the TCP segment"},
        {"open, and all was sent", IW_CASE_REACTION_TERMINATE, .llp = true,
            .side = {REACHED, .replied = true, .messages = 4}, .silent = true, .verdict = IW_VERDICT_FAIL,
            .message = "sends no Terminate"},
    };
    const struct iw_trial_result result =
        judge(&rows[0], (struct iw_impaired_facts){.opened = true, .impaired = true}, 0);

    (void)state;
    check_rows(rows, sizeof rows / sizeof *rows);
    assert_int_equal(result.severity, IW_SEVERITY_WARNING);
    assert_true(result.reason.reaction);
}

/* What has another cause, or may have one, is not charged to the impairment. */
static void another_cause_is_no_reaction(void **state) {
    static const struct row rows[] = {
        {"a Terminate in any case", IW_CASE_REACTION_TERMINATE,
            .side = {REACHED, .terminated = true, .error = 0x1100, .fin = true},
            .unimpaired = {.messages = 2, .terminated = true, .error = 0x1100},
            .verdict = IW_VERDICT_INCONCLUSIVE,
            .message = "sends a Terminate, as it does without the impairment"},
        {"an early Terminate", IW_CASE_REACTION_CONTINUE,
            .side = {REACHED, .terminated = true, .terminated_before = true, .fin = true},
            .verdict = IW_VERDICT_INCONCLUSIVE, .message = "sent a Terminate before the unit reached it"},
        {"it follows the other", IW_CASE_REACTION_CONTINUE,
            .side = {REACHED, .replied = true, .messages = 3, .got_fin = true, .followed = true, .fin = true},
            .other = {.fin = true}, .verdict = IW_VERDICT_INCONCLUSIVE,
            .message = "the other device ended the connection first"},
        {"it follows the other at once", IW_CASE_REACTION_TERMINATE,
            .side = {REACHED, .got_fin = true, .followed = true, .alone_ns = SHORT_NS, .fin = true},
            .verdict = IW_VERDICT_INCONCLUSIVE,
            .message = "closes without a Terminate, after the other device has ended the connection"},
        {"it follows the other late", IW_CASE_REACTION_TERMINATE,
            .side = {REACHED, .got_fin = true, .followed = true, .alone_ns = LONG_NS, .fin = true},
            .verdict = IW_VERDICT_FAIL, .message = "closes without a Terminate"},
        {"it always closes first", IW_CASE_REACTION_CONTINUE, .initiator = true,
            .side = {REACHED, .messages = 3, .fin = true, .life_ns = UINT64_C(500000000)},
            .unimpaired = {.messages = 5, .fin = true}, .verdict = IW_VERDICT_INCONCLUSIVE,
            .message = "sends less than without the impairment, and closes first, as it does without it"},
        {"it closes first, and at once", IW_CASE_REACTION_CONTINUE, .initiator = true,
            .side = {REACHED, .fin = true, .life_ns = UINT64_C(499999999)},
            .unimpaired = {.messages = 5, .fin = true}, .verdict = IW_VERDICT_FAIL,
            .message = "ends the connection"},
        {"it resets", IW_CASE_REACTION_CONTINUE, .initiator = true,
            .side = {REACHED, .messages = 3, .rst = true}, .unimpaired = {.messages = 5, .fin = true},
            .verdict = IW_VERDICT_FAIL, .message = "ends the connection"},
        {"it closes second without impairment", IW_CASE_REACTION_CONTINUE, .initiator = true,
            .side = {REACHED, .messages = 3, .fin = true},
            .unimpaired = {.messages = 5, .fin = true, .followed = true}, .verdict = IW_VERDICT_FAIL,
            .message = "ends the connection"},
        {"closed before", IW_CASE_REACTION_CONTINUE,
            .side = {REACHED, .messages = 3, .closed_before = true, .fin = true},
            .verdict = IW_VERDICT_INCONCLUSIVE, .message = "it had closed before the unit reached it"},
        {"cut at the deadline", IW_CASE_REACTION_CONTINUE, .side = {REACHED, .messages = 3}, .deadline = true,
            .verdict = IW_VERDICT_INCONCLUSIVE, .message = "the conversation had not ended at its deadline"},
        {"no Terminate at the deadline", IW_CASE_REACTION_TERMINATE, .side = {REACHED}, .deadline = true,
            .verdict = IW_VERDICT_INCONCLUSIVE, .message = "the conversation had not ended at its deadline"},
    };

    (void)state;
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void a_responder_accepts_the_connection_after_a_reset(void **state) {
    static const struct row rows[] = {
        {"of the sender", IW_CASE_REACTION_CONTINUE, .again = true, .of_sender = true,
            .side = {.reached = true}, .verdict = IW_VERDICT_FAIL, .message = "refuses the next connection"},
        {"of the receiver", IW_CASE_REACTION_CONTINUE, .again = true, .side = {.reached = true},
            .verdict = IW_VERDICT_FAIL, .message = "refuses the next connection"},
        {"the initiator", IW_CASE_REACTION_CONTINUE, .again = true, .initiator = true,
            .side = {.reached = true, .got_rst = true}, .verdict = IW_VERDICT_INCONCLUSIVE,
            .message = "the responder refuses the next connection"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct iw_trial_result result =
            judge(&rows[i], (struct iw_impaired_facts){.impaired = true}, 0);

        assert_int_equal(result.verdict, rows[i].verdict);
        assert_string_equal(result.reason.message, rows[i].message);
    }
}

static void what_was_not_impaired_is_not_judged(void **state) {
    static const struct row row = {.reactions = IW_CASE_REACTION_TERMINATE, .side = {REACHED, .fin = true}};
    struct iw_trial_result result = judge(&row, (struct iw_impaired_facts){.opened = true}, 0);

    (void)state;
    assert_int_equal(result.verdict, IW_VERDICT_INCONCLUSIVE);
    assert_string_equal(result.reason.message,
        "not impaired: the initiator sends nothing of the kind in this conversation; needed: Send");
    result = judge(&row, (struct iw_impaired_facts){.opened = true, .unfit = true}, 0);
    assert_string_equal(result.reason.message,
        "not impaired: what the initiator sends lacks what the rule changes; needed: Send");
    result = judge(&row, (struct iw_impaired_facts){.impaired = true}, IW_CASE_NEED_MARKERS);
    assert_int_equal(result.verdict, IW_VERDICT_NOT_APPLICABLE);
    assert_string_equal(result.reason.message, "the receiver of the unit does not request Markers");
    result = judge(&row, (struct iw_impaired_facts){.impaired = true}, IW_CASE_NEED_DEPTHS);
    assert_int_equal(result.verdict, IW_VERDICT_NOT_APPLICABLE);
}

static void expected_and_actual_name_error_and_clause(void **state) {
    static const struct row row = {.reactions = IW_CASE_REACTION_TERMINATE,
        .side = {REACHED, .terminated = true, .error = 0x1203, .messages = 1, .rst = true}};
    const struct iw_trial_result result = judge(&row, (struct iw_impaired_facts){.impaired = true}, 0);

    (void)state;
    assert_string_equal(result.reason.expected, "Terminate 2/0/02 (MPA CRC Error, RFC 5044 8)");
    assert_string_equal(result.reason.actual, "Terminate 1/2/03, 1 message, a RST");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_in_error_needs_its_terminate),
        cmocka_unit_test(without_proof_no_device_fails),
        cmocka_unit_test(what_must_be_ignored_changes_nothing),
        cmocka_unit_test(a_startup_frame_is_refused_or_accepted),
        cmocka_unit_test(the_other_device_closes_after_a_terminate),
        cmocka_unit_test(the_sender_of_a_startup_frame_is_judged_by_what_the_other_device_did),
        cmocka_unit_test(an_error_of_mpa_needs_a_close),
        cmocka_unit_test(another_cause_is_no_reaction),
        cmocka_unit_test(a_responder_accepts_the_connection_after_a_reset),
        cmocka_unit_test(what_was_not_impaired_is_not_judged),
        cmocka_unit_test(expected_and_actual_name_error_and_clause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
