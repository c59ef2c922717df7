#pragma once

#include "iw_sandbox.h"

/* A Lua script in its sandbox, with all functions for scenarios. It does nothing until a scenario runs it. */

struct iw_script;

/* An argument of the command line. It becomes the global args.NAME: a number if `value` can be converted. */
struct iw_script_argument {
    const char *name;
    const char *value;
};

/* Creates a script without a file: a sandbox with the functions for scenarios, and an empty table args.
 * Returns NULL if memory runs out. */
struct iw_script *iw_script_new(const struct iw_sandbox_config *config);
void iw_script_free(struct iw_script *script);

lua_State *iw_script_lua(struct iw_script *script);

/* Set the globals `peer` = {host=, port=} and `args`. IW_ERR_NOMEM if memory runs out. */
enum iw_status iw_script_set_peer(struct iw_script *script, const char *host, uint16_t port);
enum iw_status iw_script_set_arguments(
    struct iw_script *script, const struct iw_script_argument *arguments, size_t count);

/* Loads the file and keeps its main chunk for iw_script_push_main. Errors as iw_sandbox_load. */
enum iw_status iw_script_load(struct iw_script *script, const char *path, char *error, size_t capacity);
void iw_script_push_main(struct iw_script *script);

/* Get and set the scenario whose task runs now; NULL: none. Only for iw_scenario.c and iw_task.c. */
struct iw_scenario;
struct iw_scenario *iw_script_running(lua_State *lua);
void iw_script_set_running(struct iw_script *script, struct iw_scenario *scenario);
