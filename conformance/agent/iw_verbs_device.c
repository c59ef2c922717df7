#include "iw_verbs_device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include <rdma/rdma_cma.h>

#include "iw_agent_operation.h"

enum {
    DEPTH_MAX = UINT8_MAX, /* IRD and ORD have 8 bits in struct rdma_conn_param */
    RECEIVES_MAX = 4096,
    SENDS_MAX = 256,
    SIW_VENDOR = 0x626d74, /* drivers/infiniband/sw/siw */
    PROBE_DEPTH = 16,
};

/* enum ib_uverbs_device_cap_flags; the headers of older versions of rdma-core lack these. */
#define DEVICE_FLUSH_GLOBAL (1ULL << 38)
#define DEVICE_FLUSH_PERSISTENT (1ULL << 39)
#define DEVICE_ATOMIC_WRITE (1ULL << 40)

static const unsigned access_flags[IW_AGENT_RIGHTS] = {
    [IW_AGENT_RIGHT_READ] = IBV_ACCESS_REMOTE_READ,
    [IW_AGENT_RIGHT_WRITE] = IBV_ACCESS_REMOTE_WRITE,
    [IW_AGENT_RIGHT_ATOMIC] = IBV_ACCESS_REMOTE_ATOMIC,
#ifdef IW_VERBS_HAVE_FLUSH
    [IW_AGENT_RIGHT_EXPOSE] = IBV_ACCESS_FLUSH_GLOBAL,
#endif
};

/* Operations of draft-talpey-rdma-commit that the device reports. The right `persist` is not offered: the
 * memory of the agent has no persistent medium. */
static void abilities_add_extended(struct iw_verbs_abilities *abilities, uint64_t flags) {
    if (flags & (DEVICE_FLUSH_GLOBAL | DEVICE_FLUSH_PERSISTENT | DEVICE_ATOMIC_WRITE))
        abilities->extensions |= 1u << 1;
    if (flags & DEVICE_ATOMIC_WRITE) {
        abilities->messages |= 1u << IW_AGENT_MESSAGE_ATOMIC_WRITE;
        abilities->extended |= IBV_QP_EX_WITH_ATOMIC_WRITE;
    }
#ifdef IW_VERBS_HAVE_FLUSH
    if (flags & (DEVICE_FLUSH_GLOBAL | DEVICE_FLUSH_PERSISTENT)) {
        abilities->messages |= 1u << IW_AGENT_MESSAGE_FLUSH;
        abilities->extended |= IBV_QP_EX_WITH_FLUSH;
    }
    if (flags & DEVICE_FLUSH_GLOBAL)
        abilities->rights |= 1u << IW_AGENT_RIGHT_EXPOSE;
#endif
}

static uint32_t device_at_most(int value, uint32_t limit) {
    return value < 0 ? 0 : (uint32_t)value < limit ? (uint32_t)value : limit;
}

struct iw_verbs_abilities iw_verbs_abilities_of(const struct ibv_device_attr_ex *extended) {
    const struct ibv_device_attr *attributes = &extended->orig_attr;
    bool atomic = attributes->atomic_cap != IBV_ATOMIC_NONE, siw = attributes->vendor_id == SIW_VENDOR;
    struct iw_verbs_abilities abilities = {
        .messages = 1u << IW_AGENT_MESSAGE_SEND | 1u << IW_AGENT_MESSAGE_SEND_SE |
                    1u << IW_AGENT_MESSAGE_WRITE | 1u << IW_AGENT_MESSAGE_READ,
        .rights = 1u << IW_AGENT_RIGHT_READ | 1u << IW_AGENT_RIGHT_WRITE,
        .extensions = atomic ? 1 : 0,
        .depth = device_at_most(attributes->max_qp_rd_atom < attributes->max_qp_init_rd_atom
                                    ? attributes->max_qp_rd_atom
                                    : attributes->max_qp_init_rd_atom,
            DEPTH_MAX),
        .receives = device_at_most(attributes->max_qp_wr, RECEIVES_MAX),
        .sends = device_at_most(attributes->max_qp_wr, SENDS_MAX),
        .to_is_address = siw,
        .tells_solicited = !siw, /* siw_rqe_complete notifies as for a message without a solicited event */
        .terminate_logged = siw,
    };

    if (attributes->device_cap_flags & IBV_DEVICE_MEM_MGT_EXTENSIONS)
        abilities.messages |= 1u << IW_AGENT_MESSAGE_SEND_INV | 1u << IW_AGENT_MESSAGE_SEND_SE_INV;
    if (atomic) {
        abilities.rights |= 1u << IW_AGENT_RIGHT_ATOMIC;
        abilities.messages |= 1u << IW_AGENT_MESSAGE_FETCH_ADD | 1u << IW_AGENT_MESSAGE_CMP_SWAP;
    }
    abilities_add_extended(&abilities, extended->device_cap_flags_ex);
    /* The verbs let a peer invalidate memory windows and what the kernel has registered for fast access, but
     * no region of a program. siw does not distinguish them. */
    if (siw)
        abilities.rights |= 1u << IW_AGENT_RIGHT_INVALIDATE;
    return abilities;
}

uint64_t iw_verbs_send_operations(const struct iw_verbs_abilities *abilities) {
    uint64_t operations =
        abilities->extended | IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ;

    if (abilities->messages & 1u << IW_AGENT_MESSAGE_SEND_INV)
        operations |= IBV_QP_EX_WITH_SEND_WITH_INV;
    if (abilities->messages & 1u << IW_AGENT_MESSAGE_FETCH_ADD)
        operations |= IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP;
    return operations;
}

/* Whether the device creates a queue pair with its extended operations: the provider library may be older
 * than the driver that reports them. */
static bool device_probe_extended(struct ibv_context *context, const struct iw_verbs_abilities *abilities) {
    struct ibv_pd *domain = ibv_alloc_pd(context);
    struct ibv_cq *queue = ibv_create_cq(context, 2 * PROBE_DEPTH, NULL, NULL, 0);
    struct ibv_qp_init_attr_ex attributes = {.send_cq = queue,
        .recv_cq = queue,
        .cap = {.max_send_wr = PROBE_DEPTH, .max_recv_wr = PROBE_DEPTH, .max_send_sge = 1, .max_recv_sge = 1},
        .qp_type = IBV_QPT_RC,
        .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
        .pd = domain,
        .send_ops_flags = iw_verbs_send_operations(abilities)};
    struct ibv_qp *pair = domain && queue ? ibv_create_qp_ex(context, &attributes) : NULL;
    bool created = pair != NULL;

    if (pair)
        ibv_destroy_qp(pair);
    if (queue)
        ibv_destroy_cq(queue);
    if (domain)
        ibv_dealloc_pd(domain);
    return created;
}

static void device_find_abilities(
    struct iw_verbs_device *device, const struct ibv_device_attr_ex *attributes) {
    struct ibv_device_attr_ex plain = *attributes;
    unsigned extensions;

    device->abilities = iw_verbs_abilities_of(attributes);
    if (device->abilities.extended == 0 || device_probe_extended(device->context, &device->abilities))
        return;
    extensions = device->abilities.extensions; /* a peer can use them all the same */
    plain.device_cap_flags_ex = 0;
    device->abilities = iw_verbs_abilities_of(&plain);
    device->abilities.extensions = extensions;
}

unsigned iw_verbs_access_flags(unsigned rights) {
    unsigned flags = IBV_ACCESS_LOCAL_WRITE;

    for (size_t i = 0; i < IW_AGENT_RIGHTS; i++)
        if (rights & 1u << i)
            flags |= access_flags[i];
    return flags;
}

/* The device called `name`, or with NULL the first one for iWARP, or else the only one; otherwise NULL. */
static struct ibv_context *device_choose(struct ibv_context *const *list, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (name ? strcmp(ibv_get_device_name(list[i]->device), name) == 0
                 : list[i]->device->transport_type == IBV_TRANSPORT_IWARP)
            return list[i];
    return name || count != 1 ? NULL : list[0];
}

bool iw_verbs_device_open(struct iw_verbs_device *device, const char *name, char *text) {
    struct ibv_device_attr_ex attributes;
    int count = 0;

    *device = (struct iw_verbs_device){.list = rdma_get_devices(&count)};
    if (!device->list || count == 0)
        snprintf(text, IW_VERBS_TEXT_OCTETS,
            "no RDMA device; load its driver and the modules ib_uverbs and rdma_ucm, or for software iWARP: "
            "rdma link add siw0 type siw netdev eth0");
    else if (!(device->context = device_choose(device->list, count, name)))
        snprintf(text, IW_VERBS_TEXT_OCTETS, "%s%.64s; `rdma link` lists the devices",
            name ? "no RDMA device " : "no RDMA device for iWARP", name ? name : "");
    else if (ibv_query_device_ex(device->context, NULL, &attributes) != 0)
        snprintf(text, IW_VERBS_TEXT_OCTETS, "%s: cannot be queried: %s",
            ibv_get_device_name(device->context->device), strerror(errno));
    else {
        device_find_abilities(device, &attributes);
        snprintf(device->firmware, sizeof device->firmware, "%.63s", attributes.orig_attr.fw_ver);
        fcntl(device->context->async_fd, F_SETFL, O_NONBLOCK);
        return true;
    }
    iw_verbs_device_close(device);
    return false;
}

void iw_verbs_device_close(struct iw_verbs_device *device) {
    if (device->list)
        rdma_free_devices(device->list);
    *device = (struct iw_verbs_device){.list = NULL};
}
