#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_matrix_file.h"
#include "iw_temporary_test.h"

/* Files of peers, and the line that each mistake gets. */

static char folder[TEMPORARY_PATH];

static void write_file(const char *name, const char *text, char path[TEMPORARY_FILE]) {
    FILE *out;

    snprintf(path, TEMPORARY_FILE, "%s/%s", folder, name);
    out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static bool read_text(struct iw_matrix_file *file, const char *text, char *error) {
    char path[TEMPORARY_FILE];

    write_file("peers.json", text, path);
    return iw_matrix_file_read(file, (const char *const[]){path}, 1, error);
}

#define RED_RESPONDER "\"responder\": {\"ready\": \"port ([0-9]+)\", \"commands\": {\"*\": \"red {size}\"}}"
#define RED_INITIATOR "\"initiator\": {\"commands\": {\"size-64\": \"red {host} {port}\"}}"
#define RED "{\"name\": \"red\", " RED_RESPONDER ", " RED_INITIATOR "}"

static void peers_are_read(void **state) {
    struct iw_matrix_file file;
    char error[IW_MATRIX_ERROR_OCTETS] = "";

    (void)state;
    assert_true(read_text(&file, "{\"peers\": [" RED "]}", error));
    assert_string_equal(error, "");
    assert_int_equal(file.count, 1);
    assert_string_equal(file.peers[0].folder, folder);
    assert_true(file.peers[0].local);
    assert_string_equal(file.peers[0].name, "red");
    assert_string_equal(file.peers[0].address, "127.0.0.1");
    assert_string_equal(file.peers[0].own_host, "127.0.0.1");
    assert_int_equal(file.peers[0].port, 0);
    assert_false(file.peers[0].exclusive);
    iw_matrix_file_clear(&file);
}

static void a_scenario_has_its_own_command_or_the_general_one(void **state) {
    const struct iw_matrix_scenario *size = iw_matrix_scenario_find("size-64"),
                                    *load = iw_matrix_scenario_find("load");
    struct iw_matrix_file file;
    char error[IW_MATRIX_ERROR_OCTETS] = "";

    (void)state;
    assert_true(read_text(&file, "{\"peers\": [" RED "]}", error));
    assert_string_equal(iw_matrix_peer_command(&file.peers[0], IW_MATRIX_RESPONDER, load), "red {size}");
    assert_string_equal(
        iw_matrix_peer_command(&file.peers[0], IW_MATRIX_INITIATOR, size), "red {host} {port}");
    assert_null(iw_matrix_peer_command(&file.peers[0], IW_MATRIX_INITIATOR, load));
    iw_matrix_file_clear(&file);
}

static void a_peer_has_what_its_kind_has(void **state) {
    const struct iw_matrix_scenario *size = iw_matrix_scenario_find("size-64"),
                                    *load = iw_matrix_scenario_find("load");
    struct iw_matrix_file file;
    char error[IW_MATRIX_ERROR_OCTETS] = "";

    (void)state;
    assert_true(read_text(&file,
        "{\"kinds\": {\"k\": {\"port\": 7174, " RED_RESPONDER ", " RED_INITIATOR
        "}}, \"peers\": [{\"name\": \"blue\", \"kind\": "
        "\"k\", \"address\": \"10.0.0.7\", \"responder\": {\"commands\": {\"load\": null}}}]}",
        error));
    assert_string_equal(file.peers[0].address, "10.0.0.7");
    assert_int_equal(file.peers[0].port, 7174);
    assert_true(file.peers[0].exclusive); /* two processes cannot share a port */
    assert_string_equal(iw_matrix_peer_command(&file.peers[0], IW_MATRIX_RESPONDER, size), "red {size}");
    assert_null(iw_matrix_peer_command(&file.peers[0], IW_MATRIX_RESPONDER, load));
    iw_matrix_file_clear(&file);
}

/* The line of error, without "FOLDER/peers.json". */
static void assert_wrong(const char *text, const char *expected) {
    struct iw_matrix_file file;
    char error[IW_MATRIX_ERROR_OCTETS] = "";

    assert_false(read_text(&file, text, error));
    iw_matrix_file_clear(&file);
    assert_memory_equal(error, folder, strlen(folder));
    assert_string_equal(error + strlen(folder) + strlen("/peers.json"), expected);
}

static void each_mistake_has_a_line(void **state) {
    (void)state;
    assert_wrong("{\"peers\":\n [}", ":2: unexpected token near '}'");
    assert_wrong("[]", ": the file has an object with \"peers\"");
    assert_wrong("{\"peer\": []}", ": unknown member \"peer\"; known: kinds, peers");
    assert_wrong("{}", ": \"peers\": an array of 1 to 64 peers is needed");
    assert_wrong("{\"peers\": [7]}", ": peer 1: a peer is an object");
    assert_wrong("{\"peers\": [{\"name\": \"../red\"}]}",
        ": peer 1: a peer has a \"name\" of up to 48 letters, digits and . _ -, not beginning with a dot");
    assert_wrong("{\"peers\": [" RED "," RED "]}", ": peer red: another peer has the same name");
    assert_wrong("{\"peers\": [{\"name\": \"red\", \"kind\": \"k\"}]}", ": peer red: no kind has the name k");
    assert_wrong("{\"peers\": [{\"name\": \"red\", \"adress\": \"a\"}]}",
        ": peer red: unknown member \"adress\" (did you mean \"address\"?)");
    assert_wrong("{\"peers\": [{\"name\": \"red\", \"port\": 0}]}",
        ": peer red: \"port\" takes a number from 1 to 65535");
    assert_wrong("{\"peers\": [{\"name\": \"red\", \"namespace\": \"n\", \"ssh\": \"s\"}]}",
        ": peer red: \"namespace\" and \"ssh\" exclude each other");
    assert_wrong("{\"kinds\": {\"k\": {\"name\": \"red\"}}, \"peers\": []}",
        ": kind k: unknown member \"name\" (did you mean \"namespace\"?)");
    assert_wrong("{\"peers\": [{\"name\": \"red\", " RED_RESPONDER "}]}",
        ": \"peers\": a matrix needs a peer with commands of an initiator, and one with those of a "
        "responder");
}

static void assert_wrong_responder(const char *members, const char *expected) {
    char text[512];

    snprintf(text, sizeof text, "{\"peers\": [{\"name\": \"red\", \"responder\": {%s}}]}", members);
    assert_wrong(text, expected);
}

static void each_mistake_of_a_command_has_a_line(void **state) {
    (void)state;
    assert_wrong_responder("\"commands\": {\"*\": \"red\"}",
        ": peer red: its responder has no \"ready\": what it prints when "
        "it listens, as a regular expression");
    assert_wrong_responder("\"ready\": \"(\", \"commands\": {\"*\": \"red\"}",
        ": peer red: \"ready\" of its responder: Unmatched ( or \\(");
    assert_wrong_responder("\"ready\": \"listens\", \"commands\": {\"*\": \"red\"}",
        ": peer red: it has no \"port\", and \"ready\" of its responder has no group (...) that finds the "
        "port");
    assert_wrong_responder("\"ready\": \"(x)\", \"commands\": {\"sise-64\": \"red\"}",
        ": peer red: unknown scenario \"sise-64\" (did you mean \"size-64\"?)");
    assert_wrong_responder("\"ready\": \"(x)\", \"commands\": {\"*\": 7}",
        ": peer red: responder, \"*\": a command is a text, or null");
    assert_wrong_responder("\"ready\": \"(x)\", \"commands\": {\"*\": \"red {sise}\"}",
        ": peer red: responder, \"*\": unknown placeholder {sise}");
    assert_wrong_responder("\"ready\": \"(x)\", \"commands\": {\"*\": \"red {agent}\"}",
        ": peer red: responder, \"*\": it uses {agent}, but has no \"agent\"");
    assert_wrong_responder("\"ready\": \"(x)\", \"commands\": {\"*\": \"red {port}\"}",
        ": peer red: responder, \"*\": it uses {port}, but has no \"port\"");
    assert_wrong(
        "{\"peers\": [{\"name\": \"red\", \"initiator\": {\"commands\": {\"load\": \"red {host}\"}}}]}",
        ": peer red: initiator, \"load\": without {port} it would not connect to the relay");
    assert_wrong("{\"peers\": [{\"name\": \"red\", \"initiator\": {\"ready\": \"x\"}}]}",
        ": peer red: \"ready\" is of a responder, not of an initiator");
}

/* Each file has its own kinds; a name is of one peer. */
static void peers_of_all_files_take_part(void **state) {
    struct iw_matrix_file file;
    char error[IW_MATRIX_ERROR_OCTETS] = "", one[TEMPORARY_FILE], other[TEMPORARY_FILE];
    const char *const paths[] = {one, other};

    (void)state;
    write_file("one.json",
        "{\"kinds\": {\"k\": {" RED_RESPONDER "}}, \"peers\": [{\"name\": \"red\", \"kind\": \"k\"}]}", one);
    write_file("other.json", "{\"peers\": [{\"name\": \"blue\", " RED_INITIATOR "}]}", other);
    assert_true(iw_matrix_file_read(&file, paths, 2, error));
    assert_int_equal(file.count, 2);
    assert_string_equal(file.peers[0].name, "red");
    assert_string_equal(file.peers[1].name, "blue");
    iw_matrix_file_clear(&file);

    write_file("other.json", "{\"peers\": [{\"name\": \"blue\", \"kind\": \"k\"}]}", other);
    assert_false(iw_matrix_file_read(&file, paths, 2, error));
    assert_non_null(strstr(error, "/other.json: peer blue: no kind has the name k"));
    iw_matrix_file_clear(&file);

    write_file("other.json", "{\"peers\": [" RED "]}", other);
    assert_false(iw_matrix_file_read(&file, paths, 2, error));
    assert_non_null(strstr(error, "/other.json: peer red: another peer has the same name"));
    iw_matrix_file_clear(&file);
}

/* A peer elsewhere impairs its network itself, so the general command is not for scenarios with one. */
static void a_scenario_may_need_a_command_of_its_own(void **state) {
    const struct iw_matrix_scenario *small = iw_matrix_scenario_find("mtu-576"),
                                    *write = iw_matrix_scenario_find("write-bw");
    struct iw_matrix_file file;
    char error[IW_MATRIX_ERROR_OCTETS] = "";

    (void)state;
    assert_true(read_text(&file,
        "{\"peers\": [" RED ", {\"name\": \"blue\", \"address\": \"192.0.2.1\", \"port\": 7, " RED_RESPONDER
        "}, {\"name\": \"green\", \"ssh\": \"h\", \"responder\": {\"ready\": \"(x)\", \"commands\": "
        "{\"mtu-576\": "
        "\"green {mtu} {netem} {address}\"}}}]}",
        error));
    assert_string_equal(iw_matrix_peer_command(&file.peers[0], IW_MATRIX_RESPONDER, small), "red {size}");
    assert_null(iw_matrix_peer_command(&file.peers[1], IW_MATRIX_RESPONDER, small));
    assert_string_equal(
        iw_matrix_peer_command(&file.peers[2], IW_MATRIX_RESPONDER, small), "green {mtu} {netem} {address}");
    assert_null(iw_matrix_peer_command(&file.peers[0], IW_MATRIX_RESPONDER, write));
    iw_matrix_file_clear(&file);
}

static void a_command_knows_its_network(void **state) {
    struct iw_matrix_file file;
    char error[IW_MATRIX_ERROR_OCTETS] = "", *command;
    struct iw_matrix_call call = {.scenario = iw_matrix_scenario_find("loss"), .host = "h", .program = "/w"};

    (void)state;
    assert_true(read_text(&file, "{\"peers\": [" RED "]}", error));
    call.peer = &file.peers[0];
    command = iw_matrix_call_text(&call, "red {netem} {mtu} {address}");
    assert_string_equal(command, "red 'limit 100000 loss 5%' 1500 127.0.0.1");
    free(command);
    call.scenario = iw_matrix_scenario_find("mtu-576");
    call.prefix = "nsenter --target 7 --net --";
    command = iw_matrix_call_text(&call, "red {mtu}");
    assert_string_equal(command, "exec nsenter --target 7 --net -- /bin/sh -c 'red 576'");
    free(command);
    iw_matrix_file_clear(&file);
}

static void a_missing_file_is_named(void **state) {
    struct iw_matrix_file file;
    char error[IW_MATRIX_ERROR_OCTETS] = "", path[TEMPORARY_FILE];

    (void)state;
    snprintf(path, sizeof path, "%s/none.json", folder);
    assert_false(iw_matrix_file_read(&file, (const char *const[]){path}, 1, error));
    iw_matrix_file_clear(&file);
    assert_non_null(strstr(error, path));
    assert_non_null(strstr(error, "No such file"));
}

static void assert_call(const char *members, const char *expected) {
    struct iw_matrix_file file;
    char error[IW_MATRIX_ERROR_OCTETS] = "", text[512], *command;
    struct iw_matrix_call call = {
        .scenario = iw_matrix_scenario_find("size-4k"), .host = "::1", .port = 7, .program = "/w"};

    snprintf(text, sizeof text,
        "{\"peers\": [{\"name\": \"red\", %s, " RED_RESPONDER
        ", \"initiator\": {\"commands\": {\"*\": \"{port}\"}}}]}",
        members);
    assert_true(read_text(&file, text, error));
    call.here = file.peers[0].folder;
    call.peer = &file.peers[0];
    command = iw_matrix_call_text(&call, "red '{host}' {port} {size} {count} {scenario}");
    assert_string_equal(command, expected);
    free(command);
    iw_matrix_file_clear(&file);
}

static void a_command_runs_where_its_peer_is(void **state) {
    (void)state;
    assert_call("\"profile\": \"p\"", "red '::1' 7 4096 10 size-4k");
    assert_call("\"namespace\": \"blue\"",
        "exec ip netns exec blue /bin/sh -c 'red '\\''::1'\\'' 7 4096 10 size-4k'");
    assert_call("\"ssh\": \"root@lab\"",
        "exec ssh -tt -o BatchMode=yes -- root@lab 'red '\\''::1'\\'' 7 4096 10 size-4k'");
}

static int begin(void **state) {
    char *real;

    (void)state;
    if (mkdtemp(temporary_path(folder, "iw_matrix_file")) == NULL || (real = realpath(folder, NULL)) == NULL)
        return -1;
    snprintf(folder, sizeof folder, "%s", real);
    free(real);
    return 0;
}

static int end(void **state) {
    (void)state;
    return temporary_remove(folder) ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peers_are_read),
        cmocka_unit_test(a_scenario_has_its_own_command_or_the_general_one),
        cmocka_unit_test(a_peer_has_what_its_kind_has),
        cmocka_unit_test(each_mistake_has_a_line),
        cmocka_unit_test(each_mistake_of_a_command_has_a_line),
        cmocka_unit_test(peers_of_all_files_take_part),
        cmocka_unit_test(a_scenario_may_need_a_command_of_its_own),
        cmocka_unit_test(a_command_knows_its_network),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(a_command_runs_where_its_peer_is),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
