#ifndef IW_SCENARIO_H
#define IW_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

#include "iw_endpoint.h"
#include "iw_loop.h"
#include "iw_memory.h"
#include "iw_monitor.h"
#include "iw_recorder.h"
#include "iw_result.h"
#include "iw_script.h"
#include "iw_sctp_stack.h"
#include "iw_watch.h"

/* One run of a script or of a function of it: its tasks, connections, memory and outcome. Several may run on
 * one loop, of one script or of several. */

struct iw_scenario;
struct iw_task;

struct iw_scenario_hooks {
    /* step() and log() of the script */
    void (*step)(void *user, struct iw_scenario *scenario, const char *text);
    void (*log)(void *user, struct iw_scenario *scenario, const char *text);
    /* What the monitor of the connection number `connection` (from 1) sees, findings among it. `own` are the
     * sides that the scenario itself plays, by enum iw_side: findings of the others are the peer's. */
    void (*event)(void *user, struct iw_scenario *scenario, unsigned connection, const bool own[2],
        const struct iw_monitor_event *event);
    /* It is about to listen. */
    void (*listens)(void *user, struct iw_scenario *scenario);
    /* It is over, connections included; may free the scenario. */
    void (*done)(void *user, struct iw_scenario *scenario);
    void *user;
};

/* Values of 0 mean the default in brackets. */
struct iw_scenario_config {
    struct iw_script *script;
    struct iw_loop *loop;
    struct iw_recorder *recorder; /* or NULL */
    const struct iw_watch_disguise
        *disguise;                  /* or NULL; the ISNs go up by 65,536 from connection to connection */
    const char *name;               /* goes before the step in the comments of packets, or NULL */
    bool has_extensions;            /* otherwise `extensions` is IW_EXT_ALL */
    unsigned extensions;            /* set of enum iw_extension that connections accept and monitors know */
    unsigned unlawful;              /* set that connections accept as well, but monitors do not know */
    uint32_t timeout_ms;            /* of a wait that states none [5,000] */
    uint32_t least_timeout_ms;      /* no wait is shorter, whatever it states [0] */
    uint32_t deadline_ms;           /* of the whole [none] */
    uint32_t linger_ms;             /* how long connections may take to close after the end [1,000] */
    struct iw_scenario_hooks hooks; /* each may be NULL */
    /* Gives the endpoints of the script's connections what no script can: a filter, checks to be left out.
     * May be NULL. */
    void (*configure)(const void *configure_user, struct iw_endpoint_config *config);
    const void *configure_user;
};

/* NULL if there is no memory. `config` is copied, what it points to borrowed. */
struct iw_scenario *iw_scenario_new(const struct iw_scenario_config *config);

/* Releases it with its connections, in whatever state it is. */
void iw_scenario_free(struct iw_scenario *scenario);

/* Starts the function on top of the stack of the script's state with the `arguments` values above it, all of
 * which are taken off. It runs from the loop. IW_ERR_NOMEM. */
enum iw_status iw_scenario_start(struct iw_scenario *scenario, int arguments);

/* Starts the main chunk of the script. */
enum iw_status iw_scenario_start_script(struct iw_scenario *scenario);

/* Runs the loop until the scenario is over; for who has only one, and frees it only afterwards. One that can
 * never go on is ended. */
void iw_scenario_run(struct iw_scenario *scenario);

/* The loop has nothing left to do: a scenario that is not over waits for what cannot come, and ends. */
void iw_scenario_stall(struct iw_scenario *scenario);

/* Ends it at once with the outcome INTERRUPTED, if it is not over. */
void iw_scenario_interrupt(struct iw_scenario *scenario);

/* Ends it with the outcome of that mistake, which has shown only after the script had made it. An outcome
 * that there is already stays. */
void iw_scenario_mistake(struct iw_scenario *scenario, const struct iw_scenario_result *mistake);

bool iw_scenario_over(const struct iw_scenario *scenario);
const struct iw_scenario_result *iw_scenario_result(const struct iw_scenario *scenario);

/* Findings so far, of the peers and of the sides that the scenario played, by enum iw_severity. */
const uint64_t *iw_scenario_findings(const struct iw_scenario *scenario, bool own);

/* The regions that connections of the scenario offer to their peers. */
struct iw_memory *iw_scenario_memory(struct iw_scenario *scenario);
const struct iw_scenario_config *iw_scenario_config(const struct iw_scenario *scenario);

/* ---- for those who add objects to a scenario ---- */

/* Something of a scenario that outlives the script's end: all zero but the functions is a new one. */
struct iw_scenario_part {
    void (*finish)(struct iw_scenario_part *part);   /* the script has ended: close */
    bool (*settled)(struct iw_scenario_part *part);  /* nothing of it is to be waited for any more */
    void (*conclude)(struct iw_scenario_part *part); /* the scenario is over: judge. May be NULL */
    void (*release)(struct iw_scenario_part *part);  /* end and free it */
    struct iw_scenario_part *next;
};

/* The scenario releases the part when it is freed. Returns how many parts it has. */
size_t iw_scenario_add(struct iw_scenario *scenario, struct iw_scenario_part *part);

/* The parts, the newest first. */
struct iw_scenario_part *iw_scenario_parts(struct iw_scenario *scenario);

/* Some part may have settled. */
void iw_scenario_changed(struct iw_scenario *scenario);

/* Pushes a userdata of the metatable `name` that stands for `object`. It is good as long as the scenario. */
void iw_scenario_push(lua_State *lua, struct iw_scenario *scenario, void *object, const char *name);

/* The object of the userdata at `index`. Raises an error if it is no such userdata, or of another scenario.
 */
void *iw_scenario_check(lua_State *lua, int index, const char *name);

/* Calls `function` with `data` in a state of the script's where it may raise errors, from events of the loop;
 * an error ends the scenario. Returns false then, or if the scenario is over. */
bool iw_scenario_call(struct iw_scenario *scenario, lua_CFunction function, void *data);

/* Counts the findings of an event of a connection's monitor and hands it to the hook. */
void iw_scenario_observe(struct iw_scenario *scenario, unsigned connection, const bool own[2],
    const struct iw_monitor_event *event);

/* The scenario's SCTP, made when it is first asked for; NULL if there is no memory. */
struct iw_sctp_stack *iw_scenario_sctp(struct iw_scenario *scenario);

/* It runs in memory and has SCTP, whose clock never stands still: a wait for what cannot come would not be
 * noticed. */
bool iw_scenario_never_stalls(const struct iw_scenario *scenario);

/* Counts a connection that is watched; returns its number. */
unsigned iw_scenario_connection(struct iw_scenario *scenario);

/* ---- for iw_task.c ---- */

void iw_scenario_ready(struct iw_scenario *scenario, struct iw_task *task);
struct iw_task *iw_scenario_task(struct iw_scenario *scenario); /* the one that runs now, or NULL */
size_t iw_scenario_tasks(const struct iw_scenario *scenario);   /* that have been spawned so far */
void iw_scenario_spawn(struct iw_scenario *scenario, struct iw_task *task);
void iw_scenario_say(struct iw_scenario *scenario, bool step, const char *text);

#endif
