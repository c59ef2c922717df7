#include "iw_check_workers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "iw_event_copy.h"

/* A batch is long enough for what it costs to wake a thread. */
enum { BATCH_ITEMS = 16384, BATCH_OCTETS = 1 << 19 };

/* A chunk on its way, or the end of a watch. */
struct item {
    struct iw_check_watch *watch;
    struct iw_chunk chunk;
    bool end;
};

/* While a batch is reported, each of its chunks may bring about an end. */
struct batch {
    struct item items[2 * BATCH_ITEMS];
    uint32_t count;
    uint8_t *octets;
    size_t used, capacity;
};

/* What a thread has to report. */
struct record {
    enum { EVENT, GIVEN_UP, END } kind;
    enum iw_lazy_monitor_state reason; /* GIVEN_UP */
    bool recognised;                   /* END */
    uint32_t item;
    struct iw_check_watch *watch;
    const struct iw_monitor_event *event; /* EVENT */
};

/* The connections of a thread, and what it has found in the batch. */
struct lane {
    struct iw_check_workers *crew;
    pthread_t thread;
    bool running;   /* a thread was started; otherwise the caller's thread does its work */
    uint64_t round; /* number of the latest round that it has finished */
    uint32_t item;  /* being judged */
    struct record *records;
    size_t record_count, record_capacity;
    size_t reported;
    bool failed; /* there was no memory for a record */
    struct iw_event_room room;
};

struct iw_check_workers {
    struct iw_check_workers_handlers handlers;
    void *user;
    struct batch batch[2];
    struct batch *filling, *judged; /* `judged` may be in the hands of the threads */
    struct lane *lanes;
    unsigned lane_count;
    pthread_mutex_t mutex;
    pthread_cond_t work, done;
    uint64_t round; /* of `judged` */
    unsigned busy;  /* threads that have not done with it */
    bool leave;
    bool started, reporting;
};

/* ---- on the threads ---- */

static void report(struct lane *lane, struct record record) {
    if (lane->record_count == lane->record_capacity) {
        size_t capacity = lane->record_capacity == 0 ? 64 : 2 * lane->record_capacity;
        struct record *larger = realloc(lane->records, capacity * sizeof *larger);

        if (!larger) {
            lane->failed = true;
            return;
        }
        lane->records = larger;
        lane->record_capacity = capacity;
    }
    record.item = lane->item;
    lane->records[lane->record_count++] = record;
}

void iw_check_workers_sink(void *user, const struct iw_monitor_event *event) {
    struct iw_check_watch *watch = user;
    struct lane *lane = watch->owner;
    struct iw_check_workers *crew = lane->crew;
    struct record record = {.kind = EVENT, .watch = watch};

    if (!iw_monitor_recognised(watch->lazy.monitor) || !crew->handlers.wanted(crew->user, watch, event))
        return;
    record.event = iw_event_copy(&lane->room, event);
    if (record.event)
        report(lane, record);
    else
        lane->failed = true;
}

static void judge(struct lane *lane, const struct item *item) {
    enum iw_lazy_monitor_state outcome;

    if (item->end) {
        bool recognised = iw_check_watch_finish(item->watch);

        report(lane, (struct record){.kind = END, .watch = item->watch, .recognised = recognised});
        return;
    }
    if (item->watch->lazy.state != IW_LAZY_MONITOR_OPEN)
        return;
    outcome = iw_check_watch_feed(item->watch, &item->chunk);
    if (outcome != IW_LAZY_MONITOR_OPEN)
        report(lane, (struct record){.kind = GIVEN_UP, .watch = item->watch, .reason = outcome});
}

static void judge_batch(struct lane *lane, const struct batch *batch) {
    for (uint32_t i = 0; i < batch->count; i++) {
        lane->item = i;
        if (batch->items[i].watch->owner == lane)
            judge(lane, &batch->items[i]);
    }
}

static void *run(void *user) {
    struct lane *lane = user;
    struct iw_check_workers *crew = lane->crew;

    pthread_mutex_lock(&crew->mutex);
    for (;;) {
        while (crew->round == lane->round && !crew->leave)
            pthread_cond_wait(&crew->work, &crew->mutex);
        if (crew->leave)
            break;
        lane->round = crew->round;
        pthread_mutex_unlock(&crew->mutex);
        judge_batch(lane, crew->judged);
        pthread_mutex_lock(&crew->mutex);
        if (--crew->busy == 0)
            pthread_cond_signal(&crew->done);
    }
    pthread_mutex_unlock(&crew->mutex);
    return NULL;
}

/* ---- on the caller's ---- */

static void deliver(struct iw_check_workers *crew, const struct record *record) {
    switch (record->kind) {
    case EVENT:
        crew->handlers.event(crew->user, record->watch, record->event);
        break;
    case GIVEN_UP:
        crew->handlers.given_up(crew->user, record->watch, record->reason);
        break;
    case END:
        crew->handlers.end(crew->user, record->watch, record->recognised);
        break;
    }
}

/* The lane whose next record is about the earliest item. */
static struct lane *next_to_report(struct iw_check_workers *crew) {
    struct lane *next = NULL;

    for (unsigned i = 0; i < crew->lane_count; i++) {
        struct lane *lane = &crew->lanes[i];

        if (lane->reported < lane->record_count &&
            (!next || lane->records[lane->reported].item < next->records[next->reported].item))
            next = lane;
    }
    return next;
}

static void report_all(struct iw_check_workers *crew) {
    struct lane *lane;

    while ((lane = next_to_report(crew)) != NULL)
        deliver(crew, &lane->records[lane->reported++]);
    for (unsigned i = 0; i < crew->lane_count; i++) {
        lane = &crew->lanes[i];
        if (lane->failed)
            crew->handlers.no_memory(crew->user);
        lane->failed = false;
        lane->record_count = lane->reported = 0;
        iw_event_room_clear(&lane->room);
    }
}

static void await(struct iw_check_workers *crew) {
    pthread_mutex_lock(&crew->mutex);
    while (crew->busy > 0)
        pthread_cond_wait(&crew->done, &crew->mutex);
    pthread_mutex_unlock(&crew->mutex);
}

/* The caller's thread judges the first batch before it starts other threads. These begin with the next round
 * and do not judge earlier rounds again. */
static void start(struct iw_check_workers *crew) {
    crew->started = true;
    for (unsigned i = 0; i < crew->lane_count; i++) {
        struct lane *lane = &crew->lanes[i];

        lane->round = crew->round;
        lane->running = pthread_create(&lane->thread, NULL, run, lane) == 0;
    }
}

/* Hands the threads what was gathered, and judges what none of them will. */
static void hand_over(struct iw_check_workers *crew) {
    struct batch *judged = crew->judged;

    pthread_mutex_lock(&crew->mutex);
    crew->judged = crew->filling;
    crew->filling = judged;
    crew->round++;
    for (unsigned i = 0; i < crew->lane_count; i++)
        crew->busy += crew->lanes[i].running;
    pthread_cond_broadcast(&crew->work);
    pthread_mutex_unlock(&crew->mutex);
    for (unsigned i = 0; i < crew->lane_count; i++)
        if (!crew->lanes[i].running)
            judge_batch(&crew->lanes[i], crew->judged);
    crew->filling->count = 0;
    crew->filling->used = 0;
}

static void settle(struct iw_check_workers *crew) {
    await(crew);
    crew->reporting = true;
    report_all(crew);
    crew->reporting = false;
}

static bool is_full(const struct batch *batch, size_t octets) {
    return batch->count >= BATCH_ITEMS || (batch->used > 0 && batch->capacity - batch->used < octets);
}

void iw_check_workers_turn(struct iw_check_workers *crew) {
    if (!crew->started)
        start(crew);
    settle(crew);
    hand_over(crew);
}

/* Room for an item with so many octets in the batch that is being filled. */
static bool make_room(struct iw_check_workers *crew, size_t octets) {
    struct batch *batch = crew->filling;
    uint8_t *larger;

    if (is_full(batch, octets)) {
        iw_check_workers_turn(crew);
        batch = crew->filling;
    }
    if (batch->capacity >= octets)
        return true;
    larger = realloc(batch->octets, octets > BATCH_OCTETS ? octets : BATCH_OCTETS);
    if (!larger)
        return false;
    batch->octets = larger;
    batch->capacity = octets > BATCH_OCTETS ? octets : BATCH_OCTETS;
    return true;
}

bool iw_check_workers_chunk(
    struct iw_check_workers *crew, struct iw_check_watch *watch, const struct iw_chunk *chunk, bool stays) {
    size_t octets = chunk->octets && !stays ? chunk->length : 0;
    struct batch *batch;
    struct item *item;

    if (!make_room(crew, octets))
        return false;
    if (!watch->flow)
        return true; /* it was given up in the batch before */
    batch = crew->filling;
    item = &batch->items[batch->count++];
    *item = (struct item){.watch = watch, .chunk = *chunk};
    if (octets > 0) {
        item->chunk.octets = memcpy(batch->octets + batch->used, chunk->octets, octets);
        batch->used += octets;
    }
    return true;
}

void iw_check_workers_end(struct iw_check_workers *crew, struct iw_check_watch *watch) {
    if (!crew->reporting)
        make_room(crew, 0);
    crew->filling->items[crew->filling->count++] = (struct item){.watch = watch, .end = true};
}

void iw_check_workers_finish(struct iw_check_workers *crew) {
    settle(crew);
    while (crew->filling->count > 0) {
        hand_over(crew);
        settle(crew);
    }
}

/* ---- the crew ---- */

void *iw_check_workers_lane(struct iw_check_workers *crew, const struct iw_tcp_flow *flow) {
    return &crew->lanes[flow->id % crew->lane_count];
}

struct iw_check_workers *iw_check_workers_new(
    unsigned threads, const struct iw_check_workers_handlers *handlers, void *user) {
    struct iw_check_workers *crew = calloc(1, sizeof *crew);
    struct lane *lanes = calloc(threads, sizeof *lanes);

    if (!crew || !lanes) {
        free(crew);
        free(lanes);
        return NULL;
    }
    crew->handlers = *handlers;
    crew->user = user;
    crew->filling = &crew->batch[0];
    crew->judged = &crew->batch[1];
    crew->lanes = lanes;
    crew->lane_count = threads;
    for (unsigned i = 0; i < threads; i++)
        lanes[i].crew = crew;
    pthread_mutex_init(&crew->mutex, NULL);
    pthread_cond_init(&crew->work, NULL);
    pthread_cond_init(&crew->done, NULL);
    return crew;
}

void iw_check_workers_free(struct iw_check_workers *crew) {
    if (!crew)
        return;
    await(crew);
    pthread_mutex_lock(&crew->mutex);
    crew->leave = true;
    pthread_cond_broadcast(&crew->work);
    pthread_mutex_unlock(&crew->mutex);
    for (unsigned i = 0; i < crew->lane_count; i++) {
        if (crew->lanes[i].running)
            pthread_join(crew->lanes[i].thread, NULL);
        free(crew->lanes[i].records);
        iw_event_room_dispose(&crew->lanes[i].room);
    }
    pthread_cond_destroy(&crew->work);
    pthread_cond_destroy(&crew->done);
    pthread_mutex_destroy(&crew->mutex);
    free(crew->batch[0].octets);
    free(crew->batch[1].octets);
    free(crew->lanes);
    free(crew);
}
