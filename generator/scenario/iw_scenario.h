#pragma once

#include "iw_endpoint.h"
#include "iw_monitor.h"
#include "iw_result.h"
#include "iw_script.h"
#include "iw_sctp_stack.h"
#include "iw_watch.h"

/* One run of a script or of one of its functions: tasks, connections, memory and outcome. Several
 * scenarios, of one script or several, can share a loop. */

struct iw_scenario;
struct iw_task;

struct iw_scenario_hooks {
    /* step() and log() in the script */
    void (*step)(void *user, struct iw_scenario *scenario, const char *text);
    void (*log)(void *user, struct iw_scenario *scenario, const char *text);
    /* An event of the monitor of connection number `connection` (from 1), with its findings. `own`: the
     * sides that the scenario plays, by enum iw_side; findings of other sides are the peer's. */
    void (*event)(void *user, struct iw_scenario *scenario, unsigned connection, const bool own[2],
        const struct iw_monitor_event *event);
    /* The scenario is about to listen. */
    void (*listens)(void *user, struct iw_scenario *scenario);
    /* The scenario and its connections are over; may free the scenario. */
    void (*done)(void *user, struct iw_scenario *scenario);
    void *user;
};

/* 0 means the default in brackets. */
struct iw_scenario_config {
    struct iw_script *script;
    struct iw_loop *loop;
    struct iw_recorder *recorder;             /* or NULL */
    const struct iw_watch_disguise *disguise; /* or NULL; ISNs grow by 65,536 with each connection */
    const char *name;                         /* precedes the step in packet comments, or NULL */
    bool has_extensions;                      /* `extensions` is valid; otherwise IW_EXT_ALL */
    unsigned extensions;            /* set of enum iw_extension that connections and monitors accept */
    unsigned unlawful;              /* set of those `extensions` that the monitors do not accept */
    uint32_t timeout_ms;            /* of a wait without its own [5,000] */
    uint32_t least_timeout_ms;      /* minimum for a timeout that a script gives [0] */
    uint32_t deadline_ms;           /* of the whole run [none] */
    uint32_t linger_ms;             /* time limit for closing connections after the script's end [1,000] */
    struct iw_scenario_hooks hooks; /* each may be NULL */
    /* Configures the endpoints beyond what scripts can: a filter, omitted checks. May be NULL. */
    void (*configure)(const void *configure_user, struct iw_endpoint_config *config);
    const void *configure_user;
};

/* Returns NULL if memory runs out. Copies `config` but borrows what it points to. */
struct iw_scenario *iw_scenario_new(const struct iw_scenario_config *config);

/* Frees the scenario with its connections, in any state. */
void iw_scenario_free(struct iw_scenario *scenario);

/* The stack of the script's state has a function and then `arguments` values on top. Pops them and starts the
 * function with these values; the loop runs it later. Returns IW_OK or IW_ERR_NOMEM (then the values may stay
 * on the stack). */
enum iw_status iw_scenario_start(struct iw_scenario *scenario, int arguments);
enum iw_status iw_scenario_start_script(struct iw_scenario *scenario);

/* Runs the loop, and with it its other scenarios, until this scenario is over. If the loop has nothing left
 * to do, ends the scenario as iw_scenario_stall does. Call it once, then free the scenario. */
void iw_scenario_run(struct iw_scenario *scenario);

/* Call when the loop has nothing left to do: ends a scenario that waits for an event that cannot happen. */
void iw_scenario_stall(struct iw_scenario *scenario);

/* Ends the script with the outcome INTERRUPTED, unless it has ended; its connections still close. */
void iw_scenario_interrupt(struct iw_scenario *scenario);

bool iw_scenario_over(const struct iw_scenario *scenario);
/* The result so far; valid as long as the scenario. */
const struct iw_scenario_result *iw_scenario_result(const struct iw_scenario *scenario);

/* Findings so far of the peers or of the scenario's own sides, by enum iw_severity. */
const uint64_t *iw_scenario_findings(const struct iw_scenario *scenario, bool own);

/* The regions that the scenario's connections offer to their peers. */
struct iw_memory *iw_scenario_memory(struct iw_scenario *scenario);
const struct iw_scenario_config *iw_scenario_config(const struct iw_scenario *scenario);

/* An object that exists until the scenario is freed. All functions but `release` may be NULL. */
struct iw_scenario_object {
    void *self;                     /* passed to the functions */
    void (*finish)(void *object);   /* the script has ended: close */
    bool (*settled)(void *object);  /* whether the scenario need not wait for it; NULL: always */
    void (*conclude)(void *object); /* the scenario is over: judge */
    void (*release)(void *object);  /* ends and frees the object */
    struct iw_scenario_object *next;
};

/* Adds an object, which iw_scenario_free releases. Returns false if there are now too many objects. */
bool iw_scenario_add(struct iw_scenario *scenario, struct iw_scenario_object *object);

/* The objects, the newest first. */
struct iw_scenario_object *iw_scenario_objects(struct iw_scenario *scenario);
void iw_scenario_changed(struct iw_scenario *scenario);

/* Pushes a userdata for `object` with the metatable `name`; valid until the scenario is freed. */
void iw_scenario_push(lua_State *lua, struct iw_scenario *scenario, void *object, const char *name);

/* The object of the userdata at `index`. Raises an error for another userdata or another scenario's. */
void *iw_scenario_check(lua_State *lua, int index, const char *name);

/* Calls `function` with `data` from an event of the loop, in a Lua state where it may raise errors; an error
 * ends the scenario. Returns false after an error, or if the script has already ended. */
bool iw_scenario_call(struct iw_scenario *scenario, lua_CFunction function, void *data);

/* Keeps the script position of `lua`, for a mistake detected later. Dispose of it with iw_result_dispose. */
void iw_scenario_place(lua_State *lua, struct iw_result *place);

/* Ends the scenario with a script mistake at that position, unless it already has an outcome. */
void iw_scenario_mistake(struct iw_scenario *scenario, const struct iw_result *place, const char *message);

/* Counts the findings of a connection's monitor event and passes the event to the hook. */
void iw_scenario_observe(struct iw_scenario *scenario, unsigned connection, const bool own[2],
    const struct iw_monitor_event *event);

/* The scenario's SCTP stack, created on first use; NULL if memory runs out. */
struct iw_sctp_stack *iw_scenario_sctp(struct iw_scenario *scenario);

/* Whether the scenario runs on a virtual loop, without a network. */
bool iw_scenario_in_memory(const struct iw_scenario *scenario);
unsigned iw_scenario_connection(struct iw_scenario *scenario);

void iw_scenario_ready(struct iw_scenario *scenario, struct iw_task *task);
struct iw_task *iw_scenario_task(struct iw_scenario *scenario); /* the running task, or NULL */
void iw_scenario_spawn(struct iw_scenario *scenario, struct iw_task *task);
