#include "iw_bench.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "iw_terminate.h"

static void note(struct iw_bench_side *side, const char *format, ...) {
    size_t used = strlen(side->log);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(side->log + used, sizeof side->log - used, format, arguments);
    va_end(arguments);
}

static void note_message(struct iw_bench_side *side, const struct iw_event *event) {
    assert_true(event->octet_count <= sizeof side->message);
    if (event->octet_count > 0)
        memcpy(side->message, event->octets, event->octet_count);
    side->message_octets = event->octet_count;
    note(side, "message:%x:%" PRIu32 ":%zu ", event->opcode, event->msn, event->octet_count);
}

static void note_terminate(struct iw_bench_side *side, const struct iw_terminate_message *message) {
    if (message == NULL)
        note(side, "terminate ");
    else
        note(side, "terminate:%x/%x/%02x ", message->control.layer, message->control.etype,
            message->control.code);
}

/* Logs phases of the connection. Returns false for any other event. */
static bool note_phase(struct iw_bench_side *side, const struct iw_event *event) {
    static const char *const keys[] = {"request", "reply", "unknown"};

    switch (event->kind) {
    case IW_EVENT_CONNECTED:
        note(side, "connected ");
        return true;
    case IW_EVENT_STARTUP:
        note(side, "%s:%zu ", keys[event->startup->key], event->startup->private_octets);
        return true;
    case IW_EVENT_REQUESTED:
        note(side, "requested ");
        return true;
    case IW_EVENT_ESTABLISHED:
        side->terms = *event->terms;
        note(side, "established ");
        return true;
    case IW_EVENT_REJECTED:
        note(side, "rejected ");
        return true;
    case IW_EVENT_RTR:
        note(side, "rtr:%x ", event->opcode);
        return true;
    case IW_EVENT_TERMINATE:
        note_terminate(side, event->terminate);
        return true;
    case IW_EVENT_ERROR:
        note(side, "error:%04x%s ", event->error, event->terminates ? "!" : "");
        return true;
    case IW_EVENT_CLOSED:
        note(side, "closed:%s%s ", iw_end_name(event->end), event->pending ? ":pending" : "");
        return true;
    default:
        return false;
    }
}

/* Logs what the peer has sent. Returns false for any other event. */
static bool note_arrival(struct iw_bench_side *side, const struct iw_event *event) {
    switch (event->kind) {
    case IW_EVENT_OCTETS:
        note(side, "octets:%zu ", event->octet_count);
        return true;
    case IW_EVENT_FPDU:
        side->fpdus++;
        return true;
    case IW_EVENT_MESSAGE:
        note_message(side, event);
        return true;
    case IW_EVENT_TAGGED:
        note(side, "write:%" PRIx32 ":%" PRIx64 ":%" PRIu64 " ", event->stag, event->to, event->length);
        return true;
    case IW_EVENT_READ:
        note(side, "read:%" PRIu32 " ", event->read->size);
        return true;
    case IW_EVENT_EXECUTED:
        note(side, "executed:%x:%" PRIx32 ":%" PRIx64 ":%" PRIu64 " ", event->opcode, event->stag, event->to,
            event->length);
        return true;
    default:
        return false;
    }
}

/* Logs what became of a post. */
static void note_post(struct iw_bench_side *side, const struct iw_event *event) {
    size_t used = strlen(side->completed);

    switch (event->kind) {
    case IW_EVENT_ANSWERED:
        note(side, "answered:%" PRIu64 ":%" PRIx64 ":%zu ", event->id, event->original, event->octet_count);
        break;
    case IW_EVENT_READ_DONE:
        note(side, "done:%" PRIu64 ":%" PRIu64 " ", event->id, event->length);
        break;
    case IW_EVENT_SENT:
        note(side, "sent:%" PRIu64 " ", event->id);
        break;
    case IW_EVENT_FLUSHED:
        note(side, "flushed:%" PRIu64 " ", event->id);
        break;
    case IW_EVENT_COMPLETED:
        snprintf(side->completed + used, sizeof side->completed - used, "%" PRIu64 " ", event->id);
        break;
    default:
        fail_msg("an event of kind %d", (int)event->kind);
    }
}

static void on_event(void *user, struct iw_endpoint *endpoint, const struct iw_event *event) {
    struct iw_bench_side *side = user;

    side->endpoint = endpoint;
    if (!note_phase(side, event) && !note_arrival(side, event))
        note_post(side, event);
    if (side->react != NULL)
        side->react(side, event);
}

/* ---- the bare port ---- */

static void raw_connected(void *user) {
    struct iw_bench *bench = user;

    bench->raw.connected = true;
    if (bench->raw.answer_octets > 0) {
        iw_port_write(bench->raw.port, bench->raw.answer, bench->raw.answer_octets);
        bench->raw.answer_octets = 0;
    }
}

static void raw_received(void *user, const uint8_t *octets, size_t length) {
    struct iw_bench *bench = user;
    struct iw_bench_raw *raw = &bench->raw;

    assert_true(length <= sizeof raw->octets - raw->length);
    memcpy(raw->octets + raw->length, octets, length);
    raw->length += length;
    if (raw->answer_octets > 0)
        iw_port_write(raw->port, raw->answer, raw->answer_octets);
    raw->answer_octets = 0;
}

static void raw_writable(void *user) {
    (void)user;
}

static void raw_ended(void *user, enum iw_port_end end, const char *text) {
    struct iw_bench *bench = user;

    (void)text;
    bench->raw.end = "FR!"[end];
}

static const struct iw_port_handlers raw_handlers = {raw_connected, raw_received, raw_writable, raw_ended};

/* ---- the bench ---- */

static void on_accept(void *user, struct iw_port *port) {
    struct iw_bench *bench = user;

    if (bench->raw_listens) {
        bench->raw.port = port;
        bench->raw.connected = true;
        if (!bench->raw_holds)
            iw_port_handle(port, &raw_handlers, bench);
        return;
    }
    bench->responder.endpoint =
        iw_endpoint_accept(port, &bench->responder.config, on_event, &bench->responder);
    assert_non_null(bench->responder.endpoint);
}

void iw_bench_init(struct iw_bench *bench, enum iw_loop_kind kind) {
    char text[IW_PORT_TEXT_OCTETS];

    memset(bench, 0, sizeof *bench);
    bench->loop = iw_loop_new(kind);
    bench->initiator.config = iw_endpoint_config_default(true);
    bench->responder.config = iw_endpoint_config_default(false);
    bench->responder.config.receives.count = IW_RECEIVES_ENDLESS;
    bench->responder.config.receives.octets = sizeof bench->responder.message;
    bench->listener = iw_listener_new(bench->loop, "127.0.0.1", 0, on_accept, bench, text);
    assert_non_null(bench->listener);
}

void iw_bench_free(struct iw_bench *bench) {
    iw_endpoint_free(bench->initiator.endpoint);
    iw_endpoint_free(bench->responder.endpoint);
    iw_port_free(bench->raw.port);
    iw_listener_free(bench->listener);
    iw_loop_free(bench->loop);
}

void iw_bench_connect(struct iw_bench *bench) {
    char text[IW_PORT_TEXT_OCTETS];

    bench->initiator.endpoint = iw_endpoint_connect(bench->loop, "127.0.0.1",
        iw_listener_port(bench->listener), &bench->initiator.config, on_event, &bench->initiator, text);
    assert_non_null(bench->initiator.endpoint);
}

void iw_bench_connect_to_raw(struct iw_bench *bench) {
    bench->raw_listens = true;
    iw_bench_connect(bench);
}

void iw_bench_connect_from_raw(struct iw_bench *bench) {
    char text[IW_PORT_TEXT_OCTETS];

    bench->raw.port = iw_port_connect(
        bench->loop, "127.0.0.1", iw_listener_port(bench->listener), &raw_handlers, bench, text);
    assert_non_null(bench->raw.port);
}

static void stop_loop(void *user) {
    iw_loop_stop(user);
}

/* A real loop with a listener always has something to wait for, so a test must name the word that it waits
 * for. In virtual time, one second is enough for all octets in flight, and shorter than every timeout. */
void iw_bench_run(struct iw_bench *bench) {
    struct iw_timer timer = {0};

    assert_int_equal(iw_loop_kind(bench->loop), IW_LOOP_VIRTUAL);
    iw_timer_start(&timer, bench->loop, 1000000, stop_loop, bench->loop);
    iw_loop_run(bench->loop);
    iw_timer_stop(&timer);
}

struct waiting {
    struct iw_bench *bench;
    struct iw_bench_side *side;
    const char *word;
    struct iw_timer timer;
    unsigned rounds;
};

static void look(void *user) {
    struct waiting *waiting = user;

    if (strstr(waiting->side->log, waiting->word) != NULL || ++waiting->rounds > 20000)
        iw_loop_stop(waiting->bench->loop);
    else
        iw_timer_start(&waiting->timer, waiting->bench->loop, 1000, look, waiting);
}

void iw_bench_run_until(struct iw_bench *bench, struct iw_bench_side *side, const char *word) {
    struct waiting waiting = {.bench = bench, .side = side, .word = word};

    iw_timer_start(&waiting.timer, bench->loop, 0, look, &waiting);
    iw_loop_run(bench->loop);
    iw_timer_stop(&waiting.timer);
    if (strstr(side->log, word) == NULL)
        fail_msg("no \"%s\" in \"%s\"", word, side->log);
}

size_t iw_bench_hex(const char *hex, uint8_t *octets, size_t capacity) {
    size_t count = 0;
    unsigned value;

    while (*hex != '\0') {
        if (*hex == ' ') {
            hex++;
            continue;
        }
        assert_true(count < capacity);
        assert_int_equal(sscanf(hex, "%2x", &value), 1);
        octets[count++] = (uint8_t)value;
        hex += 2;
    }
    return count;
}

void iw_bench_say(struct iw_bench *bench, const char *hex) {
    uint8_t octets[8192];
    size_t length = iw_bench_hex(hex, octets, sizeof octets);

    assert_int_equal(iw_port_write(bench->raw.port, octets, length), IW_OK);
}

void iw_bench_expect(struct iw_bench *bench, const char *hex) {
    uint8_t octets[8192];
    size_t length = iw_bench_hex(hex, octets, sizeof octets);

    if (bench->raw.length != length || memcmp(bench->raw.octets, octets, length) != 0) {
        for (size_t i = 0; i < bench->raw.length; i++)
            print_error("%02x%s", bench->raw.octets[i], i % 4 == 3 ? " " : "");
        print_error("\n");
        fail_msg("%zu octets came, %zu were expected: %s", bench->raw.length, length, hex);
    }
    bench->raw.length = 0;
}
