#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_command.h"
#include "iw_temporary_test.h"

/* Commands on a real loop. The tests wait for the commands, not for fixed times. */

struct outcome {
    struct iw_loop *loop;
    bool ended;
    enum iw_command_end end;
    char text[IW_COMMAND_TEXT_OCTETS];
};

static void store_end(void *user, enum iw_command_end end, const char *text) {
    struct outcome *outcome = user;

    outcome->ended = true;
    outcome->end = end;
    snprintf(outcome->text, sizeof outcome->text, "%s", text);
    iw_loop_stop(outcome->loop);
}

static struct outcome run_command(const char *text) {
    struct outcome outcome = {.loop = iw_loop_new(IW_LOOP_REAL)};
    char error[IW_COMMAND_TEXT_OCTETS];
    struct iw_command *command = iw_command_new(outcome.loop, text, store_end, &outcome, error);

    assert_non_null(command);
    iw_loop_run(outcome.loop);
    iw_command_free(command);
    iw_loop_free(outcome.loop);
    assert_true(outcome.ended);
    return outcome;
}

static void end_reports_the_last_line(void **state) {
    struct outcome outcome = run_command("echo first; echo; echo last >&2");

    (void)state;
    assert_int_equal(outcome.end, IW_COMMAND_SUCCEEDED);
    assert_string_equal(outcome.text, "exit code 0: last");
    outcome = run_command("printf 'no newline \\033[1m'; exit 7");
    assert_int_equal(outcome.end, IW_COMMAND_FAILED);
    assert_string_equal(outcome.text, "exit code 7: no newline ?[1m");
    outcome = run_command("kill -TERM $$");
    assert_int_equal(outcome.end, IW_COMMAND_FAILED);
    assert_string_equal(outcome.text, "signal 15");
}

static void end_tells_a_missing_command(void **state) {
    (void)state;
    assert_int_equal(run_command("/nonexistent/command").end, IW_COMMAND_NOT_RUN);
    assert_int_equal(run_command("/dev/null").end, IW_COMMAND_NOT_RUN); /* not executable */
    assert_int_equal(run_command("exit 125").end, IW_COMMAND_FAILED);
    assert_int_equal(run_command("exit 128").end, IW_COMMAND_FAILED);
}

static void long_output_is_bounded(void **state) {
    struct outcome outcome = run_command("yes | head -c 1000000; printf '\\n%0300d\\n' 7");

    (void)state;
    assert_int_equal(outcome.end, IW_COMMAND_SUCCEEDED);
    assert_true(strlen(outcome.text) < IW_COMMAND_TEXT_OCTETS);
    assert_non_null(strstr(outcome.text, ": 000"));
}

static void command_has_no_input(void **state) {
    struct outcome outcome = run_command("cat; echo over");

    (void)state;
    assert_string_equal(outcome.text, "exit code 0: over");
}

struct reading {
    char lines[64], octets[64]; /* the lines, each with a "/" after it, and all output */
    struct iw_command *command;
};

static void add_line(void *user, const char *line) {
    struct reading *reading = user;
    size_t used = strlen(reading->lines);

    snprintf(reading->lines + used, sizeof reading->lines - used, "%s/", line);
    if (strcmp(line, "ready") == 0)
        iw_command_interrupt(reading->command);
}

static void add_octets(void *user, const char *octets, size_t count) {
    struct reading *reading = user;
    size_t used = strlen(reading->octets);

    snprintf(reading->octets + used, sizeof reading->octets - used, "%.*s", (int)count, octets);
}

static struct outcome read_command(struct reading *reading, const char *text) {
    const struct iw_command_reader reader = {.output = add_octets, .line = add_line, .user = reading};
    struct outcome outcome = {.loop = iw_loop_new(IW_LOOP_REAL)};
    char error[IW_COMMAND_TEXT_OCTETS];

    reading->command = iw_command_new(outcome.loop, text, store_end, &outcome, error);
    assert_non_null(reading->command);
    iw_command_read(reading->command, &reader);
    iw_loop_run(outcome.loop);
    iw_command_free(reading->command);
    iw_loop_free(outcome.loop);
    return outcome;
}

static void output_is_read_as_it_comes(void **state) {
    struct reading reading = {.lines = ""};

    (void)state;
    read_command(&reading, "printf 'one\\r\\n\\ntwo \\001\\nthree'");
    assert_string_equal(reading.lines, "one/two ?/three/");
    assert_string_equal(reading.octets, "one\r\n\ntwo \001\nthree");
}

static void a_command_can_be_interrupted(void **state) {
    struct reading reading = {.lines = ""};
    /* The signal may come before `sleep` is started, and is then taken after it. */
    struct outcome outcome =
        read_command(&reading, "trap 'echo over; exit 5' INT; echo ready; while :; do sleep 0.05; done");

    (void)state;
    assert_string_equal(outcome.text, "exit code 5: over");
    assert_string_equal(reading.lines, "ready/over/");
}

/* The process whose id is in the file. */
static pid_t process_in(const char *path) {
    FILE *file = fopen(path, "r");
    int number = 0;

    if (file) {
        if (fscanf(file, "%d", &number) != 1)
            number = 0;
        fclose(file);
    }
    return number;
}

static void check_file(void *user) {
    struct outcome *outcome = user;

    outcome->ended = process_in(outcome->text) != 0;
    iw_loop_stop(outcome->loop);
}

/* Frees the command once the file contains a process id, then the loop. Returns the id. */
static pid_t begin_and_free(const char *script, const char *path) {
    struct outcome outcome = {.loop = iw_loop_new(IW_LOOP_REAL)};
    struct iw_timer timer = {0};
    char error[IW_COMMAND_TEXT_OCTETS];
    struct iw_command *command;

    snprintf(outcome.text, sizeof outcome.text, "%.255s", path);
    setenv("NUMBER", path, 1);
    command = iw_command_new(outcome.loop, script, store_end, &outcome, error);
    assert_non_null(command);
    while (!outcome.ended) {
        iw_timer_start(&timer, outcome.loop, 1000, check_file, &outcome);
        iw_loop_run(outcome.loop);
    }
    iw_command_free(command);
    iw_loop_free(outcome.loop);
    return process_in(path);
}

/* libuv has reaped a child of the test; an orphan becomes a child of this subreaper, and is reaped here. */
static bool is_over(pid_t process) {
    int status;

    if (waitpid(process, &status, 0) == process)
        return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    return errno == ECHILD && kill(process, 0) == -1 && errno == ESRCH;
}

/* Includes a process that ignores SIGTERM, and a child that outlives the command. */
static void freed_command_ends_with_the_loop(void **state) {
    static const char *const scripts[] = {"echo $$ >$NUMBER; exec sleep 1000",
        "trap '' TERM; echo $$ >$NUMBER; while :; do sleep 1000; done",
        "(trap '' TERM; sh -c 'echo $PPID' >$NUMBER; while :; do sleep 1000; done) & wait"};
    char folder[TEMPORARY_PATH], path[TEMPORARY_FILE];

    (void)state;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    assert_non_null(mkdtemp(temporary_path(folder, "iw_command")));
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        snprintf(path, sizeof path, "%s/%zu", folder, i);
        assert_true(is_over(begin_and_free(scripts[i], path)));
    }
    temporary_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(end_reports_the_last_line),
        cmocka_unit_test(end_tells_a_missing_command),
        cmocka_unit_test(long_output_is_bounded),
        cmocka_unit_test(command_has_no_input),
        cmocka_unit_test(output_is_read_as_it_comes),
        cmocka_unit_test(a_command_can_be_interrupted),
        cmocka_unit_test(freed_command_ends_with_the_loop),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
