#include "iw_rules.h"

#include "iw_mulpdu.h"

/* Rules about the FPDU and its PAD (RFC 5044 3, 4.1). */

static void fpdu_length(struct iw_judge *judge, const struct iw_fpdu *fpdu) {
    if (fpdu->ulpdu_length > IW_MULPDU_MAX)
        iw_judge_report_at_most(judge, IW_REQ_RFC5044_3_05, iw_field_mpa_fpdu_ulpdu_length, "ULPDU_Length",
            IW_MULPDU_MAX, fpdu->ulpdu_length);
    if (fpdu->ulpdu_length == 0) {
        if (fpdu->position == 0 && fpdu->marker_count == 0 && fpdu->crc == IW_CRC_NOT_CAPTURED)
            return; /* the captured octets may be an unrequested Marker */
        iw_judge_report_at_least(
            judge, IW_REQ_RFC5044_3_01, iw_field_mpa_fpdu_ulpdu_length, "ULPDU_Length", 1, 0);
    } else if (judge->event.segment == NULL && iw_fpdu_ulpdu_captured(fpdu) == fpdu->ulpdu_length) {
        bool untagged = iw_field_get(&iw_fields[iw_field_ddp_tagged_t], iw_fpdu_ulpdu(fpdu)) == 0;

        iw_judge_report_at_least(judge, IW_REQ_RFC5044_4_1_04, iw_field_mpa_fpdu_ulpdu_length, "ULPDU_Length",
            untagged ? iw_ddp_untagged_octets : iw_ddp_tagged_octets, fpdu->ulpdu_length);
    }
}

static void fpdu_pad(struct iw_judge *judge, const struct iw_fpdu *fpdu) {
    uint32_t at = (uint32_t)iw_mpa_fpdu_octets + fpdu->ulpdu_length;

    for (uint32_t i = 0; i < fpdu->pad_octets && at + i < fpdu->image_captured; i++) {
        if (fpdu->image[at + i] != 0) {
            struct iw_finding *finding = iw_judge_report_value(
                judge, IW_REQ_RFC5044_4_1_02, IW_FIELD_COUNT, "A PAD octet", 0, fpdu->image[at + i]);

            finding->offset = iw_fpdu_offset(fpdu, at + i);
            finding->octets = 1;
            return;
        }
    }
}

void iw_rules_fpdu(struct iw_judge *judge) {
    const struct iw_fpdu *fpdu = judge->event.llp->fpdu;

    if (judge->event.llp->damaged)
        return; /* any of its octets may be wrong; iw_rule_crc.c judges the CRC */
    fpdu_length(judge, fpdu);
    fpdu_pad(judge, fpdu);
}
