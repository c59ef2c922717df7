#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_exchange.h"

/* Each defect breaks its requirement, in each of its roles, in at least one exchange; without a defect, no
 * exchange breaks any. */

static const enum iw_defect_role roles[] = {IW_DEFECT_INITIATOR, IW_DEFECT_RESPONDER};

static const char *role_name(enum iw_defect_role role) {
    return role == IW_DEFECT_INITIATOR ? "initiator" : "responder";
}

static void endpoint_without_defect_breaks_nothing(void **state) {
    static struct iw_exchange_outcome outcome;
    unsigned wrong = 0;

    (void)state;
    for (size_t i = 0; i < iw_exchange_count; i++)
        for (size_t j = 0; j < 2; j++) {
            if (!(iw_exchanges[i].roles & roles[j]))
                continue;
            iw_exchange_hold(&iw_exchanges[i], roles[j], NULL, &outcome);
            if (outcome.report[0][0] == '\0' && !outcome.deviated)
                continue;
            print_error("%s as %s: %s%s\n", iw_exchanges[i].name, role_name(roles[j]), outcome.report[0],
                outcome.report[1]);
            wrong++;
        }
    assert_int_equal(wrong, 0);
}

/* A conforming probe has no findings, whatever the subject does. */
static void check_probe(
    const struct iw_exchange *exchange, const char *defect, const struct iw_exchange_outcome *outcome) {
    bool right = exchange->wrong.words == NULL && exchange->octets == NULL &&
                 exchange->probe_sends < IW_EXCHANGE_FIRST_WRONG;

    for (size_t i = 0; right && i < IW_REQUIREMENT_COUNT; i++)
        if (outcome->blamed[i])
            fail_msg("in %s with the defect %s the probe has findings: %s", exchange->name, defect,
                outcome->report[1]);
}

/* A defect that breaks a requirement must have set `deviated`. */
static void check_deviation(const struct iw_exchange *exchange, const struct iw_defect *defect,
    const struct iw_exchange_outcome *outcome) {
    if (outcome->report[0][0] != '\0' && iw_defect_sets_deviated(defect) && !outcome->deviated)
        fail_msg(
            "in %s the defect %s has not set deviated: %s", exchange->name, defect->name, outcome->report[0]);
}

/* Whether the exchange shows the defect. */
static bool shows(
    const struct iw_defect *defect, enum iw_defect_role role, const struct iw_exchange *exchange) {
    static struct iw_exchange_outcome outcome;

    if (!(exchange->roles & role))
        return false;
    iw_exchange_hold(exchange, role, defect, &outcome);
    if (getenv("WARPCHECK_DEFECT"))
        print_message(
            "%s as %s: %s%s\n", exchange->name, role_name(role), outcome.report[0], outcome.report[1]);
    check_probe(exchange, defect->name, &outcome);
    check_deviation(exchange, defect, &outcome);
    return outcome.broken[defect->requirement];
}

/* Tries the last successful exchange first: it often shows the next defects in the table, too. */
static bool is_proven(const struct iw_defect *defect, enum iw_defect_role role) {
    static size_t last;

    for (size_t i = 0; i < iw_exchange_count; i++)
        if (shows(defect, role, &iw_exchanges[(last + i) % iw_exchange_count])) {
            last = (last + i) % iw_exchange_count;
            return true;
        }
    return false;
}

/* iw_gate_test.c proves defects of SCTP and of whole devices, which no single TCP connection shows.
 * WARPCHECK_DEFECT selects a single defect for debugging. */
static bool defect_is_selected(const struct iw_defect *defect) {
    const char *name = getenv("WARPCHECK_DEFECT");

    if (defect->of == IW_DEFECT_OF_SCTP || defect->of == IW_DEFECT_OF_DEVICE)
        return false;
    return name == NULL || strcmp(name, defect->name) == 0;
}

static void every_defect_breaks_its_requirement(void **state) {
    unsigned unproven = 0;

    (void)state;
    for (size_t i = 0; i < iw_defect_count; i++)
        for (size_t j = 0; j < 2 && defect_is_selected(&iw_defects[i]); j++) {
            if (!(iw_defects[i].roles & roles[j]) || is_proven(&iw_defects[i], roles[j]))
                continue;
            print_error("%s as %s does not break %s\n", iw_defects[i].name, role_name(roles[j]),
                iw_requirements[iw_defects[i].requirement].id);
            unproven++;
        }
    assert_int_equal(unproven, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endpoint_without_defect_breaks_nothing),
        cmocka_unit_test(every_defect_breaks_its_requirement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
