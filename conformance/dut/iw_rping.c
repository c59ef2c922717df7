#include "iw_rping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "iw_bits.h"

/* Bit offsets and sizes of the fields of an advert. */
enum { TO_BIT = 0, TO_BITS = 64, STAG_BIT = 64, SIZE_BIT = 96, BITS = 32 };

enum { SEND = 0, RDMA_OPERATION = 1 }; /* ids of posts; the ULP waits for RDMA_OPERATION */

/* TO of the client's source; TO of the client's sink and of the server's buffer. */
static const uint64_t source_to = 0x10000, buffer_to = 0x20000;

/* The state of the ULP: what it waits for. */
enum stage {
    SOURCE_ADVERT, /* server: the client's Send with the advert of its source */
    READ_DONE,     /* server: the completion of its RDMA Read */
    SINK_ADVERT,
    WRITE_DONE,
    SOURCE_READ, /* client: the server's Send after its RDMA Read */
    SINK_WRITTEN,
    OVER,
};

/* One connection. */
struct partner {
    struct iw_rping *rping;
    unsigned number;
    enum stage stage;
    unsigned pings;
    struct iw_memory *memory;
    struct iw_region *source; /* of the client */
    struct iw_region *buffer; /* client: the sink; server: the buffer that it reads into and writes from */
    LIST_ENTRY(partner) others;
};

struct iw_rping {
    struct iw_rping_config config;
    LIST_HEAD(iw_rping_partners, partner) partners;
};

struct iw_rping *iw_rping_new(const struct iw_rping_config *config) {
    struct iw_rping *rping = calloc(1, sizeof *rping);

    if (!rping)
        return NULL;
    rping->config = *config;
    if (rping->config.octets == 0)
        rping->config.octets = IW_RPING_SIZE;
    LIST_INIT(&rping->partners);
    return rping;
}

void iw_rping_free(struct iw_rping *rping) {
    if (!rping)
        return;
    while (!LIST_EMPTY(&rping->partners)) {
        struct partner *partner = LIST_FIRST(&rping->partners);

        LIST_REMOVE(partner, others);
        free(partner);
    }
    free(rping);
}

void iw_rping_configure(struct iw_endpoint_config *endpoint) {
    endpoint->receives.count = 1;
    endpoint->receives.octets = IW_RPING_ADVERT_OCTETS;
    endpoint->ird = endpoint->ord = 1;
    if (endpoint->revision == 1)
        return;
    endpoint->revision = 2;
    endpoint->enhanced = true;
}

/* ---- buffers ---- */

static struct iw_region *rping_new_buffer(
    const struct partner *partner, struct iw_endpoint *endpoint, uint64_t to) {
    const struct iw_registration registration = {.base = to,
        .size = partner->rping->config.octets,
        .rights = IW_RIGHT_READ | IW_RIGHT_WRITE,
        .stream = iw_endpoint_number(endpoint)};
    enum iw_refusal refusal;

    return iw_memory_offer(partner->memory, &registration, &refusal);
}

static bool rping_make_buffers(struct partner *partner, struct iw_endpoint *endpoint) {
    partner->buffer = rping_new_buffer(partner, endpoint, buffer_to);
    if (partner->rping->config.client)
        partner->source = rping_new_buffer(partner, endpoint, source_to);
    return partner->buffer && (partner->source || !partner->rping->config.client);
}

/* Writes the text of a ping: its number, and printable characters up to the final NUL. */
static void rping_write_text(struct iw_region *source, unsigned ping) {
    char *text = (char *)source->octets;
    size_t length = (size_t)snprintf(text, source->size, "rdma-ping-%u: ", ping);

    for (unsigned letter = ping; length < source->size - 1; length++, letter++)
        text[length] = (char)('A' + letter % 58);
    text[length] = '\0';
}

/* ---- messages ---- */

static bool rping_send_octets(struct iw_endpoint *endpoint, const uint8_t octets[IW_RPING_ADVERT_OCTETS]) {
    const struct iw_post send = {
        .opcode = IW_RDMAP_OP_SEND, .id = SEND, .payload = octets, .payload_octets = IW_RPING_ADVERT_OCTETS};

    return iw_endpoint_post(endpoint, &send) == IW_OK;
}

static bool rping_send_advert(struct iw_endpoint *endpoint, const struct iw_region *region) {
    uint8_t advert[IW_RPING_ADVERT_OCTETS];

    iw_bits_put(advert, TO_BIT, TO_BITS, region->base);
    iw_bits_put(advert, STAG_BIT, BITS, region->stag);
    iw_bits_put(advert, SIZE_BIT, BITS, region->size);
    return rping_send_octets(endpoint, advert);
}

static bool rping_begin_ping(struct partner *partner, struct iw_endpoint *endpoint) {
    if (partner->pings == partner->rping->config.pings)
        return false;
    rping_write_text(partner->source, partner->pings++);
    partner->stage = SOURCE_READ;
    return rping_send_advert(endpoint, partner->source);
}

static bool rping_read_source(struct partner *partner, struct iw_endpoint *endpoint, const uint8_t *advert) {
    const struct iw_post read = {.opcode = IW_RDMAP_OP_READ_REQUEST,
        .id = RDMA_OPERATION,
        .read = {.sink_stag = partner->buffer->stag,
            .sink_to = partner->buffer->base,
            .size = (uint32_t)iw_bits_get(advert, SIZE_BIT, BITS),
            .source_stag = (uint32_t)iw_bits_get(advert, STAG_BIT, BITS),
            .source_to = iw_bits_get(advert, TO_BIT, TO_BITS)}};

    if (read.read.size > partner->buffer->size)
        return false;
    partner->stage = READ_DONE;
    return iw_endpoint_post(endpoint, &read) == IW_OK;
}

static bool rping_write_sink(struct partner *partner, struct iw_endpoint *endpoint, const uint8_t *advert) {
    const char *text = (const char *)partner->buffer->octets;
    const struct iw_post write = {.opcode = IW_RDMAP_OP_RDMA_WRITE,
        .id = RDMA_OPERATION,
        .stag = (uint32_t)iw_bits_get(advert, STAG_BIT, BITS),
        .to = iw_bits_get(advert, TO_BIT, TO_BITS),
        .payload = partner->buffer->octets,
        .payload_octets = strnlen(text, partner->buffer->size - 1) + 1};

    partner->stage = WRITE_DONE;
    return iw_endpoint_post(endpoint, &write) == IW_OK;
}

/* ---- events ---- */

static bool rping_receive_message(
    struct partner *partner, struct iw_endpoint *endpoint, const struct iw_event *event) {
    if (event->octet_count != IW_RPING_ADVERT_OCTETS ||
        iw_endpoint_receives(endpoint, 1, IW_RPING_ADVERT_OCTETS) != IW_OK)
        return false;
    switch (partner->stage) {
    case SOURCE_ADVERT:
        return rping_read_source(partner, endpoint, event->octets);
    case SINK_ADVERT:
        return rping_write_sink(partner, endpoint, event->octets);
    case SOURCE_READ:
        partner->stage = SINK_WRITTEN;
        return rping_send_advert(endpoint, partner->buffer);
    case SINK_WRITTEN:
        return rping_begin_ping(partner, endpoint);
    case READ_DONE:
    case WRITE_DONE:
    case OVER:
        break;
    }
    return false;
}

/* Server: its Read was answered, or its Write was sent. Goes to the next stage, and tells the client by a
 * Send. */
static bool rping_take_completion(struct partner *partner, struct iw_endpoint *endpoint) {
    static const uint8_t ignored[IW_RPING_ADVERT_OCTETS]; /* the payload of the server's Sends */

    partner->stage = partner->stage == READ_DONE ? SINK_ADVERT : SOURCE_ADVERT;
    return rping_send_octets(endpoint, ignored);
}

static bool rping_ping_begin(struct partner *partner, struct iw_endpoint *endpoint) {
    if (!rping_make_buffers(partner, endpoint))
        return false;
    partner->stage = SOURCE_ADVERT;
    return !partner->rping->config.client || rping_begin_ping(partner, endpoint);
}

static void rping_partner_end(struct partner *partner) {
    if (partner->source)
        iw_memory_deregister(partner->memory, partner->source);
    if (partner->buffer)
        iw_memory_deregister(partner->memory, partner->buffer);
    LIST_REMOVE(partner, others);
    free(partner);
}

static struct partner *rping_partner_find(struct iw_rping *rping, unsigned number) {
    struct partner *partner;

    LIST_FOREACH(partner, &rping->partners, others)
    if (partner->number == number)
        break;
    return partner;
}

static struct partner *rping_partner_new(
    struct iw_rping *rping, struct iw_reference *reference, unsigned number) {
    struct partner *partner = calloc(1, sizeof *partner);

    if (!partner)
        return NULL;
    *partner = (struct partner){.rping = rping, .number = number, .memory = iw_reference_memory(reference)};
    LIST_INSERT_HEAD(&rping->partners, partner, others);
    return partner;
}

void iw_rping_take(
    void *rping, struct iw_reference *reference, unsigned connection, const struct iw_event *event) {
    struct iw_endpoint *endpoint = iw_reference_connection(reference, connection);
    struct partner *partner = rping_partner_find(rping, connection);
    bool content = true;

    if (event->kind == IW_EVENT_ESTABLISHED) {
        partner = rping_partner_new(rping, reference, connection);
        content = partner && rping_ping_begin(partner, endpoint);
    }
    if (partner && event->kind == IW_EVENT_MESSAGE)
        content = rping_receive_message(partner, endpoint, event);
    if (partner && event->kind == IW_EVENT_COMPLETED && event->id == RDMA_OPERATION && partner->stage != OVER)
        content = rping_take_completion(partner, endpoint);
    if (!content && partner)
        partner->stage = OVER;
    if (!content)
        iw_endpoint_close(endpoint);
    if (partner && event->kind == IW_EVENT_CLOSED)
        rping_partner_end(partner);
}
