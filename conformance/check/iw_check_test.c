#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_check.h"
#include "iw_pcap_test.h"

struct seen {
    unsigned events;
    unsigned findings;
    uint64_t finding_frame;
    unsigned ends;
    struct iw_check_counts counts;
    char error[256];
};

static void take_event(void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    struct seen *seen = user;

    (void)stream;
    seen->events++;
    seen->findings += (unsigned)event->finding_count;
    if (event->finding_count > 0)
        seen->finding_frame = event->findings[0].frame;
}

static void take_end(void *user, struct iw_check_stream *stream) {
    struct seen *seen = user;

    (void)stream;
    seen->ends++;
}

static const struct iw_check_handlers handlers = {.event = take_event, .stream_end = take_end};
static const struct iw_check_config config = {.extensions = IW_EXT_ALL};

static enum iw_status check_path(const char *path, struct seen *seen) {
    uint64_t first;
    struct iw_check_chain chain = {&path, 1, &first};

    return iw_check_files(&chain, &config, &handlers, seen, &seen->counts, seen->error, sizeof seen->error);
}

static enum iw_status check(const struct pcap_test *file, size_t length, struct seen *seen) {
    char path[] = "/tmp/iw_check_test.XXXXXX";
    enum iw_status status;
    int descriptor = mkstemp(path);

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

static void other_tcp_is_no_stream(void **state) {
    struct pcap_test file;
    struct seen seen;

    (void)state;
    pcap_begin(&file);
    pcap_packet(&file, IW_SIDE_A, IW_TCP_SYN, "");
    pcap_packet(&file, IW_SIDE_B, IW_TCP_SYN | IW_TCP_ACK, "");
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, "474554202f20485454502f312e310d0a0d0a");
    pcap_packet(&file, IW_SIDE_B, IW_TCP_ACK, "485454502f312e3120323030204f4b0d0a0d0a");
    pcap_close(&file);
    assert_int_equal(check(&file, file.length, &seen), IW_OK);
    assert_int_equal(seen.counts.streams, 0);
    assert_int_equal(seen.counts.tcp_flows, 1);
    assert_int_equal(seen.events, 0);
}

/* What stands before the cut is judged, whatever the cut. */
static void a_file_may_end_anywhere(void **state) {
    size_t reply_end = PCAP_HEADER + 4 * PCAP_PACKET + 2 * 20;
    struct pcap_test file;
    struct seen seen;

    (void)state;
    a_conversation(&file);
    for (size_t length = 0; length < file.length; length++) {
        enum iw_status status = check(&file, length, &seen);

        assert_true(status == IW_OK || status == IW_ERR_TRUNCATED || status == IW_ERR_FORMAT);
        assert_int_equal(status == IW_OK, seen.error[0] == '\0');
        if (length >= reply_end)
            assert_int_equal(seen.counts.streams, 1);
    }
    assert_int_equal(check(&file, reply_end + 1, &seen), IW_ERR_TRUNCATED);
    assert_true(seen.events >= 2);
}

/* Nothing that a damaged file holds may do harm; the sanitizers of the test build are the judges. */
static void any_bit_may_be_wrong(void **state) {
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

static void what_is_no_capture_has_one_line(void **state) {
    struct seen seen = {0};

    (void)state;
    assert_int_equal(check_path("/nonexistent.pcap", &seen), IW_ERR_IO);
    assert_memory_equal(seen.error, "/nonexistent.pcap: ", 19);
    assert_null(strchr(seen.error, '\n'));
}

static void what_comes_before_the_first_octet_is_judged_with_it(void **state) {
    struct pcap_test file;
    struct seen seen;

    (void)state;
    pcap_begin(&file);
    pcap_packet(&file, IW_SIDE_A, IW_TCP_SYN, "");
    pcap_packet(&file, IW_SIDE_B, IW_TCP_SYN | IW_TCP_ACK, "");
    pcap_packet(&file, IW_SIDE_B, IW_TCP_ACK | IW_TCP_FIN, "");
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, TALK_REQUEST);
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK | IW_TCP_FIN, "");
    assert_int_equal(check(&file, file.length, &seen), IW_OK);
    assert_int_equal(seen.counts.streams, 1);
    assert_int_equal(seen.counts.tcp_flows, 1);
    assert_int_equal(seen.ends, 1);
    assert_int_equal(seen.events, 2); /* the Request, and the FIN of its sender; the other came before it */
}

static void a_connection_without_octets_is_counted_and_no_stream(void **state) {
    struct pcap_test file;
    struct seen seen;

    (void)state;
    pcap_begin(&file);
    pcap_packet(&file, IW_SIDE_A, IW_TCP_SYN, "");
    pcap_packet(&file, IW_SIDE_B, IW_TCP_SYN | IW_TCP_ACK, "");
    pcap_close(&file);
    assert_int_equal(check(&file, file.length, &seen), IW_OK);
    assert_int_equal(seen.counts.tcp_flows, 1);
    assert_int_equal(seen.counts.streams, 0);
    assert_int_equal(seen.events, 0);
    assert_int_equal(seen.ends, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_conversation_is_followed_to_its_end),
        cmocka_unit_test(a_violation_is_found_in_its_frame),
        cmocka_unit_test(other_tcp_is_no_stream),
        cmocka_unit_test(a_file_may_end_anywhere),
        cmocka_unit_test(any_bit_may_be_wrong),
        cmocka_unit_test(what_is_no_capture_has_one_line),
        cmocka_unit_test(what_comes_before_the_first_octet_is_judged_with_it),
        cmocka_unit_test(a_connection_without_octets_is_counted_and_no_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
