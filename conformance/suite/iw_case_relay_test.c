#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_catalogue.h"
#include "iw_temporary_test.h"

enum { CONVERSATIONS_MIN = 60 };

/* Loads one case with this member `relay`. */
static enum iw_status load_relay(const char *relay, struct iw_catalogue *catalogue, char error[512]) {
    char folder[TEMPORARY_PATH], path[TEMPORARY_FILE];
    enum iw_status status;
    FILE *out;

    assert_non_null(mkdtemp(temporary_path(folder, "iw_case_relay_test")));
    snprintf(path, sizeof path, "%s/one.lua", folder);
    out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out,
        "return {{id='a', title='t', requirements={'RFC5044-4.4-13'}, role='responder', tier='relay', "
        "relay=%s}}",
        relay);
    fclose(out);
    status = iw_catalogue_init(catalogue, folder, error, 512);
    unlink(path);
    rmdir(folder);
    return status;
}

static void relay_has_the_members_of_its_table(void **state) {
    struct iw_catalogue catalogue;
    const struct iw_case_relay *relay;
    char error[512];

    (void)state;
    assert_int_equal(
        load_relay(
            "{conversation='c', rules={'at=send#2,direction=responder,flip=payload'}, repair='crc,markers', "
            "sender='responder', unit='Send', reactions={'terminate', 'continue'}, "
            "errors={'RFC5044-4.4-13', '1/1/04'}, needs={'crc'}, again=true, detects=true, llp=true}",
            &catalogue, error),
        IW_OK);
    relay = catalogue.cases[0].relay;
    assert_int_equal(catalogue.cases[0].tier, IW_CASE_TIER_RELAY);
    assert_string_equal(relay->conversation, "c");
    assert_int_equal(relay->rule_count, 1);
    assert_int_equal(relay->rules[0].nth, 2);
    assert_int_equal(relay->repair, IW_RELAY_REPAIR_CRC | IW_RELAY_REPAIR_MARKERS);
    assert_int_equal(relay->sender, IW_SIDE_B);
    assert_string_equal(relay->unit, "Send");
    assert_int_equal(relay->reactions, IW_CASE_REACTION_TERMINATE | IW_CASE_REACTION_CONTINUE);
    assert_int_equal(relay->error_count, 2);
    assert_int_equal(relay->errors[0], 0x2002); /* 2/0/02, RFC 5044 8: MPA CRC Error */
    assert_int_equal(relay->errors[1], 0x1104); /* 1/1/04, RFC 5041 7.2: Invalid DDP version */
    assert_int_equal(relay->needs, IW_CASE_NEED_CRC);
    assert_true(relay->again && relay->detects);
    iw_catalogue_dispose(&catalogue);
}

static void a_wrong_member_is_one_line(void **state) {
    static const struct {
        const char *relay, *error;
    } rows[] = {
        {"nil", "relay takes a table"},
        {"{}", "conversation takes a text"},
        {"{conversation='c'}", "sender takes a text"},
        {"{conversation='c', sender='both'}", "sender is \"initiator\" or \"responder\", not \"both\""},
        {"{conversation='c', sender='initiator', rules={'lose'}, unit='u'}",
            "rules: unknown impairment lose"},
        {"{conversation='c', sender='initiator', rules={'drop'}}", "unit takes a text"},
        {"{conversation='c', sender='initiator', repair='pad'}",
            "repair takes a list of length, crc and markers"},
        {"{conversation='c', sender='initiator'}", "no reaction"},
        {"{conversation='c', sender='initiator', reactions={'dies'}}", "unknown dies in reactions"},
        {"{conversation='c', sender='initiator', reactions={'terminate'}}",
            "errors goes with the reaction terminate"},
        {"{conversation='c', sender='initiator', reactions={'close'}, errors={'2/0/02'}}",
            "errors goes with the reaction terminate"},
        {"{conversation='c', sender='initiator', reactions={'terminate'}, errors={'9/9/99'}}",
            "errors: 9/9/99 has no Terminate"},
        {"{conversation='c', sender='initiator', reactions={'terminate'}, errors={'RFC5040-7-03'}}",
            "errors: RFC5040-7-03 has no Terminate"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct iw_catalogue catalogue;
        char error[512];

        assert_int_equal(load_relay(rows[i].relay, &catalogue, error), IW_ERR_FORMAT);
        if (strstr(error, rows[i].error) == NULL || strstr(error, "case a: ") == NULL ||
            strchr(error, '\n') != NULL)
            fail_msg("\"%s\" lacks \"%s\"", error, rows[i].error);
    }
}

/* Each conversation has two neighbouring cases, one for each device, with the same impairment. */
static void the_built_in_cases_come_in_pairs(void **state) {
    struct iw_catalogue catalogue;
    char error[512];

    (void)state;
    assert_int_equal(iw_catalogue_init_relay(&catalogue, error, sizeof error), IW_OK);
    assert_int_equal(catalogue.count % 2, 0);
    assert_true(catalogue.count / 2 > CONVERSATIONS_MIN);
    for (size_t i = 0; i < catalogue.count; i += 2) {
        const struct iw_case *initiator = &catalogue.cases[i], *responder = &catalogue.cases[i + 1];

        assert_true(initiator->initiator && !responder->initiator);
        assert_string_equal(initiator->relay->conversation, responder->relay->conversation);
        assert_int_equal(initiator->relay->rule_count, responder->relay->rule_count);
        for (size_t k = 0; k < initiator->relay->rule_count; k++)
            assert_string_equal(initiator->relay->rules[k].text, responder->relay->rules[k].text);
        assert_int_equal(initiator->relay->repair, responder->relay->repair);
        assert_int_equal(initiator->relay->sender, responder->relay->sender);
        assert_int_equal(initiator->relay->again, responder->relay->again);
    }
    iw_catalogue_dispose(&catalogue);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relay_has_the_members_of_its_table),
        cmocka_unit_test(a_wrong_member_is_one_line),
        cmocka_unit_test(the_built_in_cases_come_in_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
