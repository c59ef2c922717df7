#include "iw_emit.h"

#include <string.h>

void iw_emit_init_fpdu(struct iw_emit *emit, uint8_t opcode) {
    const struct iw_opcode *op = iw_opcode_find(opcode, IW_EXT_ALL);

    memset(emit, 0, sizeof *emit);
    emit->kind = IW_EMIT_FPDU;
    emit->segment = (struct iw_segment){.last = true,
        .dv = 1,
        .rv = 1,
        .opcode = opcode,
        .op = op,
        .control = iw_segment_control(1, 0, opcode)};
    if (op == NULL)
        return;
    emit->segment.tagged = op->tagged;
    emit->segment.qn = op->tagged ? 0 : op->qn;
    emit->header_octets = op->header == IW_LAYOUT_NONE ? 0 : iw_layouts[op->header].octets;
}

size_t iw_emit_max(const struct iw_emit *emit) {
    size_t ulpdu = iw_ddp_untagged_octets + emit->header_octets + emit->payload_octets;

    if (emit->kind == IW_EMIT_STARTUP)
        return iw_mpa_startup_octets + iw_mpa_enhanced_octets + emit->payload_octets;
    if (emit->kind == IW_EMIT_OCTETS)
        return emit->payload_octets;
    return iw_fpdu_write_max(ulpdu);
}

struct iw_fpdu_shape iw_emit_measure(const struct iw_emit *emit, const struct iw_fpdu_writer *writer) {
    size_t ddp = emit->segment.tagged ? iw_ddp_tagged_octets : iw_ddp_untagged_octets;
    struct iw_fpdu_parts parts = emit->parts;

    if (emit->kind == IW_EMIT_STARTUP)
        return (struct iw_fpdu_shape){.octets = iw_mpa_startup_octets +
                                                (emit->enhanced ? (size_t)iw_mpa_enhanced_octets : 0) +
                                                emit->payload_octets};
    if (emit->kind != IW_EMIT_FPDU)
        return (struct iw_fpdu_shape){.octets = emit->payload_octets};
    parts.header_octets = (emit->bare ? 0 : ddp) + emit->header_octets;
    parts.payload_octets = emit->payload_octets;
    return iw_fpdu_measure(writer, &parts);
}

static void emit_write_startup(const struct iw_emit *emit, struct iw_output *output) {
    uint8_t *header = iw_output_reserve(output, iw_mpa_startup_octets);

    if (header != NULL)
        iw_mpa_startup_encode(&emit->startup, header);
    if (emit->enhanced) {
        uint8_t *enhanced = iw_output_reserve(output, iw_mpa_enhanced_octets);

        if (enhanced != NULL)
            iw_mpa_enhanced_encode(&emit->enhanced_data, enhanced);
    }
    iw_output_octets(output, emit->payload, emit->payload_octets);
}

static void emit_write_fpdu(
    const struct iw_emit *emit, struct iw_fpdu_writer *writer, struct iw_output *output) {
    uint8_t headers[iw_ddp_untagged_octets + IW_EMIT_HEADER_MAX];
    size_t ddp = emit->bare ? 0 : iw_segment_encode_ddp(&emit->segment, headers);
    struct iw_fpdu_parts parts = emit->parts;

    memcpy(headers + ddp, emit->header, emit->header_octets);
    parts.headers = headers;
    parts.header_octets = ddp + emit->header_octets;
    parts.payload = emit->payload;
    parts.payload_octets = emit->payload_octets;
    iw_fpdu_write(writer, &parts, output);
}

void iw_emit_write(const struct iw_emit *emit, struct iw_fpdu_writer *writer, struct iw_output *output) {
    size_t begin = output->length;

    if (emit->kind == IW_EMIT_STARTUP)
        emit_write_startup(emit, output);
    else if (emit->kind == IW_EMIT_FPDU)
        emit_write_fpdu(emit, writer, output);
    else if (emit->kind == IW_EMIT_OCTETS) {
        iw_output_octets(output, emit->payload, emit->payload_octets);
        writer->position += emit->payload_octets;
    }
    if (emit->shortened && !output->failed && output->length - begin > emit->cut) {
        if (emit->kind != IW_EMIT_STARTUP)
            writer->position -= output->length - begin - emit->cut;
        output->length = begin + emit->cut;
    }
}
