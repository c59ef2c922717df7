#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_exchange.h"

/* Each defect breaks the requirement that it names, in each of its roles, in some conversation in which
 * without it nothing is broken. */

static const enum iw_defect_role roles[] = {IW_DEFECT_INITIATOR, IW_DEFECT_RESPONDER};

static const char *role_name(enum iw_defect_role role) {
    return role == IW_DEFECT_INITIATOR ? "initiator" : "responder";
}

static void without_a_defect_nothing_is_broken(void **state) {
    static struct iw_exchange_outcome outcome;
    unsigned wrong = 0;

    (void)state;
    for (size_t i = 0; i < iw_exchange_count; i++)
        for (size_t j = 0; j < 2; j++) {
            if (!(iw_exchanges[i].roles & roles[j]))
                continue;
            iw_exchange_hold(&iw_exchanges[i], roles[j], NULL, &outcome);
            if (outcome.said[0][0] == '\0' && !outcome.deviated)
                continue;
            print_error("%s as %s: %s%s\n", iw_exchanges[i].name, role_name(roles[j]), outcome.said[0],
                outcome.said[1]);
            wrong++;
        }
    assert_int_equal(wrong, 0);
}

/* Whoever says only what is right is not blamed, whatever the other side does. */
static void check_probe(
    const struct iw_exchange *talk, const char *defect, const struct iw_exchange_outcome *outcome) {
    bool right =
        talk->wrong.words == NULL && talk->octets == NULL && talk->probe_says < IW_EXCHANGE_FIRST_WRONG;

    for (size_t i = 0; right && i < IW_REQUIREMENT_COUNT; i++)
        if (outcome->blamed[i])
            fail_msg("in %s with the defect %s the other side is blamed: %s", talk->name, defect,
                outcome->said[1]);
}

/* What breaks anything has come to act. */
static void check_deviation(const struct iw_exchange *talk, const struct iw_defect *defect,
    const struct iw_exchange_outcome *outcome) {
    if (outcome->said[0][0] != '\0' && iw_defect_told(defect) && !outcome->deviated)
        fail_msg("in %s the defect %s is said not to have come to act: %s", talk->name, defect->name,
            outcome->said[0]);
}

/* Whether it shows in the conversation. */
static bool shows(const struct iw_defect *defect, enum iw_defect_role role, const struct iw_exchange *talk) {
    static struct iw_exchange_outcome outcome;

    if (!(talk->roles & role))
        return false;
    iw_exchange_hold(talk, role, defect, &outcome);
    if (getenv("WARPCHECK_DEFECT"))
        print_message("%s as %s: %s%s\n", talk->name, role_name(role), outcome.said[0], outcome.said[1]);
    check_probe(talk, defect->name, &outcome);
    check_deviation(talk, defect, &outcome);
    return outcome.broken[defect->requirement];
}

/* Neighbours in the table tend to show in the same conversation, so that comes first. */
static bool proven(const struct iw_defect *defect, enum iw_defect_role role) {
    static size_t last;

    for (size_t i = 0; i < iw_exchange_count; i++)
        if (shows(defect, role, &iw_exchanges[(last + i) % iw_exchange_count])) {
            last = (last + i) % iw_exchange_count;
            return true;
        }
    return false;
}

/* Those of SCTP, which no TCP connection shows, the gate of the suite proves (iw_gate_test.c). For who looks
 * for the reason, the environment may name one. */
static bool is_meant(const struct iw_defect *defect) {
    const char *name = getenv("WARPCHECK_DEFECT");

    if (defect->of == IW_DEFECT_OF_SCTP)
        return false;
    return name == NULL || strcmp(name, defect->name) == 0;
}

static void every_defect_breaks_what_it_names(void **state) {
    unsigned unproven = 0;

    (void)state;
    for (size_t i = 0; i < iw_defect_count; i++)
        for (size_t j = 0; j < 2 && is_meant(&iw_defects[i]); j++) {
            if (!(iw_defects[i].roles & roles[j]) || proven(&iw_defects[i], roles[j]))
                continue;
            print_error("%s as %s does not break %s\n", iw_defects[i].name, role_name(roles[j]),
                iw_requirements[iw_defects[i].requirement].id);
            unproven++;
        }
    assert_int_equal(unproven, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_defect_nothing_is_broken),
        cmocka_unit_test(every_defect_breaks_what_it_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
