#include "iw_defect_state.h"

#include <stdlib.h>
#include <string.h>

#include "iw_name.h"

/* ---- checks that reject valid frames and FPDUs ---- */

static const char *refuse_res(const struct iw_startup *frame) {
    return frame->header.res != 0 ? "Res is not zero" : NULL;
}

static const char *refuse_rtr_without_a(const struct iw_startup *frame) {
    return frame->enhanced && !frame->enhanced_data.a && iw_startup_rtr(&frame->enhanced_data) != 0
               ? "an RTR type with A=0"
               : NULL;
}

static bool refuse_equal_ord(uint16_t ird, uint16_t ord) {
    return ord != ird;
}

static int defect_error_if(bool wrong, int error) {
    return wrong ? error : IW_NO_ERROR;
}

static int refuse_split(unsigned fpdus, size_t pending) {
    (void)fpdus;
    return defect_error_if(pending > 0, IW_ERROR_MPA_MARKER);
}

static int refuse_joined(unsigned fpdus, size_t pending) {
    (void)pending;
    return defect_error_if(fpdus > 1, IW_ERROR_MPA_MARKER);
}

static int refuse_pad(const struct iw_policy_fpdu *arrived) {
    const struct iw_fpdu *fpdu = arrived->fpdu;
    const uint8_t *pad = iw_fpdu_ulpdu(fpdu) + fpdu->ulpdu_length;

    for (uint8_t i = 0; i < fpdu->pad_octets; i++)
        if (pad[i] != 0)
            return IW_ERROR_MPA_CRC;
    return IW_NO_ERROR;
}

static int refuse_long(const struct iw_policy_fpdu *arrived) {
    return defect_error_if(arrived->fpdu->ulpdu_length > IW_ENDPOINT_EMSS, IW_ERROR_DDP_TOO_LONG);
}

static int refuse_markers(const struct iw_policy_fpdu *arrived) {
    return defect_error_if(arrived->fpdu->marker_count > 0, IW_ERROR_MPA_MARKER);
}

static int refuse_marker_reserved(const struct iw_policy_fpdu *arrived) {
    for (uint32_t i = 0; i < arrived->fpdu->marker_count; i++)
        if (arrived->fpdu->markers[i].reserved != 0)
            return IW_ERROR_MPA_MARKER;
    return IW_NO_ERROR;
}

static int refuse_fpduptr(const struct iw_policy_fpdu *arrived) {
    for (uint32_t i = 0; i < arrived->fpdu->marker_count; i++)
        if ((arrived->fpdu->markers[i].fpduptr & 3) != 0)
            return IW_ERROR_MPA_MARKER;
    return IW_NO_ERROR;
}

static int refuse_rsvd(const struct iw_policy_fpdu *arrived) {
    return defect_error_if(arrived->segment->rsvd != 0, IW_ERROR_RDMAP_CATASTROPHIC_STREAM);
}

static int refuse_rsv(const struct iw_policy_fpdu *arrived) {
    return defect_error_if(arrived->segment->rsv != 0, IW_ERROR_RDMAP_CATASTROPHIC_STREAM);
}

static int refuse_invalidate(const struct iw_policy_fpdu *arrived) {
    const struct iw_segment *segment = arrived->segment;
    bool reserved = !segment->tagged && segment->op != NULL && segment->op->invalidate == IW_INVALIDATE_ZERO;

    return defect_error_if(reserved && segment->invalidate_stag != 0, IW_ERROR_RDMAP_CATASTROPHIC_STREAM);
}

static int refuse_terminate(const struct iw_policy_fpdu *arrived) {
    return defect_error_if(
        arrived->segment->opcode == IW_RDMAP_OP_TERMINATE, IW_ERROR_RDMAP_UNEXPECTED_OPCODE);
}

static int refuse_terminate_buffer(const struct iw_policy_fpdu *arrived) {
    return defect_error_if(arrived->segment->opcode == IW_RDMAP_OP_TERMINATE, IW_ERROR_DDP_MSN_NO_BUFFER);
}

static const struct iw_region *defect_region_of(const struct iw_memory *memory, uint32_t stag) {
    return memory == NULL ? NULL : iw_memory_find(memory, stag);
}

static int refuse_empty_write(const struct iw_policy_fpdu *arrived) {
    const struct iw_segment *segment = arrived->segment;
    bool empty = segment->opcode == IW_RDMAP_OP_RDMA_WRITE && segment->tagged && segment->payload_octets == 0;

    return defect_error_if(
        empty && defect_region_of(arrived->memory, segment->stag) == NULL, IW_ERROR_DDP_INVALID_STAG);
}

static int refuse_empty_read(const struct iw_memory *memory, const struct iw_read_request *read) {
    return defect_error_if(defect_region_of(memory, read->source_stag) == NULL, IW_ERROR_RDMAP_INVALID_STAG);
}

static int refuse_last_octet(const struct iw_policy_fpdu *arrived) {
    const struct iw_segment *segment = arrived->segment;
    const struct iw_region *region = defect_region_of(arrived->memory, segment->stag);
    bool write = segment->opcode == IW_RDMAP_OP_RDMA_WRITE && segment->payload_octets > 0;

    return defect_error_if(
        write && region != NULL && segment->to + segment->payload_octets == region->base + region->size,
        IW_ERROR_DDP_BASE_BOUNDS);
}

static int refuse_empty_send(const struct iw_policy_fpdu *arrived) {
    const struct iw_segment *segment = arrived->segment;

    return defect_error_if(
        iw_segment_is_send(segment) && segment->payload_octets == 0, IW_ERROR_DDP_TOO_LONG);
}

static int refuse_segments(const struct iw_policy_fpdu *arrived) {
    const struct iw_segment *segment = arrived->segment;

    return defect_error_if(iw_segment_is_send(segment) && segment->mo > 0, IW_ERROR_DDP_INVALID_MO);
}

/* ---- negotiation in the startup ---- */

static const enum iw_rtr smallest_rtr_first[] = {IW_RTR_SEND, IW_RTR_READ, IW_RTR_WRITE};

static void negotiate_higher_ird(
    const struct iw_endpoint_config *config, const struct iw_startup *peer, struct iw_terms *terms) {
    uint16_t wanted = peer->enhanced_data.ord;

    (void)config;
    if (terms->enhanced && wanted != IW_IRD_ORD_NONE && wanted > terms->ird)
        terms->ird = wanted;
}

static void negotiate_own_ord(
    const struct iw_endpoint_config *config, const struct iw_startup *peer, struct iw_terms *terms) {
    (void)peer;
    terms->ord = config->ord;
}

static void negotiate_markers(
    const struct iw_endpoint_config *config, const struct iw_startup *peer, struct iw_terms *terms) {
    (void)config;
    (void)peer;
    terms->markers_out = true;
}

static void defect_take_own_crc(
    const struct iw_endpoint_config *config, const struct iw_startup *peer, struct iw_terms *terms) {
    (void)peer;
    terms->crc = !config->no_crc;
}

static void defect_take_peer_crc(
    const struct iw_endpoint_config *config, const struct iw_startup *peer, struct iw_terms *terms) {
    (void)config;
    terms->crc = peer->header.c;
}

/* ---- placement of tagged messages ---- */

/* Replaces the upper 32 bits of the TO by the upper bits of the region's base TO. */
static void access_lower_half(const struct iw_memory *memory, struct iw_access *access) {
    const struct iw_region *region = defect_region_of(memory, access->stag);

    if (region != NULL)
        access->to = (region->base & ~(uint64_t)UINT32_MAX) | (uint32_t)access->to;
}

static void place(struct iw_memory *memory, const struct iw_segment *segment, size_t octets) {
    iw_memory_place(memory, segment->stag, segment->to, segment->payload, octets);
}

static void place_short(void *user, struct iw_memory *memory, const struct iw_segment *segment) {
    (void)user;
    place(memory, segment, segment->payload_octets > 0 ? segment->payload_octets - 1 : 0);
}

static void place_delayed(void *user, struct iw_memory *memory) {
    struct iw_defect_overtaken *overtaken = &((struct iw_defect_state *)user)->overtaken;

    if (overtaken->octets == NULL)
        return;
    iw_memory_place(memory, overtaken->stag, overtaken->to, overtaken->octets, overtaken->count);
    free(overtaken->octets);
    overtaken->octets = NULL;
}

/* Holds each Write segment until the next Write with payload arrives, or place_delayed is called: Writes keep
 * their order, but a request is executed before the Write ahead of it is placed. Places empty and other
 * segments at once, and one for which memory runs out. */
static void place_later(void *user, struct iw_memory *memory, const struct iw_segment *segment) {
    struct iw_defect_overtaken *overtaken = &((struct iw_defect_state *)user)->overtaken;
    size_t octets = segment->payload_octets;

    if (octets > 0 && segment->opcode == IW_RDMAP_OP_RDMA_WRITE) {
        place_delayed(user, memory);
        overtaken->octets = malloc(octets);
    }
    if (octets == 0 || segment->opcode != IW_RDMAP_OP_RDMA_WRITE || overtaken->octets == NULL) {
        place(memory, segment, octets);
        return;
    }
    memcpy(overtaken->octets, segment->payload, octets);
    overtaken->count = octets;
    overtaken->stag = segment->stag;
    overtaken->to = segment->to;
}

static void place_rejected(
    struct iw_memory *memory, const struct iw_access *access, const struct iw_segment *segment, int error) {
    (void)access;
    (void)error;
    place(memory, segment, segment->payload_octets);
}

/* Places a segment that RDMAP rejects for its version or opcode, but DDP accepts (RFC 5041 7.1). */
static void place_what_ddp_accepts(
    struct iw_memory *memory, const struct iw_access *access, const struct iw_segment *segment, int error) {
    struct iw_access write = *access;

    write.rights = IW_RIGHT_WRITE;
    if ((error == IW_ERROR_RDMAP_VERSION || error == IW_ERROR_RDMAP_UNEXPECTED_OPCODE) && segment->dv == 1 &&
        iw_memory_check_tagged(memory, &write) == IW_NO_ERROR)
        place(memory, segment, segment->payload_octets);
}

/* ---- execution and delivery of untagged messages ---- */

static uint32_t hold_one_fewer(uint32_t ird) {
    return ird > 1 ? ird - 1 : ird;
}

static int execute_rejected(void *user, struct iw_memory *memory, const struct iw_access *access,
    unsigned extensions, struct iw_execute_request *request, struct iw_execute_answer *answer) {
    struct iw_access bold = *access;
    struct iw_execute_answer nothing;
    int error = iw_execute(memory, access, extensions, request, answer);

    (void)user;
    bold.skip |= IW_MEMORY_RIGHTS | IW_MEMORY_ALIGNMENT;
    if (error != IW_NO_ERROR)
        iw_execute(memory, &bold, extensions, request, &nothing);
    return error;
}

static enum iw_assembled assemble_first_segment(
    const struct iw_segment *segment, uint64_t received, const uint8_t **octets, size_t *count) {
    *octets = segment->payload;
    *count = segment->payload_octets;
    return received == segment->payload_octets ? IW_ASSEMBLY_WHOLE : IW_ASSEMBLY_PART;
}

static uint32_t invalidate_nothing(
    struct iw_memory *memory, const struct iw_access *access, const struct iw_segment *segment) {
    (void)memory;
    return segment->op->invalidate == IW_INVALIDATE_STAG ? access->stag : 0;
}

static uint32_t invalidate_for_any(
    struct iw_memory *memory, const struct iw_access *access, const struct iw_segment *segment) {
    (void)segment;
    if (iw_memory_check_invalidate(memory, access) != IW_NO_ERROR)
        return 0;
    iw_memory_invalidate(memory, access->stag);
    return access->stag;
}

/* ---- DDP over SCTP ---- */

/* Sends an RDMAP Terminate, which should not be sent before an association ends (RFC 5043 11.3). */
static void put_rdmap_terminate(struct iw_ddp_association *association, uint16_t stream) {
    static const struct iw_terminate error = {.layer = 0, .etype = 0, .code = 0};
    uint8_t octets[iw_ddp_untagged_octets + iw_terminate_octets] = {0};
    struct iw_emit emit;
    size_t length;

    iw_emit_init_fpdu(&emit, IW_RDMAP_OP_TERMINATE);
    emit.segment.msn = 1;
    length = iw_segment_encode_ddp(&emit.segment, octets);
    iw_terminate_encode(&error, octets + length);
    iw_ddp_association_put(association, stream, IW_SCTP_PPID_SEGMENT, octets, length + iw_terminate_octets);
}

/* ---- tables of defects and variants ---- */

#define OPCODE(name) (UINT32_C(1) << IW_RDMAP_OP_##name)
#define CAUSE(name) (1u << IW_EMIT_BY_##name)
#define AOPCODE(name) (IW_AOPCODE_##name + 1)
#define ERROR(name) (IW_ERROR_##name + 1)
#define CHECK(name) IW_POLICY_CHECK_SET(name)
#define DDP_CHECK(name) IW_DDP_CHECK_SET(name)

#define STARTUP_CHECKS (CHECK(KEY) | CHECK(REVISION) | CHECK(PD_LENGTH) | CHECK(ENHANCED) | CHECK(TRAILING))

#define CHUNK(function) (1u << IW_SCTP_##function)
#define SEGMENTS 1u
#define PHASE(name) (1u << IW_DEFECT_##name)

enum { INITIATOR = IW_DEFECT_INITIATOR, RESPONDER = IW_DEFECT_RESPONDER, BOTH = INITIATOR | RESPONDER };

#define IW_DEFECT(name, roles, words, requirement, ...)                                                      \
    {name, roles, words, IW_REQ_##requirement, __VA_ARGS__},

const struct iw_defect iw_defects[] = {
#include "iw_defect.def"
};

const size_t iw_defect_count = sizeof iw_defects / sizeof *iw_defects;

#define IW_VARIANT IW_DEFECT

const struct iw_defect iw_variants[] = {
#include "iw_variant.def"
};

const size_t iw_variant_count = sizeof iw_variants / sizeof *iw_variants;

#undef IW_VARIANT
#undef IW_DEFECT

static const struct iw_defect *defect_find(const struct iw_defect *table, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

const struct iw_defect *iw_defect_find(const char *name) {
    return defect_find(iw_defects, iw_defect_count, name);
}

const struct iw_defect *iw_variant_find(const char *name) {
    return defect_find(iw_variants, iw_variant_count, name);
}

const char *iw_defect_kind(const struct iw_defect *defect) {
    return iw_variant_find(defect->name) == defect ? "variant" : "defect";
}

const char *iw_defect_roles(const struct iw_defect *defect) {
    return defect->roles == INITIATOR ? "initiator" : defect->roles == RESPONDER ? "responder" : "both";
}
