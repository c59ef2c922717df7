#pragma once

#include "iw_monitor.h"
#include "iw_recorder.h"

/* Watches the SCTP packets of a link or a listener: records them and judges them as `check` does. */

struct iw_association_watch;

struct iw_association_watch_config {
    struct iw_recorder *recorder; /* NULL: records nothing and reports frame 0 */
    bool opener;                  /* this end opens its association; otherwise it accepts associations */
    bool disguised;      /* adds 1 microsecond to a packet's time for each frame recorded before it */
    unsigned extensions; /* set of enum iw_extension that the monitors accept */
    /* A DDP Stream Session begins. Returns its number, which is passed to `sink`. */
    unsigned (*number)(void *user);
    void (*sink)(void *user, unsigned number, const struct iw_monitor_event *event);
    void *user;
};

/* Returns NULL if memory runs out. */
struct iw_association_watch *iw_association_watch_new(const struct iw_association_watch_config *config);

/* Takes a packet (iw_sctp_tap). `watch`: a struct iw_association_watch. */
void iw_association_watch_packet(void *watch, const struct iw_tcp_segment *packet);

/* Sets the comment of later packets: those that this end sends (`own`), or receives (`peers`). Copies it. */
void iw_association_watch_comment(
    struct iw_association_watch *watch, bool own, bool peers, const char *comment);

/* Stops watching, and judges the sessions that are still open. */
void iw_association_watch_finish(struct iw_association_watch *watch);

/* NULL is allowed. */
void iw_association_watch_free(struct iw_association_watch *watch);
