#include "iw_impaired_facts.h"

#include "iw_crc32c.h"
#include "iw_fpdu.h"

void iw_impaired_facts_rule(
    struct iw_impaired_facts *facts, enum iw_side sender, uint64_t passed, bool applied) {
    facts->unfit |= !applied;
    if (!applied || facts->impaired)
        return;
    facts->impaired = true;
    facts->sender = sender;
    facts->passed = passed;
}

/* ---- chunks ---- */

/* Whether the octets begin with an FPDU whose CRC is valid. */
static bool facts_begin_with_fpdu(const uint8_t *octets, size_t length) {
    struct iw_mpa_fpdu fpdu;
    struct iw_mpa_crc crc;
    size_t covered;

    if (length < iw_mpa_fpdu_octets)
        return false;
    iw_mpa_fpdu_decode(octets, &fpdu);
    covered = iw_mpa_fpdu_octets + fpdu.ulpdu_length + iw_fpdu_pad(fpdu.ulpdu_length);
    if (length < covered + iw_mpa_crc_octets)
        return false;
    iw_mpa_crc_decode(octets + covered, &crc);
    return crc.crc == iw_crc32c(octets, covered);
}

static void facts_reach(struct iw_impaired_side *side, uint64_t time_ns) {
    side->reached = true;
    side->reached_ns = time_ns;
    side->closed_before = side->fin || side->rst;
    side->quiet_ns = time_ns - side->last_ns;
}

/* Whether the chunk shows the device what was changed. A unit that the relay omits shows by what follows it;
 * to its sender, it shows by what comes back. */
static bool facts_shows(
    const struct iw_impaired_facts *facts, enum iw_side end, const struct iw_chunk *chunk) {
    if (!facts->impaired || chunk->kind == IW_CHUNK_START)
        return false;
    return facts->sender == end || chunk->kind != IW_CHUNK_DATA ||
           chunk->offset + chunk->length > facts->passed;
}

static bool facts_ended_by_other(const struct iw_impaired_side *side) {
    return side->told || side->got_fin || side->got_rst;
}

/* The end of the other device reaches the device. */
static void facts_meet_end(struct iw_impaired_side *side, uint64_t time_ns) {
    if (!facts_ended_by_other(side) && side->reached)
        side->alone_ns = time_ns - side->reached_ns;
}

/* The relay sends to the device. */
static void facts_to_device(struct iw_impaired_facts *facts, enum iw_side end, const struct iw_chunk *chunk) {
    struct iw_impaired_side *side = &facts->sides[end];

    if (!side->reached && facts_shows(facts, end, chunk))
        facts_reach(side, chunk->time_ns);
    if (chunk->kind == IW_CHUNK_FIN || chunk->kind == IW_CHUNK_RST)
        facts_meet_end(side, chunk->time_ns);
    side->got_fin |= chunk->kind == IW_CHUNK_FIN;
    side->got_rst |= chunk->kind == IW_CHUNK_RST;
}

void iw_impaired_facts_chunk(
    struct iw_impaired_facts *facts, enum iw_side end, const struct iw_chunk *chunk) {
    struct iw_impaired_side *side = &facts->sides[end];

    if (chunk->side != end) {
        facts_to_device(facts, end, chunk);
        return;
    }
    if (chunk->kind == IW_CHUNK_START || chunk->kind == IW_CHUNK_DATA)
        side->last_ns = chunk->time_ns;
    if (chunk->kind == IW_CHUNK_START)
        side->begin_ns = chunk->time_ns;
    if (side->got_reject && side->octets == side->startup_octets && chunk->octets != NULL &&
        facts_begin_with_fpdu(chunk->octets, chunk->length))
        side->messages++;
    side->octets += chunk->length;
    if ((chunk->kind == IW_CHUNK_FIN || chunk->kind == IW_CHUNK_RST) && !side->fin && !side->rst) {
        side->followed = facts_ended_by_other(side);
        side->life_ns = chunk->time_ns - side->begin_ns;
    }
    side->fin |= chunk->kind == IW_CHUNK_FIN;
    side->rst |= chunk->kind == IW_CHUNK_RST;
}

/* ---- events ---- */

static void facts_take_startup(
    struct iw_impaired_facts *facts, enum iw_side end, const struct iw_startup *frame) {
    struct iw_impaired_side *side = &facts->sides[end];

    facts->crc |= frame->header.c != 0;
    facts->markers[end] = frame->header.m != 0;
    facts->enhanced[end] = frame->enhanced;
    if (frame->key == IW_STARTUP_REQUEST)
        facts->depths = frame->enhanced && frame->enhanced_data.ird != IW_IRD_ORD_NONE;
    if (frame->key != IW_STARTUP_REPLY)
        return;
    side->replied = true;
    side->rejected |= frame->header.r != 0;
}

static void facts_take_terminate(struct iw_impaired_side *side, const struct iw_terminate_message *message) {
    if (side->terminated)
        return;
    side->terminated = true;
    side->terminated_before = !side->reached;
    side->error = iw_terminate_error(&message->control);
}

/* An event of what the relay sends to the device. */
static void facts_take_received(
    struct iw_impaired_facts *facts, enum iw_side end, const struct iw_monitor_event *event) {
    struct iw_impaired_side *side = &facts->sides[end];
    const struct iw_llp_event *llp = event->llp;

    if (event->terminate != NULL) {
        facts_meet_end(side, llp->time_ns);
        side->told = true;
    }
    if (llp->kind == IW_LLP_SEGMENT && llp->fpdu != NULL && llp->fpdu->crc != IW_CRC_BAD &&
        (!facts->impaired || facts->sender == end || llp->offset < facts->passed))
        side->got_fpdu = true;
    if (llp->kind == IW_LLP_STARTUP && llp->startup->key == IW_STARTUP_REPLY)
        side->got_reject |= llp->startup->header.r != 0;
}

void iw_impaired_facts_event(
    struct iw_impaired_facts *facts, enum iw_side end, const struct iw_monitor_event *event) {
    struct iw_impaired_side *side = &facts->sides[end];
    const struct iw_llp_event *llp = event->llp;

    if (llp->side != end) {
        facts_take_received(facts, end, event);
        return;
    }
    if (llp->kind == IW_LLP_STARTUP && llp->startup->key != IW_STARTUP_UNKNOWN) {
        side->startup_octets = llp->octets;
        facts_take_startup(facts, end, llp->startup);
    }
    if (event->terminate != NULL) {
        facts_take_terminate(side, event->terminate);
    } else if (event->segment != NULL && event->segment->last) {
        side->messages++;
        side->after += side->reached;
    }
}
