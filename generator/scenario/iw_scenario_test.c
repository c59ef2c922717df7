#include "iw_scenario_fixture_test.h"

#include <unistd.h>

#include <lauxlib.h>

#include "iw_lua_failure.h"
#include "iw_task.h"

/* How scripts run and end. */

static void ends_well(void **state) {
    struct fixture *fixture = *state;

    passes(fixture, "step 'one' log('a', 1) step 'two'");
    assert_string_equal(fixture->log, "a 1");
    assert_string_equal(fixture->steps, "one|two");
    assert_int_equal(fixture->done, 1);
}

static void fails_at_the_line_of_fail(void **state) {
    const struct iw_scenario_result *result = run(*state, "step 'deep'\n\nfail 'no luck'");

    assert_int_equal(result->outcome, IW_SCENARIO_FAILED);
    assert_string_equal(result->message, "no luck");
    assert_string_equal(result->script, "case.lua");
    assert_int_equal(result->line, 3);
    assert_string_equal(result->step, "deep");
    assert_null(result->expected);
    assert_int_equal(run(*state, "check(1 == 1, 'x') check(nil, 'y')")->outcome, IW_SCENARIO_FAILED);
}

static void reports_mistakes(void **state) {
    is_mistake(*state, "local x\nlocal y = x.z", 2, "attempt to index a nil value (local 'x')");
    is_mistake(*state, "\nerror('own words')", 2, "own words");
    is_mistake(*state, "error({})", 1, "an error without text");
    is_mistake(*state, "coroutine.yield()", 1, "coroutine.yield outside of the script's own coroutines");
    is_mistake(*state, "while true do end", 1, "script computes without end: 1000000 steps and no wait");
    is_mistake(*state, "coroutine.wrap(function() pause(1) end)()", 1,
        "a coroutine of the script cannot wait; use spawn");
}

static void pcall_does_not_catch_the_end_of_steps(void **state) {
    static const char *const texts[] = {
        "local function f() pcall(f) pcall(f) end f()",
        "pcall(function() while true do end end) log 'caught'",
        "xpcall(function() while true do end end, log) log 'caught'",
        "local function f() while true do end end coroutine.resume(coroutine.create(f)) log 'caught'",
        "load(function() while true do end end) log 'caught'",
        "table.sort({3, 2, 1}, function() local function f() while true do end end xpcall(f, f) end)",
        "local x <close> = setmetatable({}, {__close = log}) while true do end",
    };
    struct fixture *fixture = *state;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        is_mistake(fixture, texts[i], 1, "script computes without end: 1000000 steps and no wait");
    assert_string_equal(fixture->log, "");
}

static void now_tells_how_long_a_wait_took(void **state) {
    passes(*state,
        "local begin = now() pause(1.5) check(math.abs(now() - begin - 1.5) < 0.001, 'virtual time')");
}

static void a_pcall_may_wait(void **state) {
    passes(*state, "local ok, e = pcall(function() pause(1) error('later', 0) end)\n"
                   "check(not ok and e == 'later', e)\n"
                   "check(select(2, xpcall(function() pause(1) return 7 end, log)) == 7)");
}

static void bounds_tasks(void **state) {
    static const char message[] = "spawn: a script has at most 10000 tasks";

    is_mistake(*state, "local function f()\nspawn(f) end f() pause(1)", 2, message);
    is_mistake(*state, "local function f()\nspawn(f) spawn(f) end f() pause(1)", 2, message);
    is_mistake(*state, "while true do\nspawn(function() pause(1000) end) end", 2, message);
    passes(*state, "for i = 1, 9999 do spawn(log) end");
}

static void interrupt(void *user) {
    iw_scenario_interrupt(user);
}

static void endless_tasks_do_not_block_others(void **state) {
    struct fixture *fixture = *state;
    const struct iw_scenario_config config = config_of(fixture);
    struct iw_timer timer = {0};

    fixture->scenario = iw_scenario_new(&config);
    push_text(fixture, "local function f() log 'turn' spawn(f) end f() pause(1)");
    assert_int_equal(iw_scenario_start(fixture->scenario, 0), IW_OK);
    iw_timer_start(&timer, fixture->loop, 0, interrupt, fixture->scenario);
    iw_scenario_run(fixture->scenario);
    assert_int_equal(iw_scenario_result(fixture->scenario)->outcome, IW_SCENARIO_INTERRUPTED);
    assert_string_equal(fixture->log, "turn");
}

static void count_line(void *user, struct iw_scenario *scenario, const char *text) {
    unsigned *lines = user;

    (void)scenario;
    (void)text;
    ++*lines;
}

/* The script has 1,000,000 steps. */
static void log_and_step_use_steps(void **state) {
    unsigned lines = 0;
    struct iw_scenario_config config = config_of(*state);

    config.hooks = (struct iw_scenario_hooks){.step = count_line, .log = count_line, .user = &lines};
    run_with(*state, &config, "local s = ('x'):rep(100000) while true do print(s) end");
    assert_in_range(lines, 5, 10);
    lines = 0;
    run_with(*state, &config, "local s = ('x'):rep(4096) while true do step(s) end");
    assert_in_range(lines, 150, 245);
    is_mistake(*state, "step(('x'):rep(4097))", 1, "bad argument #1 to 'step' (too long)");
}

static void spawned_failures_count(void **state) {
    const struct iw_scenario_result *result =
        run(*state, "spawn(function() pause(1) fail 'there' end) pause(9)");

    assert_int_equal(result->outcome, IW_SCENARIO_FAILED);
    assert_string_equal(result->message, "there");
}

static void detects_deadlocks(void **state) {
    is_mistake(*state, "local t\nt = spawn(function() t:wait() end)\nt:wait()", 3,
        "script waits for something that cannot come: a task");
    is_mistake(*state, "local l = listen{}\nl:accept{timeout = false}", 2,
        "script waits for something that cannot come: a connection");
}

static void tasks_take_turns(void **state) {
    struct fixture *fixture = *state;

    passes(fixture, "local function f(n) for i = 1, 2 do log(n .. i) pause(1) end end\n"
                    "local t, u = spawn(f, 'a'), spawn(f, 'b') t:wait() u:wait() log 'end'");
    assert_string_equal(fixture->log, "a1|b1|a2|b2|end");
}

static void keeps_the_deadline(void **state) {
    struct iw_scenario_config config = config_of(*state);

    config.deadline_ms = 500;
    const struct iw_scenario_result *result = run_with(*state, &config, "step 'long'\npause(100)");
    assert_int_equal(result->outcome, IW_SCENARIO_DEADLINE);
    assert_string_equal(result->message, "not finished after 500 ms");
    assert_int_equal(result->line, 2);
    assert_string_equal(result->step, "long");
}

/* On the virtual clock: asks for 10 ms, waits the minimum of 300 ms. */
static void keeps_the_minimum_timeout(void **state) {
    struct fixture *fixture = *state;
    struct iw_scenario_config config = config_of(fixture);
    uint64_t begin_ns = iw_loop_time_ns(fixture->loop);

    config.least_timeout_ms = 300;
    assert_int_equal(
        run_with(fixture, &config, "local l = listen{} pcall(l.accept, l, {timeout = 0.01})")->outcome,
        IW_SCENARIO_OK);
    assert_int_equal(iw_loop_time_ns(fixture->loop) - begin_ns, 300000000);
    begin_ns = iw_loop_time_ns(fixture->loop);
    assert_int_equal(
        run_with(fixture, &config, "local l = listen{} pcall(l.accept, l, {timeout = 0.5})")->outcome,
        IW_SCENARIO_OK);
    assert_int_equal(iw_loop_time_ns(fixture->loop) - begin_ns, 500000000);
}

static void an_unreachable_peer_is_an_environment_error(void **state) {
    const struct iw_scenario_result *result = run(*state, "connect{host = '192.0.2.9', port = 1}");

    assert_int_equal(result->outcome, IW_SCENARIO_UNREACHED);
    assert_string_equal(result->message, "192.0.2.9:1: connection refused");
    passes(*state, "local ok, e = pcall(connect, {port = 1}) check(not ok and e.kind == 'environment')");
}

static void rejects_objects_of_an_ended_scenario(void **state) {
    passes(*state, "kept = region{size = 4}");
    assert_int_equal(run(*state, "kept:get()")->outcome, IW_SCENARIO_ERROR);
}

static int twice(lua_State *lua) {
    lua_pushinteger(lua, 2 * luaL_checkinteger(lua, 1));
    return 1;
}

static void runs_a_function_with_an_argument(void **state) {
    struct fixture *fixture = *state;
    const struct iw_scenario_config config = config_of(fixture);
    lua_State *lua = iw_script_lua(fixture->script);

    lua_register(lua, "twice", twice);
    push_text(fixture, "return function(dut) log(twice(dut)) end");
    assert_int_equal(lua_pcall(lua, 0, 1, 0), LUA_OK);
    lua_pushinteger(lua, 21);
    fixture->scenario = iw_scenario_new(&config);
    assert_int_equal(iw_scenario_start(fixture->scenario, 1), IW_OK);
    assert_int_equal(lua_gettop(lua), 0);
    iw_scenario_run(fixture->scenario);
    assert_int_equal(iw_scenario_result(fixture->scenario)->outcome, IW_SCENARIO_OK);
    assert_string_equal(fixture->log, "42");
}

static void runs_several_scenarios_on_one_loop(void **state) {
    struct fixture *fixture = *state;
    const struct iw_scenario_config config = config_of(fixture);
    struct iw_scenario *both[2];

    for (int i = 0; i < 2; i++) {
        both[i] = iw_scenario_new(&config);
        push_text(fixture, i == 0 ? "local c = listen{port = 7}:accept{} log(c:expect{{kind = 'send'}}.data)"
                                  : "local c = connect{port = 7} c:send{data = 'across'} c:close()");
        assert_int_equal(iw_scenario_start(both[i], 0), IW_OK);
    }
    iw_loop_run(fixture->loop);
    for (int i = 0; i < 2; i++) {
        assert_true(iw_scenario_over(both[i]));
        assert_int_equal(iw_scenario_result(both[i])->outcome, IW_SCENARIO_OK);
        iw_scenario_free(both[i]);
    }
    assert_string_equal(fixture->log, "across");
    assert_int_equal(fixture->done, 2);
}

static void rejects_unknown_names(void **state) {
    is_mistake(
        *state, "connect{mulpud = 3, port = 1}", 1, "connect has no 'mulpud' (did you mean 'mulpdu'?)");
    is_mistake(*state, "region{sise = 3}", 1, "region has no 'sise' (did you mean 'size'?)");
    is_mistake(*state, PAIR "a:send{daat = 'x'}", 4, "send has no 'daat' (did you mean 'data'?)");
    is_mistake(*state, PAIR "a:expect{{kind = 'sned'}}", 4,
        "expect: there is no kind 'sned' (did you mean 'send'?)");
    is_mistake(
        *state, PAIR "a:expect{{kind = 'send', smn = 1}}", 4, "an event has no 'smn' (did you mean 'msn'?)");
    is_mistake(*state, PAIR "a:sned{}", 4, "a connection has no 'sned'");
    is_mistake(*state, PAIR "a:send{msn = 1 << 32}", 4, "msn: 4294967296 has more than 32 bits");
}

static void bounds_regions(void **state) {
    assert_int_equal(run(*state, "region{size = 65 << 20}")->outcome, IW_SCENARIO_ERROR);
    is_mistake(*state, "for i = 1, 5 do\nregion{size = 64 << 20}\nend", 2,
        "region: all regions together take at most 268435456 octets");
    is_mistake(*state, "for i = 1, 10001 do\nregion{size = 1}\nend", 2,
        "region: the limit of 10000 regions is reached");
}

/* A fault of one side is a finding on the peer's side for the other one. */
static void assigns_findings_to_sides(void **state) {
    struct fixture *fixture = *state;
    const struct iw_scenario_config config = config_of(fixture);
    struct iw_scenario *both[2];

    for (int i = 0; i < 2; i++) {
        both[i] = iw_scenario_new(&config);
        push_text(fixture, i == 0 ? "local c = listen{port = 7}:accept{} c:expect{{kind = 'send', rsvd = 1}}"
                                  : "local c = connect{port = 7} c:send{data = 'x', rsvd = 1} c:close()");
        assert_int_equal(iw_scenario_start(both[i], 0), IW_OK);
    }
    iw_loop_run(fixture->loop);
    assert_int_equal(iw_scenario_findings(both[0], false)[IW_SEVERITY_ERROR], 1);
    assert_int_equal(iw_scenario_findings(both[0], true)[IW_SEVERITY_ERROR], 0);
    assert_int_equal(iw_scenario_findings(both[1], true)[IW_SEVERITY_ERROR], 1);
    assert_int_equal(iw_scenario_findings(both[1], false)[IW_SEVERITY_ERROR], 0);
    iw_scenario_free(both[0]);
    iw_scenario_free(both[1]);
}

static void reports_what_an_option_takes(void **state) {
    is_mistake(*state, "connect{port = 0}", 1, "port takes an integer from 1 to 65535, not 0");
    is_mistake(*state, "connect{port = 'a'}", 1, "port takes an integer from 1 to 65535, not a");
    is_mistake(*state, "connect{}", 1, "connect: no port, and no peer is given (--peer HOST:PORT)");
    is_mistake(*state, "connect{port = 1, extensions = '7307'}", 1,
        "extensions takes \"none\", \"default\", \"all\", or \"7306\", \"talpey\", \"storm\" with commas "
        "between them, "
        "not 7307");
    is_mistake(*state, PAIR "a:send{msn = '2'}", 4, "msn takes an integer, not a string");
    is_mistake(*state, PAIR "a:read{region = 5}", 4, "region takes what region{...} gives, not a number");
    is_mistake(
        *state, PAIR "a:send{invalidate = 'x'}", 4, "invalidate takes an integer from 0 to 4294967295");
    is_mistake(*state, PAIR "a:send{se = 'yes'}", 4, "se takes true or false");
    is_mistake(*state, PAIR "a:send{merge = 2}", 4, "merge takes true or false");
    is_mistake(*state, PAIR "a:message{kind = {}}", 4, "kind takes the name of a message, not a table");
    is_mistake(*state, PAIR "a:full{ird = 'x'}", 4, "ird takes an integer from 0 to 65535");
    is_mistake(*state, PAIR "a:expect{kind = 'send'}", 4,
        "expect takes outcomes, and an outcome is a table: expect{{kind = ...}}");
    is_mistake(*state, PAIR "a:expect{'send'}", 4, "expect: outcome 1 is not a table but a string");
}

static void reports_options_of_the_wrong_type(void **state) {
    static const char *const wrong[][2] = {
        {"connect{port = 1, rtr = 'send'}",
            "rtr takes a list of \"send\", \"write\" and \"read\", not a string"},
        {"connect{port = 1, auto = 7}", "auto takes true, false, or a table of them, not a number"},
        {"connect{port = 1, auto = {close = 'no'}}", "close takes true or false"},
        {"connect{port = 1, startup = 5}",
            "startup takes a table of fields of the startup frame, not a number"},
        {"connect{port = 1, markers = 'no'}", "markers takes true or false"},
        {"connect{port = 1, private_data = 5}", "private_data takes octets (a string)"},
        {"connect{port = 1, host = {}}", "host takes a name or an address (a string), not a table"},
        {"listen{port = 'x'}", "port takes an integer from 0 to 65535"},
        {"region{stream = 5}", "stream takes a connection, not a number"},
        {"region{rights = {}}", "rights takes letters of \"rwapg\", not a table"},
        {"region{fill = 300}", "fill takes octets, or one as an integer from 0 to 255"},
        {"region{fill = {}}", "fill takes octets, or one as an integer from 0 to 255"},
        {"pause(-1)", "pause: -1.0 is not a number of seconds"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        is_mistake(*state, wrong[i][0], 1, wrong[i][1]);
}

/* Like header flags: 0 is false, unlike in Lua. */
static void a_flag_may_be_a_number(void **state) {
    passes(*state, "local l = listen{}\n"
                   "spawn(function() l:accept{crc = 0} end)\n"
                   "local c = connect{port = l.port, markers = 0, crc = 0}\n"
                   "check(not c.terms.crc, 'C') check(not c.terms.markers_in, 'M')");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(ends_well),
        TEST(fails_at_the_line_of_fail),
        TEST(reports_mistakes),
        TEST(pcall_does_not_catch_the_end_of_steps),
        TEST(now_tells_how_long_a_wait_took),
        TEST(a_pcall_may_wait),
        TEST(bounds_tasks),
        TEST(endless_tasks_do_not_block_others),
        TEST(log_and_step_use_steps),
        TEST(spawned_failures_count),
        TEST(detects_deadlocks),
        TEST(tasks_take_turns),
        TEST(keeps_the_deadline),
        TEST(keeps_the_minimum_timeout),
        TEST(an_unreachable_peer_is_an_environment_error),
        TEST(rejects_objects_of_an_ended_scenario),
        TEST(runs_a_function_with_an_argument),
        TEST(runs_several_scenarios_on_one_loop),
        TEST(rejects_unknown_names),
        TEST(bounds_regions),
        TEST(assigns_findings_to_sides),
        TEST(reports_what_an_option_takes),
        TEST(reports_options_of_the_wrong_type),
        TEST(a_flag_may_be_a_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
