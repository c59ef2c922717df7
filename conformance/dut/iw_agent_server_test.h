#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_agent_client.h"
#include "iw_agent_server.h"
#include "iw_agent_session.h"

/* An agent that listens, and suites that use it, on a virtual loop. */

static struct iw_loop *loop;
static struct iw_agent_server *server;

static inline void stop(void *user) {
    iw_loop_stop(user);
}

static inline void run_ms(unsigned ms) {
    struct iw_timer timer = {0};

    iw_timer_start(&timer, loop, (uint64_t)ms * 1000, stop, loop);
    iw_loop_run(loop);
    iw_timer_stop(&timer);
}

/* Begins the agent. The first call of a test creates the loop. */
static inline void begin_server(const char *token, const struct iw_tls_context *tls) {
    struct iw_agent_server_config config = {.host = "127.0.0.1", .token = token, .tls = tls};
    char text[IW_PORT_TEXT_OCTETS];

    if (!loop)
        loop = iw_loop_new(IW_LOOP_VIRTUAL);
    config.agent =
        (struct iw_agent_config){.loop = loop, .host = "127.0.0.1", .endpoint = iw_agent_defaults()};
    server = iw_agent_server_new(&config, text);
    assert_non_null(server);
}

static inline void end_server(void) {
    iw_agent_server_free(server);
    iw_loop_free(loop);
    loop = NULL;
}

struct suite {
    struct iw_agent_client *client;
    bool pings;        /* sends a request as soon as it is ready */
    bool frees_itself; /* frees the client in the handlers of answers and failures */
    bool ready;
    uint64_t answered;
    size_t octets; /* of the data in the last answer */
    char failure[512];
};

static inline void suite_free(struct suite *suite) {
    iw_agent_client_free(suite->client);
    suite->client = NULL;
}

static inline void take_ready(void *user, const json_t *answer) {
    struct suite *suite = user;

    suite->ready = json_is_integer(json_object_get(answer, "port"));
    if (suite->pings)
        assert_int_not_equal(iw_agent_client_request(suite->client, json_pack("{ss}", "op", "ping")), 0);
}

static inline void take_answer(void *user, uint64_t id, const json_t *answer) {
    struct suite *suite = user;

    assert_null(json_object_get(answer, "error"));
    suite->octets = json_string_length(json_object_get(answer, "data")) / 2;
    suite->answered = id;
    if (suite->frees_itself)
        suite_free(suite);
}

static inline void take_event(void *user, const json_t *event) {
    (void)user;
    (void)event;
}

static inline void take_failure(void *user, const char *text) {
    struct suite *suite = user;

    snprintf(suite->failure, sizeof suite->failure, "%s", text);
    if (suite->frees_itself)
        suite_free(suite);
}

/* Connects the suite to the agent at the port. */
static inline void begin_suite(
    struct suite *suite, uint16_t port, const char *token, const struct iw_tls_context *tls) {
    struct iw_agent_client_config config = {.loop = loop,
        .host = "127.0.0.1",
        .port = port,
        .token = token,
        .tls = tls,
        .handlers = {take_ready, take_answer, take_event, take_failure},
        .user = suite};
    char text[IW_PORT_TEXT_OCTETS];

    suite->client = iw_agent_client_new(&config, text);
    assert_non_null(suite->client);
    run_ms(10);
}
