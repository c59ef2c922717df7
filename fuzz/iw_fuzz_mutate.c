#include "iw_fuzz_mutate.h"

#include <string.h>

#include "iw_fuzz_input.h"

enum { RECORDS_MAX = 64, OCTETS_MAX = 8192 };

/* An input split into records. */
struct draft {
    struct iw_fuzz_scene scene;
    struct iw_fuzz_record records[RECORDS_MAX + 1];
    unsigned count;
    uint8_t changed[OCTETS_MAX]; /* octets of the changed record */
    iw_fuzz_change *change;
    uint32_t random;
};

static uint32_t next_random(struct draft *draft, uint32_t below) {
    draft->random = draft->random * 1664525 + 1013904223;
    return (draft->random >> 8) % below;
}

/* ---- mutations of records ---- */

static void change_payload(struct draft *draft) {
    struct iw_fuzz_record *record = &draft->records[next_random(draft, draft->count)];
    size_t length = record->length < OCTETS_MAX ? record->length : OCTETS_MAX;
    size_t capacity = length + 64 < OCTETS_MAX ? length + 64 : OCTETS_MAX;

    if (length > 0)
        memcpy(draft->changed, record->octets, length);
    record->length = (uint16_t)draft->change(draft->changed, length, capacity);
    record->octets = draft->changed;
}

static void change_header(struct draft *draft) {
    struct iw_fuzz_record *record = &draft->records[next_random(draft, draft->count)];

    switch (next_random(draft, 4)) {
    case 0:
        record->kind = (uint8_t)next_random(draft, IW_FUZZ_KINDS);
        break;
    case 1:
        record->at = (int16_t)((int)next_random(draft, 128) - 64);
        break;
    default:
        record->options ^= (uint8_t)(1u << next_random(draft, 8));
        break;
    }
}

static void change_scene(struct draft *draft) {
    uint8_t bit = (uint8_t)(1u << next_random(draft, 8));
    uint8_t *const octets[] = {
        &draft->scene.terms, &draft->scene.switches, &draft->scene.stream, &draft->scene.order};

    *octets[next_random(draft, 4)] ^= bit;
}

static void draft_insert(struct draft *draft, unsigned at, struct iw_fuzz_record record) {
    memmove(&draft->records[at + 1], &draft->records[at], (draft->count - at) * sizeof record);
    draft->records[at] = record;
    draft->count++;
}

static void draft_repeat(struct draft *draft) {
    struct iw_fuzz_record record = draft->records[next_random(draft, draft->count)];

    draft_insert(draft, next_random(draft, draft->count + 1), record);
}

static void draft_drop(struct draft *draft) {
    unsigned at = next_random(draft, draft->count);

    draft->count--;
    memmove(&draft->records[at], &draft->records[at + 1], (draft->count - at) * sizeof draft->records[0]);
}

static void draft_exchange(struct draft *draft) {
    unsigned a = next_random(draft, draft->count), b = next_random(draft, draft->count);
    struct iw_fuzz_record record = draft->records[a];

    draft->records[a] = draft->records[b];
    draft->records[b] = record;
}

/* Adds a record that sends, retransmits or skips part of the stream. */
static void draft_add_sending(struct draft *draft) {
    static uint8_t words[4];
    struct iw_fuzz_record record = {.kind = IW_FUZZ_SENDING,
        .options = (uint8_t)next_random(draft, 2),
        .at = (int16_t)((int)next_random(draft, 256) - 128),
        .length = sizeof words,
        .octets = words};

    words[1] = (uint8_t)next_random(draft, 256);
    words[3] = next_random(draft, 4) == 0 ? (uint8_t)next_random(draft, 64) : 0;
    draft_insert(draft, next_random(draft, draft->count + 1), record);
}

/* ---- the whole input ---- */

static void draft_split(struct draft *draft, const uint8_t *octets, size_t length) {
    struct iw_cursor cursor = iw_cursor_over(octets, length);

    draft->scene = iw_fuzz_scene_take(&cursor);
    draft->count = 0;
    while (draft->count < RECORDS_MAX && iw_fuzz_record_take(&cursor, &draft->records[draft->count]))
        draft->count++;
}

/* Drops records that do not fit. */
static size_t draft_join(const struct draft *draft, uint8_t *octets, size_t capacity) {
    struct iw_output output = iw_output_into(octets, capacity);

    iw_fuzz_scene_put(&output, &draft->scene);
    for (unsigned i = 0; i < draft->count; i++)
        if (output.capacity - output.length >= (size_t)IW_FUZZ_RECORD_OCTETS + draft->records[i].length)
            iw_fuzz_record_put(&output, &draft->records[i]);
    return output.length;
}

size_t iw_fuzz_mutate(
    uint8_t *octets, size_t length, size_t capacity, unsigned seed, iw_fuzz_change *change) {
    static void (*const changes[])(struct draft *) = {change_payload, change_payload, change_payload,
        change_payload, change_header, change_header, change_scene, draft_repeat, draft_drop, draft_exchange,
        draft_add_sending};
    static struct draft draft;
    static uint8_t copy[1 << 16];

    if (length > sizeof copy || capacity < IW_FUZZ_SCENE_OCTETS || seed % 16 == 0)
        return change(octets, length, capacity);
    memcpy(copy, octets, length);
    draft_split(&draft, copy, length);
    if (draft.count == 0)
        return change(octets, length, capacity);
    draft.change = change;
    draft.random = seed;
    changes[next_random(&draft, sizeof changes / sizeof *changes)](&draft);
    return draft_join(&draft, octets, capacity);
}
