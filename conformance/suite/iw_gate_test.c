#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_run.h"

/* The gate of the suite: a case, or else a rule (iw_defect_proof_test.c), detects each defect of the
 * reference in each of its roles; and each case fails with a defect. Runs in memory with virtual time, except
 * for what only TCP shows. */

enum {
    CASES_MAX = 2048,
    CASES_AT_ONCE = 16,
};

struct gate {
    struct iw_catalogue catalogue;
    bool ever_failed[CASES_MAX]; /* with any defect */
    bool tried[CASES_MAX];       /* with the current defect */
    struct iw_case chosen[CASES_MAX];
    size_t index[CASES_MAX]; /* of each selected case in the catalogue */
    size_t chosen_count;
    const struct iw_defect *defect; /* the current one */
    size_t last[2];                 /* index of the case that failed last, by role */
    bool detected;                  /* a selected case failed */
    unsigned errors;                /* cases with an error caused by a defect */
};

/* Defects that no case detects, and why. An exchange of iw_defect_proof_test.c proves that each breaks
 * its requirement. */
static const struct undetected {
    const char *defect, *reason;
} undetected_defects[] = {
    {"mulpdu-exceeded", "only the device knows its MULPDU: the EMSS of the loopback exceeds every MULPDU"},
    {"marker-unchecked", "RFC 5044 8 lets a receiver leave Markers unchecked"},
};

static bool is_about(const struct iw_case *one, const struct iw_requirement *requirement) {
    for (size_t i = 0; i < one->requirement_count; i++)
        if (one->requirements[i] == requirement)
            return true;
    return false;
}

/* iw_defect_proof_test.c has no exchange for defects of SCTP and of whole devices, so the failure must name
 * the requirement of the defect. */
static bool is_proof(const struct iw_trial_result *result, const struct iw_defect *defect) {
    const struct iw_requirement *requirement = &iw_requirements[defect->requirement];
    bool elsewhere = defect->of != IW_DEFECT_OF_SCTP && defect->of != IW_DEFECT_OF_DEVICE;
    bool found = false;

    for (unsigned i = 0; i < result->findings.kept_count; i++)
        found |= result->findings.kept[i].requirement == requirement;
    return elsewhere || found || is_about(result->one, requirement);
}

static void gate_result(void *user, const struct iw_trial_result *result) {
    struct gate *gate = user;
    size_t index = gate->index[result->one - gate->chosen];

    if (result->verdict == IW_VERDICT_ERROR) {
        print_error("%s: %s\n", result->one->id, result->reason.message);
        gate->errors++;
    }
    if (result->verdict != IW_VERDICT_FAIL)
        return;
    gate->ever_failed[index] = true;
    gate->last[result->one->initiator] = index;
    gate->detected |= is_proof(result, gate->defect);
}

/* Whether a selected case fails with the defect. */
static bool run_chosen(struct gate *gate, const struct iw_defect *defect, bool simulated) {
    struct iw_catalogue catalogue = {.cases = gate->chosen, .count = gate->chosen_count};
    struct iw_run_counts counts;
    struct iw_run_config config = {.catalogue = &catalogue,
        .strict = true, /* defects that break a SHOULD count, too */
        .simulated = simulated,
        .jobs = 16,
        .target.defect = defect,
        .handlers.result = gate_result,
        .handlers.user = gate};
    char error[256];

    gate->detected = false;
    gate->defect = defect;
    if (gate->chosen_count == 0)
        return false;
    assert_int_equal(iw_run(&config, &counts, error, sizeof error), IW_OK);
    return gate->detected;
}

enum choice {
    SAME_REQUIREMENT,
    ANY,
    UNFAILED, /* no defect has failed the case so far */
};

/* Defects of SCTP are tried with the cases over SCTP only, other defects with the other cases only. */
static bool is_for(const struct iw_case *one, const struct iw_defect *defect) {
    return iw_case_claims(one, "sctp") == (defect->of == IW_DEFECT_OF_SCTP);
}

static bool is_choice(
    const struct gate *gate, size_t index, const struct iw_defect *defect, enum choice choice) {
    const struct iw_case *one = &gate->catalogue.cases[index];

    if (choice == UNFAILED)
        return !gate->ever_failed[index];
    return choice == ANY || is_about(one, &iw_requirements[defect->requirement]);
}

/* Starts at the case that failed last: neighbouring defects tend to fail neighbouring cases. */
static void select_cases(
    struct gate *gate, const struct iw_defect *defect, bool initiator, enum choice choice, size_t most) {
    size_t first = gate->last[initiator];

    gate->chosen_count = 0;
    for (size_t i = 0; i < gate->catalogue.count && gate->chosen_count < most; i++) {
        size_t index = (first + i) % gate->catalogue.count;

        if (gate->catalogue.cases[index].initiator != initiator || gate->tried[index] ||
            !is_for(&gate->catalogue.cases[index], defect) || !is_choice(gate, index, defect, choice))
            continue;
        gate->tried[index] = true;
        gate->index[gate->chosen_count] = index;
        gate->chosen[gate->chosen_count++] = gate->catalogue.cases[index];
    }
}

/* Tries the most likely cases first. */
static bool is_detected(struct gate *gate, const struct iw_defect *defect, bool initiator) {
    bool detected = false;

    memset(gate->tried, 0, sizeof gate->tried);
    for (enum choice choice = SAME_REQUIREMENT; choice <= ANY && !detected; choice++)
        do {
            select_cases(gate, defect, initiator, choice, CASES_AT_ONCE);
            detected |= run_chosen(gate, defect, true);
        } while (gate->chosen_count > 0 && !detected);
    return detected;
}

/* TCP and memory differ, for example in which octets arrive before a reset. */
static bool is_detected_over_tcp(struct gate *gate, const struct iw_defect *defect, bool initiator) {
    memset(gate->tried, 0, sizeof gate->tried);
    select_cases(gate, defect, initiator, ANY, CASES_MAX);
    return run_chosen(gate, defect, false);
}

static bool is_undetected(const struct iw_defect *defect) {
    for (size_t i = 0; i < sizeof undetected_defects / sizeof *undetected_defects; i++)
        if (strcmp(undetected_defects[i].defect, defect->name) == 0)
            return true;
    return false;
}

static void check_role(struct gate *gate, const struct iw_defect *defect, unsigned role, unsigned *wrong) {
    bool initiator = role == IW_DEFECT_INITIATOR;
    bool undetected = is_undetected(defect);
    bool detected;

    if (!(defect->roles & role))
        return;
    detected = is_detected(gate, defect, initiator) ||
               (!undetected && is_detected_over_tcp(gate, defect, initiator));
    if (detected != undetected)
        return;
    ++*wrong;
    print_error("%s as %s is detected by %s\n", defect->name, initiator ? "initiator" : "responder",
        detected ? "a case, although it is listed as undetected" : "no case");
}

static void every_defect_is_detected(void **state) {
    const struct gate *gate = *state;
    unsigned wrong = 0;

    for (size_t i = 0; i < iw_defect_count; i++) {
        check_role(*state, &iw_defects[i], IW_DEFECT_RESPONDER, &wrong);
        check_role(*state, &iw_defects[i], IW_DEFECT_INITIATOR, &wrong);
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(gate->errors, 0);
}

static void fail_unfailed(struct gate *gate, const struct iw_defect *defect, bool initiator) {
    memset(gate->tried, 0, sizeof gate->tried);
    select_cases(gate, defect, initiator, UNFAILED, CASES_MAX);
    run_chosen(gate, defect, true);
}

/* Runs after the test above, in which most cases have failed already. */
static void every_case_fails_with_a_defect(void **state) {
    struct gate *gate = *state;
    unsigned wrong = 0;

    for (size_t i = 0; i < iw_defect_count; i++) {
        if (iw_defects[i].roles & IW_DEFECT_RESPONDER)
            fail_unfailed(gate, &iw_defects[i], false);
        if (iw_defects[i].roles & IW_DEFECT_INITIATOR)
            fail_unfailed(gate, &iw_defects[i], true);
    }
    for (size_t i = 0; i < gate->catalogue.count; i++) {
        if (gate->ever_failed[i])
            continue;
        print_error("%s: no defect fails it\n", gate->catalogue.cases[i].id);
        wrong++;
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(gate->errors, 0);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_defect_is_detected),
        cmocka_unit_test(every_case_fails_with_a_defect),
    };
    return cmocka_run_group_tests(tests, load_gate, unload_gate);
}
