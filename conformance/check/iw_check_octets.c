#include "iw_check_octets.h"

#include <stdbool.h>
#include <string.h>

/* Sets *octets to the octets of the event from index `first` on, at most IW_CHECK_OCTETS_MAX. */
static void octets_window(struct iw_check_octets *octets, const struct iw_llp_event *llp, uint32_t first) {
    uint32_t count = llp->image_captured - first;

    if (count > IW_CHECK_OCTETS_MAX)
        count = IW_CHECK_OCTETS_MAX;
    memcpy(octets->octets, llp->image + first, count);
    octets->count = (uint8_t)count;
    octets->before = first;
    octets->after = llp->image_octets > first + count ? llp->image_octets - first - count : 0;
}

void iw_check_octets_head(struct iw_check_octets *octets, const struct iw_monitor_event *event) {
    memset(octets, 0, sizeof *octets);
    if (event->llp->image_captured > 0)
        octets_window(octets, event->llp, 0);
}

/* Sets *at to the index of the octet at a stream offset. Returns false if not captured, or in a Marker. */
static bool check_octets_find_offset(const struct iw_llp_event *llp, uint64_t offset, uint32_t *at) {
    if (llp->fpdu == NULL) {
        *at = (uint32_t)(offset - llp->offset);
        return offset >= llp->offset && offset - llp->offset < llp->image_captured;
    }
    for (uint32_t i = 0; i < llp->fpdu->span_count; i++) {
        const struct iw_span *span = &llp->fpdu->spans[i];

        if (offset >= span->offset && offset - span->offset < span->octets) {
            *at = span->at + (uint32_t)(offset - span->offset);
            return *at < llp->image_captured;
        }
    }
    return false;
}

static void octets_around(
    struct iw_check_octets *octets, const struct iw_llp_event *llp, uint32_t at, uint32_t count) {
    uint32_t marks = count > IW_CHECK_OCTETS_MAX ? IW_CHECK_OCTETS_MAX : count;
    uint32_t lead = (IW_CHECK_OCTETS_MAX - marks) / 2;
    uint32_t first = at > lead ? at - lead : 0;
    uint32_t left;

    /* Near the end, show more octets before the mark. */
    if (llp->image_captured - first < IW_CHECK_OCTETS_MAX)
        first = llp->image_captured > IW_CHECK_OCTETS_MAX ? llp->image_captured - IW_CHECK_OCTETS_MAX : 0;
    octets_window(octets, llp, first);
    octets->mark = (uint8_t)(at - first);
    left = octets->count - (at - first);
    octets->marks = (uint8_t)(marks < left ? marks : left);
}

/* Takes a Marker alone, as the image of the FPDU has no Markers. Returns false if none fits the finding. */
static bool check_octets_take_marker(
    struct iw_check_octets *octets, const struct iw_monitor_event *event, const struct iw_finding *finding) {
    const struct iw_fpdu *fpdu = event->llp->fpdu;

    for (uint32_t i = 0; fpdu != NULL && i < fpdu->marker_count; i++) {
        const struct iw_marker *marker = &fpdu->markers[i];
        struct iw_mpa_marker header = {.reserved = marker->reserved, .fpduptr = marker->fpduptr};

        if (finding->offset < marker->offset || finding->offset - marker->offset >= iw_mpa_marker_octets)
            continue;
        iw_mpa_marker_encode(&header, octets->octets);
        octets->count = iw_mpa_marker_octets;
        octets->mark = (uint8_t)(finding->offset - marker->offset);
        octets->marks = (uint8_t)(octets->count - octets->mark);
        if (finding->octets < octets->marks)
            octets->marks = (uint8_t)finding->octets;
        return true;
    }
    return false;
}

void iw_check_octets_around(
    struct iw_check_octets *octets, const struct iw_monitor_event *event, const struct iw_finding *finding) {
    const struct iw_llp_event *llp = event->llp;
    uint32_t at;

    memset(octets, 0, sizeof *octets);
    if (llp->image_captured == 0)
        return;
    if (finding->field != NULL && finding->field->layout == iw_layout_mpa_marker &&
        check_octets_take_marker(octets, event, finding))
        return;
    if (finding->octets == 0 || finding->octets >= llp->octets ||
        !check_octets_find_offset(llp, finding->offset, &at))
        octets_window(octets, llp, 0);
    else
        octets_around(octets, llp, at, finding->octets);
}

int iw_check_octets_print(const struct iw_check_octets *octets, FILE *out, int *columns) {
    int lead = octets->before > 0 ? 4 : 0;

    fputs(octets->before > 0 ? "... " : "", out);
    for (unsigned i = 0; i < octets->count; i++)
        fprintf(out, "%s%02x", i > 0 ? " " : "", octets->octets[i]);
    fputs(octets->after > 0 ? " ..." : "", out);
    *columns = octets->marks > 0 ? 3 * octets->marks - 1 : 0;
    return lead + 3 * octets->mark;
}
