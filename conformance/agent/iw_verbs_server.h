#pragma once

#include <netinet/in.h>
#include <signal.h>

#include "iw_tls.h"
#include "iw_verbs_agent.h"

/* The agent of a verbs device on a TCP port: a loop over poll(2). With a fixed port of the device's listener,
 * the sessions take turns. */

struct iw_verbs_server_config {
    struct iw_verbs_agent_config agent; /* of every session; the server sets `event`, `user` and `log` */
    const char *host;
    uint16_t port;                    /* 0: chosen by the system */
    const char *token;                /* required from every session, or NULL */
    const struct iw_tls_context *tls; /* NULL: no TLS. It must outlive the server */
    const sigset_t *unblocked; /* the signal mask during the wait of a turn; NULL: that of the thread */
};

struct iw_verbs_server;

/* Starts to listen. Returns NULL with one line in `text`, of IW_VERBS_TEXT_OCTETS octets. `config` is copied;
 * its pointers are borrowed. */
struct iw_verbs_server *iw_verbs_server_new(const struct iw_verbs_server_config *config, char *text);
void iw_verbs_server_free(struct iw_verbs_server *server);

uint16_t iw_verbs_server_port(const struct iw_verbs_server *server);

/* Waits until a descriptor is ready, a timeout expires or a signal arrives, and handles what is pending.
 * Returns false if the device is gone: all sessions have ended then, with their last events. */
bool iw_verbs_server_turn(struct iw_verbs_server *server);
