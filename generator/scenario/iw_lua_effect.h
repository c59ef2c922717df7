#ifndef IW_LUA_EFFECT_H
#define IW_LUA_EFFECT_H

#include "iw_lua_connection.h"

/* Whether what a script wants to be otherwise has found anything to change: a fault that cannot apply is a
 * mistake in the script. */

/* The options of an override that need something to change: a set, of those that have found nothing. */
unsigned iw_lua_effect_wanted(const struct iw_lua_override *override);

/* Those of them that change something in what is about to be sent on the connection, the override being in
 * `emit` already. */
unsigned iw_lua_effect_found(const struct iw_lua_connection *connection,
    const struct iw_lua_override *override, const struct iw_emit *emit);

/* What is wrong with the first option of that set, or NULL if it is empty: "pad_value: there is no PAD". */
const char *iw_lua_effect_text(unsigned missing);

#endif
