#pragma once

#include "iw_loop.h"
#include "iw_recorder.h"
#include "iw_relay_rule.h"
#include "iw_tcp_segment.h"

/* A TCP relay: accepts connections of initiators, opens one to the device for each, and passes on what both
 * send: octets, FIN as FIN, RST as RST. If one side reads no more, the other side's TCP cannot send more. */

enum iw_relay_note_kind {
    IW_RELAY_OPENED,  /* the device has accepted */
    IW_RELAY_REFUSED, /* no connection to the device: the initiator's is reset */
    IW_RELAY_LEFT,    /* the initiator has reset or lost its connection before the device has accepted, or has
                       * closed it and the device has not accepted within 10 s */
    IW_RELAY_ENDED,   /* both sides have sent a FIN */
    IW_RELAY_IMPAIRED, /* an impairment was applied */
    IW_RELAY_UNFIT,    /* an impairment was due, but the unit lacks what it changes */
    IW_RELAY_RESET,    /* one side has reset the connection, or is lost: so is the other one */
};

struct iw_relay_note {
    enum iw_relay_note_kind kind;
    uint64_t connection; /* number, from 1 */
    /* Addresses by enum iw_side: of the connection of the initiator to the relay, and of that of the relay to
     * the device. The second is unknown with REFUSED and LEFT. */
    const struct iw_tcp_address *initiator, *device;
    const char *text; /* REFUSED, LEFT, RESET: the reason, as one line; otherwise NULL */
    /* IMPAIRED, UNFIT: */
    const struct iw_relay_rule *rule;
    enum iw_side direction; /* whose octets they are: A, the initiator's; B, the device's */
    uint64_t offset;        /* in the stream of its sender, of the first octet of the unit */
    uint64_t passed;        /* in the stream that the receiver gets, where the changed unit begins */
};

/* What passes on one of the two TCP connections, as it is recorded. */
struct iw_relay_tap {
    uint64_t connection;                    /* number, from 1 */
    enum iw_side end;                       /* A: the initiator's connection; B: the device's */
    const struct iw_tcp_address *addresses; /* of that TCP connection, by enum iw_side */
    const struct iw_chunk *chunk;           /* its offset is not set */
};

enum { IW_RELAY_RECORDERS = 2 };

struct iw_relay_config {
    const char *host;        /* where to listen */
    uint16_t port;           /* 0: the system chooses */
    const char *device_host; /* its name is resolved once, by iw_relay_new */
    uint16_t device_port;
    /* Each records both TCP connections of each relayed connection, the initiator's first; or NULL. Without a
     * recorder, a tap or a rule, octets pass through the kernel without a copy. */
    struct iw_recorder *recorders[IW_RELAY_RECORDERS];
    /* Impairments, in this order: of those that are due for a unit, the first is applied. Borrowed. */
    const struct iw_relay_rule *rules;
    size_t rule_count;
    unsigned repair; /* set of enum iw_relay_repair */
    uint64_t seed;   /* the same seed, rules and octets give the same impairments */
    void (*note)(void *user, const struct iw_relay_note *note); /* or NULL */
    /* Sees everything that passes, in the order of time; must not change the relay. Or NULL. */
    void (*tap)(void *user, const struct iw_relay_tap *tap);
    void *user;
};

struct iw_relay;

/* Listens. `config` is copied, its strings are borrowed. The loop is a real one. Returns NULL with a line in
 * `text`, of IW_PORT_TEXT_OCTETS octets, on failure. */
struct iw_relay *iw_relay_new(struct iw_loop *loop, const struct iw_relay_config *config, char *text);

/* Resets all connections. Run or free the loop afterwards. NULL is allowed. */
void iw_relay_free(struct iw_relay *relay);

uint16_t iw_relay_port(const struct iw_relay *relay);

/* Impairs the connections that are accepted from now on by these rules, as in the configuration; borrowed
 * while such a connection is open. The relay has a tap or a recorder. */
void iw_relay_impair(
    struct iw_relay *relay, const struct iw_relay_rule *rules, size_t count, unsigned repair);

/* Resets both TCP connections of that number, without a note. Does nothing if they have ended. Not for a note
 * or a tap. */
void iw_relay_reset(struct iw_relay *relay, uint64_t connection);

/* The number of connections that are open or being opened. */
size_t iw_relay_open(const struct iw_relay *relay);
