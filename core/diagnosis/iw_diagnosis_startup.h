#pragma once

#include "iw_diagnosis_part.h"

/* Shared by the files of iw_diagnosis_startup. */

/* Nanoseconds from the mark to `until`; 0 if it is not set, or later. */
uint64_t iw_diagnosis_startup_since(struct iw_history_mark mark, uint64_t until);

/* Whether the side sent a part of its startup frame or, after it, of its first message. */
bool iw_diagnosis_startup_has_part(const struct iw_facts *facts, enum iw_side side);

/* How sure it is that the side sent nothing since `since_ns`, which would be `sure` if that is shown. */
enum iw_confidence iw_diagnosis_startup_silence(const struct iw_facts *facts, enum iw_side side,
    uint64_t since_ns, const struct iw_diagnosis *diagnosis, enum iw_confidence sure);

/* Says what that leaves open: a sentence with a space before it, or "". */
const char *iw_diagnosis_startup_silence_text(const struct iw_facts *facts, enum iw_side side,
    uint64_t since_ns, const struct iw_diagnosis *diagnosis, char text[IW_DIAGNOSIS_UNSHOWN]);

/* What to look at next: `words` in the text of the cause stand for the side, which has sent no `what`, unless
 * it may be lost. */
void iw_diagnosis_startup_silence_next(const struct iw_facts *facts, enum iw_side side, uint64_t since_ns,
    const char *words, const char *what, struct iw_diagnosed *cause);

/* Whether the other host took the startup frame of the side: a host that acknowledges nothing of what is sent
 * again is silent as a whole. If nothing is sent again, TCP has delivered it, though the capture may lack the
 * acknowledgement. */
bool iw_diagnosis_startup_is_delivered(const struct iw_facts *facts, enum iw_side side);

/* The ULP may have refused the private data of the Request, unless the depths explain it. */
void iw_diagnosis_startup_private_data(const struct iw_history_side *request, struct iw_diagnosis *diagnosis);

/* A Request without a Reply, and a startup without a first message. */
void iw_diagnosis_startup_unanswered(
    const struct iw_facts *facts, enum iw_side initiator, struct iw_diagnosis *diagnosis);
void iw_diagnosis_startup_without_messages(
    const struct iw_facts *facts, enum iw_side initiator, struct iw_diagnosis *diagnosis);
