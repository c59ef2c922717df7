#include "iw_fpdu_writer.h"

#include "iw_crc32c.h"

void iw_fpdu_writer_init(struct iw_fpdu_writer *writer, bool markers, bool crc) {
    *writer = (struct iw_fpdu_writer){.markers = markers, .crc = crc};
}

size_t iw_fpdu_write_max(size_t ulpdu_octets) {
    size_t plain = iw_mpa_fpdu_octets + ulpdu_octets + UINT8_MAX + iw_mpa_crc_octets;

    return plain + iw_mpa_marker_octets * (plain / (IW_MARKER_SPACING - iw_mpa_marker_octets) + 2);
}

struct draft {
    const struct iw_fpdu_parts *parts;
    struct iw_output *output;
    bool markers;
    size_t begin;      /* start of the FPDU in the output */
    uint64_t position; /* of `begin` */
    size_t length_at;  /* place of ULPDU_Length in the output */
    bool length_written;
};

static uint64_t fpdu_writer_draft_position(const struct draft *draft) {
    return draft->position + (draft->output->length - draft->begin);
}

/* FPDUPTR: octets from ULPDU_Length to the Marker; 0 if the Marker precedes ULPDU_Length (RFC 5044 4.3). */
static void fpdu_writer_draft_put_marker(struct draft *draft) {
    const struct iw_fpdu_parts *parts = draft->parts;
    size_t distance = draft->length_written ? draft->output->length - draft->length_at : 0;
    struct iw_mpa_marker marker = {
        .reserved = parts->marker_reserved, .fpduptr = (uint16_t)(distance + (size_t)parts->fpduptr_shift)};
    uint8_t *target;

    if (parts->overrides & IW_FPDU_SET_FPDUPTR)
        marker.fpduptr = parts->fpduptr;
    target = iw_output_reserve(draft->output, iw_mpa_marker_octets);
    if (target != NULL)
        iw_mpa_marker_encode(&marker, target);
}

/* Appends octets, and the Markers that are due before or between them. */
static void fpdu_writer_draft_put(struct draft *draft, const uint8_t *octets, size_t count) {
    while (count > 0 && !draft->output->failed) {
        size_t run = count;

        if (draft->markers) {
            uint32_t due = iw_marker_distance(fpdu_writer_draft_position(draft));

            if (due == 0) {
                fpdu_writer_draft_put_marker(draft);
                due = IW_MARKER_SPACING - iw_mpa_marker_octets;
            }
            run = due < run ? due : run;
        }
        iw_output_octets(draft->output, octets, run);
        octets += run;
        count -= run;
    }
}

static void fpdu_writer_draft_put_length(struct draft *draft) {
    const struct iw_fpdu_parts *parts = draft->parts;
    struct iw_mpa_fpdu header = {.ulpdu_length = (uint16_t)(parts->header_octets + parts->payload_octets)};
    uint8_t octets[iw_mpa_fpdu_octets];

    if (parts->overrides & IW_FPDU_SET_LENGTH)
        header.ulpdu_length = parts->ulpdu_length;
    iw_mpa_fpdu_encode(&header, octets);
    if (draft->markers && iw_marker_distance(fpdu_writer_draft_position(draft)) == 0)
        fpdu_writer_draft_put_marker(draft);
    draft->length_at = draft->output->length;
    draft->length_written = true;
    fpdu_writer_draft_put(draft, octets, sizeof octets);
}

static uint32_t pad_octets(const struct iw_fpdu_parts *parts) {
    if (parts->overrides & IW_FPDU_SET_PAD_OCTETS)
        return parts->pad_octets;
    return iw_fpdu_pad((uint32_t)(parts->header_octets + parts->payload_octets));
}

static void fpdu_writer_draft_put_pad(struct draft *draft) {
    const struct iw_fpdu_parts *parts = draft->parts;
    uint32_t count = pad_octets(parts);

    for (uint32_t i = 0; i < count; i++)
        fpdu_writer_draft_put(draft, &parts->pad_value, 1);
}

/* A Marker right before the CRC is written first, because the CRC covers it (RFC 5044 4.4). */
static void fpdu_writer_draft_put_crc(struct draft *draft, bool generate) {
    const struct iw_fpdu_parts *parts = draft->parts;
    struct iw_mpa_crc trailer = {0};
    uint8_t octets[iw_mpa_crc_octets];

    if (draft->markers && iw_marker_distance(fpdu_writer_draft_position(draft)) == 0)
        fpdu_writer_draft_put_marker(draft);
    if (draft->output->failed)
        return;
    if (parts->overrides & IW_FPDU_SET_CRC)
        trailer.crc = parts->crc;
    else if (generate)
        trailer.crc = iw_crc32c(draft->output->octets + draft->begin, draft->output->length - draft->begin);
    trailer.crc ^= parts->crc_flip;
    iw_mpa_crc_encode(&trailer, octets);
    /* Only a PAD of wrong length can put a Marker inside the CRC field. */
    fpdu_writer_draft_put(draft, octets, sizeof octets);
}

struct iw_fpdu_shape iw_fpdu_measure(const struct iw_fpdu_writer *writer, const struct iw_fpdu_parts *parts) {
    size_t crc = parts->overrides & IW_FPDU_NO_CRC ? 0 : iw_mpa_crc_octets;
    struct iw_fpdu_shape shape = {.pad = pad_octets(parts), .marked = writer->markers};
    uint32_t plain =
        (uint32_t)(iw_mpa_fpdu_octets + parts->header_octets + parts->payload_octets + shape.pad + crc);

    shape.octets = plain;
    if (!writer->markers)
        return shape;
    shape.markers = (iw_marker_wire_octets(writer->position, plain) - plain) / iw_mpa_marker_octets;
    if ((parts->overrides & IW_FPDU_NO_MARKERS) == 0)
        shape.octets += (size_t)shape.markers * iw_mpa_marker_octets;
    return shape;
}

void iw_fpdu_write(
    struct iw_fpdu_writer *writer, const struct iw_fpdu_parts *parts, struct iw_output *output) {
    struct draft draft = {.parts = parts,
        .output = output,
        .markers = writer->markers && (parts->overrides & IW_FPDU_NO_MARKERS) == 0,
        .begin = output->length,
        .position = writer->position};

    fpdu_writer_draft_put_length(&draft);
    fpdu_writer_draft_put(&draft, parts->headers, parts->header_octets);
    fpdu_writer_draft_put(&draft, parts->payload, parts->payload_octets);
    fpdu_writer_draft_put_pad(&draft);
    if ((parts->overrides & IW_FPDU_NO_CRC) == 0)
        fpdu_writer_draft_put_crc(&draft, writer->crc);
    if (!output->failed)
        writer->position = fpdu_writer_draft_position(&draft);
}
