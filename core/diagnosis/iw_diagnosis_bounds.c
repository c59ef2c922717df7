#include <inttypes.h>

#include "iw_diagnosis_terminate.h"
#include "iw_plural.h"
#include "iw_upper.h"

/* A Terminate about bounds that the layer above has advertised. */

/* The buffer that the rejected message names, if its bounds are sure: it was advertised before the message,
 * is the only one with its STag there, and has not ended. NULL: not known. */
static const struct iw_upper_buffer *bounds_of_message(const struct iw_terminate_case *at) {
    const struct iw_history_message *message = at->message;
    const struct iw_upper *upper = at->facts->upper;
    const struct iw_upper_buffer *buffer;

    if (upper == NULL || message->length == 0 || iw_diagnosis_stag_advertised_frame(at) == 0)
        return NULL;
    buffer = iw_upper_buffer_find(upper, at->side, message->stag, message->to);
    if (buffer == NULL || buffer->length == 0 ||
        iw_upper_buffer_find(upper, at->side, message->stag, message->to + message->length - 1) != buffer ||
        (buffer->end_frame != 0 && buffer->end_frame < message->mark.frame))
        return NULL;
    return buffer;
}

static bool bounds_have(const struct iw_upper_buffer *buffer, const struct iw_history_message *message) {
    return message->to >= buffer->to && message->to - buffer->to <= buffer->length &&
           buffer->length - (message->to - buffer->to) >= message->length;
}

bool iw_diagnosis_bounds_are_advertised(const struct iw_terminate_case *at) {
    const struct iw_history_message *message = at->message;
    const struct iw_upper_buffer *buffer = bounds_of_message(at);
    struct iw_diagnosed *cause;

    if (buffer == NULL)
        return false;
    if (bounds_have(buffer, message)) {
        iw_diagnosis_terminate_decide(at, IW_TRUTH_REFUTED);
        return true;
    }
    iw_diagnosis_terminate_decide(at, IW_TRUTH_CONFIRMED);
    cause = iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_BOUNDS, IW_CONFIDENCE_CERTAIN,
        "The %s of %s names %" PRIu32 " octet%s at Tagged Offset 0x%" PRIx64 " of STag 0x%08" PRIx32
        "; %s advertised %" PRIu64 " octets from Tagged Offset 0x%" PRIx64 " on in frame %" PRIu64 ".",
        iw_diagnosis_terminate_title(message), iw_diagnosis_terminate_other(at), message->length,
        iw_plural(message->length), message->to, message->stag, iw_diagnosis_terminate_sender(at),
        buffer->length, buffer->to, iw_diagnosis_terminate_frame_number(at, buffer->frame));
    iw_diagnosis_frame(cause, buffer->frame);
    iw_diagnosis_memory_frames(at, cause);
    return true;
}
