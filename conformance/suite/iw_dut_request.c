#include "iw_dut_state.h"

#include <stdio.h>
#include <string.h>

#include "iw_lua_failure.h"

struct iw_dut *iw_dut_self(lua_State *lua) {
    struct iw_dut **handle = lua_touserdata(lua, lua_upvalueindex(1));

    if (!*handle)
        luaL_error(lua, "this device belongs to a case that is over");
    return *handle;
}

struct iw_dut *iw_dut_with_agent(lua_State *lua) {
    struct iw_dut *dut = iw_dut_self(lua);

    if (!dut->embedded.agent && !dut->client)
        luaL_error(lua, "this device has no agent; the case needs tier \"agent\"");
    return dut;
}

void iw_dut_lose(void *user, const char *why) {
    struct iw_dut *dut = user;

    iw_timer_stop(&dut->hello_timer);
    snprintf(dut->failure, sizeof dut->failure, "%s", why);
    iw_waitable_end(&dut->requests.answered);
    iw_waitable_end(&dut->events.arrivals);
    dut->config.failed(dut->config.user, dut->failure);
}

void iw_dut_fail(struct iw_dut *dut, const char *what) {
    const struct iw_dut_agent *agent = dut->config.target.agent;
    char text[256];

    if (dut->client)
        snprintf(text, sizeof text, "agent %.150s:%u: %s", agent->host, agent->port, what);
    else
        snprintf(text, sizeof text, "the device: %s", what);
    iw_dut_lose(dut, text);
}

void iw_dut_store_answer(struct iw_dut *dut, uint64_t id, json_t *answer) {
    char key[24];

    snprintf(key, sizeof key, "%llu", (unsigned long long)id);
    json_object_set_new(dut->requests.answers, key, answer);
}

/* Removes the value with this id and returns it to the caller, who then owns it; NULL: none. */
static json_t *dut_request_take_by_id(json_t *values, lua_Integer id) {
    char key[24];
    json_t *value;

    snprintf(key, sizeof key, "%lld", (long long)id);
    value = json_incref(json_object_get(values, key));
    json_object_del(values, key);
    return value;
}

json_t *iw_dut_begin(struct iw_dut *dut, const struct iw_dut_question *question) {
    json_decref(dut->requests.making);
    dut->requests.making = json_pack("{ss}", "op", question->op);
    return dut->requests.making;
}

/* Sends a request to the embedded peer, which answers at once. Returns the id. */
static uint64_t dut_request_ask_embedded(struct iw_dut *dut, json_t *request) {
    uint64_t id = ++dut->embedded.requests;

    json_object_set_new(request, "id", json_integer((json_int_t)id));
    iw_dut_enter(dut);
    iw_dut_store_answer(dut, id, iw_agent_execute(dut->embedded.agent, request));
    iw_dut_leave(dut);
    return id;
}

/* Sends and keeps a request, which the agent may reject as unsupported. Returns its id; 0: not sent. */
static uint64_t dut_request_ask_foreign(struct iw_dut *dut, json_t *request) {
    uint64_t id = iw_agent_client_request(dut->client, json_incref(request));
    char key[24];

    snprintf(key, sizeof key, "%llu", (unsigned long long)id);
    if (id > 0)
        json_object_set(dut->requests.asked, key, request);
    return id;
}

/* Raises a Lua error for an error of the agent. "argument", "region": a mistake of the case. "connection": a
 * failure of the device, unless the request opens a connection. "unsupported": the agent cannot test it. Any
 * other error: a failure of the environment. */
static int dut_request_raise_error(
    lua_State *lua, const struct iw_dut_question *question, const char *code, const char *text) {
    lua_pushfstring(lua, "%s: %s", question->op, text);
    if (strcmp(code, "connection") == 0 && !question->connects)
        return iw_lua_failure_raise(lua, IW_SCENARIO_FAILED, "the device has no connection",
            "an open connection of the device", "none");
    if (strcmp(code, "argument") == 0 || strcmp(code, "region") == 0)
        return luaL_error(lua, "%s", lua_tostring(lua, -1));
    return iw_lua_failure_raise(lua,
        strcmp(code, "unsupported") == 0 ? IW_SCENARIO_UNSUPPORTED : IW_SCENARIO_ENVIRONMENT,
        lua_tostring(lua, -1), NULL, NULL);
}

/* Handles the answer. `making` owns it, because a Lua error would leak it. */
static int dut_request_finish_answer(
    lua_State *lua, struct iw_dut *dut, const struct iw_dut_question *question, json_t *answer) {
    json_t *request =
        dut_request_take_by_id(dut->requests.asked, json_integer_value(json_object_get(answer, "id")));
    const json_t *error = json_object_get(answer, "error");
    const char *code = json_string_value(json_object_get(error, "code"));
    const char *text = json_string_value(json_object_get(error, "text"));

    json_decref(dut->requests.making);
    dut->requests.making = answer;
    if (request && code && strcmp(code, "unsupported") == 0 && dut->config.refused)
        dut->config.refused(dut->config.user, request, text ? text : code);
    json_decref(request);
    if (error)
        return dut_request_raise_error(lua, question, code ? code : "", text ? text : "refused");
    return question->finish ? question->finish(lua, answer) : 0;
}

json_t *iw_dut_await_answer(lua_State *lua, lua_KContext context, lua_KFunction again) {
    struct iw_dut *dut = iw_dut_self(lua);
    json_t *answer = dut_request_take_by_id(dut->requests.answers, lua_tointeger(lua, -1));

    if (answer && dut->embedded.agent)
        return answer;
    if (!answer && dut->failure[0])
        iw_lua_failure_raise(lua, IW_SCENARIO_ENVIRONMENT, dut->failure, NULL, NULL);
    if (!answer && !iw_task_current(lua)->timed_out)
        iw_task_wait(lua, &dut->requests.answered, context, again); /* does not return */
    iw_task_timeout(iw_task_current(lua), 0);
    if (!answer)
        iw_lua_failure_raise(lua, IW_SCENARIO_ENVIRONMENT, "the agent does not answer", NULL, NULL);
    return answer;
}

/* Waits for the answer to the request whose id is on top of the stack, and handles it. */
static int dut_request_ask_again(lua_State *lua, int status, lua_KContext context) {
    (void)status;
    return dut_request_finish_answer(lua, iw_dut_self(lua), (const struct iw_dut_question *)context,
        iw_dut_await_answer(lua, context, dut_request_ask_again));
}

int iw_dut_ask(lua_State *lua, const struct iw_dut_question *question) {
    struct iw_dut *dut = iw_dut_with_agent(lua);
    json_t *request = dut->requests.making;
    uint64_t id;

    if (dut->client)
        iw_task_timeout(iw_task_current(lua), IW_DUT_ANSWER_US);
    id = dut->client ? dut_request_ask_foreign(dut, request) : dut_request_ask_embedded(dut, request);
    if (id == 0 && !dut->failure[0])
        return luaL_error(lua, "too many requests to the agent at a time");
    lua_pushinteger(lua, (lua_Integer)id);
    return dut_request_ask_again(lua, LUA_OK, (lua_KContext)question);
}
