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
    bool silent;
    enum iw_verdict verdict;
    const char *message;
};

static struct iw_trial_result judge(const struct row *row, struct iw_impaired_facts facts, unsigned needs) {
    static struct iw_case_relay relay;
    static struct iw_case one;
    struct iw_trial_result result = {.one = &one, .severity = IW_SEVERITY_ERROR};

    relay = (struct iw_case_relay){.rule_count = 1,
        .sender = row->of_sender ? IW_SIDE_B : IW_SIDE_A,
        .unit = "Send",
        .reactions = row->reactions,
        .detects = row->detects,
        .needs = needs};
    if ((row->reactions & IW_CASE_REACTION_TERMINATE) != 0) {
        relay.errors[0] = 0x2002;
        relay.error_count = 1;
    }
    one = (struct iw_case){.id = "a", .tier = IW_CASE_TIER_RELAY, .relay = &relay};
    facts.sender = relay.sender;
    facts.sides[IW_SIDE_B] = row->side;
    facts.sides[IW_SIDE_A] = row->other;
    facts.silent = row->silent;
    facts.waited_ms = row->silent ? 2000 : 0;
    iw_impaired_verdict(&result, &facts, &unimpaired, &(struct iw_verdict_rules){.foreign = true});
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
        {"no close after it", IW_CASE_REACTION_TERMINATE,
            .side = {REACHED, .terminated = true, .error = 0x2002}, .silent = true,
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
        cmocka_unit_test(what_was_not_impaired_is_not_judged),
        cmocka_unit_test(expected_and_actual_name_error_and_clause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
