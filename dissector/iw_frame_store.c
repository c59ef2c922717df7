#include "iw_frame_store.h"

#include <string.h>

#include "iw_preference.h"

static wmem_map_t *frames; /* frame number -> struct iw_stored_frame */

void iw_frame_store_open(void) {
    frames = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
}

const struct iw_stored_frame *iw_frame_store_find(uint32_t frame) {
    return wmem_map_lookup(frames, GUINT_TO_POINTER(frame));
}

static struct iw_stored_frame *find_or_add(uint32_t frame) {
    struct iw_stored_frame *stored = wmem_map_lookup(frames, GUINT_TO_POINTER(frame));

    if (stored == NULL) {
        stored = wmem_new0(wmem_file_scope(), struct iw_stored_frame);
        wmem_map_insert(frames, GUINT_TO_POINTER(frame), stored);
    }
    return stored;
}

void iw_frame_store_add(struct iw_item *item) {
    struct iw_stored_frame *stored = find_or_add(item->frame);

    item->next = NULL;
    if (stored->last != NULL)
        stored->last->next = item;
    else
        stored->first = item;
    stored->last = item;
}

static void *keep(const void *octets, size_t count) {
    return count > 0 ? wmem_memdup(wmem_file_scope(), octets, count) : NULL;
}

static void take_startup(struct iw_item *item, const struct iw_mpa_event *mpa) {
    item->offset = mpa->offset;
    item->length = (uint32_t)mpa->octets;
    item->captured = mpa->startup_captured;
    if (mpa->first_frame != mpa->frame)
        item->stored = keep(mpa->startup_octets, mpa->startup_captured);
}

/* Links the other frames that the FPDU stands in to the one that it ends in. */
static void link_parts(const struct iw_item *item, const struct iw_mpa_event *mpa) {
    uint64_t linked = mpa->frame;

    for (uint32_t i = 0; i < mpa->fpdu->span_count; i++) {
        uint64_t frame = mpa->fpdu->spans[i].frame;

        if (frame != mpa->frame && frame != linked) {
            struct iw_stored_frame *stored = find_or_add((uint32_t)frame);
            struct iw_stored_part *part = wmem_new(wmem_file_scope(), struct iw_stored_part);

            *part = (struct iw_stored_part){stored->parts, item->flow, (uint32_t)mpa->frame};
            stored->parts = part;
        }
        linked = frame;
    }
}

static void take_fpdu(struct iw_item *item, const struct iw_mpa_event *mpa) {
    const struct iw_fpdu *fpdu = mpa->fpdu;

    item->offset = fpdu->span_count > 0 ? fpdu->spans[0].offset : mpa->offset;
    item->length = fpdu->image_octets;
    item->captured = fpdu->image_captured;
    if (fpdu->span_count != 1 || fpdu->spans[0].frame != mpa->frame)
        item->stored = keep(fpdu->image, fpdu->image_captured);
    item->crc = fpdu->crc;
    item->crc_computed = fpdu->crc_computed;
    item->markers = keep(fpdu->markers, fpdu->marker_count * sizeof *fpdu->markers);
    item->marker_count = fpdu->marker_count;
    link_parts(item, mpa);
}

static void take_response(
    struct iw_item *item, const struct iw_mpa_event *mpa, const struct iw_operation *operation) {
    item->request_frame = (uint32_t)operation->request_frame;
    if (mpa->time_ns > operation->request_time_ns)
        item->response_time_ns = mpa->time_ns - operation->request_time_ns;
}

static const char *keep_text(const char *text) {
    return wmem_strdup(wmem_file_scope(), text);
}

/* Findings of a level that the user does not want to see are not there. */
static bool is_wanted(const struct iw_finding *finding) {
    return iw_preferences->show[iw_requirement_severity(finding->requirement)];
}

static void take_findings(struct iw_item *item, const struct iw_monitor_event *event) {
    struct iw_stored_finding *findings;
    size_t count = 0;

    if (event->finding_count == 0)
        return;
    findings = wmem_alloc0_array(wmem_file_scope(), struct iw_stored_finding, event->finding_count);
    for (size_t i = 0; i < event->finding_count; i++) {
        const struct iw_finding *finding = &event->findings[i];
        struct iw_stored_finding *kept = &findings[count];

        if (!is_wanted(finding))
            continue;
        count++;
        kept->requirement = finding->requirement;
        kept->field = finding->field;
        kept->message = keep_text(finding->message);
        kept->expected = keep_text(finding->expected);
        kept->actual = keep_text(finding->actual);
        kept->context_count = finding->context_count;
        for (unsigned k = 0; k < finding->context_count; k++)
            kept->context[k] = (uint32_t)finding->context[k];
    }
    item->findings = findings;
    item->finding_count = count;
}

struct iw_item *iw_frame_store_take(const struct iw_stored_flow *flow, const struct iw_monitor_event *event) {
    const struct iw_mpa_event *mpa = event->mpa;
    struct iw_item *item = wmem_new0(wmem_file_scope(), struct iw_item);

    item->frame = (uint32_t)mpa->frame;
    item->flow = flow;
    item->kind = mpa->kind;
    item->side = mpa->side;
    item->role = event->role;
    item->first_frame = (uint32_t)mpa->first_frame;
    item->octets = mpa->octets;
    item->missing = mpa->missing;
    item->cut = mpa->cut;
    item->open = mpa->open;
    if (mpa->kind == IW_MPA_STARTUP)
        take_startup(item, mpa);
    if (mpa->kind == IW_MPA_FPDU)
        take_fpdu(item, mpa);
    if (event->fact != NULL)
        item->message_frame = (uint32_t)event->fact->message_frame;
    if (event->response != NULL && event->response->known && event->response->operation != NULL)
        take_response(item, mpa, event->response->operation);
    take_findings(item, event);
    return item;
}
