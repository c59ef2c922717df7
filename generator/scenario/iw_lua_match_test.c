#include "iw_lua_match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <lauxlib.h>
#include <lualib.h>

/* Globals matches(actual, expected) and describe(value): each test is a line of Lua. */
static int matches(lua_State *lua) {
    lua_pushboolean(lua, iw_lua_match_value(lua, 1, 2));
    return 1;
}

static int describe(lua_State *lua) {
    iw_lua_match_describe(lua, 1);
    return 1;
}

static int set_up(void **state) {
    lua_State *lua = luaL_newstate();

    if (lua == NULL)
        return -1;
    luaL_openlibs(lua);
    iw_lua_match_open(lua);
    lua_register(lua, "matches", matches);
    lua_register(lua, "describe", describe);
    *state = lua;
    return 0;
}

static int tear_down(void **state) {
    lua_close(*state);
    return 0;
}

static void passes(lua_State *lua, const char *text) {
    if (luaL_dostring(lua, text) != LUA_OK)
        fail_msg("%s", lua_tostring(lua, -1));
    lua_settop(lua, 0);
}

static void says(lua_State *lua, const char *text, const char *expected) {
    if (luaL_dostring(lua, text) != LUA_OK)
        fail_msg("%s", lua_tostring(lua, -1));
    assert_string_equal(lua_tostring(lua, -1), expected);
    lua_settop(lua, 0);
}

static void fails_with(lua_State *lua, const char *text, const char *expected) {
    assert_int_not_equal(luaL_dostring(lua, text), LUA_OK);
    assert_non_null(strstr(lua_tostring(lua, -1), expected));
    lua_settop(lua, 0);
}

static void compares_equal(void **state) {
    passes(*state, "assert(matches(2, 2) and not matches(2, 3) and not matches(2, '2'))");
    passes(*state, "assert(matches('ab', 'ab') and not matches(nil, 0))");
}

static void compares_flags_and_numbers(void **state) {
    passes(*state, "assert(matches(true, 1) and matches(false, 0) and not matches(true, 0))");
    passes(*state, "assert(matches(1, true) and matches(0, false) and matches(nil, false))");
    passes(*state, "assert(not matches(0, true) and not matches(nil, true))");
}

static void takes_one_of_a_set(void **state) {
    passes(*state, "local a = any{2, 4, 'fin'} assert(matches(4, a) and matches('fin', a))");
    passes(*state, "local a = any{2, 4, 'fin'} assert(not matches(3, a) and not matches(nil, a))");
    passes(*state, "assert(matches('rst', any{'fin', match'^r'}))");
    fails_with(*state, "any{}", "at least one value");
}

static void finds_patterns_in_octets(void **state) {
    passes(*state, "assert(matches('a\\0b', match'^a\\\\x00b$') and not matches('ab', match'^b'))");
    passes(*state, "assert(not matches(12, match'1'))");
    fails_with(*state, "match'(a'", "of the pattern");
}

static void limits_expensive_patterns(void **state) {
    static const char too_long[] = "match: the pattern takes too long";

    fails_with(*state, "matches(('a'):rep(40) .. 'xc', match'^(a+)+c')", too_long);
    fails_with(*state, "matches(('a'):rep(3000) .. 'xc', match'(a*)*(a*)*(a*)*c$')", too_long);
    fails_with(*state, "matches(('a'):rep(3000), match'(?R)a|a')", too_long);
    fails_with(
        *state, "match'((a{0,1000}){0,1000}){0,100}c'", "match: regular expression is too large at octet");
    fails_with(*state, "match(('('):rep(2000))", "match: parentheses are too deeply nested at octet");
    fails_with(*state, "match(('a'):rep(1 << 20))", "pattern too long");
}

static void calls_functions(void **state) {
    passes(*state, "assert(matches(5, function(v) return v > 4 end))");
    passes(*state, "assert(not matches(4, function(v) return v > 4 end))");
    fails_with(*state, "matches(nil, function(v) return v.x end)", "index a nil value");
}

static void compares_members_of_tables(void **state) {
    passes(*state, "assert(matches({a = 1, b = 2}, {a = any{1, 3}}) and not matches({b = 2}, {a = 1}))");
    passes(*state, "assert(not matches('x', {a = 1}))");
}

static void limits_nesting(void **state) {
    fails_with(
        *state, "local a = any{1} for _ = 1, 100000 do a = any{a} end matches(2, a)", "expectation too deep");
    passes(*state, "local a = any{1} for _ = 1, 100000 do a = any{a} end assert(#describe(a) < 100)");
}

static void describes_values(void **state) {
    says(*state, "return describe(7)", "7");
    says(*state, "return describe(0x1234)", "4660 (0x1234)");
    says(*state, "return describe(-1)", "-1 (0xffffffffffffffff)");
    says(*state, "return describe('fin')", "\"fin\"");
    says(*state, "return describe('\\0\\1\\xFF')", "octets 0001 ff");
    says(*state, "return describe(any{2, 4, 'x'})", "2, 4 or \"x\"");
    says(*state, "return describe(match'^a')", "matching \"^a\"");
    says(*state, "return describe{b = true, a = any{1}}", "{a=1, b=true}");
    says(*state, "return describe(nil)", "nothing");
}

static void reads_and_writes_hexadecimal(void **state) {
    passes(*state, "assert(hex'0016 c1:40\\n' == '\\0\\x16\\xC1\\x40')");
    says(*state, "return tohex('\\0\\x16\\xC1')", "0016 c1");
    fails_with(*state, "hex'0g'", "'g' is not a hexadecimal digit");
    fails_with(*state, "hex'001'", "half an octet");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(compares_equal),
        TEST(compares_flags_and_numbers),
        TEST(takes_one_of_a_set),
        TEST(finds_patterns_in_octets),
        TEST(limits_expensive_patterns),
        TEST(calls_functions),
        TEST(compares_members_of_tables),
        TEST(limits_nesting),
        TEST(describes_values),
        TEST(reads_and_writes_hexadecimal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
