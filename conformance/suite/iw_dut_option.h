#ifndef IW_DUT_OPTION_H
#define IW_DUT_OPTION_H

#include <lua.h>

#include <jansson.h>

/* The options of the methods of `dut`, the table at index 2 of the stack, as fields of a request. */

enum iw_dut_option_type {
    IW_DUT_OPTION_OTHER, /* the method looks at it by itself */
    IW_DUT_OPTION_INTEGER,
    IW_DUT_OPTION_WIDE, /* of 64 bits */
    IW_DUT_OPTION_FLAG,
    IW_DUT_OPTION_TEXT,
    IW_DUT_OPTION_OCTETS,
    IW_DUT_OPTION_LIST,   /* of texts */
    IW_DUT_OPTION_RIGHTS, /* letters */
};

struct iw_dut_option {
    const char *name; /* NULL behind the last */
    enum iw_dut_option_type type;
    const char *field; /* of the request, or NULL: called as the option */
};

/* Makes it an empty table if there is none. Raises an error for a name that is not among `options`. */
void iw_dut_option_check(lua_State *lua, const char *method, const struct iw_dut_option *options);

/* The same, and sets the field of each option that is given. Raises an error for a value that is none. */
void iw_dut_option_take(
    lua_State *lua, const char *method, const struct iw_dut_option *options, json_t *request);

#endif
