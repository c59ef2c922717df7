#pragma once

#include "iw_impaired_facts.h"
#include "iw_relay.h"
#include "iw_trial_record.h"
#include "iw_trial_result.h"

/* A case of tier relay: records, logs and judges the conversation that it is about. With `again` it has two
 * of them: the impaired one, and one after it. */

struct iw_impaired_trial;

/* Begins with a conversation. Events go to `result`, with its case, and to `record`; both are borrowed. A
 * result without a case: a conversation without impairment, as the measure of all cases. Returns NULL if
 * memory runs out. */
struct iw_impaired_trial *iw_impaired_trial_new(
    struct iw_trial_result *result, struct iw_trial_record *record);
void iw_impaired_trial_free(struct iw_impaired_trial *trial);

/* What the relay reports about the connection of the trial. */
void iw_impaired_trial_tap(struct iw_impaired_trial *trial, const struct iw_relay_tap *tap);
void iw_impaired_trial_note(struct iw_impaired_trial *trial, const struct iw_relay_note *note);

/* The conversation has ended; `silent_ms`: it has not, but nothing came for so long; `deadline`: it has
 * not before its deadline. No call may follow but those below. */
void iw_impaired_trial_end(struct iw_impaired_trial *trial, uint32_t silent_ms, bool deadline);

/* After the end of the impaired conversation: the next one follows, and what happens in it is judged. */
void iw_impaired_trial_again(struct iw_impaired_trial *trial);

const struct iw_impaired_facts *iw_impaired_trial_facts(const struct iw_impaired_trial *trial);

/* After the end: judges the case by what was seen. `base`: without impairment. */
void iw_impaired_trial_judge(struct iw_impaired_trial *trial, const struct iw_impaired_facts *base,
    const struct iw_verdict_rules *rules);
