#include <stdarg.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_reference.h"

/* The reference with malicious peers. */

enum { FLOOD = 6, STARTUPS = 4, SENDS = 1000, SEND_OCTETS = 65536, TIMEOUT_MS = 20000 };

static struct iw_loop *loop;
static struct iw_reference *reference;

/* A peer that has connected and sends nothing. */
struct mute {
    struct iw_port *port;
    bool connected, gone;
};

/* A peer that goes through the startup. */
struct honest {
    struct iw_endpoint *endpoint;
    bool established;
    unsigned sent, echoed;
};

static void connected(void *user) {
    ((struct mute *)user)->connected = true;
}

static void received(void *user, const uint8_t *octets, size_t length) {
    (void)user, (void)octets, (void)length;
}

static void writable(void *user) {
    (void)user;
}

static void ended(void *user, enum iw_port_end end, const char *text) {
    (void)text;
    ((struct mute *)user)->gone = end == IW_PORT_RST;
}

static const struct iw_port_handlers handlers = {connected, received, writable, ended};

static void take_event(void *user, struct iw_endpoint *endpoint, const struct iw_event *event) {
    struct honest *honest = user;

    (void)endpoint;
    honest->established |= event->kind == IW_EVENT_ESTABLISHED;
    honest->sent += event->kind == IW_EVENT_SENT;
    honest->echoed += event->kind == IW_EVENT_MESSAGE && event->octet_count == SEND_OCTETS;
}

static void stop(void *user) {
    iw_loop_stop(user);
}

static void run_ms(unsigned ms) {
    struct iw_timer timer = {0};

    iw_timer_start(&timer, loop, (uint64_t)ms * 1000, stop, loop);
    iw_loop_run(loop);
    iw_timer_stop(&timer);
}

/* Runs the loop until `*what` has the value. */
static void run_until(const unsigned *what, unsigned value) {
    for (unsigned ms = 0; ms < TIMEOUT_MS && *what < value; ms++)
        run_ms(1);
    assert_int_equal(*what, value);
}

static void run_until_true(const bool *what) {
    for (unsigned ms = 0; ms < TIMEOUT_MS && !*what; ms++)
        run_ms(1);
    assert_true(*what);
}

static void begin(struct iw_reference_config *config) {
    char text[IW_PORT_TEXT_OCTETS];

    loop = iw_loop_new(IW_LOOP_REAL);
    config->loop = loop;
    config->host = "127.0.0.1";
    config->endpoint = iw_reference_defaults();
    config->endpoint.timeouts.startup_ms = 60000;
    reference = iw_reference_new(config, text);
    assert_non_null(reference);
}

static void end(void) {
    iw_reference_free(reference);
    iw_loop_free(loop);
}

static void connect_honest(struct honest *honest) {
    struct iw_endpoint_config config = iw_endpoint_config_default(true);
    char text[IW_PORT_TEXT_OCTETS];

    config.receives.count = IW_RECEIVES_ENDLESS;
    config.receives.octets = SEND_OCTETS;
    honest->endpoint = iw_endpoint_connect(
        loop, "127.0.0.1", iw_reference_port(reference), &config, take_event, honest, text);
    assert_non_null(honest->endpoint);
    run_until_true(&honest->established);
}

static void a_flood_of_startups_displaces_only_startups(void **state) {
    struct iw_reference_config config = {.startups = STARTUPS};
    struct mute mutes[FLOOD] = {{NULL, false, false}};
    struct honest before = {NULL, false, 0, 0}, after = before;
    char text[IW_PORT_TEXT_OCTETS];

    (void)state;
    begin(&config);
    connect_honest(&before);
    for (int i = 0; i < FLOOD; i++) {
        mutes[i].port =
            iw_port_connect(loop, "127.0.0.1", iw_reference_port(reference), &handlers, &mutes[i], text);
        run_until_true(&mutes[i].connected);
    }
    connect_honest(&after);
    for (int i = 0; i < FLOOD - STARTUPS + 1; i++)
        run_until_true(&mutes[i].gone);
    for (int i = FLOOD - STARTUPS + 1; i < FLOOD; i++)
        assert_false(mutes[i].gone);
    for (int i = 0; i < FLOOD; i++)
        iw_port_free(mutes[i].port);
    iw_endpoint_free(before.endpoint);
    iw_endpoint_free(after.endpoint);
    end();
}

/* The peer does not read the echoes. The queue is bounded, as the reference stops reading from the peer. */
static void reading_stops_for_a_peer_that_does_not_read(void **state) {
    static uint8_t octets[SEND_OCTETS];
    struct iw_reference_config config = {.echo = true};
    struct honest slow = {NULL, false, 0, 0}, other = slow;
    struct iw_post send = {
        .opcode = IW_RDMAP_OP_SEND, .payload = octets, .payload_octets = sizeof octets, .borrowed = true};
    unsigned sent;

    (void)state;
    begin(&config);
    connect_honest(&slow);
    iw_port_pause(iw_endpoint_port(slow.endpoint), true);
    for (int i = 0; i < SENDS; i++)
        assert_int_equal(iw_endpoint_post(slow.endpoint, &send), IW_OK);
    do {
        sent = slow.sent;
        run_ms(200);
    } while (slow.sent > sent);
    assert_in_range(slow.sent, 1, SENDS - 1);

    connect_honest(&other); /* the others are served meanwhile */
    assert_int_equal(iw_endpoint_post(other.endpoint, &send), IW_OK);
    run_until(&other.echoed, 1);

    iw_port_pause(iw_endpoint_port(slow.endpoint), false);
    run_until(&slow.echoed, SENDS);
    iw_endpoint_free(slow.endpoint);
    iw_endpoint_free(other.endpoint);
    end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flood_of_startups_displaces_only_startups),
        cmocka_unit_test(reading_stops_for_a_peer_that_does_not_read),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
