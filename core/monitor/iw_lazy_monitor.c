#include "iw_lazy_monitor.h"

#include <assert.h>
#include <stdlib.h>

#include "iw_array.h"
#include "iw_placement.h"

/* A stored event. All its pointers are NULL, except `event.llp`, which is set at delivery. */
struct iw_lazy_monitor_event {
    struct iw_monitor_event event;
    struct iw_llp_event llp;
};

void iw_lazy_monitor_init(
    struct iw_lazy_monitor *lazy, const struct iw_monitor_config *config, iw_monitor_sink *sink, void *user) {
    *lazy = (struct iw_lazy_monitor){.config = config, .sink = sink, .user = user};
}

void iw_lazy_monitor_dispose(struct iw_lazy_monitor *lazy) {
    iw_monitor_free(lazy->monitor);
    lazy->monitor = NULL;
    free(lazy->early);
    lazy->early = NULL;
    lazy->early_count = 0;
    free(lazy->events);
    lazy->events = NULL;
    lazy->event_count = 0;
}

IW_COLD static void lazy_monitor_keep_event(
    struct iw_lazy_monitor *lazy, const struct iw_monitor_event *event) {
    struct iw_lazy_monitor_event *kept;

    assert(event->llp->image == NULL && event->finding_count == 0);
    if (lazy->event_count == IW_LAZY_MONITOR_EVENTS_MAX)
        return;
    if (!iw_array_grow(&lazy->events, lazy->event_count, sizeof *lazy->events)) {
        lazy->events_lost = true;
        return;
    }
    kept = &lazy->events[lazy->event_count++];
    *kept = (struct iw_lazy_monitor_event){.event = *event, .llp = *event->llp};
    kept->event.findings = NULL;
}

/* Delivers the stored events once the connection is known to be MPA. */
static void lazy_monitor_recognise(struct iw_lazy_monitor *lazy) {
    if (lazy->recognised || !iw_monitor_recognised(lazy->monitor))
        return;
    lazy->recognised = true;
    iw_monitor_set_sink(lazy->monitor, lazy->sink, lazy->user);
    for (unsigned i = 0; i < lazy->event_count; i++) {
        lazy->events[i].event.llp = &lazy->events[i].llp;
        lazy->sink(lazy->user, &lazy->events[i].event);
    }
    free(lazy->events);
    lazy->events = NULL;
    lazy->event_count = 0;
}

static void lazy_monitor_on_event(void *user, const struct iw_monitor_event *event) {
    struct iw_lazy_monitor *lazy = user;

    lazy_monitor_recognise(lazy);
    if (lazy->recognised)
        lazy->sink(lazy->user, event);
    else
        lazy_monitor_keep_event(lazy, event);
}

static enum iw_lazy_monitor_state lazy_monitor_give_up(
    struct iw_lazy_monitor *lazy, enum iw_lazy_monitor_state state) {
    iw_lazy_monitor_dispose(lazy);
    lazy->state = (unsigned char)state;
    return state;
}

IW_HOT void iw_lazy_monitor_wake(struct iw_lazy_monitor *lazy, const struct iw_chunk *chunk) {
    bool known = lazy->config->mpa.expected;
    bool octets = chunk->kind == IW_CHUNK_DATA || chunk->kind == IW_CHUNK_GAP;

    if (lazy->monitor != NULL || lazy->state != IW_LAZY_MONITOR_OPEN ||
        (!known && !octets && lazy->early_count < IW_LAZY_MONITOR_EARLY_MAX))
        return;
    lazy->recognised = known;
    lazy->monitor = known ? iw_monitor_new(lazy->config, lazy->sink, lazy->user)
                          : iw_monitor_new(lazy->config, lazy_monitor_on_event, lazy);
    if (lazy->monitor == NULL)
        lazy_monitor_give_up(lazy, IW_LAZY_MONITOR_NO_MEMORY);
}

static bool lazy_monitor_keep_early(struct iw_lazy_monitor *lazy, const struct iw_chunk *chunk) {
    if (lazy->early == NULL)
        lazy->early = malloc(IW_LAZY_MONITOR_EARLY_MAX * sizeof *lazy->early);
    if (lazy->early == NULL)
        return false;
    assert(lazy->early_count < IW_LAZY_MONITOR_EARLY_MAX);
    lazy->early[lazy->early_count] = *chunk;
    lazy->early[lazy->early_count++].octets = NULL;
    return true;
}

static void lazy_monitor_feed_early(struct iw_lazy_monitor *lazy) {
    for (unsigned i = 0; i < lazy->early_count; i++)
        iw_monitor_feed(lazy->monitor, &lazy->early[i]);
    free(lazy->early);
    lazy->early = NULL;
    lazy->early_count = 0;
}

/* Frees the monitor if its connection can never become MPA, or if that is unknown because memory ran out. */
IW_HOT static enum iw_lazy_monitor_state lazy_monitor_settle(struct iw_lazy_monitor *lazy) {
    if (!lazy->recognised)
        lazy_monitor_recognise(lazy);
    if (lazy->recognised)
        return IW_LAZY_MONITOR_OPEN;
    if (lazy->events_lost || (iw_monitor_hopeless(lazy->monitor) && iw_monitor_failed(lazy->monitor)))
        return lazy_monitor_give_up(lazy, IW_LAZY_MONITOR_NO_MEMORY);
    if (iw_monitor_hopeless(lazy->monitor))
        return lazy_monitor_give_up(lazy, IW_LAZY_MONITOR_HOPELESS);
    return IW_LAZY_MONITOR_OPEN;
}

IW_HOT enum iw_lazy_monitor_state iw_lazy_monitor_feed(
    struct iw_lazy_monitor *lazy, const struct iw_chunk *chunk) {
    iw_lazy_monitor_wake(lazy, chunk);
    if (lazy->state != IW_LAZY_MONITOR_OPEN)
        return lazy->state;
    if (lazy->monitor == NULL)
        return lazy_monitor_keep_early(lazy, chunk) ? IW_LAZY_MONITOR_OPEN
                                                    : lazy_monitor_give_up(lazy, IW_LAZY_MONITOR_NO_MEMORY);
    if (lazy->early != NULL)
        lazy_monitor_feed_early(lazy);
    iw_monitor_feed(lazy->monitor, chunk);
    return lazy_monitor_settle(lazy);
}

size_t iw_lazy_monitor_memory(const struct iw_lazy_monitor *lazy, enum iw_side side) {
    return lazy->monitor != NULL ? iw_monitor_memory(lazy->monitor, side) : 0;
}

enum iw_lazy_monitor_state iw_lazy_monitor_end_reading(struct iw_lazy_monitor *lazy, enum iw_side side) {
    if (lazy->monitor == NULL)
        return lazy->state;
    iw_monitor_end_reading(lazy->monitor, side);
    return lazy_monitor_settle(lazy);
}

bool iw_lazy_monitor_finish(struct iw_lazy_monitor *lazy) {
    if (lazy->monitor == NULL)
        return false;
    iw_monitor_finish(lazy->monitor);
    lazy_monitor_recognise(lazy);
    if (lazy->events_lost || (!lazy->recognised && iw_monitor_failed(lazy->monitor)))
        lazy->state = IW_LAZY_MONITOR_NO_MEMORY;
    return lazy->recognised;
}
