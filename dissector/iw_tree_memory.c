#include "iw_tree.h"

#include <inttypes.h>
#include <string.h>

#include "iw_memory_store.h"
#include "iw_opcode.h"

/* The memory of an STag as of an FPDU: a data source with the octets placed so far, and which FPDU placed
 * them. */

enum {
    VIEW_MAX = 1 << 16,   /* octets shown */
    WRITES_MAX = 1 << 12, /* segments searched, the latest first */
    VIEWS_MAX = 16,       /* items of a frame that may have a view */
    RANGES_MAX = 1 << 10, /* ranges listed */
};

struct view {
    uint64_t from, to; /* TOs; from <= to */
    bool partial;      /* earlier segments are not in the view, or not stored */
    uint8_t *octets;
    const struct iw_memory_write **writers; /* of each octet, or NULL */
};

static bool memory_within(const struct iw_memory_write *write, uint64_t *from, uint64_t *to) {
    uint64_t low = MIN(*from, write->to), high = MAX(*to, write->to + write->octets);

    if (write->to > UINT64_MAX - write->octets || high - low > VIEW_MAX)
        return false;
    *from = low;
    *to = high;
    return true;
}

/* Sets the bounds of the view: the octets of this segment, and of earlier ones that are near. */
static void memory_measure(const struct iw_memory_write *latest, struct view *view) {
    unsigned count = 0;

    view->from = latest->to;
    view->to = latest->to;
    for (const struct iw_memory_write *write = latest; write != NULL; write = write->previous) {
        view->partial |= count == WRITES_MAX;
        if (count++ == WRITES_MAX)
            break;
        view->partial |= !memory_within(write, &view->from, &view->to) || write->data == NULL;
    }
}

/* Paints the latest segment first: an octet belongs to the first segment that has it. */
static void memory_paint(const struct iw_memory_write *latest, struct view *view) {
    uint64_t left = view->to - view->from;
    unsigned count = 0;

    for (const struct iw_memory_write *write = latest; write != NULL && left > 0 && count++ < WRITES_MAX;
         write = write->previous) {
        if (write->to < view->from || write->to > view->to || write->octets > view->to - write->to)
            continue;
        for (uint32_t i = 0; write->data != NULL && i < write->octets; i++) {
            size_t at = (size_t)(write->to - view->from) + i;

            if (view->writers[at] != NULL)
                continue;
            view->writers[at] = write;
            view->octets[at] = write->data[i];
            left--;
        }
    }
}

static void memory_add_range(
    proto_tree *tree, tvbuff_t *tvb, const struct view *view, size_t at, size_t end) {
    const struct iw_memory_write *writer = view->writers[at];
    proto_item *shown;

    if (writer == NULL)
        return;
    shown = proto_tree_add_uint(
        tree, hf_iwarp[IW_HF_MEMORY_WRITER], tvb, (int)at, (int)(end - at), writer->item->frame);
    proto_item_set_generated(shown);
    proto_item_append_text(shown, ": TO 0x%" PRIx64 " to 0x%" PRIx64, view->from + at, view->from + end);
}

/* Adds each range of octets with the same writer. */
static void memory_add_ranges(proto_tree *tree, tvbuff_t *tvb, const struct view *view) {
    size_t count = (size_t)(view->to - view->from), begin = 0;
    unsigned ranges = 0;

    for (size_t at = 1; at <= count; at++) {
        if (at < count && view->writers[at] == view->writers[begin])
            continue;
        if (ranges++ < RANGES_MAX)
            memory_add_range(tree, tvb, view, begin, at);
        begin = at;
    }
}

/* Whether the FPDU is one of the first of its frame: a frame may end many small ones, and a view takes up to
 * 576 KiB. */
static bool memory_may_view(const struct iw_item *of) {
    unsigned count = 0;

    for (const struct iw_item *item = iw_frame_store_first(of->frame); item != NULL && count < VIEWS_MAX;
         item = iw_frame_store_next(item), count++)
        if (item == of)
            return true;
    return false;
}

void iw_tree_memory(struct iw_pdu *pdu) {
    const struct iw_memory_write *latest = iw_memory_store_find(pdu->item);
    struct view view = {0};
    proto_tree *tree;
    proto_item *top;
    unsigned count;
    tvbuff_t *tvb;

    if (latest == NULL || latest->data == NULL || !memory_may_view(pdu->item))
        return;
    memory_measure(latest, &view);
    count = (unsigned)(view.to - view.from);
    if (count == 0)
        return;
    view.octets = wmem_alloc0(pdu->pinfo->pool, count);
    view.writers = wmem_alloc0_array(pdu->pinfo->pool, const struct iw_memory_write *, count);
    memory_paint(latest, &view);
    tvb = tvb_new_child_real_data(pdu->image, view.octets, count, (int)count);
    add_new_data_source(pdu->pinfo, tvb,
        wmem_strdup_printf(
            pdu->pinfo->pool, "Memory of STag 0x%08x from TO 0x%" PRIx64, pdu->ddp.stag, view.from));
    tree = proto_tree_add_subtree_format(pdu->tree, tvb, 0, (int)count, ett_iwarp[IW_ETT_STAG], &top,
        "Memory of STag 0x%08x as of this FPDU, TO 0x%" PRIx64 " to 0x%" PRIx64 "%s", pdu->ddp.stag,
        view.from, view.to, view.partial ? " (not all that was placed)" : "");
    proto_item_set_generated(top);
    memory_add_ranges(tree, tvb, &view);
}
