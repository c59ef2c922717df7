/* The table of STags, on a capture of Writes and a Read: frames and octets are counted by hand. */

#include "iw_tree_test.h"

/* STag 11h of the responder: frames 5 to 6, then 7; the initiator's 12h takes the Read Response of frames 9
 * and 10, and 56h of the responder is read. All frames have the same time. */
static void test_table(void **state) {
    (void)state;
    for (unsigned pass = 1; pass <= 2; pass++) {
        char *shown = iw_tshark_run(
            "%s -q -r %s -z iwarp,stags | sed -E 's/ +//g' | grep '|0x'", pass == 2 ? "-2" : "", stags.path);

        assert_string_equal(shown, "0|responder|0x00000011|4|0|5|6|0.000000|-|\n"
                                   "0|responder|0x00000011|4|0|7|7|0.000000|-|\n"
                                   "0|initiator|0x00000012|8|0|8|10|0.000000|-|\n"
                                   "0|responder|0x00000056|0|8|8|8|0.000000|-|\n");
        free(shown);
    }
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
        cmocka_unit_test(test_purpose),
    };

    return cmocka_run_group_tests(tests, write_captures, remove_captures);
}
