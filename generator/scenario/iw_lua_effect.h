#ifndef IW_LUA_EFFECT_H
#define IW_LUA_EFFECT_H

#include "iw_lua_connection.h"

/* Detects overrides that change nothing: a fault that cannot apply is a mistake in the script. */

/* The set of options in an override that need something to change. */
unsigned iw_lua_effect_wanted(const struct iw_lua_override *override);

/* Those that change something in what the connection is about to send; `emit` already contains the
 * override. */
unsigned iw_lua_effect_found(const struct iw_lua_connection *connection,
    const struct iw_lua_override *override, const struct iw_emit *emit);

/* The message for the first option of a set of ineffective ones, or NULL if it is empty: "pad_value: there
 * is no PAD". */
const char *iw_lua_effect_text(unsigned missing);

#endif
