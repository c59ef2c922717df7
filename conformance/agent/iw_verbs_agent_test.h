#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "iw_fake_verbs.h"
#include "iw_verbs_agent.h"

/* The agent on a device that the test plays. Requests and expected answers are written as JSON with
 * apostrophes for quotation marks. */

#define SESSION(test) cmocka_unit_test_setup_teardown(test, begin, end)

struct session {
    struct iw_verbs_device device;
    struct iw_kernel_log log;
    int log_writer;
    struct iw_agent *agent;
    json_t *events;
};

static inline void keep_event(void *user, json_t *event) {
    json_array_append_new(((struct session *)user)->events, event);
}

static inline void begin_agent(struct session *session) {
    struct iw_verbs_agent_config config = {.device = &session->device,
        .startup = {.revision = 2},
        .log = &session->log,
        .event = keep_event,
        .user = session};
    char text[IW_VERBS_TEXT_OCTETS];

    session->agent = iw_verbs_agent_new(&config, text);
    assert_non_null(session->agent);
}

/* A session with a log of the kernel that the test writes. */
static inline struct session *begin_session(void) {
    struct session *session = calloc(1, sizeof *session);
    char text[IW_VERBS_TEXT_OCTETS];
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends), 0);
    session->log.fd = ends[0];
    session->log_writer = ends[1];
    session->events = json_array();
    assert_true(iw_verbs_device_open(&session->device, NULL, text));
    begin_agent(session);
    return session;
}

static inline void log_terminate(const struct session *session) {
    static const char text[] = "4,1,2,-;siw: got TERMINATE. layer 1, type 1, code 0\n";

    assert_int_equal(write(session->log_writer, text, sizeof text - 1), sizeof text - 1);
}

static inline int begin(void **state) {
    fake_verbs_begin();
    *state = begin_session();
    return 0;
}

/* Whatever a test does, the session leaves nothing on the device. */
static inline int end(void **state) {
    struct session *session = *state;

    iw_verbs_agent_free(session->agent);
    iw_verbs_device_close(&session->device);
    iw_kernel_log_close(&session->log);
    close(session->log_writer);
    json_decref(session->events);
    free(session);
    assert_true(fake_verbs_is_empty());
    return 0;
}

/* JSON with ' for ". */
static inline json_t *parse(const char *text) {
    char copy[1024];
    json_t *value;

    snprintf(copy, sizeof copy, "%s", text);
    for (char *at = copy; *at; at++)
        if (*at == '\'')
            *at = '"';
    value = json_loads(copy, 0, NULL);
    assert_non_null(value);
    return value;
}

static inline json_t *ask(struct session *session, const char *text) {
    json_t *request = parse(text), *answer;

    json_object_set_new(request, "id", json_integer(1));
    answer = iw_verbs_agent_execute(session->agent, request);
    json_decref(request);
    assert_non_null(answer);
    return answer;
}

/* Each member of `expected` is in `value`. */
static inline void check_has(json_t *value, const char *expected) {
    json_t *members = parse(expected), *member;
    const char *key;

    json_object_foreach(members, key, member) {
        if (!json_equal(json_object_get(value, key), member)) {
            char *text = json_dumps(value, JSON_COMPACT);

            fail_msg("%s lacks %s of %s", text, key, expected);
        }
    }
    json_decref(members);
}

static inline void ask_for(struct session *session, const char *text, const char *expected) {
    json_t *answer = ask(session, text);

    assert_null(json_object_get(answer, "error"));
    check_has(answer, expected);
    json_decref(answer);
}

static inline void refused(struct session *session, const char *request, const char *code, const char *text) {
    json_t *answer = ask(session, request), *error = json_object_get(answer, "error");

    assert_non_null(error);
    assert_string_equal(json_string_value(json_object_get(error, "code")), code);
    assert_string_equal(json_string_value(json_object_get(error, "text")), text);
    json_decref(answer);
}

/* The oldest event. */
static inline void expect_event(struct session *session, const char *expected) {
    assert_true(json_array_size(session->events) > 0);
    check_has(json_array_get(session->events, 0), expected);
    json_array_remove(session->events, 0);
}

static inline void expect_silence(struct session *session) {
    iw_verbs_agent_drain(session->agent);
    assert_int_equal(json_array_size(session->events), 0);
}

/* The device is the responder. Returns the connection's id. */
static inline struct rdma_cm_id *accept_one(struct session *session) {
    struct rdma_cm_id *id;

    fake_verbs_cm(RDMA_CM_EVENT_CONNECT_REQUEST, NULL, 0);
    id = fake_verbs.last;
    iw_verbs_agent_drain(session->agent);
    fake_verbs_cm(RDMA_CM_EVENT_ESTABLISHED, id, 0);
    iw_verbs_agent_drain(session->agent);
    expect_event(session, "{'event':'established'}");
    return id;
}

/* ib_uverbs_device_cap_flags of the kernel's ib_user_verbs.h: Flush to global visibility, Flush to
 * persistence, Atomic Write. */
static const uint64_t flush_global = 1ULL << 38, flush_persistent = 1ULL << 39, atomic_write = 1ULL << 40;

/* A device that has what `flags` say, and creates queue pairs with `operations`. */
static inline struct session *begin_extended(uint64_t flags, uint64_t operations) {
    fake_verbs_begin();
    fake_verbs.attributes.orig_attr.atomic_cap = IBV_ATOMIC_HCA;
    fake_verbs.attributes.device_cap_flags_ex = flags;
    fake_verbs.operations = operations;
    return begin_session();
}

static inline void end_extended(struct session *session) {
    void *state = session;

    end(&state);
}
