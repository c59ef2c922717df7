
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <lauxlib.h>
#include <lualib.h>

#include "iw_sandbox.h"

/* Runs the text in a sandbox with that many steps. Its result or error is on top of the stack. */
static const char *run(struct iw_sandbox *sandbox, uint64_t steps, const char *text) {
    const struct iw_sandbox_config config = {.instructions = steps};
    char error[256];

    assert_int_equal(iw_sandbox_init(sandbox, &config), IW_OK);
    assert_int_equal(
        iw_sandbox_load_text(sandbox, text, strlen(text), "test.lua", error, sizeof error), IW_OK);
    iw_sandbox_refill(sandbox, sandbox->lua);
    lua_pcall(sandbox->lua, 0, 1, 0);
    return lua_tostring(sandbox->lua, -1);
}

/* The text returns the same string with Lua's own library. */
static void same_as_lua(const char *text) {
    struct iw_sandbox sandbox;
    const char *ours = run(&sandbox, 0, text);
    lua_State *lua = luaL_newstate();

    luaL_openlibs(lua);
    luaL_loadbuffer(lua, text, strlen(text), "@test.lua");
    lua_pcall(lua, 0, 1, 0);
    assert_non_null(ours);
    assert_string_equal(ours, lua_tostring(lua, -1));
    lua_close(lua);
    iw_sandbox_dispose(&sandbox);
}

#define SHOW                                                                                                 \
    "local out = {}\n"                                                                                       \
    "local function show(...)\n"                                                                             \
    "  local list = table.pack(...)\n"                                                                       \
    "  for i = 1, list.n do list[i] = tostring(list[i]) end\n"                                               \
    "  out[#out + 1] = table.concat(list, '|')\n"                                                            \
    "end\n"

static void known_patterns_match_as_in_lua(void **state) {
    (void)state;
    same_as_lua(SHOW
        "for _, p in ipairs{'', 'l', 'l+', '(l)(l)', '^h', '^e', 'o$', '$', '^$', '.-', '()ll()', '%a+',\n"
        "  '[^l]+', '[a-f]', '[]]', '[^]]', '[%a-]', '%f[%w]%w+', '%b()', '(.)%1', '%', '[a', '(a', 'a)', "
        "'%1',\n"
        "  '%f', '%b', '%bx', '[%', '[%]', '%z', 'h?e*l-o', 'hello+', '%S', '%%', 'a%', '(()', '[a-]', "
        "'[-a]',\n"
        "  '%u', '%D', '[%D]', '[^%s]', '.*(l)', '(h)(e)(l)(l)(o)', 'x*', '^', '-', '*a', '+', '?'} do\n"
        "  for _, s in ipairs{'', 'hello', 'hello (wor(ld)) x', 'THE (quick) fox', ']a-z[', 'a%b$', 'a\\0b'} "
        "do\n"
        "    for _, init in ipairs{1, 3, -2, 100, -100, 0} do\n"
        "      show(pcall(string.find, s, p, init)) show(pcall(string.match, s, p, init))\n"
        "      show(pcall(string.find, s, p, init, true))\n"
        "      show(pcall(function() for a, b in string.gmatch(s, p, init) do show(a, b) end end))\n"
        "    end\n"
        "    show(pcall(string.gsub, s, p, '<%0>')) show(pcall(string.gsub, s, p, '%1%%', 2))\n"
        "    show(pcall(string.gsub, s, p, '%2')) show(pcall(string.gsub, s, p, '%x'))\n"
        "    show(pcall(string.gsub, s, p, {hello = 'bye', l = 7, h = false}))\n"
        "    show(pcall(string.gsub, s, p, function(a, b) return b and a end))\n"
        "    show(pcall(string.gsub, s, p, function() return {} end)) show(pcall(string.gsub, s, p, 42))\n"
        "  end\n"
        "end\n"
        "show(pcall(string.gsub, 'x', 'x', true)) show(pcall(string.gsub, 'x', 'x', 'y', 0))\n"
        "show(pcall(string.find, {}, 'x')) show(pcall(string.match, 'x'))\n"
        "return table.concat(out, '\\n')");
}

/* Random patterns and subjects, the same for both libraries. */
static void random_patterns_match_as_in_lua(void **state) {
    (void)state;
    same_as_lua(SHOW "math.randomseed(7)\n"
                     "local parts = {'a', 'b', '.', '%a', '[ab]', '[^a]', '*', '-', '+', '?', '(', ')', "
                     "'()', '%1', '$', '^',\n"
                     "  '%b()', '%f[a]', '%', '[', ']'}\n"
                     "for _ = 1, 20000 do\n"
                     "  local p, s = '', ''\n"
                     "  for _ = 1, math.random(0, 6) do p = p .. parts[math.random(#parts)] end\n"
                     "  for _ = 1, math.random(0, 8) do s = s .. ('ab()'):sub(math.random(4)):sub(1, 1) end\n"
                     "  show(p, s, pcall(string.find, s, p)) show(pcall(string.gsub, s, p, '<%0>'))\n"
                     "  show(pcall(function() for a in string.gmatch(s, p) do show(a) end end))\n"
                     "end\n"
                     "return table.concat(out, '\\n')");
}

static void other_functions_work_as_in_lua(void **state) {
    (void)state;
    same_as_lua(
        SHOW "local t = {1, 2, 3} table.insert(t, 4) table.insert(t, 1, 0) show(table.remove(t), "
             "table.remove(t, 1))\n"
             "table.move(t, 1, 3, 3) table.sort(t, function(a, b) return a > b end) show(table.concat(t, "
             "',', 2, 4))\n"
             "show(utf8.len('h\\u{e9}'), utf8.offset('h\\u{e9}llo', 3), ('ab'):rep(3, '-'), ('x'):rep(-1))\n"
             "show(pcall(table.insert, t, 9, 1)) show(pcall(table.move, t, 1)) show(pcall(string.rep, 'x', 1 "
             "<< 62))\n"
             "show(pcall(utf8.len)) show(pcall(table.concat, {{}})) show(pcall(table.insert, nil, 1))\n"
             "return table.concat(out, '\\n')");
}

static void ends(const char *text) {
    struct iw_sandbox sandbox;
    const char *error = run(&sandbox, 1000000, text);

    assert_non_null(error);
    if (strstr(error, "test.lua:1: script computes without end") == NULL)
        fail_msg("%s: %s", text, error);
    iw_sandbox_dispose(&sandbox);
}

/* Each would run for hours within one Lua instruction and could not be stopped. */
static void endless_calls_end(void **state) {
    (void)state;
    ends("return (('a'):rep(100)):find('.-.-.-.-.-.-.-.-.-.-b')");
    ends("return (('a'):rep(100)):match('a*a*a*a*a*a*a*a*b')");
    ends("return (('a'):rep(100)):gsub('.-.-.-.-.-.-.-.-.-.-b', '')");
    ends("for _ in (('a'):rep(100)):gmatch('.-.-.-.-.-.-.-.-.-.-b') do end");
    ends("return (('('):rep(100000)):find('%b()')");
    ends("return (('a'):rep(1 << 20)):find(('a'):rep(1 << 19) .. 'b', 1, true)");
    ends("table.move({}, 1, 1 << 60, 2)");
    ends("while true do local s = ('x'):rep(1 << 20) end");
    ends("local s = ('x'):rep(1 << 20) while true do local t = s .. s end");
    ends("local s = ('x'):rep(1 << 20) while true do utf8.len(s) end");
    ends("local t = {} for i = 1, 2000 do t[i] = ('x'):rep(4000) .. i end table.sort(t)");
    ends("while true do pcall(string.find, ('a'):rep(100), '.-.-.-.-.-.-.-.-.-.-b') end");
}

/* The length that is counted and the one that is used could differ: then the call would not end. */
static void lists_with_a_length_of_their_own_are_rejected(void **state) {
    static const char *const functions[] = {"insert", "remove", "concat", "sort"};

    (void)state;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        struct iw_sandbox sandbox;
        char text[256], wanted[128];

        snprintf(text, sizeof text,
            "local n = 0 table.%s(setmetatable({}, {__len = function() n = n + 1 return n == 1 and 0 or 1 << "
            "60 end}), 1, 1)",
            functions[i]);
        snprintf(wanted, sizeof wanted, "bad argument #1 to '%s' (a list with __len)", functions[i]);
        assert_non_null(strstr(run(&sandbox, 1000000, text), wanted));
        iw_sandbox_dispose(&sandbox);
    }
}

static void empty_strings_repeat_at_once(void **state) {
    (void)state;
    same_as_lua("return ('<'):rep(2, '') .. (''):rep(3) .. (''):rep(-1, '') .. (''):rep(3, '-') .. '>'");
    same_as_lua("return tostring(select(2, pcall(string.rep, '', 1 << 62, '-')))");

    struct iw_sandbox sandbox;

    assert_string_equal(run(&sandbox, 1000000, "return (''):rep(1 << 60, '')"), "");
    iw_sandbox_dispose(&sandbox);
}

static void a_long_pattern_does_not_recurse(void **state) {
    (void)state;
    same_as_lua("return tostring(('a'):rep(5000):find(('a'):rep(4000) .. '.'))");
    same_as_lua("return tostring(select(2, pcall(string.find, 'a', ('a?'):rep(500))))");
    same_as_lua("return tostring(select(2, pcall(string.find, ('a'):rep(500), ('a*'):rep(500))))");
    same_as_lua("return tostring(select(2, pcall(string.find, ('a'):rep(500), ('a?'):rep(500))))");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_patterns_match_as_in_lua),
        cmocka_unit_test(random_patterns_match_as_in_lua),
        cmocka_unit_test(other_functions_work_as_in_lua),
        cmocka_unit_test(endless_calls_end),
        cmocka_unit_test(lists_with_a_length_of_their_own_are_rejected),
        cmocka_unit_test(empty_strings_repeat_at_once),
        cmocka_unit_test(a_long_pattern_does_not_recurse),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
