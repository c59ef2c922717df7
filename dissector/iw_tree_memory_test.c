/* The memory of an STag as of an FPDU, on a capture of overlapping RDMA Writes. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_tshark.h"

static struct iw_tshark_capture writes;

static const uint8_t request[20] = "MPA ID Req Frame\x00\x01\x00";
static const uint8_t reply[20] = "MPA ID Rep Frame\x00\x01\x00";

/* RDMA Writes to STag 11h; the CRC is not in use. */
static const uint8_t first[24] = {
    0x00, 0x12, 0xC1, 0x40, 0, 0, 0, 0x11, 0, 0, 0, 0, 0, 0, 0, 0x40, 'a', 'b', 'c', 'd'};
static const uint8_t second[24] = {
    0x00, 0x12, 0xC1, 0x40, 0, 0, 0, 0x11, 0, 0, 0, 0, 0, 0, 0, 0x42, 'W', 'X', 'Y', 'Z'};
/* After a hole of two octets. */
static const uint8_t third[24] = {
    0x00, 0x12, 0xC1, 0x40, 0, 0, 0, 0x11, 0, 0, 0, 0, 0, 0, 0, 0x48, 'i', 'j', 'k', 'l'};
/* At the end of the address space. */
static const uint8_t last[24] = {0x00, 0x12, 0xC1, 0x40, 0, 0, 0, 0x11, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xFF, 0xFE, 'm', 'n', 'o', 'p'};

/* Frames 5 to 8. */
static int write_capture(void **state) {
    (void)state;
    iw_tshark_open(&writes);
    iw_tshark_connect(&writes, 20100);
    iw_tshark_say(&writes, false, request, sizeof request);
    iw_tshark_say(&writes, true, reply, sizeof reply);
    iw_tshark_say(&writes, false, first, sizeof first);
    iw_tshark_say(&writes, false, second, sizeof second);
    iw_tshark_say(&writes, false, third, sizeof third);
    iw_tshark_say(&writes, false, last, sizeof last);
    iw_tshark_close(&writes);
    return 0;
}

static int remove_capture(void **state) {
    (void)state;
    iw_tshark_remove(&writes);
    return 0;
}

static void assert_has(const char *options, const char *part, bool expected) {
    char *shown = iw_tshark_run("-r %s %s", writes.path, options);

    if ((strstr(shown, part) != NULL) != expected)
        fail_msg("%s is%s in:\n%s", part, expected ? " not" : "", shown);
    free(shown);
}

#define KEEP "-2 -o iwarp.keep_memory:TRUE "

/* Frame 5 shows what it has placed, and nothing of later frames. */
static void test_content(void **state) {
    (void)state;
    assert_has(KEEP "-Y frame.number==5 -V -x",
        "Memory of STag 0x00000011 from TO 0x40 (4 bytes):\n0000  61 62 63 64 ", true);
    assert_has(KEEP "-Y frame.number==7 -V -x",
        "Memory of STag 0x00000011 from TO 0x40 (12 bytes):\n0000  61 62 57 58 59 5a 00 00 69 6a 6b 6c ",
        true);
}

static void test_writers(void **state) {
    (void)state;
    assert_has(KEEP "-Y frame.number==7 -V",
        "    [Memory of STag 0x00000011 as of this FPDU, TO 0x40 to 0x4c]\n"
        "        [Placed in: 5: TO 0x40 to 0x42]\n"
        "        [Placed in: 6: TO 0x42 to 0x46]\n"
        "        [Placed in: 7: TO 0x48 to 0x4c]\n",
        true);
}

static void test_beyond_the_address_space(void **state) {
    (void)state;
    assert_has(KEEP "-Y frame.number==8 -V", "Memory of STag", false);
}

static void test_off_by_default(void **state) {
    (void)state;
    assert_has("-2 -V", "Memory of STag", false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_content),
        cmocka_unit_test(test_writers),
        cmocka_unit_test(test_beyond_the_address_space),
        cmocka_unit_test(test_off_by_default),
    };

    return cmocka_run_group_tests(tests, write_capture, remove_capture);
}
