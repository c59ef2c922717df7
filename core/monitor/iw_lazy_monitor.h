#pragma once

#include "iw_monitor.h"

/* A monitor that is created with the first octets or gap of its connection: a capture may contain many
 * connections without octets, and a monitor is large. Earlier chunks are stored. The monitor is freed if its
 * connection can never become MPA. The sink gets no event before the connection is known to be MPA, as the
 * first octets may be anything; then it gets the stored events first. */

/* Limit of stored chunks: a START, a FIN and a RST of each side. The next chunk creates the monitor. */
enum { IW_LAZY_MONITOR_EARLY_MAX = 6 };

/* Limit of stored events. All are LOSS or CLOSE, because any other event shows MPA. A side has at most one
 * LOSS when reading ends, and one LOSS and one CLOSE at each of FIN, RST and the end of the input. */
enum { IW_LAZY_MONITOR_EVENTS_MAX = 16 };

enum iw_lazy_monitor_state {
    IW_LAZY_MONITOR_OPEN,      /* takes more chunks */
    IW_LAZY_MONITOR_HOPELESS,  /* the connection can never become MPA: ignores more chunks */
    IW_LAZY_MONITOR_NO_MEMORY, /* memory ran out before MPA was known: ignores more chunks */
};

struct iw_lazy_monitor_event;

struct iw_lazy_monitor {
    const struct iw_monitor_config *config; /* the caller's; outlives the struct */
    iw_monitor_sink *sink;
    void *user;
    struct iw_monitor *monitor; /* NULL before the first octets or gap, and when it has been freed */
    struct iw_chunk *early;     /* stored chunks; NULL before the first, and once the monitor took them */
    struct iw_lazy_monitor_event *events; /* stored events; NULL before the first, and once delivered */
    unsigned char early_count;
    unsigned char event_count;
    unsigned char state; /* enum iw_lazy_monitor_state */
    bool recognised;     /* the connection is known to be MPA */
    bool events_lost;    /* memory ran out for an event */
};

/* `sink` takes `user`, as with iw_monitor_new. The struct must not move afterwards. If `config` expects MPA
 * (mpa.expected), the monitor is created with the first chunk, and the sink gets every event at once. */
void iw_lazy_monitor_init(
    struct iw_lazy_monitor *lazy, const struct iw_monitor_config *config, iw_monitor_sink *sink, void *user);
void iw_lazy_monitor_dispose(struct iw_lazy_monitor *lazy);

/* Creates the monitor if `chunk`, which is fed next, needs it. iw_lazy_monitor_feed does so too; this is for
 * a caller whose sink uses lazy->monitor. If memory runs out, the state becomes NO_MEMORY. */
void iw_lazy_monitor_wake(struct iw_lazy_monitor *lazy, const struct iw_chunk *chunk);

/* Takes the next chunk, as iw_monitor_feed. If it returns a state other than OPEN, the monitor is freed. */
enum iw_lazy_monitor_state iw_lazy_monitor_feed(struct iw_lazy_monitor *lazy, const struct iw_chunk *chunk);

/* Like iw_mpa_memory and iw_mpa_end_reading. Without a monitor, they return 0, or the state. */
size_t iw_lazy_monitor_memory(const struct iw_lazy_monitor *lazy, enum iw_side side);
enum iw_lazy_monitor_state iw_lazy_monitor_end_reading(struct iw_lazy_monitor *lazy, enum iw_side side);

/* Ends the input. Returns whether the connection is MPA. If `state` is NO_MEMORY then, memory ran out: events
 * are lost, or the connection may be MPA although false is returned. */
bool iw_lazy_monitor_finish(struct iw_lazy_monitor *lazy);
