#include "iw_impairment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_pcapng.h"
#include "iw_random.h"
#include "iw_frame.h"

enum {
    HELD_MAX = 16,
    HISTORY_OCTETS = 64, /* that a packet may repeat of those before it */
    COMMENT_OCTETS = IW_PCAPNG_COMMENT_MAX,
};

/* A packet that others overtake. */
struct held {
    struct iw_tcp_segment segment; /* its payload is `octets` */
    uint8_t *octets;
    char *comment;
    const char *note;
    unsigned after; /* so many packets more */
    bool again;     /* it has been put out before */
};

/* Octets of one side that wait for a packet to be full. */
struct joint {
    struct iw_tcp_segment segment; /* of the first of them; its length is theirs */
    enum iw_side side;
    char *comment;
    uint32_t target;
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
    uint64_t passed; /* octets of payload of both sides */
    struct joint joint;
    struct history history[2];
    enum iw_side held_side;
    struct held held[HELD_MAX]; /* in the order in which they were sent */
    unsigned held_count;
    uint8_t overlapping[IW_FRAME_SEGMENT_MAX];
    bool crossing; /* `crossed` waits for a packet of the other side, which the capture gets first */
    enum iw_side crossed_side;
    struct held crossed;
};

/* ---- chance ---- */

static uint32_t draw_below(struct iw_impairment *hardship, uint32_t limit) {
    return (uint32_t)(iw_random_next(&hardship->random) % limit);
}

static bool happens(struct iw_impairment *hardship, enum iw_impairment_chance what) {
    uint32_t chance = hardship->plan->chance[what];

    return chance != 0 && draw_below(hardship, IW_IMPAIRMENT_CERTAIN) < chance;
}

/* ---- into the capture ---- */

static bool is_seen(const struct iw_impairment *hardship, enum iw_side side) {
    return hardship->capturing && (!hardship->plan->one_direction || side == hardship->plan->direction);
}

static void put_out(struct iw_impairment *hardship, enum iw_side side, const struct iw_tcp_segment *segment,
    const char *comment, const char *note) {
    char text[COMMENT_OCTETS];

    if (!is_seen(hardship, side) || happens(hardship, IW_IMPAIRMENT_LOSS) || hardship->status != IW_OK)
        return;
    if (note != NULL) {
        snprintf(text, sizeof text, "%.4000s%s[%s]", comment == NULL ? "" : comment,
            comment == NULL ? "" : " ", note);
        comment = text;
    }
    hardship->status = hardship->sink(hardship->user, segment, comment);
}

/* ---- the two sides in another order ---- */

static void put_out_crossed(struct iw_impairment *hardship) {
    struct held held = hardship->crossed;

    if (!hardship->crossing)
        return;
    hardship->crossing = false;
    put_out(hardship, hardship->crossed_side, &held.segment, held.comment, held.note);
    free(held.octets);
    free(held.comment);
}

/* Copies the packet; returns false if memory runs out. */
static bool keep(struct iw_impairment *hardship, struct held *held, const struct iw_tcp_segment *segment,
    const char *comment, const char *note) {
    *held = (struct held){.segment = *segment,
        .octets = malloc(segment->captured + 1u),
        .comment = comment == NULL ? NULL : strdup(comment),
        .note = note};
    if (held->octets == NULL || (comment != NULL && held->comment == NULL)) {
        hardship->status = IW_ERR_NOMEM;
        free(held->octets);
        free(held->comment);
        return false;
    }
    if (segment->captured > 0)
        memcpy(held->octets, segment->payload, segment->captured);
    held->segment.payload = held->octets;
    return true;
}

static void emit(struct iw_impairment *hardship, enum iw_side side, const struct iw_tcp_segment *segment,
    const char *comment, const char *note) {
    bool of_other = hardship->crossing && side != hardship->crossed_side;

    if (hardship->crossing && !of_other)
        put_out_crossed(hardship); /* keeps the order of each side */
    if (!of_other && segment->length > 0 && happens(hardship, IW_IMPAIRMENT_CROSS) &&
        keep(hardship, &hardship->crossed, segment, comment, note)) {
        hardship->crossing = true;
        hardship->crossed_side = side;
        return;
    }
    put_out(hardship, side, segment, comment, of_other ? "crossed" : note);
    put_out_crossed(hardship);
}

/* ---- stray RSTs ---- */

/* A RST from its sender, or with numbers of another connection; its sequence number is never the next one
 * that its receiver expects. */
static void stray_reset(
    struct iw_impairment *hardship, enum iw_side side, const struct iw_tcp_segment *segment) {
    static const uint32_t far = 0x40000000;
    struct iw_tcp_segment reset = {.source = segment->source,
        .destination = segment->destination,
        .flags = IW_TCP_RST | IW_TCP_ACK,
        .ack = segment->ack,
        .time_ns = segment->time_ns};

    reset.seq = segment->seq + segment->length + 1 + draw_below(hardship, 60000);
    if (draw_below(hardship, 2) == 0)
        reset.seq += far + draw_below(hardship, far);
    put_out(hardship, side, &reset, NULL, "stray reset");
}

/* ---- an earlier connection between the same ports ---- */

static void put_out_earlier(struct iw_impairment *hardship, enum iw_side side,
    const struct iw_tcp_segment *like, unsigned flags, uint32_t seq, uint32_t ack) {
    struct iw_tcp_segment segment = {.source = like->source,
        .destination = like->destination,
        .flags = (uint8_t)(flags | IW_TCP_ACK),
        .seq = seq,
        .ack = ack,
        .time_ns = like->time_ns};

    put_out(hardship, side, &segment, NULL, "of an earlier connection");
}

/* Before the first octets: both FINs of an earlier connection, with distant sequence numbers. */
static void end_earlier(
    struct iw_impairment *hardship, enum iw_side side, const struct iw_tcp_segment *first) {
    static const uint32_t away = 0x28000000;
    struct iw_tcp_segment answer = *first;
    uint32_t seq = first->seq - away, ack = first->ack - away;

    answer.source = first->destination;
    answer.destination = first->source;
    put_out_earlier(hardship, side, first, IW_TCP_FIN, seq, ack);
    put_out_earlier(hardship, iw_side_other(side), &answer, IW_TCP_FIN, ack, seq + 1);
    put_out_earlier(hardship, side, first, 0, seq + 1, ack + 1);
}

/* ---- held back ---- */

static void release(struct iw_impairment *hardship, unsigned index) {
    struct held held = hardship->held[index];

    hardship->held_count--;
    memmove(&hardship->held[index], &hardship->held[index + 1],
        (hardship->held_count - index) * sizeof *hardship->held);
    emit(hardship, hardship->held_side, &held.segment, held.comment, held.note);
    free(held.octets);
    free(held.comment);
}

static void release_all(struct iw_impairment *hardship) {
    while (hardship->held_count > 0)
        release(hardship, 0);
}

/* One more packet has overtaken those that were held before it. */
static void overtake(struct iw_impairment *hardship, unsigned before) {
    for (unsigned i = 0; i < before;) {
        if (--hardship->held[i].after > 0) {
            i++;
            continue;
        }
        release(hardship, i);
        before--;
    }
}

static void hold(struct iw_impairment *hardship, const struct iw_tcp_segment *segment, const char *comment,
    const char *note, bool again, unsigned after) {
    struct held held;

    if (!keep(hardship, &held, segment, comment, note))
        return;
    held.after = after;
    held.again = again;
    if (hardship->held_count == HELD_MAX)
        release(hardship, 0);
    hardship->held[hardship->held_count++] = held;
}

/* ---- order ---- */

/* What its receiver acknowledges: all up to the first octet that has not come. */
static void acknowledge(struct iw_impairment *hardship, enum iw_side side,
    const struct iw_tcp_segment *segment, const char *comment) {
    struct iw_tcp_segment ack = {.source = segment->destination,
        .destination = segment->source,
        .seq = segment->ack,
        .ack = segment->seq + segment->length,
        .flags = IW_TCP_ACK,
        .time_ns = segment->time_ns};

    for (unsigned i = hardship->held_count; i > 0; i--)
        if (!hardship->held[i - 1].again)
            ack.ack = hardship->held[i - 1].segment.seq;
    emit(hardship, iw_side_other(side), &ack, comment, NULL);
}

/* Payload. */
static void send_octets(struct iw_impairment *hardship, enum iw_side side,
    const struct iw_tcp_segment *segment, const char *comment, const char *note) {
    unsigned before = hardship->held_count;

    hardship->held_side = side;
    if (happens(hardship, IW_IMPAIRMENT_RESETS))
        stray_reset(hardship, side, segment);
    if (happens(hardship, IW_IMPAIRMENT_RETRANSMIT))
        hold(hardship, segment, comment, "sent again", false, 4 + draw_below(hardship, 4));
    else if (happens(hardship, IW_IMPAIRMENT_REORDER))
        hold(hardship, segment, comment, "late", false, 1 + draw_below(hardship, 3));
    else
        emit(hardship, side, segment, comment, note);
    if (happens(hardship, IW_IMPAIRMENT_DUPLICATE))
        hold(hardship, segment, comment, "duplicate", true, 1 + draw_below(hardship, 4));
    overtake(hardship, before < hardship->held_count ? before : hardship->held_count);
    if (happens(hardship, IW_IMPAIRMENT_ACKS))
        acknowledge(hardship, side, segment, comment);
}

/* Puts octets in front of the segment that packets before it have carried. */
static void overlap(struct iw_impairment *hardship, enum iw_side side, const struct iw_tcp_segment *segment,
    const char *comment) {
    const struct history *history = &hardship->history[side];
    uint32_t room = IW_FRAME_SEGMENT_MAX - segment->length;
    uint32_t most = history->count < room ? history->count : room;
    struct iw_tcp_segment longer = *segment;

    if (most == 0 || !happens(hardship, IW_IMPAIRMENT_OVERLAP)) {
        send_octets(hardship, side, segment, comment, NULL);
        return;
    }
    uint32_t count = 1 + draw_below(hardship, most);
    memcpy(hardship->overlapping, history->octets + history->count - count, count);
    memcpy(hardship->overlapping + count, segment->payload, segment->length);
    longer.seq -= count;
    longer.length += count;
    longer.captured = longer.length;
    longer.payload = hardship->overlapping;
    send_octets(hardship, side, &longer, comment, "overlapping");
}

static void remember(struct history *history, const struct iw_tcp_segment *segment) {
    uint32_t added = segment->length < HISTORY_OCTETS ? segment->length : HISTORY_OCTETS;
    uint32_t kept = history->count < HISTORY_OCTETS - added ? history->count : HISTORY_OCTETS - added;

    memmove(history->octets, history->octets + history->count - kept, kept);
    memcpy(history->octets + kept, segment->payload + segment->length - added, added);
    history->count = kept + added;
}

/* A packet as TCP sends it. What the other side has sent before is received then. */
static void send(struct iw_impairment *hardship, enum iw_side side, const struct iw_tcp_segment *segment,
    const char *comment) {
    if (hardship->held_side != side || segment->length == 0)
        release_all(hardship);
    if (segment->length == 0) {
        emit(hardship, side, segment, comment, NULL);
        return;
    }
    if (!hardship->capturing && hardship->passed >= hardship->plan->midstream_octets) {
        hardship->capturing = true;
        if (hardship->plan->reuse)
            end_earlier(hardship, side, segment);
    }
    hardship->passed += segment->length;
    overlap(hardship, side, segment, comment);
    remember(&hardship->history[side], segment);
}

/* ---- size ---- */

static void send_joint(struct iw_impairment *hardship) {
    struct joint *joint = &hardship->joint;

    if (joint->segment.length == 0)
        return;
    joint->segment.payload = joint->octets;
    joint->segment.captured = joint->segment.length;
    send(hardship, joint->side, &joint->segment, joint->comment);
    joint->segment.length = 0;
    free(joint->comment);
    joint->comment = NULL;
}

static bool same_text(const char *one, const char *other) {
    return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

/* Begins a packet with what is left of the segment from octet `at` on. */
static void begin_joint(struct iw_impairment *hardship, enum iw_side side,
    const struct iw_tcp_segment *segment, const char *comment, uint32_t at) {
    const struct iw_impairment_plan *plan = hardship->plan;
    struct joint *joint = &hardship->joint;

    joint->segment = *segment;
    joint->segment.seq += at;
    joint->segment.length = 0;
    joint->side = side;
    joint->comment = comment == NULL ? NULL : strdup(comment);
    if (comment != NULL && joint->comment == NULL)
        hardship->status = IW_ERR_NOMEM;
    joint->target = plan->segment_least + draw_below(hardship, plan->segment_most - plan->segment_least + 1);
}

static void join(struct iw_impairment *hardship, enum iw_side side, const struct iw_tcp_segment *segment,
    const char *comment) {
    struct joint *joint = &hardship->joint;

    if (joint->side != side || !same_text(joint->comment, comment))
        send_joint(hardship);
    for (uint32_t at = 0; at < segment->length;) {
        if (joint->segment.length == 0)
            begin_joint(hardship, side, segment, comment, at);
        uint32_t room = joint->target - joint->segment.length;
        uint32_t count = segment->length - at < room ? segment->length - at : room;

        memcpy(joint->octets + joint->segment.length, segment->payload + at, count);
        joint->segment.length += count;
        joint->segment.ack = segment->ack;
        joint->segment.time_ns = segment->time_ns;
        at += count;
        if (joint->segment.length == joint->target)
            send_joint(hardship);
    }
}

/* ---- outside ---- */

struct iw_impairment *iw_impairment_new(
    const struct iw_impairment_plan *plan, uint64_t number, iw_impairment_sink *sink, void *user) {
    struct iw_impairment *hardship = calloc(1, sizeof *hardship);

    if (hardship == NULL)
        return NULL;
    hardship->plan = plan;
    hardship->sink = sink;
    hardship->user = user;
    hardship->capturing = !plan->midstream && !plan->reuse;
    hardship->random = plan->seed;
    hardship->random = iw_random_next(&hardship->random) + number;
    return hardship;
}

void iw_impairment_free(struct iw_impairment *hardship) {
    if (hardship == NULL)
        return;
    for (unsigned i = 0; i < hardship->held_count; i++) {
        free(hardship->held[i].octets);
        free(hardship->held[i].comment);
    }
    if (hardship->crossing) {
        free(hardship->crossed.octets);
        free(hardship->crossed.comment);
    }
    free(hardship->joint.comment);
    free(hardship);
}

enum iw_status iw_impairment_segment(struct iw_impairment *hardship, enum iw_side side,
    const struct iw_tcp_segment *segment, const char *comment) {
    if (hardship->plan->segment_most != 0 && segment->length > 0) {
        join(hardship, side, segment, comment);
        return hardship->status;
    }
    send_joint(hardship);
    send(hardship, side, segment, comment);
    return hardship->status;
}

bool iw_impairment_holds(const struct iw_impairment *hardship) {
    for (unsigned i = 0; i < hardship->held_count; i++)
        if (!hardship->held[i].again)
            return true;
    return false;
}

enum iw_status iw_impairment_finish(struct iw_impairment *hardship) {
    send_joint(hardship);
    release_all(hardship);
    put_out_crossed(hardship);
    return hardship->status;
}
