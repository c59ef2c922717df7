/* The protocol above RDMAP in tshark, with the preference `upper`: calls, buffers, and broken rules. Expected
 * values: by reading the captures. */

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

static void assert_shows(const char *file, const char *options, const char *expected) {
    char *shown = iw_tshark_run("-r %s/captures/%s %s", SOURCE_DIR, file, options);

    assert_string_equal(shown, expected);
    free(shown);
}

static void test_off_by_default(void **state) {
    (void)state;
    assert_shows(
        "upper/other.pcap", "-2 -Y 'iwarp.upper.buffer or iwarp.upper.call or iwarp.upper.finding'", "");
}

/* Frame 7 writes 600 octets to the 512 octets that the NVMe Read of frame 6 has advertised. */
static void test_findings(void **state) {
    static const char *const passes[] = {"", "-2"};

    (void)state;
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        char options[512];

        snprintf(options, sizeof options,
            "%s -o iwarp.upper:warn -Y 'iwarp.upper.warning and frame.number < 33' -T fields -E "
            "separator='|' "
            "-e frame.number -e iwarp.upper.rule -e iwarp.upper.level -e iwarp.upper.about -e "
            "iwarp.upper.expected",
            passes[i]);
        assert_shows("upper/other.pcap", options,
            "7|UPPER-ACCESS-01|error|6|TO 0x4000 to 0x4200, for writing\n"
            "17|UPPER-ACCESS-02|error|16|TO 0x4000 to 0x4200, for writing\n"
            "30|UPPER-ACCESS-03|error|29|TO 0x4000 to 0x4200, for writing\n");
    }
    assert_shows("upper/other.pcap",
        "-2 -o iwarp.upper:judge -Y 'iwarp.upper.error and frame.number < 11' -T fields -e frame.number -e "
        "iwarp.upper.finding",
        "7\tRDMA Write writes outside of the buffer with STag 0xec02e201, for NVMe Read in frame 6\n");
    assert_shows("upper/other.pcap",
        "-2 -o iwarp.upper:warn -o iwarp.show_errors:FALSE -Y 'iwarp.upper.finding and frame.number < 11'",
        "");
}

/* Connection 1: the command of frame 16, the Read Request to its buffer and the Read Response, the
 * completion. */
static void test_call_and_buffer(void **state) {
    (void)state;
    assert_shows("upper/other.pcap",
        "-2 -o iwarp.upper:warn -Y 'tcp.stream == 1 and (iwarp.upper.call or iwarp.upper.reply or "
        "iwarp.upper.buffer)' -T fields -E separator='|' "
        "-e frame.number -e iwarp.upper.call -e iwarp.upper.reply_in -e iwarp.upper.reply -e "
        "iwarp.upper.call_in -e iwarp.upper.buffer -e iwarp.upper.buffer.owner -e "
        "iwarp.upper.buffer.first_use -e iwarp.upper.buffer.advertised_in -e iwarp.upper.buffer.octets -e "
        "iwarp.upper.buffer.ended_in -e iwarp.upper.time_first_octets -e iwarp.upper.time_reply",
        "16|NVMe Read, CID 0x0001|19|||for NVMe Read in frame 16|the initiator|17||512|19||\n"
        "17|||||for NVMe Read in frame 16|the initiator||16||19||\n"
        "18|||||for NVMe Read in frame 16|the initiator||16||19||\n"
        "19|||NVMe Read, CID 0x0001|16|||||||0.002000000|0.003000000\n");
}

/* One pass does not know the octets that come later, and says nothing of them. Frame 30 uses the buffer after
 * the reply of frame 29: that is not part of the time of the call. */
static void test_one_pass(void **state) {
    static const char *const passes[] = {"", "-2"};

    (void)state;
    assert_shows("upper/other.pcap", "-o iwarp.upper:warn -Y iwarp.upper.buffer.octets", "");
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        char options[256];

        snprintf(options, sizeof options,
            "%s -o iwarp.upper:warn -Y frame.number==29 -T fields -e iwarp.upper.time_last_octets -e "
            "iwarp.upper.time_reply",
            passes[i]);
        assert_shows("upper/other.pcap", options, "0.001000000\t0.002000000\n");
    }
}

/* Recorded NFS: every Write of the server goes to a buffer of a call. The server uses Send with Invalidate
 * although its private data has R=0. */
static void test_recorded(void **state) {
    (void)state;
    assert_shows("ulp/nfs41_rdma.pcap",
        "-2 -o iwarp.upper:judge -Y 'iwarp.rdmap.opcode == 0 and not iwarp.upper.buffer'", "");
    assert_shows("ulp/nfs41_rdma.pcap",
        "-2 -o iwarp.upper:judge -Y 'iwarp.upper.error and frame.number < 20' -T fields -e frame.number -e "
        "iwarp.upper.rule",
        "12\tRFC8797-4.1-01\n16\tRFC8797-4.1-01\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_off_by_default),
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_call_and_buffer),
        cmocka_unit_test(test_one_pass),
        cmocka_unit_test(test_recorded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
