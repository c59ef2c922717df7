#pragma once

#include "iw_monitor.h"
#include "iw_port.h"
#include "iw_recorder.h"

/* Watches one connection, of a scenario or of a relay: records its octets, and judges them with its own
 * monitor. */

struct iw_watch;

/* How to record a connection that has no real network. The watch adds 1 microsecond to a packet's time for
 * each frame recorded before it. */
struct iw_watch_disguise {
    uint32_t isn[2];         /* by enum iw_side */
    uint32_t segment_octets; /* the largest payload of a packet */
    /* Records and judges the connection as DDP over SCTP (iw_sctp_carrier.h); `isn` holds initial TSNs. */
    bool sctp;
};

struct iw_watch_config {
    struct iw_recorder *recorder;             /* NULL: no recording */
    const struct iw_watch_disguise *disguise; /* or NULL; copied */
    bool streaming;                           /* MPA may begin after octets of a different protocol */
    unsigned extensions;                      /* set of enum iw_extension that the monitor accepts */
    iw_monitor_sink *sink;
    void *user;
};

/* Begins to watch `port` as its tap. Returns NULL if memory runs out. */
struct iw_watch *iw_watch_new(struct iw_port *port, const struct iw_watch_config *config);

/* Watches a connection between these addresses (by enum iw_side), over TCP, whose chunks the user hands over
 * in the order of time; a chunk needs no frame. Returns NULL if memory runs out. */
struct iw_watch *iw_watch_new_apart(
    const struct iw_tcp_address addresses[2], const struct iw_watch_config *config);
void iw_watch_chunk(struct iw_watch *watch, const struct iw_chunk *chunk);

/* Judges what is still open. Call it after the last chunk. */
void iw_watch_finish(struct iw_watch *watch);
void iw_watch_free(struct iw_watch *watch);

/* Sets the comment of later packets that these sides of the connection (by enum iw_side) send. */
void iw_watch_comment(struct iw_watch *watch, const bool sides[2], const char *comment);
