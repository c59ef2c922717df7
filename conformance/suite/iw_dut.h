#ifndef IW_DUT_H
#define IW_DUT_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>
#include <lua.h>

#include "iw_defect.h"
#include "iw_loop.h"
#include "iw_profile.h"

/* The device under test as a case has it: the `dut` that its function is given. All devices have
 *
 * - dut.host, dut.port: of the device's listener;
 * - dut.profile: what it claims in numbers: ird, ord, limits.region, limits.message, limits.private_data,
 *   startup_timeout (seconds);
 * - dut.told: whether there is an agent for the device, whatever the case's tier;
 * - dut:connect{...}, dut:tcp{...}: as connect and tcp, to the device. dut:connect asks for
 *   the revision that the device's profile says (`revision`), unless `rev` says otherwise, has an IRD of at
 *   least the ORD that it says unless `ird` does; and it waits as long as that says (`settle`) before the
 *   case can send;
 * - dut:accept{...}, dut:accept_tcp{...}: makes the device connect as initiator, and accepts as a listener
 *   does;
 *
 * and for DDP over SCTP, where anybody has said where the device takes associations,
 *
 * - dut.sctp: host, port, and tunnel if SCTP comes in UDP; else nil;
 * - dut:associate{...}: as associate, to the device;
 *
 * and a device that does for the case what its ULP would (tier "agent") has, each of them a request of
 * docs/agent.md,
 *
 * - dut:configure{rev=, enhanced=, crc=, markers=, ird=, ord=, peer_to_peer=, rtr={...}, mulpdu=, reject=,
 *   hold=, private_data=, extensions={...}}: for its connections to come;
 * - dut:answer{connection=, reject=}: its ULP decides on a Request that waits for it, with `hold`;
 * - dut:local_error(): its connections to come meet an error that it alone notices, behind the startup;
 * - dut:post{count=, size=}: receive buffers; before the connection those it will have in place of endless
 *   ones, later more of them;
 * - dut:region{size=, to=, stag=, rights="rw", verify=, persistent=, fill=, elsewhere=, connection=,
 *   domain=}, which gives r with r.stag, r.to, r.size: memory of the device. The rights are letters as of
 *   region{} in scripts; with `elsewhere` its STag is associated with another stream, with `connection` (a
 *   number) with that of the device's connections alone, with domain="other" with another protection domain;
 * - dut:memory(r, offset, length), dut:kept(r, offset, length): octets of it, and of the medium behind it;
 * - dut:write_memory(r, offset, octets), dut:hash(r, algorithm, offset, length);
 * - dut:invalidate(r), dut:deregister(r);
 * - dut:send{data=, se=, invalidate=}, dut:immediate{data=, se=}, dut:write{stag=, to=, data=},
 *   dut:read{sink=r, source_stag=, source_to=, size=}, dut:fetch_add{stag=, to=, add=, add_mask=},
 *   dut:cmp_swap{stag=, to=, compare=, compare_mask=, swap=, swap_mask=}, dut:swap{stag=, to=, swap=},
 *   dut:flush{stag=, to=, length=, p=, g=}, dut:verify{stag=, to=, length=, hash=},
 *   dut:atomic_write{stag=, to=, data=}: what the ULP asks for on the connection opened last, which gives the
 *   number of the post;
 * - dut:accept_association{stream=, ...}: listens as listen_sctp{...}, makes the device open an association
 * and begin a session on that stream, 0 by default, and gives the association; dut:initiate(stream): makes it
 *   begin another on that association;
 * - dut:close(), dut:abort(): FIN, and RST, of the same;
 * - dut:received{timeout=}: waits for the next message that the device delivers to its ULP,
 *   and gives its kind, msn, invalidate and data;
 * - dut:pending(): how many messages it has delivered that nobody has asked for;
 * - dut:completed{timeout=}: waits for the next completion: its post, status ("done", "flushed"), original,
 *   hash;
 * - dut:event{kind=, timeout=}: waits for the next event of that kind ("requested", "established",
 *   "rejected", "terminate", "error", "closed"): what the protocol says of it. */

struct iw_dut;

/* An agent beside a foreign device. */
struct iw_dut_agent {
    const char *host;
    uint16_t port;
    const char *token;    /* or NULL */
    const char *own_host; /* by which the device reaches this host, or NULL: as the agent sees it */
};

/* What makes a foreign device connect that has no agent: a command for sh, of which {host} and {port} say
 * where to. It lasts no longer than the case. */
struct iw_dut_starter {
    const char *command;
    const char *listen; /* address at which to wait for the device */
    const char *host;   /* what the device calls this host */
};

struct iw_dut_config {
    struct iw_loop *loop;
    struct iw_sctp_stack *stack; /* on the loop, for a case over SCTP; or NULL */
    const char *host;            /* of a foreign device, or NULL: the embedded reference */
    uint16_t port;
    struct iw_sctp_where sctp; /* where the foreign device takes associations; host NULL: nobody has said */
    const struct iw_profile *profile;     /* what it claims, or NULL: everything */
    const struct iw_defect *defect;       /* of the embedded reference, or NULL */
    const struct iw_dut_agent *agent;     /* or NULL */
    const struct iw_dut_starter *starter; /* or NULL */
    bool rping;                           /* its ULP is rping; an agent is not asked then */
    bool initiator;                       /* its role, of the embedded rping */
    /* From the loop: its agent can be asked from now on, or never more. */
    void (*ready)(void *user);
    void (*failed)(void *user, const char *text);
    /* The foreign agent has refused a request as unsupported, in these words; may be NULL. */
    void (*refused)(void *user, const json_t *request, const char *words);
    void *user;
};

/* NULL with one line in `text`, of IW_PORT_TEXT_OCTETS octets, if that cannot be. `config` is copied, what it
 * points to borrowed. */
struct iw_dut *iw_dut_new(const struct iw_dut_config *config, char *text);
/* What Lua still holds of it is dead from then on. NULL is allowed. */
void iw_dut_free(struct iw_dut *dut);

/* Whether it can be asked already: `ready` is to come if not. */
bool iw_dut_ready(const struct iw_dut *dut);

/* Whether its agent's session has ended before the case. */
bool iw_dut_is_lost(const struct iw_dut *dut);

/* Why a connection that the device was to open failed, in its agent's words; NULL if they are not known. */
const char *iw_dut_unconnected(const struct iw_dut *dut);

/* The fields of what its ULP was told to set, by requests `configure`: an object. */
const json_t *iw_dut_settings(const struct iw_dut *dut);

/* What the agent beside a foreign device calls itself, or "". */
const char *iw_dut_agent_name(const struct iw_dut *dut);

/* Pushes the object for scripts in the state `lua`, which must outlive it. Once for each iw_dut. Raises an
 * error if there is no memory. */
void iw_dut_push(lua_State *lua, struct iw_dut *dut);

#endif
