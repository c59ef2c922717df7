#pragma once

#include "iw_run.h"

/* Runs the cases of tier relay with two devices: the relay stands between an initiator and a responder, and
 * each conversation is one connection of the initiator. */

struct iw_impaired_devices {
    const char *host;        /* where the relay listens for the initiator */
    uint16_t port;           /* 0: the system chooses */
    const char *device_host; /* of the responder */
    uint16_t device_port;
    /* Shell command that makes the initiator connect, once for each conversation; {host} and {port} are
     * replaced by `start_host` and the port of the relay. NULL: the initiator connects on its own. */
    const char *start;
    const char *start_host;
    uint32_t wait_ms; /* how long to wait for a connection of the initiator */
    uint64_t seed;    /* of the random choices of the rules */
    /* The relay listens at this port. A script may start its devices then. May be NULL. */
    void (*listening)(void *user, uint16_t port);
    void *user;
};

/* Runs the selected cases of `config`, whose catalogue has only cases of tier relay, one conversation at a
 * time, after one without impairment. The target (except its host), the claims and `way` have no effect.
 * Otherwise as iw_run. */
enum iw_status iw_impaired_run(const struct iw_run_config *config, const struct iw_impaired_devices *devices,
    struct iw_run_counts *counts, char *error, size_t error_octets);
