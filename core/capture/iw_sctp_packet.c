#include "iw_sctp_packet.h"

#include <string.h>

#include "iw_packet_walk.h"

enum {
    INIT_FIXED = 16,
    PARAMETER_HEADER = 4,
    PARAMETER_IPV4 = 5, /* RFC 9260 3.3.2.1 */
    PARAMETER_IPV6 = 6,
    IPV4_OCTETS = 4,
    IPV6_OCTETS = 16,
    FLAG_E = 1,
    FLAG_B = 2,
    FLAG_U = 4,
};

static uint32_t sctp_packet_chunk_padded(uint32_t octets) {
    return (octets + 3) & ~UINT32_C(3);
}

static uint32_t sctp_packet_at_most(uint32_t octets, uint32_t limit) {
    return octets < limit ? octets : limit;
}

/* Returns the length of the next chunk or parameter. It is at octet 2, and includes the header, but not the
 * padding at the end (RFC 9260 3.2, 3.2.1). Returns 0 if it is missing or invalid. */
static uint32_t sctp_packet_block_length(const struct iw_sctp_chunks *left) {
    uint32_t length;

    if (left->captured < IW_SCTP_CHUNK_OCTETS)
        return 0;
    length = iw_packet_16(left->octets + 2);
    return length < IW_SCTP_CHUNK_OCTETS || length > left->length ? 0 : length;
}

static void sctp_packet_step_over(struct iw_sctp_chunks *left, uint32_t octets) {
    left->octets += sctp_packet_at_most(octets, left->captured);
    left->captured -= sctp_packet_at_most(octets, left->captured);
    left->length -= sctp_packet_at_most(octets, left->length);
}

bool iw_sctp_chunk_next(struct iw_sctp_chunks *chunks, struct iw_sctp_chunk *chunk) {
    uint32_t length = sctp_packet_block_length(chunks);

    if (length == 0)
        return false;
    *chunk = (struct iw_sctp_chunk){.type = chunks->octets[0],
        .flags = chunks->octets[1],
        .value = chunks->octets + IW_SCTP_CHUNK_OCTETS,
        .length = length - IW_SCTP_CHUNK_OCTETS,
        .captured = sctp_packet_at_most(length, chunks->captured) - IW_SCTP_CHUNK_OCTETS};
    sctp_packet_step_over(chunks, sctp_packet_chunk_padded(length));
    return true;
}

static void sctp_packet_decode_parameters(struct iw_sctp_chunks left, struct iw_sctp_setup *setup) {
    uint32_t length;

    while ((length = sctp_packet_block_length(&left)) != 0 && !setup->indicated) {
        if (iw_packet_16(left.octets) == IW_SCTP_PARAMETER_ADAPTATION && length >= PARAMETER_HEADER + 4 &&
            left.captured >= PARAMETER_HEADER + 4) {
            setup->indicated = true;
            setup->indication = iw_packet_32(left.octets + PARAMETER_HEADER);
        }
        sctp_packet_step_over(&left, sctp_packet_chunk_padded(length));
    }
}

bool iw_sctp_init_decode(const struct iw_sctp_chunk *chunk, struct iw_sctp_init *init) {
    const uint8_t *value = chunk->value;

    memset(init, 0, sizeof *init);
    if (chunk->captured < INIT_FIXED)
        return false;
    init->tag = iw_packet_32(value);
    init->setup.outbound = iw_packet_16(value + 8);
    init->setup.inbound = iw_packet_16(value + 10);
    init->tsn = iw_packet_32(value + 12);
    init->setup.ack = chunk->type == IW_SCTP_INIT_ACK;
    init->setup.cut = chunk->captured < chunk->length;
    init->parameters =
        (struct iw_sctp_chunks){value + INIT_FIXED, chunk->captured - INIT_FIXED, chunk->length - INIT_FIXED};
    sctp_packet_decode_parameters(init->parameters, &init->setup);
    return true;
}

static bool sctp_packet_decode_address(
    const struct iw_sctp_chunks *at, uint32_t length, struct iw_tcp_address *address) {
    bool v6 = iw_packet_16(at->octets) == PARAMETER_IPV6;
    uint32_t octets = v6 ? IPV6_OCTETS : IPV4_OCTETS;

    if ((!v6 && iw_packet_16(at->octets) != PARAMETER_IPV4) || length != PARAMETER_HEADER + octets ||
        at->captured < length)
        return false;
    memset(address, 0, sizeof *address);
    memcpy(address->octets, at->octets + PARAMETER_HEADER, octets);
    address->version = v6 ? 6 : 4;
    return true;
}

bool iw_sctp_init_address(struct iw_sctp_init *init, struct iw_tcp_address *address) {
    struct iw_sctp_chunks *left = &init->parameters;
    uint32_t length;
    bool found = false;

    while (!found && (length = sctp_packet_block_length(left)) != 0) {
        found = sctp_packet_decode_address(left, length, address);
        sctp_packet_step_over(left, sctp_packet_chunk_padded(length));
    }
    return found;
}

/* Only the first fragment of I-DATA has the Payload Protocol Identifier (RFC 8260 2.1). */
bool iw_sctp_data_decode(const struct iw_sctp_chunk *chunk, struct iw_sctp_data *data) {
    uint32_t header = chunk->type == IW_SCTP_I_DATA ? IW_SCTP_I_DATA_OCTETS : IW_SCTP_DATA_OCTETS;
    uint32_t fixed = header - IW_SCTP_CHUNK_OCTETS;

    if (chunk->captured < fixed)
        return false;
    *data = (struct iw_sctp_data){.ordered = !(chunk->flags & FLAG_U),
        .first = chunk->flags & FLAG_B,
        .last = chunk->flags & FLAG_E,
        .tsn = iw_packet_32(chunk->value),
        .stream = iw_packet_16(chunk->value + 4),
        .ppid = iw_packet_32(chunk->value + fixed - 4),
        .octets = chunk->value + fixed,
        .length = chunk->length - fixed,
        .captured = chunk->captured - fixed};
    return true;
}

bool iw_sctp_ack_has_gaps(const struct iw_sctp_chunk *chunk) {
    enum { GAPS_AT = 8, FIXED = 12 };

    return chunk->captured < FIXED || iw_packet_16(chunk->value + GAPS_AT) > 0;
}

bool iw_sctp_ack_gap_decode(const struct iw_sctp_chunk *chunk, struct iw_sctp_gap *gap) {
    enum { GAP_AT = 12, GAP_OCTETS = 4 };

    if (chunk->type != IW_SCTP_SACK || chunk->captured < GAP_AT + GAP_OCTETS || !iw_sctp_ack_has_gaps(chunk))
        return false;
    gap->missing = iw_packet_32(chunk->value) + 1;
    gap->from = iw_packet_32(chunk->value) + iw_packet_16(chunk->value + GAP_AT);
    gap->to = iw_packet_32(chunk->value) + iw_packet_16(chunk->value + GAP_AT + 2);
    return gap->from != gap->missing;
}

bool iw_sctp_ack_decode(const struct iw_sctp_chunk *chunk, uint32_t *tsn) {
    if (chunk->captured < sizeof *tsn)
        return false;
    *tsn = iw_packet_32(chunk->value);
    return true;
}
