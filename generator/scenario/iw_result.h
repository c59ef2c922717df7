#ifndef IW_RESULT_H
#define IW_RESULT_H

#include <lua.h>

/* How a scenario ended. */

enum iw_scenario_outcome {
    IW_SCENARIO_OK,
    IW_SCENARIO_FAILED,      /* the peer did not do what the script expected */
    IW_SCENARIO_DEADLINE,    /* not finished in time */
    IW_SCENARIO_INTERRUPTED, /* not finished because somebody did not want to wait */
    IW_SCENARIO_ERROR,       /* a mistake in the script */
    IW_SCENARIO_ABSENT,      /* nobody connected to a listener of the script */
    IW_SCENARIO_ENVIRONMENT, /* no memory, no file */
    IW_SCENARIO_UNREACHED,   /* no connection, or SCTP association, with the peer */
    IW_SCENARIO_UNSUPPORTED, /* what the script asked for cannot be had */
};

struct iw_scenario_result {
    enum iw_scenario_outcome outcome;
    const char *message;  /* one line; "" if OK */
    const char *expected; /* NULL if there is nothing to say */
    const char *actual;
    const char *script; /* "" and 0 if unknown */
    int line;
    const char *step; /* "" if no step was named */
};

/* A result with its texts. */
struct iw_result {
    struct iw_scenario_result result;
    char *texts[5];
};

void iw_result_init(struct iw_result *store);
void iw_result_dispose(struct iw_result *store);

/* From the error object on top of the stack of the coroutine that it ended. */
void iw_result_error(struct iw_result *store, lua_State *thread, const char *step);

/* Of which the texts are copied. */
void iw_result_copy(struct iw_result *store, const struct iw_scenario_result *result);

/* With the place where `thread`, unless NULL, waits. */
void iw_result_at(struct iw_result *store, enum iw_scenario_outcome outcome, const char *message,
    lua_State *thread, const char *step);

#endif
