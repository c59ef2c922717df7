/* The table of STags, on a capture of Writes and a Read: frames and octets are counted by hand. */

#include "iw_tree_test.h"

/* The rows are the same in one pass and in two. */
static void assert_rows(const char *path, const char *filter, const char *expected) {
    for (unsigned pass = 1; pass <= 2; pass++) {
        char *shown =
            iw_tshark_run("%s -q -r %s -z iwarp,stags | sed -E 's/ +//g' | grep -E '[|](0x|others)'%s",
                pass == 2 ? "-2" : "", path, filter);

        assert_string_equal(shown, expected);
        free(shown);
    }
}

/* STag 11h of the responder: frames 5 to 6, then 7; the initiator's 12h takes the Read Response of frames 9
 * and 10, and 56h of the responder is read. All frames have the same time. */
static void test_table(void **state) {
    (void)state;
    assert_rows(stags.path, "",
        "0|responder|0x00000011|4|0|5|6|0.000000|-|\n"
        "0|responder|0x00000011|4|0|7|7|0.000000|-|\n"
        "0|initiator|0x00000012|8|0|8|10|0.000000|-|\n"
        "0|responder|0x00000056|0|8|8|8|0.000000|-|\n");
}

/* A receiver delivers nothing of an FPDU with a wrong CRC (RFC 5044 8): frame 6 of 5 to 7 placed no octet. */
static void test_wrong_crc(void **state) {
    static const uint8_t with_crc[2][20] = {"MPA ID Req Frame\x40\x01\x00", "MPA ID Rep Frame\x40\x01\x00"};
    static const uint8_t right[4] = {0x3C, 0x2B, 0xEB, 0x6F};
    struct iw_tshark_capture capture;
    uint8_t write[24];

    (void)state;
    iw_tshark_open(&capture);
    iw_tshark_connect(&capture, 20100);
    iw_tshark_say(&capture, false, with_crc[0], sizeof with_crc[0]);
    iw_tshark_say(&capture, true, with_crc[1], sizeof with_crc[1]);
    memcpy(write, write_to_stag, sizeof write);
    memcpy(write + 20, right, sizeof right);
    for (unsigned frame = 5; frame <= 7; frame++) {
        write[23] = frame == 6 ? (uint8_t)~right[3] : right[3];
        iw_tshark_say(&capture, false, write, sizeof write);
    }
    iw_tshark_close(&capture);
    assert_rows(capture.path, "", "0|responder|0x00000011|8|0|5|7|0.000000|-|\n");
    iw_tshark_remove(&capture);
}

/* Of 10,002 STags, each with one Write of four octets, the last two share a row. */
static void test_too_many_stags(void **state) {
    enum { STAGS = 10002, FIRST = 0x100 };
    struct iw_tshark_capture capture;
    uint8_t write[24];

    (void)state;
    iw_tshark_open(&capture);
    iw_tshark_connect(&capture, 20100);
    iw_tshark_say(&capture, false, request, sizeof request);
    iw_tshark_say(&capture, true, reply, sizeof reply);
    memcpy(write, write_to_stag, sizeof write);
    for (unsigned i = 0; i < STAGS; i++) {
        write[6] = (uint8_t)((FIRST + i) >> 8);
        write[7] = (uint8_t)(FIRST + i);
        iw_tshark_say(&capture, false, write, sizeof write);
    }
    iw_tshark_close(&capture);
    assert_rows(capture.path, " | tail -2",
        "0|responder|0x0000280f|4|0|10004|10004|0.000000|-|\n"
        "-|-|others|8|0|10005|10006|0.000000|STagsafterthefirst10000|\n");
    iw_tshark_remove(&capture);
}

/* The purpose of the latest buffer. */
static void test_purpose(void **state) {
    char *shown =
        iw_tshark_run("-q -o iwarp.upper:warn -r %s/captures/upper/other.pcap -z iwarp,stags", SOURCE_DIR);

    (void)state;
    assert_non_null(strstr(shown, "for NVMe Read in frame 6"));
    free(shown);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_wrong_crc),
        cmocka_unit_test(test_too_many_stags),
        cmocka_unit_test(test_purpose),
    };

    return cmocka_run_group_tests(tests, write_captures, remove_captures);
}
