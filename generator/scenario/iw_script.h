#ifndef IW_SCRIPT_H
#define IW_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include <lua.h>

#include "iw_sandbox.h"
#include "iw_status.h"

/* A Lua script with the vocabulary of scenarios, in its sandbox. It does nothing until a scenario runs it. */

struct iw_script;

/* An argument as given on the command line: a global `args.name`, a number if `value` reads as one. */
struct iw_script_argument {
    const char *name;
    const char *value;
};

/* A sandbox with all globals; NULL if there is no memory. */
struct iw_script *iw_script_new(const struct iw_sandbox_config *config);
void iw_script_free(struct iw_script *script);

lua_State *iw_script_lua(struct iw_script *script);

/* Sets the globals `peer` = {host=, port=} and `args`. IW_ERR_NOMEM. */
enum iw_status iw_script_set_peer(struct iw_script *script, const char *host, uint16_t port);
enum iw_status iw_script_set_arguments(
    struct iw_script *script, const struct iw_script_argument *arguments, size_t count);

/* Loads the file; its main chunk is then what iw_script_push_main pushes. Otherwise writes one line to
 * `error` and returns as iw_sandbox_load. */
enum iw_status iw_script_load(struct iw_script *script, const char *path, char *error, size_t capacity);
void iw_script_push_main(struct iw_script *script);

/* ---- for iw_scenario.c and iw_task.c: the scenario whose task runs now ---- */

struct iw_scenario;
struct iw_scenario *iw_script_running(lua_State *lua);
void iw_script_set_running(struct iw_script *script, struct iw_scenario *scenario);

#endif
