#define _GNU_SOURCE /* fopencookie */

#include "iw_play.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "iw_reference.h"
#include "iw_temporary_test.h"

#define EXAMPLE(name) WARPCHECK_SOURCE_DIR "/generator/examples/" name

/* What a run printed. */
struct printed {
    char *out, *err;
    size_t out_octets, err_octets;
};

static int play(struct iw_play_options options, struct printed *printed) {
    options.out = open_memstream(&printed->out, &printed->out_octets);
    options.err = open_memstream(&printed->err, &printed->err_octets);
    int code = (int)iw_play(&options);
    fclose(options.out);
    fclose(options.err);
    return code;
}

static void forget(struct printed *printed) {
    free(printed->out);
    free(printed->err);
}

static void write_script(char path[TEMPORARY_PATH], const char *text) {
    int descriptor = mkstemp(temporary_path(path, "iw_play_test"));

    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
}

static int play_text(const char *text, struct printed *printed, char path[TEMPORARY_PATH]) {
    write_script(path, text);
    int code = play((struct iw_play_options){.script = path}, printed);
    unlink(path);
    return code;
}

/* ---- bad input ---- */

static void an_unreachable_peer_leaves_a_recording(void **state) {
    char record[TEMPORARY_PATH];
    struct printed printed;

    (void)state;
    close(mkstemp(temporary_path(record, "iw_play_test")));
    int code = play(
        (struct iw_play_options){
            .script = EXAMPLE("rping_client.lua"), .host = "127.0.0.1", .port = 1, .record = record},
        &printed);
    assert_int_equal(code, IW_EXIT_ENVIRONMENT);
    assert_string_equal(printed.err,
        "warpcheck: " EXAMPLE("rping_client.lua") ":32: 127.0.0.1:1: connection refused (step: startup)\n");
    FILE *file = fopen(record, "rb");
    assert_int_not_equal(fgetc(file), EOF);
    fclose(file);
    unlink(record);
    forget(&printed);
}

static void reports_the_line_of_a_syntax_error(void **state) {
    char path[TEMPORARY_PATH], expected[TEMPORARY_PATH + 128];
    struct printed printed;

    (void)state;
    assert_int_equal(play_text("step 'one'\nif then\n", &printed, path), IW_EXIT_ENVIRONMENT);
    snprintf(expected, sizeof expected, "warpcheck: %s:2: unexpected symbol near 'then'\n", path);
    assert_string_equal(printed.err, expected);
    forget(&printed);
}

static void reports_a_missing_script(void **state) {
    struct printed printed;

    (void)state;
    assert_int_equal(
        play((struct iw_play_options){.script = "/nowhere/a.lua"}, &printed), IW_EXIT_ENVIRONMENT);
    assert_string_equal(printed.err, "warpcheck: /nowhere/a.lua: No such file or directory\n");
    forget(&printed);
}

static void reports_an_unwritable_file(void **state) {
    struct printed printed;

    (void)state;
    assert_int_equal(
        play((struct iw_play_options){.script = EXAMPLE("markers.lua"), .record = "/nowhere/a.pcapng"},
            &printed),
        IW_EXIT_ENVIRONMENT);
    assert_int_equal(strncmp(printed.err, "warpcheck: /nowhere/a.pcapng: ", 30), 0);
    forget(&printed);
}

static void reports_the_line_of_a_mistake(void **state) {
    char path[TEMPORARY_PATH], expected[TEMPORARY_PATH + 128];
    struct printed printed;

    (void)state;
    assert_int_equal(play_text("step 'one'\nconnect{prot = 1}\n", &printed, path), IW_EXIT_ENVIRONMENT);
    snprintf(expected, sizeof expected,
        "warpcheck: %s:2: connect has no 'prot' (did you mean 'port'?) (step: one)\n", path);
    assert_string_equal(printed.err, expected);
    forget(&printed);
}

static void names_trust_for_a_missing_library(void **state) {
    struct printed printed;
    char path[TEMPORARY_PATH];

    (void)state;
    assert_int_equal(play_text("io.open('x')", &printed, path), IW_EXIT_ENVIRONMENT);
    assert_non_null(strstr(
        printed.err, ":1: attempt to index a nil value (global 'io'); only --trust gives it to a script\n"));
    forget(&printed);
    assert_int_equal(play_text("dofile('x')", &printed, path), IW_EXIT_ENVIRONMENT);
    assert_non_null(strstr(printed.err,
        ":1: attempt to call a nil value (global 'dofile'); only --trust gives it to a script\n"));
    forget(&printed);
}

static void reports_a_port_in_use(void **state) {
    char path[TEMPORARY_PATH];
    struct printed printed;

    (void)state;
    int code = play_text("local l = listen{}\nlocal ok, e = pcall(listen, {port = l.port})\n"
                         "check(not ok and e.kind == 'environment')\n"
                         "check(e.message == '127.0.0.1:' .. l.port .. ': port in use', e.message)",
        &printed, path);
    assert_string_equal(printed.out, "conforms\n");
    assert_int_equal(code, IW_EXIT_CONFORMS);
    forget(&printed);
}

static void prints_expected_and_actual_of_a_failure(void **state) {
    char path[TEMPORARY_PATH];
    struct printed printed;

    (void)state;
    int code =
        play_text("local l = listen{}\nspawn(function() l:accept{} end)\nlocal c = connect{port = l.port}\n"
                  "step 'wait'\nc:expect{{kind = 'send'}, timeout = 0.01}",
            &printed, path);
    assert_int_equal(code, IW_EXIT_VIOLATIONS);
    assert_non_null(strstr(printed.out, ":5: the event matches no expected outcome (step: wait)\n"
                                        "  expected: send\n  actual:   silence\n"));
    forget(&printed);
}

struct written {
    size_t writes, octets;
};

static ssize_t count_write(void *cookie, const char *octets, size_t count) {
    struct written *written = cookie;

    (void)octets;
    written->writes++;
    written->octets += count;
    return (ssize_t)count;
}

/* Writes to an unbuffered file, such as standard error. */
static void truncates_a_long_error_and_writes_it_at_once(void **state) {
    char path[TEMPORARY_PATH];
    struct written written = {0};
    FILE *err = fopencookie(&written, "w", (cookie_io_functions_t){.write = count_write});
    FILE *out = fopen("/dev/null", "w");

    (void)state;
    setvbuf(err, NULL, _IONBF, 0);
    write_script(path, "step(('s'):rep(4096))\nerror(('x'):rep(10000000), 0)");
    assert_int_equal(
        iw_play(&(struct iw_play_options){.script = path, .out = out, .err = err}), IW_EXIT_ENVIRONMENT);
    unlink(path);
    fclose(err);
    fclose(out);
    assert_in_range(written.octets, 16384 + 4096, 16384 + 4096 + TEMPORARY_PATH + 256);
    assert_in_range(written.writes, 1, 32);
}

static void counts_truncated_octets(void **state) {
    char path[TEMPORARY_PATH];
    struct printed printed;

    (void)state;
    assert_int_equal(play_text("print(('x'):rep(16384) .. 'yz')", &printed, path), IW_EXIT_CONFORMS);
    assert_non_null(strstr(printed.out, "x (and 2 octets more)\n"));
    forget(&printed);
}

/* ---- the examples over loopback ---- */

static void plays_by_itself(const char *script) {
    struct printed printed;

    int code = play((struct iw_play_options){.script = script}, &printed);
    if (code != IW_EXIT_CONFORMS)
        fail_msg("%s%s", printed.out, printed.err);
    assert_non_null(strstr(printed.out, "> MPA Request m="));
    forget(&printed);
}

static void plays_both_sides_of_the_tour(void **state) {
    (void)state;
    plays_by_itself(EXAMPLE("send_write_read.lua"));
}

static void plays_both_sides_of_markers(void **state) {
    (void)state;
    plays_by_itself(EXAMPLE("markers.lua"));
}

struct pair {
    struct iw_loop *loop;
    struct iw_script *scripts[2];
    struct iw_scenario *scenarios[2];
    struct iw_reference *responder;
    const struct iw_script_argument *arguments;
    size_t argument_count;
    const char *client;
    unsigned over;
};

static void one_is_over(void *user, struct iw_scenario *scenario) {
    struct pair *pair = user;

    (void)scenario;
    if (++pair->over == 2 || pair->responder != NULL)
        iw_loop_stop(pair->loop);
}

static void start(
    struct pair *pair, unsigned side, const char *path, uint16_t port, struct iw_scenario_hooks hooks) {
    const struct iw_sandbox_config sandbox = {0};
    char error[512] = "";

    pair->scripts[side] = iw_script_new(&sandbox);
    assert_int_equal(iw_script_load(pair->scripts[side], path, error, sizeof error), IW_OK);
    assert_int_equal(
        iw_script_set_arguments(pair->scripts[side], pair->arguments, pair->argument_count), IW_OK);
    if (port != 0)
        assert_int_equal(iw_script_set_peer(pair->scripts[side], "127.0.0.1", port), IW_OK);
    const struct iw_scenario_config config = {
        .script = pair->scripts[side], .loop = pair->loop, .hooks = hooks};
    pair->scenarios[side] = iw_scenario_new(&config);
    assert_int_equal(iw_scenario_start_script(pair->scenarios[side]), IW_OK);
}

/* The client starts after the server has printed where it listens. */
static void server_says(void *user, struct iw_scenario *scenario, const char *text) {
    struct pair *pair = user;
    unsigned port;

    (void)scenario;
    assert_int_equal(sscanf(text, "listening on port %u", &port), 1);
    start(
        pair, 1, pair->client, (uint16_t)port, (struct iw_scenario_hooks){.done = one_is_over, .user = pair});
}

static void finish(struct pair *pair) {
    iw_loop_run(pair->loop);
    for (unsigned side = 0; side < 2; side++) {
        if (pair->scenarios[side] == NULL)
            continue;
        const struct iw_scenario_result *result = iw_scenario_result(pair->scenarios[side]);
        if (result->outcome != IW_SCENARIO_OK)
            fail_msg("%s:%d: %s (%s, %s)", result->script, result->line, result->message,
                result->expected == NULL ? "" : result->expected,
                result->actual == NULL ? "" : result->actual);
        assert_true(iw_scenario_over(pair->scenarios[side]));
        assert_int_equal(iw_scenario_findings(pair->scenarios[side], false)[IW_SEVERITY_ERROR], 0);
        iw_scenario_free(pair->scenarios[side]);
        iw_script_free(pair->scripts[side]);
    }
    iw_reference_free(pair->responder);
    iw_loop_free(pair->loop);
}

static void plays_rping_between_client_and_server(void **state) {
    static const struct iw_script_argument arguments[] = {
        {"size", "64"}, {"count", "3"}, {"settle", "0.001"}};
    struct pair pair = {.loop = iw_loop_new(IW_LOOP_REAL),
        .arguments = arguments,
        .argument_count = 3,
        .client = EXAMPLE("rping_client.lua")};

    (void)state;
    start(&pair, 0, EXAMPLE("rping_server.lua"), 0,
        (struct iw_scenario_hooks){.log = server_says, .done = one_is_over, .user = &pair});
    finish(&pair);
    assert_int_equal(pair.over, 2);
}

static uint16_t free_port(struct iw_loop *loop, struct iw_reference **responder) {
    char text[IW_PORT_TEXT_OCTETS];

    for (uint16_t port = 20100; port < 20200; port++) {
        const struct iw_reference_config config = {
            .loop = loop, .host = "127.0.0.1", .port = port, .endpoint = iw_reference_defaults()};
        *responder = iw_reference_new(&config, text);
        if (*responder != NULL)
            return port;
    }
    fail_msg("%s", text);
    return 0;
}

static void the_responder_terminates_on_a_wrong_crc(void **state) {
    struct pair pair = {.loop = iw_loop_new(IW_LOOP_REAL)};

    (void)state;
    uint16_t port = free_port(pair.loop, &pair.responder);
    start(&pair, 0, EXAMPLE("wrong_crc.lua"), port,
        (struct iw_scenario_hooks){.done = one_is_over, .user = &pair});
    finish(&pair);
    assert_int_equal(pair.over, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unreachable_peer_leaves_a_recording),
        cmocka_unit_test(reports_the_line_of_a_syntax_error),
        cmocka_unit_test(reports_a_missing_script),
        cmocka_unit_test(reports_an_unwritable_file),
        cmocka_unit_test(reports_the_line_of_a_mistake),
        cmocka_unit_test(names_trust_for_a_missing_library),
        cmocka_unit_test(reports_a_port_in_use),
        cmocka_unit_test(prints_expected_and_actual_of_a_failure),
        cmocka_unit_test(truncates_a_long_error_and_writes_it_at_once),
        cmocka_unit_test(counts_truncated_octets),
        cmocka_unit_test(plays_both_sides_of_the_tour),
        cmocka_unit_test(plays_both_sides_of_markers),
        cmocka_unit_test(plays_rping_between_client_and_server),
        cmocka_unit_test(the_responder_terminates_on_a_wrong_crc),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
