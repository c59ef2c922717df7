#include "iw_rules.h"

/* Judges whether the error of MPA that a Terminate reports is possible (RFC 5044 7.1.1, RFC 6581 8). Codes 6
 * and 7 exist only with an enhanced startup, and 7 only if a frame has A=1: with A=0 no RTR is negotiated
 * (RFC 6581 9.2). Code 5, also of RFC 6581, is for any local error. */

static bool llp_is_enhanced(const struct iw_startup *frame) {
    return frame->header.rev >= 2 && frame->header.s;
}

/* Enhanced data that are missing despite S=1 count as unknown. */
static bool llp_is_client_server(const struct iw_mpa_terms *terms) {
    const struct iw_startup *a = &terms->frame[IW_SIDE_A];
    const struct iw_startup *b = &terms->frame[IW_SIDE_B];

    return a->enhanced && b->enhanced && !a->enhanced_data.a && !b->enhanced_data.a;
}

static void llp_report(
    struct iw_judge *judge, enum iw_requirement_id id, const char *expected, const char *actual) {
    struct iw_finding *finding = iw_judge_report(
        judge, id, iw_field_terminate_code, "Error Code of a Terminate for MPA", expected, "%s", actual);

    iw_judge_context(finding, judge->party[IW_SIDE_A].begin.startup_frame);
    iw_judge_context(finding, judge->party[IW_SIDE_B].begin.startup_frame);
}

void iw_rules_llp(struct iw_judge *judge) {
    const struct iw_mpa_terms *terms = &judge->mpa.terms;
    const struct iw_terminate *control = &judge->terminate->sent->control;
    bool enhanced = llp_is_enhanced(&terms->frame[IW_SIDE_A]) && llp_is_enhanced(&terms->frame[IW_SIDE_B]);

    if (!terms->settled)
        return;
    switch (iw_terminate_error(control)) {
    case IW_ERROR_MPA_CRC:
        if (terms->crc == IW_CRC_OFF && judge->config.mpa.crc == IW_MPA_NEGOTIATED)
            llp_report(judge, IW_REQ_RFC5044_7_1_1_07,
                "an error other than CRC, because C is 0 in both startup frames", "MPA CRC error");
        break;
    case IW_ERROR_MPA_NO_RTR:
        if (enhanced && llp_is_client_server(terms))
            llp_report(judge, IW_REQ_RFC6581_8_01, "at most 6, because A is 0 in both startup frames",
                "the lack of a common RTR type");
        /* fall through */
    case IW_ERROR_MPA_INSUFFICIENT_IRD:
        if (!enhanced)
            llp_report(judge, IW_REQ_RFC6581_8_01, "at most 5, because the startup was not enhanced",
                "one of an enhanced startup");
        break;
    default:
        break;
    }
}
