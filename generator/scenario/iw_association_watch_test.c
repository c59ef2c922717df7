#include "iw_association_watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_temporary_test.h"
#include "iw_test_memory.h"

/* Packets as in RFC 9260 3 and RFC 5043 5: ports 1000 and 2000, Verification Tags 0x0A of side A
 * and 0x0B of side B; the checksum, which the watch ignores, is 0. */
#define FROM_A 0x03, 0xE8, 0x07, 0xD0, 0, 0, 0, 0x0B, 0, 0, 0, 0
#define FROM_B 0x07, 0xD0, 0x03, 0xE8, 0, 0, 0, 0x0A, 0, 0, 0, 0

static const uint8_t init[] = {0x03, 0xE8, 0x07, 0xD0, 0, 0, 0, 0, 0, 0, 0, 0, /* tag 0 */
    1, 0, 0, 28, 0, 0, 0, 0x0A, 0, 1, 0, 0, 0, 4, 0, 4, 0, 0, 0, 100, 0xC0, 0x06, 0, 8, 0, 0, 0, 1};
static const uint8_t init_ack[] = {
    FROM_B, 2, 0, 0, 28, 0, 0, 0, 0x0B, 0, 1, 0, 0, 0, 4, 0, 4, 0, 0, 0, 200, 0xC0, 0x06, 0, 8, 0, 0, 0, 1};
static const uint8_t initiate[] = {FROM_A, 0, 7, 0, 20, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 17, 0, 0, 0, 1};
/* Ordered delivery, which RFC 5043 10 forbids. */
static const uint8_t accept_it[] = {FROM_B, 0, 3, 0, 20, 0, 0, 0, 200, 0, 0, 0, 0, 0, 0, 0, 17, 0, 0, 0, 2};
static const uint8_t other_stream[] = {
    FROM_A, 0, 7, 0, 20, 0, 0, 0, 101, 0, 1, 0, 0, 0, 0, 0, 17, 0, 0, 0, 1};

/* The first chunk of stream 1, but with DDP-SSN 1: waits for DDP-SSN 0. */
static const uint8_t waiting[] = {FROM_A, 0, 7, 0, 20, 0, 0, 0, 101, 0, 1, 0, 0, 0, 0, 0, 17, 0, 1, 0, 4};

static char log_of[1024];
static unsigned sessions;

static unsigned number_session(void *user) {
    (void)user;
    return ++sessions;
}

static void take_event(void *user, unsigned number, const struct iw_monitor_event *event) {
    char text[96];

    (void)user;
    snprintf(text, sizeof text, "%u%c@%u ", number,
        event->llp->kind == IW_LLP_CLOSE ? '$'
        : event->llp->side == IW_SIDE_A  ? 'A'
                                         : 'B',
        (unsigned)event->llp->frame);
    strcat(log_of, text);
    for (size_t i = 0; i < event->finding_count; i++) {
        snprintf(text, sizeof text, "%s@%u ", event->findings[i].requirement->id,
            (unsigned)event->findings[i].frame);
        strcat(log_of, text);
    }
}

static struct iw_association_watch *begin(struct iw_recorder *recorder, bool opener) {
    const struct iw_association_watch_config config = {
        .recorder = recorder, .opener = opener, .number = number_session, .sink = take_event};

    log_of[0] = '\0';
    sessions = 0;
    return iw_association_watch_new(&config);
}

static void give(
    struct iw_association_watch *watch, enum iw_side side, const uint8_t *octets, uint32_t length) {
    static const struct iw_tcp_address addresses[2] = {{.octets = {192, 0, 2, 1}, .port = 1000, .version = 4},
        {.octets = {192, 0, 2, 2}, .port = 2000, .version = 4}};
    const struct iw_tcp_segment packet = {.source = addresses[side],
        .destination = addresses[iw_side_other(side)],
        .length = length,
        .captured = length,
        .payload = octets,
        .time_ns = 1000000000};

    iw_association_watch_packet(watch, &packet);
}

static void talk(struct iw_association_watch *watch) {
    give(watch, IW_SIDE_A, init, sizeof init);
    give(watch, IW_SIDE_B, init_ack, sizeof init_ack);
    give(watch, IW_SIDE_A, initiate, sizeof initiate);
    give(watch, IW_SIDE_B, accept_it, sizeof accept_it);
}

static void reports_frame_0_without_a_capture(void **state) {
    struct iw_association_watch *watch = begin(NULL, true);

    (void)state;
    talk(watch);
    give(watch, IW_SIDE_A, other_stream, sizeof other_stream);
    iw_association_watch_finish(watch);
    assert_string_equal(log_of, "1A@0 1B@0 RFC5043-10-01@0 2A@0 1$@0 2$@0 ");
    iw_association_watch_free(watch);
}

static void ignores_packets_after_the_end(void **state) {
    struct iw_association_watch *watch = begin(NULL, true);

    (void)state;
    talk(watch);
    iw_association_watch_finish(watch);
    log_of[0] = '\0';
    give(watch, IW_SIDE_A, other_stream, sizeof other_stream);
    iw_association_watch_finish(watch);
    assert_string_equal(log_of, "");
    iw_association_watch_free(watch);
}

static unsigned count_in(const char *path, const char *text) {
    static char content[8192];
    FILE *in = fopen(path, "rb");
    size_t length = fread(content, 1, sizeof content, in);
    unsigned count = 0;

    fclose(in);
    for (size_t i = 0; i + strlen(text) <= length; i++)
        count += memcmp(content + i, text, strlen(text)) == 0;
    return count;
}

/* Frames are those of the file, which may begin with another packet. */
static void reports_the_frames_of_the_capture(void **state) {
    const struct iw_frame_path other = {.source = {.octets = {10, 0, 0, 1}, .version = 4},
        .destination = {.octets = {10, 0, 0, 2}, .version = 4},
        .protocol = 99};
    char path[TEMPORARY_PATH], text[IW_RECORDER_TEXT_OCTETS];
    struct iw_recorder *recorder;
    struct iw_association_watch *watch;

    (void)state;
    close(mkstemp(temporary_path(path, "watch")));
    recorder = iw_recorder_open(path, NULL, text);
    assert_non_null(recorder);
    iw_recorder_packet(recorder, &other, init, sizeof init, 1, NULL);
    watch = begin(recorder, false);
    iw_association_watch_comment(watch, true, false, "the listener");
    iw_association_watch_comment(watch, false, true, "who comes");
    talk(watch);
    iw_association_watch_finish(watch);
    assert_string_equal(log_of, "1A@4 1B@5 RFC5043-10-01@5 1$@5 ");
    iw_association_watch_free(watch);
    assert_int_equal(iw_recorder_close(recorder, text), IW_OK);
    assert_int_equal(count_in(path, "who comes"), 2);
    assert_int_equal(count_in(path, "the listener"), 2);
    assert_int_equal(count_in(path, (const char[]){0x07, (char)0xD0, 0x03, (char)0xE8, 0}), 2);
    unlink(path);
}

/* Memory runs out at allocation `nth` of the end. Returns false if there are fewer. */
static bool ends_recorded(unsigned long nth, bool *whole) {
    char path[TEMPORARY_PATH], text[IW_RECORDER_TEXT_OCTETS];
    struct iw_association_watch *watch;
    struct iw_recorder *recorder;
    unsigned long allocations;

    close(mkstemp(temporary_path(path, "watch")));
    recorder = iw_recorder_open(path, NULL, text);
    watch = begin(recorder, true);
    talk(watch);
    give(watch, IW_SIDE_A, waiting, sizeof waiting);
    iw_test_memory_fail(nth, true);
    iw_association_watch_finish(watch);
    allocations = iw_test_memory_restore();
    iw_association_watch_free(watch);
    *whole = iw_recorder_close(recorder, text) == IW_OK;
    unlink(path);
    return allocations >= nth;
}

static void a_chunk_not_judged_at_the_end_stops_the_recording(void **state) {
    char judged[sizeof log_of];
    bool whole;

    (void)state;
    assert_false(ends_recorded(1000, &whole));
    assert_true(whole);
    strcpy(judged, log_of);
    for (unsigned long nth = 1; ends_recorded(nth, &whole); nth++)
        assert_true(whole == (strcmp(log_of, judged) == 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_frame_0_without_a_capture),
        cmocka_unit_test(ignores_packets_after_the_end),
        cmocka_unit_test(reports_the_frames_of_the_capture),
        cmocka_unit_test(a_chunk_not_judged_at_the_end_stops_the_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
