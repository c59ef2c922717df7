#include "iw_check_workers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_event_copy.h"
#include "iw_placement.h"

/* Maximum size of a batch: large enough to be worth waking the threads. */
enum { BATCH_ITEMS = 16384, BATCH_OCTETS = 1 << 19 };

/* The caller's thread judges a batch of fewer items: the next batch might have to wait for woken threads. */
enum { WAKE_ITEMS = 64 };

/* A piece of work: a chunk to judge, the end of reading a side, or the end of a connection. */
struct item {
    struct iw_check_watch *watch;
    struct iw_chunk chunk; /* CHUNK; END_READING: only its `side` */
    enum { CHUNK, END_READING, END_WATCH } kind;
};

struct batch {
    struct item items[BATCH_ITEMS];
    uint32_t count;
    uint64_t epoch;  /* epoch of all items */
    uint64_t growth; /* upper bound of the growth of iw_check_workers_memory by its chunks */
    uint8_t *octets;
    size_t used, capacity;
};

/* A report for the caller's thread: an event, that a watch gave up, or its end. */
struct record {
    enum { EVENT, GIVEN_UP, END } kind;
    enum iw_lazy_monitor_state reason; /* GIVEN_UP */
    uint32_t item;
    struct iw_check_watch *watch;
    const struct iw_monitor_event *event; /* EVENT */
};

/* The connections of one worker thread, and what its judging of the current batch gave to report. */
struct lane {
    struct iw_check_workers *workers;
    pthread_t thread;
    bool running;   /* the thread exists; otherwise the caller's thread judges the lane */
    uint64_t round; /* the latest round that the thread has begun */
    uint32_t item;  /* index in the batch of the item being judged */
    struct record *records;
    size_t record_count;
    uint32_t record_capacity;
    size_t reported;
    uint64_t kept;                     /* sum of `kept` of its watches */
    bool failed;                       /* memory ran out for a record or its event */
    LIST_HEAD(, iw_check_watch) ended; /* memory ran out for the records of their ends */
    struct iw_event_arena arena;
};

struct iw_check_workers {
    struct iw_check_workers_handlers handlers;
    void *user;
    struct batch batch[2];
    struct batch *filling, *judged; /* `filling` gets the new items; the threads judge `judged` */
    struct lane *lanes;
    unsigned lane_count;
    pthread_mutex_t mutex;
    pthread_cond_t work, done;
    uint64_t kept;  /* sum of `kept` of the lanes, without the chunks of `judged` and `filling` */
    uint64_t round; /* number of batches given to the threads so far */
    unsigned busy;  /* number of threads that have not finished `judged` */
    bool leave;
    bool started;
};

/* ---- functions of the worker threads ---- */

static bool workers_lane_record(struct lane *lane, struct record record) {
    if (!iw_array_reserve(&lane->records, &lane->record_capacity, lane->record_count + 1, sizeof record)) {
        lane->failed = true;
        return false;
    }
    record.item = lane->item;
    lane->records[lane->record_count++] = record;
    return true;
}

static void workers_lane_end(struct lane *lane, struct iw_check_watch *watch) {
    watch->recognised = iw_lazy_monitor_finish(&watch->lazy);
    lane->kept -= watch->kept[IW_SIDE_A] + watch->kept[IW_SIDE_B];
    if (!workers_lane_record(lane, (struct record){.kind = END, .watch = watch}))
        LIST_INSERT_HEAD(&lane->ended, watch, same_epoch);
}

void iw_check_workers_sink(void *user, const struct iw_monitor_event *event) {
    struct iw_check_watch *watch = user;
    struct lane *lane = watch->owner;
    struct iw_check_workers *workers = lane->workers;
    struct record record = {.kind = EVENT, .watch = watch};

    if (!workers->handlers.wanted(workers->user, watch, event))
        return;
    record.event = iw_event_copy(&lane->arena, event);
    if (record.event)
        workers_lane_record(lane, record);
    else
        lane->failed = true;
}

static void workers_lane_judge(struct lane *lane, const struct item *item) {
    struct iw_check_watch *watch = item->watch;
    enum iw_lazy_monitor_state outcome;

    if (item->kind == END_WATCH) {
        workers_lane_end(lane, watch);
        return;
    }
    if (watch->lazy.state != IW_LAZY_MONITOR_OPEN)
        return;
    outcome = item->kind == END_READING ? iw_check_watch_end_reading(watch, item->chunk.side)
                                        : iw_check_watch_feed(watch, &item->chunk);
    lane->kept += (uint64_t)iw_check_watch_growth(watch, item->chunk.side);
    if (outcome != IW_LAZY_MONITOR_OPEN)
        workers_lane_record(lane, (struct record){.kind = GIVEN_UP, .watch = watch, .reason = outcome});
}

static void workers_judge_batch(struct lane *lane, const struct batch *batch) {
    for (uint32_t i = 0; i < batch->count; i++) {
        lane->item = i;
        if (batch->items[i].watch->owner == lane)
            workers_lane_judge(lane, &batch->items[i]);
    }
}

static void *workers_lane_run(void *user) {
    struct lane *lane = user;
    struct iw_check_workers *workers = lane->workers;

    pthread_mutex_lock(&workers->mutex);
    for (;;) {
        while (workers->round == lane->round && !workers->leave)
            pthread_cond_wait(&workers->work, &workers->mutex);
        if (workers->leave)
            break;
        lane->round = workers->round;
        pthread_mutex_unlock(&workers->mutex);
        workers_judge_batch(lane, workers->judged);
        pthread_mutex_lock(&workers->mutex);
        if (--workers->busy == 0)
            pthread_cond_signal(&workers->done);
    }
    pthread_mutex_unlock(&workers->mutex);
    return NULL;
}

/* ---- functions of the caller's thread ---- */

static void workers_deliver(struct iw_check_workers *workers, const struct record *record) {
    switch (record->kind) {
    case EVENT:
        workers->handlers.event(workers->user, record->watch, record->event);
        break;
    case GIVEN_UP:
        workers->handlers.given_up(workers->user, record->watch, record->reason, workers->judged->epoch);
        break;
    case END:
        workers->handlers.end(workers->user, record->watch, record->watch->recognised);
        break;
    }
}

/* Returns the lane whose next record is about the earliest item; NULL if all records are reported. */
static struct lane *workers_next_to_report(struct iw_check_workers *workers) {
    struct lane *next = NULL;

    for (unsigned i = 0; i < workers->lane_count; i++) {
        struct lane *lane = &workers->lanes[i];

        if (lane->reported < lane->record_count &&
            (!next || lane->records[lane->reported].item < next->records[next->reported].item))
            next = lane;
    }
    return next;
}

static void workers_report_all(struct iw_check_workers *workers) {
    struct iw_check_watch *watch;
    struct lane *lane;

    while ((lane = workers_next_to_report(workers)) != NULL)
        workers_deliver(workers, &lane->records[lane->reported++]);
    for (unsigned i = 0; i < workers->lane_count; i++) {
        lane = &workers->lanes[i];
        while ((watch = LIST_FIRST(&lane->ended)) != NULL) {
            LIST_REMOVE(watch, same_epoch);
            workers->handlers.end(workers->user, watch, watch->recognised);
        }
        if (lane->failed)
            workers->handlers.no_memory(workers->user);
        lane->failed = false;
        lane->record_count = lane->reported = 0;
        iw_event_arena_clear(&lane->arena);
    }
}

static void workers_await(struct iw_check_workers *workers) {
    pthread_mutex_lock(&workers->mutex);
    while (workers->busy > 0)
        pthread_cond_wait(&workers->done, &workers->mutex);
    pthread_mutex_unlock(&workers->mutex);
}

/* Starts the threads, at the first swap: a small capture needs none. They begin with the next round. */
static void workers_start(struct iw_check_workers *workers) {
    workers->started = true;
    for (unsigned i = 0; i < workers->lane_count; i++) {
        struct lane *lane = &workers->lanes[i];

        lane->round = workers->round;
        lane->running = pthread_create(&lane->thread, NULL, workers_lane_run, lane) == 0;
    }
}

/* Gives the filled batch to the threads. The caller's thread judges a small batch, and lanes without a
 * thread. */
static void workers_swap_batches(struct iw_check_workers *workers) {
    struct batch *judged = workers->judged;
    bool wake = workers->filling->count >= WAKE_ITEMS;

    pthread_mutex_lock(&workers->mutex);
    workers->judged = workers->filling;
    workers->filling = judged;
    workers->filling->epoch = workers->judged->epoch;
    workers->round += wake;
    for (unsigned i = 0; i < workers->lane_count; i++)
        workers->busy += wake && workers->lanes[i].running;
    if (wake)
        pthread_cond_broadcast(&workers->work);
    pthread_mutex_unlock(&workers->mutex);
    for (unsigned i = 0; i < workers->lane_count; i++)
        if (!wake || !workers->lanes[i].running)
            workers_judge_batch(&workers->lanes[i], workers->judged);
    workers->filling->count = 0;
    workers->filling->used = 0;
}

static void workers_report(struct iw_check_workers *workers) {
    workers_await(workers);
    workers->judged->growth = 0;
    workers->kept = 0;
    for (unsigned i = 0; i < workers->lane_count; i++)
        workers->kept += workers->lanes[i].kept;
    workers_report_all(workers);
}

static void workers_swap(struct iw_check_workers *workers) {
    if (!workers->started)
        workers_start(workers);
    workers_report(workers);
    workers_swap_batches(workers);
}

void iw_check_workers_swap(struct iw_check_workers *workers, uint64_t epoch) {
    workers_swap(workers);
    workers->filling->epoch = epoch;
}

/* Makes room for one more item with `octets` octets in the batch that is being filled. A full batch goes to
 * the threads first. Returns false if memory runs out. */
static bool workers_reserve(struct iw_check_workers *workers, size_t octets) {
    struct batch *batch = workers->filling;
    uint8_t *larger;

    if (batch->count >= BATCH_ITEMS || (batch->used > 0 && batch->capacity - batch->used < octets)) {
        workers_swap(workers);
        batch = workers->filling;
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

bool iw_check_workers_chunk(struct iw_check_workers *workers, struct iw_check_watch *watch,
    const struct iw_chunk *chunk, bool stays_valid) {
    size_t octets = chunk->octets && !stays_valid ? chunk->length : 0;
    struct batch *batch;
    struct item *item;

    if (!workers_reserve(workers, octets))
        return false;
    batch = workers->filling;
    item = &batch->items[batch->count++];
    *item = (struct item){.watch = watch, .chunk = *chunk};
    batch->growth += iw_check_workers_growth(chunk);
    if (octets > 0) {
        item->chunk.octets = memcpy(batch->octets + batch->used, chunk->octets, octets);
        batch->used += octets;
    }
    return true;
}

void iw_check_workers_end(struct iw_check_workers *workers, struct iw_check_watch *watch) {
    workers_reserve(workers, 0);
    workers->filling->items[workers->filling->count++] = (struct item){.watch = watch, .kind = END_WATCH};
}

void iw_check_workers_end_reading(
    struct iw_check_workers *workers, struct iw_check_watch *watch, enum iw_side side) {
    workers_reserve(workers, 0);
    workers->filling->items[workers->filling->count++] =
        (struct item){.watch = watch, .chunk.side = side, .kind = END_READING};
}

uint64_t iw_check_workers_memory(const struct iw_check_workers *workers) {
    return workers->kept + workers->judged->growth + workers->filling->growth;
}

uint64_t iw_check_workers_growth(const struct iw_chunk *chunk) {
    return chunk->kind == IW_CHUNK_DATA ? 2 * (uint64_t)chunk->length + IW_STORE_MEMORY_STEP : 0;
}

void iw_check_workers_finish(struct iw_check_workers *workers) {
    workers_report(workers);
    while (workers->filling->count > 0) {
        workers_swap_batches(workers);
        workers_report(workers);
    }
}

/* ---- creation and end of the workers ---- */

void *iw_check_workers_lane(struct iw_check_workers *workers, const struct iw_tcp_flow *flow) {
    return &workers->lanes[flow->id % workers->lane_count];
}

IW_COLD struct iw_check_workers *iw_check_workers_new(
    unsigned threads, const struct iw_check_workers_handlers *handlers, void *user) {
    struct iw_check_workers *workers = calloc(1, sizeof *workers);
    struct lane *lanes = calloc(threads, sizeof *lanes);

    if (!workers || !lanes) {
        free(workers);
        free(lanes);
        return NULL;
    }
    workers->handlers = *handlers;
    workers->user = user;
    workers->filling = &workers->batch[0];
    workers->judged = &workers->batch[1];
    workers->lanes = lanes;
    workers->lane_count = threads;
    for (unsigned i = 0; i < threads; i++)
        lanes[i].workers = workers;
    pthread_mutex_init(&workers->mutex, NULL);
    pthread_cond_init(&workers->work, NULL);
    pthread_cond_init(&workers->done, NULL);
    return workers;
}

IW_COLD void iw_check_workers_free(struct iw_check_workers *workers) {
    if (!workers)
        return;
    workers_await(workers);
    pthread_mutex_lock(&workers->mutex);
    workers->leave = true;
    pthread_cond_broadcast(&workers->work);
    pthread_mutex_unlock(&workers->mutex);
    for (unsigned i = 0; i < workers->lane_count; i++) {
        if (workers->lanes[i].running)
            pthread_join(workers->lanes[i].thread, NULL);
        free(workers->lanes[i].records);
        iw_event_arena_dispose(&workers->lanes[i].arena);
    }
    pthread_cond_destroy(&workers->work);
    pthread_cond_destroy(&workers->done);
    pthread_mutex_destroy(&workers->mutex);
    free(workers->batch[0].octets);
    free(workers->batch[1].octets);
    free(workers->lanes);
    free(workers);
}
