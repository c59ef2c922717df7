#ifndef IW_DUT_OPTION_H
#define IW_DUT_OPTION_H

#include <lua.h>

#include <jansson.h>

/* Converts options of a `dut` method, the table at index 2 of the stack, to fields of a request. */

enum iw_dut_option_type {
    IW_DUT_OPTION_OTHER, /* handled by the method itself */
    IW_DUT_OPTION_INTEGER,
    IW_DUT_OPTION_WIDE, /* of 64 bits */
    IW_DUT_OPTION_FLAG,
    IW_DUT_OPTION_TEXT,
    IW_DUT_OPTION_OCTETS,
    IW_DUT_OPTION_LIST,   /* of strings */
    IW_DUT_OPTION_RIGHTS, /* letters */
};

struct iw_dut_option {
    const char *name; /* NULL after the last */
    enum iw_dut_option_type type;
    const char *field; /* of the request; NULL: same as the option */
};

/* Creates an empty table if there is none. Raises an error for a name that is not in `options`. */
void iw_dut_option_check(lua_State *lua, const char *method, const struct iw_dut_option *options);

/* Also sets the field of each given option. Raises an error for an invalid value. */
void iw_dut_option_take(
    lua_State *lua, const char *method, const struct iw_dut_option *options, json_t *request);

#endif
