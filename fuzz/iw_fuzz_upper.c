/* Fuzz target: the protocols above RDMAP. The input is a list of records, each of a control octet, a length
 * of two octets, most significant octet first, and that many octets: a startup frame's private data, a
 * segment of a Send, an RDMA Write or RDMA Read Request, or a loss. Each is copied to memory that ends with
 * it. */

#include "iw_fuzz_target.h"

#include <stdlib.h>
#include <string.h>

#include "iw_upper.h"

enum { RECORD_HEADER = 3, SIDE = 0x80, MORE = 0x40, INVALIDATE = 0x20, UNACKNOWLEDGED = 0x10, KIND = 0x0F };
enum { KIND_STARTUP, KIND_SEND, KIND_WRITE, KIND_READ, KIND_LOSS, KINDS };

struct talk {
    struct iw_upper *upper;
    uint64_t frame;
    uint64_t sent[2];
    uint32_t msn[2];
    uint32_t mo[2]; /* of the next segment */
};

static void require(int condition) {
    if (!condition)
        abort();
}

static uint32_t big_endian(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void feed_segment(
    struct talk *talk, struct iw_llp_event *llp, const struct iw_segment *segment, uint8_t control) {
    struct iw_segment_fact fact = {.msn_ok = true};
    const struct iw_monitor_event event = {
        .llp = llp, .segment = segment, .fact = &fact, .judged = IW_FPDU_JUDGED};

    llp->kind = IW_LLP_SEGMENT;
    iw_upper_event(
        talk->upper, &event, control & UNACKNOWLEDGED ? UINT64_MAX : talk->sent[iw_side_other(llp->side)]);
}

static void feed_startup(
    struct talk *talk, struct iw_llp_event *llp, const uint8_t *octets, uint32_t length) {
    const struct iw_startup frame = {.key = llp->side == IW_SIDE_A ? IW_STARTUP_REQUEST : IW_STARTUP_REPLY,
        .private_data = length > 0 ? octets : NULL,
        .private_octets = length};
    const struct iw_monitor_event event = {.llp = llp};

    llp->kind = IW_LLP_STARTUP;
    llp->startup = &frame;
    llp->image_octets = llp->image_captured = iw_mpa_startup_octets + length;
    iw_upper_event(talk->upper, &event, UINT64_MAX);
    llp->startup = NULL; /* it is gone after this call */
}

static void feed_send(
    struct talk *talk, struct iw_llp_event *llp, const uint8_t *octets, uint32_t length, uint8_t control) {
    uint8_t opcode = control & INVALIDATE ? IW_RDMAP_OP_SEND_INV : IW_RDMAP_OP_SEND;
    bool last = !(control & MORE);
    struct iw_segment segment = {.last = last,
        .opcode = opcode,
        .op = &iw_opcodes[opcode],
        .invalidate_stag = 1,
        .msn = talk->mo[llp->side] == 0 ? ++talk->msn[llp->side] : talk->msn[llp->side],
        .mo = talk->mo[llp->side],
        .payload = octets,
        .payload_octets = (uint16_t)length,
        .payload_captured = (uint16_t)length};

    talk->mo[llp->side] = last ? 0 : talk->mo[llp->side] + length;
    feed_segment(talk, llp, &segment, control);
}

/* STag, TO and size are the first 16 octets. */
static void feed_write(struct talk *talk, struct iw_llp_event *llp, const uint8_t *octets, uint8_t control) {
    const struct iw_segment segment = {.tagged = true,
        .last = true,
        .opcode = IW_RDMAP_OP_RDMA_WRITE,
        .op = &iw_opcodes[IW_RDMAP_OP_RDMA_WRITE],
        .stag = big_endian(octets),
        .to = (uint64_t)big_endian(octets + 4) << 32 | big_endian(octets + 8),
        .payload_octets = (uint16_t)big_endian(octets + 12)};

    feed_segment(talk, llp, &segment, control);
}

static void feed_read(struct talk *talk, struct iw_llp_event *llp, const uint8_t *octets, uint8_t control) {
    const struct iw_segment segment = {.last = true,
        .opcode = IW_RDMAP_OP_READ_REQUEST,
        .op = &iw_opcodes[IW_RDMAP_OP_READ_REQUEST],
        .qn = IW_QN_REQUEST,
        .header = octets,
        .header_octets = iw_read_request_octets};

    feed_segment(talk, llp, &segment, control);
}

static void take_record(struct talk *talk, uint8_t control, const uint8_t *octets, uint32_t length) {
    enum iw_side side = control & SIDE ? IW_SIDE_B : IW_SIDE_A;
    struct iw_llp_event llp = {.side = side,
        .offset = talk->sent[side],
        .octets = length + 24u,
        .frame = ++talk->frame,
        .time_ns = talk->frame};
    const struct iw_monitor_event event = {.llp = &llp};

    talk->sent[side] += llp.octets;
    switch ((control & KIND) % KINDS) {
    case KIND_STARTUP:
        feed_startup(talk, &llp, octets, length);
        break;
    case KIND_SEND:
        feed_send(talk, &llp, octets, length, control);
        break;
    case KIND_WRITE:
        if (length >= 16)
            feed_write(talk, &llp, octets, control);
        break;
    case KIND_READ:
        if (length >= iw_read_request_octets)
            feed_read(talk, &llp, octets, control);
        break;
    default:
        llp.kind = IW_LLP_LOSS;
        iw_upper_event(talk->upper, &event, UINT64_MAX);
        break;
    }
}

/* Reads all results, so that a sanitizer reports invalid ones. */
static void read_results(const struct iw_upper *upper) {
    char text[IW_UPPER_TEXT_OCTETS];
    size_t count;
    const struct iw_upper_finding *findings = iw_upper_findings(upper, &count);
    const struct iw_upper_call *calls;

    require(count <= IW_UPPER_FINDINGS_MAX);
    for (size_t i = 0; i < count; i++)
        require(findings[i].rule->judged != IW_UPPER_LISTED &&
                strlen(findings[i].message) < sizeof findings[i].message);
    calls = iw_upper_calls(upper, &count);
    require(count <= IW_UPPER_CALLS_MAX);
    for (size_t i = 0; i < count; i++)
        require(iw_upper_call_name(upper, &calls[i], text)[0] != '\0');
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        const struct iw_upper_buffer *buffer = iw_upper_buffer_find(upper, side, 1, 0);

        require(buffer == NULL || iw_upper_buffer_purpose(buffer, text)[0] != '\0');
        require(iw_upper_credits(upper, side).open <= IW_UPPER_CALLS_MAX);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length) {
    struct talk talk = {.upper = iw_upper_new()};

    require(talk.upper != NULL);
    for (size_t at = 0; length - at >= RECORD_HEADER;) {
        uint8_t control = octets[at], *copy;
        uint32_t count = (uint32_t)octets[at + 1] << 8 | octets[at + 2];

        at += RECORD_HEADER;
        if (count > length - at)
            count = (uint32_t)(length - at);
        copy = malloc(count > 0 ? count : 1);
        require(copy != NULL);
        memcpy(copy, octets + at, count);
        at += count;
        take_record(&talk, control, copy, count);
        free(copy);
    }
    iw_upper_finish(talk.upper);
    read_results(talk.upper);
    iw_upper_free(talk.upper);
    return 0;
}
