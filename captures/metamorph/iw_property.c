#include "iw_property.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_visible.h"

enum { DECIDED_PACKETS_MAX = 64 };

/* ---- comparing findings and FPDUs ---- */

static bool is_like(const struct iw_verdict_finding *one, const struct iw_verdict_finding *other) {
    return one->requirement == other->requirement && one->side == other->side &&
           (!one->offset_known || !other->offset_known || one->offset == other->offset);
}

static unsigned count_like(
    const struct iw_verdict *verdict, const struct iw_verdict_finding *finding, unsigned copy) {
    unsigned count = 0;

    for (size_t i = 0; i < verdict->finding_count; i++)
        count += verdict->findings[i].copy == copy && is_like(&verdict->findings[i], finding);
    return count;
}

static bool is_same_fpdu(const struct iw_verdict_fpdu *one, const struct iw_verdict_fpdu *other) {
    uint32_t header = one->header_octets < other->header_octets ? one->header_octets : other->header_octets;

    return one->side == other->side && one->octets == other->octets &&
           (!one->offset_known || !other->offset_known || one->offset == other->offset) &&
           memcmp(one->header, other->header, header) == 0;
}

static unsigned count_fpdu(
    const struct iw_verdict *verdict, const struct iw_verdict_fpdu *fpdu, unsigned copy) {
    unsigned count = 0;

    for (size_t i = 0; i < verdict->fpdu_count; i++)
        count += verdict->fpdus[i].copy == copy && is_same_fpdu(&verdict->fpdus[i], fpdu);
    return count;
}

/* ---- the properties ---- */

struct comparison {
    const struct iw_property_base *base;
    const struct iw_trace *trace;
    const struct iw_verdict *verdict;
    char *broken;
    size_t octets;
};

static char side_letter(enum iw_side side) {
    return side == IW_SIDE_A ? 'A' : 'B';
}

static bool report_finding(
    const struct comparison *comparison, const char *what, const struct iw_verdict_finding *finding) {
    snprintf(comparison->broken, comparison->octets, "%s: %s of %c at %llu: %s", what,
        finding->requirement->id, side_letter(finding->side), (unsigned long long)finding->offset,
        finding->message);
    return false;
}

static bool report_fpdu(
    const struct comparison *comparison, const char *what, const struct iw_verdict_fpdu *fpdu) {
    snprintf(comparison->broken, comparison->octets, "%s: of %c at %llu, %u octets, begins %02x%02x%02x%02x",
        what, side_letter(fpdu->side), (unsigned long long)fpdu->offset, fpdu->octets, fpdu->header[0],
        fpdu->header[1], fpdu->header[2], fpdu->header[3]);
    return false;
}

static bool is_guilty(const struct iw_verdict *verdict, enum iw_side side) {
    for (size_t i = 0; i < verdict->finding_count; i++)
        if (verdict->findings[i].side == side)
            return true;
    return false;
}

/* (a) A side that is innocent in the whole capture gets no finding. A guilty side may get other findings when
 * a part of its octets is hidden. */
static bool accuses_no_innocent(const struct comparison *comparison) {
    for (size_t i = 0; i < comparison->verdict->finding_count; i++)
        if (!is_guilty(&comparison->base->verdict, comparison->verdict->findings[i].side))
            return report_finding(comparison, "false accusation", &comparison->verdict->findings[i]);
    return true;
}

/* (b) A violation of which no octet is hidden is found, as often and at the same stream offset. */
static bool finds_the_same(const struct comparison *comparison) {
    const struct iw_verdict *base = &comparison->base->verdict;

    for (unsigned copy = 0; copy < comparison->trace->copies; copy++) {
        for (size_t i = 0; i < base->finding_count; i++)
            if (count_like(comparison->verdict, &base->findings[i], copy) <
                count_like(base, &base->findings[i], 0))
                return report_finding(comparison, "missed", &base->findings[i]);
        for (size_t i = 0; i < comparison->verdict->finding_count; i++)
            if (comparison->verdict->findings[i].copy == copy &&
                count_like(comparison->verdict, &comparison->verdict->findings[i], copy) >
                    count_like(base, &comparison->verdict->findings[i], 0))
                return report_finding(comparison, "found too often", &comparison->verdict->findings[i]);
    }
    return true;
}

static bool is_same_packet(const struct iw_trace_packet *one, const struct iw_trace_packet *other) {
    return one->side == other->side && one->foreign == other->foreign && one->copy == other->copy &&
           one->segment.seq == other->segment.seq && one->segment.ack == other->segment.ack &&
           one->segment.flags == other->segment.flags && one->segment.length == other->segment.length &&
           one->segment.captured == other->segment.captured && one->segment.payload == other->segment.payload;
}

/* A wrong PD_Length is proven by the place where FPDUs begin after it. If later octets are hidden, the
 * checker may report an unfinished FPDU instead. */
static bool is_replaced(const struct comparison *comparison, const struct iw_verdict_finding *finding) {
    const struct iw_requirement *whole = &iw_requirements[IW_REQ_RFC5044_4_1_01];
    bool unfinished = false;

    for (size_t i = 0; i < comparison->verdict->finding_count; i++)
        unfinished |= comparison->verdict->findings[i].side == finding->side &&
                      comparison->verdict->findings[i].requirement == whole;
    return unfinished && finding->requirement == &iw_requirements[IW_REQ_RFC5044_7_1_1_15];
}

/* (b) A violation that the packets before the first change show is found, whatever follows. */
static bool finds_what_came_before(const struct comparison *comparison) {
    const struct iw_property_base *base = comparison->base;
    size_t common = 0;

    while (common < comparison->trace->count && common < base->trace->count &&
           is_same_packet(&comparison->trace->packets[common], &base->trace->packets[common]))
        common++;
    for (size_t i = 0; base->decided != NULL && i < base->verdict.finding_count; i++)
        if (base->decided[i] <= common && !is_replaced(comparison, &base->verdict.findings[i]) &&
            count_like(comparison->verdict, &base->verdict.findings[i], 0) == 0)
            return report_finding(
                comparison, "missed, before anything is hidden", &base->verdict.findings[i]);
    return true;
}

/* (d) Each FPDU that is read exists in the original. Exceptions: the start of FPDUs of a guilty side, and
 * the connection of an octet, may be uncertain. Without CRC the checker cannot tell an FPDU after a gap
 * from payload; it says so and does not judge it. */
static bool reads_nothing_else(const struct comparison *comparison) {
    const struct iw_verdict *base = &comparison->base->verdict;

    for (size_t i = 0; i < comparison->verdict->fpdu_count; i++)
        if (!is_guilty(base, comparison->verdict->fpdus[i].side) && comparison->trace->copies == 1 &&
            !comparison->verdict->fpdus[i].guessed &&
            count_fpdu(base, &comparison->verdict->fpdus[i], 0) == 0)
            return report_fpdu(comparison, "FPDU at a place without one", &comparison->verdict->fpdus[i]);
    return true;
}

/* (d) Every FPDU that is visible is read. */
static bool reads_all(const struct comparison *comparison) {
    const struct iw_verdict *base = &comparison->base->verdict;

    for (unsigned copy = 0; copy < comparison->trace->copies; copy++)
        for (size_t i = 0; i < base->fpdu_count; i++) {
            unsigned due = count_fpdu(base, &base->fpdus[i], 0);
            unsigned read = count_fpdu(comparison->verdict, &base->fpdus[i], copy);

            if (read != due)
                return report_fpdu(
                    comparison, read < due ? "FPDU not read" : "FPDU read twice", &base->fpdus[i]);
        }
    return true;
}

static bool shows_any(const struct iw_visible *visible) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        if (memchr(visible->octets[side], 1, visible->count[side]) != NULL)
            return true;
    return false;
}

/* (c) If octets are hidden and the capture shows that they were sent, the verdict is not "conforms". */
static bool admits(const struct comparison *comparison, unsigned copy, const struct iw_visible *whole) {
    struct iw_visible less;
    uint32_t first;
    bool admits = true;

    if (!iw_visible_init(&less, comparison->trace, copy))
        return true;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B && admits; side++)
        if (shows_any(&less) && iw_visible_hides(whole, &less, side, &first)) {
            snprintf(comparison->broken, comparison->octets,
                "conforms: octet %u of %c is not in the capture, which shows that %u octets were sent", first,
                side_letter(side), less.extent[side]);
            admits = false;
        }
    iw_visible_dispose(&less);
    return admits;
}

/* A connection of which too little is visible to recognise iWARP is not reported. */
static bool admits_what_is_hidden(const struct comparison *comparison) {
    struct iw_visible whole;
    bool good = true;

    if (comparison->trace->sctp || comparison->verdict->exit != IW_EXIT_CONFORMS)
        return true;
    for (unsigned copy = 0; copy < comparison->trace->copies && good; copy++) {
        if (!comparison->verdict->recognised[copy])
            continue;
        if (!iw_visible_init(&whole, comparison->base->trace, 0))
            return true;
        good = admits(comparison, copy, &whole);
        iw_visible_dispose(&whole);
    }
    return good;
}

/* (e) */
static bool ends_well(const struct comparison *comparison) {
    if (comparison->verdict->exit != IW_EXIT_INTERNAL)
        return true;
    snprintf(comparison->broken, comparison->octets, "exit code 4");
    return false;
}

/* The capture has the SYNs of both sides. Without them, how many octets came before is unknown. */
static bool opens(const struct iw_trace *trace) {
    bool seen[2] = {false, false};

    for (size_t i = 0; i < trace->count; i++)
        seen[trace->packets[i].side] |=
            trace->packets[i].damage == 0 && (trace->packets[i].segment.flags & IW_TCP_SYN) != 0;
    return seen[IW_SIDE_A] && seen[IW_SIDE_B];
}

/* After a loss, the boundaries of TCP segments are part of the proof where FPDUs begin. */
static bool shows_all(const struct iw_property_base *base) {
    return !base->verdict.unjudged && (base->trace->sctp || opens(base->trace));
}

void iw_property_check(const struct iw_property_base *base, const struct iw_trace *trace,
    const struct iw_verdict *verdict, enum iw_transform_effect effect, char *broken, size_t octets) {
    struct comparison comparison = {base, trace, verdict, broken, octets};

    broken[0] = '\0';
    if (!ends_well(&comparison) || !accuses_no_innocent(&comparison) || !reads_nothing_else(&comparison) ||
        !admits_what_is_hidden(&comparison) || !finds_what_came_before(&comparison))
        return;
    if (effect == IW_TRANSFORM_ALIKE && shows_all(base) && finds_the_same(&comparison))
        reads_all(&comparison);
}

/* ---- bases ---- */

/* For each finding, finds the shortest beginning of the capture that shows it, as all longer ones do. */
static bool find_decided(struct iw_property_base *base, const char *path) {
    static const struct iw_outer plain;
    const struct iw_verdict *whole = &base->verdict;

    base->decided = calloc(whole->finding_count, sizeof *base->decided);
    if (base->decided == NULL)
        return false;
    for (size_t i = 0; i < whole->finding_count; i++)
        base->decided[i] = (uint32_t)base->trace->count;
    for (size_t count = base->trace->count - 1; count > 0; count--) {
        struct iw_trace trace;
        struct iw_verdict verdict;
        bool good;

        iw_trace_init(&trace, base->trace);
        trace.count = count < trace.count ? count : trace.count;
        good = iw_verdict_of(&verdict, &trace, &plain, path);
        for (size_t i = 0; i < whole->finding_count; i++)
            if (base->decided[i] == count + 1 && count_like(&verdict, &whole->findings[i], 0) > 0)
                base->decided[i] = (uint32_t)count;
        iw_verdict_dispose(&verdict);
        iw_trace_dispose(&trace);
        if (!good)
            return false;
    }
    return true;
}

bool iw_property_base_init(struct iw_property_base *base, const struct iw_trace *trace, const char *path) {
    static const struct iw_outer plain;
    struct iw_trace copy;
    bool good;

    base->trace = trace;
    base->decided = NULL;
    iw_trace_init(&copy, trace);
    good = iw_verdict_of(&base->verdict, &copy, &plain, path);
    iw_trace_dispose(&copy);
    if (!good || base->verdict.finding_count == 0 || trace->count > DECIDED_PACKETS_MAX)
        return good;
    return find_decided(base, path);
}

void iw_property_base_dispose(struct iw_property_base *base) {
    iw_verdict_dispose(&base->verdict);
    free(base->decided);
    base->decided = NULL;
}
