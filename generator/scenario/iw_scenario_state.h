#pragma once

#include "iw_scenario.h"
#include "iw_task.h"

enum iw_scenario_phase {
    IW_PHASE_READY,     /* not started */
    IW_PHASE_RUNNING,   /* the script runs or waits */
    IW_PHASE_LINGERING, /* the script has ended; connections close */
    IW_PHASE_OVER,
};

struct iw_scenario {
    struct iw_scenario_config config;
    uint64_t serial;
    enum iw_scenario_phase phase;
    struct iw_memory *memory;
    struct iw_sctp_stack *sctp; /* or NULL */
    lua_State *service;         /* coroutine for Lua code that runs in events of the loop */
    int service_reference;
    struct iw_task *tasks; /* newest first; the main task is the last */
    struct iw_task *main;
    struct iw_task *running;
    STAILQ_HEAD(iw_ready_tasks, iw_task) ready;
    size_t ready_count;
    size_t task_count; /* tasks spawned so far */
    struct iw_timer turn;
    struct iw_timer deadline; /* for the whole run; after the script's end, for lingering */
    struct iw_scenario_object *objects;
    size_t object_count;
    unsigned connections;
    bool in_run; /* iw_scenario_run is running the loop */
    uint64_t findings[2][IW_SEVERITY_ERROR + 1];
    struct iw_result result;
};
