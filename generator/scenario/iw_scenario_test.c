#include "iw_scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <lauxlib.h>

#include "iw_lua_failure.h"
#include "iw_task.h"

/* Scenarios run on a loop in memory. What a script says with log() is kept. */
struct fixture {
    struct iw_loop *loop;
    struct iw_script *script;
    struct iw_scenario *scenario;
    char log[4096];
    char steps[512];
    unsigned done;
};

static void keep(char *text, size_t capacity, const char *more) {
    size_t length = strlen(text);

    snprintf(text + length, capacity - length, "%s%s", length == 0 ? "" : "|", more);
}

static void log_hook(void *user, struct iw_scenario *scenario, const char *text) {
    struct fixture *fixture = user;

    (void)scenario;
    keep(fixture->log, sizeof fixture->log, text);
}

static void step_hook(void *user, struct iw_scenario *scenario, const char *text) {
    struct fixture *fixture = user;

    (void)scenario;
    keep(fixture->steps, sizeof fixture->steps, text);
}

static void done_hook(void *user, struct iw_scenario *scenario) {
    struct fixture *fixture = user;

    (void)scenario;
    fixture->done++;
}

static struct iw_scenario_config config_of(struct fixture *fixture) {
    return (struct iw_scenario_config){.script = fixture->script,
        .loop = fixture->loop,
        .hooks = {.log = log_hook, .step = step_hook, .done = done_hook, .user = fixture}};
}

static int set_up(void **state) {
    static struct fixture fixture;
    static const struct iw_sandbox_config sandbox = {.instructions = 1000000};

    memset(&fixture, 0, sizeof fixture);
    fixture.loop = iw_loop_new(IW_LOOP_VIRTUAL);
    fixture.script = iw_script_new(&sandbox);
    *state = &fixture;
    return fixture.loop == NULL || fixture.script == NULL ? -1 : 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;

    iw_scenario_free(fixture->scenario);
    iw_script_free(fixture->script);
    iw_loop_free(fixture->loop);
    return 0;
}

static void push_text(struct fixture *fixture, const char *text) {
    char error[512] = "";

    assert_int_equal(iw_sandbox_load_text(iw_sandbox_of(iw_script_lua(fixture->script)), text, strlen(text),
                         "case.lua", error, sizeof error),
        IW_OK);
}

static const struct iw_scenario_result *run_with(
    struct fixture *fixture, const struct iw_scenario_config *config, const char *text) {
    iw_scenario_free(fixture->scenario);
    fixture->scenario = iw_scenario_new(config);
    assert_non_null(fixture->scenario);
    push_text(fixture, text);
    assert_int_equal(iw_scenario_start(fixture->scenario, 0), IW_OK);
    iw_scenario_run(fixture->scenario);
    assert_true(iw_scenario_over(fixture->scenario));
    return iw_scenario_result(fixture->scenario);
}

static const struct iw_scenario_result *run(struct fixture *fixture, const char *text) {
    const struct iw_scenario_config config = config_of(fixture);

    return run_with(fixture, &config, text);
}

static void passes(struct fixture *fixture, const char *text) {
    const struct iw_scenario_result *result = run(fixture, text);

    if (result->outcome != IW_SCENARIO_OK)
        fail_msg("%s:%d: %s (expected %s, actual %s)", result->script, result->line, result->message,
            result->expected == NULL ? "-" : result->expected, result->actual == NULL ? "-" : result->actual);
}

static void is_mistake(struct fixture *fixture, const char *text, int line, const char *message) {
    const struct iw_scenario_result *result = run(fixture, text);

    assert_int_equal(result->outcome, IW_SCENARIO_ERROR);
    assert_string_equal(result->message, message);
    assert_string_equal(result->script, "case.lua");
    assert_int_equal(result->line, line);
}

/* Two connections of the script with each other: client `a`, server `b`. */
#define PAIR                                                                                                 \
    "local l = listen{port = 20100} local b\n"                                                               \
    "local t = spawn(function() b = l:accept{} end)\n"                                                       \
    "local a = connect{port = l.port} t:wait()\n"

/* ---- the run ---- */

static void ends_well(void **state) {
    struct fixture *fixture = *state;

    passes(fixture, "step 'one' log('a', 1) step 'two'");
    assert_string_equal(fixture->log, "a 1");
    assert_string_equal(fixture->steps, "one|two");
    assert_int_equal(fixture->done, 1);
}

static void fails_where_the_script_says_so(void **state) {
    const struct iw_scenario_result *result = run(*state, "step 'deep'\n\nfail 'no luck'");

    assert_int_equal(result->outcome, IW_SCENARIO_FAILED);
    assert_string_equal(result->message, "no luck");
    assert_string_equal(result->script, "case.lua");
    assert_int_equal(result->line, 3);
    assert_string_equal(result->step, "deep");
    assert_null(result->expected);
    assert_int_equal(run(*state, "check(1 == 1, 'x') check(nil, 'y')")->outcome, IW_SCENARIO_FAILED);
}

static void names_mistakes(void **state) {
    is_mistake(*state, "local x\nlocal y = x.z", 2, "attempt to index a nil value (local 'x')");
    is_mistake(*state, "\nerror('own words')", 2, "own words");
    is_mistake(*state, "error({})", 1, "an error that is no text");
    is_mistake(*state, "coroutine.yield()", 1, "coroutine.yield outside of the script's own coroutines");
    is_mistake(*state, "while true do end", 1, "script computes without end: 1000000 steps and no wait");
    is_mistake(*state, "coroutine.wrap(function() pause(1) end)()", 1,
        "a coroutine of the script cannot wait; use spawn");
}

static void spawned_failures_count(void **state) {
    const struct iw_scenario_result *result =
        run(*state, "spawn(function() pause(1) fail 'there' end) pause(9)");

    assert_int_equal(result->outcome, IW_SCENARIO_FAILED);
    assert_string_equal(result->message, "there");
}

static void detects_waits_without_end(void **state) {
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

static void an_unreachable_peer_is_the_environment(void **state) {
    const struct iw_scenario_result *result = run(*state, "connect{host = '192.0.2.9', port = 1}");

    assert_int_equal(result->outcome, IW_SCENARIO_ENVIRONMENT);
    assert_string_equal(result->message, "192.0.2.9:1: connection refused");
    passes(*state, "local ok, e = pcall(connect, {port = 1}) check(not ok and e.kind == 'environment')");
}

static void objects_end_with_their_scenario(void **state) {
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

static void several_run_on_one_loop(void **state) {
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

/* ---- options ---- */

static void refuses_unknown_names(void **state) {
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

/* ---- conversations ---- */

static void sends_and_expects(void **state) {
    passes(*state,
        PAIR "a:send{data = 'hello', se = true}\n"
             "local e, n = b:expect{{kind = 'terminate'}, {kind = 'send_se', msn = 1, qn = 0, l = 1,"
             " dv = 1, rv = 1, crc = 'good', data = match'^hel', size = 5, ulpdu_length = 23}}\n"
             "check(n == 2) check(e.stag == nil and e.invalidate_stag == 0)");
}

static void tells_expected_and_actual(void **state) {
    const struct iw_scenario_result *result =
        run(*state, PAIR "a:send{data = 'x', msn = 1}\n"
                         "b:expect{{kind = 'terminate', layer = 2, code = any{1, 2}}, {kind = 'close'}}");

    assert_int_equal(result->outcome, IW_SCENARIO_FAILED);
    assert_string_equal(result->expected, "terminate {code=1 or 2, layer=2}, or close");
    assert_string_equal(result->actual, "send {crc=\"good\", opcode=3, size=1}");
    assert_int_equal(result->line, 5);
}

static void silence_is_an_event(void **state) {
    passes(*state, PAIR "local e = a:receive{timeout = 2} check(e.kind == 'silence')\n"
                        "a:expect{{kind = 'silence'}, timeout = 0.5}");
}

static void waits_for_completions(void **state) {
    passes(*state, PAIR
        "local s, r = region{size = 9, fill = '-'}, region{size = 9, rights = ''}\n"
        "a:complete() a:read{region = r, source_stag = s.stag} a:send{data = ('x'):rep(5000)} a:complete()\n"
        "check(r:get() == '---------', 'the Read is answered')");
    passes(*state, "local l = listen{port = 20100} local b\n"
                   "local t = spawn(function() b = l:accept{auto = {responses = false}} end)\n"
                   "local a = connect{port = l.port} t:wait()\n"
                   "a:read{source_stag = 1} a:send{data = 'behind it'} a:sent()\n"
                   "local ok, failure = pcall(a.complete, a, {timeout = 0.5})\n"
                   "check(not ok and failure.actual == 'silence', 'no answer')\n"
                   "b:close{now = true} ok, failure = pcall(a.complete, a)\n"
                   "check(not ok and failure.actual == 'close', 'there will be none')");
}

static void ignores_what_it_is_told_to(void **state) {
    passes(*state, PAIR "a:send{data = '1'} a:send{data = '2', se = true} a:close()\n"
                        "b:expect{{kind = 'close', how = 'fin'}, ignore = {'send', 'send_se'}}");
}

static void long_messages_arrive_whole(void **state) {
    passes(*state, PAIR "local d = ('0123456789'):rep(1000) local r = region{size = 10000, to = 16}\n"
                        "a:send{data = d} a:write{stag = r.stag, to = 16, data = d}\n"
                        "local e = b:expect{{kind = 'send', data = d}} check(e.segments > 1)\n"
                        "e = b:expect{{kind = 'rdma_write', data = d, to = 16, size = 10000}}\n"
                        "check(r:get() == d)");
}

static void any_field_can_be_set(void **state) {
    passes(*state, "local l = listen{port = 20100} local b\n"
                   "local t = spawn(function() b = l:accept{auto = {terminate = false}} end)\n"
                   "local a = connect{port = l.port} t:wait()\n"
                   "a:fpdu{kind = 'send', data = 'x', rsvd = 9, mo = 7, invalidate_stag = 0x01020304}\n"
                   "b:expect{{kind = 'send', rsvd = 9, mo = 7, invalidate_stag = 0x01020304}}\n"
                   "a:fpdu{opcode = 15, data = 'x', rv = 2, qn = 9}\n"
                   "b:expect{{opcode = 15, rv = 2, qn = 9}}\n"
                   "a:send{data = 'abc', crc_flip = 1}\n"
                   "b:expect{{kind = 'send', crc = 'bad', data = 'abc', error = match'^2/0/02'}}");
}

static void a_wrong_crc_is_answered_by_terminate(void **state) {
    passes(*state, PAIR "a:send{data = 'x', crc_flip = 0x80000000}\n"
                        "b:expect{{kind = 'send', crc = 'bad'}}\n"
                        "a:expect{{kind = 'terminate', layer = 2, etype = 0, code = 2}}\n"
                        "a:expect{{kind = 'close'}}");
}

static void reads_by_hand(void **state) {
    passes(*state, "local l = listen{port = 20100} local b\n"
                   "local t = spawn(function() b = l:accept{auto = {responses = false}} end)\n"
                   "local a = connect{port = l.port} t:wait()\n"
                   "local r = region{size = 4, rights = ''}\n"
                   "a:read{region = r, source_stag = 0x0A0B0C0D, source_to = 5}\n"
                   "local q = b:expect{{kind = 'read_request', source_stag = 0x0A0B0C0D, source_to = 5,"
                   " size = 4, sink_stag = r.stag}}\n"
                   "b:message{kind = 'read_response', stag = q.sink_stag, to = q.sink_to, data = 'abcd'}\n"
                   "a:expect{{kind = 'read_response', data = 'abcd'}} check(r:get() == 'abcd')");
}

static void startup_by_hand(void **state) {
    passes(*state,
        "local l = listen{port = 20100} local b\n"
        "local t = spawn(function() b = l:tcp{} end)\n"
        "local a = tcp{port = l.port} t:wait()\n"
        "a:request{rev = 2, m = 1, c = 0, enhanced = true, ird = 5, rtr_d = true, private_data = 'pd'}\n"
        "local q = b:expect{{kind = 'request', rev = 2, m = true, c = 0, s = 1, ird = 5, rtr_d = 1,"
        " enhanced = true, private_data = 'pd', pd_length = 6}}\n"
        "b:reply{rev = 1, enhanced = false, c = 1, r = 0, private_data = 'no'}\n"
        "a:expect{{kind = 'reply', rev = 1, c = true, pd_length = 2, enhanced = false}}\n"
        "a:full{crc = true} b:full{crc = true}\n"
        "a:send{data = 'x'} b:expect{{kind = 'send', data = 'x', crc = 'good'}}");
}

static void startup_fields_can_be_wrong(void **state) {
    passes(*state, "local l = listen{port = 20100} local b\n"
                   "local t = spawn(function() b = l:tcp{} end)\n"
                   "local u = spawn(function() pcall(connect, {port = l.port, startup = {res = 5}}) end)\n"
                   "t:wait() b:expect{{kind = 'request', res = 5, rev = 1, c = 1}}");
}

static void startup_goes_by_the_frame_that_was_sent(void **state) {
    passes(*state,
        "local l = listen{port = 20100} local b\n"
        "local t = spawn(function() b = l:accept{startup = {c = false, m = true}} end)\n"
        "local a = connect{port = l.port, rev = 2, crc = false, ird = 2, ord = 2, startup = {m = 1, ird = "
        "0x3fff}}\n"
        "t:wait() check(a.terms.markers_in and b.terms.markers_in and not a.terms.crc and not b.terms.crc)\n"
        "check(a.terms.ird == 2 and b.startup.ird == 0x3fff and a.startup.ord == 0x3fff)\n"
        "local d = ('x'):rep(600) a:send{data = d} b:expect{{kind = 'send', data = d}}\n"
        "b:send{data = d} check(#a:expect{{kind = 'send', data = d}}.markers == 2)");
    is_mistake(*state, "local l = listen{}\nconnect{port = l.port, ird = 16384}", 2,
        "ird takes an integer from 0 to 16383");
}

static void a_startup_that_takes_too_long_is_given_up(void **state) {
    passes(*state, "local l = listen{port = 20100}\n"
                   "local t = spawn(function() return pcall(l.accept, l, {timeout = 0.5}) end)\n"
                   "local a = tcp{port = l.port} a:expect{{kind = 'close', how = 'fin'}} t:wait()\n"
                   "t = spawn(function() local b = l:tcp{} b:expect{{kind = 'request'}}\n"
                   "b:expect{{kind = 'close', how = 'fin'}} end)\n"
                   "local ok, failure = pcall(connect, {port = l.port, timeout = 0.5})\n"
                   "check(not ok and failure.actual == 'silence') t:wait()");
}

static void a_failed_startup_tells_why(void **state) {
    const struct iw_scenario_result *result = run(*state, "local l = listen{port = 20100}\n"
                                                          "spawn(function() l:accept{reject = true} end)\n"
                                                          "connect{port = l.port}");

    assert_int_equal(result->outcome, IW_SCENARIO_FAILED);
    assert_string_equal(result->expected, "a startup into full operation");
    assert_string_equal(result->actual, "a startup frame with R=1");
}

static void peer_to_peer_hides_the_rtr(void **state) {
    passes(*state,
        "local l = listen{port = 20100} local b\n"
        "local t = spawn(function() b = l:accept{ird = 4, ord = 4} end)\n"
        "local a = connect{port = l.port, rev = 2, peer_to_peer = true, rtr = {'read'}, ird = 4, ord = 4}"
        " t:wait()\n"
        "check(a.terms.peer_to_peer and b.terms.peer_to_peer)\n"
        "b:send{data = 'first'} a:expect{{kind = 'send', data = 'first'}}\n"
        "a:send{data = 'then'} b:expect{{kind = 'send', data = 'then'}}");
}

static void octets_and_resets(void **state) {
    passes(*state, "local l = listen{port = 20100} local b\n"
                   "local t = spawn(function() b = l:tcp{} end)\n"
                   "local a = tcp{port = l.port} t:wait()\n"
                   "a:octets('MPA ID Req Frame' .. hex'4001 0000', {split = {1, 7}})\n"
                   "b:expect{{kind = 'request', rev = 1, c = true}}\n"
                   "a:reset() b:expect{{kind = 'close', how = 'rst'}}");
}

static void a_long_write_is_kept_whole_and_in_order(void **state) {
    passes(*state, PAIR "local r = region{size = 3000, to = 8}\n"
                        "a:fpdu{kind = 'rdma_write', stag = r.stag, to = 8, l = 0, data = 'abc'}\n"
                        "a:fpdu{kind = 'rdma_write', stag = r.stag, to = 11, data = ''}\n"
                        "b:expect{{kind = 'rdma_write', data = 'abc', to = 8, segments = 2}}\n"
                        "a:write{stag = r.stag, to = 8}\n"
                        "b:expect{{kind = 'rdma_write', data = '', to = 8, size = 0}}");
}

static void a_coroutine_of_the_script_may_send(void **state) {
    passes(*state, PAIR "coroutine.wrap(function() a:send{data = 'x'} end)() b:expect{{kind = 'send'}}");
}

static void bounds_regions(void **state) {
    assert_int_equal(run(*state, "region{size = 65 << 20}")->outcome, IW_SCENARIO_ERROR);
    is_mistake(*state, "for i = 1, 5 do\nregion{size = 64 << 20}\nend", 2,
        "region: all regions together take at most 268435456 octets");
}

/* What one side does wrong is a finding on the peer's side for the other. */
static void tells_whose_findings_they_are(void **state) {
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

static void says_what_it_takes_instead(void **state) {
    is_mistake(*state, "connect{port = 0}", 1, "port takes an integer from 1 to 65535, not 0");
    is_mistake(*state, "connect{port = 'a'}", 1, "port takes an integer from 1 to 65535, not a");
    is_mistake(*state, "connect{}", 1, "connect: no port, and no peer is given");
    is_mistake(*state, "connect{port = 1, extensions = '7307'}", 1,
        "extensions takes \"none\", \"all\", or \"7306\", \"talpey\", \"storm\" with commas between them, "
        "not 7307");
    is_mistake(*state, PAIR "a:send{msn = '2'}", 4, "msn takes an integer, not a string");
    is_mistake(*state, PAIR "a:read{region = 5}", 4, "region takes what region{...} gives, not a number");
    is_mistake(*state, PAIR "a:expect{kind = 'send'}", 4,
        "expect takes outcomes, and an outcome is a table: expect{{kind = ...}}");
    is_mistake(*state, PAIR "a:expect{'send'}", 4, "expect: outcome 1 is no table, but a string");
}

static void extensions_go_by_name(void **state) {
    passes(*state, "local l = listen{port = 20100}\n"
                   "for i, names in ipairs{'none', 'talpey,storm', '7306', 'all'} do\n"
                   "  local b\n"
                   "  local t = spawn(function() b = l:accept{extensions = names} end)\n"
                   "  local a = connect{port = l.port} t:wait()\n"
                   "  a:immediate{data = '12345678'}\n"
                   "  b:expect{{kind = i <= 2 and 'unknown' or 'immediate'}}\n"
                   "  a:reset()\n"
                   "end");
}

/* Who has waited longest at a listener gets the connection, whatever has come and gone before. */
static void first_come_first_served(void **state) {
    struct fixture *fixture = *state;

    passes(fixture, "local l = listen{port = 20100}\n"
                    "local tasks = {}\n"
                    "for i = 1, 4 do\n"
                    "  tasks[i] = spawn(function() l:accept{} log(i) end)\n"
                    "end\n"
                    "pause(0.1)\n"
                    "for i = 1, 4 do connect{port = l.port} end\n"
                    "for i = 1, 4 do tasks[i]:wait() end");
    assert_string_equal(fixture->log, "1|2|3|4");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(ends_well),
        TEST(fails_where_the_script_says_so),
        TEST(names_mistakes),
        TEST(spawned_failures_count),
        TEST(detects_waits_without_end),
        TEST(tasks_take_turns),
        TEST(keeps_the_deadline),
        TEST(an_unreachable_peer_is_the_environment),
        TEST(objects_end_with_their_scenario),
        TEST(runs_a_function_with_an_argument),
        TEST(several_run_on_one_loop),
        TEST(refuses_unknown_names),
        TEST(sends_and_expects),
        TEST(tells_expected_and_actual),
        TEST(silence_is_an_event),
        TEST(waits_for_completions),
        TEST(ignores_what_it_is_told_to),
        TEST(long_messages_arrive_whole),
        TEST(any_field_can_be_set),
        TEST(a_wrong_crc_is_answered_by_terminate),
        TEST(reads_by_hand),
        TEST(startup_by_hand),
        TEST(startup_fields_can_be_wrong),
        TEST(startup_goes_by_the_frame_that_was_sent),
        TEST(a_startup_that_takes_too_long_is_given_up),
        TEST(a_failed_startup_tells_why),
        TEST(peer_to_peer_hides_the_rtr),
        TEST(octets_and_resets),
        TEST(a_long_write_is_kept_whole_and_in_order),
        TEST(a_coroutine_of_the_script_may_send),
        TEST(bounds_regions),
        TEST(tells_whose_findings_they_are),
        TEST(says_what_it_takes_instead),
        TEST(extensions_go_by_name),
        TEST(first_come_first_served),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
