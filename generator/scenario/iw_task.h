#pragma once

#include <sys/queue.h>

#include <lua.h>

#include "iw_loop.h"

/* The coroutines of a scenario. A task runs until it waits for an event. When the event happens, the task
 * checks its condition and continues or waits again. Calls never block the loop. */

struct iw_scenario;
struct iw_task;

/* An event that tasks wait for. Initialize to zero except for `what`. */
struct iw_waitable {
    const char *what;      /* for messages: "the peer" */
    struct iw_task *tasks; /* waiting now, oldest first */
    bool inner;            /* only other tasks of the scenario can cause the event */
    bool over;             /* the event will not happen again */
};

/* Wakes all waiting tasks after the current event, in the order in which they began to wait. */
void iw_waitable_wake(struct iw_waitable *waitable);

/* Wakes all waiting tasks for the last time: the event will not happen again. */
void iw_waitable_end(struct iw_waitable *waitable);

struct iw_task {
    struct iw_scenario *scenario;
    lua_State *thread;
    int reference; /* Lua reference that keeps `thread` from being collected */
    bool finished;
    bool ready; /* in the scenario's ready list */
    bool timed_out;
    bool stream_ended;  /* its last event from a peer was a close, or a message that ends the stream */
    bool loss_explains; /* its last wait timed out, or its last event from a peer was a RST: lost or reordered
                           packets would explain that */
    int arguments;      /* number of arguments for the first resumption */
    char *step;
    struct iw_timer timer;
    struct iw_waitable *waiting; /* the event that it waits for, or NULL */
    struct iw_task *next_waiting;
    STAILQ_ENTRY(iw_task) others_ready;
    struct iw_task *next; /* next task of the scenario */
    struct iw_waitable end;
};

/* The task of the coroutine `lua`. Raises an error in any other coroutine and outside of a scenario. */
struct iw_task *iw_task_current(lua_State *lua);

/* The running scenario, for functions that do not wait. Raises an error outside a scenario. */
struct iw_scenario *iw_scenario_current(lua_State *lua);

/* Limits later waits: they end `timeout_us` from now; 0: no timeout. Call it with 0 after the last wait. */
void iw_task_timeout(struct iw_task *task, uint64_t timeout_us);

/* Waits once, like lua_yieldk. `again` is called after a wake-up or the timeout (task->timed_out); it
 * checks its condition and calls this function again to keep waiting. */
int iw_task_wait(lua_State *lua, struct iw_waitable *waitable, lua_KContext context, lua_KFunction again);

/* The option timeout of the table at `options` (seconds; false: no timeout), by default the scenario's, in
 * microseconds; 0: no timeout. */
uint64_t iw_task_timeout_option(lua_State *lua, int options);

/* Begins the wait of a method whose only option is timeout, in a table at index 2, which may be absent. */
void iw_task_begin_wait(lua_State *lua, const char *method);

/* Makes a task of a function and its arguments on top of the stack, which it pops. It begins in the
 * step of `parent`; NULL: in none. Raises a Lua error if memory runs out. */
struct iw_task *iw_task_new(
    struct iw_scenario *scenario, lua_State *lua, int arguments, struct iw_task *parent);

/* The task's function has returned: wakes tasks that wait for the end of this task. */
void iw_task_finish(struct iw_task *task);
void iw_task_forget(struct iw_task *task);
void iw_task_free(struct iw_task *task);
void iw_task_make_ready(struct iw_task *task);

/* Whether the task waits, without a timeout, for an event that can no longer happen, or is `inner`. */
bool iw_task_stuck(const struct iw_task *task);

/* Registers the globals spawn, pause, step, log and print. */
void iw_task_open(lua_State *lua);
