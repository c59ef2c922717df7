#include "iw_exchange_side.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_atomic.h"
#include "iw_hash.h"
#include "iw_name.h"
#include "iw_terminate.h"

enum {
    STARTUP_MS = 1000,
    SINK_AT = 4096, /* offset of the Data Sinks in a side's own region ALL; valid Writes of the peer end
                       before it */
    IDENTIFIER = 0x51DE0000,
    WRITTEN = 0x5A, /* each octet of a Write */
};

static const uint64_t base = 0x10000;

/* Arbitrary STags, by role and region. */
static const uint32_t stags[2][IW_EXCHANGE_REGION_COUNT + 1] = {
    {0x8C1F0A3D, 0x27E5B914, 0xD3086C7A, 0x5BA9F246, 0x914D30E8, 0x3F72C85B, 0xE6149D07, 0x0AB8573C,
        0x74C3E1F9, 0xB95026D4, 0x6E2B4F81},
    {0x12F89B60, 0xC7436E0D, 0x489AD1F3, 0xA0651CB7, 0x7D2E8F48, 0xF51B0692, 0x36C7A4DE, 0x895F7321,
        0x04E0B8A5, 0xDB9C1576, 0x60375EC9},
};

struct message {
    const char *name;
    uint8_t opcode;
    enum iw_exchange_region region;
    int at;
    uint32_t octets;
    enum iw_exchange_region invalidate; /* region to invalidate; only for opcodes with Invalidate */
    uint8_t aopcode;
    bool masks;   /* FetchAdd: 64 one-bit adds; CmpSwap: compares the low 32 bits and swaps the low 16 */
    bool differs; /* CmpSwap: the Compare Data differ */
    bool wraps;
    bool hash;
    bool wrong_hash;
};

#define ALL IW_EXCHANGE_ALL
#define SPENT IW_EXCHANGE_SPENT
#define SPENT_TOO IW_EXCHANGE_SPENT_TOO
#define UNKNOWN IW_EXCHANGE_UNKNOWN
#define STRANGE IW_EXCHANGE_STRANGE
static const struct message messages[] = {
#define IW_EXCHANGE_MESSAGE(named, op, where, from, count, ...)                                              \
    {.name = #named,                                                                                         \
        .opcode = IW_RDMAP_OP_##op,                                                                          \
        .region = IW_EXCHANGE_##where,                                                                       \
        .at = from,                                                                                          \
        .octets = count,                                                                                     \
        __VA_ARGS__},
#include "iw_exchange_message.def"
#undef IW_EXCHANGE_MESSAGE
};
#undef ALL
#undef SPENT
#undef SPENT_TOO
#undef UNKNOWN
#undef STRANGE

void iw_exchange_side_append(char *text, size_t octets, const char *format, ...) {
    size_t length = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + length, octets - length, format, arguments);
    va_end(arguments);
}

static uint8_t pattern(uint64_t at) {
    return (uint8_t)(at * 7 + 3);
}

static uint32_t stag_of(const struct iw_exchange_side *side, enum iw_exchange_region region) {
    return stags[side->config.initiator][region];
}

/* ---- memory ---- */

static void offer_region(struct iw_exchange_side *side, enum iw_exchange_region region, unsigned rights) {
    struct iw_registration registration = {.stag = stag_of(side, region),
        .base = base,
        .size = IW_EXCHANGE_REGION_OCTETS,
        .rights = rights,
        .hash = IW_HASH_CRC32C,
        .persistent = true,
        .stream = region == IW_EXCHANGE_STRANGE ? UINT64_MAX : 0, /* not the stream of any endpoint */
        .domain = region == IW_EXCHANGE_FOREIGN ? 2 : 0};
    enum iw_refusal refusal;
    struct iw_region *offered = iw_memory_offer(side->memory, &registration, &refusal);

    if (!offered)
        abort();
    for (size_t i = 0; i < IW_EXCHANGE_REGION_OCTETS; i++)
        offered->octets[i] = pattern(i);
    iw_backing_persist(offered->backing, 0, IW_EXCHANGE_REGION_OCTETS);
    offered->valid = region != IW_EXCHANGE_DEAD;
}

static void offer_all(struct iw_exchange_side *side) {
    unsigned all = IW_RIGHT_READ | IW_RIGHT_WRITE | IW_RIGHT_ATOMIC | IW_RIGHT_PERSIST | IW_RIGHT_EXPOSE |
                   IW_RIGHT_VERIFY;

    offer_region(side, IW_EXCHANGE_ALL, all);
    offer_region(side, IW_EXCHANGE_READABLE, IW_RIGHT_READ);
    offer_region(side, IW_EXCHANGE_WRITABLE, IW_RIGHT_WRITE);
    offer_region(side, IW_EXCHANGE_VERIFIABLE, IW_RIGHT_VERIFY);
    offer_region(side, IW_EXCHANGE_DEAD, all);
    offer_region(side, IW_EXCHANGE_STRANGE, all);
    offer_region(side, IW_EXCHANGE_FOREIGN, all);
}

/* The STags to invalidate belong to this stream alone, so the stream must exist first. */
static void offer_spent(struct iw_exchange_side *side) {
    for (enum iw_exchange_region region = IW_EXCHANGE_SPENT; region <= IW_EXCHANGE_SPENT_TOO; region++) {
        offer_region(side, region, IW_RIGHT_READ | IW_RIGHT_WRITE);
        iw_memory_find(side->memory, stag_of(side, region))->stream = iw_endpoint_number(side->endpoint);
    }
}

static const uint8_t *octets_of(const struct iw_exchange_side *side, enum iw_exchange_region region) {
    return iw_memory_find(side->memory, stag_of(side, region))->octets;
}

/* ---- sending ---- */

static uint64_t to_of(const struct message *message) {
    return message->wraps ? UINT64_MAX - 3 : base + (uint64_t)(int64_t)message->at;
}

static size_t expected_hash(const struct message *message, uint8_t value[IW_HASH_OCTETS_MAX]) {
    uint8_t octets[IW_EXCHANGE_REGION_OCTETS];
    struct iw_hasher hasher;

    for (uint32_t i = 0; i < message->octets; i++)
        octets[i] = pattern((uint64_t)message->at + i);
    if (!iw_hasher_begin(&hasher, IW_HASH_CRC32C) || !iw_hasher_update(&hasher, octets, message->octets) ||
        !iw_hasher_end(&hasher, value))
        abort();
    value[0] ^= message->wrong_hash;
    return iw_hash_octets(IW_HASH_CRC32C);
}

static void fill_atomic(const struct iw_exchange_side *side, const struct message *message, uint8_t *header) {
    bool swap = message->aopcode == IW_AOPCODE_SWAP;
    bool compares = message->aopcode == IW_AOPCODE_CMPSWAP;
    struct iw_atomic_request request = {.aopcode = message->aopcode,
        .identifier = (uint32_t)(IDENTIFIER + (message - messages)),
        .stag = stag_of(side->peer, message->region),
        .to = to_of(message),
        .data = 5,
        .mask = swap || compares ? UINT64_MAX : 0,
        .compare_mask = UINT64_MAX};

    if (compares)
        memcpy(&request.compare_data, octets_of(side->peer, IW_EXCHANGE_ALL) + message->at % 8192, 8);
    if (message->differs)
        request.compare_data ^= 1;
    if (message->masks && compares) {
        request.compare_data ^= UINT64_C(0xFFFFFFFF) << 32;
        request.compare_mask = UINT32_MAX;
        request.mask = UINT16_MAX;
    } else if (message->masks) {
        request.mask = UINT64_MAX;
    }
    iw_atomic_request_encode(&request, header);
}

static void fill_header(const struct iw_exchange_side *side, const struct message *message, uint8_t *header) {
    uint32_t stag = stag_of(side->peer, message->region);
    const struct iw_flush_request flush = {
        .stag = stag, .length = message->octets, .to = to_of(message), .p = 1, .g = 1};
    const struct iw_verify_request verify = {.stag = stag, .length = message->octets, .to = to_of(message)};
    const struct iw_atomic_write_request write = {
        .stag = stag, .length = message->octets, .to = to_of(message), .data = 0x0102030405060708};

    if (message->opcode == IW_RDMAP_OP_ATOMIC_REQUEST)
        fill_atomic(side, message, header);
    else if (message->opcode == IW_RDMAP_OP_FLUSH_REQUEST)
        iw_flush_request_encode(&flush, header);
    else if (message->opcode == IW_RDMAP_OP_VERIFY_REQUEST)
        iw_verify_request_encode(&verify, header);
    else if (message->opcode == IW_RDMAP_OP_ATOMIC_WRITE_REQUEST)
        iw_atomic_write_request_encode(&write, header);
}

static bool has_payload(uint8_t opcode) {
    return iw_opcodes[opcode].payload == IW_PAYLOAD_ULP;
}

static void count(struct iw_exchange_side *side, uint8_t opcode) {
    if (iw_opcodes[opcode].qn == IW_QN_SEND || opcode == IW_RDMAP_OP_RDMA_WRITE)
        iw_exchange_side_append(side->sent, sizeof side->sent, "%x", opcode);
    if (iw_opcodes[opcode].answer != IW_RDMAP_OP_NONE)
        side->requests[opcode]++;
}

static void side_say(struct iw_exchange_side *side, const struct message *message) {
    static uint8_t payload[IW_EXCHANGE_REGION_OCTETS];
    uint8_t header[iw_atomic_request_octets] = {0};
    uint8_t hash[IW_HASH_OCTETS_MAX];
    bool invalidates = iw_opcodes[message->opcode].invalidate == IW_INVALIDATE_STAG;
    struct iw_post post = {.opcode = message->opcode,
        .id = side->posted,
        .payload = payload,
        .payload_octets = has_payload(message->opcode) ? message->octets : 0,
        .invalidate_stag = invalidates ? stag_of(side->peer, message->invalidate) : 0,
        .stag = stag_of(side->peer, message->region),
        .to = to_of(message),
        .read = {.sink_stag = stag_of(side, IW_EXCHANGE_ALL),
            .sink_to = base + SINK_AT + (uint64_t)(int64_t)message->at,
            .size = message->octets,
            .source_stag = stag_of(side->peer, message->region),
            .source_to = to_of(message)},
        .header = header};

    memset(payload, WRITTEN, sizeof payload);
    fill_header(side, message, header);
    if (message->hash) {
        post.payload = hash;
        post.payload_octets = expected_hash(message, hash);
    }
    if (iw_endpoint_post(side->endpoint, &post) != IW_OK)
        abort();
    side->posted++;
    count(side, message->opcode);
}

static void say_octets(struct iw_exchange_side *side) {
    uint8_t octets[1024];
    size_t length = 0;
    unsigned octet;
    int used;

    for (const char *at = side->octets; sscanf(at, "%2x%n", &octet, &used) == 1; at += used)
        octets[length++] = (uint8_t)octet;
    iw_endpoint_emit(side->endpoint,
        &(struct iw_emit){.kind = IW_EMIT_OCTETS, .payload = octets, .payload_octets = length});
}

/* ---- receiving ---- */

static void side_closed(struct iw_exchange_side *side, const struct iw_event *event) {
    side->ended = true;
    side->reset = event->end == IW_END_RST || event->end == IW_END_FAILED;
    side->gave_up = event->end == IW_END_TIMEOUT;
    iw_exchange_side_append(side->log, sizeof side->log, "%s ", iw_end_name(event->end));
}

static void side_terminate(struct iw_exchange_side *side, const struct iw_event *event) {
    char text[IW_ERROR_TEXT_OCTETS] = "?";

    side->terminates++;
    if (event->terminate) {
        side->error = iw_terminate_error(&event->terminate->control);
        iw_error_text(side->error, text);
    }
    iw_exchange_side_append(side->log, sizeof side->log, "terminate:%s ", text);
}

static void begin(struct iw_exchange_side *side) {
    side->established = true;
    offer_spent(side);
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        if (side->plan >> i & 1)
            side_say(side, &messages[i]);
}

static void side_answer(struct iw_exchange_side *side, uint8_t opcode) {
    side->answered[opcode]++;
    side->answers++;
}

void iw_exchange_side_event(void *user, struct iw_endpoint *endpoint, const struct iw_event *event) {
    struct iw_exchange_side *side = user;

    side->endpoint = endpoint;
    switch (event->kind) {
    case IW_EVENT_CONNECTED:
    case IW_EVENT_STARTUP:
        if (side->octets && (event->kind == IW_EVENT_CONNECTED) == side->config.initiator)
            say_octets(side);
        break;
    case IW_EVENT_ESTABLISHED:
        begin(side);
        break;
    case IW_EVENT_MESSAGE:
    case IW_EVENT_TAGGED:
        iw_exchange_side_append(side->delivered, sizeof side->delivered, "%x", event->opcode);
        break;
    case IW_EVENT_READ_DONE:
        side_answer(side, IW_RDMAP_OP_READ_REQUEST);
        break;
    case IW_EVENT_ANSWERED:
        side_answer(side, event->opcode);
        break;
    case IW_EVENT_COMPLETED:
        side->completed += event->id == side->completed;
        break;
    case IW_EVENT_TERMINATE:
        side_terminate(side, event);
        break;
    case IW_EVENT_ERROR:
        iw_exchange_side_append(
            side->log, sizeof side->log, "error:%x:%s ", event->error, event->text ? event->text : "");
        break;
    case IW_EVENT_CLOSED:
        side_closed(side, event);
        break;
    default:
        break;
    }
}

/* ---- expectations ---- */

bool iw_exchange_side_answered(const struct iw_exchange_side *side, uint8_t opcode) {
    for (uint8_t i = 0; i < IW_RDMAP_OP_COUNT; i++)
        if ((opcode == 0 || opcode == i) && side->answered[i] != side->requests[i])
            return false;
    return true;
}

static bool written(const struct iw_exchange_side *side, const struct message *message) {
    const uint8_t *octets = octets_of(side, message->region) + message->at;

    for (uint32_t i = 0; i < message->octets; i++)
        if (octets[i] != WRITTEN)
            return false;
    return true;
}

static uint64_t result_of(const struct message *message, uint64_t before) {
    if (message->differs)
        return before;
    if (message->aopcode == IW_AOPCODE_FETCHADD)
        return message->masks ? before ^ 5 : before + 5;
    return message->masks ? (before & ~UINT64_C(0xFFFF)) | 5 : 5;
}

/* Whether the target has the result of the operation, as 64 bits in host byte order. */
static bool modified(const struct iw_exchange_side *side, const struct message *message) {
    uint8_t before_octets[8];
    uint64_t before, after;

    for (unsigned i = 0; i < 8; i++)
        before_octets[i] = pattern((uint64_t)message->at + i);
    memcpy(&before, before_octets, 8);
    memcpy(&after, octets_of(side, message->region) + message->at, 8);
    if (message->opcode == IW_RDMAP_OP_ATOMIC_WRITE_REQUEST)
        return after == 0x0102030405060708;
    return after == result_of(message, before);
}

bool iw_exchange_side_placed(const struct iw_exchange_side *side, const struct iw_exchange_side *peer) {
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        const struct message *message = &messages[i];

        if (!(peer->plan >> i & 1))
            continue;
        if (message->opcode == IW_RDMAP_OP_RDMA_WRITE && message->octets > 0 && !written(side, message))
            return false;
        if ((message->opcode == IW_RDMAP_OP_ATOMIC_REQUEST ||
                message->opcode == IW_RDMAP_OP_ATOMIC_WRITE_REQUEST) &&
            !modified(side, message))
            return false;
    }
    return true;
}

bool iw_exchange_side_invalidated(const struct iw_exchange_side *side, const struct iw_exchange_side *peer) {
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        /* NULL before the stream exists */
        const struct iw_region *region = iw_memory_find(side->memory, stag_of(side, messages[i].invalidate));

        if ((peer->plan >> i & 1) && iw_opcodes[messages[i].opcode].invalidate == IW_INVALIDATE_STAG &&
            (!region || region->valid))
            return false;
    }
    return true;
}

/* The octet that a Read after all Writes returns. */
static uint8_t found(const struct iw_exchange_side *side, enum iw_exchange_region region, int64_t at) {
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        const struct message *message = &messages[i];

        if ((side->plan >> i & 1) && message->opcode == IW_RDMAP_OP_RDMA_WRITE && message->region == region &&
            at >= message->at && at < message->at + (int64_t)message->octets)
            return WRITTEN;
    }
    return pattern((uint64_t)at);
}

/* Checks only the last Read: it overwrites the data of earlier Reads. */
bool iw_exchange_side_given(const struct iw_exchange_side *side, const struct iw_exchange_side *peer) {
    const uint8_t *sink = octets_of(side, IW_EXCHANGE_ALL) + SINK_AT;
    const struct message *last = NULL;

    (void)peer;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        if ((side->plan >> i & 1) && messages[i].opcode == IW_RDMAP_OP_READ_REQUEST && messages[i].octets > 0)
            last = &messages[i];
    for (uint32_t i = 0; last && i < last->octets; i++)
        if (sink[last->at + (int64_t)i] != found(side, last->region, last->at + (int64_t)i))
            return false;
    return true;
}

/* Whether the medium equals the memory. */
static bool flushed(const struct iw_exchange_side *side, const struct message *message) {
    const struct iw_region *region = iw_memory_find(side->memory, stag_of(side, message->region));
    uint64_t at = iw_region_at(region) + (uint64_t)message->at;
    uint8_t kept[IW_EXCHANGE_REGION_OCTETS];

    return iw_backing_read(region->backing, at, kept, message->octets) &&
           memcmp(kept, region->octets + message->at, message->octets) == 0;
}

bool iw_exchange_side_kept(const struct iw_exchange_side *side, const struct iw_exchange_side *peer) {
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        if ((peer->plan >> i & 1) && messages[i].opcode == IW_RDMAP_OP_FLUSH_REQUEST &&
            !flushed(side, &messages[i]))
            return false;
    return true;
}

bool iw_exchange_side_untouched(const struct iw_exchange_side *side) {
    const struct iw_region *region;

    for (size_t i = 0; (region = iw_memory_at(side->memory, i)) != NULL; i++) {
        if (!region->valid && region->stag != stag_of(side, IW_EXCHANGE_DEAD))
            return false;
        for (size_t j = 0; j < region->size; j++)
            if (region->octets[j] != pattern(j))
                return false;
    }
    return true;
}

/* ---- start and end ---- */

static void merge_config(struct iw_endpoint_config *config, const struct iw_endpoint_config *with) {
    config->revision = with->revision ? with->revision : config->revision;
    config->enhanced |= with->enhanced;
    config->no_crc |= with->no_crc;
    config->markers |= with->markers;
    config->peer_to_peer |= with->peer_to_peer;
    config->rtr = with->rtr ? with->rtr : config->rtr;
    config->ird = with->ird ? with->ird : config->ird;
    config->ord = with->ord ? with->ord : config->ord;
    config->reject |= with->reject;
    config->local_error |= with->local_error;
    config->private_data = with->private_data ? with->private_data : config->private_data;
    config->private_octets = with->private_octets ? with->private_octets : config->private_octets;
    config->mulpdu = with->mulpdu ? with->mulpdu : config->mulpdu;
    config->extensions = with->extensions ? with->extensions : config->extensions;
    config->receives.count = with->receives.count ? with->receives.count : config->receives.count;
    config->receives.octets = with->receives.octets ? with->receives.octets : config->receives.octets;
}

void iw_exchange_side_init(struct iw_exchange_side *side, const struct iw_endpoint_config *both,
    const struct iw_endpoint_config *own, bool initiator, const struct iw_defect *defect) {
    struct iw_endpoint_config *config = &side->config;

    *config = iw_endpoint_config_default(initiator);
    config->extensions = IW_EXT_ALL;
    config->receives.count = IW_RECEIVES_ENDLESS;
    config->receives.octets = 65536;
    config->timeouts.startup_ms = STARTUP_MS;
    config->domain = 1;
    merge_config(config, both);
    merge_config(config, own);
    side->memory = config->memory = iw_memory_new();
    if (!side->memory)
        abort();
    iw_memory_join(side->memory, &side->neighbour, config->domain);
    offer_all(side);
    iw_defect_configure(defect, NULL, config);
}

void iw_exchange_side_plan(
    struct iw_exchange_side *side, uint64_t plan, struct iw_exchange_side *peer, const char *octets) {
    side->plan = plan;
    side->peer = peer;
    side->octets = octets;
    if (octets)
        side->config.automatic.startup = false;
}

void iw_exchange_side_dispose(struct iw_exchange_side *side) {
    iw_endpoint_free(side->endpoint);
    iw_memory_free(side->memory);
}
