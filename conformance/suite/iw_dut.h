#ifndef IW_DUT_H
#define IW_DUT_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>
#include <lua.h>

#include "iw_defect.h"
#include "iw_loop.h"
#include "iw_profile.h"

/* The device under test in a case: the argument `dut` of its function. conformance/cases/README.md describes
 * its members. */

struct iw_dut;

/* An agent of a foreign device. */
struct iw_dut_agent {
    const char *host;
    uint16_t port;
    const char *token;    /* or NULL */
    const char *own_host; /* this host's address as the device reaches it; NULL: as the agent sees it */
};

/* A command for sh that makes a foreign device connect to {host} and {port}, if it has no agent or its ULP is
 * rping. The suite ends the command with the case. */
struct iw_dut_starter {
    const char *command;
    const char *listen; /* listening address for the device */
    const char *host;   /* this host's address for the device */
};

/* Which device, and how to reach it. The pointers are borrowed. */
struct iw_dut_target {
    const char *host;                 /* of a foreign device; NULL: the embedded peer */
    uint16_t port;                    /* 0: as the agent's hello says */
    struct iw_sctp_where sctp;        /* the foreign device's address for associations; host NULL: unknown */
    const struct iw_dut_agent *agent; /* of the foreign device; NULL: no agent */
    uint32_t rping_octets;            /* of a buffer of its rping; 0: IW_RPING_SIZE, or of the embedded peer
                                         IW_RPING_SIZE_SEGMENTS */
    const struct iw_dut_starter *starter; /* makes the foreign device connect; NULL: no command */
    const struct iw_defect *defect;       /* of the embedded peer; NULL: none */
};

struct iw_dut_config {
    struct iw_loop *loop;
    struct iw_sctp_stack *stack; /* on the loop, for a case over SCTP; NULL: no SCTP */
    struct iw_dut_target target;
    const struct iw_profile *profile; /* the device's claims; NULL: all */
    bool rping;                       /* the device's ULP is rping, and its agent is not used */
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

/* Whether the agent is ready; if not, a call of `ready` or `failed` follows. */
bool iw_dut_ready(const struct iw_dut *dut);

/* Whether the agent was lost before the end of the case. */
bool iw_dut_is_lost(const struct iw_dut *dut);

/* The agent's reason for a failed connection attempt of the device; NULL if unknown. */
const char *iw_dut_unconnected(const struct iw_dut *dut);

/* The settings made through the agent: the fields of all `configure` requests, an object. */
const json_t *iw_dut_settings(const struct iw_dut *dut);

/* The name that the foreign agent reports, or "". */
const char *iw_dut_agent_name(const struct iw_dut *dut);

/* Pushes the Lua object. The state must outlive the iw_dut. Call it once for each iw_dut. Raises an
 * error if out of memory. */
void iw_dut_push(lua_State *lua, struct iw_dut *dut);

#endif
