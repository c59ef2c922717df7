#include "iw_tcp_checksum.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* From 192.0.2.1 to 192.0.2.2, port 1 to 2, "ab". Added up by hand: the pseudo-header is C000 + 0201 + C000 +
 * 0202 + 0006 + 0016 = 8420, and with header and payload 3997, whose complement is C668. */
static const uint8_t octets[] = {0x00, 0x01, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x50,
    0x10, 0x04, 0x00, 0xC6, 0x68, 0x00, 0x00, 'a', 'b'};

struct whole {
    uint8_t tcp[sizeof octets];
    struct iw_tcp_segment segment;
};

static struct whole *whole_of(struct whole *whole, unsigned field) {
    memcpy(whole->tcp, octets, sizeof octets);
    whole->tcp[16] = (uint8_t)(field >> 8);
    whole->tcp[17] = (uint8_t)field;
    whole->segment = (struct iw_tcp_segment){.source = {.octets = {192, 0, 2, 1}, .version = 4},
        .destination = {.octets = {192, 0, 2, 2}, .version = 4},
        .length = 2,
        .captured = 2,
        .payload = whole->tcp + 20,
        .tcp = whole->tcp};
    return whole;
}

static enum iw_tcp_checksum verify_segment(const struct iw_tcp_segment *segment) {
    uint16_t payload = 0;
    enum iw_tcp_checksum checksum = iw_tcp_checksum_verify(segment, &payload);

    if (segment->tcp != NULL)
        assert_int_equal(payload, iw_tcp_checksum_sum(segment->payload, segment->length));
    return checksum;
}

static enum iw_tcp_checksum verify_field(unsigned field) {
    struct whole whole;

    return verify_segment(&whole_of(&whole, field)->segment);
}

/* RFC 1071 3, with each length: a remainder counts as if zero octets followed. */
static void sums_words(void **state) {
    static const uint8_t example[40] = {0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7};
    uint8_t ones[67];

    (void)state;
    assert_int_equal(iw_tcp_checksum_sum(example, 8), htons(0xDDF2));
    assert_int_equal(iw_tcp_checksum_sum(example, 40), htons(0xDDF2));
    memset(ones, 1, sizeof ones);
    for (unsigned count = 0; count <= sizeof ones; count++)
        assert_int_equal(
            iw_tcp_checksum_sum(ones, count), htons((uint16_t)((count + 1) / 2 * 256 + count / 2)));
}

static void adds_carries_in_again(void **state) {
    uint8_t ones[64];

    (void)state;
    memset(ones, 0xFF, sizeof ones);
    ones[63] = 0xFE;
    assert_int_equal(iw_tcp_checksum_sum(ones, sizeof ones), htons(0xFFFE));
}

static void verifies_over_the_pseudo_header(void **state) {
    struct whole whole;

    (void)state;
    assert_int_equal(verify_field(0xC668), IW_TCP_CHECKSUM_RIGHT);
    assert_int_equal(verify_field(0xC669), IW_TCP_CHECKSUM_WRONG);
    whole_of(&whole, 0xC668)->tcp[21] ^= 0x10;
    assert_int_equal(verify_segment(&whole.segment), IW_TCP_CHECKSUM_WRONG);
    whole_of(&whole, 0xC668)->segment.source.octets[3] = 3;
    assert_int_equal(verify_segment(&whole.segment), IW_TCP_CHECKSUM_WRONG);
}

/* RFC 8200 8.1: from 2001:db8::1 to 2001:db8::2; 2001 + 0DB8 twice are 5B72, so the sum is that of IPv4 less
 * C000 + 0201 + C000 + 0202 = 8404, plus 5B72 + 0001 + 0002. */
static void verifies_over_ipv6(void **state) {
    struct whole whole;
    uint32_t sum = 0x3997 - 0x8404 + 0xFFFF + 0x5B72 + 3;
    uint16_t field = (uint16_t) ~((sum & 0xFFFF) + (sum >> 16));

    (void)state;
    whole_of(&whole, field)->segment.source =
        (struct iw_tcp_address){.octets = {0x20, 0x01, 0x0D, 0xB8, [15] = 1}, .version = 6};
    whole.segment.destination =
        (struct iw_tcp_address){.octets = {0x20, 0x01, 0x0D, 0xB8, [15] = 2}, .version = 6};
    assert_int_equal(verify_segment(&whole.segment), IW_TCP_CHECKSUM_RIGHT);
}

static void recognises_checksum_offload(void **state) {
    struct whole whole;

    (void)state;
    assert_int_equal(verify_field(0), IW_TCP_CHECKSUM_UNKNOWN);
    assert_int_equal(verify_field(0x8420), IW_TCP_CHECKSUM_UNKNOWN);
    assert_int_equal(verify_field(0x840A), IW_TCP_CHECKSUM_UNKNOWN);
    whole_of(&whole, 0xC669)->segment.tcp = NULL;
    assert_int_equal(verify_segment(&whole.segment), IW_TCP_CHECKSUM_UNKNOWN);
}

/* ---- the checksums of a direction ---- */

static void count_right(struct iw_tcp_checksums *checksums, uint32_t length) {
    iw_tcp_checksums_right(checksums, length);
}

/* A longer segment may be a joint one. */
static void ignores_segments_longer_than_all_right_ones(void **state) {
    struct iw_tcp_checksums checksums = {0};

    (void)state;
    count_right(&checksums, 100);
    assert_false(iw_tcp_checksums_may_be_damage(&checksums, 1461));
    count_right(&checksums, 8960);
    assert_true(iw_tcp_checksums_may_be_damage(&checksums, 8960));
    assert_false(iw_tcp_checksums_may_be_damage(&checksums, 8961));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_words),
        cmocka_unit_test(adds_carries_in_again),
        cmocka_unit_test(verifies_over_the_pseudo_header),
        cmocka_unit_test(verifies_over_ipv6),
        cmocka_unit_test(recognises_checksum_offload),
        cmocka_unit_test(ignores_segments_longer_than_all_right_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
