#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_check_result.h"
#include "iw_check_report.h"
#include "iw_report_fixture_test.h"
#include "iw_waiver.h"

/* A connection whose events are kept. */
struct fixture {
    struct talk talk;
    struct iw_check_stream stream;
    struct iw_check_event_store store;
    uint64_t first[2];
};

static const char *const paths[] = {"x.pcap", "y.pcap"};

static void keep_event(void *user, const struct iw_monitor_event *event) {
    struct fixture *f = user;

    iw_check_event_store_event(&f->store, &f->stream, event);
}

static void begin(struct fixture *f) {
    memset(f, 0, sizeof *f);
    f->first[0] = 1;
    f->first[1] = UINT64_MAX;
    f->store.chain = (struct iw_check_chain){paths, 2, f->first};
    f->stream.first_frame = 1;
    f->stream.address[IW_SIDE_A] = (struct iw_tcp_address){.octets = {192, 0, 2, 1}, .port = 1, .version = 4};
    f->stream.address[IW_SIDE_B] = (struct iw_tcp_address){.octets = {192, 0, 2, 2}, .port = 2, .version = 4};
    talk_begin(&f->talk, keep_event, f);
    f->stream.monitor = f->talk.monitor;
    talk_say(&f->talk, IW_SIDE_A, TALK_REQUEST);
    talk_say(&f->talk, IW_SIDE_B, TALK_REPLY);
}

static struct iw_check_connection *end(struct fixture *f) {
    struct iw_check_connection *connection;

    talk_close(&f->talk, IW_SIDE_A, IW_CHUNK_FIN);
    talk_close(&f->talk, IW_SIDE_B, IW_CHUNK_FIN);
    f->stream.last_frame = f->talk.frame;
    connection = iw_check_connection_new(&f->store, &f->stream);
    assert_non_null(connection);
    iw_check_connection_place(&f->store.chain, connection);
    talk_end(&f->talk);
    return connection;
}

static void a_connection_shows_its_negotiation_and_traffic(void **state) {
    struct iw_check_connection *connection;
    struct fixture f;

    (void)state;
    begin(&f);
    talk_say(&f.talk, IW_SIDE_A, TALK_SEND);
    talk_say(&f.talk, IW_SIDE_A, TALK_READ);
    f.stream.tcp[IW_SIDE_B].lost = 3;
    connection = end(&f);
    assert_string_equal(connection->file, "x.pcap");
    assert_string_equal(connection->address[IW_SIDE_B], "192.0.2.2:2");
    assert_int_equal(connection->role[IW_SIDE_A], IW_ROLE_INITIATOR);
    assert_int_equal(connection->first_frame, 1);
    assert_int_equal(connection->last_frame, 8);
    assert_int_equal(connection->tcp[IW_SIDE_B].lost, 3);
    assert_int_equal(connection->kept.traffic_count, 2);
    assert_string_equal(connection->kept.traffic[0].op->title, "Send");
    assert_int_equal(connection->kept.traffic[0].octets, 5);
    assert_string_equal(connection->kept.traffic[1].op->title, "RDMA Read Request");
    assert_int_equal(connection->kept.traffic[1].messages, 1);
    assert_int_equal(connection->kept.finding_count, 0);
    assert_int_equal(connection->kept.log_count, 0);
    iw_check_connection_free(connection);
}

static void a_finding_has_its_octets(void **state) {
    static const uint8_t crc[] = {0xb9, 0x90, 0xb1, 0x0d};
    const struct iw_check_finding *finding;
    struct iw_check_connection *connection;
    struct fixture f;

    (void)state;
    begin(&f);
    talk_say(&f.talk, IW_SIDE_A, TALK_BAD_CRC);
    connection = end(&f);
    assert_int_equal(connection->kept.finding_count, 1);
    finding = &connection->kept.findings[0];
    assert_string_equal(finding->finding.requirement->id, "RFC5044-4.4-11");
    assert_int_equal(finding->octets.marks, 4);
    assert_memory_equal(finding->octets.octets + finding->octets.mark, crc, 4);
    assert_int_equal(finding->entry->frame, 5);
    assert_memory_equal(finding->entry->text, "Send ulpdu_length=23", 20);
    assert_int_equal(iw_totals_exit(&connection->totals), IW_EXIT_VIOLATIONS);
    iw_check_connection_free(connection);
}

static void frames_are_numbered_by_file(void **state) {
    const struct iw_check_finding *finding;
    struct iw_check_connection *connection;
    struct fixture f;

    (void)state;
    begin(&f);
    talk_say(&f.talk, IW_SIDE_A, TALK_BAD_CRC); /* frame 5 */
    talk_say(&f.talk, IW_SIDE_A, TALK_BAD_CRC); /* frame 6: the first frame of y.pcap */
    f.first[1] = 6;
    connection = end(&f);
    assert_string_equal(connection->file, "x.pcap");
    assert_int_equal(connection->first_frame, 1);
    assert_string_equal(connection->last_file, "y.pcap");
    assert_int_equal(connection->last_frame, 3);
    finding = connection->kept.findings;
    assert_string_equal(finding[0].file, "x.pcap");
    assert_int_equal(finding[0].finding.frame, 5);
    assert_string_equal(finding[1].file, "y.pcap");
    assert_int_equal(finding[1].finding.frame, 1);
    assert_string_equal(finding[1].entry->file, "y.pcap");
    assert_int_equal(finding[1].entry->frame, 1);
    iw_check_connection_free(connection);
}

static void many_findings_are_counted(void **state) {
    static const struct {
        uint64_t number;
        size_t kept;
    } rows[] = {{0, 100}, {255, 100}, {256, 16}, {4095, 16}, {4096, 4}, {100000, 4}};

    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        struct iw_check_connection *connection;
        const struct iw_check_breach *breach;
        struct fixture f;

        begin(&f);
        f.stream.id = rows[row].number;
        for (int i = 0; i < 150; i++)
            talk_say(&f.talk, IW_SIDE_A, TALK_BAD_CRC);
        connection = end(&f);
        assert_int_equal(connection->kept.finding_count, rows[row].kept);
        assert_int_equal(connection->kept.breach_count, 1);
        breach = &connection->kept.breaches[0];
        assert_int_equal(breach->count, 150);
        assert_int_equal(breach->kept, rows[row].kept);
        assert_int_equal(breach->role, IW_ROLE_INITIATOR);
        iw_check_connection_free(connection);
    }
}

/* A connection in which the initiator's wrong CRCs are waived. */
struct waived {
    struct fixture f;
    struct iw_waiver waiver;
    struct iw_waivers waivers;
};

static void begin_waived(struct waived *waived) {
    static char pattern[] = "RFC5044-4.4-11", clause[] = "RFC 5044";

    waived->waiver = (struct iw_waiver){.pattern = pattern, .clause = clause};
    waived->waivers = (struct iw_waivers){"waivers", &waived->waiver, 1};
    begin(&waived->f);
    waived->f.store.waivers = &waived->waivers;
}

static void a_waived_finding_does_not_count(void **state) {
    struct iw_check_connection *connection;
    struct waived waived;

    (void)state;
    begin_waived(&waived);
    talk_say(&waived.f.talk, IW_SIDE_A, TALK_BAD_CRC);
    connection = end(&waived.f);
    assert_ptr_equal(connection->kept.findings[0].waiver, &waived.waiver);
    assert_int_equal(connection->totals.findings[IW_SEVERITY_ERROR], 0);
    assert_int_equal(connection->totals.waived, 1);
    assert_int_equal(iw_totals_exit(&connection->totals), IW_EXIT_CONFORMS);
    iw_check_connection_free(connection);
}

/* Excuses what side B sends. */
static const struct iw_waiver *excuse(void *user, const struct iw_check_stream *stream, enum iw_side side) {
    struct waived *waived = user;

    assert_ptr_equal(stream, &waived->f.stream);
    return side == IW_SIDE_B ? &waived->waiver : NULL;
}

static void findings_against_an_excused_side_do_not_count(void **state) {
    struct iw_check_connection *connection;
    struct waived waived;

    (void)state;
    begin_waived(&waived);
    waived.waiver.pattern = NULL; /* fits no finding by itself */
    waived.waivers.count = 0;
    waived.f.store.excuse = excuse;
    waived.f.store.excuse_user = &waived;
    talk_say(&waived.f.talk, IW_SIDE_A, TALK_BAD_CRC);
    talk_say(&waived.f.talk, IW_SIDE_B, TALK_BAD_CRC);
    connection = end(&waived.f);
    assert_int_equal(connection->kept.finding_count, 2);
    assert_null(connection->kept.findings[0].waiver);
    assert_ptr_equal(connection->kept.findings[1].waiver, &waived.waiver);
    assert_int_equal(connection->totals.findings[IW_SEVERITY_ERROR], 1);
    assert_int_equal(connection->totals.waived, 1);
    iw_check_connection_free(connection);
}

/* Stores a close event with these findings. */
static void report(struct fixture *f, const struct iw_finding *findings, size_t count) {
    struct iw_llp_event llp = {.kind = IW_LLP_CLOSE, .side = IW_SIDE_A, .frame = 9};
    struct iw_monitor_event event = {.llp = &llp, .findings = findings, .finding_count = count};

    iw_check_event_store_event(&f->store, &f->stream, &event);
}

static void consequences_of_a_waived_finding_are_waived(void **state) {
    const struct iw_requirement *root = iw_requirement_find("RFC5044-4.4-11");
    const struct iw_requirement *other = iw_requirement_find("RFC5041-4.1-08");
    const struct iw_finding findings[] = {{.requirement = root, .number = 1},
        {.requirement = other, .number = 2, .cause = 1}, {.requirement = other, .number = 3},
        {.requirement = other, .number = 4, .cause = 2}, {.requirement = other, .number = 5, .cause = 3}};
    struct iw_check_connection *connection;
    struct waived waived;

    (void)state;
    begin_waived(&waived);
    report(&waived.f, findings, 5);
    connection = end(&waived.f);
    assert_ptr_equal(connection->kept.findings[1].waiver, &waived.waiver);
    assert_null(connection->kept.findings[2].waiver);
    assert_ptr_equal(connection->kept.findings[3].waiver, &waived.waiver);
    assert_null(connection->kept.findings[4].waiver);
    iw_check_connection_free(connection);
}

/* Prints four findings: the third follows from a finding that was not kept, and the fourth from the third.
 * The second file of the chain begins after `first` frames. Returns the text, to be freed. */
static char *four_findings(uint64_t first) {
    const struct iw_requirement *root = iw_requirement_find("RFC5044-4.4-11");
    const struct iw_requirement *other = iw_requirement_find("RFC5041-4.1-08");
    const struct iw_finding findings[] = {{.requirement = root, .number = 1, .frame = 3, .message = "first"},
        {.requirement = other, .number = 2, .cause = 1, .frame = 4, .message = "second"},
        {.requirement = other, .number = 9, .cause = 7, .cause_frame = 5, .frame = 6, .message = "third"},
        {.requirement = root, .number = 10, .cause = 9, .frame = 7, .message = "fourth"}};
    struct iw_check_connection *connection;
    struct iw_check_report printed = {0};
    char *text = NULL;
    size_t octets;
    struct fixture f;

    begin(&f);
    f.first[1] = first;
    report(&f, findings, 4);
    connection = end(&f);
    printed.out = open_memstream(&text, &octets);
    iw_check_put_findings(printed.out, &printed, connection);
    fclose(printed.out);
    iw_check_connection_free(connection);
    return text;
}

static void a_finding_without_its_cause_is_printed(void **state) {
    char *text = four_findings(UINT64_MAX);

    (void)state;
    assert_string_equal(text,
        "    frame 3: error RFC5044-4.4-11 (RFC 5044 4.4, MUST) 192.0.2.1:1: first\n"
        "      requires: The CRC is the CRC-32C of iSCSI digests over the FPDU\n"
        "      Close by FIN\n"
        "      frame 4: error RFC5041-4.1-08 (RFC 5041 4.1, MUST) 192.0.2.1:1: second\n"
        "        requires: DV is 1\n"
        "    frame 6: error RFC5041-4.1-08 (RFC 5041 4.1, MUST) 192.0.2.1:1: third\n"
        "      follows from a violation in frame 5 that is not shown\n"
        "      frame 7: error RFC5044-4.4-11 (RFC 5044 4.4, MUST) 192.0.2.1:1: fourth\n");
    free(text);
}

/* The cause is in the first file of the chain, the finding in the second. */
static void a_cause_in_another_file_is_named_with_its_file(void **state) {
    char *text = four_findings(6);

    (void)state;
    assert_non_null(
        strstr(text, "    frame 1 of y.pcap: error RFC5041-4.1-08 (RFC 5041 4.1, MUST) 192.0.2.1:1: third\n"
                     "      follows from a violation in frame 5 of x.pcap that is not shown\n"));
    free(text);
}

static void a_log_has_fields_and_a_limit(void **state) {
    struct iw_check_connection *connection;
    const struct iw_check_entry *entry;
    struct fixture f;

    (void)state;
    begin(&f);
    f.store.log = 3;
    talk_say(&f.talk, IW_SIDE_A, TALK_SEND);
    talk_say(&f.talk, IW_SIDE_A, TALK_SEND);
    talk_say(&f.talk, IW_SIDE_A, TALK_SEND);
    connection = end(&f);
    entry = connection->kept.log[0];
    assert_string_equal(entry->title, "Send");
    assert_int_equal(entry->head.count, 32);
    assert_true(entry->field_count > 6);
    assert_string_equal(entry->fields[0].field->name, "ulpdu_length");
    assert_string_equal(entry->fields[0].value, "23");
    assert_true(connection->kept.log_count + connection->kept.log_omitted >= 5);
    assert_true(connection->kept.log_omitted > 0);
    iw_check_connection_free(connection);
}

/* F01: RDMA Write */
#define WRITE "0016c140112233440000000100002000a0a1a2a3a4a5a6a781bdd342"

/* The log is full after two entries. Frames 5 to 11 are Writes, 12 is a wrong Send, 13 to 16 are Writes. */
static void a_log_has_the_events_around_a_finding(void **state) {
    static const struct {
        uint64_t frame, skipped;
        const char *title;
    } expected[] = {{5, 0, "RDMA Write"}, {6, 0, "RDMA Write"}, {9, 2, "RDMA Write"}, {10, 0, "RDMA Write"},
        {11, 0, "RDMA Write"}, {12, 0, "Send"}, {13, 0, "RDMA Write"}, {14, 0, "RDMA Write"}};
    struct iw_check_connection *connection;
    struct fixture f;

    (void)state;
    begin(&f);
    f.store.log = 2;
    for (int i = 0; i < 7; i++)
        talk_say(&f.talk, IW_SIDE_A, WRITE);
    talk_say(&f.talk, IW_SIDE_A, TALK_BAD_CRC);
    for (int i = 0; i < 4; i++)
        talk_say(&f.talk, IW_SIDE_A, WRITE);
    connection = end(&f);
    assert_in_range(connection->kept.log_count, 8, 10);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct iw_check_entry *entry = connection->kept.log[i];

        assert_int_equal(entry->frame, expected[i].frame);
        assert_int_equal(entry->skipped, expected[i].skipped);
        assert_string_equal(entry->title, expected[i].title);
        assert_true(entry->field_count > 0);
    }
    assert_string_equal(connection->kept.log[2]->fields[0].value, "22");
    assert_int_equal(connection->kept.log_count + connection->kept.log_omitted, 16);
    iw_check_connection_free(connection);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_connection_shows_its_negotiation_and_traffic),
        cmocka_unit_test(a_finding_has_its_octets),
        cmocka_unit_test(frames_are_numbered_by_file),
        cmocka_unit_test(many_findings_are_counted),
        cmocka_unit_test(a_waived_finding_does_not_count),
        cmocka_unit_test(findings_against_an_excused_side_do_not_count),
        cmocka_unit_test(consequences_of_a_waived_finding_are_waived),
        cmocka_unit_test(a_finding_without_its_cause_is_printed),
        cmocka_unit_test(a_cause_in_another_file_is_named_with_its_file),
        cmocka_unit_test(a_log_has_fields_and_a_limit),
        cmocka_unit_test(a_log_has_the_events_around_a_finding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
