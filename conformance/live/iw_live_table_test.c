#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_live_table.h"
#include "iw_pcap_test.h"
#include "iw_temporary_test.h"

static const uint64_t SECOND = 1000000000;

/* A form that feeds a table, and looks at its only row after each event. */
struct bench {
    struct iw_live_table table;
    void (*look)(struct bench *bench, const struct iw_live_row *row);
    unsigned events;
};

static void take_event(
    struct iw_check_report *report, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    struct bench *bench = report->state;

    iw_live_table_event(&bench->table, stream, event);
    bench->events++;
    iw_live_table_tick(&bench->table, report,
        &(struct iw_live_counts){.packets = bench->events, .octets = 100 * bench->events},
        bench->events * SECOND);
    if (bench->look)
        bench->look(bench, TAILQ_FIRST(&bench->table.open));
}

static void take_connection(struct iw_check_report *report, const struct iw_check_connection *connection) {
    struct bench *bench = report->state;

    iw_live_table_connection(&bench->table, report, connection);
}

static void take_drop(struct iw_check_report *report, struct iw_check_stream *stream) {
    struct bench *bench = report->state;

    iw_live_table_drop(&bench->table, stream);
}

static const struct iw_check_report_form form = {
    .event = take_event, .connection = take_connection, .drop = take_drop};

static int open_bench(void **state) {
    struct bench *bench = calloc(1, sizeof *bench);

    iw_live_table_init(&bench->table);
    *state = bench;
    return 0;
}

static int close_bench(void **state) {
    struct bench *bench = *state;

    iw_live_table_dispose(&bench->table);
    free(bench);
    return 0;
}

static void judge(struct bench *bench, const struct pcap_test *file) {
    char name[TEMPORARY_PATH];
    const char *path = temporary_path(name, "iw_live_table_test");
    struct iw_check_report report = {.out = stdout, .form = &form, .extensions = IW_EXT_ALL, .state = bench};

    close(mkstemp(name));
    pcap_write(file, file->length, path);
    iw_check_report_files(&report, &path, 1);
    iw_check_report_end(&report, IW_EXIT_CONFORMS);
    unlink(path);
}

/* ---- one connection ---- */

static void look_at_a_life(struct bench *bench, const struct iw_live_row *row) {
    static const char *const states[] = {"startup", "open", "open", "closing", "FIN"};

    assert_true(bench->events <= 5);
    assert_string_equal(iw_live_row_state_name(row), states[bench->events - 1]);
    assert_string_equal(row->address[IW_SIDE_A], "192.0.2.1:1000");
    assert_string_equal(iw_live_row_verdict(row, 0), "");
    if (bench->events == 3) {
        assert_int_equal(iw_live_row_counts(row)->payload_octets[IW_SIDE_A], 5);
        assert_int_equal(row->rate[IW_SIDE_A].per_second, 2); /* 5 octets in 2 seconds */
        assert_int_equal(row->rate[IW_SIDE_B].per_second, 0);
        assert_int_equal(bench->table.connections[IW_LIVE_OPEN], 1);
        assert_int_equal(bench->table.packets.per_second, 1);
        assert_int_equal(bench->table.octets.per_second, 100);
    }
}

static void a_row_follows_a_connection(void **state) {
    struct bench *bench = *state;
    struct pcap_test file;
    const struct iw_live_row *row;

    pcap_startup(&file);
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, TALK_SEND);
    pcap_close(&file);
    bench->look = look_at_a_life;
    judge(bench, &file);
    assert_int_equal(bench->events, 5);
    assert_null(TAILQ_FIRST(&bench->table.open));
    row = TAILQ_FIRST(&bench->table.ended);
    assert_string_equal(iw_live_row_state_name(row), "FIN");
    assert_string_equal(iw_live_row_verdict(row, 0), "conforms");
    assert_int_equal(iw_live_row_counts(row)->fpdus[IW_SIDE_A], 1);
    assert_int_equal(iw_live_row_first(row), IW_SIDE_A);
    assert_non_null(strstr(row->report, "initiator sent 1 FPDU, 1 message, 5 octets of payload\n"));
    assert_non_null(strstr(row->report, "    verdict: conforms\n"));
    assert_null(iw_live_row_finding(row, 0));
}

/* The Read Request of TALK_READ has no response. */
static void outstanding_requests_are_shown(void **state) {
    struct bench *bench = *state;
    struct pcap_test file;
    const struct iw_live_row *row;

    pcap_startup(&file);
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, TALK_READ);
    judge(bench, &file);
    row = TAILQ_FIRST(&bench->table.ended);
    assert_int_equal(iw_live_row_outstanding(row, IW_SIDE_A), 1);
    assert_int_equal(iw_live_row_outstanding(row, IW_SIDE_B), 0);
    assert_string_equal(iw_live_row_state_name(row), "cut short");
}

static void look_at_a_violation(struct bench *bench, const struct iw_live_row *row) {
    if (bench->events < 3)
        return;
    assert_string_equal(iw_live_row_verdict(row, 0), "violates");
    assert_int_equal(iw_live_row_findings(row, IW_SEVERITY_ERROR), 1);
    assert_int_equal(bench->table.findings[IW_SEVERITY_ERROR], 1);
}

static void a_violation_is_known_at_once(void **state) {
    struct bench *bench = *state;
    const struct iw_live_finding *latest;
    struct pcap_test file;

    pcap_startup(&file);
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, TALK_BAD_CRC);
    bench->look = look_at_a_violation;
    judge(bench, &file);
    assert_true(bench->events >= 3);
    latest = iw_live_row_finding(TAILQ_FIRST(&bench->table.ended), 0);
    assert_non_null(latest);
    assert_string_equal(latest->finding.requirement->id, "RFC5044-4.4-11");
    assert_int_equal(latest->finding.frame, 5);
    assert_null(iw_live_row_finding(TAILQ_FIRST(&bench->table.ended), 1));
}

static void the_end_names_its_way(void **state) {
    static const struct {
        const char *digits;
        unsigned flags;
        const char *name;
    } rows[] = {{TALK_TERMINATE, IW_TCP_FIN, "Terminate"}, {TALK_SEND, IW_TCP_RST, "RST"}};
    struct bench *bench = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pcap_test file;

        pcap_startup(&file);
        pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, rows[i].digits);
        pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK | rows[i].flags, "");
        judge(bench, &file);
        assert_string_equal(
            iw_live_row_state_name(TAILQ_LAST(&bench->table.ended, iw_live_rows)), rows[i].name);
    }
    assert_int_equal(bench->table.ended_count, 2);
}

/* ---- limits ---- */

static void the_oldest_ended_row_leaves(void **state) {
    enum { MORE = 3 };
    struct bench *bench = *state;
    struct iw_live_table *table = &bench->table;
    struct iw_check_report report = {.out = stdout, .form = &form, .state = bench};

    for (unsigned i = 0; i < IW_LIVE_ENDED_ROWS + MORE; i++) {
        struct iw_check_stream stream = {.id = i};
        struct iw_check_connection connection = {.number = i, .file = "x", .last_file = "x"};
        const struct iw_llp_event llp = {.kind = IW_LLP_STARTUP};

        iw_live_table_event(table, &stream, &(struct iw_monitor_event){.llp = &llp});
        connection.row = stream.row;
        iw_live_table_connection(table, &report, &connection);
    }
    assert_int_equal(table->ended_count, IW_LIVE_ENDED_ROWS);
    assert_int_equal(table->left, MORE);
    assert_int_equal(TAILQ_FIRST(&table->ended)->number, MORE);
    assert_true(table->report_octets > IW_LIVE_ENDED_ROWS * (size_t)100);
    iw_live_table_tick(table, &report, &(struct iw_live_counts){.packets = 1}, SECOND);
    assert_int_equal(table->connections[IW_LIVE_ENDED], IW_LIVE_ENDED_ROWS + MORE);
}

static void a_dropped_stream_leaves_no_row(void **state) {
    struct bench *bench = *state;
    struct iw_check_stream stream = {.id = 0};
    const struct iw_llp_event llp = {.kind = IW_LLP_STARTUP};

    iw_live_table_event(&bench->table, &stream, &(struct iw_monitor_event){.llp = &llp});
    assert_non_null(TAILQ_FIRST(&bench->table.open));
    iw_live_table_drop(&bench->table, &stream);
    assert_null(TAILQ_FIRST(&bench->table.open));
}

#define BENCH_TEST(function) cmocka_unit_test_setup_teardown(function, open_bench, close_bench)

int main(void) {
    const struct CMUnitTest tests[] = {
        BENCH_TEST(a_row_follows_a_connection),
        BENCH_TEST(outstanding_requests_are_shown),
        BENCH_TEST(a_violation_is_known_at_once),
        BENCH_TEST(the_end_names_its_way),
        BENCH_TEST(the_oldest_ended_row_leaves),
        BENCH_TEST(a_dropped_stream_leaves_no_row),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
