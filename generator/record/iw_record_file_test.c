#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_record_file.h"
#include "iw_temporary_test.h"

enum { PACKETS = 5, WHOLE_MAX = 2048 };

static char path[TEMPORARY_PATH];
static char text[IW_RECORD_FILE_TEXT_OCTETS];
static const uint8_t octets[200] = {1, 2, 3};

static int set_up(void **state) {
    (void)state;
    close(mkstemp(temporary_path(path, "iw_record_file_test")));
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    unlink(path);
    return 0;
}

/* Writes packet `number`; each is longer than the previous one. */
static bool put(struct iw_record_file *file, unsigned number) {
    size_t length = 30u * (number + 1);
    const struct iw_pcapng_packet packet = {
        .octets = octets, .captured = length, .length = length, .time_ns = number, .comment = "a step"};

    return iw_record_file_packet(file, &packet);
}

struct heard {
    unsigned times;
    char text[IW_RECORD_FILE_TEXT_OCTETS];
};

static void hear(void *user, const char *said) {
    struct heard *heard = user;

    heard->times++;
    snprintf(heard->text, sizeof heard->text, "%s", said);
}

/* ---- a full disk: the file size is limited to `room` ---- */

static struct rlimit before;

static void make_full(rlim_t room) {
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){room, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void make_empty(void) {
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
}

static size_t read_file(uint8_t found[WHOLE_MAX]) {
    FILE *file = fopen(path, "rb");
    size_t length = fread(found, 1, WHOLE_MAX, file);

    fclose(file);
    return length;
}

/* Writes all packets with that limit. Returns how many were reported as written. */
static unsigned record(rlim_t room, struct heard *heard) {
    struct iw_record_file file;
    unsigned written = 0;
    bool good;

    assert_true(iw_record_file_open(&file, path, IW_PCAPNG_ETHERNET, 0, text));
    iw_record_file_tell(&file, hear, heard);
    make_full(room);
    while (written < PACKETS && put(&file, written))
        written++;
    good = written == PACKETS;
    for (unsigned again = 0; again < 2 && !good; again++)
        assert_false(put(&file, 0)); /* this one would fit */
    make_empty();
    assert_int_equal(heard->times, good ? 0 : 1); /* before the end */
    assert_int_equal(file.packets, written);
    assert_int_equal(iw_record_file_close(&file, text), good);
    assert_string_equal(text, ""); /* no error, or already reported */
    assert_int_equal(heard->times, good ? 0 : 1);
    return written;
}

/* The sizes of the file after its head and after each packet; the complete file in `whole`. */
static void measure(size_t ends[PACKETS + 1], uint8_t whole[WHOLE_MAX]) {
    struct iw_record_file file;
    struct stat status;

    assert_true(iw_record_file_open(&file, path, IW_PCAPNG_ETHERNET, 0, text));
    for (unsigned i = 0;; i++) {
        assert_int_equal(stat(path, &status), 0); /* no buffered data */
        ends[i] = (size_t)status.st_size;
        if (i == PACKETS)
            break;
        assert_true(put(&file, i));
    }
    assert_true(iw_record_file_close(&file, text));
    assert_int_equal(read_file(whole), ends[PACKETS]);
}

static void a_full_disk_keeps_complete_packets(void **state) {
    uint8_t whole[WHOLE_MAX], found[WHOLE_MAX];
    size_t ends[PACKETS + 1];

    (void)state;
    measure(ends, whole);
    for (size_t room = ends[0]; room <= ends[PACKETS]; room++) {
        struct heard heard = {0};
        char said[IW_RECORD_FILE_TEXT_OCTETS];
        unsigned fit = 0;

        while (fit < PACKETS && ends[fit + 1] <= room)
            fit++;
        assert_int_equal(record(room, &heard), fit);
        assert_int_equal(read_file(found), ends[fit]);
        assert_memory_equal(found, whole, ends[fit]);
        if (fit == 0)
            snprintf(said, sizeof said, "%s: File too large; nothing recorded", path);
        else
            snprintf(said, sizeof said, "%s: File too large; recorded up to frame %u", path, fit);
        assert_string_equal(heard.text, fit == PACKETS ? "" : said);
    }
}

static void a_disk_too_full_for_the_head_fails_open(void **state) {
    struct iw_record_file file;
    char said[IW_RECORD_FILE_TEXT_OCTETS];
    bool begun;

    (void)state;
    make_full(20);
    begun = iw_record_file_open(&file, path, IW_PCAPNG_ETHERNET, 0, text);
    make_empty();
    assert_false(begun);
    snprintf(said, sizeof said, "%s: File too large", path);
    assert_string_equal(text, said);
    iw_record_file_close(&file, NULL);
    assert_int_equal(access(path, F_OK), -1);
}

static void close_returns_an_unreported_error(void **state) {
    struct iw_record_file file;

    (void)state;
    assert_true(iw_record_file_open(&file, path, IW_PCAPNG_ETHERNET, 0, text));
    assert_true(put(&file, 0));
    make_full(200);
    put(&file, 4);
    make_empty();
    assert_false(iw_record_file_close(&file, text));
    assert_non_null(strstr(text, ": File too large; recorded up to frame 1"));
}

static void stop_reports_its_reason(void **state) {
    struct iw_record_file file;
    struct heard heard = {0};

    (void)state;
    assert_true(iw_record_file_open(&file, path, IW_PCAPNG_ETHERNET, 0, text));
    iw_record_file_tell(&file, hear, &heard);
    iw_record_file_stop(&file, "The interface went down");
    iw_record_file_stop(&file, "and another");
    assert_false(put(&file, 0));
    assert_false(iw_record_file_close(&file, text));
    assert_int_equal(heard.times, 1);
    assert_non_null(strstr(heard.text, ": The interface went down; nothing recorded"));
}

/* ---- a pipe ---- */

/* Wireshark ends a capture this way, so an earlier line would look like an error. */
static void reports_a_closed_pipe_at_the_end(void **state) {
    struct iw_record_file file;
    struct heard heard = {0};

    (void)state;
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_true(iw_record_file_open(&file, path, IW_PCAPNG_ETHERNET, 0, text));
    iw_record_file_tell(&file, hear, &heard);
    assert_true(put(&file, 0));
    close(reader);
    assert_false(put(&file, 1));
    assert_int_equal(heard.times, 0);
    assert_false(iw_record_file_close(&file, text));
    assert_int_equal(heard.times, 1);
    assert_non_null(strstr(heard.text, ": Broken pipe; recorded up to frame 1"));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_full_disk_keeps_complete_packets),
        TEST(a_disk_too_full_for_the_head_fails_open),
        TEST(close_returns_an_unreported_error),
        TEST(stop_reports_its_reason),
        TEST(reports_a_closed_pipe_at_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
