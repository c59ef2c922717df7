#pragma once

#include <stdbool.h>

#include <lua.h>

/* How a scenario ended. */
enum iw_scenario_outcome {
    IW_SCENARIO_OK,
    IW_SCENARIO_FAILED,       /* the peer did not do what the script expected */
    IW_SCENARIO_DEADLINE,     /* not finished before the deadline */
    IW_SCENARIO_INTERRUPTED,  /* stopped by the user */
    IW_SCENARIO_ERROR,        /* a mistake in the script */
    IW_SCENARIO_ABSENT,       /* no peer connected to a listener of the script */
    IW_SCENARIO_ENVIRONMENT,  /* a failure outside of script and peer, e.g. out of memory or file error */
    IW_SCENARIO_UNREACHED,    /* no TCP connection or SCTP association with the peer */
    IW_SCENARIO_UNSUPPORTED,  /* a feature that the script asked for is unavailable */
    IW_SCENARIO_INAPPLICABLE, /* the peer does not have what the script is about */
};

struct iw_scenario_result {
    enum iw_scenario_outcome outcome;
    const char *message;  /* one line; "" if OK */
    const char *expected; /* NULL: not applicable */
    const char *actual;
    const char *script; /* "" if unknown */
    int line;           /* 0 if unknown */
    const char *step;   /* "" if no step was named */
    bool stream_ended;  /* FAILED after the script had taken the end of a stream (struct iw_task) */
    bool loss_explains; /* FAILED in a way that lost packets would explain (struct iw_task) */
};

/* A result that owns its texts. */
struct iw_result {
    struct iw_scenario_result result;
    char *texts[5];
};

void iw_result_init(struct iw_result *store);
void iw_result_dispose(struct iw_result *store);

/* Stores the error on top of the stack of `thread`, the coroutine that the error has ended. */
void iw_result_error(struct iw_result *store, lua_State *thread, const char *step);
void iw_result_copy(struct iw_result *store, const struct iw_scenario_result *result);

/* Stores the outcome, with the script position of `thread` unless `thread` is NULL. */
void iw_result_at(struct iw_result *store, enum iw_scenario_outcome outcome, const char *message,
    lua_State *thread, const char *step);
