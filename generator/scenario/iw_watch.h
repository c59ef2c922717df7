#ifndef IW_WATCH_H
#define IW_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_monitor.h"
#include "iw_port.h"
#include "iw_recorder.h"

/* Watches one connection of a scenario: what crosses it goes to the recorder and to a monitor of its own. */

struct iw_watch;

/* How a watch shows a connection that was on no network: each packet a microsecond later than without those
 * before it. */
struct iw_watch_disguise {
    uint32_t isn[2];         /* by enum iw_side */
    uint32_t segment_octets; /* the largest payload of a packet */
    bool sctp; /* as DDP over SCTP (iw_sctp_carrier.h): the monitor judges that. `isn` are TSNs */
};

struct iw_watch_config {
    struct iw_recorder *recorder;             /* NULL: nothing is recorded */
    const struct iw_watch_disguise *disguise; /* NULL: none. Copied */
    bool streaming;                           /* MPA may begin behind octets of another protocol */
    unsigned extensions;                      /* set of enum iw_extension that the monitor knows */
    iw_monitor_sink *sink;
    void *user;
};

/* Begins to watch `port`, as its tap. NULL if there is no memory. */
struct iw_watch *iw_watch_new(struct iw_port *port, const struct iw_watch_config *config);

/* No more chunks come (the port is freed): the monitor judges what was left open. */
void iw_watch_finish(struct iw_watch *watch);
void iw_watch_free(struct iw_watch *watch);

/* The comment of the packets that `sides` of the connection (by enum iw_side) send from now on. */
void iw_watch_comment(struct iw_watch *watch, const bool sides[2], const char *comment);

#endif
