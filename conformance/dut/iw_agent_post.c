#include "iw_agent_state.h"

#include "iw_agent_region.h"
#include "iw_execute.h"
#include "iw_name.h"

/* Work requests of the device's ULP on a connection. */

/* A message under construction, from a request of the suite to the agent. */
struct making {
    struct iw_agent *agent;
    struct iw_agent_request *request;
    uint8_t aopcode;
    struct iw_post post;
    uint8_t header[IW_EXECUTE_HEADER_MAX];
};

static uint32_t agent_post_size_of(struct making *making, uint64_t otherwise) {
    return (uint32_t)iw_agent_integer(making->request, "size", 0, UINT32_MAX, otherwise);
}

static void agent_post_take_payload(struct making *making) {
    making->post.payload =
        iw_agent_octets(making->request, "data", IW_AGENT_DATA_MAX, &making->post.payload_octets);
}

static void agent_post_make_send(struct making *making) {
    if (iw_opcodes[making->post.opcode].invalidate == IW_INVALIDATE_STAG)
        iw_agent_need(making->request, "invalidate");
    making->post.invalidate_stag = iw_agent_stag(making->request, "invalidate");
    agent_post_take_payload(making);
}

static void agent_post_make_immediate(struct making *making) {
    size_t octets;

    making->post.header = iw_agent_octets(making->request, "data", iw_immediate_octets, &octets);
    if (octets != iw_immediate_octets)
        iw_agent_refuse(making->request, "argument", "data", "takes %d octets", (int)iw_immediate_octets);
}

static void agent_post_make_write(struct making *making) {
    making->post.stag = iw_agent_stag(making->request, "stag");
    making->post.to = iw_agent_wide(making->request, "to", 0);
    agent_post_take_payload(making);
}

/* The Data Sink is a region of the device; the whole region unless the request names a part. */
static void agent_post_make_read(struct making *making) {
    struct iw_agent_request *request = making->request;
    const struct iw_region *sink =
        iw_memory_find(iw_reference_memory(making->agent->reference), iw_agent_stag(request, "sink_stag"));

    iw_agent_check_region(request, "sink_stag", sink);
    making->post.read.sink_stag = sink ? sink->stag : 0;
    making->post.read.sink_to = iw_agent_wide(making->request, "sink_to", sink ? sink->base : 0);
    making->post.read.size = agent_post_size_of(making, sink ? sink->size : 0);
    making->post.read.source_stag = iw_agent_stag(making->request, "source_stag");
    making->post.read.source_to = iw_agent_wide(making->request, "source_to", 0);
}

/* RFC 7306 5.2.1 fixes Compare Data and Compare Mask of operations that do not compare. */
static void agent_post_make_atomic(struct making *making) {
    struct iw_atomic_request atomic = {.aopcode = making->aopcode,
        .identifier = (uint32_t)making->post.id,
        .stag = iw_agent_stag(making->request, "stag"),
        .to = iw_agent_wide(making->request, "to", 0),
        .compare_mask = UINT64_MAX};

    if (making->aopcode == IW_AOPCODE_FETCHADD) {
        atomic.data = iw_agent_wide(making->request, "add", 0);
        atomic.mask = iw_agent_wide(making->request, "add_mask", 0);
    } else {
        atomic.data = iw_agent_wide(making->request, "swap", 0);
        atomic.mask = iw_agent_wide(making->request, "swap_mask", UINT64_MAX);
    }
    if (making->aopcode == IW_AOPCODE_CMPSWAP) {
        atomic.compare_data = iw_agent_wide(making->request, "compare", 0);
        atomic.compare_mask = iw_agent_wide(making->request, "compare_mask", UINT64_MAX);
    }
    iw_atomic_request_encode(&atomic, making->header);
}

/* By default, a Flush is to persistence; with `expose`, only to global visibility. */
static void agent_post_make_flush(struct making *making) {
    bool exposes = iw_agent_flag(making->request, "expose", false);
    const struct iw_flush_request flush = {.stag = iw_agent_stag(making->request, "stag"),
        .to = iw_agent_wide(making->request, "to", 0),
        .length = agent_post_size_of(making, 0),
        .g = exposes,
        .p = iw_agent_flag(making->request, "persist", !exposes)};

    iw_flush_request_encode(&flush, making->header);
}

/* "data" is the expected hash; without it, the request carries no hash. */
static void agent_post_make_verify(struct making *making) {
    const struct iw_verify_request verify = {.stag = iw_agent_stag(making->request, "stag"),
        .to = iw_agent_wide(making->request, "to", 0),
        .length = agent_post_size_of(making, 0)};

    iw_verify_request_encode(&verify, making->header);
    making->post.payload =
        iw_agent_octets(making->request, "data", IW_HASH_OCTETS_MAX, &making->post.payload_octets);
}

static void agent_post_make_atomic_write(struct making *making) {
    const struct iw_atomic_write_request write = {.stag = iw_agent_stag(making->request, "stag"),
        .to = iw_agent_wide(making->request, "to", 0),
        .length = sizeof(uint64_t),
        .data = iw_agent_wide(making->request, "value", 0)};

    iw_atomic_write_request_encode(&write, making->header);
}

/* One row per message, in the order of iw_agent_messages. */
static const struct kind {
    uint8_t opcode;
    uint8_t aopcode; /* of an Atomic Request */
    void (*make)(struct making *making);
} kinds[] = {
    {IW_RDMAP_OP_SEND, 0, agent_post_make_send},
    {IW_RDMAP_OP_SEND_SE, 0, agent_post_make_send},
    {IW_RDMAP_OP_SEND_INV, 0, agent_post_make_send},
    {IW_RDMAP_OP_SEND_SE_INV, 0, agent_post_make_send},
    {IW_RDMAP_OP_IMMEDIATE, 0, agent_post_make_immediate},
    {IW_RDMAP_OP_IMMEDIATE_SE, 0, agent_post_make_immediate},
    {IW_RDMAP_OP_RDMA_WRITE, 0, agent_post_make_write},
    {IW_RDMAP_OP_READ_REQUEST, 0, agent_post_make_read},
    {IW_RDMAP_OP_ATOMIC_REQUEST, IW_AOPCODE_FETCHADD, agent_post_make_atomic},
    {IW_RDMAP_OP_ATOMIC_REQUEST, IW_AOPCODE_CMPSWAP, agent_post_make_atomic},
    {IW_RDMAP_OP_ATOMIC_REQUEST, IW_AOPCODE_SWAP, agent_post_make_atomic},
    {IW_RDMAP_OP_FLUSH_REQUEST, 0, agent_post_make_flush},
    {IW_RDMAP_OP_VERIFY_REQUEST, 0, agent_post_make_verify},
    {IW_RDMAP_OP_ATOMIC_WRITE_REQUEST, 0, agent_post_make_atomic_write},
};

_Static_assert(sizeof kinds / sizeof *kinds == IW_AGENT_MESSAGES, "each message has a kind");

/* The completion may be reported before the answer. */
void iw_agent_post(struct iw_agent *agent, struct iw_agent_request *request) {
    struct making making = {.agent = agent, .request = request, .post = {.id = agent->posts + 1}};
    struct iw_endpoint *endpoint = iw_agent_endpoint(agent, request);
    const struct kind *kind;

    iw_agent_need(request, "message");
    kind = &kinds[iw_agent_choice(request, "message", iw_agent_messages, 0)];
    making.post.opcode = kind->opcode;
    making.aopcode = kind->aopcode;
    making.post.header = making.header; /* only for opcodes that have an RDMAP header */
    kind->make(&making);
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
