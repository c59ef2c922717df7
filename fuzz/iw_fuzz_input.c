#include "iw_fuzz_input.h"

#include <string.h>

struct iw_fuzz_scene iw_fuzz_scene_take(struct iw_cursor *input) {
    uint8_t octets[IW_FUZZ_SCENE_OCTETS] = {0};
    size_t count = iw_cursor_left(input);

    if (count > sizeof octets)
        count = sizeof octets;
    if (count > 0)
        memcpy(octets, iw_cursor_take(input, count), count);
    return (struct iw_fuzz_scene){octets[0], octets[1], octets[2], octets[3]};
}

bool iw_fuzz_record_take(struct iw_cursor *input, struct iw_fuzz_record *record) {
    const uint8_t *header = iw_cursor_take(input, IW_FUZZ_RECORD_OCTETS);
    size_t left = iw_cursor_left(input);
    size_t length;

    if (header == NULL)
        return false;
    length = (size_t)(header[4] << 8 | header[5]);
    if (length > left)
        length = left;
    *record = (struct iw_fuzz_record){.kind = header[0] % IW_FUZZ_KINDS,
        .options = header[1],
        .at = (int16_t)(header[2] << 8 | header[3]),
        .length = (uint16_t)length,
        .octets = length > 0 ? iw_cursor_take(input, length) : NULL};
    return true;
}

void iw_fuzz_scene_put(struct iw_output *output, const struct iw_fuzz_scene *scene) {
    const uint8_t octets[IW_FUZZ_SCENE_OCTETS] = {scene->terms, scene->switches, scene->stream, scene->order};

    iw_output_octets(output, octets, sizeof octets);
}

void iw_fuzz_record_put(struct iw_output *output, const struct iw_fuzz_record *record) {
    uint16_t at = (uint16_t)record->at;
    const uint8_t header[IW_FUZZ_RECORD_OCTETS] = {record->kind, record->options, (uint8_t)(at >> 8),
        (uint8_t)at, (uint8_t)(record->length >> 8), (uint8_t)record->length};

    iw_output_octets(output, header, sizeof header);
    if (record->length > 0)
        iw_output_octets(output, record->octets, record->length);
}
