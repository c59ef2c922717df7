#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "iw_agent_region.h"
#include "iw_kernel_hash.h"
#include "iw_verbs_state.h"

/* Regions of a session. Protection domains are the only separation of connections that every device has. */

enum { REGIONS_MAX = 10000 };

struct iw_verbs_region *iw_verbs_memory_find(struct iw_agent *agent, uint32_t stag) {
    struct iw_verbs_region *region;

    SLIST_FOREACH(region, &agent->regions, next) {
        if (region->stag == stag)
            return region;
    }
    return NULL;
}

/* A new connection must not be able to use a region of one other connection. */
struct ibv_pd *iw_verbs_memory_domain(struct iw_agent *agent) {
    const struct iw_verbs_region *region;

    SLIST_FOREACH(region, &agent->regions, next) {
        if (region->connection > 0)
            return ibv_alloc_pd(agent->config.device->context);
    }
    return agent->domain;
}

/* ---- registration ---- */

/* Maps `size` octets, if possible at the address `to`: the TO is the address for many devices, and always for
 * siw. */
static bool memory_map(struct iw_verbs_region *region, uint64_t to, size_t size) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), before = to % page;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;

    region->mapped = (before + size + page - 1) / page * page;
    region->mapping = MAP_FAILED;
    if (to >= page && to - before <= UINT64_MAX - region->mapped)
        region->mapping = mmap((void *)(uintptr_t)(to - before), region->mapped, PROT_READ | PROT_WRITE,
            flags | MAP_FIXED_NOREPLACE, -1, 0);
    if (region->mapping == MAP_FAILED)
        region->mapping = mmap(NULL, region->mapped, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (region->mapping == MAP_FAILED)
        return false;
    region->octets = (uint8_t *)region->mapping + before;
    region->size = size;
    return true;
}

static void memory_free_region(struct iw_agent *agent, struct iw_verbs_region *region) {
    if (region->registration)
        ibv_dereg_mr(region->registration);
    if (region->mapping != MAP_FAILED)
        munmap(region->mapping, region->mapped);
    agent->region_octets -= region->size;
    agent->region_count--;
    free(region);
}

static void memory_remove(struct iw_agent *agent, struct iw_verbs_region *region) {
    SLIST_REMOVE(&agent->regions, region, iw_verbs_region, next);
    memory_free_region(agent, region);
}

static bool memory_register(const struct iw_agent *agent, struct iw_verbs_region *region,
    struct ibv_pd *domain, uint64_t to, unsigned rights) {
    unsigned flags = iw_verbs_access_flags(rights);

    region->to = agent->config.device->abilities.to_is_address ? (uint64_t)(uintptr_t)region->octets : to;
    region->registration = region->to == (uintptr_t)region->octets
                               ? ibv_reg_mr(domain, region->octets, region->size, flags)
                               : ibv_reg_mr_iova(domain, region->octets, region->size, region->to, flags);
    if (region->registration)
        region->stag = region->registration->rkey;
    return region->registration != NULL;
}

/* ---- who may use a region ---- */

/* Whether the domain of `owner` also has other connections; or, if it is NULL, whether the agent's domain
 * lacks some. */
static bool memory_domain_differs(const struct iw_agent *agent, const struct iw_verbs_connection *owner) {
    const struct iw_verbs_connection *connection;

    TAILQ_FOREACH(connection, &agent->connections, next) {
        if (owner ? connection != owner && connection->domain == owner->domain
                  : connection->domain != agent->domain)
            return true;
    }
    return false;
}

/* The domain of `owner`, or of all connections if it is NULL, or of none if `foreign`. Returns NULL, with the
 * request rejected, if no domain has exactly these connections or if the device cannot allocate one. */
static struct ibv_pd *memory_choose_domain(struct iw_agent *agent, struct iw_agent_request *request,
    const struct iw_verbs_connection *owner, bool foreign) {
    struct ibv_pd *domain = owner ? owner->domain : agent->domain;

    if (foreign) {
        if (!agent->other)
            agent->other = ibv_alloc_pd(agent->config.device->context);
        domain = agent->other;
    } else if (memory_domain_differs(agent, owner)) {
        iw_agent_refuse(request, "unsupported", "stream",
            "cannot be separated from other connections: the device has only protection domains for that");
        return NULL;
    }
    if (!domain)
        iw_agent_refuse(request, "memory", NULL, "no protection domain: %s", strerror(errno));
    return domain;
}

void iw_verbs_memory_forget(struct iw_agent *agent, struct iw_verbs_connection *connection) {
    struct iw_verbs_region *region, *next;
    bool own = connection->domain != agent->domain;

    for (region = SLIST_FIRST(&agent->regions); region; region = next) {
        next = SLIST_NEXT(region, next);
        if (region->connection != connection->number)
            continue;
        region->connection = 0; /* its octets can still be read */
        if (region->registration) {
            ibv_dereg_mr(region->registration);
            region->registration = NULL;
        }
    }
    if (own)
        ibv_dealloc_pd(connection->domain);
}

void iw_verbs_memory_free(struct iw_agent *agent) {
    while (!SLIST_EMPTY(&agent->regions))
        memory_remove(agent, SLIST_FIRST(&agent->regions));
}

/* ---- requests ---- */

/* Copies what is filled already: a few long copies are faster than one for each few octets of `octets`. */
static void memory_fill(struct iw_verbs_region *region, const uint8_t *octets, size_t count) {
    size_t filled = count < region->size ? count : region->size, part;

    if (count == 0)
        return;
    memcpy(region->octets, octets, filled);
    for (; filled < region->size; filled += part) {
        part = filled < region->size - filled ? filled : region->size - filled;
        memcpy(region->octets + filled, region->octets, part);
    }
}

static void memory_add(struct iw_agent *agent, struct iw_agent_request *request, struct ibv_pd *domain,
    const struct iw_verbs_connection *owner, const struct iw_agent_registration *asked) {
    struct iw_verbs_region *region = calloc(1, sizeof *region);

    if (!region) {
        iw_agent_refuse(request, "memory", NULL, "not enough memory");
        return;
    }
    agent->region_octets += asked->size;
    agent->region_count++;
    if (!memory_map(region, asked->to, asked->size) ||
        !memory_register(agent, region, domain, asked->to, asked->rights)) {
        iw_agent_refuse(request, "memory", NULL, "the device cannot register it: %s", strerror(errno));
        region->size = asked->size;
        memory_free_region(agent, region);
        return;
    }
    region->connection = owner ? owner->number : 0;
    memory_fill(region, asked->fill, asked->fill_octets);
    SLIST_INSERT_HEAD(&agent->regions, region, next);
    iw_agent_registration_answer(request, region->stag, region->to, region->size);
}

/* A right that the device lacks is unsupported, not misspelt. */
static void memory_check_rights(
    const struct iw_agent *agent, struct iw_agent_request *request, unsigned rights) {
    unsigned lacking = rights & ~agent->config.device->abilities.rights;
    char names[96] = "";

    for (size_t i = 0, length = 0; i < IW_AGENT_RIGHTS; i++)
        if (lacking & 1u << i)
            length += (size_t)snprintf(
                names + length, sizeof names - length, "%s%s", length > 0 ? ", " : "", iw_agent_rights[i]);
    if (lacking)
        iw_agent_refuse(
            request, "unsupported", "rights", "has rights that this device does not support: %s", names);
}

/* Ignores a valid `stag`: the device chooses it. */
void iw_verbs_register(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_agent_registration asked = iw_agent_registration_read(request, agent->region_octets);
    const struct iw_verbs_connection *owner =
        asked.stream == IW_AGENT_STREAM_CONNECTION ? iw_verbs_connection_of(agent, request) : NULL;
    bool foreign = asked.other_domain || asked.stream == IW_AGENT_STREAM_OTHER;
    struct ibv_pd *domain;

    memory_check_rights(agent, request, asked.rights);
    if (asked.hash > 0)
        iw_agent_refuse(request, "unsupported", "hash", "is not supported by verbs");
    if (asked.persistent)
        iw_agent_refuse(request, "unsupported", "persistent", "is not supported by verbs");
    if (agent->region_count == REGIONS_MAX)
        iw_agent_refuse(request, "memory", NULL, "the limit of %d regions is reached", (int)REGIONS_MAX);
    domain = request->code ? NULL : memory_choose_domain(agent, request, owner, foreign);
    if (domain && !request->code)
        memory_add(agent, request, domain, owner, &asked);
}

static struct iw_verbs_region *memory_region_of(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_verbs_region *region = iw_verbs_memory_find(agent, iw_agent_stag(request, "stag"));

    iw_agent_check_region(request, "stag", region);
    return request->code ? NULL : region;
}

void iw_verbs_deregister(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_verbs_region *region = memory_region_of(agent, request);

    if (region)
        memory_remove(agent, region);
}

/* A program cannot invalidate the STag of a registration; it can only end the registration. */
void iw_verbs_invalidate(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_verbs_region *region = memory_region_of(agent, request);

    if (!region || !region->registration)
        return;
    ibv_dereg_mr(region->registration);
    region->registration = NULL;
}

void iw_verbs_read(struct iw_agent *agent, struct iw_agent_request *request) {
    const struct iw_verbs_region *region = memory_region_of(agent, request);
    uint64_t offset;
    size_t octets;

    if (!region)
        return;
    offset = iw_agent_part(request, region->size, false, &octets);
    if (!request->code)
        json_object_set_new(request->answer, "data", iw_agent_octets_json(region->octets + offset, octets));
}

void iw_verbs_write(struct iw_agent *agent, struct iw_agent_request *request) {
    struct iw_verbs_region *region = memory_region_of(agent, request);

    if (region)
        iw_agent_write_region(request, region->octets, region->size);
}

/* Without AF_ALG, or the algorithm, or the permission to use it, the host lacks the hash. */
static bool memory_lacks_hash(int error) {
    return error == EAFNOSUPPORT || error == ENOENT || error == EPERM || error == EACCES;
}

void iw_verbs_hash(struct iw_agent *agent, struct iw_agent_request *request) {
    const struct iw_verbs_region *region = memory_region_of(agent, request);
    uint8_t value[IW_HASH_OCTETS_MAX];
    struct iw_agent_hashing asked;
    size_t length;

    if (!region)
        return;
    asked = iw_agent_hashing_read(request, region->size);
    if (request->code)
        return;
    length = iw_kernel_hash(asked.hash, region->octets + asked.offset, asked.size, value);
    if (length > 0)
        json_object_set_new(request->answer, "hash", iw_agent_octets_json(value, length));
    else if (memory_lacks_hash(errno))
        iw_agent_refuse(
            request, "unsupported", "hash", "is not computed by this kernel: %s", strerror(errno));
    else
        iw_agent_refuse(request, "memory", "hash", "cannot be computed: %s", strerror(errno));
}
