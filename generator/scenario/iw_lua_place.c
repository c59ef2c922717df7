#include "iw_lua_place.h"

#include <stdlib.h>
#include <string.h>

#include "iw_lua_failure.h"
#include "iw_task.h"

void iw_lua_place_init(struct iw_lua_place *place, lua_State *lua) {
    const struct iw_task *task = iw_scenario_task(iw_scenario_current(lua));
    char script[1024];

    place->line = iw_lua_failure_where(lua, script, sizeof script);
    place->script = strdup(script);
    place->step = task == NULL || task->step == NULL ? NULL : strdup(task->step);
}

void iw_lua_place_dispose(struct iw_lua_place *place) {
    free(place->script);
    free(place->step);
    *place = (struct iw_lua_place){0};
}

void iw_lua_place_blame(const struct iw_lua_place *place, struct iw_scenario *scenario, const char *message) {
    const struct iw_scenario_result mistake = {.outcome = IW_SCENARIO_ERROR,
        .message = message,
        .script = place->script == NULL ? "" : place->script,
        .line = place->line,
        .step = place->step == NULL ? "" : place->step};

    iw_scenario_mistake(scenario, &mistake);
}
