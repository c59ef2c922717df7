#include "iw_half.h"

#include <string.h>

#include "iw_half_part.h"
#include "iw_placement.h"

/* Both Keys begin with these octets, which show the attempt of a startup frame. */
enum { ATTEMPT_OCTETS = 8 };

static bool half_continues_startup_key(const struct iw_half *half, const struct iw_chunk *chunk) {
    uint32_t had = half->store.length < ATTEMPT_OCTETS ? half->store.length : ATTEMPT_OCTETS;
    uint32_t compared = chunk->length < ATTEMPT_OCTETS - had ? chunk->length : ATTEMPT_OCTETS - had;

    return memcmp(chunk->octets, iw_startup_key_request + had, compared) == 0;
}

/* Whether the kept octets can only begin a startup frame; at the start of a stream, 4 octets show that. */
IW_COLD static bool half_begins_startup(const struct iw_half *half) {
    enum { FIRST_OCTETS = 4 };
    uint32_t length = half->store.length < ATTEMPT_OCTETS ? half->store.length : ATTEMPT_OCTETS;
    bool first = half->from_start && half->store.offset == 0;

    return length >= (first ? FIRST_OCTETS : ATTEMPT_OCTETS) &&
           memcmp(half->store.octets, iw_startup_key_request, length) == 0;
}

void iw_half_note_broken_startup(struct iw_half *half) {
    if (!half_begins_startup(half))
        return;
    half->frame.broken = true;
    half->frame.seen = half->store.length;
}

/* What the sender had received when it sent the chunk, for its octets from stream offset `offset` on. */
static struct iw_received half_received_with(const struct iw_chunk *chunk, uint64_t offset) {
    return (struct iw_received){.known = chunk->acked_known,
        .exact = chunk->acked_exact,
        .up_to = chunk->acked,
        .offset = offset,
        .frame = chunk->frame};
}

void iw_half_note_after_startup(struct iw_half *half, const struct iw_chunk *chunk) {
    half->startup.continued = true;
    half->startup.received_next = half_received_with(chunk, half->framing.origin);
    half->startup.received_next.known &= chunk->kind == IW_CHUNK_DATA;
}

/* The length in octets of the extension that may follow the frame, if its Rev is that of a vendor's dialect
 * of MPA; else 0. The extension comes before the other side answers. */
static uint32_t half_startup_extension(const struct iw_half *half) {
    bool open = !half->frame.extended && iw_startup_key_of(half->store.octets) != IW_STARTUP_UNKNOWN &&
                half->frame.octets == iw_startup_octets(half->store.octets);

    return open ? (uint32_t)iw_startup_extension(half->store.octets) : 0;
}

static void half_emit_startup(struct iw_half *half) {
    struct iw_llp_event event = iw_half_event(half, IW_LLP_STARTUP);
    struct iw_startup startup;

    iw_startup_decode(half->store.octets, half->store.length, &startup);
    event.offset = half->store.offset;
    event.octets = half->frame.octets;
    event.frame = half->startup.received.frame;
    event.time_ns = half->frame.time_ns;
    event.first_frame = iw_store_piece(&half->store, 0)->frame;
    event.startup = &startup;
    event.image = half->store.octets;
    event.image_octets = half->frame.octets;
    event.image_captured = half->store.length;
    half->framing.origin = half->store.offset + half->frame.octets;
    half->framing.origin_known = IW_ORIGIN_STARTUP;
    half->taken_from = half->framing.origin;
    half->startup.read = true;
    half->frame.declines_crc = !startup.header.c;
    half->startup.end = half->framing.origin;
    if (half->frame.extended)
        half->startup.end -= iw_startup_extension(half->store.octets);
    half->frame.private_limit =
        startup.header.pd_length < IW_STARTUP_PD_MAX ? IW_STARTUP_PD_MAX - startup.header.pd_length : 0;
    half->sink(half->user, &event);

    /* The end of a frame with an invalid Key or an excessive PD_Length is unknown. */
    if (half->phase == IW_HALF_STARTUP) {
        half->phase = IW_HALF_HOLD;
        if (startup.key == IW_STARTUP_UNKNOWN || startup.header.pd_length > IW_STARTUP_PD_MAX)
            iw_half_give_up(half, IW_HALF_LEFT_UNFRAMED, half->framing.origin);
    }
    iw_store_clear(&half->store, half->framing.origin);
}

/* The last octet of the frame is in `last`. Reports the frame, unless a vendor's extension may follow it. */
static void half_complete_startup(struct iw_half *half, const struct iw_chunk *last) {
    half->startup.received = half_received_with(last, half->store.offset);
    half->frame.time_ns = last->time_ns;
    if (half_startup_extension(half) == 0)
        half_emit_startup(half);
}

/* If the frame may have an extension and `more` octets have come, adds it and returns true. */
static bool half_startup_continues(struct iw_half *half, uint32_t more) {
    uint32_t extension = half_startup_extension(half);

    if (more == 0 || extension == 0)
        return false;
    half->frame.octets += extension;
    half->frame.extended = true;
    return true;
}

/* Whether the frame is complete, except for an extension that may still come. */
static bool half_startup_may_continue(const struct iw_half *half) {
    return half->phase == IW_HALF_STARTUP && half->frame.octets > 0 &&
           half->store.length + half->frame.cut == half->frame.octets;
}

/* Returns the size of the frame at the start of the store, which holds at least 20 octets of it. Returns 20
 * if the Key or PD_Length is invalid. */
static uint32_t half_startup_octets(const struct iw_half *half) {
    size_t octets = iw_startup_octets(half->store.octets);
    struct iw_startup startup;

    iw_startup_decode(half->store.octets, iw_mpa_startup_octets, &startup);
    if (startup.key == IW_STARTUP_UNKNOWN || startup.header.pd_length > IW_STARTUP_PD_MAX)
        return iw_mpa_startup_octets;
    return (uint32_t)octets;
}

/* Takes octets of the chunk up to the end of the frame; returns their number. */
static uint32_t half_collect_startup(struct iw_half *half, const struct iw_chunk *chunk) {
    uint32_t used = 0;

    if (half->store.length == 0)
        iw_store_clear(&half->store, chunk->offset);
    for (;;) {
        uint32_t need = half->frame.octets > 0 ? half->frame.octets : iw_mpa_startup_octets;
        uint32_t want = need - half->store.length;
        uint32_t left = chunk->length - used;
        uint32_t count = left < want ? left : want;

        if (!iw_store_append(&half->store, chunk, used, count)) {
            iw_half_fail(half, half->store.offset);
            return chunk->length;
        }
        used += count;
        if (half->store.length < need)
            return used;
        if (half->frame.octets == 0)
            half->frame.octets = half_startup_octets(half);
        if (half->store.length == half->frame.octets && !half_startup_continues(half, chunk->length - used)) {
            half_complete_startup(half, chunk);
            return used;
        }
    }
}

/* Whether the connection was captured from its beginning and does not begin with a startup frame. FPDUs in
 * what follows, even after a gap, are payload of a different protocol. */
static bool half_is_streaming(const struct iw_half *half) {
    return !half->terms.forced && !half->terms.expected &&
           (half->startup.streaming > 0 || half->terms.other_streams);
}

/* Whether octets other than a startup frame may be FPDUs, as the startup was not captured. */
static bool half_may_be_late(const struct iw_half *half) {
    if (half->terms.forced || (half->startup.hole && half->terms.expected))
        return true;
    return !half->from_start && !half->terms.other_streams;
}

void iw_half_note_other_streams(struct iw_half *half, bool other_streams) {
    half->terms.other_streams = other_streams;
    if (!other_streams || half->phase != IW_HALF_SEARCH || half->framing.origin_known != IW_ORIGIN_UNKNOWN ||
        half->terms.forced)
        return;
    half->phase = IW_HALF_STARTUP;
    half->startup.hole = true;
    iw_store_dispose(&half->store);
    half->at = 0;
}

/* Searches for a Key in octets of streaming mode, where no startup frame is read. `*had` octets of it have
 * come. The first octet of the Key does not occur again in the Key, so a mismatch restarts the comparison. */
static void half_startup_search_key(
    struct iw_half *half, uint8_t *had, const uint8_t *key, const uint8_t *octets, uint32_t length) {
    for (uint32_t i = 0; i < length && *had < sizeof iw_startup_key_request; i++) {
        const uint8_t *first = *had == 0 ? memchr(octets + i, key[0], length - i) : octets + i;

        if (first == NULL)
            break;
        i = (uint32_t)(first - octets);
        *had = (uint8_t)(octets[i] == key[*had] ? *had + 1 : octets[i] == key[0]);
        if (*had == 1)
            half->startup.key_frame = half->last_frame;
    }
}

/* Keeps the first octets: they may be a startup frame with an invalid Key, which is decided later. */
static void half_note_streaming(struct iw_half *half, const uint8_t *octets, uint32_t length) {
    struct iw_startup_facts *startup = &half->startup;

    if (length == 0)
        return;
    if (startup->streaming < sizeof startup->first) {
        startup->received.frame = half->last_frame;
        half->frame.time_ns = half->last_time_ns;
    }
    for (uint32_t i = 0; i < length && startup->streaming + i < sizeof startup->first; i++)
        startup->first[startup->streaming + i] = octets[i];
    half_startup_search_key(half, &startup->request_key_octets, iw_startup_key_request, octets, length);
    half_startup_search_key(half, &startup->reply_key_octets, iw_startup_key_reply, octets, length);
    startup->streaming += length;
    startup->streaming_frame = half->last_frame;
}

/* The other side has sent a Reply after the first octets of this side, and no startup frame follows here: so
 * the first octets were sent in place of the Request. Where FPDUs begin is unknown. */
IW_COLD static void half_emit_first_octets(struct iw_half *half, const struct iw_chunk *chunk) {
    struct iw_llp_event event = iw_half_event(half, IW_LLP_STARTUP);
    struct iw_startup startup;

    iw_startup_decode(half->startup.first, sizeof half->startup.first, &startup);
    event.offset = 0;
    event.octets = event.image_octets = event.image_captured = sizeof half->startup.first;
    event.frame = event.first_frame = half->startup.received.frame;
    event.time_ns = half->frame.time_ns;
    event.startup = &startup;
    event.image = half->startup.first;
    half->startup.read = true;
    half->sink(half->user, &event);
    iw_half_leave_unread(half, IW_HALF_LEFT_UNFRAMED, chunk->offset - half->store.length);
}

/* Octets that are not a startup frame: streaming mode before MPA (RFC 5044 7.1), another protocol, or a late
 * capture. The octets in the store looked like a startup frame so far. */
static void half_feed_streaming(struct iw_half *half, const struct iw_chunk *chunk) {
    uint32_t kept = half->store.length;

    if (half_may_be_late(half)) {
        if (kept == 0)
            iw_store_clear(&half->store, chunk->offset);
        half->segmentation.from = half->store.offset;
        iw_half_search(half, IW_HALF_LOST, half->store.offset, 0);
        iw_half_search_feed(half, chunk);
        return;
    }
    half_note_streaming(half, half->store.octets, kept);
    iw_store_clear(&half->store, chunk->offset);
    if (kept > 0) {
        iw_half_startup_feed(half, chunk); /* the chunk itself may begin a startup frame */
        return;
    }
    half_note_streaming(half, chunk->octets, chunk->length);
    if (half->startup.streaming > IW_HALF_STREAMING_MAX)
        iw_half_give_up(half, IW_HALF_LEFT_LIMIT, half->reached);
}

void iw_half_hold(struct iw_half *half, const struct iw_chunk *chunk, uint32_t from) {
    if (!iw_store_append(&half->store, chunk, from, chunk->length - from))
        iw_half_fail(half, half->store.offset);
}

/* After a hole in the private data, only counts octets of the frame. Returns how many the chunk has. */
static uint32_t half_pass_private_data(struct iw_half *half, const struct iw_chunk *chunk) {
    uint32_t used = 0;
    uint32_t left, count;

    do {
        left = half->frame.octets - half->store.length - half->frame.cut;
        count = chunk->length - used < left ? chunk->length - used : left;
        half->frame.cut += count;
        used += count;
    } while (count == left && half_startup_continues(half, chunk->length - used));
    if (count == left)
        half_complete_startup(half, chunk);
    return used;
}

/* Takes the last `had` octets of streaming mode, which begin the Key, as the beginning of the startup frame.
 */
IW_COLD static void half_startup_take_key(
    struct iw_half *half, const struct iw_chunk *next, const uint8_t *key, uint8_t had) {
    const struct iw_chunk begun = {.octets = key, .frame = half->startup.key_frame, .time_ns = next->time_ns};

    iw_store_clear(&half->store, next->offset - had);
    half->startup.streaming -= had;
    if (!iw_store_append(&half->store, &begun, 0, had))
        iw_half_fail(half, half->store.offset);
}

/* A startup frame is due after streaming mode. It may have begun in a TCP segment of streaming mode: the last
 * message of streaming mode may be sent together with it (RFC 5044 7.1.5), or TCP joins both when it
 * retransmits. If that segment has the whole Key, the frame was not read, and counts as missing. */
static void half_startup_resume_key(struct iw_half *half, const struct iw_chunk *chunk) {
    bool replied = half->terms.replied;
    const uint8_t *key = replied ? iw_startup_key_request : iw_startup_key_reply;
    uint8_t had = replied ? half->startup.request_key_octets : half->startup.reply_key_octets;
    uint32_t left = (uint32_t)sizeof iw_startup_key_request - had;

    if (!half->terms.expected || had == 0 || half->startup.hole || half->store.length > 0)
        return;
    if (left == 0)
        half->startup.hole = true;
    else if (memcmp(chunk->octets, key + had, chunk->length < left ? chunk->length : left) == 0)
        half_startup_take_key(half, chunk, key, had);
}

void iw_half_startup_feed(struct iw_half *half, const struct iw_chunk *chunk) {
    uint32_t used;

    half_startup_resume_key(half, chunk);
    if (half->frame.cut > 0) {
        used = half_pass_private_data(half, chunk);
    } else if ((!half->terms.expected || half->startup.hole) && !half_continues_startup_key(half, chunk)) {
        half_feed_streaming(half, chunk);
        return;
    } else if (half->terms.replied && half->startup.streaming >= sizeof half->startup.first &&
               !half_continues_startup_key(half, chunk)) {
        half_emit_first_octets(half, chunk);
        return;
    } else {
        used = half_collect_startup(half, chunk);
    }
    if (half->phase == IW_HALF_HOLD && used < chunk->length) {
        iw_half_note_after_startup(half, chunk);
        iw_half_hold(half, chunk, used);
    }
}

uint32_t iw_half_startup_gap(struct iw_half *half, const struct iw_chunk *chunk) {
    bool begun = half->store.length > 0;

    if (half->frame.octets > 0)
        return half_pass_private_data(half, chunk);
    if (half_is_streaming(half) && half->store.length < ATTEMPT_OCTETS) {
        half->startup.hole = true;
        iw_store_clear(&half->store, chunk->offset + chunk->length);
    } else {
        iw_half_note_broken_startup(half);
        iw_half_search(half, IW_HALF_LOST, begun ? half->store.offset : chunk->offset,
            begun ? iw_store_piece(&half->store, 0)->frame : chunk->frame);
        iw_half_search_gap(half, chunk, 0);
    }
    return chunk->length;
}

void iw_half_startup_answer(struct iw_half *half, const struct iw_chunk *answer) {
    uint64_t end;

    if (!half_startup_may_continue(half) || answer->kind != IW_CHUNK_DATA || !answer->acked_known)
        return;
    end = half->store.offset + half->frame.octets;
    if (answer->acked >= end && answer->acked < end + half_startup_extension(half))
        half_emit_startup(half);
}

void iw_half_startup_end(struct iw_half *half) {
    if (half_startup_may_continue(half))
        half_emit_startup(half);
}
