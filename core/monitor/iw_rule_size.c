#include "iw_rules.h"

#include <stdio.h>

#include "iw_mulpdu.h"

/* Rules about how much DDP puts into an FPDU (RFC 5044 3, 4.5), each reported once for a side. */

/* A SHOULD allows exceptions: only the 16th small segment of a side is reported. */
enum { SIZE_HABIT = 16 };

/* The MULPDU is at least 128 octets, whatever the EMSS: DDP need not make smaller segments. */
IW_COLD static void size_small(struct iw_judge *judge, struct iw_size_habit *habit) {
    if (habit->small_segments == SIZE_HABIT || ++habit->small_segments < SIZE_HABIT)
        return;
    iw_judge_report_at_least(judge, IW_REQ_RFC5044_4_5_05, iw_field_mpa_fpdu_ulpdu_length,
        "ULPDU_Length of the 16th small segment with L=0", IW_MULPDU_MIN,
        judge->event.llp->fpdu->ulpdu_length);
}

/* The EMSS is at most the MSS that the other side has announced, whatever the path. */
IW_COLD static void size_large(struct iw_judge *judge, struct iw_size_habit *habit, uint32_t mss) {
    bool markers = judge->mpa.terms.markers[judge->sender->side];
    uint16_t mulpdu = iw_mulpdu(mss, markers);
    char subject[80];

    if (judge->event.llp->fpdu->ulpdu_length <= mulpdu || mulpdu == IW_MULPDU_MAX || habit->large_reported)
        return;
    habit->large_reported = true;
    snprintf(subject, sizeof subject, "ULPDU_Length, with an EMSS of %u or less and %s Markers,", mss,
        markers ? "with" : "without");
    iw_judge_report_at_most(judge, IW_REQ_RFC5044_3_03, iw_field_mpa_fpdu_ulpdu_length, subject, mulpdu,
        judge->event.llp->fpdu->ulpdu_length);
}

/* Checks ULPDU_Length against the MULPDU. For speed, the test here ignores the bounds of iw_mulpdu;
 * size_large then compares exactly. */
void iw_rules_size(struct iw_judge *judge) {
    struct iw_size_habit *habit = &judge->sender->tcp.size;
    uint32_t length = judge->event.llp->fpdu->ulpdu_length;
    uint32_t mss = judge->peer->mss;
    uint32_t framing = iw_mulpdu_framing(mss, judge->mpa.terms.markers[judge->sender->side]);

    if (length < IW_MULPDU_MIN && !judge->event.segment->last)
        size_small(judge, habit);
    else if (mss != 0 && length + framing > mss)
        size_large(judge, habit, mss);
}
