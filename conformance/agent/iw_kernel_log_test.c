#include "iw_kernel_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static void a_terminate_is_read(void **state) {
    uint16_t terminate = 0;

    (void)state;
    /* siw calls the EType "layer", and the layer "type": 0/1/02 on the wire. */
    assert_true(
        iw_kernel_log_parse("4,339,5140900,-;siw: got TERMINATE. layer 1, type 0, code 2\n", &terminate));
    assert_int_equal(terminate, 0x0102);
    assert_true(iw_kernel_log_parse("4,1,2,-;siw: got TERMINATE. layer 2, type 1, code 255\n", &terminate));
    assert_int_equal(terminate, 0x12FF);
}

static void other_messages_are_skipped(void **state) {
    static const char *const others[] = {"", "6,1,2,-;siw: rx bogus TERM [QN x00000002]\n",
        "4,1,2,-;siw: got TERMINATE. layer x\n", "4,1,2,-;siw: got TERMINATE. layer 16, type 0, code 0\n",
        "4,1,2,-;user: siw: got TERMINATE. layer 1, type 1, code 1\n"};
    uint16_t terminate;

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(iw_kernel_log_parse(others[i], &terminate));
}

/* A log that the test writes, message by message. */
static int begin_log(struct iw_kernel_log *log) {
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends), 0);
    *log = (struct iw_kernel_log){.fd = ends[0]};
    LIST_INIT(&log->streams);
    return ends[1];
}

static void write_log(int writer, unsigned code) {
    char text[96];
    int length = snprintf(text, sizeof text, "4,1,2,-;siw: got TERMINATE. layer 1, type 1, code %u\n", code);

    assert_int_equal(write(writer, text, (size_t)length), length);
}

static void the_only_stream_has_the_terminate(void **state) {
    struct iw_kernel_log log;
    struct iw_kernel_log_stream one = {0};
    int writer = begin_log(&log);
    uint16_t terminate;

    (void)state;
    write_log(writer, 1); /* before the stream */
    iw_kernel_log_join(&log, &one);
    iw_kernel_log_read(&log);
    assert_false(iw_kernel_log_take(&one, &terminate));
    write_log(writer, 2);
    iw_kernel_log_read(&log);
    assert_true(iw_kernel_log_take(&one, &terminate));
    assert_int_equal(terminate, 0x1102);
    assert_false(iw_kernel_log_take(&one, &terminate));
    write_log(writer, 3); /* not taken before the end */
    iw_kernel_log_leave(&log, &one);
    iw_kernel_log_leave(&log, &one);
    write_log(writer, 4); /* without a stream */
    iw_kernel_log_join(&log, &one);
    iw_kernel_log_read(&log);
    assert_false(iw_kernel_log_take(&one, &terminate));
    iw_kernel_log_leave(&log, &one);
    iw_kernel_log_close(&log);
    close(writer);
}

static void of_two_streams_none_has_the_terminate(void **state) {
    struct iw_kernel_log log;
    struct iw_kernel_log_stream one = {0}, two = {0};
    int writer = begin_log(&log);
    uint16_t terminate;

    (void)state;
    iw_kernel_log_join(&log, &one);
    write_log(writer, 1); /* of the first: the second has not joined yet */
    iw_kernel_log_join(&log, &two);
    write_log(writer, 2);
    iw_kernel_log_read(&log);
    assert_true(iw_kernel_log_take(&one, &terminate));
    assert_int_equal(terminate, 0x1101);
    assert_false(iw_kernel_log_take(&two, &terminate));
    iw_kernel_log_leave(&log, &one);
    write_log(writer, 3);
    iw_kernel_log_read(&log);
    assert_true(iw_kernel_log_take(&two, &terminate));
    assert_int_equal(terminate, 0x1103);
    iw_kernel_log_leave(&log, &two);
    iw_kernel_log_close(&log);
    close(writer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terminate_is_read),
        cmocka_unit_test(other_messages_are_skipped),
        cmocka_unit_test(the_only_stream_has_the_terminate),
        cmocka_unit_test(of_two_streams_none_has_the_terminate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
