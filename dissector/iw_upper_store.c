#include "iw_upper_store.h"

#include "iw_file_memory.h"
#include "iw_preference.h"

struct iw_upper_follower {
    struct iw_upper *upper;
    const struct iw_stored_flow *flow;
    const struct iw_monitor_event *event; /* the current event, and its item or NULL */
    struct iw_item *item;
};

static wmem_map_t *notes; /* struct iw_item -> struct iw_upper_note */

void iw_upper_store_open(void) {
    notes = wmem_map_new(iw_file_memory(), g_direct_hash, g_direct_equal);
}

const struct iw_upper_note *iw_upper_note(const struct iw_item *item) {
    return wmem_map_lookup(notes, item);
}

static struct iw_upper_note *upper_note(const struct iw_item *item) {
    struct iw_upper_note *note = wmem_map_lookup(notes, item);

    if (note == NULL) {
        note = wmem_new0(iw_file_memory(), struct iw_upper_note);
        wmem_map_insert(notes, item, note);
    }
    return note;
}

/* Returns the FPDU of `side` that ends in an earlier frame; of several, the last one. The current item is not
 * in the frame store yet. Returns NULL without one. */
static const struct iw_item *follower_item(
    const struct iw_upper_follower *follower, uint64_t frame, enum iw_side side) {
    const struct iw_item *found = follower->item;

    if (found != NULL && found->frame == frame && found->side == side)
        return found;
    found = NULL;
    for (const struct iw_item *item = iw_frame_store_first((uint32_t)frame); item != NULL;
         item = iw_frame_store_next(item))
        if (item->flow == follower->flow && item->side == side && item->kind == IW_LLP_SEGMENT)
            found = item;
    return found;
}

static uint64_t follower_since(const struct iw_upper_follower *follower, const struct iw_stored_call *call) {
    uint64_t now_ns = follower->event->llp->time_ns;

    return now_ns > call->time_ns ? now_ns - call->time_ns : 0;
}

/* ---- handlers of iw_upper ---- */

static void upper_store_called(void *user, struct iw_upper_call *call) {
    struct iw_upper_follower *follower = user;
    struct iw_stored_call *stored;
    struct iw_upper_note *note;
    char name[IW_UPPER_TEXT_OCTETS];

    if (follower->item == NULL)
        return;
    stored = wmem_new0(iw_file_memory(), struct iw_stored_call);
    stored->name = wmem_strdup(iw_file_memory(), iw_upper_call_name(follower->upper, call, name));
    stored->caller = call->caller;
    stored->frame = (uint32_t)call->frame;
    stored->time_ns = call->time_ns;
    note = upper_note(follower->item);
    stored->next = note->calls;
    note->calls = stored;
    call->user = stored;
}

static void upper_store_replied(void *user, struct iw_upper_call *call) {
    struct iw_upper_follower *follower = user;
    struct iw_stored_call *stored = call->user;
    struct iw_upper_note *note;

    if (stored == NULL || follower->item == NULL)
        return;
    stored->reply_frame = follower->item->frame;
    stored->reply_ns = follower_since(follower, stored);
    note = upper_note(follower->item);
    stored->next_reply = note->replies;
    note->replies = stored;
}

static void upper_store_advertised(
    void *user, struct iw_upper_buffer *buffer, const struct iw_upper_call *call) {
    struct iw_upper_follower *follower = user;
    struct iw_stored_buffer *stored = wmem_new0(iw_file_memory(), struct iw_stored_buffer);
    const struct iw_item *item = follower_item(follower, buffer->frame, buffer->owner);
    char purpose[IW_UPPER_TEXT_OCTETS];

    stored->call = call != NULL ? call->user : NULL;
    stored->purpose = wmem_strdup(iw_file_memory(), iw_upper_buffer_purpose(buffer, purpose));
    stored->stag = buffer->stag;
    stored->access = buffer->access;
    stored->owner = buffer->owner;
    stored->to = buffer->to;
    stored->length = buffer->length;
    stored->frame = (uint32_t)buffer->frame;
    buffer->user = stored;
    if (item == NULL)
        return;
    stored->next = upper_note(item)->advertised;
    upper_note(item)->advertised = stored;
}

/* Octets of a call have come to one of its buffers, or from it. What comes after the reply is no part of the
 * call's time. */
static void upper_store_moved(
    const struct iw_upper_follower *follower, struct iw_stored_buffer *buffer, uint32_t octets) {
    struct iw_stored_call *call = buffer->call;

    buffer->octets += octets;
    if (call == NULL || call->reply_frame != 0)
        return;
    call->last_octets_ns = follower_since(follower, call);
    if (!call->moved)
        call->first_octets_ns = call->last_octets_ns;
    call->moved = true;
}

/* The octets of a Read come in the segments of its response. */
static void upper_store_used(void *user, struct iw_upper_buffer *buffer) {
    struct iw_upper_follower *follower = user;
    struct iw_stored_buffer *stored = buffer->user;
    const struct iw_operation *request = follower->event->request;

    if (stored == NULL || follower->item == NULL)
        return;
    upper_note(follower->item)->used = stored;
    stored->last_use = follower->item->frame;
    if (stored->first_use == 0)
        stored->first_use = stored->last_use;
    if (follower->event->segment->tagged)
        upper_store_moved(follower, stored, follower->event->segment->payload_octets);
    else if (request != NULL && request->user != NULL)
        ((struct iw_stored_operation *)request->user)->buffer = stored;
}

static void upper_store_ended(void *user _U_, struct iw_upper_buffer *buffer) {
    struct iw_stored_buffer *stored = buffer->user;

    if (stored == NULL)
        return;
    stored->end = buffer->end;
    stored->end_frame = (uint32_t)buffer->end_frame;
}

static void upper_store_found(void *user, const struct iw_upper_finding *finding) {
    struct iw_upper_follower *follower = user;
    const struct iw_item *item = follower_item(follower, finding->frame, finding->side);
    struct iw_stored_upper_finding **end, *stored;

    if (item == NULL || !iw_preferences->show[iw_upper_rule_severity(finding->rule)])
        return;
    stored = wmem_new0(iw_file_memory(), struct iw_stored_upper_finding);
    stored->rule = finding->rule;
    stored->about_frame = (uint32_t)finding->about_frame;
    stored->message = wmem_strdup(iw_file_memory(), finding->message);
    stored->expected = wmem_strdup(iw_file_memory(), finding->expected);
    stored->actual = wmem_strdup(iw_file_memory(), finding->actual);
    for (end = &upper_note(item)->findings; *end != NULL;)
        end = &(*end)->next;
    *end = stored;
}

/* ---- a connection ---- */

struct iw_upper_follower *iw_upper_follower_new(const struct iw_stored_flow *flow) {
    static const struct iw_upper_handlers handlers = {.called = upper_store_called,
        .replied = upper_store_replied,
        .advertised = upper_store_advertised,
        .used = upper_store_used,
        .ended = upper_store_ended,
        .found = upper_store_found};
    struct iw_upper *upper = iw_upper_new();
    struct iw_upper_follower *follower;

    if (upper == NULL)
        return NULL;
    follower = g_new0(struct iw_upper_follower, 1);
    follower->upper = upper;
    follower->flow = flow;
    iw_upper_listen(upper, &handlers, follower);
    return follower;
}

void iw_upper_follower_free(struct iw_upper_follower *follower) {
    if (follower == NULL)
        return;
    iw_upper_free(follower->upper);
    g_free(follower);
}

const struct iw_upper *iw_upper_follower_upper(const struct iw_upper_follower *follower) {
    return follower != NULL ? follower->upper : NULL;
}

/* A segment of a Read Response is for the buffer that its Read Request names. */
static void follower_take_response(struct iw_upper_follower *follower) {
    const struct iw_monitor_event *event = follower->event;
    const struct iw_operation *operation = event->response != NULL ? event->response->operation : NULL;
    const struct iw_stored_operation *stored = operation != NULL ? operation->user : NULL;

    if (stored == NULL || stored->buffer == NULL || !event->response->known ||
        event->segment->opcode != IW_RDMAP_OP_READ_RESPONSE)
        return;
    upper_note(follower->item)->used = stored->buffer;
    upper_store_moved(follower, stored->buffer, event->segment->payload_octets);
}

void iw_upper_follower_event(struct iw_upper_follower *follower, const struct iw_monitor_event *event,
    struct iw_item *item, uint64_t received) {
    follower->event = event;
    follower->item = item;
    if (item != NULL && event->segment != NULL)
        follower_take_response(follower);
    iw_upper_event(follower->upper, event, received);
    follower->item = NULL;
}
