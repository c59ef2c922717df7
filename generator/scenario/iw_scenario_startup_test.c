#include "iw_scenario_fixture_test.h"

/* Startup of a script's connections. */

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

static void sends_wrong_startup_fields(void **state) {
    passes(*state, "local l = listen{port = 20100} local b\n"
                   "local t = spawn(function() b = l:tcp{} end)\n"
                   "local u = spawn(function() pcall(connect, {port = l.port, startup = {res = 5}}) end)\n"
                   "t:wait() b:expect{{kind = 'request', res = 5, rev = 1, c = 1}}");
}

static void startup_follows_the_frame_that_was_sent(void **state) {
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

static void times_out_a_slow_startup(void **state) {
    passes(*state, "local l = listen{port = 20100}\n"
                   "local t = spawn(function() return pcall(l.accept, l, {timeout = 0.5}) end)\n"
                   "local a = tcp{port = l.port} a:expect{{kind = 'close', how = 'fin'}} t:wait()\n"
                   "t = spawn(function() local b = l:tcp{} b:expect{{kind = 'request'}}\n"
                   "b:expect{{kind = 'close', how = 'fin'}} end)\n"
                   "local ok, failure = pcall(connect, {port = l.port, timeout = 0.5})\n"
                   "check(not ok and failure.actual == 'silence') t:wait()");
}

static void reports_why_the_startup_failed(void **state) {
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

static void extensions_go_by_name(void **state) {
    passes(*state, "local l = listen{port = 20100}\n"
                   "for i, names in ipairs{'none', 'talpey', '7306', 'talpey,storm', 'all'} do\n"
                   "  local b\n"
                   "  local t = spawn(function() b = l:accept{extensions = names} end)\n"
                   "  local a = connect{port = l.port} t:wait()\n"
                   "  a:immediate{data = '12345678'}\n"
                   "  b:expect{{kind = i <= 2 and 'unknown' or 'immediate'}}\n"
                   "  a:reset()\n"
                   "end");
}

/* The task that has waited longest at a listener gets the connection. */
static void serves_waiting_tasks_in_order(void **state) {
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

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(startup_by_hand),
        TEST(sends_wrong_startup_fields),
        TEST(startup_follows_the_frame_that_was_sent),
        TEST(times_out_a_slow_startup),
        TEST(reports_why_the_startup_failed),
        TEST(peer_to_peer_hides_the_rtr),
        TEST(extensions_go_by_name),
        TEST(serves_waiting_tasks_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
