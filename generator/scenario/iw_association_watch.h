#ifndef IW_ASSOCIATION_WATCH_H
#define IW_ASSOCIATION_WATCH_H

#include <stdbool.h>

#include "iw_monitor.h"
#include "iw_recorder.h"
#include "iw_tcp_segment.h"

/* Watches the SCTP packets of one end, a link or a gate: they go to the recorder, and to the judge that a
 * checker of the capture has, too. */

struct iw_association_watch;

struct iw_association_watch_config {
    struct iw_recorder *recorder; /* NULL: nothing is recorded, and what is told has frames 0 */
    bool opener;                  /* the end opens its association; otherwise it waits for those of peers */
    bool disguised;               /* it was on no network: each packet is a microsecond later than without
                                     those before it */
    unsigned extensions;          /* set of enum iw_extension that the monitors know */
    /* A DDP Stream Session has begun: what its number is to be. */
    unsigned (*number)(void *user);
    void (*sink)(void *user, unsigned number, const struct iw_monitor_event *event);
    void *user;
};

/* NULL if there is no memory. */
struct iw_association_watch *iw_association_watch_new(const struct iw_association_watch_config *config);

/* An iw_sctp_tap; `watch` is a struct iw_association_watch. */
void iw_association_watch_packet(void *watch, const struct iw_tcp_segment *packet);

/* The comment of the packets that the end itself sends from now on, and of those that come to it; copied. */
void iw_association_watch_comment(
    struct iw_association_watch *watch, bool own, bool peers, const char *comment);

/* What crosses the end from now on is not looked at; what was left open is judged. */
void iw_association_watch_finish(struct iw_association_watch *watch);

/* NULL is allowed. */
void iw_association_watch_free(struct iw_association_watch *watch);

#endif
