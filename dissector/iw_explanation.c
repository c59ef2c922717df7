#include "iw_explanation.h"

#include <string.h>

#include "iw_file_memory.h"
#include "iw_frame_index.h"

static struct iw_frame_index explanations; /* by frame: its first struct iw_explanation */

void iw_explanation_open(void) {
    memset(&explanations, 0, sizeof explanations);
}

const struct iw_explanation *iw_explanation_first(uint32_t frame) {
    return iw_frame_index_get(&explanations, frame);
}

static const char *explanation_title(enum iw_conclusion conclusion, const struct iw_diagnosis *diagnosis) {
    if (!iw_conclusion_has_cause(conclusion))
        return iw_conclusion_text(conclusion);
    return wmem_strdup_printf(iw_file_memory(), "%s (%s)", diagnosis->causes[0].cause->title,
        iw_confidence_name(diagnosis->causes[0].confidence));
}

static const char *explanation_ending(const struct iw_facts *facts, const struct iw_diagnosis *diagnosis) {
    const char *ending = iw_ending_text(facts, diagnosis->ending);

    if (diagnosis->ending == IW_ENDING_OPEN)
        return ending;
    return wmem_strdup_printf(
        iw_file_memory(), "%s of %s", ending, iw_facts_side_name(facts, diagnosis->ender));
}

static const char *explanation_advice(const struct iw_facts *facts, const struct iw_diagnosis *diagnosis) {
    char next[IW_DIAGNOSIS_NEXT];

    if (iw_diagnosis_next_without_cause(facts, diagnosis, next) == NULL)
        return NULL;
    return wmem_strdup(iw_file_memory(), next);
}

static void explanation_set(struct iw_explanation_cause *cause, const struct iw_diagnosed *diagnosed) {
    cause->cause = diagnosed->cause;
    cause->confidence = diagnosed->confidence;
    cause->detail = wmem_strdup(iw_file_memory(), diagnosed->detail);
    cause->next = wmem_strdup(iw_file_memory(), iw_diagnosed_next(diagnosed));
    cause->frame_count = diagnosed->frame_count;
    for (unsigned i = 0; i < diagnosed->frame_count; i++)
        cause->frames[i] = (uint32_t)diagnosed->frames[i];
}

const struct iw_explanation *iw_explanation_store(
    const struct iw_stored_flow *flow, uint32_t frame, const struct iw_facts *facts) {
    void **slot = iw_frame_index_slot(&explanations, frame);
    struct iw_explanation *explanation;
    struct iw_diagnosis diagnosis;

    iw_diagnose(facts, &diagnosis);
    explanation = wmem_alloc0(iw_file_memory(),
        sizeof *explanation + (diagnosis.count + diagnosis.note_count) * sizeof *explanation->causes);
    explanation->flow = flow;
    explanation->address[IW_SIDE_A] = wmem_strdup(iw_file_memory(), facts->address[IW_SIDE_A]);
    explanation->address[IW_SIDE_B] = wmem_strdup(iw_file_memory(), facts->address[IW_SIDE_B]);
    explanation->frame = frame;
    explanation->conclusion = iw_conclusion_of(facts, &diagnosis);
    explanation->title = explanation_title(explanation->conclusion, &diagnosis);
    explanation->ending = explanation_ending(facts, &diagnosis);
    explanation->advice = explanation_advice(facts, &diagnosis);
    explanation->replays = diagnosis.count > 0 && diagnosis.causes[0].cause->replays;
    explanation->end_frame = (uint32_t)diagnosis.end.frame;
    explanation->count = diagnosis.count;
    explanation->note_count = diagnosis.note_count;
    for (unsigned i = 0; i < diagnosis.count; i++)
        explanation_set(&explanation->causes[i], &diagnosis.causes[i]);
    for (unsigned i = 0; i < diagnosis.note_count; i++)
        explanation_set(&explanation->causes[diagnosis.count + i], &diagnosis.notes[i]);
    explanation->next = *slot;
    *slot = explanation;
    return explanation;
}
