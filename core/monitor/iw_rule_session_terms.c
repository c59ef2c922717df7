#include "iw_rules.h"
#include "iw_name.h"

/* Rules about enhanced data over SCTP: the data of an Enhanced Accept must fit the Enhanced Initiate. RFC
 * 6581 9.1 names both control messages. Of 9.2, only sentences that do not mention MPA frames apply. */

static bool session_terms_is_enhanced(const struct iw_session_event *session, uint16_t function) {
    return session->control.header.function == function && session->control.enhanced;
}

/* Whether Enhanced Initiate and Enhanced Accept were captured, in either order and with enhanced data. */
static bool session_terms_are_settled(const struct iw_judge *judge, enum iw_side initiator) {
    const struct iw_mpa_terms *terms = &judge->mpa.terms;
    const struct iw_startup *initiate = &terms->frame[initiator];
    const struct iw_startup *accept = &terms->frame[iw_side_other(initiator)];

    return terms->settled && initiate->key == IW_STARTUP_REQUEST && initiate->enhanced &&
           accept->key == IW_STARTUP_REPLY && accept->enhanced && !accept->header.r;
}

void iw_rules_session_terms(struct iw_judge *judge) {
    const struct iw_session_event *session = judge->event.llp->session;
    enum iw_side initiator = session->session->active;
    bool initiates = session_terms_is_enhanced(session, IW_SCTP_ENHANCED_INITIATE);
    bool accepts = session_terms_is_enhanced(session, IW_SCTP_ENHANCED_ACCEPT);
    const struct iw_mpa_enhanced *asked = &judge->mpa.terms.frame[initiator].enhanced_data;
    const struct iw_mpa_enhanced *given = &judge->mpa.terms.frame[iw_side_other(initiator)].enhanced_data;
    size_t first;

    if (initiates || accepts)
        iw_rules_enhanced_data(judge, &session->control.enhanced_data);
    first = judge->finding_count;
    if (!session->certain || session->of_before || !session_terms_are_settled(judge, initiator) ||
        (judge->event.llp->side == initiator ? !initiates : !accepts))
        return;
    iw_rules_depths(judge, asked, given, false);
    if (!asked->a && given->a)
        iw_judge_report_value(judge, IW_REQ_RFC6581_9_2_13, iw_field_mpa_enhanced_a, "A", 0, 1);
    for (size_t i = first; i < judge->finding_count; i++) {
        iw_judge_charge(judge, &judge->findings[i], iw_side_other(initiator));
        iw_judge_context(&judge->findings[i], session->session->initiate_frame);
        iw_judge_context(&judge->findings[i], session->session->answer_frame);
    }
}
