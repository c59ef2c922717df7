#include <stdio.h>
#include <string.h>

#include "iw_diagnosis_part.h"

/* What ended the connection, or what still waits, comes before what only delayed it. */

/* Whether the cause had ended long before the connection did, so it explains a delay and not the end. A
 * Terminate or a rejecting Reply says itself what is wrong, and a delay is not that. */
static bool order_is_over(
    const struct iw_facts *facts, const struct iw_diagnosis *diagnosis, const struct iw_diagnosed *cause) {
    if (cause->cause->group != IW_CAUSE_SLOW)
        return false;
    return diagnosis->ending == IW_ENDING_TERMINATE || diagnosis->ending == IW_ENDING_REJECTED ||
           (cause->until_ns != 0 &&
               iw_diagnosis_age(facts, diagnosis, cause->until_ns) >= IW_DIAGNOSIS_HANG_NS);
}

bool iw_diagnosis_explains_end(const struct iw_facts *facts, const struct iw_diagnosis *diagnosis) {
    for (unsigned i = 0; i < diagnosis->count; i++)
        if (!order_is_over(facts, diagnosis, &diagnosis->causes[i]))
            return true;
    return false;
}

/* Says when it was over. */
static void order_put_over(
    const struct iw_facts *facts, const struct iw_diagnosis *diagnosis, struct iw_diagnosed *cause) {
    size_t used = strlen(cause->detail);

    if (cause->until_ns != 0 && diagnosis->ending != IW_ENDING_OPEN)
        snprintf(cause->detail + used, sizeof cause->detail - used, " It was over %.3f s before the end.",
            (double)iw_diagnosis_age(facts, diagnosis, cause->until_ns) / 1e9);
}

static void order_over_last(const struct iw_facts *facts, struct iw_diagnosis *diagnosis) {
    struct iw_diagnosed over[IW_DIAGNOSIS_CAUSES];
    unsigned kept = 0, moved = 0;

    for (unsigned i = 0; i < diagnosis->count; i++)
        if (order_is_over(facts, diagnosis, &diagnosis->causes[i]))
            over[moved++] = diagnosis->causes[i];
        else
            diagnosis->causes[kept++] = diagnosis->causes[i];
    for (unsigned i = 0; i < moved; i++) {
        order_put_over(facts, diagnosis, &over[i]);
        diagnosis->causes[kept++] = over[i];
    }
}

/* The causes become notes. */
static void order_note(struct iw_diagnosis *diagnosis) {
    for (unsigned i = 0; i < diagnosis->count && diagnosis->note_count < IW_DIAGNOSIS_NOTES; i++)
        diagnosis->notes[diagnosis->note_count++] = diagnosis->causes[i];
    diagnosis->count = 0;
}

void iw_diagnosis_order(const struct iw_facts *facts, struct iw_diagnosis *diagnosis) {
    order_over_last(facts, diagnosis);
    if (!iw_diagnosis_explains_end(facts, diagnosis) && iw_diagnosis_has_failed(facts, diagnosis))
        order_note(diagnosis);
}
