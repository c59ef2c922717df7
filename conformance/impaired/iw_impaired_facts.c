#include "iw_impaired_facts.h"

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

static void facts_reach(struct iw_impaired_side *side, uint64_t time_ns) {
    side->reached = true;
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

/* The relay sends to the device. */
static void facts_to_device(struct iw_impaired_facts *facts, enum iw_side end, const struct iw_chunk *chunk) {
    struct iw_impaired_side *side = &facts->sides[end];

    if (!side->reached && facts_shows(facts, end, chunk))
        facts_reach(side, chunk->time_ns);
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
    side->octets += chunk->length;
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
    if (frame->key != IW_STARTUP_REPLY)
        return;
    side->replied = true;
    side->rejected |= frame->header.r != 0;
}

static void facts_take_terminate(struct iw_impaired_side *side, const struct iw_terminate_message *message) {
    if (side->terminated)
        return;
    side->terminated = true;
    side->error = iw_terminate_error(&message->control);
}

void iw_impaired_facts_event(
    struct iw_impaired_facts *facts, enum iw_side end, const struct iw_monitor_event *event) {
    struct iw_impaired_side *side = &facts->sides[end];
    const struct iw_llp_event *llp = event->llp;

    if (llp->side != end) {
        side->told |= event->terminate != NULL;
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
