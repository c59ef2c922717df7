#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_check.h"
#include "iw_pcap_test.h"
#include "iw_temporary_test.h"

struct seen {
    unsigned events;
    char order[128]; /* the first events: side, kind and frame */
    unsigned findings;
    uint64_t finding_frame;
    unsigned ends;
    struct iw_check_counts counts;
    char troubles[512]; /* all lines for the handler `trouble` */
    unsigned overlaps;
    uint64_t overlap_ns;
    struct iw_tcp_counters tcp;      /* of side A of the stream that ended last, */
    struct iw_monitor_counts judged; /* and what was judged of it */
};

static void take_event(void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    static const char *const kinds[] = {[IW_LLP_STARTUP] = "startup",
        [IW_LLP_SEGMENT] = "segment",
        [IW_LLP_LOSS] = "loss",
        [IW_LLP_CLOSE] = "close"};
    struct seen *seen = user;
    size_t length = strlen(seen->order);

    (void)stream;
    snprintf(seen->order + length, sizeof seen->order - length, "%c %s %u, ", "AB"[event->llp->side],
        kinds[event->llp->kind], (unsigned)event -> llp -> frame);
    seen->events++;
    seen->findings += (unsigned)event->finding_count;
    if (event->finding_count > 0)
        seen->finding_frame = event->findings[0].frame;
}

static void take_end(void *user, struct iw_check_stream *stream) {
    struct seen *seen = user;

    seen->ends++;
    seen->tcp = stream->tcp[IW_SIDE_A];
    seen->judged = *iw_monitor_counts(stream->monitor);
}

static void take_trouble(void *user, const char *line) {
    struct seen *seen = user;
    size_t length = strlen(seen->troubles);

    snprintf(seen->troubles + length, sizeof seen->troubles - length, "%s\n", line);
}

static void take_overlap(void *user, const char *path, const char *before, uint64_t by_ns) {
    struct seen *seen = user;

    assert_true(path[0] == '/' && before[0] == '/' && strcmp(path, before) != 0);
    seen->overlaps++;
    seen->overlap_ns = by_ns;
}

static const struct iw_check_handlers handlers = {
    .event = take_event, .stream_end = take_end, .trouble = take_trouble, .overlap = take_overlap};
static const struct iw_check_config config = {.extensions = IW_EXT_ALL};

static enum iw_status check_path(const char *path, struct seen *seen) {
    uint64_t first;
    struct iw_check_chain chain = {&path, 1, &first};

    return iw_check_files(&chain, &config, &handlers, seen, &seen->counts);
}

static enum iw_status check(const struct pcap_test *file, size_t length, struct seen *seen) {
    char path[TEMPORARY_PATH];
    enum iw_status status;
    int descriptor = mkstemp(temporary_path(path, "iw_check_test"));

    assert_true(descriptor >= 0);
    close(descriptor);
    memset(seen, 0, sizeof *seen);
    pcap_write(file, length, path);
    status = check_path(path, seen);
    unlink(path);
    return status;
}

static void a_conversation(struct pcap_test *file) {
    pcap_startup(file);
    pcap_packet(file, IW_SIDE_A, IW_TCP_ACK, TALK_SEND);
    pcap_close(file);
}

static void a_conversation_is_followed_to_its_end(void **state) {
    struct pcap_test file;
    struct seen seen;

    (void)state;
    a_conversation(&file);
    assert_int_equal(check(&file, file.length, &seen), IW_OK);
    assert_int_equal(seen.events, 5); /* Request, Reply, Send, two closes */
    assert_int_equal(seen.findings, 0);
    assert_int_equal(seen.ends, 1);
    assert_int_equal(seen.counts.frames, 7);
    assert_int_equal(seen.counts.streams, 1);
    assert_int_equal(seen.counts.tcp_flows, 1);
}

static void defer_end(void *user, struct iw_check_stream *stream) {
    take_end(user, stream);
    stream->deferred = true;
}

static void a_deferred_stream_ends_again_with_its_facts(void **state) {
    static const struct iw_check_handlers deferring = {.stream_end = defer_end};
    char path[TEMPORARY_PATH];
    const char *paths = path;
    uint64_t first;
    struct iw_check_chain chain = {&paths, 1, &first};
    struct pcap_test file;
    struct seen seen = {0};
    int descriptor = mkstemp(temporary_path(path, "iw_check_test"));

    (void)state;
    assert_true(descriptor >= 0);
    close(descriptor);
    a_conversation(&file);
    pcap_write(&file, file.length, path);
    assert_int_equal(iw_check_files(&chain, &config, &deferring, &seen, &seen.counts), IW_OK);
    unlink(path);
    assert_int_equal(seen.ends, 2);
    assert_int_equal(seen.counts.streams, 1);
    assert_int_equal(seen.judged.fpdus[IW_SIDE_A], 1);
}

static void a_violation_is_found_in_its_frame(void **state) {
    struct pcap_test file;
    struct seen seen;

    (void)state;
    pcap_startup(&file);
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, TALK_BAD_CRC);
    pcap_close(&file);
    assert_int_equal(check(&file, file.length, &seen), IW_OK);
    assert_true(seen.findings >= 1);
    assert_int_equal(seen.finding_frame, 5);
}

static void a_tcp_connection_without_iwarp_is_not_a_stream(void **state) {
    struct pcap_test file;
    struct seen seen;

    (void)state;
    pcap_handshake(&file);
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, "474554202f20485454502f312e310d0a0d0a");
    pcap_packet(&file, IW_SIDE_B, IW_TCP_ACK, "485454502f312e3120323030204f4b0d0a0d0a");
    pcap_close(&file);
    assert_int_equal(check(&file, file.length, &seen), IW_OK);
    assert_int_equal(seen.counts.streams, 0);
    assert_int_equal(seen.counts.tcp_flows, 1);
    assert_int_equal(seen.events, 0);
}

/* The packets before the truncation are judged, wherever the file is truncated. */
static void a_file_truncated_anywhere_is_handled(void **state) {
    size_t reply_end = PCAP_HEADER + 4 * PCAP_PACKET + 2 * 20;
    struct pcap_test file;
    struct seen seen;

    (void)state;
    a_conversation(&file);
    for (size_t length = 0; length < file.length; length++) {
        enum iw_status status = check(&file, length, &seen);

        assert_true(status == IW_OK || status == IW_ERR_TRUNCATED || status == IW_ERR_FORMAT);
        assert_int_equal(status == IW_OK, seen.troubles[0] == '\0');
        if (length >= reply_end)
            assert_int_equal(seen.counts.streams, 1);
    }
    assert_int_equal(check(&file, reply_end + 1, &seen), IW_ERR_TRUNCATED);
    assert_true(seen.events >= 2);
}

/* A damaged file must not cause undefined behaviour, which the sanitizers of the test build detect. */
static void any_flipped_bit_is_handled(void **state) {
    struct pcap_test file;
    struct seen seen;

    (void)state;
    a_conversation(&file);
    for (size_t bit = 0; bit < 8 * file.length; bit += 3) {
        file.octets[bit / 8] ^= (uint8_t)(1u << bit % 8);
        check(&file, file.length, &seen);
        assert_true(seen.counts.frames <= 7);
        file.octets[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static void a_file_that_is_not_a_capture_gives_one_error(void **state) {
    struct seen seen = {0};

    (void)state;
    assert_int_equal(check_path("/nonexistent.pcap", &seen), IW_ERR_IO);
    assert_string_equal(seen.troubles, "/nonexistent.pcap: No such file or directory\n");
}

/* Writes a file with `count` packets of the capture, from packet `first` on, counted from 1. */
static void write_part(
    const struct pcap_test *whole, uint32_t first, uint32_t count, char path[TEMPORARY_PATH]) {
    size_t begin[9], end = PCAP_HEADER;
    struct pcap_test part;
    int descriptor;

    descriptor = mkstemp(temporary_path(path, "iw_check_test"));
    assert_true(descriptor >= 0);
    close(descriptor);
    for (uint32_t i = 1; i <= whole->packets; i++) {
        begin[i] = end;
        end += 16 + whole->octets[end + 11] + 256u * whole->octets[end + 10];
    }
    begin[whole->packets + 1] = end;
    pcap_begin(&part);
    pcap_put(&part, whole->octets + begin[first], begin[first + count] - begin[first]);
    pcap_write(&part, part.length, path);
}

static enum iw_status check_chain(const char *const *paths, size_t count, struct seen *seen) {
    uint64_t first[8];
    struct iw_check_chain chain = {paths, count, first};

    memset(seen, 0, sizeof *seen);
    return iw_check_files(&chain, &config, &handlers, seen, &seen->counts);
}

/* An error of each file is reported, and the other files are judged. */
static void each_file_of_a_chain_reports_its_error(void **state) {
    char front[TEMPORARY_PATH], rear[TEMPORARY_PATH];
    const char *const paths[] = {"/nonexistent1", front, "/nonexistent2", rear, "/nonexistent3"};
    struct pcap_test file;
    struct seen seen;

    (void)state;
    a_conversation(&file);
    write_part(&file, 1, 4, front);
    write_part(&file, 5, 3, rear);
    assert_int_equal(check_chain(paths, 5, &seen), IW_ERR_IO);
    assert_string_equal(seen.troubles, "/nonexistent1: No such file or directory\n"
                                       "/nonexistent2: No such file or directory\n"
                                       "/nonexistent3: No such file or directory\n");
    assert_int_equal(seen.counts.frames, 7);
    assert_int_equal(seen.events, 5);
    assert_int_equal(seen.ends, 1);
    assert_int_equal(seen.overlaps, 0);
    unlink(front);
    unlink(rear);
}

/* Packet N has the time N seconds. The second file begins with the third of five packets. */
static void overlapping_files_are_reported_once(void **state) {
    char front[TEMPORARY_PATH], rear[TEMPORARY_PATH], last[TEMPORARY_PATH];
    const char *const paths[] = {front, rear, last};
    struct pcap_test file;
    struct seen seen;

    (void)state;
    a_conversation(&file);
    write_part(&file, 1, 5, front);
    write_part(&file, 3, 5, rear);
    write_part(&file, 1, 2, last);
    assert_int_equal(check_chain(paths, 3, &seen), IW_OK);
    assert_int_equal(seen.overlaps, 1);
    assert_int_equal(seen.overlap_ns, 2000000000);
    for (int i = 0; i < 3; i++)
        unlink(paths[i]);
}

static void events_before_the_first_octet_are_kept(void **state) {
    struct pcap_test file;
    struct seen seen;

    (void)state;
    pcap_handshake(&file);
    pcap_packet(&file, IW_SIDE_B, IW_TCP_ACK | IW_TCP_FIN, "");
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, TALK_REQUEST);
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK | IW_TCP_FIN, "");
    assert_int_equal(check(&file, file.length, &seen), IW_OK);
    assert_int_equal(seen.counts.streams, 1);
    assert_int_equal(seen.counts.tcp_flows, 1);
    assert_int_equal(seen.ends, 1);
    assert_int_equal(seen.events, 3); /* the FIN of B, the Request, and the FIN after it */
}

/* Side A, in which no FPDU is found, closes before the FPDUs of side B show iWARP. */
static void events_before_the_recognition_come_first(void **state) {
    struct pcap_test file;
    struct seen seen;

    (void)state;
    pcap_begin(&file);
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK | IW_TCP_FIN, "474554202f20485454502f312e310d0a0d0a");
    for (int i = 0; i < 3; i++)
        pcap_packet(&file, IW_SIDE_B, IW_TCP_ACK, TALK_SEND);
    assert_int_equal(check(&file, file.length, &seen), IW_OK);
    assert_int_equal(seen.counts.streams, 1);
    assert_int_equal(seen.judged.unjudged[IW_UNJUDGED_UNREAD], 18);
    assert_string_equal(
        seen.order, "A loss 1, A close 1, B segment 2, B segment 3, B segment 4, B close 4, ");
}

static void a_connection_without_octets_is_counted_but_not_a_stream(void **state) {
    struct pcap_test file;
    struct seen seen;

    (void)state;
    pcap_handshake(&file);
    pcap_close(&file);
    assert_int_equal(check(&file, file.length, &seen), IW_OK);
    assert_int_equal(seen.counts.tcp_flows, 1);
    assert_int_equal(seen.counts.streams, 0);
    assert_int_equal(seen.events, 0);
    assert_int_equal(seen.ends, 0);
}

/* Octets come only after more segments than the limit have waited for them: that is not a capture loss. */
static void octets_dropped_at_a_limit_are_not_lost(void **state) {
    enum { HELD_MAX = 4096, MISSING = 10 };
    char path[TEMPORARY_PATH];
    struct pcap_test file;
    struct seen seen = {0};
    uint32_t hole;
    FILE *out = fdopen(mkstemp(temporary_path(path, "iw_check_test")), "wb");

    (void)state;
    assert_non_null(out);
    pcap_startup(&file);
    hole = file.seq[IW_SIDE_A];
    file.seq[IW_SIDE_A] += MISSING;
    for (unsigned i = 0; i <= HELD_MAX; i++) {
        pcap_flush(&file, out);
        pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, "58");
    }
    pcap_flush(&file, out);
    file.seq[IW_SIDE_A] = hole;
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, "30313233343536373839");
    file.seq[IW_SIDE_A] += HELD_MAX + 1;
    pcap_close(&file);
    pcap_flush(&file, out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(check_path(path, &seen), IW_OK);
    unlink(path);
    assert_int_equal(seen.ends, 1);
    assert_int_equal(seen.tcp.limited, MISSING);
    assert_int_equal(seen.tcp.lost, 0);
    assert_int_equal(seen.judged.unjudged[IW_UNJUDGED_GIVEN_UP], MISSING);
    assert_int_equal(seen.judged.unjudged[IW_UNJUDGED_LOST], 0);
    assert_int_equal(seen.judged.unjudged[IW_UNJUDGED_UNREAD], HELD_MAX + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_conversation_is_followed_to_its_end),
        cmocka_unit_test(a_deferred_stream_ends_again_with_its_facts),
        cmocka_unit_test(a_violation_is_found_in_its_frame),
        cmocka_unit_test(a_tcp_connection_without_iwarp_is_not_a_stream),
        cmocka_unit_test(a_file_truncated_anywhere_is_handled),
        cmocka_unit_test(any_flipped_bit_is_handled),
        cmocka_unit_test(a_file_that_is_not_a_capture_gives_one_error),
        cmocka_unit_test(each_file_of_a_chain_reports_its_error),
        cmocka_unit_test(overlapping_files_are_reported_once),
        cmocka_unit_test(events_before_the_first_octet_are_kept),
        cmocka_unit_test(events_before_the_recognition_come_first),
        cmocka_unit_test(a_connection_without_octets_is_counted_but_not_a_stream),
        cmocka_unit_test(octets_dropped_at_a_limit_are_not_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
