#ifndef IW_TASK_H
#define IW_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include <lua.h>

#include "iw_loop.h"

/* The coroutines of a scenario. A task runs until it waits for something; when that has happened it looks
 * again and goes on, or waits on. Nothing ever blocks. */

struct iw_scenario;
struct iw_task;

/* Something that tasks wait for. Its owner looks after it; all zero but `what` is a new one. */
struct iw_waitable {
    const char *what;      /* for messages: "the peer" */
    struct iw_task *tasks; /* that wait for it now, the last first */
    bool inner;            /* only other tasks of the scenario can make it happen */
    bool over;             /* it will not happen any more */
};

/* It has happened: all tasks that wait for it look again, as soon as the running event has ended, in the
 * order in which they began to wait. */
void iw_waitable_wake(struct iw_waitable *waitable);

/* It happens no more; the tasks look again. */
void iw_waitable_end(struct iw_waitable *waitable);

struct iw_task {
    struct iw_scenario *scenario;
    lua_State *thread;
    int reference; /* keeps `thread` from being collected */
    bool finished;
    bool ready; /* in the scenario's list of those to be resumed */
    bool timed_out;
    int arguments; /* for the first resumption */
    char *step;
    struct iw_timer timer;
    struct iw_waitable *waiting; /* what it waits for, or NULL */
    struct iw_task *next_waiting;
    struct iw_task *next_ready;
    struct iw_task *next; /* of the scenario */
    struct iw_waitable end;
};

/* The task whose coroutine `lua` is. Raises an error in any other coroutine, and when no scenario runs. */
struct iw_task *iw_task_current(lua_State *lua);

/* The scenario that is running, for functions that do not wait. Raises an error if there is none. */
struct iw_scenario *iw_scenario_current(lua_State *lua);

/* For the wait or waits that follow: they end `timeout_us` microseconds from now; 0 for never. To be called
 * again with 0 when the waiting is over. */
void iw_task_timeout(struct iw_task *task, uint64_t timeout_us);

/* Waits once, in the way of lua_yieldk: `again` is called when `waitable` was woken or the timeout has passed
 * (task->timed_out), looks, and calls this function again if it has to go on waiting. */
int iw_task_wait(lua_State *lua, struct iw_waitable *waitable, lua_KContext context, lua_KFunction again);

/* The option timeout (seconds, or false for none) of the table at `options`, or the scenario's own, in
 * microseconds; 0 for none. */
uint64_t iw_task_timeout_option(lua_State *lua, int options);

/* ---- for iw_scenario.c ---- */

/* A new task for the function on top of the stack of `lua` with its arguments above it, which are taken off.
 * Raises an error of Lua if there is no memory. */
struct iw_task *iw_task_new(
    struct iw_scenario *scenario, lua_State *lua, int arguments, struct iw_task *parent);

/* Its function has returned: those that wait for it go on. */
void iw_task_finish(struct iw_task *task);

/* Takes it off whatever it waits for. */
void iw_task_forget(struct iw_task *task);

/* Does so and releases it. */
void iw_task_free(struct iw_task *task);

/* Puts it among those to be resumed. */
void iw_task_make_ready(struct iw_task *task);

/* It cannot be woken by anything but others of the same scenario. */
bool iw_task_stuck(const struct iw_task *task);

/* Globals step, spawn and pause. */
void iw_task_open(lua_State *lua);

#endif
