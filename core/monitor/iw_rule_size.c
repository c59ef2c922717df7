#include "iw_judge.h"

#include "iw_mulpdu.h"

/* Rules about how much DDP puts into an FPDU (RFC 5044 3, 4.5). Each is said once of a side: what follows is
 * of the same choice. */

/* A SHOULD leaves room for reasons: only a habit is told. */
enum { HABIT = 16 };

/* The MULPDU is never less than 128 octets, whatever the EMSS and however full the TCP segment; so a message
 * has no reason to be cut into smaller ones. */
static void small(struct iw_judge *judge, struct iw_party *party) {
    if (party->small_segments == HABIT || ++party->small_segments < HABIT)
        return;
    iw_judge_at_least(iw_judge_report(judge, IW_REQ_RFC5044_4_5_05, iw_field_mpa_fpdu_ulpdu_length,
                          "ULPDU_Length of the 16th segment that is not the last"),
        IW_MULPDU_MIN, judge->event.mpa->fpdu->ulpdu_length);
}

void iw_rules_size(struct iw_judge *judge) {
    struct iw_party *party = &judge->party[judge->event.mpa->side];

    if (judge->event.mpa->fpdu->ulpdu_length < IW_MULPDU_MIN && !judge->event.segment->last)
        small(judge, party);
}
