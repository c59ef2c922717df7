#pragma once

#include "iw_diagnosis.h"

/* Shared by the files of iw_diagnosis. */

struct iw_upper_call;

/* Adds a cause that is about one side; the detail follows as format and arguments. Returns it, so that frames
 * can be added. Returns NULL if the cause of that side exists already, which keeps its first detail, or if
 * the list is full of more probable ones. */
struct iw_diagnosed *iw_diagnosis_add_of(struct iw_diagnosis *diagnosis, enum iw_side side,
    enum iw_cause_id id, enum iw_confidence confidence, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The same for a cause that is about no side, or about both. */
struct iw_diagnosed *iw_diagnosis_add(struct iw_diagnosis *diagnosis, enum iw_cause_id id,
    enum iw_confidence confidence, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Adds a frame of evidence; ignores 0, a frame that is there already, and NULL. */
void iw_diagnosis_frame(struct iw_diagnosed *cause, uint64_t frame);

/* Puts the side, with its address if that is known, in place of the `words` in what to look at next: one of
 * the macros IW_CAUSE_... of iw_cause.h. Ignores NULL. */
void iw_diagnosis_next(
    const struct iw_evidence *evidence, struct iw_diagnosed *cause, const char *words, enum iw_side side);

/* The number of a frame in a detail. */
uint64_t iw_evidence_frame_number(const struct iw_evidence *evidence, uint64_t frame);

/* Whether a cause of the group was found. */
bool iw_diagnosis_has_group(const struct iw_diagnosis *diagnosis, enum iw_cause_group group);

/* What did not come may still have come if the capture ends before the connection does: `sure` otherwise, and
 * words for it, a sentence with a space before it, or "". */
enum iw_confidence iw_diagnosis_missing(const struct iw_diagnosis *diagnosis, enum iw_confidence sure);
const char *iw_diagnosis_missing_text(const struct iw_diagnosis *diagnosis);

/* Shorter waits are latency, not a hang. */
#define IW_DIAGNOSIS_HANG_NS UINT64_C(1000000000)

/* Whether the capture shows no end of the connection. */
bool iw_evidence_is_open(const struct iw_evidence *evidence);

/* Finds how the connection ended; whether that was a failure, or requests hang. */
void iw_diagnosis_find_end(const struct iw_evidence *evidence, struct iw_diagnosis *diagnosis);
bool iw_diagnosis_has_failed(const struct iw_evidence *evidence, const struct iw_diagnosis *diagnosis);

/* `sure` if the capture is complete, the next lower confidence otherwise. */
enum iw_confidence iw_evidence_confidence(const struct iw_evidence *evidence, enum iw_confidence sure);

/* The first finding against `side` in frame `until` or before whose requirement has one of the `count`
 * sections of `document`, or any section if `count` is 0; NULL without one. */
const struct iw_history_finding *iw_evidence_finding(const struct iw_evidence *evidence, enum iw_side side,
    uint64_t until, const char *document, const char *const *sections, size_t count);

/* The number of calls of the protocol above that lack a reply, and *oldest if there is one: without calls
 * whose reply comes only with an event. 0 if it is not known. */
size_t iw_evidence_open_calls(
    const struct iw_evidence *evidence, enum iw_side caller, const struct iw_upper_call **oldest);

void iw_diagnose_startup(const struct iw_evidence *evidence, struct iw_diagnosis *diagnosis);
void iw_diagnose_terminate(
    const struct iw_evidence *evidence, enum iw_side side, struct iw_diagnosis *diagnosis);
void iw_diagnose_crc(const struct iw_evidence *evidence, enum iw_side side, struct iw_diagnosis *diagnosis);
void iw_diagnose_tcp(const struct iw_evidence *evidence, enum iw_side side, struct iw_diagnosis *diagnosis);
void iw_diagnose_capture(const struct iw_evidence *evidence, struct iw_diagnosis *diagnosis);
void iw_diagnose_violation(const struct iw_evidence *evidence, struct iw_diagnosis *diagnosis);
void iw_diagnose_hang(const struct iw_evidence *evidence, enum iw_side side, struct iw_diagnosis *diagnosis);
void iw_diagnose_calls(
    const struct iw_evidence *evidence, enum iw_side caller, struct iw_diagnosis *diagnosis);
