#include "iw_network_link.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "iw_network_program.h"

enum {
    LINK_QUEUE_OCTETS =
        256 << 20, /* of tbf: more than all connections have in flight, because it must drop none */
    LINK_BURST_OCTETS = 16384, /* of tbf, at least */
    LINK_BURSTS_PER_S = 100,
};

/* The hosts have the addresses of RFC 2544 C.2.2: 198.18.0.0/15 is for tests of networks. */
static const struct {
    const char *device, *hardware, *address, *network;
} link_ends[] = {
    [IW_NETWORK_A] = {"wcA", "02:00:00:00:00:0a", "198.18.0.1", "198.18.0.0/16"},
    [IW_NETWORK_B] = {"wcB", "02:00:00:00:00:0b", "198.19.0.1", "198.19.0.0/16"},
};

void iw_network_address(enum iw_network_host host, uint32_t chance, char text[IW_NETWORK_ADDRESS_OCTETS]) {
    snprintf(text, IW_NETWORK_ADDRESS_OCTETS, "198.%d.%u.%u", host == IW_NETWORK_A ? 18 : 19,
        chance >> 8 & 0x7F, 2 + (chance & 0x7F));
}

/* ---- commands ---- */

/* What the kernel lacks, by the words of ip and tc. */
static const struct {
    const char *command, *words, *missing;
} link_obstacles[] = {
    {"netem", "qdisc kind is unknown",
        "this kernel has no netem; load it (modprobe sch_netem) or use a kernel that has it"},
    {"tbf", "qdisc kind is unknown",
        "this kernel has no tbf; load it (modprobe sch_tbf) or use a kernel that has it"},
    {"veth", "Unknown device type",
        "this kernel has no veth; load it (modprobe veth) or use a kernel that has it"},
    {"", "Operation not permitted",
        "no private network is permitted; run as root, or allow user namespaces (on Ubuntu: sysctl "
        "kernel.apparmor_restrict_unprivileged_userns=0)"},
};

static void link_explain(const char *command, char text[IW_NETWORK_TEXT_OCTETS]) {
    char said[IW_NETWORK_TEXT_OCTETS];

    memcpy(said, text, sizeof said);
    for (size_t i = 0; i < sizeof link_obstacles / sizeof *link_obstacles; i++)
        if (strstr(command, link_obstacles[i].command) && strstr(said, link_obstacles[i].words)) {
            snprintf(text, IW_NETWORK_TEXT_OCTETS, "%s", link_obstacles[i].missing);
            return;
        }
    snprintf(text, IW_NETWORK_TEXT_OCTETS, "%.200s: %.250s", command, said);
}

__attribute__((format(printf, 3, 4))) static bool link_run(
    int passed, char text[IW_NETWORK_TEXT_OCTETS], const char *format, ...) {
    char command[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    if (iw_network_program_run(command, passed, text))
        return true;
    link_explain(command, text);
    return false;
}

/* ---- the link ---- */

/* Segments of one MTU each (gso_max_segs): the packets that netem chooses are then those of an Ethernet. */
bool iw_network_link_make(
    const struct iw_network_profile *profile, int other, char error[IW_NETWORK_TEXT_OCTETS]) {
    return link_run(other, error,
        "ip link add %s mtu %" PRIu32 " address %s type veth peer name %s mtu %" PRIu32
        " address %s netns " IW_NETWORK_PROGRAM_NAMESPACE,
        link_ends[IW_NETWORK_A].device, profile->mtu, link_ends[IW_NETWORK_A].hardware,
        link_ends[IW_NETWORK_B].device, profile->mtu, link_ends[IW_NETWORK_B].hardware);
}

/* Each host has all addresses of its network; it reaches the other by a neighbour that never needs ARP, which
 * could get lost. */
static bool link_set_addresses(enum iw_network_host host, char error[IW_NETWORK_TEXT_OCTETS]) {
    enum iw_network_host other = host == IW_NETWORK_A ? IW_NETWORK_B : IW_NETWORK_A;
    const char *device = link_ends[host].device;

    return link_run(-1, error, "ip link set lo up") &&
           link_run(-1, error, "ip link set %s gso_max_segs 1", device) &&
           link_run(-1, error, "ip link set %s up", device) &&
           link_run(-1, error, "ip addr add %s/32 dev %s", link_ends[host].address, device) &&
           link_run(-1, error, "ip route add local %s dev lo", link_ends[host].network) &&
           link_run(-1, error, "ip neigh add %s lladdr %s dev %s nud permanent", link_ends[other].address,
               link_ends[other].hardware, device) &&
           link_run(-1, error, "ip route add %s via %s dev %s onlink", link_ends[other].network,
               link_ends[other].address, device);
}

/* ---- impairment ---- */

/* Kernels before Linux 6.6 ignore the seed, and tc before 6.6 rejects it: so asks what the kernel has. */
static bool link_add_netem(const struct iw_network_profile *profile, const char *device, uint32_t seed,
    bool *seeded, char error[IW_NETWORK_TEXT_OCTETS]) {
    char words[IW_NETWORK_WORDS_OCTETS], text[IW_NETWORK_TEXT_OCTETS];

    iw_network_profile_netem(profile, words);
    *seeded = link_run(-1, text, "tc qdisc add dev %s root netem %s seed %" PRIu32, device, words, seed);
    if (!*seeded && !link_run(-1, error, "tc qdisc add dev %s root netem %s", device, words))
        return false;
    *seeded = *seeded && link_run(-1, text, "tc qdisc show dev %s", device) && strstr(text, " seed ");
    return true;
}

static bool link_add_tbf(
    const struct iw_network_profile *profile, const char *device, char error[IW_NETWORK_TEXT_OCTETS]) {
    uint64_t burst = UINT64_C(1000) * profile->rate_kbit / 8 / LINK_BURSTS_PER_S;

    if (burst < LINK_BURST_OCTETS + profile->mtu)
        burst = LINK_BURST_OCTETS + profile->mtu;
    return link_run(-1, error, "tc qdisc add dev %s root tbf rate %" PRIu32 "kbit burst %" PRIu64 " limit %d",
        device, profile->rate_kbit, burst, LINK_QUEUE_OCTETS);
}

static bool link_impair(const struct iw_network_profile *profile, const char *device, uint32_t seed,
    bool *seeded, char error[IW_NETWORK_TEXT_OCTETS]) {
    *seeded = false;
    if (iw_network_profile_needs_netem(profile))
        return link_add_netem(profile, device, seed, seeded, error);
    return profile->rate_kbit == 0 || link_add_tbf(profile, device, error);
}

bool iw_network_link_set_up(const struct iw_network_profile *profile, enum iw_network_host host, bool *seeded,
    char error[IW_NETWORK_TEXT_OCTETS]) {
    return link_set_addresses(host, error) && link_impair(profile, link_ends[host].device,
                                                  profile->seed + (host == IW_NETWORK_B), seeded, error);
}

bool iw_network_link_set_up_loopback(
    const struct iw_network_profile *profile, char error[IW_NETWORK_TEXT_OCTETS]) {
    bool seeded;

    return link_run(-1, error, "ip link set lo mtu %" PRIu32 " gso_max_segs 1", profile->mtu) &&
           link_run(-1, error, "ip link set lo up") &&
           link_impair(profile, "lo", profile->seed, &seeded, error);
}
