#include <glob.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_builtin.h"
#include "iw_run.h"
#include "iw_temporary_test.h"

/* The reference conforms with any claims, and the cases for its defects detect them. Runs in memory with
 * virtual time. iw_gate_test.c shows that every defect is detected, and that every case can fail. */

enum { CASES_MAX = 2048 };

struct gate {
    struct iw_catalogue catalogue;
    struct iw_run_counts counts;
    bool ran[CASES_MAX];    /* by case */
    bool failed[CASES_MAX]; /* in the last run */
};

static void gate_result(void *user, const struct iw_trial_result *result) {
    struct gate *gate = user;
    size_t index = (size_t)(result->one - gate->catalogue.cases);

    gate->ran[index] = true;
    gate->failed[index] = result->verdict == IW_VERDICT_FAIL;
    if (result->verdict == IW_VERDICT_ERROR)
        print_error("%s: %s\n", result->one->id, result->reason.message);
}

static void run_with(struct gate *gate, const char *defect) {
    struct iw_run_config config = {.catalogue = &gate->catalogue,
        .strict = true,
        .simulated = true,
        .jobs = 8,
        .handlers.result = gate_result,
        .handlers.user = gate};
    char error[256];

    config.target.defect = defect ? iw_defect_find(defect) : NULL;
    assert_int_equal(iw_run(&config, &gate->counts, error, sizeof error), IW_OK);
    assert_int_equal(gate->counts.cases, gate->catalogue.count);
    assert_int_equal(gate->counts.verdicts[IW_VERDICT_ERROR], 0);
    assert_int_equal(gate->counts.verdicts[IW_VERDICT_INCONCLUSIVE], 0);
}

static size_t index_of(const struct gate *gate, const char *id) {
    size_t index = 0;

    while (index < gate->catalogue.count && strcmp(gate->catalogue.cases[index].id, id) != 0)
        index++;
    assert_true(index < gate->catalogue.count);
    return index;
}

static bool case_failed(const struct gate *gate, const char *id) {
    return gate->failed[index_of(gate, id)];
}

static int load_gate(void **state) {
    struct gate *gate = calloc(1, sizeof *gate);
    char error[256];

    if (iw_catalogue_init(&gate->catalogue, NULL, error, sizeof error) != IW_OK) {
        print_error("%s\n", error);
        return -1;
    }
    *state = gate;
    return gate->catalogue.count <= CASES_MAX ? 0 : -1;
}

static int unload_gate(void **state) {
    struct gate *gate = *state;

    iw_catalogue_dispose(&gate->catalogue);
    free(gate);
    return 0;
}

static void reference_conforms(void **state) {
    struct gate *gate = *state;

    assert_true(gate->catalogue.count >= 25);
    run_with(gate, NULL);
    /* rping-client-037 needs an rping that asks for Markers. */
    assert_int_equal(gate->counts.verdicts[IW_VERDICT_NOT_APPLICABLE], 1);
    assert_int_equal(gate->counts.verdicts[IW_VERDICT_PASS], gate->catalogue.count - 1);
    assert_int_equal(gate->counts.wrong_closes, 0);
    assert_int_equal(iw_run_exit(&gate->counts, false), IW_EXIT_CONFORMS);
}

/* TCP and memory differ in which octets arrive before a reset. */
static void reset_is_detected_over_tcp(void **state) {
    struct gate *gate = *state;
    char error[256];
    struct iw_pattern *only = iw_pattern_new("^(mpa-fpdu-007|rdma-terminate-008)$", error, sizeof error);
    struct iw_run_config config = {.catalogue = &gate->catalogue,
        .selection.only = only,
        .target.defect = iw_defect_find("close-reset"),
        .jobs = 2,
        .handlers.result = gate_result,
        .handlers.user = gate};

    assert_int_equal(iw_run(&config, &gate->counts, error, sizeof error), IW_OK);
    iw_pattern_free(only);
    assert_int_equal(gate->counts.cases, 2);
    assert_true(case_failed(gate, "mpa-fpdu-007"));
    /* a SHOULD: the close is wrong, but the case passes */
    assert_false(case_failed(gate, "rdma-terminate-008"));
    assert_int_equal(gate->counts.wrong_closes, 2);
}

static bool has_case(const struct iw_catalogue *catalogue, const struct iw_requirement *requirement) {
    for (size_t i = 0; i < catalogue->count; i++)
        for (size_t j = 0; j < catalogue->cases[i].requirement_count; j++)
            if (catalogue->cases[i].requirements[j] == requirement)
                return true;
    return false;
}

/* A requirement that needs a stimulus has a case; one that no traffic shows has the reason in the table. */
static void requirement_has_case_or_reason(void **state) {
    const struct gate *gate = *state;

    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++) {
        const struct iw_requirement *row = &iw_requirements[i];

        if (row->visibility == IW_VISIBILITY_ACTIVE && !has_case(&gate->catalogue, row))
            fail_msg("no case for %s", row->id);
        if (row->visibility > IW_VISIBILITY_ACTIVE && row->why[0] == '\0')
            fail_msg("no reason for %s", row->id);
    }
}

static void wrong_crc_fails_crc_cases(void **state) {
    struct gate *gate = *state;

    run_with(gate, "crc-wrong");
    assert_true(case_failed(gate, "mpa-crc-005"));
    assert_true(case_failed(gate, "rdma-read-001"));
    assert_true(case_failed(gate, "rdma-send-005"));
    /* without an FPDU of the device there is no CRC to check */
    assert_false(case_failed(gate, "mpa-startup-001"));
    assert_false(case_failed(gate, "mpa-crc-004"));
    assert_false(case_failed(gate, "rdma-send-001"));
    assert_false(case_failed(gate, "rdma-write-001"));
}

static void wrong_msn_fails_msn_cases(void **state) {
    struct gate *gate = *state;

    run_with(gate, "msn-wrong");
    assert_true(case_failed(gate, "rdma-send-005"));
    assert_true(case_failed(gate, "rdma-read-016"));
    assert_true(case_failed(gate, "rdma-terminate-007"));
    /* a Read Response is tagged, and has no MSN */
    assert_false(case_failed(gate, "rdma-read-001"));
    assert_false(case_failed(gate, "mpa-crc-005"));
    assert_false(case_failed(gate, "rdma-send-001"));
}

static void missing_terminate_fails_cases_that_expect_it(void **state) {
    struct gate *gate = *state;

    run_with(gate, "terminate-swallowed");
    assert_true(case_failed(gate, "mpa-crc-001"));
    assert_true(case_failed(gate, "rdma-send-007"));
    assert_true(case_failed(gate, "rdma-write-004"));
    assert_true(case_failed(gate, "rdma-read-007"));
    assert_true(case_failed(gate, "rdma-terminate-003"));
    assert_false(case_failed(gate, "rdma-terminate-001"));
    assert_false(case_failed(gate, "rdma-send-001"));
    assert_false(case_failed(gate, "rdma-read-001"));
}

static void patterns_select_cases(void **state) {
    struct gate *gate = *state;
    char error[256];
    struct iw_pattern *only = iw_pattern_new("^mpa-crc", error, sizeof error);
    struct iw_pattern *skip = iw_pattern_new("RFC5044-6-01", error, sizeof error);
    struct iw_run_config config = {.catalogue = &gate->catalogue,
        .selection.only = only,
        .selection.skip = skip,
        .simulated = true,
        .jobs = 8,
        .handlers.result = gate_result,
        .handlers.user = gate};

    memset(gate->ran, 0, sizeof gate->ran);
    assert_int_equal(iw_run(&config, &gate->counts, error, sizeof error), IW_OK);
    assert_true(gate->ran[index_of(gate, "mpa-crc-001")]);
    assert_false(gate->ran[index_of(gate, "mpa-crc-003")]);
    assert_false(gate->ran[index_of(gate, "rdma-send-001")]);
    iw_pattern_free(only);
    iw_pattern_free(skip);
    assert_null(iw_pattern_new("(", error, sizeof error));
    assert_non_null(strstr(error, "'('"));
}

static void case_without_claim_does_not_apply(void **state) {
    static const char *const without[] = {"markers"};
    struct gate *gate = *state;
    char error[256];
    struct iw_pattern *only = iw_pattern_new("^mpa-marker-001$", error, sizeof error);
    struct iw_run_config config = {.catalogue = &gate->catalogue,
        .selection.only = only,
        .claims = {.without = without, .without_count = 1},
        .simulated = true,
        .jobs = 1};

    (void)gate;
    assert_int_equal(iw_run(&config, &gate->counts, error, sizeof error), IW_OK);
    iw_pattern_free(only);
    assert_int_equal(gate->counts.cases, 1);
    assert_int_equal(gate->counts.verdicts[IW_VERDICT_NOT_APPLICABLE], 1);
}

/* Devices with fewer claims, which support only those: each conforms. */
static void reference_conforms_with_fewer_claims(void **state) {
    struct gate *gate = *state;

    assert_true(iw_builtin_profile_count >= 8);
    for (size_t i = 0; i < iw_builtin_profile_count; i++) {
        struct iw_profile profile;
        struct iw_run_config config = {.catalogue = &gate->catalogue,
            .claims.profile = &profile,
            .simulated = true,
            .jobs = 8,
            .handlers.result = gate_result,
            .handlers.user = gate};
        char name[64], error[256];

        snprintf(name, sizeof name, "%.*s", (int)strcspn(iw_builtin_profiles[i].name, "."),
            iw_builtin_profiles[i].name);
        assert_int_equal(iw_profile_load(&profile, name, error, sizeof error), IW_OK);
        assert_int_equal(iw_run(&config, &gate->counts, error, sizeof error), IW_OK);
        for (size_t j = 0; j < gate->catalogue.count; j++)
            if (gate->failed[j])
                print_error("%s fails with the profile %s\n", gate->catalogue.cases[j].id, name);
        assert_int_equal(
            gate->counts.verdicts[IW_VERDICT_PASS] + gate->counts.verdicts[IW_VERDICT_NOT_APPLICABLE],
            gate->catalogue.count);
        assert_int_equal(gate->counts.wrong_closes, 0);
        assert_int_equal(gate->counts.contradictions, 0);
        assert_true(gate->counts.verdicts[IW_VERDICT_PASS] >= 100); /* cases without extensions */
        if (strcmp(name, "rev-1") == 0 || strcmp(name, "no-markers") == 0 || strcmp(name, "responder") == 0)
            assert_true(gate->counts.verdicts[IW_VERDICT_NOT_APPLICABLE] > 0);
    }
}

/* RFC 5044 7.1.2: the responder SHOULD abandon an incomplete Request. */
static void unmet_should_is_a_warning(void **state) {
    struct gate *gate = *state;
    char error[256];
    struct iw_pattern *only = iw_pattern_new("^mpa-startup-013$", error, sizeof error);
    struct iw_run_config config = {.catalogue = &gate->catalogue,
        .selection.only = only,
        .target.defect = iw_defect_find("startup-patient"),
        .simulated = true,
        .jobs = 1,
        .handlers.result = gate_result,
        .handlers.user = gate};

    assert_int_equal(iw_run(&config, &gate->counts, error, sizeof error), IW_OK);
    assert_int_equal(gate->counts.verdicts[IW_VERDICT_WARNING], 1);
    assert_int_equal(iw_run_exit(&gate->counts, false), IW_EXIT_CONFORMS);
    config.strict = true;
    assert_int_equal(iw_run(&config, &gate->counts, error, sizeof error), IW_OK);
    iw_pattern_free(only);
    assert_int_equal(gate->counts.verdicts[IW_VERDICT_FAIL], 1);
    assert_int_equal(iw_run_exit(&gate->counts, false), IW_EXIT_VIOLATIONS);
}

static void empty_selection_is_an_error(void **state) {
    struct gate *gate = *state;
    char error[256];
    struct iw_pattern *only = iw_pattern_new("no such case", error, sizeof error);
    struct iw_run_config config = {
        .catalogue = &gate->catalogue, .selection.only = only, .simulated = true, .jobs = 1};

    assert_int_equal(iw_run(&config, &gate->counts, error, sizeof error), IW_OK);
    iw_pattern_free(only);
    assert_int_equal(iw_run_exit(&gate->counts, false), IW_EXIT_ENVIRONMENT);
}

static void expect_no_capture(void *user, const struct iw_run_begin *begin) {
    glob_t found;
    char *pattern = user;

    (void)begin;
    assert_int_equal(glob(pattern, 0, NULL, &found), GLOB_NOMATCH);
    *pattern = '\0';
}

/* The captures of the first cases may fill the disk. */
static void a_run_in_memory_begins_before_the_first_capture(void **state) {
    struct gate *gate = *state;
    char folder[TEMPORARY_PATH], pattern[TEMPORARY_FILE], error[256];
    struct iw_pattern *only = iw_pattern_new("^mpa-fpdu-00", error, sizeof error);
    struct iw_run_config config = {.catalogue = &gate->catalogue,
        .selection.only = only,
        .simulated = true,
        .jobs = 8,
        .folder = mkdtemp(temporary_path(folder, "iw_run_test")),
        .handlers.begin = expect_no_capture,
        .handlers.user = pattern};

    snprintf(pattern, sizeof pattern, "%s/*", folder);
    assert_int_equal(iw_run(&config, &gate->counts, error, sizeof error), IW_OK);
    iw_pattern_free(only);
    assert_string_equal(pattern, "");
    assert_true(temporary_remove(folder));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_conforms),
        cmocka_unit_test(reset_is_detected_over_tcp),
        cmocka_unit_test(requirement_has_case_or_reason),
        cmocka_unit_test(wrong_crc_fails_crc_cases),
        cmocka_unit_test(wrong_msn_fails_msn_cases),
        cmocka_unit_test(missing_terminate_fails_cases_that_expect_it),
        cmocka_unit_test(patterns_select_cases),
        cmocka_unit_test(case_without_claim_does_not_apply),
        cmocka_unit_test(reference_conforms_with_fewer_claims),
        cmocka_unit_test(unmet_should_is_a_warning),
        cmocka_unit_test(empty_selection_is_an_error),
        cmocka_unit_test(a_run_in_memory_begins_before_the_first_capture),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, load_gate, unload_gate);
}
