#include <inttypes.h>
#include <stdio.h>

#include "iw_diagnosis_part.h"
#include "iw_plural.h"

/* Causes in the CRCs and Markers of one side. */

enum { CRC_WORDS = 160 };

/* Writes which of the wrong CRCs have the pattern, and what such a CRC is. */
static const char *crc_words(
    const struct iw_history_crc *crc, enum iw_crc_pattern pattern, const char *what, char words[CRC_WORDS]) {
    uint32_t found = crc->patterns[pattern];

    if (crc->bad == 1)
        snprintf(words, CRC_WORDS, "it %s", what);
    else if (found == crc->bad)
        snprintf(words, CRC_WORDS, "each %s", what);
    else if (crc->examined < crc->bad && found == crc->examined)
        snprintf(words, CRC_WORDS, "each of the %" PRIu32 " examined %s", found, what);
    else if (crc->examined < crc->bad && found > 1)
        snprintf(words, CRC_WORDS, "each of %" PRIu32 " of the %" PRIu32 " examined %s", found, crc->examined,
            what);
    else if (crc->examined < crc->bad)
        snprintf(words, CRC_WORDS, "one of the %" PRIu32 " examined %s", crc->examined, what);
    else if (found > 1)
        snprintf(words, CRC_WORDS, "each of %" PRIu32 " of them %s", found, what);
    else
        snprintf(words, CRC_WORDS, "one of them %s", what);
    return words;
}

static void crc_add(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis,
    enum iw_cause_id id, enum iw_confidence confidence, const char *what) {
    const struct iw_history_crc *crc = iw_facts_crc(facts, side);
    const struct iw_history_terminate *answer =
        &iw_history_trouble(facts->history, iw_side_other(side))->terminate;
    uint64_t all = crc->bad + facts->history->side[side].crc_good;
    const char *name = iw_facts_side_name(facts, side);
    struct iw_diagnosed *cause;

    if (crc->unproven > 0 && confidence == IW_CONFIDENCE_CERTAIN)
        confidence = IW_CONFIDENCE_LIKELY; /* no startup frame tells that CRCs are in use */
    if (all == 1)
        cause = iw_diagnosis_add_of(
            diagnosis, side, id, confidence, "The only CRC of %s is wrong: %s.", name, what);
    else
        cause = iw_diagnosis_add_of(diagnosis, side, id, confidence,
            "%" PRIu64 " of %" PRIu64 " CRCs of %s %s wrong: %s.", crc->bad, all, name,
            crc->bad == 1 ? "is" : "are", what);
    iw_diagnosis_frame(cause, crc->first.frame);
    iw_diagnosis_frame(cause, crc->last.frame);
    iw_diagnosis_frame(cause, answer->mark.frame);
    iw_diagnosis_next(facts, cause, IW_CAUSE_WRONG, side);
}

/* What the CRC of an FPDU with one damaged octet is. */
static const char *crc_one_octet(const struct iw_history_crc *crc, char what[CRC_WORDS]) {
    unsigned bits = (unsigned)__builtin_popcount(crc->trace.flips);

    if (crc->trace.flips == 0 || crc->patterns[crc->trace.pattern] > 1)
        return iw_crc_pattern_text(IW_CRC_PATTERN_ONE_OCTET);
    snprintf(what, CRC_WORDS,
        "would be right if %u bit%s of octet %" PRIu32
        " of its FPDU differed (octets count from 0, without Markers)",
        bits, iw_plural(bits), crc->trace.at);
    return what;
}

/* Whether the wrong CRCs are so few beside right ones as damage of single FPDUs is. */
static bool crc_few(const struct iw_facts *facts, enum iw_side side) {
    enum { SHARE = 10 };
    const struct iw_history_crc *crc = iw_facts_crc(facts, side);
    uint64_t good = facts->history->side[side].crc_good;

    return good > 0 && (crc->bad == 1 || crc->bad <= (crc->bad + good) / SHARE);
}

/* A single octet that differs, or few wrong CRCs between right ones, is damage. If many are wrong, damage
 * explains less than a sender that computes them otherwise. */
static void crc_damage(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_history_crc *crc = iw_facts_crc(facts, side);
    char what[CRC_WORDS], words[CRC_WORDS];

    if (crc->patterns[IW_CRC_PATTERN_ONE_OCTET] > 0)
        crc_add(facts, side, diagnosis, IW_CAUSE_ID_CRC_DAMAGE,
            crc->bad == 1 || (crc->bad <= facts->history->side[side].crc_good &&
                                 crc->patterns[IW_CRC_PATTERN_ONE_OCTET] == crc->examined)
                ? IW_CONFIDENCE_LIKELY
                : IW_CONFIDENCE_POSSIBLE,
            crc_words(crc, IW_CRC_PATTERN_ONE_OCTET, crc_one_octet(crc, what), words));
    else if (crc_few(facts, side) && (crc->good_after > 0 || crc->bad == 1) && !iw_facts_has_gaps(facts))
        crc_add(facts, side, diagnosis, IW_CAUSE_ID_CRC_DAMAGE,
            crc->good_after > 0 ? IW_CONFIDENCE_LIKELY : IW_CONFIDENCE_POSSIBLE,
            "others of this side are right, and a wrong algorithm rarely gives that");
}

/* How sure it is that the sender does not clear its PADs. For a long PAD some octets always give the CRC that
 * was sent, even of a damaged FPDU, with a chance of 2^-8 for 3 octets. */
static enum iw_confidence crc_pad_confidence(const struct iw_history_crc *crc, enum iw_crc_pattern pattern) {
    bool chance = pattern == IW_CRC_PATTERN_OTHER_PAD && crc->trace.pad == 3;

    if (crc->patterns[pattern] > 1)
        return chance ? IW_CONFIDENCE_LIKELY : IW_CONFIDENCE_CERTAIN;
    return chance ? IW_CONFIDENCE_POSSIBLE : IW_CONFIDENCE_LIKELY;
}

/* Old data in the PAD, or under the CRC of the PAD, or damage of a PAD: only a second such PAD decides. One
 * bit that differs, while other CRCs are right, is rather damage. */
static void crc_stale_pad(const struct iw_facts *facts, enum iw_side side, enum iw_crc_pattern pattern,
    struct iw_diagnosis *diagnosis) {
    const struct iw_history_crc *crc = iw_facts_crc(facts, side);
    bool one_octet = crc->patterns[pattern] == 1 && crc->trace.pattern == pattern && crc->trace.flips != 0;
    bool one_bit = one_octet && (crc->trace.flips & (crc->trace.flips - 1)) == 0;
    bool one_fpdu = crc->patterns[pattern] == 1;
    char what[CRC_WORDS], damaged[CRC_WORDS], words[CRC_WORDS];

    if (one_octet)
        crc_add(facts, side, diagnosis, IW_CAUSE_ID_CRC_DAMAGE,
            one_bit && crc_few(facts, side) ? IW_CONFIDENCE_LIKELY : IW_CONFIDENCE_POSSIBLE,
            crc_words(crc, pattern, crc_one_octet(crc, what), damaged));
    crc_add(facts, side, diagnosis, IW_CAUSE_ID_CRC_STALE_PAD,
        one_bit ? IW_CONFIDENCE_POSSIBLE : crc_pad_confidence(crc, pattern),
        crc_words(crc, pattern, iw_crc_pattern_text(pattern), words));
    if (one_fpdu && !one_octet)
        crc_add(facts, side, diagnosis, IW_CAUSE_ID_CRC_DAMAGE, IW_CONFIDENCE_POSSIBLE,
            "only one PAD differs, and it may have changed on the way");
}

/* CRC fields of 0: of all FPDUs, or of those that take one path through the device. A single one may be
 * damage.
 */
static void crc_zero(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_history_crc *crc = iw_facts_crc(facts, side);
    uint64_t good = facts->history->side[side].crc_good;
    uint32_t zero = crc->patterns[IW_CRC_PATTERN_ZERO];
    char words[CRC_WORDS];

    crc_add(facts, side, diagnosis, IW_CAUSE_ID_CRC_DISAGREEMENT,
        zero > 1 && zero == crc->examined && good == 0 ? IW_CONFIDENCE_CERTAIN
        : zero > 1 || (crc->bad == 1 && good == 0)     ? IW_CONFIDENCE_LIKELY
                                                       : IW_CONFIDENCE_POSSIBLE,
        crc_words(crc, IW_CRC_PATTERN_ZERO, iw_crc_pattern_text(IW_CRC_PATTERN_ZERO), words));
    if (crc->bad == 1 && good > 0)
        crc_add(facts, side, diagnosis, IW_CAUSE_ID_CRC_DAMAGE, IW_CONFIDENCE_POSSIBLE,
            "the others are right, and a wrong algorithm rarely gives that");
}

static void crc_pattern(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_history_crc *crc = iw_facts_crc(facts, side);
    enum iw_crc_pattern pattern = crc->trace.pattern;
    char words[CRC_WORDS];

    if (crc->patterns[IW_CRC_PATTERN_STALE_PAD] > 0)
        crc_stale_pad(facts, side, IW_CRC_PATTERN_STALE_PAD, diagnosis);
    else if (crc->patterns[IW_CRC_PATTERN_OTHER_PAD] > 0 &&
             crc->patterns[IW_CRC_PATTERN_OTHER_PAD] == crc->examined)
        crc_stale_pad(facts, side, IW_CRC_PATTERN_OTHER_PAD, diagnosis);
    else if (crc->patterns[IW_CRC_PATTERN_ZERO] > 0)
        crc_zero(facts, side, diagnosis);
    else if (iw_crc_pattern_is_algorithm(pattern) && crc->patterns[pattern] == crc->examined)
        crc_add(facts, side, diagnosis, IW_CAUSE_ID_CRC_ALGORITHM,
            crc->patterns[pattern] > 1 ? IW_CONFIDENCE_CERTAIN : IW_CONFIDENCE_LIKELY,
            crc_words(crc, pattern, iw_crc_pattern_text(pattern), words));
    else
        crc_damage(facts, side, diagnosis);
}

/* The first Marker of the side at the wrong place or with the wrong FPDUPTR. A receiver ignores the reserved
 * half of a Marker and the low bits of FPDUPTR (RFC 5044 4.2). */
static const struct iw_history_finding *crc_misplaced(const struct iw_facts *facts, enum iw_side side) {
    static const char *const places[] = {"4.3"};

    return iw_facts_finding(facts, side, UINT64_MAX, "RFC 5044", places, 1);
}

/* FPDUs have Markers, or lack them, against what the startup frame of the other side asks for. */
static void crc_unexpected_markers(
    const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    enum iw_side other = iw_side_other(side);
    unsigned asked = facts->terms->frame[other].header.m;
    struct iw_diagnosed *cause =
        iw_diagnosis_add_of(diagnosis, side, IW_CAUSE_ID_MARKER_DISAGREEMENT, IW_CONFIDENCE_CERTAIN,
            "The FPDUs of %s %s Markers; the startup frame of %s has M=%u.", iw_facts_side_name(facts, side),
            asked != 0 ? "lack" : "have", iw_facts_side_name(facts, other), asked);

    iw_diagnosis_frame(cause, facts->history->side[other].startup.frame);
    iw_diagnosis_frame(cause, iw_history_trouble(facts->history, side)->markers_unexpected_frame);
}

/* The other side asks for Markers, and one lies where none is due. Octets that look like a Marker, in an FPDU
 * whose CRC is wrong without it, are hardly payload. */
static void crc_stray_marker(
    const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_history_trouble *trouble = iw_history_trouble(facts->history, side);
    struct iw_diagnosed *cause =
        iw_diagnosis_add_of(diagnosis, side, IW_CAUSE_ID_MARKER_MISPLACED, IW_CONFIDENCE_LIKELY,
            "A Marker of %s is at octet %" PRIu64 " after its startup frame, and the first one is missing; "
            "Markers are due at octets 0, 512, 1024 and so on.",
            iw_facts_side_name(facts, side), trouble->stray_marker_at);

    iw_diagnosis_frame(cause, trouble->markers_unexpected_frame);
    iw_diagnosis_frame(cause, trouble->stray_marker_frame);
    iw_diagnosis_next(facts, cause, IW_CAUSE_SENDING, side);
}

/* Returns whether the Markers of the side explain what is wrong, wrong CRCs included. */
static bool crc_markers(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_history_trouble *trouble = iw_history_trouble(facts->history, side);
    const struct iw_history_finding *finding;
    struct iw_diagnosed *cause;

    if (trouble->markers_unexpected_frame != 0) {
        if (facts->terms->frame[iw_side_other(side)].header.m == 0)
            crc_unexpected_markers(facts, side, diagnosis);
        else if (trouble->stray_marker_frame != 0)
            crc_stray_marker(facts, side, diagnosis);
        else if (facts->counts->unjudged[IW_UNJUDGED_CUT] == 0) /* which would hide stray Markers */
            crc_unexpected_markers(facts, side, diagnosis);
        return true;
    }
    finding = crc_misplaced(facts, side);
    if (finding == NULL)
        return false;
    cause = iw_diagnosis_add_of(diagnosis, side, IW_CAUSE_ID_MARKER_MISPLACED, IW_CONFIDENCE_CERTAIN,
        "%s; sent by %s.", finding->message, iw_facts_side_name(facts, side));
    iw_diagnosis_frame(cause, finding->frame);
    iw_diagnosis_next(facts, cause, IW_CAUSE_SENDING, side);
    return true;
}

/* The first FPDU of the side with a wrong CRC or wrong Markers; 0 without one. */
static uint64_t crc_first_wrong(const struct iw_facts *facts, enum iw_side side) {
    const struct iw_history_trouble *trouble = iw_history_trouble(facts->history, side);
    const struct iw_history_finding *misplaced = crc_misplaced(facts, side);
    const uint64_t frames[] = {iw_facts_crc(facts, side)->first.frame, trouble->markers_unexpected_frame,
        misplaced != NULL ? misplaced->frame : 0};
    uint64_t first = 0;

    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++)
        if (frames[i] != 0 && (first == 0 || frames[i] < first))
            first = frames[i];
    return first;
}

/* Whether nothing failed although an FPDU is wrong: the receiver sent octets after it, and the connection
 * ended in order or is open. */
static bool crc_is_tolerated(
    const struct iw_facts *facts, enum iw_side side, uint64_t wrong, const struct iw_diagnosis *diagnosis) {
    return (diagnosis->ending == IW_ENDING_GRACEFUL || diagnosis->ending == IW_ENDING_OPEN) &&
           facts->life != NULL && facts->life->side[iw_side_other(side)].last_octets_frame > wrong &&
           !iw_diagnosis_has_failed(facts, diagnosis);
}

void iw_diagnose_crc(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    uint64_t wrong = crc_first_wrong(facts, side);

    if (wrong == 0 || crc_is_tolerated(facts, side, wrong, diagnosis))
        return;
    if (!crc_markers(facts, side, diagnosis) && iw_facts_crc(facts, side)->bad > 0)
        crc_pattern(facts, side, diagnosis);
}
