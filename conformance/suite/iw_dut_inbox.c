#include "iw_dut_state.h"

#include <string.h>

#include "iw_lua_failure.h"

/* The queue of events of the device that the case has not asked for yet. */

enum {
    EVENTS_MAX = 1 << 16,
    OCTETS_MAX = 256 << 20,
    VALUE_OCTETS = 128, /* approximate memory of a JSON value without its text */
};

static size_t dut_inbox_json_octets(const json_t *value) {
    size_t octets = VALUE_OCTETS, i;
    const char *key;
    json_t *member;

    if (json_is_string(value))
        octets += json_string_length(value);
    json_object_foreach((json_t *)value, key, member) {
        octets += VALUE_OCTETS + strlen(key) + dut_inbox_json_octets(member);
    }
    json_array_foreach(value, i, member) {
        octets += dut_inbox_json_octets(member);
    }
    return octets;
}

/* An agent that sends events is not silent: it sends them before the answers to later requests. EVENTS_MAX
 * limits how often they extend the wait for an answer. */
static void dut_inbox_extend_answers(struct iw_dut *dut) {
    for (struct iw_task *task = dut->requests.answered.tasks; task; task = task->next_waiting)
        iw_task_timeout(task, IW_DUT_ANSWER_US);
}

void iw_dut_queue(void *user, json_t *event) {
    struct iw_dut *dut = user;
    size_t octets = dut_inbox_json_octets(event);

    if (dut->failure[0]) {
        json_decref(event);
    } else if (json_array_size(dut->events.queue) == EVENTS_MAX || octets > OCTETS_MAX - dut->events.octets) {
        json_decref(event);
        iw_dut_fail(dut, "reports more events than the case takes");
    } else {
        dut->events.octets += octets;
        json_array_append_new(dut->events.queue, event);
        dut_inbox_extend_answers(dut);
        iw_waitable_wake(&dut->events.arrivals);
    }
}

/* Removes the oldest event with this name and returns it to the caller, who then owns it; NULL: none. */
static json_t *dut_inbox_remove(struct iw_dut *dut, const char *name) {
    json_t *event;
    size_t i;

    json_array_foreach(dut->events.queue, i, event) {
        const char *is = json_string_value(json_object_get(event, "event"));

        if (!is || strcmp(is, name) != 0)
            continue;
        json_incref(event);
        json_array_remove(dut->events.queue, i);
        dut->events.octets -= dut_inbox_json_octets(event);
        return event;
    }
    return NULL;
}

static int dut_inbox_finish(
    lua_State *lua, struct iw_dut *dut, const struct iw_dut_wait *wait, json_t *event) {
    if (!event)
        return iw_lua_failure_raise(lua, IW_SCENARIO_FAILED, wait->missed, wait->expected, "silence");
    json_decref(dut->requests.making);
    dut->requests.making = event;
    return wait->finish(lua, event);
}

/* Waits for the answer to the ping whose id is on top of the stack, then searches again. */
static int dut_inbox_await_ping(lua_State *lua, int status, lua_KContext context) {
    const struct iw_dut_wait *wait = (const struct iw_dut_wait *)context;
    struct iw_dut *dut = iw_dut_self(lua);

    (void)status;
    json_decref(iw_dut_await_answer(lua, context, dut_inbox_await_ping));
    lua_pop(lua, 1);
    return dut_inbox_finish(lua, dut, wait, dut_inbox_remove(dut, wait->event));
}

/* Sends a ping: the agent sends its earlier events before the answer. */
static int dut_inbox_ping(lua_State *lua, struct iw_dut *dut, const struct iw_dut_wait *wait) {
    uint64_t id = iw_agent_client_request(dut->client, json_pack("{ss}", "op", "ping"));

    if (id == 0)
        return iw_lua_failure_raise(lua, IW_SCENARIO_ENVIRONMENT, "the agent does not answer", NULL, NULL);
    iw_task_timeout(iw_task_current(lua), IW_DUT_ANSWER_US);
    lua_pushinteger(lua, (lua_Integer)id);
    return dut_inbox_await_ping(lua, LUA_OK, (lua_KContext)wait);
}

static int dut_inbox_await(lua_State *lua, int status, lua_KContext context) {
    const struct iw_dut_wait *wait = (const struct iw_dut_wait *)context;
    struct iw_dut *dut = iw_dut_self(lua);
    struct iw_task *task = iw_task_current(lua);
    json_t *event = dut_inbox_remove(dut, wait->event);

    (void)status;
    if (!event && dut->failure[0])
        return iw_lua_failure_raise(lua, IW_SCENARIO_ENVIRONMENT, dut->failure, NULL, NULL);
    if (!event && !task->timed_out)
        return iw_task_wait(lua, &dut->events.arrivals, context, dut_inbox_await);
    iw_task_timeout(task, 0);
    if (!event && dut->client)
        return dut_inbox_ping(lua, dut, wait);
    return dut_inbox_finish(lua, dut, wait, event);
}

int iw_dut_await(lua_State *lua, const struct iw_dut_wait *wait) {
    if (!iw_dut_lists(iw_dut_self(lua), "events", wait->event)) {
        lua_pushfstring(lua, "the agent cannot report the event \"%s\"", wait->event);
        return iw_lua_failure_raise(lua, IW_SCENARIO_UNSUPPORTED, lua_tostring(lua, -1), NULL, NULL);
    }
    iw_task_timeout(iw_task_current(lua), iw_task_timeout_option(lua, 2));
    return dut_inbox_await(lua, LUA_OK, (lua_KContext)wait);
}
