#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lauxlib.h>
#include <lualib.h>

#include "iw_dut_state.h"

static json_t *request;

/* take(nil, options) */
static int take_options(lua_State *lua) {
    static const struct iw_dut_option options[] = {{"count", IW_DUT_OPTION_INTEGER, NULL},
        {"to", IW_DUT_OPTION_WIDE, NULL}, {"crc", IW_DUT_OPTION_FLAG, NULL},
        {"verify", IW_DUT_OPTION_TEXT, "hash"}, {"data", IW_DUT_OPTION_OCTETS, NULL},
        {"rtr", IW_DUT_OPTION_LIST, NULL}, {"rights", IW_DUT_OPTION_RIGHTS, NULL},
        {"timeout", IW_DUT_OPTION_OTHER, NULL}, {0}};

    iw_dut_option_take(lua, "post", options, request);
    assert_int_equal(lua_gettop(lua), 2);
    return 0;
}

/* Checks the request that take(nil, options) builds; or the error, without its line number. */
static void check_request(const char *options, const char *expected) {
    lua_State *lua = luaL_newstate();
    char script[256], *json;
    const char *actual;

    luaL_openlibs(lua);
    lua_register(lua, "take", take_options);
    request = json_object();
    snprintf(script, sizeof script, "take(nil, %s)", options);
    if (luaL_dostring(lua, script) == LUA_OK) {
        json = json_dumps(request, JSON_COMPACT | JSON_SORT_KEYS);
        assert_string_equal(json, expected);
        free(json);
    } else {
        actual = strstr(lua_tostring(lua, -1), ":1: ");
        assert_non_null(actual);
        assert_string_equal(actual + 4, expected);
    }
    json_decref(request);
    lua_close(lua);
}

static void options_become_request_fields(void **state) {
    (void)state;
    check_request("nil", "{}");
    check_request("{}", "{}");
    check_request("{count = 5, to = 1 << 63, crc = false, verify = 'sha256', data = 'a\\0z', timeout = 7}",
        "{\"count\":5,\"crc\":false,\"data\":\"61007a\",\"hash\":\"sha256\",\"to\":\"0x8000000000000000\"}");
    check_request("{rtr = {'read', 'send'}, rights = 'gr'}",
        "{\"rights\":[\"read\",\"expose\"],\"rtr\":[\"read\",\"send\"]}");
}

static void invalid_option_is_named(void **state) {
    (void)state;
    check_request("{cuont = 5}", "post has no 'cuont' (did you mean 'count'?)");
    check_request("{count = 'many'}", "count takes an integer, not a string");
    check_request("{to = 1.5}", "to takes an integer, not a number");
    check_request("{verify = 256}", "verify takes a text, not a number");
    check_request("{data = {}}", "data takes octets (a string), not a table");
    check_request("{rtr = 'read'}", "rtr takes a list of texts, not a string");
    check_request("{rtr = {'read', 2}}", "rtr takes a list of texts, not a number");
    check_request("{rights = 1}", "rights takes letters of \"rwapg\", not a number");
    check_request("{rights = 'rx'}", "rights takes letters of \"rwapg\", not \"rx\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_become_request_fields),
        cmocka_unit_test(invalid_option_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
