#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_agent.h"

/* Two agents on a virtual loop, so that their devices can connect to each other. Requests and expected
 * answers are written as JSON with apostrophes for quotation marks. */

struct party {
    struct iw_agent *agent;
    json_t *events;
};

struct pair {
    struct iw_loop *loop;
    struct iw_sctp_stack *stack; /* NULL: the devices have only TCP */
    struct party device, other;
};

static json_t *parse(const char *text) {
    char *copy = strdup(text);
    json_t *value;

    for (char *at = copy; (at = strchr(at, '\'')) != NULL;)
        *at = '"';
    value = json_loads(copy, 0, NULL);
    if (!value)
        fail_msg("not JSON: %s", text);
    free(copy);
    return value;
}

static void take_event(void *user, json_t *event) {
    struct party *party = user;

    json_array_append_new(party->events, event);
}

static void begin_party(struct party *party, const struct pair *pair) {
    struct iw_agent_config config = {.loop = pair->loop,
        .stack = pair->stack,
        .tunnelled = true,
        .host = "127.0.0.1",
        .endpoint = iw_agent_defaults(),
        .event = take_event,
        .user = party};
    char text[IW_PORT_TEXT_OCTETS];

    party->events = json_array();
    party->agent = iw_agent_new(&config, text);
    assert_non_null(party->agent);
}

static void begin_parties(struct pair *pair) {
    begin_party(&pair->device, pair);
    begin_party(&pair->other, pair);
}

static int end_pair(void **state) {
    struct pair *pair = *state;

    iw_agent_free(pair->device.agent);
    iw_agent_free(pair->other.agent);
    json_decref(pair->device.events);
    json_decref(pair->other.events);
    iw_sctp_stack_free(pair->stack);
    iw_loop_free(pair->loop);
    free(pair);
    return 0;
}

/* Checks that `whole` contains every member of `part` with the same value. */
static void check_has(const json_t *whole, const char *part) {
    json_t *expected = parse(part), *value;
    const char *key;

    json_object_foreach(expected, key, value) {
        if (!json_equal(json_object_get(whole, key), value)) {
            char *text = json_dumps(whole, JSON_COMPACT);

            print_error("%s is not in %s\n", part, text);
            free(text);
            fail();
        }
    }
    json_decref(expected);
}

/* Returns the answer, which the caller releases. */
static json_t *ask(struct party *party, const char *text) {
    json_t *request = parse(text), *answer;

    json_object_set_new(request, "id", json_integer(7));
    answer = iw_agent_execute(party->agent, request);
    json_decref(request);
    assert_int_equal(json_integer_value(json_object_get(answer, "id")), 7);
    return answer;
}

static void ask_for(struct party *party, const char *text, const char *part) {
    json_t *answer = ask(party, text);

    check_has(answer, part);
    if (!strstr(part, "'error'") && json_object_get(answer, "error"))
        fail_msg(
            "%s: %s", text, json_string_value(json_object_get(json_object_get(answer, "error"), "text")));
    json_decref(answer);
}

static void refused(
    struct party *party, const char *text, const char *code, const char *field, const char *words) {
    json_t *answer = ask(party, text), *error = json_object_get(answer, "error");

    if (!error)
        fail_msg("not refused: %s", text);
    assert_string_equal(json_string_value(json_object_get(error, "code")), code);
    assert_string_equal(json_string_value(json_object_get(error, "text")), words);
    if (field)
        assert_string_equal(json_string_value(json_object_get(error, "field")), field);
    else
        assert_null(json_object_get(error, "field"));
    json_decref(answer);
}

/* Checks that the oldest pending event of that name has these members, and removes it. */
static void expect_event(struct party *party, const char *name, const char *part) {
    json_t *event;
    size_t i;

    json_array_foreach(party->events, i, event) {
        if (strcmp(json_string_value(json_object_get(event, "event")), name) != 0)
            continue;
        check_has(event, part);
        json_array_remove(party->events, i);
        return;
    }
    fail_msg("no event %s", name);
}

static void no_event(const struct party *party, const char *name) {
    for (size_t i = 0; i < json_array_size(party->events); i++)
        assert_string_not_equal(
            json_string_value(json_object_get(json_array_get(party->events, i), "event")), name);
}

static void stop_loop(void *user) {
    iw_loop_stop(user);
}

/* Runs the loop for 0.5 s, which is shorter than the startup timeout. */
static void run_for_a_while(struct iw_loop *loop) {
    struct iw_timer timer = {0};

    iw_timer_start(&timer, loop, 500000, stop_loop, loop);
    iw_loop_run(loop);
}
