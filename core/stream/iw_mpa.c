#include "iw_mpa.h"

#include <string.h>

#include "iw_alignment.h"
#include "iw_half_part.h"
#include "iw_placement.h"

static enum iw_mpa_term mpa_markers_term(const struct iw_mpa *mpa, enum iw_side side) {
    const enum iw_mpa_term *markers = mpa->config.markers;

    if (mpa->terms.initiator_known)
        return markers[mpa->terms.initiator == side ? 0 : 1];
    return markers[0] == markers[1] ? markers[0] : IW_MPA_NEGOTIATED;
}

/* Two Requests, or two Replies: both sides act in the same role (RFC 5044 7.1), and have agreed on nothing.
 */
static bool mpa_roles_collide(const struct iw_mpa_terms *terms) {
    return terms->seen[IW_SIDE_A] && terms->seen[IW_SIDE_B] &&
           terms->frame[IW_SIDE_A].key == terms->frame[IW_SIDE_B].key;
}

/* Whether CRCs are in use. One side that asks for them is enough, whatever the other side states. */
static enum iw_crc_use mpa_crc_in_use(const struct iw_mpa *mpa) {
    const struct iw_mpa_terms *terms = &mpa->terms;

    if (mpa->config.crc != IW_MPA_NEGOTIATED)
        return mpa->config.crc == IW_MPA_ON ? IW_CRC_ON : IW_CRC_OFF;
    if (mpa_roles_collide(terms))
        return IW_CRC_UNKNOWN;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        if (terms->seen[side] && terms->frame[side].header.c)
            return IW_CRC_ON;
    return terms->settled ? IW_CRC_OFF : IW_CRC_UNKNOWN;
}

/* Whether the Reply has Rev 0, and no captured Request has a Rev other than 0 (RFC 5044 C). */
static bool mpa_is_revision_0(const struct iw_mpa_terms *terms) {
    bool replied = false;

    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        if (terms->seen[side] && terms->frame[side].header.rev != 0)
            return false;
        replied |= terms->seen[side] && terms->frame[side].key == IW_STARTUP_REPLY;
    }
    return replied;
}

/* The Rev of the Reply counts; before the Reply, that of the Request. After the extension of a vendor's
 * dialect, it is unknown where FPDUs begin: without the dialect, the extension may be an FPDU. */
bool iw_mpa_is_defined(const struct iw_mpa_terms *terms) {
    if (terms->extended)
        return false;
    if (terms->settled)
        return iw_startup_is_defined(&terms->frame[iw_side_other(terms->initiator)]);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        if (terms->seen[side] && !iw_startup_is_defined(&terms->frame[side]))
            return false;
    return true;
}

/* Passes the terms known so far to both halves. */
static void mpa_agree_terms(struct iw_mpa *mpa) {
    struct iw_mpa_terms *terms = &mpa->terms;

    terms->crc = mpa_crc_in_use(mpa);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        struct iw_half *half = &mpa->half[side];
        enum iw_mpa_term term = mpa_markers_term(mpa, side);
        enum iw_side other = iw_side_other(side);
        bool collide = mpa_roles_collide(terms);
        bool asked = terms->seen[other] && terms->frame[other].header.m && !collide;
        bool forced = term != IW_MPA_NEGOTIATED;

        half->terms.foreign = !iw_mpa_is_defined(terms);
        half->terms.replied = terms->seen[other] && terms->frame[other].key == IW_STARTUP_REPLY;
        half->terms.unanswered =
            terms->seen[side] && terms->frame[side].key == IW_STARTUP_REQUEST && !terms->settled;
        if (terms->settled && !half->terms.foreign && iw_half_from_startup(half))
            half->unproven = false;
        half->terms.crc = terms->crc;
        half->terms.revision_0 = mpa_is_revision_0(terms);
        terms->markers[side] = forced ? term == IW_MPA_ON : asked;
        half->terms.markers_asked = terms->markers[side];
        if (half->framing.markers_known == IW_MARKERS_FOUND && !forced)
            continue;
        half->terms.markers_forced = forced;
        if (half->framing.markers_known != IW_MARKERS_FOUND)
            half->framing.markers_known =
                (terms->seen[other] && !collide) || forced ? IW_MARKERS_KNOWN : IW_MARKERS_ASSUMED;
        half->framing.markers = terms->markers[side];
    }
}

bool iw_mpa_opens(const struct iw_mpa *mpa, enum iw_side side) {
    const struct iw_half *other = &mpa->half[iw_side_other(side)];

    return side == IW_SIDE_A && mpa->half[side].from_start && other->from_start && !other->startup.hole &&
           !mpa->acknowledges_missing[side];
}

/* An invalid Key that begins like a valid Key belongs to a failed startup frame. A side whose first octets
 * are such a Key wants to be the initiator. */
static void mpa_note_attempt(struct iw_mpa *mpa, const struct iw_llp_event *event) {
    enum { COMMON = 8 }; /* "MPA ID R" */

    if (memcmp(event->image, iw_startup_key_request, COMMON) != 0)
        return;
    mpa->attempted = true;
    if (!mpa->terms.initiator_known && iw_mpa_opens(mpa, event->side)) {
        mpa->terms.initiator_known = true;
        mpa->terms.initiator = event->side;
    }
}

/* The first octets that answer a startup frame count as a startup frame. Octets that this frame acknowledges
 * are earlier ones, of streaming mode; those not read yet may share a TCP segment with the answer. */
static void mpa_expect_answer(struct iw_mpa *mpa, enum iw_side side) {
    const struct iw_startup_facts *asked = &mpa->half[iw_side_other(side)].startup;
    struct iw_half *half = &mpa->half[side];

    if (!half->from_start || !asked->read)
        return;
    half->terms.expected = true;
    half->startup.hole |=
        !half->startup.read && asked->received.known && asked->received.up_to > half->reached;
}

/* Whether the Reply may answer the Request. It does not if the Request acknowledges octets after the Reply:
 * both come from connections between the same ports, and the capture lacks what was between them. */
static bool mpa_is_pair(const struct iw_mpa *mpa, enum iw_side initiator) {
    const struct iw_received *received = &mpa->half[initiator].startup.received;

    return !received->known || received->up_to <= mpa->half[iw_side_other(initiator)].startup.end;
}

/* Settles the startup if both frames have come: a Request and its Reply. */
static void mpa_settle(struct iw_mpa *mpa) {
    struct iw_mpa_terms *terms = &mpa->terms;

    if (!terms->seen[IW_SIDE_A] || !terms->seen[IW_SIDE_B] || mpa_roles_collide(terms))
        return;
    terms->settled = mpa_is_pair(mpa, terms->initiator);
    if (terms->settled)
        return;
    mpa->unpaired = true;
    terms->seen[IW_SIDE_A] = terms->seen[IW_SIDE_B] = false;
}

IW_COLD static void mpa_note_startup(struct iw_mpa *mpa, const struct iw_llp_event *event) {
    struct iw_mpa_terms *terms = &mpa->terms;
    enum iw_side other = iw_side_other(event->side);

    mpa_expect_answer(mpa, other);
    if (event->startup->key == IW_STARTUP_UNKNOWN) {
        mpa_note_attempt(mpa, event);
        return;
    }
    terms->seen[event->side] = true;
    terms->extended |= mpa->half[event->side].frame.extended;
    terms->frame[event->side] = *event->startup;
    terms->frame[event->side].private_data = NULL;
    if (!terms->initiator_known) {
        terms->initiator_known = true;
        terms->initiator = event->startup->key == IW_STARTUP_REQUEST ? event->side : other;
    }
    if (mpa_roles_collide(terms))
        terms->initiator_known = false;
    mpa_settle(mpa);
    terms->rejected |= event->startup->key == IW_STARTUP_REPLY && event->startup->header.r && !mpa->unpaired;
    mpa_agree_terms(mpa);
}

IW_HOT static void mpa_on_event(void *user, const struct iw_llp_event *event) {
    struct iw_mpa *mpa = user;

    if (event->kind == IW_LLP_STARTUP)
        mpa_note_startup(mpa, event);
    else if (event->kind == IW_LLP_SEGMENT && !event->unproven &&
             mpa->half[event->side].framing.markers_known == IW_MARKERS_FOUND)
        mpa->terms.markers[event->side] = mpa->half[event->side].framing.markers;
    mpa->sink(mpa->user, event);
}

bool iw_mpa_depth(const struct iw_mpa_terms *terms, enum iw_side requester, uint32_t *depth) {
    const struct iw_startup *own = &terms->frame[requester];
    const struct iw_startup *peer = &terms->frame[iw_side_other(requester)];

    if (!terms->settled || !own->enhanced || !peer->enhanced || peer->enhanced_data.ird == IW_IRD_ORD_NONE ||
        own->enhanced_data.ord == IW_IRD_ORD_NONE)
        return false;
    *depth = peer->enhanced_data.ird;
    if (terms->initiator != requester && own->enhanced_data.ord < *depth)
        *depth = own->enhanced_data.ord;
    return true;
}

bool iw_mpa_peer_to_peer(const struct iw_mpa_terms *terms, unsigned *rtr) {
    const struct iw_startup *a = &terms->frame[IW_SIDE_A];
    const struct iw_startup *b = &terms->frame[IW_SIDE_B];

    if (!terms->settled || !a->enhanced || !b->enhanced || !a->enhanced_data.a || !b->enhanced_data.a)
        return false;
    *rtr = iw_startup_rtr(&a->enhanced_data) & iw_startup_rtr(&b->enhanced_data);
    return true;
}

void iw_mpa_init(struct iw_mpa *mpa, const struct iw_mpa_config *config, iw_llp_sink *sink, void *user) {
    memset(mpa, 0, sizeof *mpa);
    mpa->config = *config;
    mpa->sink = sink;
    mpa->user = user;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        iw_half_init(&mpa->half[side], side, mpa_on_event, mpa);
        mpa->half[side].terms.expected = config->expected;
        mpa->half[side].terms.forced = config->forced;
        mpa->half[side].terms.resynchronise_off = config->resynchronise_off;
    }
    mpa_agree_terms(mpa);
}

void iw_mpa_dispose(struct iw_mpa *mpa) {
    iw_half_dispose(&mpa->half[IW_SIDE_A]);
    iw_half_dispose(&mpa->half[IW_SIDE_B]);
}

/* Whether the startup frame of the side other than `side` can no longer come. */
static bool mpa_other_startup_cannot_come(const struct iw_mpa *mpa, enum iw_side side) {
    const struct iw_half *other = &mpa->half[iw_side_other(side)];
    bool is_reply = mpa->terms.frame[side].key == IW_STARTUP_REPLY;

    if (is_reply && !other->from_start)
        return true; /* the Request came before the Reply, so before the capture */
    return other->phase != IW_HALF_STARTUP || other->closed;
}

/* Returns the stream offset of the first octet that no event has reported. */
static uint64_t mpa_unreported_from(const struct iw_half *half) {
    switch (half->phase) {
    case IW_HALF_HOLD:
        return half->store.offset;
    case IW_HALF_FPDU:
        return half->reader.start;
    case IW_HALF_SEARCH:
        return half->loss.from;
    case IW_HALF_STARTUP:
        return half->reached - half->store.length - half->frame.cut;
    case IW_HALF_OTHER:
        break;
    }
    return half->reached;
}

/* Resumes a half that waits for the other side's startup frame, if that frame has come or can no longer come.
 * In the second case the first four octets show whether there are Markers. After a Reject, ends reading. */
static void mpa_release_held(struct iw_mpa *mpa) {
    if (!mpa->terms.rejected && iw_mpa_reads(mpa, IW_SIDE_A) && iw_mpa_reads(mpa, IW_SIDE_B))
        return;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        struct iw_half *half = &mpa->half[side];

        /* After a Reject both sides have left MPA, and TCP belongs to the ULP, "for other purposes" (RFC 5044
         * 7.1.2, 2 and 3). No clause defines or forbids a second startup on the same TCP connection: the
         * octets are the ULP's, and a Request among them may be ULP data. They count as not judged. */
        if (mpa->terms.rejected && half->phase != IW_HALF_OTHER)
            iw_half_leave_unread(half, IW_HALF_LEFT_STREAMING, mpa_unreported_from(half));
        else if (half->phase != IW_HALF_HOLD)
            continue;
        else if (mpa->terms.settled)
            iw_half_begin_operation(half, mpa->terms.markers[side], mpa->terms.crc);
        else if (half->store.length >= iw_mpa_marker_octets && mpa_other_startup_cannot_come(mpa, side)) {
            /* Octets captured in place of the Reply answer the Request: they do not reject it. */
            half->terms.unanswered &= !mpa->half[iw_side_other(side)].startup.read;
            iw_half_begin_unsettled(half);
        }
    }
}

/* If a side begins in streaming mode, tells the other half, which then is in streaming mode, too. */
static void mpa_share_streaming(struct iw_mpa *mpa, enum iw_side side) {
    const struct iw_half *half = &mpa->half[side];
    struct iw_half *other = &mpa->half[iw_side_other(side)];
    bool streams =
        half->from_start && half->framing.origin_known == IW_ORIGIN_UNKNOWN && half->startup.streaming > 0;

    if (streams != other->terms.other_streams)
        iw_half_note_other_streams(other, streams);
}

IW_HOT void iw_mpa_feed(struct iw_mpa *mpa, const struct iw_chunk *chunk) {
    if (chunk->kind == IW_CHUNK_OUTSIDE || chunk->kind == IW_CHUNK_DIFFERING)
        return;
    mpa->acknowledges_missing[chunk->side] = chunk->acknowledges_missing;
    if (chunk->kind == IW_CHUNK_DATA) {
        mpa->acked_known[chunk->side] = chunk->acked_known;
        mpa->acked[chunk->side] = chunk->acked;
        mpa->acked_from[chunk->side] = chunk->offset;
    }
    iw_half_answer(&mpa->half[iw_side_other(chunk->side)], chunk);
    iw_half_feed(&mpa->half[chunk->side], chunk);
    if (chunk->kind == IW_CHUNK_START) /* TCP Fast Open: the SYN of the other side has the Request */
        mpa_expect_answer(mpa, chunk->side);
    mpa_share_streaming(mpa, chunk->side);
    mpa_release_held(mpa);
}

void iw_mpa_end_reading(struct iw_mpa *mpa, enum iw_side side) {
    struct iw_half *half = &mpa->half[side];

    if (half->phase != IW_HALF_OTHER)
        iw_half_end_reading(half, mpa_unreported_from(half));
}

void iw_mpa_finish(struct iw_mpa *mpa) {
    iw_half_finish(&mpa->half[IW_SIDE_A]);
    iw_half_finish(&mpa->half[IW_SIDE_B]);
}

bool iw_mpa_startup_may_be_data(const struct iw_mpa *mpa, enum iw_side side) {
    return iw_half_startup_may_be_data(&mpa->half[side]);
}

bool iw_mpa_unstarted(const struct iw_mpa *mpa, enum iw_side side) {
    const struct iw_half *half = &mpa->half[side];

    return iw_mpa_without_startup(mpa, side) && half->startup.streaming == half->reached &&
           half->startup.request_key_octets < sizeof iw_startup_key_request;
}

bool iw_mpa_without_startup(const struct iw_mpa *mpa, enum iw_side side) {
    const struct iw_half *half = &mpa->half[side];

    return half->phase == IW_HALF_STARTUP && half->from_start && !half->startup.hole && half->frame.cut == 0;
}

struct iw_mpa_kept iw_mpa_kept(const struct iw_mpa *mpa, enum iw_side side) {
    const struct iw_store *store = &mpa->half[side].store;

    return (struct iw_mpa_kept){.offset = store->offset,
        .octets = store->length,
        .frame = store->length > 0 ? iw_store_piece(store, 0)->frame : 0};
}

uint64_t iw_mpa_begun_request_end(const struct iw_mpa *mpa, enum iw_side side) {
    const struct iw_half *half = &mpa->half[side];
    uint32_t there = half->store.length;
    size_t key = there < sizeof iw_startup_key_request ? there : sizeof iw_startup_key_request;

    if (!iw_mpa_without_startup(mpa, side) || there == 0 ||
        memcmp(half->store.octets, iw_startup_key_request, key) != 0)
        return 0;
    return half->store.offset +
           (half->frame.octets > 0 ? iw_startup_octets(half->store.octets) : iw_mpa_startup_octets);
}

uint64_t iw_mpa_begun_fpdu_end(const struct iw_mpa *mpa, enum iw_side side) {
    const struct iw_fpdu_reader *reader = &mpa->half[side].reader;

    if (!iw_mpa_reads(mpa, side) || reader->have < iw_mpa_fpdu_octets + iw_ddp_tagged_octets ||
        iw_fpdu_reader_missing(reader) > 0)
        return 0;
    return reader->start + reader->wire;
}

bool iw_mpa_by_segments(const struct iw_mpa *mpa, enum iw_side side) {
    const struct iw_half *half = &mpa->half[side];

    return half->search.found && !half->framing.markers &&
           half->evidence.chained <= iw_alignment_proof_octets(half->terms.crc);
}

void iw_mpa_disprove(struct iw_mpa *mpa, enum iw_side side) {
    mpa->half[side].unproven = true;
    mpa->half[side].evidence.segments = 0;
}

bool iw_mpa_unframed(const struct iw_mpa *mpa, enum iw_side side) {
    const struct iw_half *half = &mpa->half[side];

    return half->unproven || half->phase == IW_HALF_SEARCH ||
           (half->phase == IW_HALF_OTHER && half->loss.left != IW_HALF_LEFT_MPA);
}

bool iw_mpa_recognised(const struct iw_mpa *mpa) {
    return mpa->attempted || mpa->half[IW_SIDE_A].frame.broken || mpa->half[IW_SIDE_B].frame.broken ||
           mpa->terms.seen[IW_SIDE_A] || mpa->terms.seen[IW_SIDE_B] || mpa->unpaired ||
           mpa->half[IW_SIDE_A].search.found || mpa->half[IW_SIDE_B].search.found;
}
