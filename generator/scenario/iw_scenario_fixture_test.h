#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "iw_scenario.h"

/* For tests of scenarios, which run their own scripts. */

/* Scenarios on a loop in memory. Keeps the output of log(). */
struct fixture {
    struct iw_loop *loop;
    struct iw_script *script;
    struct iw_scenario *scenario;
    char log[4096];
    char steps[512];
    unsigned done;
};

static inline void keep(char *text, size_t capacity, const char *more) {
    size_t length = strlen(text);

    snprintf(text + length, capacity - length, "%s%s", length == 0 ? "" : "|", more);
}

static inline void log_hook(void *user, struct iw_scenario *scenario, const char *text) {
    struct fixture *fixture = user;

    (void)scenario;
    keep(fixture->log, sizeof fixture->log, text);
}

static inline void step_hook(void *user, struct iw_scenario *scenario, const char *text) {
    struct fixture *fixture = user;

    (void)scenario;
    keep(fixture->steps, sizeof fixture->steps, text);
}

static inline void done_hook(void *user, struct iw_scenario *scenario) {
    struct fixture *fixture = user;

    (void)scenario;
    fixture->done++;
}

static inline struct iw_scenario_config config_of(struct fixture *fixture) {
    return (struct iw_scenario_config){.script = fixture->script,
        .loop = fixture->loop,
        .hooks = {.log = log_hook, .step = step_hook, .done = done_hook, .user = fixture}};
}

static inline int set_up(void **state) {
    static struct fixture fixture;
    static const struct iw_sandbox_config sandbox = {.instructions = 1000000};

    memset(&fixture, 0, sizeof fixture);
    fixture.loop = iw_loop_new(IW_LOOP_VIRTUAL);
    fixture.script = iw_script_new(&sandbox);
    *state = &fixture;
    return fixture.loop == NULL || fixture.script == NULL ? -1 : 0;
}

static inline int tear_down(void **state) {
    struct fixture *fixture = *state;

    iw_scenario_free(fixture->scenario);
    iw_script_free(fixture->script);
    iw_loop_free(fixture->loop);
    return 0;
}

static inline void push_text(struct fixture *fixture, const char *text) {
    char error[512] = "";

    assert_int_equal(iw_sandbox_load_text(iw_sandbox_of(iw_script_lua(fixture->script)), text, strlen(text),
                         "case.lua", error, sizeof error),
        IW_OK);
}

static inline const struct iw_scenario_result *run_with(
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

static inline const struct iw_scenario_result *run(struct fixture *fixture, const char *text) {
    const struct iw_scenario_config config = config_of(fixture);

    return run_with(fixture, &config, text);
}

static inline void passes(struct fixture *fixture, const char *text) {
    const struct iw_scenario_result *result = run(fixture, text);

    if (result->outcome != IW_SCENARIO_OK)
        fail_msg("%s:%d: %s (expected %s, actual %s)", result->script, result->line, result->message,
            result->expected == NULL ? "-" : result->expected, result->actual == NULL ? "-" : result->actual);
}

static inline void is_mistake(struct fixture *fixture, const char *text, int line, const char *message) {
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
