#include "iw_scenario_fixture_test.h"

/* Conversations between scripts. */

static void sends_and_expects(void **state) {
    passes(*state,
        PAIR "a:send{data = 'hello', se = true}\n"
             "local e, n = b:expect{{kind = 'terminate'}, {kind = 'send_se', msn = 1, qn = 0, l = 1,"
             " dv = 1, rv = 1, crc = 'good', data = match'^hel', size = 5, ulpdu_length = 23}}\n"
             "check(n == 2) check(e.stag == nil and e.invalidate_stag == 0)");
}

static void reports_expected_and_actual(void **state) {
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
                   "a:read{source_stag = 1, sink_stag = 2} a:send{data = 'behind it'} a:sent()\n"
                   "local ok, failure = pcall(a.complete, a, {timeout = 0.5})\n"
                   "check(not ok and failure.actual == 'silence', 'no answer')\n"
                   "b:close{now = true} ok, failure = pcall(a.complete, a)\n"
                   "check(not ok and failure.actual == 'close', 'there will be none')");
}

static void ignores_the_listed_kinds(void **state) {
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

static void sets_any_field(void **state) {
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

static void terminates_on_a_wrong_crc(void **state) {
    passes(*state, PAIR "a:send{data = 'x', crc_flip = 0x80000000}\n"
                        "b:expect{{kind = 'send', crc = 'bad'}}\n"
                        "a:expect{{kind = 'terminate', layer = 2, etype = 0, code = 2}}\n"
                        "a:expect{{kind = 'close'}}");
}

/* Whether a failure after these lines tells that its task had taken the end of the stream. */
static void assert_stream_ended(struct fixture *fixture, const char *lines, bool ended) {
    char script[1024];
    const struct iw_scenario_result *result;

    snprintf(script, sizeof script, PAIR "%s check(false)", lines);
    result = run(fixture, script);
    assert_int_equal(result->outcome, IW_SCENARIO_FAILED);
    assert_int_equal(result->stream_ended, ended);
}

static void a_failure_tells_whether_the_stream_had_ended(void **state) {
    assert_stream_ended(*state, "", false);
    assert_stream_ended(*state, "a:send{data = 'x'} b:receive{}", false);
    assert_stream_ended(*state, "a:send{data = 'x', crc_flip = 1} b:receive{}", true);
    /* a good message is the last one that was taken, although the wrong one and the close have arrived */
    assert_stream_ended(
        *state, "a:send{data = 'x'} a:send{data = 'x', crc_flip = 1} pause(1) b:receive{}", false);
    assert_stream_ended(
        *state, "a:send{data = 'x'} a:send{data = 'x', crc_flip = 1} b:receive{} b:receive{}", true);
    assert_stream_ended(*state, "a:close() b:receive{}", true);
    /* what another task has taken tells nothing about this one */
    assert_stream_ended(*state,
        "a:send{data = 'x'} a:send{data = 'x', crc_flip = 1} b:receive{}\n"
        "spawn(function() b:receive{} end):wait()",
        false);
}

/* Whether lost packets would explain a failure after these lines. */
static void assert_loss_explains(struct fixture *fixture, const char *lines, bool explains) {
    char script[1024];
    const struct iw_scenario_result *result;

    snprintf(script, sizeof script, PAIR "%s check(false)", lines);
    result = run(fixture, script);
    assert_int_equal(result->outcome, IW_SCENARIO_FAILED);
    assert_int_equal(result->loss_explains, explains);
}

static void a_failure_tells_whether_lost_packets_would_explain_it(void **state) {
    assert_loss_explains(*state, "", false);
    assert_loss_explains(*state, "b:expect{{kind = 'silence'}, timeout = 1}", true);
    assert_loss_explains(*state, "a:reset() b:receive{}", true);
    assert_loss_explains(*state, "a:close() b:receive{}", false);
    assert_loss_explains(*state, "a:send{data = 'x'} b:receive{}", false);
    /* a message that arrived after a silence */
    assert_loss_explains(
        *state, "b:expect{{kind = 'silence'}, timeout = 1} a:send{data = 'x'} b:receive{}", false);
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

/* Messages posted before close() are still sent, each with its own changes. */
static void sends_changed_messages_before_the_close(void **state) {
    passes(*state, PAIR "for i = 1, 300 do a:send{data = ('x'):rep(2000), rsv = i % 3} end a:close()\n"
                        "for i = 1, 300 do b:expect{{kind = 'send', rsv = i % 3, size = 2000}} end\n"
                        "b:expect{{kind = 'close', how = 'fin'}}");
}

/* Whichever way the script closed its half. */
static void rejects_sending_after_a_close(void **state) {
    is_mistake(*state, PAIR "a:close()\na:send{data = 'x'}", 5, "nothing can be sent after c:close()");
    is_mistake(*state, PAIR "a:send{data = 'x'} a:close() a:close()\npause(1)\na:octets('')", 6,
        "nothing can be sent after c:close()");
    is_mistake(*state, PAIR "a:close{now = true}\na:fpdu{data = 'x'}", 5,
        "nothing can be sent after c:close{now=true}");
    is_mistake(*state, PAIR "a:reset()\na:flush{stag = 1}", 5, "nothing can be sent after c:reset()");
    is_mistake(*state, PAIR "a:close()\na:terminate{}", 5, "nothing can be sent after c:close()");
    is_mistake(*state, "local l = listen{port = 20100} local a = tcp{port = l.port}\na:close()\na:request{}",
        3, "nothing can be sent after c:close()");
    passes(*state, PAIR "a:close() b:expect{{kind = 'close'}} a:close() a:close{now = true} a:reset()");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(sends_and_expects),
        TEST(reports_expected_and_actual),
        TEST(silence_is_an_event),
        TEST(waits_for_completions),
        TEST(ignores_the_listed_kinds),
        TEST(long_messages_arrive_whole),
        TEST(sets_any_field),
        TEST(terminates_on_a_wrong_crc),
        TEST(a_failure_tells_whether_the_stream_had_ended),
        TEST(a_failure_tells_whether_lost_packets_would_explain_it),
        TEST(reads_by_hand),
        TEST(octets_and_resets),
        TEST(a_long_write_is_kept_whole_and_in_order),
        TEST(a_coroutine_of_the_script_may_send),
        TEST(sends_changed_messages_before_the_close),
        TEST(rejects_sending_after_a_close),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
