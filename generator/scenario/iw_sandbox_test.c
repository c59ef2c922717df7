#include "iw_sandbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <lauxlib.h>

#include "iw_temporary_test.h"

static struct iw_sandbox sandbox;

static int set_up(void **state) {
    const struct iw_sandbox_config config = {.memory_octets = 8 << 20, .instructions = 1000000};

    (void)state;
    return iw_sandbox_init(&sandbox, &config) == IW_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    iw_sandbox_dispose(&sandbox);
    return 0;
}

/* Runs the text. Returns "" or the error; the results stay on the stack. */
static const char *run(const char *text) {
    static char error[512];

    error[0] = '\0';
    iw_sandbox_refill(&sandbox, sandbox.lua);
    if (iw_sandbox_load_text(&sandbox, text, strlen(text), "test.lua", error, sizeof error) != IW_OK)
        return error;
    if (lua_pcall(sandbox.lua, 0, LUA_MULTRET, 0) != LUA_OK)
        snprintf(error, sizeof error, "%s", lua_tostring(sandbox.lua, -1));
    return error;
}

static void lacks_dangerous_functions(void **state) {
    (void)state;
    assert_string_equal(run("assert(not os and not io and not package and not debug and not require)"), "");
    assert_string_equal(run("assert(not dofile and not loadfile and not collectgarbage)"), "");
    assert_string_equal(run("assert(not string.dump)"), "");
    assert_string_equal(run("assert(string.pack and table.concat and math.floor and utf8.char)"), "");
}

/* Few but long steps: comparing two equal strings of a MiB. */
static void limits_processor_time(void **state) {
    const struct iw_sandbox_config config = {.busy_ms = 50};

    (void)state;
    iw_sandbox_dispose(&sandbox);
    assert_int_equal(iw_sandbox_init(&sandbox, &config), IW_OK);
    assert_string_equal(
        run("local a, b = ('x'):rep(1 << 20), ('x'):rep(1 << 20) for _ = 1, 1000000 do local c = a == b end"),
        "test.lua:1: script computes without end: 50 milliseconds and no wait");
    assert_string_equal(run("return 1"), "");
}

static void trust_opens_all(void **state) {
    const struct iw_sandbox_config config = {.trust = true};
    struct iw_sandbox trusting;

    (void)state;
    assert_int_equal(iw_sandbox_init(&trusting, &config), IW_OK);
    assert_int_equal(luaL_dostring(trusting.lua, "assert(os.time and io.open and debug.getinfo)"), LUA_OK);
    iw_sandbox_dispose(&trusting);
}

static void loads_text_only(void **state) {
    (void)state;
    assert_string_equal(run("assert(load('return 7')() == 7)"), "");
    assert_string_equal(run("local e = {x = 3} assert(load('return x', 'n', 't', e)() == 3)"), "");
    assert_string_equal(run("local f, why = load('\\27Lua') assert(not f and why:find('binary'))"), "");
    assert_string_equal(run("local f, why = load('\\27Lua', 'n', 'b') assert(not f)"), "");
}

static void stops_an_endless_computation(void **state) {
    (void)state;
    assert_non_null(strstr(run("while true do end"), "test.lua:1: script computes without end"));
    assert_non_null(
        strstr(run("while true do pcall(function() while true do end end) end"), "computes without end"));
    assert_non_null(strstr(run("while true do coroutine.wrap(function() pcall(function() while true do end "
                               "end) end)() end"),
        "computes without end"));
}

/* A script that ends after such a coroutine has not done its work. */
static void the_end_of_steps_in_a_coroutine_ends_the_script(void **state) {
    static const char *const texts[] = {
        "coroutine.wrap(function() while true do end end)()",
        "pcall(coroutine.wrap(function() while true do end end))",
        "coroutine.resume(coroutine.create(function() while true do end end))",
        "for _ in coroutine.wrap(function() while true do end end) do end",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strstr(run(texts[i]), "computes without end") == NULL)
            fail_msg("%s: %s", texts[i], run(texts[i]));
}

/* Each script would run for ever if it could catch the error at the end of its steps, or if its coroutines
 * had their own steps. */
static void pcall_does_not_catch_the_end_of_steps(void **state) {
    static const char *const texts[] = {
        "local function f() pcall(f) pcall(f) end f()",
        "local function f() xpcall(f, type) xpcall(f, type) end f()",
        "local function f() coroutine.resume(coroutine.create(f)) coroutine.resume(coroutine.create(f)) end "
        "f()",
        "local function f() pcall(coroutine.wrap(f)) pcall(coroutine.wrap(f)) end f()",
        "local function f() coroutine.close(coroutine.create(f)) return f() end f()",
        "local function f() load(f) load(f) end f()",
        "local function f() while true do end end xpcall(f, f)",
        "local function f() while true do end end\n"
        "local function g() local x <close> = setmetatable({}, {__close = f}) f() end pcall(g)",
        "local s = ('x'):rep(100000) while true do load(s) end",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strstr(run(texts[i]), "script computes without end: 1000000 steps and no wait") == NULL)
            fail_msg("%s: %s", texts[i], run(texts[i]));
}

static void catches_errors_as_lua_does(void **state) {
    (void)state;
    assert_string_equal(
        run("local ok, a, b = pcall(function(...) return ... end, 1, 2) assert(ok and a == 1 and b == 2)"),
        "");
    assert_string_equal(run("local ok, e = pcall(error, {7}) assert(not ok and e[1] == 7)"), "");
    assert_string_equal(run("assert(select('#', pcall(function() end)) == 1)"), "");
    assert_string_equal(run("local ok, e = xpcall(error, function(m) return m .. '!' end, 'so') assert(not "
                            "ok and e == 'so!')"),
        "");
    assert_string_equal(run("local ok, a = xpcall(math.abs, print, -3) assert(ok and a == 3)"), "");
    assert_non_null(strstr(run("pcall()"), "bad argument #1 to 'pcall' (value expected)"));
    assert_non_null(strstr(run("xpcall(print)"), "bad argument #2 to 'xpcall' (function expected"));
    assert_string_equal(run("local w = coroutine.wrap(function() local ok, v = pcall(coroutine.yield, 1)\n"
                            "assert(ok) return v end) assert(w() == 1 and w(5) == 5)"),
        "");
    assert_string_equal(run("local w = coroutine.wrap(function(...) error({...}) end)\n"
                            "local ok, e = pcall(w, 7, 8) assert(not ok and e[1] == 7 and e[2] == 8)\n"
                            "ok, e = pcall(w) assert(not ok and e == 'cannot resume dead coroutine', e)"),
        "");
    assert_non_null(strstr(run("coroutine.wrap(1)"), "bad argument #1 to 'wrap' (function expected"));
    assert_non_null(strstr(run("coroutine.resume(1)"), "bad argument #1 to 'resume'"));
}

static void continues_after_a_refill(void **state) {
    (void)state;
    run("while true do end");
    assert_string_equal(run("local n = 0 for i = 1, 1000 do n = n + i end assert(n == 500500)"), "");
}

static void rejects_finalizers(void **state) {
    (void)state;
    assert_non_null(strstr(run("setmetatable({}, {__gc = function() end})"), "no finalizers"));
    assert_string_equal(run("assert(setmetatable({}, {__index = {a = 1}}).a == 1)"), "");
}

static void bounds_memory(void **state) {
    (void)state;
    assert_non_null(strstr(run("local t = {} for i = 1, 1e6 do t[i] = ('x'):rep(1000) .. i end"), "memory"));
    assert_non_null(strstr(run("return ('x'):rep(1 << 30)"), "memory"));
    assert_true(sandbox.held <= sandbox.config.memory_octets);
    lua_settop(sandbox.lua, 0);
    lua_gc(sandbox.lua, LUA_GCCOLLECT);
    assert_string_equal(run("return ('x'):rep(1000)"), "");
}

static void random_numbers_repeat(void **state) {
    static const uint64_t seeds[] = {0, 1, 2, 2};
    lua_Integer first[4];

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct iw_sandbox other;
        const struct iw_sandbox_config config = {.seed = seeds[i]};
        assert_int_equal(iw_sandbox_init(&other, &config), IW_OK);
        assert_int_equal(luaL_dostring(other.lua, "return math.random(1 << 40)"), LUA_OK);
        first[i] = lua_tointeger(other.lua, -1);
        iw_sandbox_dispose(&other);
    }
    assert_int_equal(first[0], first[1]);
    assert_int_not_equal(first[1], first[2]);
    assert_int_equal(first[2], first[3]);
}

/* ---- files ---- */

/* Loads a file of that name; `path` returns its location. */
static enum iw_status load(
    const char *name, const char *text, size_t length, char path[TEMPORARY_PATH], char error[512]) {
    int descriptor = mkstemp(temporary_path(path, name));

    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, length), length);
    close(descriptor);
    enum iw_status status = iw_sandbox_load(&sandbox, path, error, 512);
    unlink(path);
    return status;
}

static void reports_file_and_line_of_a_syntax_error(void **state) {
    static const char name[] = "a_script_with_a_name_that_is_longer_than_lua_likes_to_show";
    char path[TEMPORARY_PATH], error[512];
    char expected[TEMPORARY_FILE];

    (void)state;
    const char *text = "#!/usr/bin/warpcheck play\nlocal a = 1\nlocal = 2\n";
    assert_int_equal(load(name, text, strlen(text), path, error), IW_ERR_FORMAT);
    snprintf(expected, sizeof expected, "%s:3: ", path);
    assert_int_equal(strncmp(error, expected, strlen(expected)), 0);
    assert_null(strchr(error, '\n'));
    assert_int_equal(lua_gettop(sandbox.lua), 0);
}

static void rejects_a_binary_file(void **state) {
    char path[TEMPORARY_PATH], error[512];

    (void)state;
    assert_int_equal(load("iw_sandbox_test", "\033Lua\x54\0\x19\x93", 8, path, error), IW_ERR_FORMAT);
    assert_int_equal(strncmp(error, path, strlen(path)), 0);
    assert_string_equal(error + strlen(path), ": not a Lua script");
}

static void reports_a_missing_file(void **state) {
    char error[512];

    (void)state;
    assert_int_equal(iw_sandbox_load(&sandbox, "/nowhere/x.lua", error, sizeof error), IW_ERR_IO);
    assert_string_equal(error, "/nowhere/x.lua: No such file or directory");
    assert_int_equal(iw_sandbox_load(&sandbox, "/tmp", error, sizeof error), IW_ERR_IO);
    assert_string_equal(error, "/tmp: Is a directory");
}

static void runs_an_empty_file(void **state) {
    char path[TEMPORARY_PATH], error[512];

    (void)state;
    assert_int_equal(load("iw_sandbox_test", "", 0, path, error), IW_OK);
    assert_int_equal(lua_pcall(sandbox.lua, 0, 0, 0), LUA_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(lacks_dangerous_functions),
        TEST(limits_processor_time),
        TEST(trust_opens_all),
        TEST(loads_text_only),
        TEST(stops_an_endless_computation),
        TEST(the_end_of_steps_in_a_coroutine_ends_the_script),
        TEST(pcall_does_not_catch_the_end_of_steps),
        TEST(catches_errors_as_lua_does),
        TEST(continues_after_a_refill),
        TEST(rejects_finalizers),
        TEST(bounds_memory),
        TEST(random_numbers_repeat),
        TEST(reports_file_and_line_of_a_syntax_error),
        TEST(rejects_a_binary_file),
        TEST(reports_a_missing_file),
        TEST(runs_an_empty_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
