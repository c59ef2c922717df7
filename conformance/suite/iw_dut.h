#ifndef IW_DUT_H
#define IW_DUT_H

#include <stdbool.h>
#include <stdint.h>

#include <lua.h>

#include "iw_reference.h"
#include "iw_task.h"

/* The device under test as a case has it: the `dut` that its function is given. All devices have
 *
 * - dut.host, dut.port: of the device's listener;
 * - dut:connect{...}, dut:tcp{...}: as connect and tcp, to the device;
 *
 * and a device that does for the case what its ULP would (tier "agent") has
 *
 * - dut:accept{...}, dut:accept_tcp{...}: makes the device connect as initiator, and accepts as a listener
 *   does;
 * - dut:configure{rev=, enhanced=, crc=, markers=, ird=, ord=, peer_to_peer=, rtr={...}, mulpdu=, reject=}:
 *   for its connections to come;
 * - dut:region{size=, rights="rw", fill=, to=, elsewhere=}, which gives r with r.stag, r.to, r.size:
 *   memory of the device; with `elsewhere` its STag is associated with another stream;
 * - dut:memory(r, offset, length): octets of it;
 * - dut:post{count=, size=}: receive buffers; before the connection those it will have in place of endless
 *   ones, later more of them;
 * - dut:received{timeout=}: waits for the next message that the device delivers to its ULP,
 *   and gives its kind, msn and data;
 * - dut:pending(): how many messages it has delivered that nobody has asked for;
 * - dut:send{data=, se=, invalidate=}, dut:write{stag=, to=, data=},
 *   dut:read{sink=r, source_stag=, source_to=, size=}: what the ULP asks for on the connection opened last;
 * - dut:close(): the same. */

struct iw_dut;

/* For a device at `host` and `port`; `reference` is the embedded one, or NULL for a foreign one. NULL if
 * there is no memory. Both are borrowed. */
struct iw_dut *iw_dut_new(const char *host, uint16_t port, struct iw_reference *reference);
/* What Lua still holds of it is dead from then on. */
void iw_dut_free(struct iw_dut *dut);

/* Pushes the object for scripts in the state `lua`, which must outlive it. Once for each iw_dut. Raises an
 * error if there is no memory. */
void iw_dut_push(lua_State *lua, struct iw_dut *dut);

/* To be told of everything that happens on the connections of the reference. */
void iw_dut_event(struct iw_dut *dut, const struct iw_event *event);

#endif
