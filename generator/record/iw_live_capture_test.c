#define _GNU_SOURCE /* memmem */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "iw_capture_file.h"
#include "iw_live_capture.h"
#include "iw_live_device.h"
#include "iw_temporary_test.h"

static char text[IW_LIVE_CAPTURE_TEXT_OCTETS];

static void reports_an_error_in_one_line(void **state) {
    (void)state;
    assert_null(iw_live_capture_open("nodevice0", NULL, 0, "/tmp/never", text));
    assert_int_equal(strncmp(text, "nodevice0: ", 11), 0);
    assert_null(strchr(text, '\n'));
    assert_null(iw_live_capture_open("lo", "somewhere", 0, "/tmp/never", text));
    assert_string_equal(text, "somewhere: not a numeric address");
}

/* An address of this host that no other program uses: the filter excludes the other traffic on loopback, so
 * that the system drops no packet of this test. */
static const char host[] = "127.18.52.86";

/* A connection to a closed port of the loopback: a SYN and a RST. */
static uint16_t knock(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = inet_addr(host)};
    socklen_t length = sizeof address;
    int holder = socket(AF_INET, SOCK_STREAM, 0);
    int knocker = socket(AF_INET, SOCK_STREAM, 0);

    assert_int_equal(bind(holder, (struct sockaddr *)&address, length), 0);
    assert_int_equal(getsockname(holder, (struct sockaddr *)&address, &length), 0);
    assert_int_equal(connect(knocker, (struct sockaddr *)&address, length), -1);
    close(knocker);
    close(holder);
    return ntohs(address.sin_port);
}

static void records_packets_of_loopback(void **state) {
    char path[TEMPORARY_PATH];
    int descriptor = mkstemp(temporary_path(path, "iw_live_capture_test"));
    struct iw_live_capture *capture = iw_live_capture_open("lo", host, 0, path, text);
    struct iw_capture_file *file;
    struct iw_packet packet;
    struct iw_tcp_segment segment;
    unsigned found = 0;
    uint16_t port;

    (void)state;
    close(descriptor);
    if (capture == NULL) {
        unlink(path);
        print_message("%s\n", text);
        skip(); /* not permitted here */
    }
    port = knock();
    assert_true(iw_live_capture_pump(capture) > 0);
    assert_int_equal(iw_live_capture_close(capture, NULL, NULL), IW_OK);
    assert_int_equal(iw_capture_file_open(path, &file, text, sizeof text), IW_OK);
    while (iw_capture_file_next(file, &packet, text, sizeof text) == IW_CAPTURE_PACKET) {
        if (iw_packet_find(&packet, &segment, &(struct iw_packet_facts){0}) == IW_PACKET_TCP &&
            segment.destination.port == port)
            found += (segment.flags & IW_TCP_SYN) != 0;
    }
    assert_int_equal(found, 1);
    iw_capture_file_close(file);
    unlink(path);
}

/* Packets have the comment that was current when they were captured, even if written later. */
static void packets_have_the_comment_of_their_time(void **state) {
    char path[TEMPORARY_PATH];
    struct iw_live_capture *capture;
    char octets[1 << 14] = "";
    const char *first, *second, *third;
    size_t length;
    FILE *file;

    (void)state;
    close(mkstemp(temporary_path(path, "iw_live_capture_test")));
    capture = iw_live_capture_open("lo", host, 0, path, text);
    if (capture == NULL) {
        unlink(path);
        print_message("%s\n", text);
        skip(); /* not permitted here */
    }
    assert_true(iw_live_capture_comment(capture, "step one") >= 0);
    knock();
    assert_true(iw_live_capture_comment(capture, "step two") >= 2);
    knock();
    assert_true(iw_live_capture_comment(capture, NULL) >= 2);
    knock();
    assert_int_equal(iw_live_capture_close(capture, NULL, NULL), IW_OK);
    file = fopen(path, "rb");
    length = fread(octets, 1, sizeof octets - 1, file);
    fclose(file);
    unlink(path);
    first = memmem(octets, length, "step one", 8);
    second = memmem(octets, length, "step two", 8);
    assert_non_null(first);
    assert_non_null(second);
    assert_true(first < second);
    third = second; /* no comment after the last packet of the second connection */
    for (const char *next;
         (next = memmem(third + 1, length - (size_t)(third + 1 - octets), "step", 4)) != NULL;)
        third = next;
    assert_memory_equal(third, "step two", 8);
    assert_true(octets + length - third > 2 * 32);
}

static void a_full_disk_is_told(void **state) {
    struct iw_live_capture *capture = iw_live_capture_open("lo", host, 0, "/dev/full", text);

    (void)state;
    if (capture == NULL && strncmp(text, "lo: ", 4) == 0) {
        print_message("%s\n", text);
        skip(); /* not permitted here */
    }
    assert_null(capture);
    assert_string_equal(text, "/dev/full: No space left on device");
}

static unsigned long long effective_rights(void) {
    unsigned long long rights = 0;
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");

    while (fgets(line, sizeof line, status))
        sscanf(line, "CapEff: %llx", &rights);
    fclose(status);
    return rights;
}

/* In a process of its own, as the other tests need the rights. Those for files stay. */
static void rights_are_given_up(void **state) {
    const unsigned long long network = 1u << 13 | 1u << 12; /* CAP_NET_RAW, CAP_NET_ADMIN */
    unsigned long long before = effective_rights();
    pid_t child = fork();
    int status;

    (void)state;
    if (child == 0)
        _exit(!iw_live_device_drop_rights() || effective_rights() != (before & ~network) ||
              socket(AF_INET, SOCK_RAW, IPPROTO_TCP) >= 0 || setuid(getuid()) != 0 ||
              effective_rights() != (before & ~network));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_an_error_in_one_line),
        cmocka_unit_test(records_packets_of_loopback),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(rights_are_given_up),
        cmocka_unit_test(packets_have_the_comment_of_their_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
