#ifndef IW_DUT_H
#define IW_DUT_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>
#include <lua.h>

#include "iw_defect.h"
#include "iw_loop.h"
#include "iw_profile.h"

/* The device under test in a case: the argument `dut` of its function. All devices have
 *
 * - dut.host, dut.port: of the device's listener;
 * - dut.profile: its claims in numbers: ird, ord, limits.region, limits.message, limits.private_data,
 *   startup_timeout (seconds);
 * - dut.told: whether the device has an agent, whatever the case's tier;
 * - dut:connect{...}, dut:tcp{...}: like connect and tcp, to the device. dut:connect uses the profile: its
 *   `revision` unless `rev` is given, and an IRD of at least its ORD unless `ird` is given; then it waits
 *   for the time `settle`, before the case can send;
 * - dut:accept{...}, dut:accept_tcp{...}: makes the device connect as initiator, and accepts like a listener;
 *
 * with a known address for DDP over SCTP,
 *
 * - dut.sctp: host, port, and tunnel if SCTP is tunnelled in UDP; else nil;
 * - dut:associate{...}: like associate, to the device;
 *
 * and with an agent (tier "agent"), each method being a request of docs/agent.md,
 *
 * - dut:configure{rev=, enhanced=, crc=, markers=, ird=, ord=, peer_to_peer=, rtr={...}, mulpdu=, reject=,
 *   hold=, private_data=, extensions={...}}: settings of its next connections;
 * - dut:answer{connection=, reject=}: its ULP answers a Request that it holds (`hold`);
 * - dut:local_error(): its next connections have a local error after the startup;
 * - dut:post{count=, size=}: posts receive buffers; before the connection, they replace the unlimited
 *   default;
 * - dut:region{size=, to=, stag=, rights="rw", verify=, persistent=, fill=, elsewhere=, connection=,
 *   domain=}: registers memory of the device, and returns r with r.stag, r.to, r.size. The rights are the
 *   letters of region{} in scripts. `elsewhere` associates the STag with another stream, `connection` (a
 *   number) with the stream of that connection alone, domain="other" with another protection domain;
 * - dut:memory(r, offset, length), dut:kept(r, offset, length): octets of its memory, or of the persistent
 *   medium;
 * - dut:write_memory(r, offset, octets), dut:hash(r, algorithm, offset, length);
 * - dut:invalidate(r), dut:deregister(r);
 * - dut:send{data=, se=, invalidate=}, dut:immediate{data=, se=}, dut:write{stag=, to=, data=},
 *   dut:read{sink=r, source_stag=, source_to=, size=}, dut:fetch_add{stag=, to=, add=, add_mask=},
 *   dut:cmp_swap{stag=, to=, compare=, compare_mask=, swap=, swap_mask=}, dut:swap{stag=, to=, swap=},
 *   dut:flush{stag=, to=, length=, p=, g=}, dut:verify{stag=, to=, length=, hash=},
 *   dut:atomic_write{stag=, to=, data=}: its ULP posts the operation on the connection opened last; returns
 *   the number of the post;
 * - dut:accept_association{stream=, ...}: listens like listen_sctp{...}, makes the device open an association
 *   and initiate a session on that stream, by default 0, and returns the association; dut:initiate(stream):
 *   makes it initiate another session on that association;
 * - dut:close(), dut:abort(): ends that connection with FIN or RST;
 * - dut:received{timeout=}: waits for the next message delivered to its ULP, and returns its kind, msn,
 *   invalidate and data;
 * - dut:pending(): the number of delivered messages that the case has not asked for;
 * - dut:completed{timeout=}: waits for the next completion: its post, status ("done", "flushed"), original,
 *   hash;
 * - dut:event{kind=, timeout=}: waits for the next event of that kind ("requested", "established",
 *   "rejected", "terminate", "error", "closed"), and returns its members. */

struct iw_dut;

/* An agent of a foreign device. */
struct iw_dut_agent {
    const char *host;
    uint16_t port;
    const char *token;    /* or NULL */
    const char *own_host; /* this host's address as the device reaches it; NULL: as the agent sees it */
};

/* A command for sh that makes a foreign device without an agent connect to {host} and {port}. It is
 * ended with the case. */
struct iw_dut_starter {
    const char *command;
    const char *listen; /* listening address for the device */
    const char *host;   /* this host as the device names it */
};

/* Which device, and how to reach it. The pointers are borrowed. */
struct iw_dut_target {
    const char *host; /* of a foreign device; NULL: the embedded reference */
    uint16_t port;
    struct iw_sctp_where sctp;        /* the foreign device's address for associations; host NULL: unknown */
    const struct iw_dut_agent *agent; /* of the foreign device, or NULL */
    const struct iw_dut_starter *starter; /* makes the foreign device connect, or NULL */
    const struct iw_defect *defect;       /* of the embedded reference, or NULL */
};

struct iw_dut_config {
    struct iw_loop *loop;
    struct iw_sctp_stack *stack; /* on the loop, for a case over SCTP; or NULL */
    struct iw_dut_target target;
    const struct iw_profile *profile; /* its claims; NULL: all */
    bool rping;                       /* its ULP is rping; the agent is not used then */
    bool initiator;                   /* role of the embedded rping */
    /* Called from the loop: the agent is ready, or has failed. */
    void (*ready)(void *user);
    void (*failed)(void *user, const char *text);
    /* The foreign agent has rejected a request as unsupported, with this text; may be NULL. */
    void (*refused)(void *user, const json_t *request, const char *words);
    void *user;
};

/* Returns NULL with one line in `text`, of IW_PORT_TEXT_OCTETS octets, on failure. `config` is copied;
 * its pointers are borrowed. */
struct iw_dut *iw_dut_new(const struct iw_dut_config *config, char *text);
/* The Lua object becomes invalid. NULL is allowed. */
void iw_dut_free(struct iw_dut *dut);

/* Whether the agent is ready; if not, `ready` follows. */
bool iw_dut_ready(const struct iw_dut *dut);

/* Whether the agent's session ended before the case. */
bool iw_dut_is_lost(const struct iw_dut *dut);

/* The agent's reason for a failed connection attempt of the device; NULL if unknown. */
const char *iw_dut_unconnected(const struct iw_dut *dut);

/* What its ULP was told to set: the fields of the requests `configure`, an object. */
const json_t *iw_dut_settings(const struct iw_dut *dut);

/* The name that the foreign agent reports, or "". */
const char *iw_dut_agent_name(const struct iw_dut *dut);

/* Pushes the Lua object. The state must outlive the iw_dut. Call it once for each iw_dut. Raises an
 * error if out of memory. */
void iw_dut_push(lua_State *lua, struct iw_dut *dut);

#endif
