#pragma once

#include "iw_history.h"
#include "iw_tcp_life.h"
#include "iw_tcp_stream.h"

/* What the capture shows of one connection. */

enum iw_confidence {
    IW_CONFIDENCE_POSSIBLE, /* the facts fit, and others would fit as well */
    IW_CONFIDENCE_LIKELY,   /* the facts fit, and the capture does not contradict */
    IW_CONFIDENCE_CERTAIN,  /* the octets show it */
};

const char *iw_confidence_name(enum iw_confidence confidence); /* such as "likely" */

struct iw_upper;
struct iw_upper_call;

/* All pointers are borrowed. */
struct iw_facts {
    const struct iw_history *history;
    const struct iw_mpa_terms *terms;
    const struct iw_monitor_counts *counts;
    struct iw_unanswered unanswered[2]; /* by requester */
    const struct iw_tcp_counters *tcp;  /* both sides; NULL over SCTP */
    const struct iw_tcp_life *life;     /* NULL over SCTP */
    const char *address[2];             /* of the sides; NULL: not known */
    uint16_t port[2];                   /* of the sides; 0: not known */
    bool ipv6;                          /* the packets are of IPv6 */
    const struct iw_upper *upper;       /* the layer above; NULL: not known */
    /* The number of a frame for a reader, if it differs from that in the history as the capture has several
     * files; NULL: it does not. Gets `files`. */
    uint64_t (*frame_number)(const void *files, uint64_t frame);
    const void *files;
    /* Of a Request without a Reply, what other connections of the capture show: that the responder answers
     * its Rev; and that it accepted Rev 1 from the same host, in which stream, such as "stream 1, which
     * begins in frame 10"; NULL: it is not known. */
    bool rev_answered;
    const char *rev_1_accepted;
    uint64_t capture_ns; /* the time up to which the capture shows that an open connection was silent; 0: up
                            to its latest packet */
};

/* Adds the facts that the monitor has of a connection that has ended: terms, counts, and requests without a
 * response. The caller fills in all others, before or after. */
void iw_facts_add_monitor(struct iw_facts *facts, const struct iw_monitor *monitor);

/* Whether the capture lacks octets or the startup: absence then proves nothing. */
bool iw_facts_is_partial(const struct iw_facts *facts);

/* Whether the capture lacks octets after its beginning: absence then proves nothing. */
bool iw_facts_has_gaps(const struct iw_facts *facts);

/* The same for the octets of one side; what is not lost but unread may be of either side. */
bool iw_facts_side_has_gaps(const struct iw_facts *facts, enum iw_side side);

/* The latest time that the capture shows of the connection: while it is open, the end of the capture. */
uint64_t iw_facts_last_ns(const struct iw_facts *facts);

/* The wrong CRCs of the side; all 0 without any. If no captured startup frame tells whether CRCs are in use,
 * they count only if the other side rejects one by a Terminate: it checks them. */
const struct iw_history_crc *iw_facts_crc(const struct iw_facts *facts, enum iw_side side);

/* iw_side_name by the terms of the connection. */
const char *iw_facts_side_name(const struct iw_facts *facts, enum iw_side side);

/* The number of a frame in a detail. */
uint64_t iw_facts_frame_number(const struct iw_facts *facts, uint64_t frame);

/* `sure` if the capture is complete, the next lower confidence otherwise. */
enum iw_confidence iw_facts_confidence(const struct iw_facts *facts, enum iw_confidence sure);

/* The first finding against `side` in frame `until` or before whose requirement has one of the `count`
 * sections of `document`, or any section if `count` is 0; NULL without one. */
const struct iw_history_finding *iw_facts_finding(const struct iw_facts *facts, enum iw_side side,
    uint64_t until, const char *document, const char *const *sections, size_t count);

/* The number of calls of the protocol above that lack a reply, and *oldest if there is one: without calls
 * whose reply comes only with an event. 0 if it is not known. */
size_t iw_facts_open_calls(
    const struct iw_facts *facts, enum iw_side caller, const struct iw_upper_call **oldest);

/* The same for those whose message ends before frame `end`. */
size_t iw_facts_open_calls_before(
    const struct iw_facts *facts, enum iw_side caller, uint64_t end, const struct iw_upper_call **oldest);

/* The latest segment of `side` if it is of a Write whose last segment is missing; or NULL. */
const struct iw_history_message *iw_facts_unfinished_write(const struct iw_facts *facts, enum iw_side side);
