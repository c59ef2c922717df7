#pragma once

#include "iw_diagnosis_part.h"

/* Shared by the files of iw_diagnosis_tcp. All need facts->life. */

/* `sure`, or less if the answer of `silent` may be missing in the capture only. */
enum iw_confidence iw_diagnosis_tcp_missing(const struct iw_facts *facts, enum iw_side silent,
    const struct iw_diagnosis *diagnosis, enum iw_confidence sure);

/* Says that it may be missing: a sentence with a space before it, or "". */
const char *iw_diagnosis_tcp_missing_text(
    const struct iw_facts *facts, enum iw_side silent, const struct iw_diagnosis *diagnosis);

/* Whether the side answers with a RST as a host does that no longer knows the connection: without ACK, while
 * neither side had closed. If the other side has acknowledged octets or a FIN that the capture lacks, the
 * side may have closed. */
bool iw_diagnosis_tcp_forgets(const struct iw_facts *facts, enum iw_side side);

/* Whether so many of the segments of a side are worth a word: a few are usual. */
enum { IW_DIAGNOSIS_TCP_MANY = 8, IW_DIAGNOSIS_TCP_MANY_SHARE = 100 };
static inline bool iw_diagnosis_tcp_are_many(uint64_t count, uint64_t segments) {
    return count >= IW_DIAGNOSIS_TCP_MANY && count >= segments / IW_DIAGNOSIS_TCP_MANY_SHARE;
}

/* Each function adds causes. */

/* ---- iw_diagnosis_tcp_reset.c ---- */

void iw_diagnosis_tcp_reset(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis);
void iw_diagnosis_tcp_idle(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis);

/* ---- iw_diagnosis_tcp_icmp.c ---- */

void iw_diagnosis_tcp_icmp(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis);

/* ---- iw_diagnosis_tcp_loss.c ---- */

void iw_diagnosis_tcp_unanswered(
    const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis);
void iw_diagnosis_tcp_smaller_arrives(
    const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis);
void iw_diagnosis_tcp_retransmissions(
    const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis);
