#pragma once

#include "iw_diagnosis.h"

/* Shared by the files of iw_diagnosis. */

/* Adds a cause that is about one side; the detail follows as format and arguments. Returns it, so that frames
 * can be added. Returns NULL if the cause of that side exists already, which keeps its first detail, or if
 * the list is full of more probable ones. */
struct iw_diagnosed *iw_diagnosis_add_of(struct iw_diagnosis *diagnosis, enum iw_side side,
    enum iw_cause_id id, enum iw_confidence confidence, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The same for a cause that is about no side, or about both. */
struct iw_diagnosed *iw_diagnosis_add(struct iw_diagnosis *diagnosis, enum iw_cause_id id,
    enum iw_confidence confidence, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Adds a note that is about one side: no cause of a failure. */
struct iw_diagnosed *iw_diagnosis_note_of(struct iw_diagnosis *diagnosis, enum iw_side side,
    enum iw_cause_id id, enum iw_confidence confidence, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Adds a frame of evidence; ignores 0, a frame that is there already, and NULL. */
void iw_diagnosis_frame(struct iw_diagnosed *cause, uint64_t frame);

/* What only delays the connection ended at the time. Ignores NULL. */
void iw_diagnosis_until(struct iw_diagnosed *cause, uint64_t time_ns);

/* Puts the side, with its address if that is known, in place of the `words` in what to look at next: one of
 * the macros IW_CAUSE_... of iw_cause.h. Ignores NULL. */
void iw_diagnosis_next(
    const struct iw_facts *facts, struct iw_diagnosed *cause, const char *words, enum iw_side side);

/* Whether the cause, or one of the group, was found. */
bool iw_diagnosis_has(const struct iw_diagnosis *diagnosis, enum iw_cause_id id);
bool iw_diagnosis_has_group(const struct iw_diagnosis *diagnosis, enum iw_cause_group group);

/* Whether a cause was found that may have ended the connection: not only delays that were over before. */
bool iw_diagnosis_explains_end(const struct iw_facts *facts, const struct iw_diagnosis *diagnosis);

/* Puts delays that were over before the end after all other causes. If nothing explains the end of a
 * connection that failed, they become notes. */
void iw_diagnosis_order(const struct iw_facts *facts, struct iw_diagnosis *diagnosis);

/* What did not come may still have come if the capture ends before the connection does: `sure` otherwise, and
 * words for it, a sentence with a space before it, or "". */
enum iw_confidence iw_diagnosis_missing(const struct iw_diagnosis *diagnosis, enum iw_confidence sure);
const char *iw_diagnosis_missing_text(const struct iw_diagnosis *diagnosis);

/* Nanoseconds of a second. */
#define IW_SECOND_NS UINT64_C(1000000000)

/* Shorter waits are latency, not a hang. */
#define IW_DIAGNOSIS_HANG_NS IW_SECOND_NS

/* Whether a segment of the side, IW_DIAGNOSIS_HANG_NS or more after `since_ns`, shows that it had sent no
 * octets beyond the captured ones (RFC 9293 3.4). Otherwise they may be lost before the place of the capture.
 */
bool iw_diagnosis_is_silence_shown(const struct iw_facts *facts, enum iw_side side, uint64_t since_ns);

/* Says that nothing shows it: a sentence with a space before it. */
enum { IW_DIAGNOSIS_UNSHOWN = 160 };
const char *iw_diagnosis_unshown_text(
    const struct iw_facts *facts, enum iw_side side, char text[IW_DIAGNOSIS_UNSHOWN]);

/* The side that closed first: the other one may have answered that by a RST. Valid unless the connection is
 * open. */
enum iw_side iw_diagnosis_closer(const struct iw_facts *facts, const struct iw_diagnosis *diagnosis);

/* How many calls of the protocol above waited for a reply of that side when it closed. 0 if the capture may
 * lack the replies. */
size_t iw_diagnosis_owed_calls(const struct iw_facts *facts, const struct iw_diagnosis *diagnosis);

/* Whether the RST of the side has come over another path than all its other segments, by their TTLs: then
 * another device has sent it in the name of the side, or the path has changed. `sure`: the path has not. */
bool iw_diagnosis_is_foreign_reset(const struct iw_facts *facts, enum iw_side side, bool *sure);

/* Finds how the connection ended; whether that was a failure, or requests hang. */
void iw_diagnosis_find_end(const struct iw_facts *facts, struct iw_diagnosis *diagnosis);
bool iw_diagnosis_has_failed(const struct iw_facts *facts, const struct iw_diagnosis *diagnosis);

/* Whether the depths of both startup frames are negotiated: 0x3FFF asks for no negotiation (RFC 6581 9.1). */
bool iw_diagnosis_startup_negotiates_depth(const struct iw_mpa_terms *terms);

/* Adds both startup frames. */
void iw_diagnosis_startup_frames(const struct iw_facts *facts, struct iw_diagnosed *cause);

/* What to look at next for a violation. Ignores NULL. */
void iw_diagnosis_violation_next(
    const struct iw_facts *facts, struct iw_diagnosed *cause, const struct iw_history_finding *finding);

void iw_diagnose_startup(const struct iw_facts *facts, struct iw_diagnosis *diagnosis);
void iw_diagnose_unused(const struct iw_facts *facts, struct iw_diagnosis *diagnosis);
/* The private data of SMB Direct: as the cause of a startup that failed; and, after all causes are found, as
 * that of requests beyond the IRD, or as a note. */
void iw_diagnosis_smb_startup(const struct iw_facts *facts, struct iw_diagnosis *diagnosis);
void iw_diagnose_smb(const struct iw_facts *facts, struct iw_diagnosis *diagnosis);

void iw_diagnose_terminate(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis);
void iw_diagnose_crc(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis);
void iw_diagnose_tcp(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis);
void iw_diagnose_capture(const struct iw_facts *facts, struct iw_diagnosis *diagnosis);
void iw_diagnose_violation(const struct iw_facts *facts, struct iw_diagnosis *diagnosis);
void iw_diagnose_hang(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis);
void iw_diagnose_calls(const struct iw_facts *facts, enum iw_side caller, struct iw_diagnosis *diagnosis);
