#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_run.h"

/* The gate of the suite: each defect of the reference is found in each of its roles, by a case or else by a
 * rule (iw_defect_proof_test.c), and each case is failed by a defect. In memory, so that it takes no time,
 * but for what shows over TCP only. */

enum {
    CASES_MAX = 2048,
    CASES_AT_ONCE = 16,
};

struct gate {
    struct iw_catalogue catalogue;
    bool ever_failed[CASES_MAX]; /* by any defect */
    bool tried[CASES_MAX];       /* with the defect at hand */
    struct iw_case chosen[CASES_MAX];
    size_t index[CASES_MAX]; /* of each chosen one in the catalogue */
    size_t chosen_count;
    const struct iw_defect *defect; /* at hand */
    size_t last[2];                 /* that failed, by role */
    bool caught;                    /* a chosen case failed */
    unsigned errors;                /* cases that could not make sense of what a defect did */
};

/* Defects that no case catches, and why. Each breaks its requirement in a conversation of
 * iw_defect_proof_test.c all the same. */
static const struct survivor {
    const char *defect, *reason;
} survivors[] = {
    {"mulpdu-exceeded",
        "what the MULPDU is, the device knows alone: the EMSS of the loopback is larger than any"},
    {"marker-unchecked", "RFC 5044 8 lets a receiver leave Markers unchecked"},
};

static bool is_about(const struct iw_case *one, const struct iw_requirement *requirement) {
    for (size_t i = 0; i < one->requirement_count; i++)
        if (one->requirements[i] == requirement)
            return true;
    return false;
}

/* Of what is of SCTP no conversation of iw_defect_proof_test.c shows that it breaks the requirement that it
 * names: a failure has to be about that. */
static bool is_proof(const struct iw_trial_result *result, const struct iw_defect *defect) {
    const struct iw_requirement *requirement = &iw_requirements[defect->requirement];
    bool found = false;

    for (unsigned i = 0; i < result->kept_count; i++)
        found |= result->kept[i].requirement == requirement;
    return defect->of != IW_DEFECT_OF_SCTP || found || is_about(result->one, requirement);
}

static void take_result(void *user, const struct iw_trial_result *result) {
    struct gate *gate = user;
    size_t index = gate->index[result->one - gate->chosen];

    if (result->verdict == IW_VERDICT_ERROR) {
        print_error("%s: %s\n", result->one->id, result->message);
        gate->errors++;
    }
    if (result->verdict != IW_VERDICT_FAIL)
        return;
    gate->ever_failed[index] = true;
    gate->last[result->one->initiator] = index;
    gate->caught |= is_proof(result, gate->defect);
}

/* Whether one of the chosen cases fails with the defect. */
static bool run_chosen(struct gate *gate, const struct iw_defect *defect, bool simulated) {
    struct iw_catalogue catalogue = {.cases = gate->chosen, .count = gate->chosen_count};
    struct iw_run_counts counts;
    struct iw_run_config config = {.catalogue = &catalogue,
        .strict = true, /* what breaks a SHOULD is to be caught, too */
        .simulated = simulated,
        .jobs = 16,
        .defect = defect,
        .result = take_result,
        .user = gate};
    char error[256];

    gate->caught = false;
    gate->defect = defect;
    if (gate->chosen_count == 0)
        return false;
    assert_int_equal(iw_run(&config, &counts, error, sizeof error), IW_OK);
    return gate->caught;
}

enum choice {
    SAME_REQUIREMENT,
    ANY,
    UNFAILED, /* by any defect so far */
};

/* What is of SCTP shows over SCTP alone, and those cases need no other defect. */
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

/* From the last one on that failed: what catches a defect is often near to what caught the one before. */
static void choose(
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

/* By the likeliest cases first. */
static bool is_caught(struct gate *gate, const struct iw_defect *defect, bool initiator) {
    bool caught = false;

    memset(gate->tried, 0, sizeof gate->tried);
    for (enum choice choice = SAME_REQUIREMENT; choice <= ANY && !caught; choice++)
        do {
            choose(gate, defect, initiator, choice, CASES_AT_ONCE);
            caught |= run_chosen(gate, defect, true);
        } while (gate->chosen_count > 0 && !caught);
    return caught;
}

/* Between the network and memory the fate of octets before a reset differs, for one. */
static bool is_caught_over_tcp(struct gate *gate, const struct iw_defect *defect, bool initiator) {
    memset(gate->tried, 0, sizeof gate->tried);
    choose(gate, defect, initiator, ANY, CASES_MAX);
    return run_chosen(gate, defect, false);
}

static bool survives(const struct iw_defect *defect) {
    for (size_t i = 0; i < sizeof survivors / sizeof *survivors; i++)
        if (strcmp(survivors[i].defect, defect->name) == 0)
            return true;
    return false;
}

static void check_role(struct gate *gate, const struct iw_defect *defect, unsigned role, unsigned *wrong) {
    bool initiator = role == IW_DEFECT_INITIATOR;
    bool survivor = survives(defect);
    bool caught;

    if (!(defect->roles & role))
        return;
    caught = is_caught(gate, defect, initiator) || (!survivor && is_caught_over_tcp(gate, defect, initiator));
    if (caught != survivor)
        return;
    ++*wrong;
    print_error("%s as %s is caught by %s\n", defect->name, initiator ? "initiator" : "responder",
        caught ? "a case, though it is said to survive" : "no case");
}

static void every_defect_is_caught(void **state) {
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
    choose(gate, defect, initiator, UNFAILED, CASES_MAX);
    run_chosen(gate, defect, true);
}

/* After those above, which have failed most of them. */
static void every_case_is_failed_by_a_defect(void **state) {
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
        print_error("%s is failed by no defect\n", gate->catalogue.cases[i].id);
        wrong++;
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(gate->errors, 0);
}

static int load(void **state) {
    struct gate *gate = calloc(1, sizeof *gate);
    char error[256];

    if (iw_catalogue_init(&gate->catalogue, NULL, error, sizeof error) != IW_OK) {
        print_error("%s\n", error);
        return -1;
    }
    *state = gate;
    return gate->catalogue.count <= CASES_MAX ? 0 : -1;
}

static int unload(void **state) {
    struct gate *gate = *state;

    iw_catalogue_dispose(&gate->catalogue);
    free(gate);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_defect_is_caught),
        cmocka_unit_test(every_case_is_failed_by_a_defect),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
