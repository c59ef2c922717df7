#include <inttypes.h>

#include "iw_explain_text.h"
#include "iw_plural.h"

/* The lines of a story about the protocol above, and about time. */

/* The oldest calls of the layer above without a reply. If something of it is missing, they may have one. */
void iw_explain_text_calls(FILE *out, const struct iw_explained *explained) {
    enum { NAMED = 8 };
    char frame[IW_EXPLAIN_FRAME_OCTETS], name[IW_UPPER_TEXT_OCTETS], time[IW_EXPLAIN_TIME_OCTETS];
    size_t count;
    const struct iw_upper_call *calls = iw_upper_calls(explained->upper, &count);

    if (!iw_upper_calls_complete(explained->upper))
        return;
    if (count > 0)
        fprintf(out, "    without a reply: %zu call%s\n", count, iw_plural(count));
    for (size_t i = 0; i < count && i < NAMED; i++)
        fprintf(out, "      %s, of %s, %s, for %s%s\n", iw_upper_call_name(explained->upper, &calls[i], name),
            iw_explain_side(explained, calls[i].caller),
            iw_explain_frame(explained->chain, calls[i].frame, frame),
            iw_explain_time(iw_explained_age(explained, calls[i].time_ns), time),
            iw_upper_call_waits_for_event(&calls[i]) ? " (normal: the reply comes with an event)" : "");
    if (count > NAMED)
        fprintf(out, "      and %zu more\n", count - NAMED);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        struct iw_upper_credits credits = iw_upper_credits(explained->upper, side);

        if (!credits.known || credits.exhausted_frame == 0)
            continue;
        fprintf(out, "    credits: %s has used all %" PRIu32 " since %s\n", iw_explain_side(explained, side),
            credits.granted, iw_explain_frame(explained->chain, credits.exhausted_frame, frame));
        if (credits.exceeded)
            fprintf(out,
                "      next: look at the program of %s, which has %" PRIu32
                " calls open: more than the other side granted\n",
                iw_explain_side(explained, side), credits.open);
        else
            fprintf(out,
                "      next: look at the program of %s, which grants no more: it has not answered, or "
                "has not posted receives\n",
                iw_explain_side(explained, iw_side_other(side)));
    }
}

/* ---- where time goes ---- */

/* Of fewer, 99 % are within the slowest, which is printed anyway. */
enum { QUANTILE_COUNT = 100 };
enum { MEDIAN_COUNT = 5 }; /* the median of fewer depends on single ones */

/* `first_octets`: whether the first octet of each response was measured. */
static void text_put_latencies(FILE *out, const struct iw_explained *explained, const char *what,
    enum iw_side side, const struct iw_latency *latency, bool first_octets) {
    char time[IW_EXPLAIN_TIME_OCTETS], request[IW_EXPLAIN_FRAME_OCTETS], response[IW_EXPLAIN_FRAME_OCTETS];
    bool several = latency->count > 1;

    fprintf(
        out, "    %s of %s: %" PRIu64 " answered", what, iw_explain_side(explained, side), latency->count);
    if (latency->count >= MEDIAN_COUNT)
        fprintf(out, ", median %s", iw_explain_quantile(latency, 50, time));
    if (several)
        fprintf(out, ", mean %s", iw_explain_time(latency->sum_ns / latency->count, time));
    if (first_octets)
        fprintf(out, ", %s%s to the first octet", several ? "mean " : "",
            iw_explain_time(latency->first_octet_sum_ns / latency->count, time));
    if (latency->count >= QUANTILE_COUNT)
        fprintf(out, ", 99%% within %s", iw_explain_quantile(latency, 99, time));
    fprintf(out, "%s%s: %s, answered in %s\n", several ? "\n      slowest " : ", ",
        iw_explain_time(latency->most_ns, time),
        iw_explain_frame(explained->chain, latency->most_request_frame, request),
        iw_explain_frame(explained->chain, latency->most_response_frame, response));
}

static void text_put_latency(FILE *out, const struct iw_explained *explained, enum iw_side side) {
    const struct iw_history_requester *own = &iw_history_requests(explained->facts.history)->side[side];

    for (unsigned i = 0; i < own->latency_count; i++)
        if (own->latency[i].latency.count > 0)
            text_put_latencies(out, explained, iw_opcodes[own->latency[i].opcode].title, side,
                &own->latency[i].latency, true);
    for (unsigned i = 0; i < explained->calls->count; i++) {
        const struct iw_explain_call *call = &explained->calls->rows[i];

        if (call->caller == side && call->latency.count > 0)
            text_put_latencies(out, explained, iw_explain_call_name(call), side, &call->latency, false);
    }
}

/* Of fewer FPDUs, rates and percentages mean nothing. Nor does the rate of a shorter time. */
enum { PACE_FPDUS = 100, PACE_NS = 1000000 };

static void text_put_rates(FILE *out, const struct iw_history_side *own) {
    uint64_t time_ns = own->last_ns > own->first_ns ? own->last_ns - own->first_ns : 0, octets = 0;

    for (unsigned i = 0; i < own->traffic_count; i++)
        octets += own->traffic[i].octets;
    if (time_ns >= PACE_NS) {
        double rate = (double)octets * 1e9 / (double)time_ns;

        fprintf(
            out, " %.1f %s/s including pauses,", rate / (rate < 1e6 ? 1e3 : 1e6), rate < 1e6 ? "kB" : "MB");
    }
    fprintf(out, " %" PRIu64 "%% of %" PRIu64 " FPDUs below 256 octets, %" PRIu64 "%% within one packet",
        own->small * 100 / own->fpdus, own->fpdus, own->within_packet * 100 / own->fpdus);
}

static void text_put_pace(FILE *out, const struct iw_explained *explained, enum iw_side side) {
    const struct iw_history_side *own = &explained->facts.history->side[side];
    const struct iw_tcp_life *life = explained->facts.life;
    uint32_t most_waiting = iw_history_requests(explained->facts.history)->side[side].most_waiting;
    bool rates = own->fpdus >= PACE_FPDUS;

    if (own->fpdus == 0 || (!rates && life == NULL && most_waiting == 0))
        return;
    fprintf(out, "    %s:", iw_explain_side(explained, side));
    if (rates)
        text_put_rates(out, own);
    if (life != NULL)
        fprintf(out, "%s %" PRIu32 " of %" PRIu64 " segment%s retransmitted", rates ? "," : "",
            iw_tcp_life_trouble(life, side)->retransmissions, life->side[side].segments,
            iw_plural(life->side[side].segments));
    if (most_waiting > 0)
        fprintf(out, "%s up to %" PRIu32 " request%s outstanding", rates || life != NULL ? "," : "",
            most_waiting, iw_plural(most_waiting));
    fputc('\n', out);
}

static void text_put_wait(FILE *out, const struct iw_explained *explained) {
    struct iw_explain_wait wait = iw_explained_wait(explained);
    char begin[IW_EXPLAIN_FRAME_OCTETS], end[IW_EXPLAIN_FRAME_OCTETS], time[IW_EXPLAIN_TIME_OCTETS];

    if (wait.ns == 0)
        return;
    fprintf(out, "    longest wait: %s %s %s %s%s, with %" PRIu32 " request%s outstanding\n",
        iw_explain_time(wait.ns, time), wait.to_end ? "from" : "between",
        iw_explain_frame(explained->chain, wait.begin_frame, begin),
        wait.end_frame == 0 ? "to the end of the capture"
        : wait.to_end       ? "to the end in "
                            : "and ",
        wait.end_frame == 0 ? "" : iw_explain_frame(explained->chain, wait.end_frame, end), wait.outstanding,
        iw_plural(wait.outstanding));
}

void iw_explain_text_time(FILE *out, const struct iw_explained *explained) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        text_put_latency(out, explained, side);
        text_put_pace(out, explained, side);
    }
    text_put_wait(out, explained);
}
