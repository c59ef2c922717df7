#include "iw_task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iw_lua_member.h"
#include "iw_lua_names.h"
#include "iw_scenario_state.h"

static const char task_name[] = "iw.task";

enum {
    TASKS_MAX = 10000,            /* limit for the whole scenario: tasks are freed only at its end */
    STEP_MAX = 4096,              /* octets of a step's name; each task and packet has a copy */
    LINE_STEPS = 100,             /* sandbox steps for a step or a line of the log, plus 1 for each octet */
    NEVER_US = 600 * 1000 * 1000, /* longer than any timeout of SCTP (RFC 9260 16) */
};

void iw_waitable_wake(struct iw_waitable *waitable) {
    struct iw_task *task = waitable->tasks;

    waitable->tasks = NULL;
    while (task != NULL) {
        struct iw_task *next = task->next_waiting;
        task->waiting = NULL;
        iw_task_make_ready(task);
        task = next;
    }
}

void iw_waitable_end(struct iw_waitable *waitable) {
    waitable->over = true;
    iw_waitable_wake(waitable);
}

void iw_task_forget(struct iw_task *task) {
    if (task->waiting == NULL)
        return;
    struct iw_task **link = &task->waiting->tasks;
    while (*link != task)
        link = &(*link)->next_waiting;
    *link = task->next_waiting;
    task->waiting = NULL;
}

void iw_task_make_ready(struct iw_task *task) {
    iw_task_forget(task);
    if (task->ready || task->finished)
        return;
    task->ready = true;
    iw_scenario_ready(task->scenario, task);
}

struct iw_task *iw_task_new(
    struct iw_scenario *scenario, lua_State *lua, int arguments, struct iw_task *parent) {
    lua_State *thread = lua_newthread(lua);

    luaL_checkstack(thread, arguments + 2, NULL);
    lua_insert(lua, -arguments - 2);
    lua_xmove(lua, thread, arguments + 1);
    struct iw_task *task = calloc(1, sizeof *task);
    char *task_step = parent == NULL || parent->step == NULL ? NULL : strdup(parent->step);
    if (task == NULL || (parent != NULL && parent->step != NULL && task_step == NULL)) {
        free(task);
        free(task_step);
        luaL_error(lua, "not enough memory");
        return NULL;
    }
    task->scenario = scenario;
    task->thread = thread;
    task->step = task_step;
    task->arguments = arguments;
    task->end = (struct iw_waitable){.what = "a task", .inner = true};
    task->reference = luaL_ref(lua, LUA_REGISTRYINDEX);
    return task;
}

static void task_release_thread(struct iw_task *task) {
    lua_State *lua = iw_script_lua(iw_scenario_config(task->scenario)->script);

    luaL_unref(lua, LUA_REGISTRYINDEX, task->reference);
    task->reference = LUA_NOREF;
    task->thread = NULL;
}

void iw_task_finish(struct iw_task *task) {
    task->finished = true;
    iw_task_timeout(task, 0);
    task_release_thread(task);
    iw_waitable_end(&task->end);
}

void iw_task_free(struct iw_task *task) {
    iw_task_forget(task);
    iw_timer_stop(&task->timer);
    task_release_thread(task);
    free(task->step);
    free(task);
}

bool iw_task_stuck(const struct iw_task *task) {
    return task->waiting != NULL && (task->waiting->over || task->waiting->inner) &&
           !iw_timer_runs(&task->timer);
}

struct iw_scenario *iw_scenario_current(lua_State *lua) {
    struct iw_scenario *scenario = iw_script_running(lua);

    if (scenario == NULL)
        luaL_error(lua, "this works only while a scenario runs");
    return scenario;
}

struct iw_task *iw_task_current(lua_State *lua) {
    struct iw_task *task = iw_scenario_task(iw_scenario_current(lua));

    if (task == NULL || task->thread != lua)
        luaL_error(lua, "a coroutine of the script cannot wait; use spawn");
    return task;
}

static void task_time_out(void *user) {
    struct iw_task *task = user;

    task->timed_out = task->loss_explains = true;
    if (task->waiting != NULL)
        iw_task_make_ready(task);
}

void iw_task_timeout(struct iw_task *task, uint64_t timeout_us) {
    iw_timer_stop(&task->timer);
    task->timed_out = false;
    if (timeout_us != 0)
        iw_timer_start(
            &task->timer, iw_scenario_config(task->scenario)->loop, timeout_us, task_time_out, task);
}

int iw_task_wait(lua_State *lua, struct iw_waitable *waitable, lua_KContext context, lua_KFunction again) {
    struct iw_task *task = iw_task_current(lua);
    struct iw_task **last = &waitable->tasks;

    if (!lua_isyieldable(lua))
        return luaL_error(lua, "a wait is not possible here");
    while (*last != NULL)
        last = &(*last)->next_waiting;
    *last = task;
    task->next_waiting = NULL;
    task->waiting = waitable;
    return lua_yieldk(lua, 0, context, again);
}

static uint64_t microseconds(lua_State *lua, const char *what, lua_Number seconds) {
    if (isnan(seconds) || seconds < 0)
        luaL_error(lua, "%s: %f is not a number of seconds", what, seconds);
    if (seconds > 1e9)
        return 0;
    return seconds * 1e6 < 1 ? 1 : (uint64_t)(seconds * 1e6);
}

uint64_t iw_task_timeout_option(lua_State *lua, int options) {
    const struct iw_scenario *scenario = iw_scenario_current(lua);
    uint64_t timeout_us = 1000 * (uint64_t)scenario->config.timeout_ms;
    uint64_t least_us = 1000 * (uint64_t)scenario->config.least_timeout_ms;

    if (!lua_istable(lua, options))
        return timeout_us;
    switch (lua_getfield(lua, options, "timeout")) {
    case LUA_TNIL:
        break;
    case LUA_TNUMBER:
        timeout_us = microseconds(lua, "timeout", lua_tonumber(lua, -1));
        break;
    default:
        if (lua_toboolean(lua, -1))
            luaL_error(lua, "timeout takes seconds, or false for none");
        timeout_us = 0;
    }
    lua_pop(lua, 1);
    /* SCTP in memory keeps its clock running: the loop never notices a wait for an impossible event. */
    if (timeout_us == 0 && scenario->sctp != NULL && iw_scenario_in_memory(scenario))
        timeout_us = NEVER_US;
    return timeout_us != 0 && timeout_us < least_us ? least_us : timeout_us;
}

void iw_task_begin_wait(lua_State *lua, const char *method) {
    static const char *const options[] = {"timeout", NULL};

    iw_lua_names_table(lua, 2);
    iw_lua_names_allow(lua, 2, options, method);
    iw_task_timeout(iw_task_current(lua), iw_task_timeout_option(lua, 2));
}

static int task_spawn(lua_State *lua) {
    struct iw_scenario *scenario = iw_scenario_current(lua);

    luaL_checktype(lua, 1, LUA_TFUNCTION);
    if (scenario->task_count >= TASKS_MAX)
        return luaL_error(lua, "spawn: a script has at most %d tasks", (int)TASKS_MAX);
    struct iw_task *task = iw_task_new(scenario, lua, lua_gettop(lua) - 1, iw_scenario_task(scenario));
    iw_scenario_spawn(scenario, task);
    iw_scenario_push(lua, scenario, task, task_name);
    return 1;
}

static int task_wait_again(lua_State *lua, int status, lua_KContext context) {
    struct iw_task *awaited = iw_scenario_check(lua, 1, task_name);

    (void)status;
    if (awaited->finished)
        return 0;
    return iw_task_wait(lua, &awaited->end, context, task_wait_again);
}

static int task_wait(lua_State *lua) {
    iw_task_timeout(iw_task_current(lua), 0);
    return task_wait_again(lua, LUA_OK, 0);
}

static int task_pause_again(lua_State *lua, int status, lua_KContext context) {
    static struct iw_waitable nothing = {.what = "the clock"};
    struct iw_task *task = iw_task_current(lua);

    (void)status;
    if (task->timed_out) {
        iw_task_timeout(task, 0);
        return 0;
    }
    return iw_task_wait(lua, &nothing, context, task_pause_again);
}

static int task_pause(lua_State *lua) {
    uint64_t timeout_us = microseconds(lua, "pause", luaL_checknumber(lua, 1));

    luaL_argcheck(lua, timeout_us != 0, 1, "too long");
    iw_task_timeout(iw_task_current(lua), timeout_us);
    return task_pause_again(lua, LUA_OK, 0);
}

/* now(): seconds since 1970, as the member `time` of events. */
static int task_now(lua_State *lua) {
    struct iw_loop *loop = iw_scenario_config(iw_scenario_current(lua))->loop;

    lua_pushnumber(lua, (lua_Number)iw_loop_time_ns(loop) / 1e9);
    return 1;
}

static int task_step(lua_State *lua) {
    size_t length;
    const char *text = luaL_checklstring(lua, 1, &length);
    struct iw_scenario *scenario = iw_scenario_current(lua);
    struct iw_task *task = iw_scenario_task(scenario);

    luaL_argcheck(lua, length <= STEP_MAX, 1, "too long");
    iw_sandbox_charge(lua, LINE_STEPS + length);
    char *copy = strdup(text);
    if (copy == NULL)
        return luaL_error(lua, "not enough memory");
    free(task->step);
    task->step = copy;
    const struct iw_scenario_hooks *hooks = &iw_scenario_config(scenario)->hooks;
    if (hooks->step != NULL)
        hooks->step(hooks->user, scenario, text);
    return 0;
}

static int task_log(lua_State *lua) {
    struct iw_scenario *scenario = iw_scenario_current(lua);
    int count = lua_gettop(lua);
    luaL_Buffer buffer;

    luaL_buffinit(lua, &buffer);
    for (int i = 1; i <= count; i++) {
        if (i > 1)
            luaL_addchar(&buffer, ' ');
        luaL_tolstring(lua, i, NULL);
        luaL_addvalue(&buffer);
    }
    luaL_pushresult(&buffer);
    iw_sandbox_charge(lua, LINE_STEPS + lua_rawlen(lua, -1));
    const struct iw_scenario_hooks *hooks = &iw_scenario_config(scenario)->hooks;
    if (hooks->log != NULL)
        hooks->log(hooks->user, scenario, lua_tostring(lua, -1));
    return 0;
}

void iw_task_open(lua_State *lua) {
    static const luaL_Reg methods[] = {{"wait", task_wait}, {NULL, NULL}};

    iw_lua_member_metatable(lua, task_name, methods);
    lua_pushvalue(lua, -1);
    lua_setfield(lua, -2, "__index");
    lua_pop(lua, 1);
    lua_register(lua, "spawn", task_spawn);
    lua_register(lua, "pause", task_pause);
    lua_register(lua, "now", task_now);
    lua_register(lua, "step", task_step);
    lua_register(lua, "log", task_log);
    lua_register(lua, "print", task_log);
}
