#include "iw_scenario_fixture_test.h"

/* A change that cannot apply is a mistake in the script. A Send of n octets has a ULPDU of 18 + n octets. */

/* Actions of client `a`, which sends no Markers. */
static void mistaken(struct fixture *fixture, const char *call, const char *message) {
    char text[512];

    snprintf(text, sizeof text, PAIR "step 'wrong'\n%s\npause(1)", call);
    is_mistake(fixture, text, 5, message);
    assert_string_equal(iw_scenario_result(fixture->scenario)->step, "wrong");
}

static void right(struct fixture *fixture, const char *call) {
    char text[512];

    snprintf(text, sizeof text, PAIR "%s", call);
    passes(fixture, text);
}

static void a_missing_segment_is_a_mistake(void **state) {
    mistaken(*state, "a:send{data = 'x', segment = 5, rsv = 1}", "segment = 5: the message has 1");
    mistaken(*state, "a:send{data = ('x'):rep(2000), segment = 3}", "segment = 3: the message has 2");
    mistaken(
        *state, "a:fpdu{data = 'x', segment = 2, rsv = 1}", "segment = 2: a message sent by hand is one");
    right(
        *state, "a:send{data = ('x'):rep(2000), segment = 2, rsv = 1} a:fpdu{msn = 2, segment = 1, rsv = 1}");
}

static void a_pad_value_without_pad_is_a_mistake(void **state) {
    mistaken(*state, "a:send{data = 'abcd', pad_value = 1}", "pad_value: there is no PAD");
    mistaken(*state, "a:fpdu{data = 'abcd', pad_value = 1}", "pad_value: there is no PAD");
    right(
        *state, "a:send{data = 'abcde', pad_value = 1} a:send{data = 'abcd', pad_octets = 4, pad_value = 0}");
    right(*state, "a:send{data = ('x'):rep(2002), pad_value = 1}"); /* in the last of two segments */
}

static void marker_options_without_markers_are_a_mistake(void **state) {
    mistaken(*state, "a:send{data = 'x', fpduptr = 4}", "fpduptr: no Marker falls into what is sent");
    mistaken(*state, "a:send{data = 'x', fpduptr_shift = 4}",
        "fpduptr_shift: no Marker with an FPDUPTR of its own falls into what is sent");
    mistaken(*state, "a:send{data = 'x', marker_reserved = 4}",
        "marker_reserved: no Marker falls into what is sent");
    mistaken(*state, "a:terminate{layer = 0, no_markers = true}", "no_markers: Markers are not in use");
}

/* The Marker at 0 precedes the first FPDU; the next one is at 512. */
static void marker_options_need_a_marker_in_the_fpdu(void **state) {
#define MARKED                                                                                               \
    "local l = listen{port = 20100} local b\n"                                                               \
    "local t = spawn(function() b = l:accept{auto = {rtr = false}} end)\n"                                   \
    "local a = connect{port = l.port, markers = true, auto = {terminate = false}} t:wait()\n"
    is_mistake(*state, MARKED "b:send{data = 'x'}\nb:send{data = 'y', fpduptr = 4}", 5,
        "fpduptr: no Marker falls into what is sent");
    is_mistake(*state, MARKED "b:send{data = 'x', fpduptr = 4, fpduptr_shift = 4}", 4,
        "fpduptr_shift: no Marker with an FPDUPTR of its own falls into what is sent");
    passes(*state, MARKED "b:send{data = 'x', fpduptr_shift = 4} b:send{data = ('y'):rep(500), fpduptr = 4}");
    passes(*state, MARKED "b:send{data = 'x', no_markers = true}"
                          " b:send{data = 'y', no_markers = true} b:sent()"
                          " b:fpdu{data = ('y'):rep(100), times = 9, marker_reserved = 1}");
}

static void crc_options_need_a_crc(void **state) {
    mistaken(*state, "a:send{data = 'x', crc_flip = 1, no_crc = true}", "crc_flip: no CRC is sent");
    mistaken(*state, "a:send{data = 'x', crc = 1, cut = 24}", "crc: no CRC is sent");
    mistaken(*state, "a:send{data = 'x', crc_flip = 1, times = 0}", "crc_flip: no CRC is sent");
    right(*state, "a:send{data = 'hello', crc = 0xb990b10c} a:send{data = 'x', crc_flip = 1, cut = 25}");
}

/* The FPDU has 28 octets: ULPDU_Length 2, ULPDU 19, PAD 3, CRC 4. */
static void cuts_must_be_within_the_fpdu(void **state) {
    static const char told[] = "split: what is sent ends with the first piece, or before";

    mistaken(*state, "a:send{data = 'x', cut = 29}", "cut: what is sent is shorter");
    mistaken(*state, "a:octets('abc', {cut = 4})", "cut: what is sent is shorter");
    mistaken(*state, "a:send{data = 'x', split = 28}", told);
    mistaken(*state, "a:send{data = 'x', cut = 10, split = 10}", told);
    mistaken(*state, "a:octets('abc', {split = {3}})", told);
    right(*state,
        "a:send{data = 'x', split = {10, 18, 1, 1}} a:send{data = 'x', split = 27}"
        " a:send{data = 'x', merge = true} a:send{data = 'x', split = 55} a:send{cut = 28, data = 'x'}");
}

static void fields_need_their_header(void **state) {
    static const char told[] = "fields of the RDMAP header: there is no such header in what is sent";

    mistaken(*state, "a:fpdu{kind = 'flush_request', header = 'abc', stag = 1}", told);
    mistaken(*state, "a:fpdu{ulpdu = 'abc', msn = 2}", "fields of the DDP header: ulpdu is sent as given");
    mistaken(*state, "a:fpdu{ulpdu = 'abc', data = 'x'}", "data: ulpdu is all that is sent");
    mistaken(*state, "a:message{kind = 'send', data = 'x', payload = 'y'}",
        "message: data and payload are the same here");
    right(*state, "a:message{kind = 'immediate', data = 'abcdefgh', payload = 'y'}"
                  " a:fpdu{kind = 'flush_request', stag = 1}");
}

static void checks_startup_frames_too(void **state) {
    static const char told[] = "fields of the enhanced data: the startup frame has none";

    is_mistake(
        *state, "local l = listen{port = 20100} local c = tcp{port = l.port}\nc:request{ird = 3}", 2, told);
    is_mistake(*state,
        "local l = listen{port = 20100} spawn(function() l:accept{} end)\n"
        "local c = connect{port = l.port,\nstartup = {ord = 3}}",
        2, told);
    is_mistake(*state,
        "local l = listen{port = 20100} spawn(function() l:accept{} end)\n"
        "local c = connect{port = l.port, startup = {cut = 21}}",
        2, "cut: what is sent is shorter");
    is_mistake(*state,
        "local l = listen{port = 20100} local c = tcp{port = l.port}\nc:request{pad_octets = 3}", 2,
        "request has no 'pad_octets'");
    passes(*state, "local l = listen{port = 20100} spawn(function() l:accept{} end)\n"
                   "connect{port = l.port, rev = 2, startup = {ird = 3, cut = 24}}");
    passes(*state, "local l = listen{port = 20100} local b spawn(function() b = l:tcp{} end)\n"
                   "check(not pcall(connect, {port = l.port, timeout = 1, startup = {times = 0}}))\n"
                   "b:expect{{kind = 'close', how = 'fin'}}");
}

/* A message that is never sent cannot have an effect. */
static void unsent_messages_are_not_mistakes(void **state) {
    right(*state, "b:reset() a:expect{{kind = 'close'}} a:send{data = 'abcd', pad_value = 1} pause(1)");
}

/* Reported when the message is sent, possibly after the script's end. */
static void reports_a_mistake_in_the_last_line(void **state) {
    is_mistake(*state, PAIR "a:send{data = 'abcd', pad_value = 1}", 4, "pad_value: there is no PAD");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_missing_segment_is_a_mistake),
        TEST(a_pad_value_without_pad_is_a_mistake),
        TEST(marker_options_without_markers_are_a_mistake),
        TEST(marker_options_need_a_marker_in_the_fpdu),
        TEST(crc_options_need_a_crc),
        TEST(cuts_must_be_within_the_fpdu),
        TEST(fields_need_their_header),
        TEST(checks_startup_frames_too),
        TEST(unsent_messages_are_not_mistakes),
        TEST(reports_a_mistake_in_the_last_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
