#include "iw_agent_state.h"

#include "iw_execute.h"
#include "iw_name.h"

/* Work requests of the device's ULP on a connection. */

const char *const iw_agent_messages[] = {"send", "send_se", "send_inv", "send_se_inv", "immediate",
    "immediate_se", "write", "read", "fetch_add", "cmp_swap", "swap", "flush", "verify", "atomic_write",
    NULL};

enum message {
    SEND,
    SEND_SE,
    SEND_INV,
    SEND_SE_INV,
    IMMEDIATE,
    IMMEDIATE_SE,
    WRITE,
    READ,
    FETCH_ADD,
    CMP_SWAP,
    SWAP,
    FLUSH,
    VERIFY,
    ATOMIC_WRITE
};

/* A message under construction from a request. */
struct making {
    struct iw_agent *agent;
    struct iw_agent_request *request;
    struct iw_post post;
    uint8_t header[IW_EXECUTE_HEADER_MAX];
};

static uint32_t stag_of(struct making *making, const char *field) {
    return (uint32_t)iw_agent_integer(making->request, field, 0, UINT32_MAX, 0);
}

static uint64_t wide_of(struct making *making, const char *field, uint64_t otherwise) {
    return iw_agent_wide(making->request, field, otherwise);
}

static uint32_t size_of(struct making *making, uint64_t otherwise) {
    return (uint32_t)iw_agent_integer(making->request, "size", 0, UINT32_MAX, otherwise);
}

static void take_payload(struct making *making) {
    making->post.payload =
        iw_agent_octets(making->request, "data", IW_AGENT_DATA_MAX, &making->post.payload_octets);
}

static void make_send(struct making *making, enum message message) {
    static const uint8_t opcodes[] = {
        IW_RDMAP_OP_SEND, IW_RDMAP_OP_SEND_SE, IW_RDMAP_OP_SEND_INV, IW_RDMAP_OP_SEND_SE_INV};

    making->post.opcode = opcodes[message];
    if (message == SEND_INV || message == SEND_SE_INV)
        iw_agent_need(making->request, "invalidate");
    making->post.invalidate_stag = stag_of(making, "invalidate");
    take_payload(making);
}

static void make_immediate(struct making *making, enum message message) {
    size_t octets;
    const uint8_t *data = iw_agent_octets(making->request, "data", iw_immediate_octets, &octets);

    making->post.opcode = message == IMMEDIATE ? IW_RDMAP_OP_IMMEDIATE : IW_RDMAP_OP_IMMEDIATE_SE;
    making->post.header = data;
    if (octets != iw_immediate_octets)
        iw_agent_refuse(making->request, "argument", "data", "takes %d octets", (int)iw_immediate_octets);
}

static void make_write(struct making *making) {
    making->post.opcode = IW_RDMAP_OP_RDMA_WRITE;
    making->post.stag = stag_of(making, "stag");
    making->post.to = wide_of(making, "to", 0);
    take_payload(making);
}

/* The Data Sink is a region of the device; the whole region unless the request names a part. */
static void make_read(struct making *making) {
    struct iw_agent_request *request = making->request;
    const struct iw_region *sink;

    iw_agent_need(request, "sink_stag");
    sink = iw_memory_find(iw_reference_memory(making->agent->reference), stag_of(making, "sink_stag"));
    if (!sink)
        iw_agent_refuse(request, "region", "sink_stag", "does not name a region");
    making->post.opcode = IW_RDMAP_OP_READ_REQUEST;
    making->post.read.sink_stag = sink ? sink->stag : 0;
    making->post.read.sink_to = wide_of(making, "sink_to", sink ? sink->base : 0);
    making->post.read.size = size_of(making, sink ? sink->size : 0);
    making->post.read.source_stag = stag_of(making, "source_stag");
    making->post.read.source_to = wide_of(making, "source_to", 0);
}

/* RFC 7306 5.2.1 fixes Compare Data and Compare Mask of operations that do not compare. */
static void make_atomic(struct making *making, enum message message) {
    struct iw_atomic_request atomic = {.identifier = (uint32_t)making->post.id,
        .stag = stag_of(making, "stag"),
        .to = wide_of(making, "to", 0),
        .compare_mask = UINT64_MAX};

    making->post.opcode = IW_RDMAP_OP_ATOMIC_REQUEST;
    if (message == FETCH_ADD) {
        atomic.aopcode = IW_AOPCODE_FETCHADD;
        atomic.data = wide_of(making, "add", 0);
        atomic.mask = wide_of(making, "add_mask", 0);
    } else {
        atomic.aopcode = message == SWAP ? IW_AOPCODE_SWAP : IW_AOPCODE_CMPSWAP;
        atomic.data = wide_of(making, "swap", 0);
        atomic.mask = wide_of(making, "swap_mask", UINT64_MAX);
    }
    if (message == CMP_SWAP) {
        atomic.compare_data = wide_of(making, "compare", 0);
        atomic.compare_mask = wide_of(making, "compare_mask", UINT64_MAX);
    }
    iw_atomic_request_encode(&atomic, making->header);
    making->post.header = making->header;
}

/* A Flush without a disposition flushes to persistence. */
static void make_flush(struct making *making) {
    bool exposes = iw_agent_flag(making->request, "expose", false);
    const struct iw_flush_request flush = {.stag = stag_of(making, "stag"),
        .to = wide_of(making, "to", 0),
        .length = size_of(making, 0),
        .g = exposes,
        .p = iw_agent_flag(making->request, "persist", !exposes)};

    making->post.opcode = IW_RDMAP_OP_FLUSH_REQUEST;
    iw_flush_request_encode(&flush, making->header);
    making->post.header = making->header;
}

/* "data" is the expected hash; without it, the request carries no hash. */
static void make_verify(struct making *making) {
    const struct iw_verify_request verify = {
        .stag = stag_of(making, "stag"), .to = wide_of(making, "to", 0), .length = size_of(making, 0)};

    making->post.opcode = IW_RDMAP_OP_VERIFY_REQUEST;
    iw_verify_request_encode(&verify, making->header);
    making->post.header = making->header;
    making->post.payload =
        iw_agent_octets(making->request, "data", IW_HASH_OCTETS_MAX, &making->post.payload_octets);
}

static void make_atomic_write(struct making *making) {
    const struct iw_atomic_write_request write = {.stag = stag_of(making, "stag"),
        .to = wide_of(making, "to", 0),
        .length = sizeof(uint64_t),
        .data = wide_of(making, "value", 0)};

    making->post.opcode = IW_RDMAP_OP_ATOMIC_WRITE_REQUEST;
    iw_atomic_write_request_encode(&write, making->header);
    making->post.header = making->header;
}

static void make_message(struct making *making, enum message message) {
    switch (message) {
    case SEND:
    case SEND_SE:
    case SEND_INV:
    case SEND_SE_INV:
        make_send(making, message);
        return;
    case IMMEDIATE:
    case IMMEDIATE_SE:
        make_immediate(making, message);
        return;
    case WRITE:
        make_write(making);
        return;
    case READ:
        make_read(making);
        return;
    case FETCH_ADD:
    case CMP_SWAP:
    case SWAP:
        make_atomic(making, message);
        return;
    case FLUSH:
        make_flush(making);
        return;
    case VERIFY:
        make_verify(making);
        return;
    case ATOMIC_WRITE:
        make_atomic_write(making);
    }
}

/* The completion may be reported before the answer. */
void iw_agent_post(struct iw_agent *agent, struct iw_agent_request *request) {
    struct making making = {.agent = agent, .request = request, .post = {.id = agent->posts + 1}};
    struct iw_endpoint *endpoint = iw_agent_endpoint(agent, request);

    iw_agent_need(request, "message");
    make_message(&making, (enum message)iw_agent_choice(request, "message", iw_agent_messages, 0));
    if (!request->code && iw_endpoint_backlog(endpoint) + making.post.payload_octets > IW_AGENT_WAITING_MAX)
        iw_agent_refuse(request, "memory", "data", "plus the octets waiting to be sent exceeds %d octets",
            (int)IW_AGENT_WAITING_MAX);
    if (request->code)
        return;
    agent->posts++;
    json_object_set_new(request->answer, "post", json_integer((json_int_t)agent->posts));
    if (iw_endpoint_post(endpoint, &making.post) != IW_OK)
        iw_agent_refuse(request, "memory", NULL, "not enough memory");
}
