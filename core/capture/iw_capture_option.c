#include "iw_capture_option.h"

#include "iw_capture_blocks.h"

enum { OPTION_END = 0, OPTION_PACKET_ID = 5, OPTION_HEADER = 4 };

bool iw_capture_option_next(struct iw_capture_options *options, struct iw_capture_option *option) {
    size_t left = (size_t)(options->end - options->at), padded;

    if (left < OPTION_HEADER)
        return false;
    option->code = iw_capture_16(options->swapped, options->at);
    option->length = iw_capture_16(options->swapped, options->at + 2);
    option->value = options->at + OPTION_HEADER;
    left -= OPTION_HEADER;
    if (option->code == OPTION_END || option->length > left)
        return false;
    padded = (option->length + (size_t)3) & ~(size_t)3;
    options->at = option->value + (padded < left ? padded : left);
    return true;
}

void iw_capture_options_note(struct iw_capture_options options, struct iw_capture_note *note) {
    struct iw_capture_option option;

    *note = (struct iw_capture_note){0};
    while (iw_capture_option_next(&options, &option))
        if (option.code == IW_CAPTURE_OPTION_COMMENT && note->comment == NULL) {
            note->comment = (const char *)option.value;
            note->comment_octets = option.length;
        } else if (option.code == OPTION_PACKET_ID && option.length == sizeof note->id) {
            note->id = iw_capture_64(options.swapped, option.value);
        }
}
