#include "iw_rules.h"

#include <inttypes.h>

/* Rules about STags: whether one STag lets a peer guess the next (RFC 5040 8.1.1). No capture shows whether
 * an STag is valid: its owner may reuse it at any time, for any connection or none (RFC 5041 2.3). */

/* The ULP may choose the last eight bits. Random STags practically never have seven equal or small steps. */
enum { INDEX_BITS = 24, STEPS_MAX = 7, NEAR_MAX = 4096 };
#define NO_STEP UINT32_MAX /* the step of the first STag */

/* `step` is the difference from the previous STag in the first 24 bits, modulo 2^24. */
IW_COLD static void stag_row_report(struct iw_judge *judge, const struct iw_stag_use *use,
    enum iw_requirement_id id, const char *expected, uint32_t step, const char *how) {
    uint32_t down = (1u << INDEX_BITS) - step;

    iw_judge_report(judge, id, use->field, "The eighth STag in a row", expected,
        "0x%08" PRIx32 ", in the first 24 bits 0x%" PRIx32 " %s the previous one, %s", use->life->stag,
        down < step ? down : step, down < step ? "below" : "above", how);
}

/* Takes the next new STag of a side's own Read Requests into its row. STags of a side that its peer names are
 * not taken: they may be guesses. */
static void stag_row_take(struct iw_judge *judge, const struct iw_stag_use *use) {
    struct iw_stag_row *row = &judge->party[use->owner].row;
    uint32_t index = use->life->stag >> 8;
    uint32_t step = (index - row->index) & ((1u << INDEX_BITS) - 1);

    if (row->step == 0)
        step = NO_STEP;
    if (step == 0)
        return;
    row->equal_steps = step == row->step ? (uint8_t)(row->equal_steps % STEPS_MAX + 1) : 1;
    row->small_steps = step < NEAR_MAX ? (uint8_t)(row->small_steps % STEPS_MAX + 1) : 0;
    row->step = step;
    row->index = index;
    if (row->equal_steps == STEPS_MAX && !row->equal_reported) {
        row->equal_reported = true;
        stag_row_report(judge, use, IW_REQ_RFC5040_8_1_1_09, "hard to guess", step, "the seventh such step");
    } else if (row->small_steps == STEPS_MAX && row->equal_steps < STEPS_MAX && !row->small_reported) {
        row->small_reported = true;
        stag_row_report(judge, use, IW_REQ_RFC5040_8_1_1_10, "spread over all 32-bit values", step,
            "the seventh such small step");
    }
}

void iw_rules_stag(struct iw_judge *judge) {
    const struct iw_monitor_event *event = &judge->event;

    for (unsigned i = 0; i < event->stag_use_count; i++) {
        const struct iw_stag_use *use = &event->stag_uses[i];

        if (use->life->first_frame == event->llp->frame && use->life->ended_before == 0 &&
            use->owner == event->llp->side)
            stag_row_take(judge, use);
    }
}
