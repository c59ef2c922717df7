#include "iw_scenario_fixture_test.h"

/* Two ends of an association of the script: `a` opened it, `b` accepted it. */
#define ENDS                                                                                                 \
    "local l = listen_sctp{streams = 8} local b\n"                                                           \
    "local t = spawn(function() b = l:accept{} end)\n"                                                       \
    "local a = associate{port = l.port, tunnel = l.tunnel} t:wait()\n"

/* The same, with sessions as connections. */
#define SESSIONS                                                                                             \
    "local l = listen_sctp{sessions = true} local b\n"                                                       \
    "local t = spawn(function() b = l:accept{} end)\n"                                                       \
    "local a = associate{port = l.port, tunnel = l.tunnel} t:wait()\n"

static void shows_what_the_peer_announced(void **state) {
    passes(*state, ENDS "check(a.open and not a.over and b.open)\n"
                        "check(a.peer.indicated and a.peer.indication == 1)\n"
                        "check(a.peer.outbound == 8 and a.peer.inbound == 8 and b.peer.outbound == 8)");
    passes(*state, "local l = listen_sctp{indication = 0x4711} local b\n"
                   "local t = spawn(function() b = l:accept{} end)\n"
                   "local a = associate{port = l.port, tunnel = l.tunnel, indication = false} t:wait()\n"
                   "check(a.peer.indicated and a.peer.indication == 0x4711)\n"
                   "check(not b.peer.indicated)");
}

static void sends_control_chunks(void **state) {
    passes(*state, ENDS
        "a:control{stream = 3, kind = 'initiate', private_data = 'v1'}\n"
        "local e = b:expect{{kind = 'initiate', stream = 3, ssn = 0, private_data = 'v1', ordered = false}}\n"
        "check(e.octets == '\\0\\0\\0\\1v1' and e.ppid == 17 and e.function_code == 1)\n"
        "b:control{stream = 3, kind = 'accept'}\n"
        "check(a:expect{{kind = 'accept', ssn = 0, private_data = ''}}.octets == '\\0\\0\\0\\2')\n"
        "a:control{stream = 3, kind = 'terminate'}\n"
        "check(b:expect{{kind = 'terminate'}}.octets == '\\0\\1\\0\\4')\n"
        "a:control{stream = 3, kind = 'initiate', ssn = 7}\n"
        "b:expect{{kind = 'initiate', ssn = 7}}\n"
        "a:control{stream = 3, kind = 9, ordered = true}\n"
        "b:expect{{kind = 'control', function_code = 9, ssn = 0, ordered = true}}");
}

/* RFC 6581 7: IRD with A, ORD with the RTR types, then private data. */
static void sends_enhanced_data(void **state) {
    passes(*state, ENDS "a:control{kind = 'enhanced_initiate', a = true, rtr_c = true, ird = 2, ord = 1}\n"
                        "local e = b:expect{{kind = 'enhanced_initiate', a = true, rtr_c = true, ird = 2}}\n"
                        "check(tohex(e.octets) == '0000 0005 8002 8001', tohex(e.octets))\n"
                        "b:control{kind = 'enhanced_reject', rtr_d = true, private_data = 'no'}\n"
                        "e = a:expect{{kind = 'enhanced_reject', rtr_d = true, private_data = 'no'}}\n"
                        "check(tohex(e.octets) == '0000 0007 0000 4000 6e6f', tohex(e.octets))\n"
                        "b:control{kind = 'enhanced_reject', enhanced = false}\n"
                        "check(tohex(a:expect{{kind = 'enhanced_reject'}}.octets) == '0001 0007')");
}

static void sends_user_data(void **state) {
    passes(*state, ENDS
        "a:data{stream = 2, octets = hex'41 43 00000000 00000000 00000001 00000000' .. 'hello'}\n"
        "b:expect{{kind = 'segment', stream = 2, ssn = 0, opcode = 3, qn = 0, msn = 1, data = 'hello'}}\n"
        "a:data{stream = 2, ppid = 99, ssn = false, octets = 'x'}\n"
        "b:expect{{kind = 'data', ppid = 99, octets = 'x'}}\n"
        "a:data{stream = 2, octets = 'abc'}\n"
        "check(b:expect{{kind = 'segment', ssn = 1}}.octets == '\\0\\1abc')");
}

static void sessions_are_connections(void **state) {
    passes(*state, SESSIONS
        "local d\n"
        "local u = spawn(function() d = b:accept{private_data = 'yes'} end)\n"
        "local c = a:connect{stream = 5, private_data = 'please'} u:wait()\n"
        "check(d.startup.private_data == 'please' and c.startup.private_data == 'yes')\n"
        "local r = region{size = 5000}\n"
        "c:write{stag = r.stag, data = ('x'):rep(5000)} c:send{data = 'done'}\n"
        "d:expect{{kind = 'rdma_write', size = 5000}} d:expect{{kind = 'send', data = 'done'}}\n"
        "check(r:get() == ('x'):rep(5000))\n"
        "c:close() d:expect{{kind = 'close', how = 'fin'}} c:expect{{kind = 'close', how = 'fin'}}\n"
        "a:close() a:expect{{kind = 'end', how = 'shutdown'}} b:expect{{kind = 'end', how = 'shutdown'}}");
}

static void rejects_a_session(void **state) {
    passes(*state, SESSIONS "spawn(function() pcall(b.accept, b, {reject = true}) end)\n"
                            "local ok, failure = pcall(a.connect, a, {rev = 2})\n"
                            "check(not ok and failure.kind == 'failure', failure)");
    passes(*state, ENDS "spawn(function() b:expect{{kind = 'initiate'}} b:control{kind = 'terminate'} end)\n"
                        "local ok, failure = pcall(a.connect, a)\n"
                        "check(not ok and failure.kind == 'failure')");
}

/* While a connection uses a stream, the script sees only the other streams. */
static void hides_streams_of_connections_from_the_script(void **state) {
    passes(*state, ENDS "local c\n"
                        "local u = spawn(function() c = a:connect{stream = 1} end)\n"
                        "b:expect{{kind = 'initiate', stream = 1}} b:control{stream = 1, kind = 'accept'}\n"
                        "u:wait() b:control{stream = 2, kind = 'initiate'}\n"
                        "b:control{stream = 1, kind = 'terminate'}\n"
                        "a:expect{{kind = 'initiate', stream = 2}} c:expect{{kind = 'close'}}");
}

static void reports_how_the_association_ended(void **state) {
    passes(*state, ENDS "a:abort() b:expect{{kind = 'end', how = 'aborted'}}\n"
                        "a:expect{{kind = 'end', how = 'aborted'}} check(a.over == 'aborted')\n"
                        "local ok, failure = pcall(a.control, a, {kind = 'initiate'})\n"
                        "check(not ok and failure.kind == 'failure', failure)");
    passes(*state, "local a = associate{port = 9}\n"
                   "check(not a.open and a.over == 'failed' and a.text ~= '')\n"
                   "local ok, failure = pcall(a.control, a, {kind = 'initiate'})\n"
                   "check(not ok and failure.kind == 'environment')");
}

/* A DATA chunk without user data is answered by ABORT (RFC 9260 6.2). */
static void injects_chunks(void **state) {
    passes(*state, ENDS "a:inject(string.pack('>BBI2I4I2I2I4', 0, 7, 16, a:next_tsn(), 0, 0, 17))\n"
                        "a:expect{{kind = 'end', how = 'aborted'}}");
}

static void holds_back_a_chunk(void **state) {
    passes(*state, ENDS "a:hold(true)\n"
                        "b:control{stream = 1, kind = 'initiate'} b:control{stream = 2, kind = 'initiate'}\n"
                        "a:expect{{kind = 'initiate', stream = 2}} a:expect{{kind = 'silence'}}\n"
                        "a:hold(false) a:expect{{kind = 'initiate', stream = 1}}");
}

/* In memory, where SCTP's clock never stops. */
static void every_wait_ends(void **state) {
    passes(*state, ENDS "check(a:expect{{kind = 'silence'}, timeout = false}.kind == 'silence')\n"
                        "check(a.open and b.open)");
}

/* A peer with fewer streams than requested is not a script mistake (RFC 5043 8). */
static void accepts_fewer_streams_than_requested(void **state) {
    passes(*state, "local l = listen_sctp{streams = 2}\n"
                   "local t = spawn(function() l:accept{} end)\n"
                   "local a = associate{port = l.port, tunnel = l.tunnel, streams = 3} t:wait()\n"
                   "local function refused(f, text)\n"
                   "  local ok, why = pcall(f)\n"
                   "  check(not ok and why.kind == 'environment' and why.message == text, tostring(why))\n"
                   "end\n"
                   "refused(function() a:control{kind = 'initiate', stream = 2} end,\n"
                   "  'a:control: the peer accepts streams 0 to 1, not 2')\n"
                   "refused(function() a:connect{stream = 2} end,\n"
                   "  'a:connect: the peer accepts streams 0 to 1, not 2')");
}

static void reports_the_line_of_a_mistake(void **state) {
    is_mistake(*state, "\nassociate{prot = 1}", 2, "associate has no 'prot' (did you mean 'port'?)");
    is_mistake(*state, "associate{}", 1, "associate: no port");
    is_mistake(*state, ENDS "a:control{kind = 'initate'}", 4,
        "a:control: kind takes \"initiate\", \"accept\", \"reject\", \"terminate\", \"enhanced_initiate\", "
        "\"enhanced_accept\", \"enhanced_reject\" or a Function Code, not initate");
    is_mistake(*state, ENDS "a:control{kind = 'initiate', stream = 16}", 4,
        "a:control: the association has streams 0 to 7, not 16");
    is_mistake(
        *state, ENDS "a:connect{crc = true}", 4, "a:connect has no 'crc': it is for connections over TCP");
    is_mistake(*state, ENDS "a:data{ssn = false}", 4, "a:data: a message needs at least one octet");
    is_mistake(*state, ENDS "a:expect{{kind = 'acept'}}", 4,
        "expect: there is no kind 'acept' (did you mean 'accept'?)");
    is_mistake(*state, ENDS "b:accept{}", 4, "a:accept needs an association with sessions = true");
}

struct watched {
    struct fixture *fixture;
    char findings[512];
    unsigned last; /* the last reported session */
    uint64_t frame;
};

static void take_event(void *user, struct iw_scenario *scenario, unsigned connection, const bool own[2],
    const struct iw_monitor_event *event) {
    struct watched *watched = user;

    (void)scenario;
    watched->last = connection;
    watched->frame = event->llp->frame;
    for (size_t i = 0; i < event->finding_count; i++) {
        keep(watched->findings, sizeof watched->findings, event->findings[i].requirement->id);
        assert_true(own[event->findings[i].side]);
    }
}

static void judges_the_association(void **state) {
    struct watched watched = {.fixture = *state};
    struct iw_scenario_config config = config_of(*state);

    config.hooks = (struct iw_scenario_hooks){.event = take_event, .user = &watched};
    const struct iw_scenario_result *result = run_with(*state, &config,
        ENDS "a:control{kind = 'initiate', ordered = true} b:expect{{kind = 'initiate'}}\n"
             "b:control{kind = 'accept', private_data = ('x'):rep(513)}\n"
             "a:expect{{kind = 'accept'}} a:data{stream = 1, octets = hex'4143 00000000 00000000 00000001 "
             "00000000'}");

    assert_int_equal(result->outcome, IW_SCENARIO_OK);
    assert_string_equal(watched.findings, "RFC5043-10-01|RFC5043-5.2.3-02|RFC5043-6.1-01");
    assert_int_equal(watched.last, 2);
    assert_int_equal(watched.frame, 0); /* no recording */
    assert_int_equal(iw_scenario_findings((*(struct fixture **)state)->scenario, true)[IW_SEVERITY_ERROR], 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(shows_what_the_peer_announced),
        TEST(sends_control_chunks),
        TEST(sends_enhanced_data),
        TEST(sends_user_data),
        TEST(sessions_are_connections),
        TEST(rejects_a_session),
        TEST(hides_streams_of_connections_from_the_script),
        TEST(reports_how_the_association_ended),
        TEST(injects_chunks),
        TEST(holds_back_a_chunk),
        TEST(every_wait_ends),
        TEST(accepts_fewer_streams_than_requested),
        TEST(reports_the_line_of_a_mistake),
        TEST(judges_the_association),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
