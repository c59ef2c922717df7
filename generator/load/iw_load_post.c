#include <string.h>

#include "iw_load_state.h"

/* Posts the operations of a connection, and computes where its slots are in memory. */

static uint64_t load_post_id_of(enum iw_load_kind kind, unsigned slot) {
    return (uint64_t)kind << 32 | slot;
}

static uint64_t load_post_slot_index(const struct iw_load_link *link, unsigned slot) {
    return link->number * link->load->config.depth + slot;
}

uint64_t iw_load_local_place(const struct iw_load_link *link, unsigned slot) {
    const struct iw_load_layout *layout = &link->load->layout;

    return layout->area + layout->slot_octets * load_post_slot_index(link, slot);
}

static uint64_t load_post_remote_place(const struct iw_load_link *link, unsigned slot) {
    const struct iw_load_layout *layout = &link->load->layout;

    return link->load->config.to + layout->area + layout->largest * load_post_slot_index(link, slot);
}

static uint64_t load_post_number_place(const struct iw_load_link *link, uint64_t numbers_to, unsigned slot) {
    return numbers_to + sizeof(uint64_t) * load_post_slot_index(link, slot);
}

static bool link_post(struct iw_load_link *link, const struct iw_post *post) {
    if (iw_endpoint_post(link->endpoint, post) == IW_OK)
        return true;
    link->failed = true;
    iw_load_fail(link->load, "out of memory");
    iw_load_link_end(link);
    return false;
}

static bool link_post_request(struct iw_load_link *link, uint8_t opcode, uint64_t id, const uint8_t *header) {
    return link_post(link, &(struct iw_post){.opcode = opcode, .id = id, .header = header});
}

static bool link_post_read(
    struct iw_load_link *link, uint64_t id, uint64_t sink_to, uint64_t source_to, uint32_t octets) {
    const struct iw_post read = {.opcode = IW_RDMAP_OP_READ_REQUEST,
        .id = id,
        .read = {.sink_stag = link->load->sink->stag,
            .sink_to = sink_to,
            .size = octets,
            .source_stag = link->load->config.stag,
            .source_to = source_to}};

    return link_post(link, &read);
}

static bool link_post_write(
    struct iw_load_link *link, uint64_t id, uint64_t to, const uint8_t *octets, uint32_t count) {
    const struct iw_post write = {.opcode = IW_RDMAP_OP_RDMA_WRITE,
        .id = id,
        .payload = octets,
        .payload_octets = count,
        .borrowed = true,
        .stag = link->load->config.stag,
        .to = to};

    return link_post(link, &write);
}

static bool load_post_link_send(
    struct iw_load_link *link, unsigned number, const uint8_t *octets, uint32_t count) {
    const struct iw_post send = {.opcode = IW_RDMAP_OP_SEND,
        .id = load_post_id_of(IW_LOAD_OPERATION, number),
        .payload = octets,
        .payload_octets = count,
        .borrowed = true};
    unsigned last = (link->echo_first + link->echo_count) % link->load->config.depth;

    if (!link->load->config.no_echo) {
        link->echoes[last] = number;
        link->echo_count++;
    }
    return link_post(link, &send);
}

static bool link_post_atomic(struct iw_load_link *link, unsigned number) {
    const struct iw_load_config *config = &link->load->config;
    const struct iw_atomic_request request = {.identifier = number,
        .stag = config->stag,
        .to = load_post_number_place(link, link->load->layout.counters_to, number),
        .data = 1};
    uint8_t header[iw_atomic_request_octets];

    iw_atomic_request_encode(&request, header);
    return link_post_request(
        link, IW_RDMAP_OP_ATOMIC_REQUEST, load_post_id_of(IW_LOAD_OPERATION, number), header);
}

static bool link_post_flush(struct iw_load_link *link, uint64_t id, const struct iw_flush_request *request) {
    uint8_t header[iw_flush_request_octets];

    iw_flush_request_encode(request, header);
    return link_post_request(link, IW_RDMAP_OP_FLUSH_REQUEST, id, header);
}

static bool link_post_verify(struct iw_load_link *link, unsigned number) {
    const struct iw_load_config *config = &link->load->config;
    const struct iw_load_slot *slot = &link->slots[number];
    const struct iw_verify_request request = {
        .stag = config->stag, .length = slot->octets, .to = config->to + slot->shift};
    uint8_t header[iw_verify_request_octets];

    iw_verify_request_encode(&request, header);
    return link_post_request(
        link, IW_RDMAP_OP_VERIFY_REQUEST, load_post_id_of(IW_LOAD_OPERATION, number), header);
}

static bool link_post_atomic_write(struct iw_load_link *link, unsigned number) {
    const struct iw_load_config *config = &link->load->config;
    struct iw_atomic_write_request request = {.stag = config->stag,
        .length = sizeof(uint64_t),
        .to = load_post_number_place(link, link->load->layout.atomic_writes_to, number)};
    uint8_t octets[sizeof(uint64_t)], header[iw_atomic_write_request_octets];

    iw_load_atomic_value(link->load, link->slots[number].shift, octets);
    memcpy(&request.data, octets, sizeof octets); /* the same in both byte orders */
    iw_atomic_write_request_encode(&request, header);
    return link_post_request(
        link, IW_RDMAP_OP_ATOMIC_WRITE_REQUEST, load_post_id_of(IW_LOAD_OPERATION, number), header);
}

/* Writes the area for Reads and Verifies and reads it back. For Verifies, also flushes it to persistence. */
bool iw_load_post_seed(struct iw_load_link *link, uint32_t octets) {
    const struct iw_load_config *config = &link->load->config;
    const struct iw_flush_request flush = {.stag = config->stag, .length = octets, .to = config->to, .p = 1};

    if (!link_post_write(link, load_post_id_of(IW_LOAD_SEED, 0), config->to, link->load->pattern, octets))
        return false;
    if (config->mix.weights[IW_LOAD_VERIFY] > 0 &&
        !link_post_flush(link, load_post_id_of(IW_LOAD_SEED, 0), &flush))
        return false;
    return link_post_read(link, load_post_id_of(IW_LOAD_SEED_CHECK, 0), 0, config->to, octets);
}

bool iw_load_post_check(struct iw_load_link *link, unsigned number) {
    const struct iw_load_slot *slot = &link->slots[number];
    uint64_t from = slot->op == IW_LOAD_WRITE
                        ? load_post_remote_place(link, number)
                        : load_post_number_place(link, link->load->layout.atomic_writes_to, number);

    return link_post_read(
        link, load_post_id_of(IW_LOAD_CHECK, number), iw_load_local_place(link, number), from, slot->octets);
}

bool iw_load_post_operation(struct iw_load_link *link, unsigned number) {
    const struct iw_load *load = link->load;
    const struct iw_load_slot *slot = &link->slots[number];
    uint64_t id = load_post_id_of(IW_LOAD_OPERATION, number);
    const struct iw_flush_request flush = {.stag = load->config.stag,
        .length = slot->octets,
        .to = load_post_remote_place(link, number),
        .g = 1};

    switch (slot->op) {
    case IW_LOAD_WRITE:
        return link_post_write(
            link, id, load_post_remote_place(link, number), load->pattern + slot->shift, slot->octets);
    case IW_LOAD_READ:
        return link_post_read(
            link, id, iw_load_local_place(link, number), load->config.to + slot->shift, slot->octets);
    case IW_LOAD_SEND:
        return load_post_link_send(link, number, load->pattern + slot->shift, slot->octets);
    case IW_LOAD_ATOMIC:
        return link_post_atomic(link, number);
    case IW_LOAD_VERIFY:
        return link_post_verify(link, number);
    case IW_LOAD_ATOMIC_WRITE:
        return link_post_atomic_write(link, number);
    case IW_LOAD_FLUSH:
        return link_post_flush(link, id, &flush);
    case IW_LOAD_OP_COUNT:
        break;
    }
    return false;
}
