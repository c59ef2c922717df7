#include "iw_endpoint_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"

enum { DEFAULT_STARTUP_MS = 10000, DEFAULT_CLOSE_MS = 5000 };

struct iw_endpoint_config iw_endpoint_config_default(bool initiator) {
    return (struct iw_endpoint_config){.initiator = initiator,
        .ird = IW_ENDPOINT_DEPTH,
        .ord = IW_ENDPOINT_DEPTH,
        .automatic = {.startup = true, .rtr = true, .responses = true, .terminate = true, .close = true}};
}

static void endpoint_fill_defaults(struct iw_endpoint_config *config) {
    if (config->revision == 0)
        config->revision = config->initiator ? 1 : 2;
    if (config->rtr == 0)
        config->rtr = IW_RTR_SEND | IW_RTR_WRITE | IW_RTR_READ;
    if (config->timeouts.startup_ms == 0)
        config->timeouts.startup_ms = DEFAULT_STARTUP_MS;
    if (config->timeouts.close_ms == 0)
        config->timeouts.close_ms = DEFAULT_CLOSE_MS;
}

const char *iw_end_name(enum iw_end end) {
    static const char *const names[] = {
        [IW_END_FIN] = "fin", [IW_END_RST] = "rst", [IW_END_FAILED] = "failed", [IW_END_TIMEOUT] = "timeout"};

    return names[end];
}

static void endpoint_destroy(struct iw_endpoint *endpoint) {
    iw_endpoint_posts_dispose(endpoint);
    iw_endpoint_completions_dispose(endpoint);
    iw_endpoint_reply_drop(endpoint);
    iw_endpoint_reply_dispose(endpoint);
    iw_fpdu_reader_dispose(&endpoint->input.reader);
    iw_sequence_dispose(&endpoint->input.sequence);
    iw_assembly_dispose(&endpoint->input.assembly);
    free(endpoint->startup.held);
    free(endpoint->output.merged);
    free(endpoint->input.buffers);
    if (endpoint->config.policy.end != NULL)
        endpoint->config.policy.end(endpoint->config.policy.user);
    free(endpoint);
}

void iw_endpoint_enter(struct iw_endpoint *endpoint) {
    if (endpoint->depth++ == 0)
        endpoint->now_ns = iw_loop_time_ns(endpoint->loop);
}

void iw_endpoint_exit(struct iw_endpoint *endpoint) {
    if (--endpoint->depth == 0 && endpoint->freed)
        endpoint_destroy(endpoint);
}

void iw_endpoint_free(struct iw_endpoint *endpoint) {
    if (endpoint == NULL)
        return;
    iw_endpoint_enter(endpoint);
    endpoint->freed = true;
    endpoint->phase = IW_PHASE_OVER;
    iw_memory_leave(&endpoint->stream);
    iw_timer_stop(&endpoint->startup.timer);
    iw_timer_stop(&endpoint->end.timer);
    iw_timer_stop(&endpoint->turn_timer);
    iw_timer_stop(&endpoint->replies.timer);
    if (endpoint->output.merged_octets > 0)
        iw_endpoint_fin(endpoint);
    iw_port_free(endpoint->port);
    endpoint->port = NULL;
    iw_endpoint_exit(endpoint);
}

void iw_endpoint_notify(struct iw_endpoint *endpoint, struct iw_event *event) {
    if (endpoint->freed)
        return;
    event->time_ns = endpoint->depth > 0 ? endpoint->now_ns : iw_loop_time_ns(endpoint->loop);
    endpoint->sink(endpoint->user, endpoint, event);
}

static void endpoint_report_closed(
    struct iw_endpoint *endpoint, enum iw_end end, const char *text, bool pending) {
    struct iw_event event = {
        .kind = IW_EVENT_CLOSED, .error = IW_NO_ERROR, .end = end, .text = text, .pending = pending};

    if (endpoint->end.reported)
        return;
    endpoint->end.reported = true;
    iw_memory_leave(&endpoint->stream);
    iw_timer_stop(&endpoint->startup.timer);
    iw_timer_stop(&endpoint->end.timer);
    iw_endpoint_notify(endpoint, &event);
}

static void endpoint_on_turn(void *user) {
    struct iw_endpoint *endpoint = user;
    struct iw_endpoint_post *post;

    iw_endpoint_enter(endpoint);
    iw_endpoint_settle(endpoint);
    while (!endpoint->freed && (post = iw_post_list_pop(&endpoint->posts.flushed)) != NULL)
        iw_endpoint_post_flushed(endpoint, post);
    iw_endpoint_receive_held(endpoint);
    iw_endpoint_pump(endpoint);
    if (endpoint->end.half_closed && endpoint->end.fin_sent)
        endpoint_report_closed(endpoint, IW_END_FIN, endpoint->end.text, false);
    iw_endpoint_exit(endpoint);
}

void iw_endpoint_schedule(struct iw_endpoint *endpoint) {
    if (!iw_timer_runs(&endpoint->turn_timer) && !endpoint->freed)
        iw_timer_start(&endpoint->turn_timer, endpoint->loop, 0, endpoint_on_turn, endpoint);
}

void iw_endpoint_pump_late(struct iw_endpoint *endpoint) {
    if (!iw_timer_runs(&endpoint->replies.timer) && !endpoint->freed)
        iw_timer_start(&endpoint->replies.timer, endpoint->loop, endpoint->config.policy.response_delay_us,
            endpoint_on_turn, endpoint);
}

void iw_endpoint_flush(struct iw_endpoint *endpoint) {
    struct iw_endpoint_post *post;

    while ((post = iw_post_list_pop(&endpoint->posts.outstanding)) != NULL)
        iw_post_list_push(&endpoint->posts.flushed, post);
    while ((post = iw_post_list_pop(&endpoint->posts.queued)) != NULL)
        iw_post_list_push(&endpoint->posts.flushed, post);
    endpoint->posts.unsent = 0;
    iw_endpoint_reply_drop(endpoint);
    if (endpoint->posts.flushed.count > 0)
        iw_endpoint_schedule(endpoint);
}

static void endpoint_on_close_timeout(void *user) {
    struct iw_endpoint *endpoint = user;

    iw_endpoint_enter(endpoint);
    endpoint->phase = IW_PHASE_OVER;
    iw_port_reset(endpoint->port);
    iw_endpoint_flush(endpoint);
    endpoint_report_closed(endpoint, IW_END_TIMEOUT,
        endpoint->end.half_closed ? "the peer does not read" : "the peer does not close", false);
    iw_endpoint_exit(endpoint);
}

void iw_endpoint_await_close(struct iw_endpoint *endpoint) {
    iw_timer_stop(&endpoint->startup.timer);
    iw_timer_start(&endpoint->end.timer, endpoint->loop, (uint64_t)endpoint->config.timeouts.close_ms * 1000,
        endpoint_on_close_timeout, endpoint);
}

/* Sends FIN once, or what the filter changes it to. Then awaits the peer's FIN if it has not come yet. */
void iw_endpoint_shut(struct iw_endpoint *endpoint, enum iw_emit_cause cause) {
    struct iw_emit emit = {.kind = IW_EMIT_CLOSE, .cause = cause};

    if (endpoint->end.fin_sent || endpoint->freed)
        return;
    endpoint->end.fin_sent = true;
    iw_timer_stop(&endpoint->startup.timer);
    iw_timer_stop(&endpoint->end.timer);
    if (endpoint->end.half_closed)
        iw_endpoint_schedule(endpoint); /* endpoint_on_turn reports CLOSED */
    if (iw_endpoint_filter(endpoint, &emit) == 0)
        return;
    if (emit.before != NULL)
        iw_endpoint_put(endpoint, emit.before);
    if (emit.reset) {
        iw_endpoint_reset(endpoint);
        return;
    }
    iw_endpoint_fin(endpoint);
    if (!endpoint->end.reported && !endpoint->end.half_closed)
        iw_endpoint_await_close(endpoint);
}

void iw_endpoint_close(struct iw_endpoint *endpoint) {
    endpoint->end.fin_wanted = true;
    iw_endpoint_schedule(endpoint);
}

void iw_endpoint_reset(struct iw_endpoint *endpoint) {
    endpoint->phase = IW_PHASE_OVER;
    endpoint->end.fin_sent = true;
    endpoint->end.reported = true;
    iw_memory_leave(&endpoint->stream);
    iw_timer_stop(&endpoint->startup.timer);
    iw_timer_stop(&endpoint->end.timer);
    iw_port_reset(endpoint->port);
    iw_endpoint_flush(endpoint);
}

static void endpoint_on_connected(void *user) {
    struct iw_endpoint *endpoint = user;
    struct iw_event event = {.kind = IW_EVENT_CONNECTED, .error = IW_NO_ERROR};

    iw_endpoint_enter(endpoint);
    endpoint->phase = endpoint->config.streaming ? IW_PHASE_OUTSIDE : IW_PHASE_STARTUP;
    iw_endpoint_notify(endpoint, &event);
    if (endpoint->phase == IW_PHASE_STARTUP)
        iw_endpoint_startup_begin(endpoint);
    iw_endpoint_exit(endpoint);
}

static void endpoint_on_received(void *user, const uint8_t *octets, size_t length) {
    struct iw_endpoint *endpoint = user;
    struct iw_event event = {
        .kind = IW_EVENT_OCTETS, .error = IW_NO_ERROR, .octets = octets, .octet_count = length};

    iw_endpoint_enter(endpoint);
    if (endpoint->phase == IW_PHASE_STARTUP || endpoint->phase == IW_PHASE_HOLD)
        iw_endpoint_startup_octets(endpoint, octets, length);
    else if (endpoint->phase == IW_PHASE_FULL)
        iw_endpoint_receive_octets(endpoint, octets, length);
    else if (endpoint->phase == IW_PHASE_OUTSIDE) {
        iw_endpoint_receive_held(endpoint);
        iw_endpoint_notify(endpoint, &event);
    }
    iw_endpoint_exit(endpoint);
}

static void endpoint_on_writable(void *user) {
    struct iw_endpoint *endpoint = user;

    iw_endpoint_enter(endpoint);
    if (endpoint->end.half_closed && !endpoint->end.fin_sent)
        iw_endpoint_await_close(endpoint); /* restarts the timeout: the peer still reads */
    iw_endpoint_pump(endpoint);
    iw_endpoint_exit(endpoint);
}

/* Whether there is more to send after the peer's FIN, before this end's FIN (RFC 5041 6.2.1). */
static bool endpoint_may_half_close(const struct iw_endpoint *endpoint) {
    return endpoint->config.automatic.close && endpoint->phase == IW_PHASE_FULL && endpoint->output.allowed &&
           !endpoint->end.fin_sent && iw_endpoint_can_send(endpoint);
}

static void endpoint_on_ended(void *user, enum iw_port_end port_end, const char *text) {
    static const enum iw_end ends[] = {
        [IW_PORT_FIN] = IW_END_FIN, [IW_PORT_RST] = IW_END_RST, [IW_PORT_FAILED] = IW_END_FAILED};
    struct iw_endpoint *endpoint = user;
    bool reading = endpoint->phase == IW_PHASE_STARTUP || endpoint->phase == IW_PHASE_FULL;
    bool pending =
        reading && (endpoint->startup.held_octets > 0 || iw_fpdu_reader_pending(&endpoint->input.reader) > 0);

    iw_endpoint_enter(endpoint);
    if (port_end == IW_PORT_FIN && !pending && endpoint_may_half_close(endpoint)) {
        endpoint->end.half_closed = true;
        snprintf(endpoint->end.text, sizeof endpoint->end.text, "%s", text);
        iw_endpoint_await_close(endpoint);
        iw_endpoint_schedule(endpoint);
        iw_endpoint_exit(endpoint);
        return;
    }
    if (port_end != IW_PORT_FIN)
        endpoint->phase = IW_PHASE_OVER;
    else if (endpoint->config.automatic.close)
        endpoint->phase = IW_PHASE_DEAF;
    if (port_end != IW_PORT_FIN || endpoint->config.automatic.close || endpoint->end.fin_by_emit)
        iw_endpoint_flush(endpoint);
    endpoint_report_closed(endpoint, ends[port_end], text, pending);
    if (port_end == IW_PORT_FIN && endpoint->config.automatic.close)
        iw_endpoint_shut(endpoint, IW_EMIT_BY_TERMINATE);
    iw_endpoint_exit(endpoint);
}

static const struct iw_port_handlers handlers = {
    endpoint_on_connected, endpoint_on_received, endpoint_on_writable, endpoint_on_ended};

static struct iw_endpoint *endpoint_make(
    struct iw_loop *loop, const struct iw_endpoint_config *config, iw_endpoint_sink *sink, void *user) {
    struct iw_endpoint *endpoint = calloc(1, sizeof *endpoint);

    if (endpoint == NULL)
        return NULL;
    endpoint->loop = loop;
    endpoint->config = *config;
    endpoint->sink = sink;
    endpoint->user = user;
    endpoint->replies.last = &endpoint->replies.first;
    if (config->memory != NULL)
        endpoint->number = iw_memory_number(config->memory);
    if (config->policy.begin != NULL) {
        endpoint->config.policy.user = config->policy.begin(config->policy.user);
        if (endpoint->config.policy.user == NULL) {
            free(endpoint);
            return NULL;
        }
    }
    if (config->policy.send_user == NULL)
        endpoint->config.policy.send_user = endpoint->config.policy.user;
    endpoint_fill_defaults(&endpoint->config);
    iw_endpoint_posts_init(endpoint);
    iw_fpdu_writer_init(&endpoint->output.writer, false, !config->no_crc);
    iw_fpdu_reader_init(&endpoint->input.reader, false, IW_CRC_OFF, 0, 0);
    iw_sequence_init(&endpoint->input.sequence);
    iw_assembly_init(&endpoint->input.assembly, IW_ENDPOINT_MESSAGE_MAX);
    for (int qn = 0; qn < IW_QN_COUNT; qn++)
        endpoint->output.next_msn[qn] = 1;
    if (config->receives.count > 0 &&
        iw_endpoint_receives(endpoint, config->receives.count, config->receives.octets) != IW_OK) {
        endpoint_destroy(endpoint);
        return NULL;
    }
    return endpoint;
}

struct iw_endpoint *iw_endpoint_connect(struct iw_loop *loop, const char *host, uint16_t port,
    const struct iw_endpoint_config *config, iw_endpoint_sink *sink, void *user, char *text) {
    struct iw_endpoint *endpoint = endpoint_make(loop, config, sink, user);

    if (endpoint == NULL) {
        strcpy(text, "out of memory");
        return NULL;
    }
    endpoint->port = iw_port_connect(loop, host, port, &handlers, endpoint, text);
    if (endpoint->port != NULL)
        return endpoint;
    endpoint_destroy(endpoint);
    return NULL;
}

static void endpoint_begin_accepted(void *user) {
    struct iw_endpoint *endpoint = user;
    bool connected = iw_port_connected(endpoint->port);

    iw_port_handle(endpoint->port, &handlers, endpoint);
    if (connected)
        endpoint_on_connected(endpoint);
}

struct iw_endpoint *iw_endpoint_accept(
    struct iw_port *port, const struct iw_endpoint_config *config, iw_endpoint_sink *sink, void *user) {
    struct iw_endpoint *endpoint = endpoint_make(iw_port_loop(port), config, sink, user);

    if (endpoint == NULL)
        return NULL;
    endpoint->port = port;
    iw_timer_start(&endpoint->turn_timer, endpoint->loop, 0, endpoint_begin_accepted, endpoint);
    return endpoint;
}

uint64_t iw_endpoint_number(const struct iw_endpoint *endpoint) {
    return endpoint->number;
}

struct iw_port *iw_endpoint_port(struct iw_endpoint *endpoint) {
    return endpoint->port;
}

enum iw_status iw_endpoint_receives(struct iw_endpoint *endpoint, uint32_t count, uint32_t octets) {
    if (count == 0)
        return IW_OK;
    if (octets > IW_ENDPOINT_MESSAGE_MAX)
        octets = IW_ENDPOINT_MESSAGE_MAX;
    if (!iw_array_grow(
            &endpoint->input.buffers, endpoint->input.buffer_entries, sizeof *endpoint->input.buffers))
        return IW_ERR_NOMEM;
    endpoint->input.buffers[endpoint->input.buffer_entries++] =
        (struct iw_receive_buffers){.count = count, .octets = octets};
    return IW_OK;
}

void iw_endpoint_leave(struct iw_endpoint *endpoint) {
    if (endpoint->phase == IW_PHASE_FULL)
        iw_endpoint_flush(endpoint);
    if (endpoint->phase != IW_PHASE_OVER)
        endpoint->phase = IW_PHASE_OUTSIDE;
    if (endpoint->startup.held_octets > 0)
        iw_endpoint_schedule(endpoint);
}

void iw_endpoint_await_startup(struct iw_endpoint *endpoint) {
    if (endpoint->phase != IW_PHASE_OUTSIDE)
        return;
    endpoint->phase = IW_PHASE_STARTUP;
    iw_endpoint_startup_begin(endpoint);
}
