#pragma once

#include "iw_impaired_facts.h"
#include "iw_relay.h"
#include "iw_run.h"
#include "iw_trial_result.h"

/* A trial of a case of tier relay: records, logs and judges the conversation that it is about. With `again`
 * it has two of them: the impaired one, and one after it. */

struct iw_impaired_trial;

/* Begins a trial of the case; `one` NULL: a conversation without impairment, as the measure of all cases.
 * Writes the capture to `capture` and the log beside it; NULL: neither. Returns NULL with a line in `text`,
 * of IW_RECORDER_TEXT_OCTETS octets. `one` and `run` are borrowed. */
struct iw_impaired_trial *iw_impaired_trial_new(
    const struct iw_case *one, const struct iw_run_config *run, const char *capture, char *text);
void iw_impaired_trial_free(struct iw_impaired_trial *trial);

/* What the relay reports about the connection of the trial. */
void iw_impaired_trial_tap(struct iw_impaired_trial *trial, const struct iw_relay_tap *tap);
void iw_impaired_trial_note(struct iw_impaired_trial *trial, const struct iw_relay_note *note);

/* The conversation has ended; `silent_ms`: it has not, but nothing came for so long. No call may follow but
 * those below. */
void iw_impaired_trial_end(struct iw_impaired_trial *trial, uint32_t silent_ms);

/* After the end of the impaired conversation: the next one follows, and what happens in it is judged. */
void iw_impaired_trial_again(struct iw_impaired_trial *trial);

const struct iw_impaired_facts *iw_impaired_trial_facts(const struct iw_impaired_trial *trial);

/* Microseconds from the Request to the Reply of the device; 0: unknown. */
uint64_t iw_impaired_trial_startup_us(const struct iw_impaired_trial *trial);

/* After the end: judges the case, and closes capture and log. `reason`: why there was no conversation, which
 * makes the case inconclusive; NULL: there was one. `base`: without impairment. The result lives as long as
 * the trial. */
const struct iw_trial_result *iw_impaired_trial_judge(
    struct iw_impaired_trial *trial, const struct iw_impaired_facts *base, const char *reason);
