#include "iw_mpa.h"

#include <string.h>

static void settle(struct iw_mpa *mpa) {
    struct iw_mpa_terms *terms = &mpa->terms;
    const struct iw_startup *a = &terms->frame[IW_SIDE_A];
    const struct iw_startup *b = &terms->frame[IW_SIDE_B];

    if (terms->settled || !terms->seen[IW_SIDE_A] || !terms->seen[IW_SIDE_B] || a->key == b->key)
        return;
    terms->settled = true;
    terms->markers[IW_SIDE_A] = b->header.m;
    terms->markers[IW_SIDE_B] = a->header.m;
    terms->crc = a->header.c || b->header.c ? IW_CRC_ON : IW_CRC_OFF;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        mpa->half[side].settled = true;
        mpa->half[side].markers = terms->markers[side];
        mpa->half[side].crc = terms->crc;
    }
}

/* A key that begins as both keys do, and goes on otherwise, is nothing but a wrong key; who opens with it
 * wants to be the initiator. */
static void note_attempt(struct iw_mpa *mpa, const struct iw_mpa_event *event) {
    enum { COMMON = 8 }; /* "MPA ID R" */

    if (memcmp(event->startup_octets, iw_startup_key_request, COMMON) != 0)
        return;
    mpa->attempted = true;
    if (!mpa->terms.initiator_known && event->side == IW_SIDE_A) {
        mpa->terms.initiator_known = true;
        mpa->terms.initiator = event->side;
    }
}

static void note_startup(struct iw_mpa *mpa, const struct iw_mpa_event *event) {
    struct iw_mpa_terms *terms = &mpa->terms;
    enum iw_side other = iw_side_other(event->side);

    /* The answer to a startup frame is one too, or stands in its place. */
    mpa->half[other].expected |= mpa->half[other].from_start;
    if (event->startup->key == IW_STARTUP_UNKNOWN) {
        note_attempt(mpa, event);
        return;
    }
    mpa->half[other].markers = event->startup->header.m;
    terms->seen[event->side] = true;
    terms->frame[event->side] = *event->startup;
    terms->frame[event->side].private_data = NULL;
    if (!terms->initiator_known) {
        terms->initiator_known = true;
        terms->initiator = event->startup->key == IW_STARTUP_REQUEST ? event->side : other;
    }
    if (event->startup->header.c) {
        mpa->half[IW_SIDE_A].crc = IW_CRC_ON; /* one wish is enough, whatever the other side says */
        mpa->half[IW_SIDE_B].crc = IW_CRC_ON;
    }
    terms->rejected |= event->startup->key == IW_STARTUP_REPLY && event->startup->header.r;
    settle(mpa);
}

static void on_event(void *user, const struct iw_mpa_event *event) {
    struct iw_mpa *mpa = user;

    if (event->kind == IW_MPA_STARTUP)
        note_startup(mpa, event);
    mpa->sink(mpa->user, event);
}

void iw_mpa_init(struct iw_mpa *mpa, bool expected, iw_mpa_sink *sink, void *user) {
    memset(mpa, 0, sizeof *mpa);
    mpa->terms.crc = IW_CRC_UNKNOWN;
    mpa->sink = sink;
    mpa->user = user;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        iw_half_init(&mpa->half[side], side, on_event, mpa);
        mpa->half[side].expected = expected;
    }
}

void iw_mpa_dispose(struct iw_mpa *mpa) {
    iw_half_dispose(&mpa->half[IW_SIDE_A]);
    iw_half_dispose(&mpa->half[IW_SIDE_B]);
}

/* Whether the answer that a half waits for cannot come any more. */
static bool waits_in_vain(const struct iw_mpa *mpa, enum iw_side side) {
    const struct iw_half *other = &mpa->half[iw_side_other(side)];
    bool is_reply = mpa->terms.frame[side].key == IW_STARTUP_REPLY;

    if (is_reply && !other->from_start)
        return true; /* the Request came before the Reply, so before the capture */
    return other->phase != IW_HALF_STARTUP || other->closed;
}

/* A half that waits for the other side's startup frame goes on when that has come, or when it cannot come. It
 * takes four octets to see whether there are markers. */
static void release(struct iw_mpa *mpa) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        struct iw_half *half = &mpa->half[side];

        if (mpa->terms.rejected && half->phase != IW_HALF_OTHER)
            iw_half_leave(half); /* MPA is left; TCP is the ULP's (RFC 5044 7.1.2) */
        else if (half->phase != IW_HALF_HOLD)
            continue;
        else if (mpa->terms.settled)
            iw_half_go(half, mpa->terms.markers[side], mpa->terms.crc);
        else if (half->store.length >= iw_mpa_marker_octets && waits_in_vain(mpa, side))
            iw_half_go_unsettled(half);
    }
}

void iw_mpa_feed(struct iw_mpa *mpa, const struct iw_chunk *chunk) {
    iw_half_feed(&mpa->half[chunk->side], chunk);
    release(mpa);
}

void iw_mpa_finish(struct iw_mpa *mpa) {
    iw_half_finish(&mpa->half[IW_SIDE_A]);
    iw_half_finish(&mpa->half[IW_SIDE_B]);
}

bool iw_mpa_recognised(const struct iw_mpa *mpa) {
    return mpa->attempted || mpa->terms.seen[IW_SIDE_A] || mpa->terms.seen[IW_SIDE_B] ||
           mpa->half[IW_SIDE_A].resynchronised || mpa->half[IW_SIDE_B].resynchronised;
}

bool iw_mpa_hopeless(const struct iw_mpa *mpa) {
    return mpa->half[IW_SIDE_A].phase == IW_HALF_OTHER && mpa->half[IW_SIDE_B].phase == IW_HALF_OTHER;
}
