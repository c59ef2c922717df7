#include "iw_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_lua_failure.h"

static const struct iw_scenario_result no_result = {.message = "", .script = "", .step = ""};

void iw_result_init(struct iw_result *store) {
    *store = (struct iw_result){.result = no_result};
}

void iw_result_dispose(struct iw_result *store) {
    for (size_t i = 0; i < sizeof store->texts / sizeof *store->texts; i++)
        free(store->texts[i]);
}

static const char *result_keep_text(struct iw_result *store, size_t slot, const char *text) {
    if (text == NULL)
        return NULL;
    free(store->texts[slot]);
    store->texts[slot] = strdup(text);
    return store->texts[slot] == NULL ? "" : store->texts[slot];
}

void iw_result_copy(struct iw_result *store, const struct iw_scenario_result *result) {
    store->result = *result;
    store->result.message = result_keep_text(store, 0, result->message);
    store->result.expected = result_keep_text(store, 1, result->expected);
    store->result.actual = result_keep_text(store, 2, result->actual);
    store->result.script = result_keep_text(store, 3, result->script);
    store->result.step = result_keep_text(store, 4, result->step);
}

static const char *result_failure_text_of(lua_State *lua, int table, const char *name) {
    lua_pushstring(lua, name);
    lua_rawget(lua, table);
    return lua_tostring(lua, -1);
}

/* Strips "SCRIPT:LINE: " from Lua's message and stores script and line separately. */
static void result_take_mistake(
    const char *text, lua_State *thread, struct iw_scenario_result *result, char *script, size_t capacity) {
    result->line = iw_lua_failure_where(thread, script, capacity);
    result->script = script;
    result->message = text;
    char where[32];
    snprintf(where, sizeof where, ":%d: ", result->line);
    if (result->line == 0 || strchr(text, '\n') != NULL)
        return;
    for (const char *found; (found = strstr(result->message, where)) != NULL;)
        result->message = found + strlen(where);
}

void iw_result_error(struct iw_result *store, lua_State *thread, const char *step) {
    struct iw_scenario_result result = no_result;
    char script[1024] = "";
    int error = lua_gettop(thread);

    result.outcome = iw_lua_failure_of(thread, error);

    if (!lua_checkstack(thread, 16)) {
        result.outcome = IW_SCENARIO_ERROR;
        result.message = "stack overflow";
    } else if (result.outcome != IW_SCENARIO_ERROR) {
        result.message = result_failure_text_of(thread, error, "message");
        result.expected = result_failure_text_of(thread, error, "expected");
        result.actual = result_failure_text_of(thread, error, "actual");
        result.script = result_failure_text_of(thread, error, "script");
        result_failure_text_of(thread, error, "line");
        result.line = (int)lua_tointeger(thread, -1);
    } else {
        const char *text = lua_tostring(thread, error);
        result_take_mistake(
            text == NULL ? "an error without text" : text, thread, &result, script, sizeof script);
    }
    result.step = step == NULL ? "" : step;
    iw_result_copy(store, &result);
}

void iw_result_at(struct iw_result *store, enum iw_scenario_outcome outcome, const char *message,
    lua_State *thread, const char *step) {
    struct iw_scenario_result result = no_result;
    char script[1024] = "";

    result.outcome = outcome;
    result.message = message;
    if (thread != NULL)
        result.line = iw_lua_failure_where(thread, script, sizeof script);
    result.script = script;
    result.step = step == NULL ? "" : step;
    iw_result_copy(store, &result);
}
