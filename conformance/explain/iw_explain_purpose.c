#include <inttypes.h>

#include "iw_explain.h"
#include "iw_show.h"

/* What memory is for, as the protocol above has told. */

const char *iw_explain_purpose(const struct iw_explained *explained, const struct iw_named_buffer *named,
    char text[IW_EXPLAIN_PURPOSE_OCTETS]) {
    const struct iw_upper_buffer *buffer =
        named->known ? iw_upper_buffer_find(explained->upper, named->owner, named->stag, named->to) : NULL;
    char purpose[IW_UPPER_TEXT_OCTETS], frame[IW_EXPLAIN_FRAME_OCTETS];
    struct iw_upper_buffer placed;
    int used;

    if (buffer == NULL)
        return NULL;
    placed = *buffer;
    placed.frame = iw_explain_frame_number(explained->chain, buffer->frame);
    used = snprintf(text, IW_EXPLAIN_PURPOSE_OCTETS, "%s%s%s", iw_upper_buffer_purpose(&placed, purpose),
        explained->chain->count > 1 ? " of " : "",
        explained->chain->count > 1 ? iw_explain_file(explained->chain, buffer->frame) : "");
    if (buffer->end != IW_UPPER_END_NONE && used > 0 && used < IW_EXPLAIN_PURPOSE_OCTETS)
        snprintf(text + used, (size_t)(IW_EXPLAIN_PURPOSE_OCTETS - used), "; ended by %s in %s",
            buffer->end == IW_UPPER_END_REPLY ? "the reply" : "its invalidation",
            iw_explain_frame(explained->chain, buffer->end_frame, frame));
    iw_show_line(text, IW_EXPLAIN_PURPOSE_OCTETS, text); /* a file's name may have any octets */
    return text;
}

/* ---- what waits ---- */

struct purpose_request {
    enum iw_side side;
    const struct iw_request_name *name;
};

static bool purpose_is_request(const struct iw_history_message *message, const void *what) {
    const struct purpose_request *request = what;

    return message->decoded && !message->tagged && message->side == request->side &&
           message->mark.frame == request->name->frame && message->opcode == request->name->opcode &&
           message->msn == request->name->msn;
}

struct iw_named_buffer iw_explain_requested(
    const struct iw_explained *explained, enum iw_side side, const struct iw_request_name *name) {
    const struct purpose_request request = {side, name};
    const struct iw_history_message *message =
        iw_history_find(explained->facts.history, purpose_is_request, &request);

    if (message == NULL)
        return (struct iw_named_buffer){.known = false};
    return (struct iw_named_buffer){
        .known = true, .owner = iw_side_other(side), .stag = message->stag, .to = message->to};
}

const struct iw_history_message *iw_explain_unfinished_write(
    const struct iw_explained *explained, enum iw_side side) {
    return iw_facts_unfinished_write(&explained->facts, side);
}
