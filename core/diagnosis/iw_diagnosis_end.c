#include "iw_diagnosis_part.h"
#include "iw_tcp_seq.h"

/* How a connection ended, and whether that was a failure. */

struct end_words {
    const char *how, *name;
};

/* A session over SCTP ends in order by its session Terminate, the shutdown of its association, or the next
 * session. */
static struct end_words end_words(const struct iw_facts *facts, enum iw_ending ending) {
    static const struct end_words tcp[] = {[IW_ENDING_OPEN] = {"open at the end of the capture", ""},
        [IW_ENDING_GRACEFUL] = {"by a FIN", "FIN"},
        [IW_ENDING_RESET] = {"by a RST", "RST"},
        [IW_ENDING_TERMINATE] = {"by a Terminate", "Terminate"},
        [IW_ENDING_REJECTED] = {"by a rejecting Reply", "rejecting Reply"}};
    static const struct end_words sctp[] = {[IW_ENDING_OPEN] = {"open at the end of the capture", ""},
        [IW_ENDING_GRACEFUL] = {"by an orderly end of the session", "orderly end of the session"},
        [IW_ENDING_RESET] = {"by an abort of the association", "abort of the association"},
        [IW_ENDING_TERMINATE] = {"by a Terminate", "Terminate"},
        [IW_ENDING_REJECTED] = {"by a Reject", "Reject"}};

    return facts->life != NULL ? tcp[ending] : sctp[ending];
}

const char *iw_ending_text(const struct iw_facts *facts, enum iw_ending ending) {
    return end_words(facts, ending).how;
}

const char *iw_ending_name(const struct iw_facts *facts, enum iw_ending ending) {
    return end_words(facts, ending).name;
}

static void end_by(
    struct iw_diagnosis *diagnosis, enum iw_ending ending, enum iw_side side, struct iw_history_mark mark) {
    if (mark.frame == 0 || diagnosis->ending > ending ||
        (diagnosis->ending == ending && diagnosis->end.frame <= mark.frame))
        return;
    diagnosis->ending = ending;
    diagnosis->ender = side;
    diagnosis->end = mark;
}

void iw_diagnosis_find_end(const struct iw_facts *facts, struct iw_diagnosis *diagnosis) {
    const struct iw_history *history = facts->history;

    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        const struct iw_history_side *own = &history->side[side];

        if (own->close_kind != IW_LLP_CLOSE_INPUT)
            end_by(diagnosis, own->close_kind == IW_LLP_CLOSE_ABORTIVE ? IW_ENDING_RESET : IW_ENDING_GRACEFUL,
                side, own->close);
        end_by(diagnosis, IW_ENDING_RESET, side, iw_history_trouble(history, side)->rst);
        end_by(diagnosis, IW_ENDING_TERMINATE, side, iw_history_trouble(history, side)->terminate.mark);
        if (facts->terms->rejected && facts->terms->frame[side].key == IW_STARTUP_REPLY)
            end_by(diagnosis, IW_ENDING_REJECTED, side, own->startup);
    }
}

uint64_t iw_diagnosis_age(
    const struct iw_facts *facts, const struct iw_diagnosis *diagnosis, uint64_t since_ns) {
    uint64_t end = diagnosis->ending != IW_ENDING_OPEN ? diagnosis->end.time_ns : iw_facts_last_ns(facts);

    return end > since_ns ? end - since_ns : 0;
}

/* Whether requests of the side surely have no response. */
static bool end_owes(const struct iw_facts *facts, enum iw_side requester) {
    return facts->unanswered[requester].count > facts->unanswered[requester].perhaps;
}

/* When the side that did not end the connection had closed before; frame 0: it had not. */
static struct iw_history_mark end_earlier_close(
    const struct iw_facts *facts, const struct iw_diagnosis *diagnosis) {
    const struct iw_history_side *other = &facts->history->side[iw_side_other(diagnosis->ender)];

    return other->close_kind != IW_LLP_CLOSE_INPUT && other->close.frame < diagnosis->end.frame
               ? other->close
               : (struct iw_history_mark){0, 0};
}

enum iw_side iw_diagnosis_closer(const struct iw_facts *facts, const struct iw_diagnosis *diagnosis) {
    return end_earlier_close(facts, diagnosis).frame != 0 ? iw_side_other(diagnosis->ender)
                                                          : diagnosis->ender;
}

/* Whether the capture may lack octets of the side. */
static bool end_may_lack(const struct iw_facts *facts, enum iw_side side) {
    return iw_facts_side_has_gaps(facts, side) ||
           (facts->life != NULL && iw_tcp_life_lacks(facts->life, side));
}

size_t iw_diagnosis_owed_calls(const struct iw_facts *facts, const struct iw_diagnosis *diagnosis) {
    enum iw_side closer = iw_diagnosis_closer(facts, diagnosis);
    uint64_t closed = end_earlier_close(facts, diagnosis).frame;
    const struct iw_upper_call *oldest;

    if ((diagnosis->ending != IW_ENDING_GRACEFUL && diagnosis->ending != IW_ENDING_RESET) ||
        end_may_lack(facts, closer))
        return 0;
    return iw_facts_open_calls_before(
        facts, iw_side_other(closer), closed != 0 ? closed : diagnosis->end.frame, &oldest);
}

/* Whether the side that closed first left something undone: replies to calls, or the rest of its Write. */
static bool end_leaves(const struct iw_facts *facts, const struct iw_diagnosis *diagnosis) {
    enum iw_side closer = iw_diagnosis_closer(facts, diagnosis);

    return iw_diagnosis_owed_calls(facts, diagnosis) > 0 ||
           (iw_facts_unfinished_write(facts, closer) != NULL && !end_may_lack(facts, closer));
}

static bool end_cuts_off(const struct iw_facts *facts) {
    return facts->history->side[IW_SIDE_A].close_unfinished ||
           facts->history->side[IW_SIDE_B].close_unfinished;
}

/* Whether a RST came directly after octets of the other side, although no FIN had come. Nothing shows then
 * that the program took them: a side that closes has acknowledged what it took before. */
static bool end_resets_octets(const struct iw_facts *facts) {
    const struct iw_tcp_life *life = facts->life;

    if (life == NULL || life->side[IW_SIDE_A].fin_frame != 0 || life->side[IW_SIDE_B].fin_frame != 0)
        return false;
    return iw_tcp_life_trouble(life, IW_SIDE_A)->rst_after_octets ||
           iw_tcp_life_trouble(life, IW_SIDE_B)->rst_after_octets;
}

/* Whether the other side received nothing after the startup frame of the side, captured or not: it
 * acknowledged no octets beyond the captured ones, of which none is of a message. */
static bool end_delivers_no_message(const struct iw_facts *facts, enum iw_side side) {
    const struct iw_tcp_life_side *own = &facts->life->side[side];

    return facts->history->side[side].fpdus == 0 && own->syn && own->has_next && own->has_acked &&
           iw_tcp_seq_distance(own->next + (own->fin_frame != 0), own->acked_seq) <= 0;
}

/* Whether a side reset the connection after the startup, and before any message arrived. After a FIN of the
 * other side, or of the initiator itself, that may be the orderly end of an unused connection. */
static bool end_resets_unused(const struct iw_facts *facts, const struct iw_diagnosis *diagnosis) {
    return facts->life != NULL && facts->terms->settled && !facts->terms->rejected &&
           iw_diagnosis_closer(facts, diagnosis) == diagnosis->ender &&
           (facts->life->side[diagnosis->ender].fin_frame == 0 ||
               diagnosis->ender != facts->terms->initiator) &&
           end_delivers_no_message(facts, IW_SIDE_A) && end_delivers_no_message(facts, IW_SIDE_B);
}

/* ---- what never arrived ---- */

/* Whether segments of the side had a wrong TCP checksum, and its octets are missing: the receiver discarded
 * what the segments carried (RFC 9293 3.1). */
static bool end_discards(const struct iw_facts *facts, enum iw_side side) {
    return facts->tcp != NULL && facts->tcp[side].discarded > 0 &&
           (facts->tcp[side].lost > 0 || (facts->life != NULL && iw_tcp_life_lacks(facts->life, side)));
}

/* Whether the capture shows the connection from its SYN, and it ended before the startup was complete. Octets
 * that the capture lacks may be the startup frame. */
static bool end_lacks_startup(const struct iw_facts *facts) {
    const struct iw_tcp_life *life = facts->life;
    const struct iw_history *history = facts->history;

    if (life == NULL || facts->terms->settled || !(life->side[IW_SIDE_A].syn || life->side[IW_SIDE_B].syn) ||
        history->side[IW_SIDE_A].fpdus + history->side[IW_SIDE_B].fpdus > 0)
        return false;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        if (life->side[side].segments == 0 ||
            ((iw_facts_side_has_gaps(facts, side) || iw_tcp_life_lacks(life, side)) &&
                !end_discards(facts, side)))
            return false;
    return true;
}

/* ---- requests of a capture that begins late ---- */

static uint64_t end_messages(const struct iw_history_side *own, uint8_t opcode) {
    for (unsigned i = 0; i < own->traffic_count; i++)
        if (own->traffic[i].opcode == opcode)
            return own->traffic[i].messages;
    return 0;
}

/* Whether the side sent more requests than responses came. Then at least one request has no response, even if
 * the capture began late: what came may answer earlier requests, but none of it answers two. */
static bool end_lacks_responses(const struct iw_facts *facts, enum iw_side requester) {
    const struct iw_history_side *own = &facts->history->side[requester];
    const struct iw_history_side *peer = &facts->history->side[iw_side_other(requester)];

    if (iw_facts_has_gaps(facts))
        return false;
    for (uint8_t answer = 0; answer < IW_RDMAP_OP_COUNT; answer++) {
        uint64_t requests = 0;

        for (unsigned i = 0; i < own->traffic_count; i++)
            if (own->traffic[i].opcode < IW_RDMAP_OP_COUNT &&
                iw_opcodes[own->traffic[i].opcode].answer == answer)
                requests += own->traffic[i].messages;
        if (answer != IW_RDMAP_OP_NONE && requests > end_messages(peer, answer))
            return true;
    }
    return false;
}

/* Whether requests of the side lack responses, and neither a request nor a response came for long. */
static bool end_hangs(const struct iw_facts *facts, enum iw_side requester) {
    const struct iw_history_requests *requests = iw_history_requests(facts->history);
    uint64_t asked = requests->side[requester].last_request_ns;
    uint64_t answered = requests->side[iw_side_other(requester)].last_answer_ns;
    uint64_t last = iw_facts_last_ns(facts), since = asked > answered ? asked : answered;

    return facts->counts->unjudged[IW_UNJUDGED_STARTUP] > 0 && last > since &&
           last - since >= IW_DIAGNOSIS_HANG_NS && end_lacks_responses(facts, requester);
}

bool iw_diagnosis_has_failed(const struct iw_facts *facts, const struct iw_diagnosis *diagnosis) {
    bool hangs = end_hangs(facts, IW_SIDE_A) || end_hangs(facts, IW_SIDE_B);

    switch (diagnosis->ending) {
    case IW_ENDING_TERMINATE:
    case IW_ENDING_REJECTED:
        return true;
    case IW_ENDING_RESET:
        return hangs || end_leaves(facts, diagnosis) || end_cuts_off(facts) || end_resets_octets(facts) ||
               end_resets_unused(facts, diagnosis) || end_lacks_startup(facts) ||
               end_discards(facts, IW_SIDE_A) || end_discards(facts, IW_SIDE_B) ||
               end_owes(facts, IW_SIDE_A) || end_owes(facts, IW_SIDE_B) ||
               end_lacks_responses(facts, IW_SIDE_A) || end_lacks_responses(facts, IW_SIDE_B);
    case IW_ENDING_GRACEFUL: /* a side may close while it waits for a response itself (RFC 5040 6.2) */
        return hangs || end_leaves(facts, diagnosis) || end_cuts_off(facts) || end_lacks_startup(facts) ||
               end_owes(facts, iw_side_other(diagnosis->ender));
    case IW_ENDING_OPEN:
        break;
    }
    return hangs;
}
