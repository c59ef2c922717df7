#include "iw_diagnosis_part.h"

#include <inttypes.h>
#include <stdio.h>

#include "iw_plural.h"

/* What the capture lacks: notes, as none of it made a connection fail. The numbers are those that `check`
 * reports as not judged. */

/* Whether packets of the side were captured. Over SCTP that is not known. */
static bool capture_has(const struct iw_facts *facts, enum iw_side side) {
    return facts->life == NULL || facts->life->side[side].segments > 0;
}

static void capture_one_direction(const struct iw_facts *facts, struct iw_diagnosis *diagnosis) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        if (!capture_has(facts, side))
            iw_diagnosis_add(diagnosis, IW_CAUSE_ID_CAPTURE_ONE_DIRECTION, IW_CONFIDENCE_CERTAIN,
                "The capture has no packet of %s.", iw_facts_side_name(facts, side));
}

/* A startup frame that is missing after a SYN is lost or cut instead. */
static void capture_late(const struct iw_facts *facts, struct iw_diagnosis *diagnosis) {
    uint64_t sides = facts->counts->unjudged[IW_UNJUDGED_STARTUP];
    const struct iw_tcp_life *life = facts->life;

    if (sides > 0 && (life == NULL || (!life->side[IW_SIDE_A].syn && !life->side[IW_SIDE_B].syn)))
        iw_diagnosis_add(diagnosis, IW_CAUSE_ID_CAPTURE_LATE, IW_CONFIDENCE_CERTAIN, "%" PRIu64 " %s.", sides,
            iw_unjudged_name(IW_UNJUDGED_STARTUP, sides));
}

static void capture_loss(const struct iw_facts *facts, struct iw_diagnosis *diagnosis) {
    uint64_t octets = facts->counts->unjudged[IW_UNJUDGED_LOST];
    uint64_t chunks = facts->counts->unjudged[IW_UNJUDGED_CHUNKS];
    bool discarded = false;
    char of[64] = "";

    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B && facts->tcp != NULL; side++)
        if (facts->tcp[side].lost > 0)
            snprintf(of, sizeof of, ", sent by %s",
                facts->tcp[iw_side_other(side)].lost > 0 ? "both sides" : iw_facts_side_name(facts, side));
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B && facts->tcp != NULL; side++)
        discarded |= facts->tcp[side].lost > 0 && facts->tcp[side].discarded > 0;
    if (octets > 0 && capture_has(facts, IW_SIDE_A) && capture_has(facts, IW_SIDE_B))
        iw_diagnosis_add(diagnosis, IW_CAUSE_ID_CAPTURE_LOSS, IW_CONFIDENCE_CERTAIN, "%" PRIu64 " %s%s%s.",
            octets, iw_unjudged_name(IW_UNJUDGED_LOST, octets), of,
            discarded ? ", or only in segments with a wrong TCP checksum" : "");
    if (chunks > 0)
        iw_diagnosis_add(diagnosis, IW_CAUSE_ID_CAPTURE_LOSS, IW_CONFIDENCE_CERTAIN, "%" PRIu64 " %s.",
            chunks, iw_unjudged_name(IW_UNJUDGED_CHUNKS, chunks));
}

static void capture_checksums(const struct iw_facts *facts, struct iw_diagnosis *diagnosis) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B && facts->tcp != NULL; side++) {
        uint32_t discarded = facts->tcp[side].discarded;

        if (discarded > 0)
            iw_diagnosis_add(diagnosis, IW_CAUSE_ID_CAPTURE_CHECKSUMS, IW_CONFIDENCE_CERTAIN,
                "%" PRIu32 " segment%s of %s %s a wrong TCP checksum.", discarded, iw_plural(discarded),
                iw_facts_side_name(facts, side), discarded == 1 ? "has" : "have");
    }
}

static void capture_cut(const struct iw_facts *facts, struct iw_diagnosis *diagnosis) {
    uint64_t octets = facts->counts->unjudged[IW_UNJUDGED_CUT];
    uint64_t crcs = facts->counts->unjudged[IW_UNJUDGED_CRC];

    if (octets > 0 && crcs > 0)
        iw_diagnosis_add(diagnosis, IW_CAUSE_ID_CAPTURE_CUT, IW_CONFIDENCE_CERTAIN,
            "%" PRIu64 " %s; %" PRIu64 " %s.", octets, iw_unjudged_name(IW_UNJUDGED_CUT, octets), crcs,
            iw_unjudged_name(IW_UNJUDGED_CRC, crcs));
    else if (octets > 0)
        iw_diagnosis_add(diagnosis, IW_CAUSE_ID_CAPTURE_CUT, IW_CONFIDENCE_CERTAIN, "%" PRIu64 " %s.", octets,
            iw_unjudged_name(IW_UNJUDGED_CUT, octets));
}

static void capture_limit(const struct iw_facts *facts, struct iw_diagnosis *diagnosis) {
    static const enum iw_unjudged reasons[] = {IW_UNJUDGED_GIVEN_UP, IW_UNJUDGED_LIMIT};

    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        uint64_t count = facts->counts->unjudged[reasons[i]];

        if (count > 0)
            iw_diagnosis_add(diagnosis, IW_CAUSE_ID_CAPTURE_LIMIT, IW_CONFIDENCE_CERTAIN, "%" PRIu64 " %s.",
                count, iw_unjudged_name(reasons[i], count));
    }
}

static void capture_duplicates(const struct iw_facts *facts, struct iw_diagnosis *diagnosis) {
    const struct iw_tcp_life *life = facts->life;
    uint64_t copies = 0, frame = 0;
    unsigned within = IW_TCP_SEEN_US;

    for (enum iw_side side = IW_SIDE_A; life != NULL && side <= IW_SIDE_B; side++) {
        const struct iw_tcp_life_side *own = &life->side[side];

        copies += own->copies;
        if (own->seen.mirror != NULL && own->seen.mirror_us > within)
            within = own->seen.mirror_us;
        if (own->copies > 0 && (frame == 0 || own->copy_frame < frame))
            frame = own->copy_frame;
    }
    if (copies > 0)
        iw_diagnosis_frame(iw_diagnosis_add(diagnosis, IW_CAUSE_ID_CAPTURE_DUPLICATES, IW_CONFIDENCE_CERTAIN,
                               "%" PRIu64 " segment%s %s identical to one within %u us before.", copies,
                               iw_plural(copies), copies == 1 ? "is" : "are", within),
            frame);
}

void iw_diagnose_capture(const struct iw_facts *facts, struct iw_diagnosis *diagnosis) {
    capture_one_direction(facts, diagnosis);
    capture_late(facts, diagnosis);
    capture_loss(facts, diagnosis);
    capture_checksums(facts, diagnosis);
    capture_cut(facts, diagnosis);
    capture_limit(facts, diagnosis);
    capture_duplicates(facts, diagnosis);
}
