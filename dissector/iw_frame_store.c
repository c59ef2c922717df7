#include "iw_frame_store.h"

#include <string.h>

#include "iw_frame_index.h"
#include "iw_preference.h"
#include "iw_file_memory.h"

enum { ITEMS_PER_BLOCK = 128 };

_Static_assert(sizeof(struct iw_item) <= 64, "a capture may hold millions of them");

static struct iw_frame_index items; /* by frame: its last struct iw_item */
static struct iw_frame_index parts; /* by frame: its list of struct iw_stored_part */
static struct iw_item *block;       /* the unused items are at its beginning */
static unsigned block_left;
static wmem_map_t *shared_frames; /* frames with several TCP segments; NULL: none yet */

/* Shared by all items that have no struct of their own. Always all zero. */
static struct iw_item_more empty_more;
static const struct iw_stored_message empty_message;

void iw_item_init(struct iw_item *item) {
    *item = (struct iw_item){.more = &empty_more, .message = &empty_message};
}

void iw_frame_store_open(void) {
    memset(&items, 0, sizeof items);
    memset(&parts, 0, sizeof parts);
    block_left = 0;
    shared_frames = NULL;
}

void iw_frame_store_share(uint64_t frame) {
    if (shared_frames == NULL)
        shared_frames = wmem_map_new(iw_file_memory(), g_direct_hash, g_direct_equal);
    wmem_map_insert(shared_frames, GUINT_TO_POINTER((unsigned)frame), GUINT_TO_POINTER(1));
}

const struct iw_item *iw_frame_store_first(uint32_t frame) {
    const struct iw_item *last = iw_frame_index_get(&items, frame);

    return last == NULL ? NULL : last->next;
}

const struct iw_item *iw_frame_store_next(const struct iw_item *item) {
    return item == iw_frame_index_get(&items, item->frame) ? NULL : item->next;
}

const struct iw_stored_part *iw_frame_store_parts(uint32_t frame) {
    return iw_frame_index_get(&parts, frame);
}

void iw_frame_store_add(struct iw_item *item) {
    void **slot = iw_frame_index_slot(&items, item->frame);
    struct iw_item *last = *slot;

    item->next = last == NULL ? item : last->next;
    if (last != NULL)
        last->next = item;
    *slot = item;
}

/* Items of a frame may be added while later frames are read, so this looks the frame up in a map. */
static bool frame_is_shared(uint64_t frame) {
    return shared_frames != NULL && wmem_map_contains(shared_frames, GUINT_TO_POINTER((unsigned)frame));
}

static void *frame_store_keep(const void *octets, size_t count) {
    return count > 0 ? wmem_memdup(iw_file_memory(), octets, count) : NULL;
}

/* ---- frames and octets of FPDUs and startup frames ---- */

static uint32_t frame_store_count_frames(const struct iw_fpdu *fpdu) {
    uint32_t count = fpdu->span_count > 0;

    for (uint32_t i = 1; i < fpdu->span_count; i++)
        count += fpdu->spans[i].frame != fpdu->spans[i - 1].frame;
    return count;
}

static struct iw_stored_part *frame_store_add_part(const struct iw_span *span) {
    void **slot = iw_frame_index_slot(&parts, (uint32_t)span->frame);
    struct iw_stored_part *part = wmem_new0(iw_file_memory(), struct iw_stored_part);

    part->next = *slot;
    part->offset = span->offset;
    *slot = part;
    return part;
}

/* Links the other frames that hold a part of the FPDU to the frame in which it ends. */
static void frame_store_link_parts(const struct iw_item *item, const struct iw_fpdu *fpdu) {
    uint32_t count = frame_store_count_frames(fpdu);
    uint32_t number = 0;
    struct iw_stored_part *part = NULL;

    for (uint32_t i = 0; count > 1 && i < fpdu->span_count; i++) {
        const struct iw_span *span = &fpdu->spans[i];

        if (i == 0 || span->frame != fpdu->spans[i - 1].frame) {
            number++;
            part = NULL;
        }
        if (span->frame == item->frame)
            continue;
        if (part == NULL)
            part = frame_store_add_part(span);
        part->flow = item->flow;
        part->side = item->side;
        part->octets = (uint32_t)(span->offset + span->octets - part->offset);
        part->end_frame = item->frame;
        part->number = number;
        part->count = count;
    }
}

/* Links the first frame of a startup frame to the frame in which it ends. The frames between are unknown. */
static void frame_store_link_startup(const struct iw_item *item, uint32_t first_frame) {
    struct iw_stored_part *part =
        frame_store_add_part(&(struct iw_span){.offset = item->offset, .frame = first_frame});

    part->flow = item->flow;
    part->side = item->side;
    part->end_frame = item->frame;
}

static bool frame_store_is_in_one_frame(const struct iw_fpdu *fpdu, uint32_t frame) {
    for (uint32_t i = 0; i < fpdu->span_count; i++)
        if (fpdu->spans[i].frame != frame)
            return false;
    return fpdu->span_count > 0;
}

static const struct iw_stored_piece *frame_store_keep_pieces(const struct iw_fpdu *fpdu) {
    struct iw_stored_piece *pieces =
        wmem_alloc_array(iw_file_memory(), struct iw_stored_piece, fpdu->span_count);

    for (uint32_t i = 0; i < fpdu->span_count; i++) {
        const struct iw_span *span = &fpdu->spans[i];

        pieces[i] = (struct iw_stored_piece){span->at, span->octets, span->offset};
    }
    return pieces;
}

static void store_startup(struct iw_item *item, struct iw_item_more *more, const struct iw_llp_event *llp) {
    item->offset = llp->offset;
    item->length = (uint32_t)llp->octets;
    item->captured = llp->image_captured & IW_ITEM_CAPTURED_MAX;
    if (llp->first_frame != llp->frame || frame_is_shared(llp->frame))
        more->stored = frame_store_keep(llp->image, llp->image_captured);
    if (llp->first_frame != llp->frame)
        frame_store_link_startup(item, (uint32_t)llp->first_frame);
}

static void store_fpdu(struct iw_item *item, struct iw_item_more *more, const struct iw_llp_event *llp) {
    const struct iw_fpdu *fpdu = llp->fpdu;

    item->offset = fpdu->span_count > 0 ? fpdu->spans[0].offset : llp->offset;
    item->length = fpdu->image_octets;
    item->captured = fpdu->image_captured & IW_ITEM_CAPTURED_MAX;
    item->crc = fpdu->crc;
    if (!frame_store_is_in_one_frame(fpdu, item->frame) || frame_is_shared(item->frame))
        more->stored = frame_store_keep(fpdu->image, fpdu->image_captured);
    if (fpdu->span_count > 1) {
        more->pieces = frame_store_keep_pieces(fpdu);
        more->piece_count = fpdu->span_count;
    }
    if (llp->damaged)
        more->crc_computed = fpdu->crc_computed;
    more->markers = frame_store_keep(fpdu->markers, fpdu->marker_count * sizeof *fpdu->markers);
    more->marker_count = fpdu->marker_count;
    frame_store_link_parts(item, fpdu);
}

/* ---- items ---- */

static bool frame_store_is_about_pad(const struct iw_fpdu *fpdu, const struct iw_finding *finding) {
    uint32_t at = iw_mpa_fpdu_octets + (fpdu == NULL ? 0u : fpdu->ulpdu_length);

    for (uint32_t i = 0; fpdu != NULL && i < fpdu->pad_octets && at + i < fpdu->image_captured; i++)
        if (finding->field == NULL && finding->offset == iw_fpdu_offset(fpdu, at + i))
            return true;
    return false;
}

static void store_findings(struct iw_item_more *more, const struct iw_monitor_event *event) {
    struct iw_stored_finding *findings;
    uint32_t count = 0;

    if (event->finding_count == 0)
        return;
    findings = wmem_alloc0_array(iw_file_memory(), struct iw_stored_finding, event->finding_count);
    for (size_t i = 0; i < event->finding_count; i++) {
        const struct iw_finding *finding = &event->findings[i];
        struct iw_stored_finding *kept = &findings[count];

        if (!iw_preferences->show[iw_requirement_severity(finding->requirement)])
            continue;
        count++;
        kept->requirement = finding->requirement;
        kept->field = finding->field;
        kept->number = finding->number;
        kept->cause = finding->cause;
        kept->cause_frame = (uint32_t)finding->cause_frame;
        kept->offset = finding->offset;
        kept->octets = finding->octets;
        kept->pad = frame_store_is_about_pad(event->llp->fpdu, finding);
        kept->message = wmem_strdup(iw_file_memory(), finding->message);
        kept->expected = wmem_strdup(iw_file_memory(), finding->expected);
        kept->actual = wmem_strdup(iw_file_memory(), finding->actual);
        kept->context_count = finding->context_count;
        for (unsigned k = 0; k < finding->context_count; k++)
            kept->context[k] = (uint32_t)finding->context[k];
    }
    more->findings = count > 0 ? findings : NULL;
    more->finding_count = count;
}

static void store_close(struct iw_item_more *more, const struct iw_llp_event *llp) {
    char text[IW_UNFINISHED_TEXT_OCTETS];

    if (llp->pending.octets == 0)
        return;
    iw_unfinished_text(llp, text);
    more->unfinished = wmem_strdup(iw_file_memory(), text);
}

static struct iw_item *frame_store_new_item(void) {
    if (block_left == 0) {
        block = wmem_alloc_array(iw_file_memory(), struct iw_item, ITEMS_PER_BLOCK);
        block_left = ITEMS_PER_BLOCK;
    }
    return &block[--block_left];
}

struct iw_item *iw_frame_store_take(const struct iw_stored_flow *flow, const struct iw_monitor_event *event) {
    const struct iw_llp_event *llp = event->llp;
    struct iw_item *item = frame_store_new_item();
    struct iw_item_more more;

    iw_item_init(item);
    item->flow = flow;
    memset(&more, 0, sizeof more); /* also the padding, which memcmp below compares */
    item->frame = (uint32_t)llp->frame;
    item->kind = llp->kind;
    item->side = llp->side;
    item->role = event->role;
    item->judged = event->judged;
    if (llp->first_frame != llp->frame)
        more.first_frame = (uint32_t)llp->first_frame;
    if (llp->kind == IW_LLP_STARTUP)
        store_startup(item, &more, llp);
    if (llp->kind == IW_LLP_SEGMENT)
        store_fpdu(item, &more, llp);
    if (llp->kind == IW_LLP_LOSS) {
        more.octets = llp->octets;
        more.missing = llp->loss.missing;
        more.limited = llp->loss.limited > 0;
        more.cut = llp->loss.cut;
        more.open = llp->loss.open;
    }
    if (llp->kind == IW_LLP_CLOSE)
        store_close(&more, llp);
    store_findings(&more, event);
    if (memcmp(&more, &empty_more, sizeof more) != 0)
        item->more = frame_store_keep(&more, sizeof more);
    return item;
}

void iw_frame_store_findings(struct iw_item *item, const struct iw_monitor_event *event) {
    if (event->finding_count > 0)
        store_findings(iw_frame_store_more(item), event);
}

struct iw_item_more *iw_frame_store_more(struct iw_item *item) {
    if (item->more == &empty_more)
        item->more = wmem_new0(iw_file_memory(), struct iw_item_more);
    return item->more;
}
