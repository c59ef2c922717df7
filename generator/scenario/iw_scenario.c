#include "iw_scenario_state.h"

#include <stdio.h>
#include <stdlib.h>

#include <lauxlib.h>

static uint64_t last_serial;

struct iw_scenario *iw_scenario_new(const struct iw_scenario_config *config) {
    struct iw_scenario *scenario = calloc(1, sizeof *scenario);

    if (scenario == NULL)
        return NULL;
    scenario->config = *config;
    if (!scenario->config.has_extensions)
        scenario->config.extensions = IW_EXT_ALL;
    if (scenario->config.timeout_ms == 0)
        scenario->config.timeout_ms = 5000;
    if (scenario->config.linger_ms == 0)
        scenario->config.linger_ms = 1000;
    scenario->serial = ++last_serial;
    STAILQ_INIT(&scenario->ready);
    iw_result_init(&scenario->result);
    scenario->memory = iw_memory_new();
    if (scenario->memory == NULL) {
        free(scenario);
        return NULL;
    }
    if (iw_loop_kind(config->loop) == IW_LOOP_REAL)
        iw_memory_scatter(scenario->memory);
    return scenario;
}

static void scenario_free_tasks(struct iw_scenario *scenario) {
    for (struct iw_task *task = scenario->tasks; task != NULL; task = task->next)
        iw_task_forget(task); /* tasks may wait for each other */
    while (scenario->tasks != NULL) {
        struct iw_task *task = scenario->tasks;
        scenario->tasks = task->next;
        iw_task_free(task);
    }
}

static void scenario_conclude(void *user) {
    struct iw_scenario *scenario = user;

    if (scenario->phase == IW_PHASE_OVER)
        return;
    scenario->phase = IW_PHASE_OVER;
    iw_timer_stop(&scenario->turn);
    iw_timer_stop(&scenario->deadline);
    for (struct iw_scenario_object *object = scenario->objects; object != NULL; object = object->next)
        if (object->conclude != NULL)
            object->conclude(object->self);
    if (scenario->in_run)
        iw_loop_stop(scenario->config.loop);
    if (scenario->config.hooks.done != NULL)
        scenario->config.hooks.done(scenario->config.hooks.user, scenario);
}

static void scenario_end(struct iw_scenario *scenario) {
    if (scenario->phase >= IW_PHASE_LINGERING)
        return;
    scenario->phase = IW_PHASE_LINGERING;
    for (struct iw_scenario_object *object = scenario->objects; object != NULL; object = object->next)
        if (object->finish != NULL)
            object->finish(object->self);
    iw_timer_start(&scenario->deadline, scenario->config.loop, 1000 * (uint64_t)scenario->config.linger_ms,
        scenario_conclude, scenario);
    iw_scenario_changed(scenario);
}

/* Runs from the loop, so that no object is freed while one of its functions runs. */
static void scenario_conclude_if_settled(void *user) {
    struct iw_scenario *scenario = user;

    for (struct iw_scenario_object *object = scenario->objects; object != NULL; object = object->next)
        if (object->settled != NULL && !object->settled(object->self))
            return;
    scenario_conclude(scenario);
}

void iw_scenario_changed(struct iw_scenario *scenario) {
    if (scenario->phase == IW_PHASE_LINGERING)
        iw_timer_start(&scenario->turn, scenario->config.loop, 0, scenario_conclude_if_settled, scenario);
}

static void scenario_conclude_waiting(
    struct iw_scenario *scenario, enum iw_scenario_outcome outcome, const char *message) {
    struct iw_task *task = scenario->main;

    iw_result_at(&scenario->result, outcome, message, task == NULL ? NULL : task->thread,
        task == NULL ? NULL : task->step);
    scenario_end(scenario);
}

void iw_scenario_interrupt(struct iw_scenario *scenario) {
    if (scenario->phase < IW_PHASE_LINGERING)
        scenario_conclude_waiting(scenario, IW_SCENARIO_INTERRUPTED, "interrupted");
}

void iw_scenario_place(lua_State *lua, struct iw_result *place) {
    const struct iw_task *task = iw_scenario_current(lua)->running;

    iw_result_at(place, IW_SCENARIO_ERROR, "", lua, task == NULL ? NULL : task->step);
}

void iw_scenario_mistake(struct iw_scenario *scenario, const struct iw_result *place, const char *message) {
    struct iw_scenario_result mistake = place->result;

    if (scenario->phase == IW_PHASE_OVER || scenario->result.result.outcome != IW_SCENARIO_OK)
        return;
    mistake.message = message;
    iw_result_copy(&scenario->result, &mistake);
    scenario_end(scenario);
}

static void scenario_pass_deadline(void *user) {
    struct iw_scenario *scenario = user;
    char message[96];

    snprintf(message, sizeof message, "not finished after %u ms", scenario->config.deadline_ms);
    if (scenario->phase < IW_PHASE_LINGERING)
        scenario_conclude_waiting(scenario, IW_SCENARIO_DEADLINE, message);
}

static void scenario_report_error(struct iw_scenario *scenario, struct iw_task *task, int status) {
    const struct iw_sandbox *sandbox = iw_sandbox_of(task->thread);
    char message[IW_SANDBOX_SPENT_OCTETS] = "coroutine.yield outside of the script's own coroutines";

    if (status != LUA_YIELD) {
        iw_result_error(&scenario->result, task->thread, task->step);
        scenario->result.result.stream_ended = task->stream_ended;
        scenario->result.result.loss_explains = task->loss_explains;
        return;
    }
    if (iw_sandbox_spent(sandbox))
        iw_sandbox_spent_text(sandbox, message);
    iw_result_at(&scenario->result, IW_SCENARIO_ERROR, message, task->thread, task->step);
}

static void scenario_resume(struct iw_scenario *scenario, struct iw_task *task) {
    struct iw_script *script = scenario->config.script;
    lua_State *lua = iw_script_lua(script);
    int arguments = task->arguments;
    int results;

    task->arguments = 0;
    iw_sandbox_refill(iw_sandbox_of(lua), task->thread);
    scenario->running = task;
    iw_script_set_running(script, scenario);
    int status = lua_resume(task->thread, lua, arguments, &results);
    iw_script_set_running(script, NULL);
    scenario->running = NULL;
    if (scenario->phase != IW_PHASE_RUNNING)
        return;
    if (status == LUA_YIELD && task->waiting != NULL) {
        lua_pop(task->thread, results);
        return;
    }
    if (status == LUA_OK) {
        iw_task_finish(task);
        if (task == scenario->main)
            scenario_end(scenario);
        return;
    }
    scenario_report_error(scenario, task, status);
    scenario_end(scenario);
}

static void scenario_report_deadlock(struct iw_scenario *scenario) {
    struct iw_task *task = scenario->main;
    char message[160];

    snprintf(message, sizeof message, "script waits for something that cannot come: %s",
        task->waiting == NULL ? "nothing" : task->waiting->what);
    scenario_conclude_waiting(scenario, IW_SCENARIO_ERROR, message);
}

static struct iw_task *scenario_take_ready(struct iw_scenario *scenario) {
    struct iw_task *task = STAILQ_FIRST(&scenario->ready);

    STAILQ_REMOVE_HEAD(&scenario->ready, others_ready);
    scenario->ready_count--;
    task->ready = false;
    return task;
}

/* Resumes the tasks that are ready now. Tasks that become ready meanwhile run after other due events: endless
 * wake-ups must not keep the loop from deadlines and signals. Detects that all tasks are stuck. */
static void scenario_run_ready(void *user) {
    struct iw_scenario *scenario = user;

    for (size_t left = scenario->ready_count; left > 0 && scenario->phase == IW_PHASE_RUNNING; left--)
        scenario_resume(scenario, scenario_take_ready(scenario));
    for (struct iw_task *task = scenario->tasks; task != NULL; task = task->next)
        if (!task->finished && !iw_task_stuck(task))
            return;
    if (scenario->phase == IW_PHASE_RUNNING)
        scenario_report_deadlock(scenario);
}

void iw_scenario_ready(struct iw_scenario *scenario, struct iw_task *task) {
    if (scenario->phase != IW_PHASE_RUNNING)
        return;
    STAILQ_INSERT_TAIL(&scenario->ready, task, others_ready);
    scenario->ready_count++;
    if (!iw_timer_runs(&scenario->turn))
        iw_timer_start(&scenario->turn, scenario->config.loop, 0, scenario_run_ready, scenario);
}

void iw_scenario_spawn(struct iw_scenario *scenario, struct iw_task *task) {
    task->next = scenario->tasks;
    scenario->tasks = task;
    scenario->task_count++;
    iw_task_make_ready(task);
}

struct start {
    struct iw_scenario *scenario;
    struct iw_task *task;
    int arguments;
};

/* The stack holds the function, its arguments and a struct start. */
static int scenario_make_main_task(lua_State *lua) {
    struct start *start = lua_touserdata(lua, -1);

    lua_pop(lua, 1);
    start->scenario->service = lua_newthread(lua);
    start->scenario->service_reference = luaL_ref(lua, LUA_REGISTRYINDEX);
    start->task = iw_task_new(start->scenario, lua, start->arguments, NULL);
    return 0;
}

enum iw_status iw_scenario_start(struct iw_scenario *scenario, int arguments) {
    struct start start = {.scenario = scenario, .arguments = arguments};
    lua_State *lua = iw_script_lua(scenario->config.script);

    if (!lua_checkstack(lua, 4))
        return IW_ERR_NOMEM;
    lua_pushcfunction(lua, scenario_make_main_task);
    lua_insert(lua, -arguments - 2);
    lua_pushlightuserdata(lua, &start);
    if (lua_pcall(lua, arguments + 2, 0, 0) != LUA_OK) {
        lua_pop(lua, 1);
        return IW_ERR_NOMEM;
    }
    scenario->phase = IW_PHASE_RUNNING;
    scenario->main = start.task;
    iw_scenario_spawn(scenario, start.task);
    if (scenario->config.deadline_ms != 0)
        iw_timer_start(&scenario->deadline, scenario->config.loop,
            1000 * (uint64_t)scenario->config.deadline_ms, scenario_pass_deadline, scenario);
    return IW_OK;
}

enum iw_status iw_scenario_start_script(struct iw_scenario *scenario) {
    iw_script_push_main(scenario->config.script);
    return iw_scenario_start(scenario, 0);
}

void iw_scenario_stall(struct iw_scenario *scenario) {
    if (scenario->phase == IW_PHASE_RUNNING)
        scenario_report_deadlock(scenario);
    scenario_conclude(scenario);
}

void iw_scenario_run(struct iw_scenario *scenario) {
    scenario->in_run = true;
    while (scenario->phase != IW_PHASE_OVER)
        if (!iw_loop_run(scenario->config.loop) && scenario->phase != IW_PHASE_OVER)
            iw_scenario_stall(scenario);
}

void iw_scenario_free(struct iw_scenario *scenario) {
    if (scenario == NULL)
        return;
    scenario->phase = IW_PHASE_OVER;
    iw_timer_stop(&scenario->turn);
    iw_timer_stop(&scenario->deadline);
    scenario_free_tasks(scenario);
    while (scenario->objects != NULL) {
        struct iw_scenario_object *object = scenario->objects;
        scenario->objects = object->next;
        object->release(object->self);
    }
    if (scenario->service != NULL)
        luaL_unref(iw_script_lua(scenario->config.script), LUA_REGISTRYINDEX, scenario->service_reference);
    iw_sctp_stack_free(scenario->sctp);
    iw_memory_free(scenario->memory);
    iw_result_dispose(&scenario->result);
    free(scenario);
}

bool iw_scenario_call(struct iw_scenario *scenario, lua_CFunction function, void *data) {
    lua_State *lua = scenario->service;
    struct iw_script *script = scenario->config.script;

    if (scenario->phase != IW_PHASE_RUNNING || !lua_checkstack(lua, 4))
        return false;
    struct iw_scenario *before = iw_script_running(lua);
    iw_script_set_running(script, scenario);
    lua_pushcfunction(lua, function);
    lua_pushlightuserdata(lua, data);
    int status = lua_pcall(lua, 1, 0, 0);
    iw_script_set_running(script, before);
    if (status == LUA_OK)
        return true;
    iw_result_error(&scenario->result, lua, NULL);
    lua_settop(lua, 0);
    scenario_end(scenario);
    return false;
}

bool iw_scenario_over(const struct iw_scenario *scenario) {
    return scenario->phase == IW_PHASE_OVER;
}
