#include "iw_synth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "iw_temporary_test.h"

#define EXAMPLE(name) WARPCHECK_SOURCE_DIR "/generator/examples/" name

static char *read_file(const char *path, size_t *length) {
    static char octets[1 << 20];
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    *length = fread(octets, 1, sizeof octets, file);
    fclose(file);
    return memcpy(malloc(*length + 1), octets, *length);
}

static int synth(struct iw_synth_options options, char **out) {
    size_t length;

    options.out = open_memstream(out, &length);
    options.err = options.out;
    int code = (int)iw_synth(&options);
    fclose(options.out);
    return code;
}

static bool contains(const char *octets, size_t length, const char *text) {
    for (size_t at = 0; at + strlen(text) <= length; at++)
        if (memcmp(octets + at, text, strlen(text)) == 0)
            return true;
    return false;
}

/* Writes the capture twice. Both must be identical and name the step, and nothing may fail. */
static void repeats(struct iw_synth_options options, const char *step) {
    char path[TEMPORARY_PATH];
    char *octets[2], *out[2];
    size_t length[2];

    close(mkstemp(temporary_path(path, "iw_synth_test")));
    options.output = path;
    for (int i = 0; i < 2; i++) {
        if (synth(options, &out[i]) != 0)
            fail_msg("%s", out[i]);
        octets[i] = read_file(path, &length[i]);
    }
    unlink(path);
    assert_string_equal(out[0], out[1]);
    assert_int_equal(length[0], length[1]);
    assert_memory_equal(octets[0], octets[1], length[0]);
    assert_true(contains(octets[0], length[0], step));
    for (int i = 0; i < 2; i++) {
        free(octets[i]);
        free(out[i]);
    }
}

static void the_tour(void **state) {
    (void)state;
    repeats((struct iw_synth_options){.script = EXAMPLE("send_write_read.lua")}, "write and read");
}

static void markers(void **state) {
    (void)state;
    repeats((struct iw_synth_options){.script = EXAMPLE("markers.lua")}, "responder: answer");
}

static void a_wrong_crc_against_the_responder(void **state) {
    (void)state;
    repeats((struct iw_synth_options){.script = EXAMPLE("wrong_crc.lua")}, "a Send with a wrong CRC");
}

/* The FPDU is frame 6, after three of the handshake and two startup frames. */
static void reports_findings_with_side_and_frame(void **state) {
    char path[TEMPORARY_PATH];
    char *out;

    (void)state;
    close(mkstemp(temporary_path(path, "iw_synth_test")));
    assert_int_equal(
        synth((struct iw_synth_options){.script = EXAMPLE("wrong_crc.lua"), .output = path}, &out),
        IW_EXIT_CONFORMS);
    assert_non_null(strstr(out, "< Terminate "));
    assert_non_null(strstr(out, "  (!)\n"));
    assert_non_null(
        strstr(out, "findings:\n  this side, connection 1, frame 6: error RFC5044-4.4-11 (RFC 5044 "
                    "4.4, MUST) initiator: "));
    unlink(path);
    free(out);
}

static void plays_two_scripts_against_each_other(void **state) {
    static const struct iw_script_argument arguments[] = {{"count", "2"}, {"size", "1000"}};

    (void)state;
    repeats((struct iw_synth_options){.script = EXAMPLE("rping_client.lua"),
                .peer = EXAMPLE("rping_server.lua"),
                .arguments = arguments,
                .argument_count = 2,
                .has_isn = true,
                .isn = {0xFFFFFF00, 0xFFFFFFF0}},
        "ping 1: advertise the sink");
}

/* The impairments and the script's random numbers depend only on the seed. */
static void the_same_seed_gives_the_same_capture(void **state) {
    static const uint64_t seeds[] = {0, 1, 7, 7};
    char script[TEMPORARY_PATH], path[TEMPORARY_PATH];
    const char *text =
        "local c = connect{}\nfor i = 1, 9 do c:send{data = ('x'):rep(math.random(99))} end c:close()";
    struct iw_synth_options options = {.script = script, .output = path, .quiet = true};
    char *octets[4];
    size_t length[4];

    (void)state;
    close(mkstemp(temporary_path(path, "iw_synth_test")));
    int descriptor = mkstemp(temporary_path(script, "iw_synth_test"));
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    options.impairment.segment_least = 1;
    options.impairment.segment_most = 50;
    options.impairment.chance[IW_IMPAIRMENT_REORDER] = 200000;
    for (int i = 0; i < 4; i++) {
        char *out;

        options.seed = seeds[i];
        if (synth(options, &out) != 0)
            fail_msg("%s", out);
        free(out);
        octets[i] = read_file(path, &length[i]);
    }
    unlink(path);
    unlink(script);
    assert_int_equal(length[0], length[1]);
    assert_memory_equal(octets[0], octets[1], length[0]);
    assert_int_equal(length[2], length[3]);
    assert_memory_equal(octets[2], octets[3], length[2]);
    assert_true(length[1] != length[2] || memcmp(octets[1], octets[2], length[1]) != 0);
    for (int i = 0; i < 4; i++)
        free(octets[i]);
}

/* Packets have other frame numbers than the run's monitor would count. */
static void reports_no_wrong_frame_with_impairments(void **state) {
    struct iw_synth_options options = {.script = EXAMPLE("wrong_crc.lua"), .output = "/dev/null"};
    char *out;

    (void)state;
    options.impairment.chance[IW_IMPAIRMENT_DUPLICATE] = IW_IMPAIRMENT_CERTAIN;
    assert_int_equal(synth(options, &out), IW_EXIT_CONFORMS);
    assert_non_null(strstr(out, "findings:\n  this side, connection 1: error RFC5044-4.4-11 "));
    free(out);
}

static void keeps_the_capture_of_a_failed_script(void **state) {
    char path[TEMPORARY_PATH], script[TEMPORARY_PATH];
    const char *text = "local c = connect{}\nc:send{data = 'x'}\nc:expect{{kind = 'send'}, timeout = 600}";
    char *out;
    size_t length;

    (void)state;
    close(mkstemp(temporary_path(path, "iw_synth_test")));
    int descriptor = mkstemp(temporary_path(script, "iw_synth_test"));
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    assert_int_equal(synth((struct iw_synth_options){.script = script, .output = path}, &out), 1);
    assert_non_null(strstr(out, "actual:   silence"));
    free(read_file(path, &length));
    assert_true(length > 500);
    unlink(path);
    unlink(script);
    free(out);
}

static char *say(const char *text) {
    char path[TEMPORARY_PATH], script[TEMPORARY_PATH];
    char *out;

    close(mkstemp(temporary_path(path, "iw_synth_test")));
    int descriptor = mkstemp(temporary_path(script, "iw_synth_test"));
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    if (synth((struct iw_synth_options){.script = script, .output = path, .quiet = true}, &out) != 0)
        fail_msg("%s", out);
    unlink(path);
    unlink(script);
    return out;
}

/* After an error of this side, "conforms" must name the peer. */
static void the_verdict_names_its_side(void **state) {
    static const struct {
        const char *script, *verdict;
    } rows[] = {
        {"local c = connect{} c:send{data = 'x'} c:close()", "conforms\n"},
        {"local c = connect{} c:send{data = 'x', rsvd = 1} c:close()", "\nthe peer conforms\n"},
        {"local l = listen{} spawn(function() l:accept{} end)\n"
         "local c = connect{port = l.port} c:send{data = 'x', rsvd = 1} c:close()",
            "\nviolations: 1 on the script's own sides\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *out = say(rows[i].script);
        size_t behind = strlen(out) - strlen(rows[i].verdict);

        assert_true(strlen(out) >= strlen(rows[i].verdict));
        assert_string_equal(out + behind, rows[i].verdict);
        free(out);
    }
}

static void scripts_and_capture_have_one_clock(void **state) {
    (void)state;
    free(say("local c = connect{} c:close()\n"
             "local event = c:expect{{kind = 'close'}}\n"
             "check(event.time >= 1767225600 and event.time < 1767225700, tostring(event.time))"));
}

static void reads_from_the_responder(void **state) {
    char path[TEMPORARY_PATH], script[TEMPORARY_PATH];
    const char *text = "local c, r = connect{}, region{size = 4, rights = ''}\n"
                       "check(peer.size == 65536)\n"
                       "c:read{region = r, source_stag = peer.stag, source_to = peer.to + 7}\n"
                       "c:expect{{kind = 'read_response', data = '\\7\\8\\9\\10'}}";
    char *out;

    (void)state;
    close(mkstemp(temporary_path(path, "iw_synth_test")));
    int descriptor = mkstemp(temporary_path(script, "iw_synth_test"));
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    if (synth((struct iw_synth_options){.script = script, .output = path}, &out) != 0)
        fail_msg("%s", out);
    unlink(path);
    unlink(script);
    free(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tour),
        cmocka_unit_test(markers),
        cmocka_unit_test(a_wrong_crc_against_the_responder),
        cmocka_unit_test(reports_findings_with_side_and_frame),
        cmocka_unit_test(plays_two_scripts_against_each_other),
        cmocka_unit_test(the_same_seed_gives_the_same_capture),
        cmocka_unit_test(reports_no_wrong_frame_with_impairments),
        cmocka_unit_test(keeps_the_capture_of_a_failed_script),
        cmocka_unit_test(the_verdict_names_its_side),
        cmocka_unit_test(scripts_and_capture_have_one_clock),
        cmocka_unit_test(reads_from_the_responder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
