#include "iw_load.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "iw_load_state.h"

enum {
    PENDING_MAX = 64, /* connections being opened at the same time */
    WATCH_US = 50000,
    TICK_US = 1000, /* timers of a real loop have milliseconds */
    CLOSE_NS = 2000000000,
};

static void load_schedule(struct iw_load *load);

void iw_load_fail(struct iw_load *load, const char *format, ...) {
    struct iw_load_result *result = &load->result;
    char text[IW_LOAD_TEXT_OCTETS];
    va_list arguments;
    unsigned kind = 0;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    result->error_count++;
    while (kind < result->error_kinds && strcmp(result->errors[kind].text, text) != 0)
        kind++;
    if (kind == IW_LOAD_ERRORS_MAX - 1)
        strcpy(text, "others");
    if (kind == IW_LOAD_ERRORS_MAX)
        kind--;
    if (kind == result->error_kinds)
        memcpy(result->errors[result->error_kinds++].text, text, sizeof text);
    result->errors[kind].count++;
    if (result->phase == IW_LOAD_OPENING)
        load_schedule(load);
}

static void load_finish(struct iw_load *load) {
    load->result.phase = IW_LOAD_OVER;
    iw_timer_stop(&load->watch);
    iw_loop_stop(load->config.loop);
}

static void load_close_all(struct iw_load *load) {
    load->result.phase = IW_LOAD_CLOSING;
    load->begun_ns = uv_hrtime();
    iw_timer_stop(&load->tick);
    for (size_t i = 0; i < load->begun_links; i++)
        if (load->links[i].endpoint != NULL)
            iw_endpoint_close(load->links[i].endpoint);
    if (load->live_links == 0)
        load_schedule(load);
}

static void load_end_running(struct iw_load *load) {
    load->result.running_ns = uv_hrtime() - load->begun_ns;
    load_close_all(load);
}

static void load_check_all(struct iw_load *load) {
    load->result.phase = IW_LOAD_CHECKING;
    if (load->config.verify_every > 0)
        for (size_t i = 0; i < load->begun_links; i++)
            iw_load_link_check(&load->links[i]);
    if (load->busy == 0)
        load_end_running(load);
}

static void load_continue(struct iw_load *load) {
    if (load->result.phase == IW_LOAD_RUNNING && load->live_links == 0)
        load->result.phase = IW_LOAD_DRAINING;
    if (load->busy > 0)
        return;
    if (load->result.phase == IW_LOAD_DRAINING)
        load_check_all(load);
    else if (load->result.phase == IW_LOAD_CHECKING)
        load_end_running(load);
}

void iw_load_idle(struct iw_load *load) {
    if (load->busy == 0 && (load->result.phase > IW_LOAD_RUNNING || load->live_links == 0))
        load_schedule(load);
}

static void load_drain(struct iw_load *load) {
    load->result.phase = IW_LOAD_DRAINING;
    iw_load_idle(load);
}

/* When the next operation is due at the configured rate. */
static uint64_t load_due_ns(const struct iw_load *load) {
    return load->begun_ns + (uint64_t)((double)load->begun * 1e9 / load->config.rate);
}

/* With a rate, takes an operation only if it was due at the last tick. Its latency counts from the time when
 * it was due, and so includes the wait for a free slot. */
bool iw_load_take(struct iw_load *load, uint64_t now_ns, uint64_t *begun_ns) {
    *begun_ns = now_ns;
    if (load->result.phase != IW_LOAD_RUNNING)
        return false;
    if (load->config.rate > 0) {
        uint64_t due = load_due_ns(load);

        if (due > load->ticked_ns)
            return false;
        *begun_ns = due;
    }
    load->begun++;
    if (load->config.count > 0 && load->begun == load->config.count)
        load_drain(load);
    return true;
}

/* Begins the operations that are due, while slots are free. Their latency counts from this tick. */
static void load_take_tick(void *user) {
    struct iw_load *load = user;
    uint64_t now_ns = uv_hrtime();
    size_t passed = 0;

    load->ticked_ns = now_ns;
    while (
        passed < load->begun_links && load->result.phase == IW_LOAD_RUNNING && load_due_ns(load) <= now_ns) {
        struct iw_load_link *link = &load->links[load->next_link];
        uint64_t due;

        load->next_link = (load->next_link + 1) % load->begun_links;
        passed++;
        if (link->phase != IW_LOAD_LINK_READY || link->idle_count == 0 || !iw_load_take(load, now_ns, &due))
            continue;
        iw_load_link_begin(link, now_ns);
        passed = 0;
    }
    if (load->result.phase == IW_LOAD_RUNNING)
        iw_timer_start(&load->tick, load->config.loop, TICK_US, load_take_tick, load);
}

static void load_run(struct iw_load *load) {
    uint64_t now_ns = uv_hrtime();

    load->result.phase = IW_LOAD_RUNNING;
    load->result.opening_ns = now_ns - load->begun_ns;
    load->begun_ns = now_ns;
    if (load->config.rate > 0) {
        load_take_tick(load);
        return;
    }
    for (size_t i = 0; i < load->begun_links; i++)
        iw_load_link_fill(&load->links[i], load->begun_ns);
}

/* Opens connections. If there is an area that all connections read, the first connection writes it before
 * the others open. When all are open, starts the operations; after an error, closes all. */
static void load_open_links(struct iw_load *load) {
    size_t most = load->result.opened == 0 && load->layout.area > 0 ? 1 : PENDING_MAX;

    while (load->begun_links < load->config.connections && load->pending_links < most &&
           load->result.error_count == 0) {
        load->pending_links++;
        load->live_links++;
        iw_load_link_open(&load->links[load->begun_links++]);
    }
    if (load->pending_links > 0 && load->result.error_count == 0)
        return;
    if (load->result.error_count == 0)
        load_run(load);
    else
        load_close_all(load);
}

static void load_take_turn(void *user) {
    struct iw_load *load = user;

    if (load->result.phase == IW_LOAD_OPENING)
        load_open_links(load);
    else if (load->result.phase < IW_LOAD_CLOSING)
        load_continue(load);
    else if (load->result.phase == IW_LOAD_CLOSING && load->live_links == 0)
        load_finish(load);
}

static void load_schedule(struct iw_load *load) {
    if (!iw_timer_runs(&load->turn))
        iw_timer_start(&load->turn, load->config.loop, 0, load_take_turn, load);
}

void iw_load_link_opened(struct iw_load_link *link) {
    struct iw_load *load = link->load;

    load->pending_links--;
    load->result.opened++;
    load_schedule(load);
}

void iw_load_link_gone(struct iw_load_link *link) {
    link->load->live_links--;
    load_schedule(link->load);
}

static void load_check_stalled(struct iw_load *load, uint64_t now_ns) {
    uint64_t timeout_ns = (uint64_t)load->config.timeout_ms * 1000000;

    for (size_t i = 0; i < load->begun_links; i++) {
        struct iw_load_link *link = &load->links[i];
        bool waits = link->phase < IW_LOAD_LINK_READY ||
                     (link->phase == IW_LOAD_LINK_READY && link->idle_count < load->config.depth);

        if (!waits || now_ns < link->moved_ns + timeout_ns)
            continue;
        if (link->echo_count > 0 && load->result.ops[IW_LOAD_SEND].count == 0)
            iw_load_fail(
                load, "no echo within %u ms: use 'serve --echo', or --no-echo", load->config.timeout_ms);
        else
            iw_load_fail(load, "no answer within %u ms", load->config.timeout_ms);
        iw_load_link_end(link);
    }
}

static void load_take_watch(void *user) {
    struct iw_load *load = user;
    uint64_t now_ns = uv_hrtime();

    iw_timer_start(&load->watch, load->config.loop, WATCH_US, load_take_watch, load);
    if (load->result.phase == IW_LOAD_RUNNING && load->config.duration_ms > 0 &&
        now_ns - load->begun_ns >= (uint64_t)load->config.duration_ms * 1000000)
        load_drain(load);
    if (load->result.phase < IW_LOAD_CLOSING)
        load_check_stalled(load, now_ns);
    else if (now_ns - load->begun_ns > CLOSE_NS)
        for (size_t i = 0; i < load->begun_links; i++)
            iw_load_link_end(&load->links[i]);
}

/* Pseudo-random octets (xorshift64), the same in every run. */
static void load_fill_pattern(uint8_t *octets, size_t count) {
    uint64_t state = 88172645463325252u;

    for (size_t i = 0; i < count; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        octets[i] = (uint8_t)(state >> 32);
    }
}

static bool load_make_links(struct iw_load *load) {
    const struct iw_load_config *config = &load->config;

    load->links = calloc(config->connections, sizeof *load->links);
    for (size_t i = 0; load->links != NULL && i < config->connections; i++) {
        struct iw_load_link *link = &load->links[i];

        *link = (struct iw_load_link){.load = load, .number = i, .idle_count = config->depth};
        link->slots = calloc(config->depth, sizeof *link->slots);
        link->idle = calloc(config->depth, sizeof *link->idle);
        link->echoes = calloc(config->depth, sizeof *link->echoes);
        if (link->slots == NULL || link->idle == NULL || link->echoes == NULL)
            return false;
        for (unsigned j = 0; j < config->depth; j++)
            link->idle[j] = config->depth - 1 - j;
    }
    return load->links != NULL;
}

void iw_load_atomic_value(const struct iw_load *load, uint32_t shift, uint8_t octets[sizeof(uint64_t)]) {
    for (unsigned i = 0; i < sizeof(uint64_t) / 2; i++)
        octets[i] = octets[sizeof(uint64_t) - 1 - i] = load->pattern[shift + i];
}

static bool load_make_memory(struct iw_load *load) {
    size_t pattern = (size_t)load->layout.largest + IW_LOAD_SHIFTS;

    load->pattern = malloc(pattern);
    load->memory = iw_memory_new();
    if (load->pattern == NULL || load->memory == NULL)
        return false;
    load_fill_pattern(load->pattern, pattern);
    load->sink = iw_memory_register(load->memory, 0, 0, load->layout.local_octets, 0);
    return load->sink != NULL;
}

struct iw_load *iw_load_new(const struct iw_load_config *config) {
    struct iw_load *load = calloc(1, sizeof *load);

    if (load == NULL)
        return NULL;
    load->config = *config;
    load->layout = iw_load_layout_of(config);
    load->begun_ns = uv_hrtime();
    if (!load_make_links(load) || !load_make_memory(load)) {
        iw_load_free(load);
        return NULL;
    }
    load_schedule(load);
    iw_timer_start(&load->watch, config->loop, WATCH_US, load_take_watch, load);
    return load;
}

void iw_load_free(struct iw_load *load) {
    if (load == NULL)
        return;
    iw_timer_stop(&load->watch);
    iw_timer_stop(&load->tick);
    iw_timer_stop(&load->turn);
    for (size_t i = 0; load->links != NULL && i < load->config.connections; i++) {
        iw_endpoint_free(load->links[i].endpoint);
        free(load->links[i].slots);
        free(load->links[i].idle);
        free(load->links[i].echoes);
    }
    free(load->links);
    iw_memory_free(load->memory);
    free(load->pattern);
    free(load);
}

void iw_load_stop(struct iw_load *load) {
    if (load->result.phase == IW_LOAD_OPENING)
        load_close_all(load);
    else if (load->result.phase == IW_LOAD_RUNNING)
        load_drain(load);
}

const struct iw_load_result *iw_load_result(struct iw_load *load) {
    if (load->result.phase >= IW_LOAD_RUNNING && load->result.phase < IW_LOAD_CLOSING)
        load->result.running_ns = uv_hrtime() - load->begun_ns;
    return &load->result;
}
