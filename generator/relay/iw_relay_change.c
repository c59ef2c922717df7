#include "iw_relay_change.h"

#include <stdlib.h>
#include <string.h>

#include "iw_crc32c.h"
#include "iw_fpdu_writer.h"
#include "iw_random.h"
#include "iw_startup.h"

enum { GROWTH = IW_RELAY_INSERT_MAX + IW_RELAY_PRIVATE_MAX + 8 /* PAD */ };

/* ---- units ---- */

void iw_relay_unit_of_startup(struct iw_relay_unit *unit, const uint8_t *octets, uint32_t length) {
    *unit = (struct iw_relay_unit){
        .startup = true, .wire = octets, .wire_octets = length, .image = octets, .image_octets = length};
}

void iw_relay_unit_of_fpdu(
    struct iw_relay_unit *unit, const struct iw_fpdu *fpdu, const uint8_t *wire, bool marked) {
    *unit = (struct iw_relay_unit){.wire = wire,
        .wire_octets = fpdu->wire_octets,
        .image = fpdu->image,
        .image_octets = fpdu->image_octets,
        .fpdu = fpdu,
        .marked = marked};
    unit->segment_known = iw_segment_decode(
        iw_fpdu_ulpdu(fpdu), iw_fpdu_ulpdu_captured(fpdu), fpdu->ulpdu_length, IW_EXT_ALL, &unit->segment);
}

/* A Read Request for no octet is as a message without payload (RFC 5040 7.2). */
static bool unit_has_payload(const struct iw_segment *segment) {
    struct iw_read_request request;

    if (segment->opcode != IW_RDMAP_OP_READ_REQUEST)
        return segment->payload_octets > 0;
    if (segment->tagged || segment->header_octets < iw_read_request_octets)
        return false;
    iw_read_request_decode(segment->header, &request);
    return request.size > 0;
}

bool iw_relay_unit_has(const struct iw_relay_unit *unit, unsigned with) {
    const struct iw_segment *segment = &unit->segment;

    if (with == 0)
        return true;
    if (!unit->segment_known || ((with & IW_RELAY_WITH_PAYLOAD) != 0 && !unit_has_payload(segment)))
        return false;
    return (with & IW_RELAY_WITH_MESSAGE) == 0 ||
           (segment->last && (segment->tagged ? !unit->continues : segment->mo == 0));
}

size_t iw_relay_change_max(const struct iw_relay_unit *unit) {
    return iw_fpdu_write_max(unit->image_octets + GROWTH);
}

/* ---- parts of a unit ---- */

struct part {
    uint32_t at, octets; /* in the image */
};

static struct part change_part_of_startup(const struct iw_relay_unit *unit, enum iw_relay_part part) {
    uint32_t header = unit->image_octets < iw_mpa_startup_octets ? unit->image_octets : iw_mpa_startup_octets;

    return part == IW_RELAY_PART_HEADER ? (struct part){0, header}
                                        : (struct part){header, unit->image_octets - header};
}

/* Not of a Marker, which is outside of the image. */
static struct part change_part(const struct iw_relay_unit *unit, enum iw_relay_part part) {
    if (unit->startup)
        return change_part_of_startup(unit, part);
    uint32_t ulpdu = unit->fpdu->ulpdu_length;
    uint32_t headers = unit->segment_known ? unit->segment.ddp_octets + unit->segment.header_octets : 0u;

    switch (part) {
    case IW_RELAY_PART_LENGTH:
        return (struct part){0, iw_mpa_fpdu_octets};
    case IW_RELAY_PART_HEADER:
        return (struct part){iw_mpa_fpdu_octets, headers};
    case IW_RELAY_PART_PAYLOAD:
        return (struct part){iw_mpa_fpdu_octets + headers, ulpdu - headers};
    case IW_RELAY_PART_PAD:
        return (struct part){iw_mpa_fpdu_octets + ulpdu, unit->fpdu->pad_octets};
    case IW_RELAY_PART_CRC:
    case IW_RELAY_PART_MARKER:
        break;
    }
    return (struct part){unit->image_octets - iw_mpa_crc_octets, iw_mpa_crc_octets};
}

/* ---- changes of the image ---- */

/* The image as it is changed. */
struct draft {
    uint8_t *image;
    uint32_t octets;
    uint32_t trailer; /* octets of the CRC at its end */
};

/* Inverts bits of one of `count` octets. Returns false if there is no such octet. */
static bool change_flip(const struct iw_relay_rule *rule, uint64_t *random, uint8_t *octets, uint32_t count) {
    uint64_t drawn = iw_random_next(random);
    uint32_t octet = rule->octet_known || count == 0 ? rule->octet : (uint32_t)(drawn / 8 % count);

    if (octet >= count)
        return false;
    octets[octet] = (uint8_t)(octets[octet] ^ (rule->mask_known ? rule->mask : 1u << drawn % 8));
    return true;
}

static bool change_put_field(
    struct draft *draft, enum iw_layout_id layout, uint32_t at, const struct iw_relay_set *set) {
    const struct iw_layout *row = &iw_layouts[layout];
    bool found = false;

    if (at + row->octets > draft->octets)
        return false;
    for (unsigned i = row->first_field; i < row->first_field + row->field_count; i++)
        if (strcmp(iw_fields[i].filter, set->filter) == 0 &&
            (iw_fields[i].bits == 64 || set->value >> iw_fields[i].bits == 0)) {
            iw_field_put(&iw_fields[i], draft->image + at, set->value);
            found = true;
        }
    return found;
}

static bool change_set_of_startup(
    const struct iw_relay_unit *unit, struct draft *draft, const struct iw_relay_set *set) {
    struct iw_startup frame;

    if (unit->image_octets < iw_mpa_startup_octets)
        return false;
    iw_startup_decode(unit->image, unit->image_octets, &frame);
    return change_put_field(draft, iw_layout_mpa_startup, 0, set) ||
           (frame.enhanced && change_put_field(draft, iw_layout_mpa_enhanced, iw_mpa_startup_octets, set));
}

static bool change_set_of_fpdu(
    const struct iw_relay_unit *unit, struct draft *draft, const struct iw_relay_set *set) {
    const struct iw_segment *segment = &unit->segment;
    struct iw_segment_part parts[IW_SEGMENT_PARTS_MAX];
    bool found = change_put_field(draft, iw_layout_mpa_fpdu, 0, set);
    unsigned count = unit->segment_known ? iw_segment_parts(segment, parts) : 0;

    for (unsigned i = 0; i < count; i++)
        found |= change_put_field(draft, parts[i].layout, iw_mpa_fpdu_octets + parts[i].at, set);
    if (unit->segment_known && segment->header_octets > 0)
        found |= change_put_field(
            draft, segment->op->header, (uint32_t)iw_mpa_fpdu_octets + segment->ddp_octets, set);
    return found;
}

static bool change_set(
    const struct iw_relay_unit *unit, const struct iw_relay_rule *rule, struct draft *draft) {
    for (unsigned i = 0; i < rule->set_count; i++)
        if (!(unit->startup ? change_set_of_startup(unit, draft, &rule->sets[i])
                            : change_set_of_fpdu(unit, draft, &rule->sets[i])))
            return false;
    return true;
}

/* Replaces `count` octets at `at` by `with`. */
static void change_replace(
    struct draft *draft, uint32_t at, uint32_t count, const uint8_t *with, uint32_t with_octets) {
    memmove(draft->image + at + with_octets, draft->image + at + count, draft->octets - at - count);
    if (with_octets > 0)
        memcpy(draft->image + at, with, with_octets);
    draft->octets += with_octets - count;
}

/* The enhanced data, which begin the private data, remain (RFC 6581 6). */
static bool change_private(
    const struct iw_relay_unit *unit, const struct iw_relay_rule *rule, struct draft *draft) {
    uint32_t kept = iw_mpa_startup_octets;
    struct iw_startup frame;

    if (unit->image_octets < iw_mpa_startup_octets)
        return false;
    iw_startup_decode(unit->image, unit->image_octets, &frame);
    if (frame.enhanced)
        kept += iw_mpa_enhanced_octets;
    change_replace(draft, kept, draft->octets - kept, rule->private_data, rule->private_octets);
    iw_field_put(&iw_fields[iw_field_mpa_startup_pd_length], draft->image,
        kept - iw_mpa_startup_octets + rule->private_octets);
    return true;
}

static bool change_cut_and_insert(const struct iw_relay_rule *rule, struct draft *draft) {
    uint32_t end = draft->octets - draft->trailer;

    if ((rule->actions & IW_RELAY_CUT) != 0) {
        if (rule->cut_at > end || rule->cut_octets > end - rule->cut_at)
            return false;
        change_replace(draft, rule->cut_at, rule->cut_octets, NULL, 0);
        end -= rule->cut_octets;
    }
    if ((rule->actions & IW_RELAY_INSERT) != 0) {
        if (rule->insert_at > end)
            return false;
        change_replace(draft, rule->insert_at, 0, rule->insert, rule->insert_octets);
    }
    return true;
}

/* ULPDU_Length counts what was inserted or cut, and PAD fills the last word (RFC 5044 4.1). */
static void change_repair_length(const struct iw_relay_unit *unit, struct draft *draft) {
    static const uint8_t zeros[4];
    uint32_t length = (uint32_t)unit->fpdu->ulpdu_length + draft->octets - unit->image_octets;
    uint32_t pad = iw_fpdu_pad(length);

    uint32_t trailer = (uint32_t)iw_mpa_crc_octets + unit->fpdu->pad_octets;

    if (draft->octets < iw_mpa_fpdu_octets + trailer || length > UINT16_MAX)
        return;
    change_replace(draft, draft->octets - trailer, unit->fpdu->pad_octets, zeros, pad);
    iw_field_put(&iw_fields[iw_field_mpa_fpdu_ulpdu_length], draft->image, length);
}

/* Makes all changes before those of Markers and CRC. */
static bool change_image(const struct iw_relay_unit *unit, const struct iw_relay_rule *rule, unsigned repair,
    uint64_t *random, struct draft *draft) {
    bool flips = (rule->actions & IW_RELAY_FLIP) != 0 && rule->part < IW_RELAY_PART_CRC;
    struct part part = change_part(unit, rule->part);

    if (flips && !change_flip(rule, random, draft->image + part.at, part.octets))
        return false;
    if ((rule->actions & IW_RELAY_PRIVATE) != 0 && !change_private(unit, rule, draft))
        return false;
    if ((rule->actions & IW_RELAY_SET) != 0 && !change_set(unit, rule, draft))
        return false;
    if ((rule->actions & (IW_RELAY_CUT | IW_RELAY_INSERT)) == 0)
        return true;
    if (!change_cut_and_insert(rule, draft))
        return false;
    if (!unit->startup && (repair & IW_RELAY_REPAIR_LENGTH) != 0)
        change_repair_length(unit, draft);
    return true;
}

/* ---- Markers and CRC ---- */

/* What is written to the stream. */
struct result {
    uint8_t *octets;
    size_t count;
    size_t marker; /* place of the first Marker; SIZE_MAX: none */
};

/* Where octet `at` of the unchanged image is after cut and insert. */
static uint32_t change_moved(const struct iw_relay_rule *rule, uint32_t at) {
    uint32_t moved = at;

    if (rule != NULL && (rule->actions & IW_RELAY_CUT) != 0 && moved > rule->cut_at)
        moved -= moved - rule->cut_at < rule->cut_octets ? moved - rule->cut_at : rule->cut_octets;
    if (rule != NULL && (rule->actions & IW_RELAY_INSERT) != 0 && moved > rule->insert_at)
        moved += rule->insert_octets;
    return moved;
}

/* Each Marker stays before the octet that it preceded. */
static void change_lay_out(const struct iw_relay_unit *unit, const struct iw_relay_rule *rule,
    const struct draft *draft, struct result *result) {
    uint32_t laid = 0;

    for (uint32_t i = 0; i < unit->fpdu->marker_count; i++) {
        uint32_t from = (uint32_t)(unit->fpdu->markers[i].offset - unit->fpdu->offset);
        uint32_t to = change_moved(rule, from - i * iw_mpa_marker_octets);

        if (to > draft->octets)
            to = draft->octets;
        memcpy(result->octets + result->count, draft->image + laid, to - laid);
        result->count += to - laid;
        laid = to;
        if (i == 0)
            result->marker = result->count;
        memcpy(result->octets + result->count, unit->wire + from, iw_mpa_marker_octets);
        result->count += iw_mpa_marker_octets;
    }
    memcpy(result->octets + result->count, draft->image + laid, draft->octets - laid);
    result->count += draft->octets - laid;
}

static uint32_t change_crc_of(const struct draft *draft) {
    struct iw_mpa_crc crc;

    iw_mpa_crc_decode(draft->image + draft->octets - iw_mpa_crc_octets, &crc);
    return crc.crc;
}

/* Writes Markers for `position`. They are part of what the CRC covers (RFC 5044 4.4), so an unchanged unit
 * gets another CRC, which is as right or wrong as it was. */
static void change_mark(const struct iw_relay_unit *unit, bool changed, uint64_t position, size_t capacity,
    const struct draft *draft, struct result *result) {
    bool used = unit->fpdu->crc == IW_CRC_GOOD || unit->fpdu->crc == IW_CRC_BAD;
    struct iw_output output = iw_output_into(result->octets, capacity);
    struct iw_fpdu_writer writer;
    struct iw_fpdu_parts parts = {.headers = draft->image + iw_mpa_fpdu_octets,
        .header_octets = draft->octets - iw_mpa_fpdu_octets - iw_mpa_crc_octets,
        .overrides = IW_FPDU_SET_LENGTH | IW_FPDU_SET_PAD_OCTETS,
        .ulpdu_length = (uint16_t)iw_field_get(&iw_fields[iw_field_mpa_fpdu_ulpdu_length], draft->image),
        .crc = change_crc_of(draft)};

    if (changed || !used)
        parts.overrides |= IW_FPDU_SET_CRC;
    else
        parts.crc_flip = unit->fpdu->crc_received ^ unit->fpdu->crc_computed;
    iw_fpdu_writer_init(&writer, true, true);
    writer.position = position;
    iw_fpdu_write(&writer, &parts, &output);
    result->count = output.length;
    if (iw_marker_distance(position) < output.length)
        result->marker = iw_marker_distance(position);
}

static void change_repair_crc(struct result *result) {
    size_t covered = result->count - iw_mpa_crc_octets;
    const struct iw_mpa_crc crc = {.crc = iw_crc32c(result->octets, covered)};

    iw_mpa_crc_encode(&crc, result->octets + covered);
}

/* Flips a Marker or the CRC. Returns false without one. */
static bool change_flip_frame(
    const struct iw_relay_rule *rule, unsigned repair, uint64_t *random, struct result *result) {
    bool flips = (rule->actions & IW_RELAY_FLIP) != 0;

    if (flips && rule->part == IW_RELAY_PART_MARKER &&
        (result->marker == SIZE_MAX ||
            !change_flip(rule, random, result->octets + result->marker, iw_mpa_marker_octets)))
        return false;
    if ((repair & IW_RELAY_REPAIR_CRC) != 0)
        change_repair_crc(result);
    return !flips || rule->part != IW_RELAY_PART_CRC ||
           change_flip(rule, random, result->octets + result->count - iw_mpa_crc_octets, iw_mpa_crc_octets);
}

static bool change_frame(const struct iw_relay_unit *unit, const struct iw_relay_rule *rule, unsigned repair,
    uint64_t position, uint64_t *random, const struct draft *draft, struct result *result) {
    bool changed = rule != NULL && (rule->actions & IW_RELAY_CHANGES) != 0;
    bool whole = draft->octets >= iw_mpa_fpdu_octets + iw_mpa_crc_octets;

    if (unit->marked && (repair & IW_RELAY_REPAIR_MARKERS) != 0 && whole)
        change_mark(unit, changed, position, iw_relay_change_max(unit), draft, result);
    else
        change_lay_out(unit, rule, draft, result);
    if (unit->fpdu->crc == IW_CRC_UNCHECKED || !whole)
        repair &= ~(unsigned)IW_RELAY_REPAIR_CRC;
    return !changed || change_flip_frame(rule, repair, random, result);
}

/* Whether a rule for octets of the image has left them as they were. */
static bool change_is_void(
    const struct iw_relay_unit *unit, const struct iw_relay_rule *rule, const struct draft *draft) {
    bool of_frame = (rule->actions & IW_RELAY_FLIP) != 0 && rule->part >= IW_RELAY_PART_CRC;

    return !of_frame && draft->octets == unit->image_octets &&
           memcmp(draft->image, unit->image, draft->octets) == 0;
}

static bool change_unit(const struct iw_relay_unit *unit, const struct iw_relay_rule *rule, unsigned repair,
    uint64_t position, uint64_t *random, struct draft *draft, struct result *result) {
    *result = (struct result){.octets = result->octets, .marker = SIZE_MAX};
    memcpy(draft->image, unit->image, unit->image_octets);
    draft->octets = unit->image_octets;
    draft->trailer = unit->startup ? 0 : iw_mpa_crc_octets;
    if (rule != NULL &&
        (!change_image(unit, rule, repair, random, draft) || change_is_void(unit, rule, draft)))
        return false;
    if (!unit->startup)
        return change_frame(unit, rule, repair, position, random, draft, result);
    memcpy(result->octets, draft->image, draft->octets);
    result->count = draft->octets;
    return true;
}

size_t iw_relay_change(const struct iw_relay_unit *unit, const struct iw_relay_rule *rule, unsigned repair,
    uint64_t position, uint64_t *random, uint8_t *octets, bool *applied) {
    struct draft draft = {.image = malloc(unit->image_octets + GROWTH)};
    struct result result = {.octets = octets};

    if (draft.image == NULL)
        return 0;
    *applied = change_unit(unit, rule, repair, position, random, &draft, &result);
    if (!*applied)
        change_unit(unit, NULL, repair, position, random, &draft, &result);
    free(draft.image);
    return result.count;
}
