#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>
#include <lua.h>

#include "iw_defect.h"
#include "iw_dut_names.h"
#include "iw_loop.h"
#include "iw_network.h"
#include "iw_profile.h"

/* The device under test: the argument `dut` of a case. conformance/cases/README.md describes it. */

struct iw_dut;

/* The agent (docs/agent.md) of a foreign device: a device other than the embedded peer. */
struct iw_dut_agent {
    const char *host;
    uint16_t port;
    const char *token;                /* NULL: no token */
    const struct iw_tls_context *tls; /* NULL: no TLS */
    const char *own_host; /* address of this host for the device; NULL: the address that the agent sees */
};

/* A shell command that makes a foreign device connect to {host} and {port}. It is used if the device has no
 * agent, or its ULP is rping. It is terminated when the case ends. */
struct iw_dut_starter {
    const char *command;
    const char *listen; /* address on which the suite listens for the device */
    const char *host;   /* address that replaces {host} */
};

/* The device under test, and how to reach it. The pointers are borrowed. */
struct iw_dut_target {
    const char *host;                 /* of a foreign device; NULL: the embedded peer */
    uint16_t port;                    /* 0: as the agent's hello says */
    struct iw_sctp_where sctp;        /* the foreign device's address for associations; host NULL: unknown */
    const struct iw_dut_agent *agent; /* of the foreign device; NULL: no agent */
    uint32_t rping_octets;            /* of a buffer of its rping; 0: IW_RPING_SIZE, or of the embedded peer
                                         IW_RPING_SIZE_SEGMENTS */
    const struct iw_dut_starter *starter; /* makes the foreign device connect; NULL: no command */
    const struct iw_defect *defect;       /* of the embedded peer; NULL: none */
    /* The suite is on its host A, the embedded peer on its host B; NULL: both use the loopback device. */
    const struct iw_network *network;
};

struct iw_dut_config {
    struct iw_loop *loop;
    struct iw_sctp_stack *stack; /* SCTP stack on `loop`; NULL: the case does not use SCTP */
    struct iw_dut_target target;
    const struct iw_profile *profile; /* what the device claims; NULL: everything */
    bool rping;                       /* the ULP of the device is rping; its agent is then not used */
    bool initiator;                   /* with the embedded peer and `rping`: rping runs as the client */
    uint32_t network_ms;              /* how much later octets may arrive because of the network, in ms */
    /* Called from the loop: `ready` when the foreign agent is ready; `failed` when the agent is lost, or the
     * device reports more events than the suite can queue. */
    void (*ready)(void *user);
    void (*failed)(void *user, const char *text);
    /* The foreign agent has rejected `request` as unsupported; `words` is why. May be NULL. */
    void (*refused)(void *user, const json_t *request, const char *words);
    void *user;
};

/* Creates the device object; starts the embedded peer, or connects to the agent if one is used. Copies
 * `config`, borrows its pointers. Returns NULL with a line in text[IW_PORT_TEXT_OCTETS] on failure. */
struct iw_dut *iw_dut_new(const struct iw_dut_config *config, char *text);
/* Frees the device. Methods of its Lua object then raise an error. NULL is allowed. */
void iw_dut_free(struct iw_dut *dut);

/* Returns whether a case can start now. If not, `ready` or `failed` is called later. */
bool iw_dut_ready(const struct iw_dut *dut);

/* Returns whether `failed` has been called. */
bool iw_dut_is_lost(const struct iw_dut *dut);

/* Returns whether a command that makes the device connect cannot be run. */
bool iw_dut_lacks_command(const struct iw_dut *dut);

/* Returns why a connection attempt of the device failed, as its agent reports it; NULL if unknown. */
const char *iw_dut_unconnected(const struct iw_dut *dut);

/* Returns a JSON object with the fields of all `configure` requests to the agent (docs/agent.md). */
const json_t *iw_dut_settings(const struct iw_dut *dut);

/* Returns what the agent of a foreign device has said in its hello. */
const struct iw_dut_names *iw_dut_names(const struct iw_dut *dut);

/* Pushes the Lua object. Call it once. `lua` must outlive `dut`. Raises an error if out of memory. */
void iw_dut_push(lua_State *lua, struct iw_dut *dut);
