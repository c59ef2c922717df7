#include <inttypes.h>
#include <stdio.h>

#include "iw_diagnosis_part.h"
#include "iw_plural.h"
#include "iw_upper.h"

/* Requests of one side that stay without a response, and calls of the protocol above that stay without a
 * reply, although nothing else explains it. */

enum { HANG_TEXT = IW_DIAGNOSIS_UNSHOWN };

/* How long the oldest request of `side` has waited without progress, to the end of the connection or of the
 * capture. */
static uint64_t hang_waited(const struct iw_facts *facts, enum iw_side side,
    const struct iw_request_name *oldest, const struct iw_diagnosis *diagnosis) {
    uint64_t answer = iw_history_requests(facts->history)->side[iw_side_other(side)].last_answer_ns;
    uint64_t since = answer > oldest->time_ns ? answer : oldest->time_ns;

    return iw_diagnosis_age(facts, diagnosis, since);
}

/* Whether TCP explains that no response comes: the window of the requester is closed, or its host does not
 * acknowledge the latest octets of the response. */
static bool hang_is_of_tcp(const struct iw_facts *facts, enum iw_side requester) {
    enum iw_side responder = iw_side_other(requester);
    uint64_t answer = iw_history_requests(facts->history)->side[responder].last_answer_frame;

    if (facts->life == NULL)
        return false;
    return iw_tcp_life_trouble(facts->life, requester)->zero_since.frame != 0 ||
           iw_tcp_life_trouble(facts->life, responder)->resend.count > 0 ||
           (iw_tcp_life_in_flight(facts->life, responder) && answer > 0 &&
               facts->life->side[responder].last_octets_frame <= answer);
}

/* What the capture shows of the responder after what it sent last, in TCP. */
enum hang_proof {
    HANG_NOTHING_SENT,  /* a later segment shows that it had sent nothing more */
    HANG_NOTHING_SHOWN, /* nothing shows that: what it sent may be lost before the place of the capture */
    HANG_NOT_ACKED,     /* the requester's host has not acknowledged all that the responder sent */
    HANG_NOT_ARRIVED,   /* the request may not have arrived */
};

static enum hang_proof hang_proof(const struct iw_facts *facts, enum iw_side requester, uint64_t since_ns) {
    enum iw_side responder = iw_side_other(requester);

    if (facts->life == NULL)
        return HANG_NOTHING_SHOWN;
    if (iw_tcp_life_in_flight(facts->life, requester))
        return HANG_NOT_ARRIVED;
    if (iw_tcp_life_in_flight(facts->life, responder))
        return HANG_NOT_ACKED;
    return iw_diagnosis_is_silence_shown(facts, responder, since_ns) ? HANG_NOTHING_SENT : HANG_NOTHING_SHOWN;
}

/* Says what the proof leaves open: a sentence with a space before it, or "". */
static const char *hang_text(const struct iw_facts *facts, enum iw_side requester, enum hang_proof proof,
    const struct iw_diagnosis *diagnosis, char text[HANG_TEXT]) {
    const char *asks = iw_facts_side_name(facts, requester);
    const char *owes = iw_facts_side_name(facts, iw_side_other(requester));

    text[0] = '\0';
    if (diagnosis->ending == IW_ENDING_OPEN)
        return iw_diagnosis_missing_text(diagnosis);
    if (proof == HANG_NOTHING_SHOWN)
        iw_diagnosis_unshown_text(facts, iw_side_other(requester), text);
    else if (proof != HANG_NOTHING_SENT)
        snprintf(text, HANG_TEXT, " TCP has not acknowledged all octets of %s.",
            proof == HANG_NOT_ACKED ? owes : asks);
    return text;
}

static enum iw_confidence hang_confidence(
    enum hang_proof proof, const struct iw_diagnosis *diagnosis, enum iw_confidence sure) {
    return proof != HANG_NOTHING_SENT ? IW_CONFIDENCE_POSSIBLE : iw_diagnosis_missing(diagnosis, sure);
}

/* The words for what hangs. */
struct hang_words {
    const char *request, *response, *answerer;
    const char *owing; /* in the text of the cause */
};
static const struct hang_words hang_request = {"request", "response", "device", IW_CAUSE_OWING};
static const struct hang_words hang_call = {"call", "reply", "program", IW_CAUSE_REPLYING};

/* What to look at next: the side that owes the response or reply, unless TCP may be the reason. */
static void hang_next(const struct iw_facts *facts, enum iw_side requester, enum hang_proof proof,
    const struct hang_words *words, struct iw_diagnosed *cause) {
    enum iw_side responder = iw_side_other(requester);

    if (proof == HANG_NOTHING_SENT) {
        iw_diagnosis_next(facts, cause, words->owing, responder);
        return;
    }
    if (cause != NULL)
        snprintf(cause->next, sizeof cause->next,
            "Capture again at the host of %s, and see whether the %s arrives and the whole %s is sent. "
            "If so, look at the path and at the host of %s; otherwise at the %s of %s.",
            iw_facts_side_name(facts, responder), words->request, words->response,
            iw_facts_side_name(facts, requester), words->answerer, iw_facts_side_name(facts, responder));
}

static void hang_stopped(const struct iw_facts *facts, enum iw_side side,
    const struct iw_request_name *oldest, uint64_t waited, struct iw_diagnosis *diagnosis) {
    const struct iw_history_requester *responder =
        &iw_history_requests(facts->history)->side[iw_side_other(side)];
    enum hang_proof proof = hang_proof(facts, side, responder->last_answer_ns);
    char text[HANG_TEXT];
    struct iw_diagnosed *cause =
        iw_diagnosis_add_of(diagnosis, iw_side_other(side), IW_CAUSE_ID_RESPONSE_STOPPED,
            hang_confidence(proof, diagnosis, iw_facts_confidence(facts, IW_CONFIDENCE_CERTAIN)),
            "%" PRIu64 " of %" PRIu32 " octets of the Read Response came, and nothing more for %.3f s.%s",
            oldest->answered, oldest->read_octets, (double)waited / 1e9,
            hang_text(facts, side, proof, diagnosis, text));

    iw_diagnosis_frame(cause, oldest->frame);
    iw_diagnosis_frame(cause, responder->last_answer_frame);
    hang_next(facts, side, proof, &hang_request, cause);
}

/* More requests than the startup permits, and no response: the requester is at fault first. What its receiver
 * does with one more is not defined, so that it is the reason of the silence is not certain. */
static void hang_too_many(const struct iw_facts *facts, enum iw_side side,
    const struct iw_request_name *oldest, uint32_t depth, struct iw_diagnosis *diagnosis) {
    enum hang_proof proof = hang_proof(facts, side, oldest->time_ns);
    char text[HANG_TEXT];
    struct iw_diagnosed *cause = iw_diagnosis_add_of(diagnosis, side, IW_CAUSE_ID_IRD_EXCEEDED,
        hang_confidence(proof, diagnosis, iw_facts_confidence(facts, IW_CONFIDENCE_LIKELY)),
        "%" PRIu64 " requests of %s are outstanding; the startup permits %" PRIu32
        ". For %.3f s none of them has a response.%s",
        facts->unanswered[side].count, iw_facts_side_name(facts, side), depth,
        (double)iw_diagnosis_age(facts, diagnosis, oldest->time_ns) / 1e9,
        hang_text(facts, side, proof, diagnosis, text));

    iw_diagnosis_frame(cause, oldest->frame);
    iw_diagnosis_frame(cause, facts->unanswered[side].named[facts->unanswered[side].named_count - 1].frame);
}

static void hang_missing(const struct iw_facts *facts, enum iw_side side,
    const struct iw_request_name *oldest, struct iw_diagnosis *diagnosis) {
    const struct iw_unanswered *unanswered = &facts->unanswered[side];
    enum hang_proof proof = hang_proof(facts, side, oldest->time_ns);
    enum iw_confidence confidence =
        hang_confidence(proof, diagnosis, iw_facts_confidence(facts, IW_CONFIDENCE_LIKELY));
    double waited = (double)iw_diagnosis_age(facts, diagnosis, oldest->time_ns) / 1e9;
    char text[HANG_TEXT];
    struct iw_diagnosed *cause;
    uint32_t depth;

    if (iw_mpa_depth(facts->terms, side, &depth) && depth > 0 && unanswered->count > depth) {
        hang_too_many(facts, side, oldest, depth, diagnosis);
        return;
    }
    if (iw_mpa_depth(facts->terms, side, &depth) && depth > 0 && unanswered->count == depth)
        cause = iw_diagnosis_add_of(diagnosis, iw_side_other(side), IW_CAUSE_ID_QUEUE_FULL, confidence,
            "%" PRIu64 " request%s of %s %s outstanding; the startup permits %" PRIu32
            ". The oldest waits for %.3f s.%s",
            unanswered->count, iw_plural(unanswered->count), iw_facts_side_name(facts, side),
            unanswered->count == 1 ? "is" : "are", depth, waited,
            hang_text(facts, side, proof, diagnosis, text));
    else
        cause = iw_diagnosis_add_of(diagnosis, iw_side_other(side), IW_CAUSE_ID_RESPONSE_MISSING, confidence,
            "%" PRIu64 " request%s of %s without a response; the oldest, %s with MSN %" PRIu32
            ", for %.3f s.%s",
            unanswered->count, iw_plural(unanswered->count), iw_facts_side_name(facts, side),
            oldest->opcode < IW_RDMAP_OP_COUNT ? iw_opcodes[oldest->opcode].title : "a request", oldest->msn,
            waited, hang_text(facts, side, proof, diagnosis, text));
    iw_diagnosis_frame(cause, oldest->frame);
    hang_next(facts, side, proof, &hang_request, cause);
}

/* Whether a response came of which an incomplete capture does not tell the request: it may be this one. */
static bool hang_may_be_answered(
    const struct iw_facts *facts, enum iw_side side, const struct iw_request_name *oldest) {
    return iw_facts_is_partial(facts) &&
           iw_history_requests(facts->history)->side[iw_side_other(side)].last_answer_ns > oldest->time_ns;
}

void iw_diagnose_hang(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_unanswered *unanswered = &facts->unanswered[side];
    const struct iw_request_name *oldest = &unanswered->named[0];
    uint64_t waited;

    if (unanswered->count == 0 || unanswered->named_count == 0 || unanswered->perhaps > 0 ||
        unanswered->end == IW_UNANSWERED_TERMINATE || hang_is_of_tcp(facts, side) ||
        iw_diagnosis_has_group(diagnosis, IW_CAUSE_DEATH))
        return;
    waited = hang_waited(facts, side, oldest, diagnosis);
    if (waited < IW_DIAGNOSIS_HANG_NS)
        return;
    if (oldest->answered > 0)
        hang_stopped(facts, side, oldest, waited, diagnosis);
    else if (!hang_may_be_answered(facts, side, oldest))
        hang_missing(facts, side, oldest, diagnosis);
}

/* ---- calls of the protocol above ---- */

void iw_diagnose_calls(const struct iw_facts *facts, enum iw_side caller, struct iw_diagnosis *diagnosis) {
    const struct iw_upper_call *oldest = NULL;
    size_t open = iw_facts_open_calls(facts, caller, &oldest);
    char name[IW_UPPER_TEXT_OCTETS], text[HANG_TEXT];
    struct iw_diagnosed *cause;
    enum hang_proof proof;
    uint64_t waited;

    if (open == 0 || diagnosis->ending == IW_ENDING_TERMINATE || diagnosis->ending == IW_ENDING_REJECTED ||
        facts->unanswered[iw_side_other(caller)].count > 0 || /* which waits for the caller */
        iw_facts_has_gaps(facts) || hang_is_of_tcp(facts, caller) ||
        iw_diagnosis_has_group(diagnosis, IW_CAUSE_DEATH) || iw_diagnosis_has_group(diagnosis, IW_CAUSE_HANG))
        return;
    waited = iw_diagnosis_age(facts, diagnosis, oldest->time_ns);
    if (waited < IW_DIAGNOSIS_HANG_NS)
        return;
    proof = hang_proof(facts, caller, oldest->time_ns);
    cause = iw_diagnosis_add_of(diagnosis, iw_side_other(caller), IW_CAUSE_ID_CALL_UNANSWERED,
        hang_confidence(proof, diagnosis, IW_CONFIDENCE_LIKELY),
        "%zu call%s of %s without a reply; the oldest, %s, for %.3f s.%s", open, iw_plural(open),
        iw_facts_side_name(facts, caller), iw_upper_call_name(facts->upper, oldest, name),
        (double)waited / 1e9, hang_text(facts, caller, proof, diagnosis, text));
    iw_diagnosis_frame(cause, oldest->frame);
    hang_next(facts, caller, proof, &hang_call, cause);
}
