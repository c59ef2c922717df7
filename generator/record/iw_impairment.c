#include "iw_impairment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_pcapng.h"
#include "iw_random.h"
#include "iw_frame.h"

enum {
    HELD_MAX = 16,
    HISTORY_OCTETS = 64, /* earlier octets that a packet may repeat */
    COMMENT_OCTETS = IW_PCAPNG_COMMENT_MAX,
};

/* A packet that is held back, so that later packets overtake it. */
struct held {
    struct iw_tcp_segment segment; /* its payload is `octets` */
    uint8_t *octets;
    char *comment;
    const char *note;
    unsigned after; /* it is released after this number of further packets */
    bool duplicate; /* the second copy of a packet: the receiver does not need it */
};

/* Octets of one side, collected until they fill a packet. */
struct joined {
    struct iw_tcp_segment segment; /* seq: of the first octet; ack and time: of the last; length: of all */
    enum iw_side side;
    char *comment;
    uint32_t target; /* length of the full packet */
    uint8_t octets[IW_FRAME_SEGMENT_MAX];
};

struct history {
    uint8_t octets[HISTORY_OCTETS];
    uint32_t count;
};

struct iw_impairment {
    const struct iw_impairment_plan *plan;
    iw_impairment_sink *sink;
    void *user;
    enum iw_status status;
    uint64_t random;
    bool capturing;
    uint64_t passed; /* payload octets of both sides so far */
    struct joined joined;
    struct history history[2];
    enum iw_side held_side;
    struct held held[HELD_MAX]; /* in the order in which they were sent */
    unsigned held_count;
    uint8_t overlapping[IW_FRAME_SEGMENT_MAX];
    bool crossing; /* `crossed` is held until the other side's packet is captured, or its side sends again */
    enum iw_side crossed_side;
    struct held crossed;
};

static void impairment_held_dispose(struct held *held) {
    free(held->octets);
    free(held->comment);
}

static uint32_t impairment_draw_below(struct iw_impairment *impairment, uint32_t limit) {
    return (uint32_t)(iw_random_next(&impairment->random) % limit);
}

static bool impairment_happens(struct iw_impairment *impairment, enum iw_impairment_chance what) {
    uint32_t chance = impairment->plan->chance[what];

    return chance != 0 && impairment_draw_below(impairment, IW_IMPAIRMENT_CERTAIN) < chance;
}

static bool impairment_is_captured(const struct iw_impairment *impairment, enum iw_side side) {
    return impairment->capturing && (!impairment->plan->one_direction || side == impairment->plan->direction);
}

static void impairment_capture_packet(struct iw_impairment *impairment, enum iw_side side,
    const struct iw_tcp_segment *segment, const char *comment, const char *note) {
    char text[COMMENT_OCTETS];

    if (!impairment_is_captured(impairment, side) || impairment_happens(impairment, IW_IMPAIRMENT_LOSS) ||
        impairment->status != IW_OK)
        return;
    if (note != NULL) {
        snprintf(text, sizeof text, "%.4000s%s[%s]", comment == NULL ? "" : comment,
            comment == NULL ? "" : " ", note);
        comment = text;
    }
    impairment->status = impairment->sink(impairment->user, segment, comment);
}

static void impairment_capture_crossed(struct iw_impairment *impairment) {
    struct held held = impairment->crossed;

    if (!impairment->crossing)
        return;
    impairment->crossing = false;
    impairment_capture_packet(impairment, impairment->crossed_side, &held.segment, held.comment, held.note);
    impairment_held_dispose(&held);
}

static bool impairment_copy_packet(struct iw_impairment *impairment, struct held *held,
    const struct iw_tcp_segment *segment, const char *comment, const char *note) {
    *held = (struct held){.segment = *segment,
        .octets = malloc(segment->captured + 1u),
        .comment = comment == NULL ? NULL : strdup(comment),
        .note = note};
    if (held->octets == NULL || (comment != NULL && held->comment == NULL)) {
        impairment->status = IW_ERR_NOMEM;
        impairment_held_dispose(held);
        return false;
    }
    if (segment->captured > 0)
        memcpy(held->octets, segment->payload, segment->captured);
    held->segment.payload = held->octets;
    return true;
}

static void impairment_emit(struct iw_impairment *impairment, enum iw_side side,
    const struct iw_tcp_segment *segment, const char *comment, const char *note) {
    bool of_other = impairment->crossing && side != impairment->crossed_side;

    if (impairment->crossing && !of_other)
        impairment_capture_crossed(impairment); /* keeps the order within each side */
    if (!of_other && segment->length > 0 && impairment_happens(impairment, IW_IMPAIRMENT_CROSS) &&
        impairment_copy_packet(impairment, &impairment->crossed, segment, comment, note)) {
        impairment->crossing = true;
        impairment->crossed_side = side;
        return;
    }
    impairment_capture_packet(impairment, side, segment, comment, of_other ? "crossed" : note);
    impairment_capture_crossed(impairment);
}

/* Captures a RST with an unexpected sequence number: up to 60,000 after the expected one, or far away. */
static void impairment_emit_stray_reset(
    struct iw_impairment *impairment, enum iw_side side, const struct iw_tcp_segment *segment) {
    static const uint32_t far = 0x40000000;
    struct iw_tcp_segment reset = {.source = segment->source,
        .destination = segment->destination,
        .flags = IW_TCP_RST | IW_TCP_ACK,
        .ack = segment->ack,
        .time_ns = segment->time_ns};

    reset.seq = segment->seq + segment->length + 1 + impairment_draw_below(impairment, 60000);
    if (impairment_draw_below(impairment, 2) == 0)
        reset.seq += far + impairment_draw_below(impairment, far);
    impairment_capture_packet(impairment, side, &reset, NULL, "stray reset");
}

static void impairment_capture_earlier(struct iw_impairment *impairment, enum iw_side side,
    const struct iw_tcp_segment *like, unsigned flags, uint32_t seq, uint32_t ack) {
    struct iw_tcp_segment segment = {.source = like->source,
        .destination = like->destination,
        .flags = (uint8_t)(flags | IW_TCP_ACK),
        .seq = seq,
        .ack = ack,
        .time_ns = like->time_ns};

    impairment_capture_packet(impairment, side, &segment, NULL, "of an earlier connection");
}

/* Captures the end of an earlier connection: both FINs and the last ACK, with distant sequence numbers. */
static void impairment_emit_earlier_ends(
    struct iw_impairment *impairment, enum iw_side side, const struct iw_tcp_segment *first) {
    static const uint32_t away = 0x28000000;
    struct iw_tcp_segment answer = *first;
    uint32_t seq = first->seq - away, ack = first->ack - away;

    answer.source = first->destination;
    answer.destination = first->source;
    impairment_capture_earlier(impairment, side, first, IW_TCP_FIN, seq, ack);
    impairment_capture_earlier(impairment, iw_side_other(side), &answer, IW_TCP_FIN, ack, seq + 1);
    impairment_capture_earlier(impairment, side, first, 0, seq + 1, ack + 1);
}

static void impairment_release(struct iw_impairment *impairment, unsigned index) {
    struct held held = impairment->held[index];

    impairment->held_count--;
    memmove(&impairment->held[index], &impairment->held[index + 1],
        (impairment->held_count - index) * sizeof *impairment->held);
    impairment_emit(impairment, impairment->held_side, &held.segment, held.comment, held.note);
    impairment_held_dispose(&held);
}

static void impairment_release_all_held(struct iw_impairment *impairment) {
    while (impairment->held_count > 0)
        impairment_release(impairment, 0);
}

/* Counts a packet that has overtaken the first `before` held packets, and releases those that are due. */
static void impairment_count_overtaking(struct iw_impairment *impairment, unsigned before) {
    for (unsigned i = 0; i < before;) {
        if (--impairment->held[i].after > 0) {
            i++;
            continue;
        }
        impairment_release(impairment, i);
        before--;
    }
}

static void impairment_hold_packet(struct iw_impairment *impairment, const struct iw_tcp_segment *segment,
    const char *comment, const char *note, bool duplicate, unsigned after) {
    struct held held;

    if (!impairment_copy_packet(impairment, &held, segment, comment, note))
        return;
    held.after = after;
    held.duplicate = duplicate;
    if (impairment->held_count == HELD_MAX)
        impairment_release(impairment, 0);
    impairment->held[impairment->held_count++] = held;
}

/* Sends the receiver's acknowledgement of all octets before the first missing one. */
static void impairment_acknowledge(struct iw_impairment *impairment, enum iw_side side,
    const struct iw_tcp_segment *segment, const char *comment) {
    struct iw_tcp_segment ack = {.source = segment->destination,
        .destination = segment->source,
        .seq = segment->ack,
        .ack = segment->seq + segment->length,
        .flags = IW_TCP_ACK,
        .time_ns = segment->time_ns};

    for (unsigned i = impairment->held_count; i > 0; i--)
        if (!impairment->held[i - 1].duplicate)
            ack.ack = impairment->held[i - 1].segment.seq;
    impairment_emit(impairment, iw_side_other(side), &ack, comment, NULL);
}

static void impairment_send_octets(struct iw_impairment *impairment, enum iw_side side,
    const struct iw_tcp_segment *segment, const char *comment, const char *note) {
    unsigned before = impairment->held_count;

    impairment->held_side = side;
    if (impairment_happens(impairment, IW_IMPAIRMENT_RESETS))
        impairment_emit_stray_reset(impairment, side, segment);
    if (impairment_happens(impairment, IW_IMPAIRMENT_RETRANSMIT))
        impairment_hold_packet(
            impairment, segment, comment, "sent again", false, 4 + impairment_draw_below(impairment, 4));
    else if (impairment_happens(impairment, IW_IMPAIRMENT_REORDER))
        impairment_hold_packet(
            impairment, segment, comment, "late", false, 1 + impairment_draw_below(impairment, 3));
    else
        impairment_emit(impairment, side, segment, comment, note);
    if (impairment_happens(impairment, IW_IMPAIRMENT_DUPLICATE))
        impairment_hold_packet(
            impairment, segment, comment, "duplicate", true, 1 + impairment_draw_below(impairment, 4));
    impairment_count_overtaking(
        impairment, before < impairment->held_count ? before : impairment->held_count);
    if (impairment_happens(impairment, IW_IMPAIRMENT_ACKS))
        impairment_acknowledge(impairment, side, segment, comment);
}

/* Sends a segment with payload; by chance, prepends octets that earlier packets carried. */
static void impairment_overlap(struct iw_impairment *impairment, enum iw_side side,
    const struct iw_tcp_segment *segment, const char *comment) {
    const struct history *history = &impairment->history[side];
    uint32_t left = IW_FRAME_SEGMENT_MAX - segment->length;
    uint32_t most = history->count < left ? history->count : left;
    struct iw_tcp_segment longer = *segment;

    if (most == 0 || !impairment_happens(impairment, IW_IMPAIRMENT_OVERLAP)) {
        impairment_send_octets(impairment, side, segment, comment, NULL);
        return;
    }
    uint32_t count = 1 + impairment_draw_below(impairment, most);
    memcpy(impairment->overlapping, history->octets + history->count - count, count);
    memcpy(impairment->overlapping + count, segment->payload, segment->length);
    longer.seq -= count;
    longer.length += count;
    longer.captured = longer.length;
    longer.payload = impairment->overlapping;
    impairment_send_octets(impairment, side, &longer, comment, "overlapping");
}

static void impairment_history_add(struct history *history, const struct iw_tcp_segment *segment) {
    uint32_t added = segment->length < HISTORY_OCTETS ? segment->length : HISTORY_OCTETS;
    uint32_t kept = history->count < HISTORY_OCTETS - added ? history->count : HISTORY_OCTETS - added;

    memmove(history->octets, history->octets + history->count - kept, kept);
    memcpy(history->octets + kept, segment->payload + segment->length - added, added);
    history->count = kept + added;
}

/* Sends a packet. Releases held packets of the other side first, because this side had received them. A
 * packet without payload overtakes no held packet. */
static void impairment_send(struct iw_impairment *impairment, enum iw_side side,
    const struct iw_tcp_segment *segment, const char *comment) {
    if (impairment->held_side != side || segment->length == 0)
        impairment_release_all_held(impairment);
    if (segment->length == 0) {
        impairment_emit(impairment, side, segment, comment, NULL);
        return;
    }
    if (!impairment->capturing && impairment->passed >= impairment->plan->midstream_octets) {
        impairment->capturing = true;
        if (impairment->plan->reuse)
            impairment_emit_earlier_ends(impairment, side, segment);
    }
    impairment->passed += segment->length;
    impairment_overlap(impairment, side, segment, comment);
    impairment_history_add(&impairment->history[side], segment);
}

static void impairment_send_joined(struct iw_impairment *impairment) {
    struct joined *joined = &impairment->joined;

    if (joined->segment.length == 0)
        return;
    joined->segment.payload = joined->octets;
    joined->segment.captured = joined->segment.length;
    impairment_send(impairment, joined->side, &joined->segment, joined->comment);
    joined->segment.length = 0;
    free(joined->comment);
    joined->comment = NULL;
}

static bool impairment_same_text(const char *one, const char *other) {
    return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

static void impairment_begin_joined(struct iw_impairment *impairment, enum iw_side side,
    const struct iw_tcp_segment *segment, const char *comment, uint32_t at) {
    const struct iw_impairment_plan *plan = impairment->plan;
    struct joined *joined = &impairment->joined;

    joined->segment = *segment;
    joined->segment.seq += at;
    joined->segment.length = 0;
    joined->side = side;
    joined->comment = comment == NULL ? NULL : strdup(comment);
    if (comment != NULL && joined->comment == NULL)
        impairment->status = IW_ERR_NOMEM;
    joined->target =
        plan->segment_least + impairment_draw_below(impairment, plan->segment_most - plan->segment_least + 1);
}

static void impairment_join_octets(struct iw_impairment *impairment, enum iw_side side,
    const struct iw_tcp_segment *segment, const char *comment) {
    struct joined *joined = &impairment->joined;

    if (joined->side != side || !impairment_same_text(joined->comment, comment))
        impairment_send_joined(impairment);
    for (uint32_t at = 0; at < segment->length;) {
        if (joined->segment.length == 0)
            impairment_begin_joined(impairment, side, segment, comment, at);
        uint32_t left = joined->target - joined->segment.length;
        uint32_t count = segment->length - at < left ? segment->length - at : left;

        memcpy(joined->octets + joined->segment.length, segment->payload + at, count);
        joined->segment.length += count;
        joined->segment.ack = segment->ack;
        joined->segment.time_ns = segment->time_ns;
        at += count;
        if (joined->segment.length == joined->target)
            impairment_send_joined(impairment);
    }
}

struct iw_impairment *iw_impairment_new(
    const struct iw_impairment_plan *plan, uint64_t number, iw_impairment_sink *sink, void *user) {
    struct iw_impairment *impairment = calloc(1, sizeof *impairment);

    if (impairment == NULL)
        return NULL;
    impairment->plan = plan;
    impairment->sink = sink;
    impairment->user = user;
    impairment->capturing = !plan->midstream && !plan->reuse;
    impairment->random = plan->seed;
    impairment->random = iw_random_next(&impairment->random) + number;
    return impairment;
}

void iw_impairment_free(struct iw_impairment *impairment) {
    if (impairment == NULL)
        return;
    for (unsigned i = 0; i < impairment->held_count; i++)
        impairment_held_dispose(&impairment->held[i]);
    if (impairment->crossing)
        impairment_held_dispose(&impairment->crossed);
    free(impairment->joined.comment);
    free(impairment);
}

enum iw_status iw_impairment_segment(struct iw_impairment *impairment, enum iw_side side,
    const struct iw_tcp_segment *segment, const char *comment) {
    if (impairment->plan->segment_most != 0 && segment->length > 0) {
        impairment_join_octets(impairment, side, segment, comment);
        return impairment->status;
    }
    impairment_send_joined(impairment);
    impairment_send(impairment, side, segment, comment);
    return impairment->status;
}

bool iw_impairment_holds(const struct iw_impairment *impairment) {
    for (unsigned i = 0; i < impairment->held_count; i++)
        if (!impairment->held[i].duplicate)
            return true;
    return false;
}

enum iw_status iw_impairment_finish(struct iw_impairment *impairment) {
    impairment_send_joined(impairment);
    impairment_release_all_held(impairment);
    impairment_capture_crossed(impairment);
    return impairment->status;
}
