#include "iw_reassembly.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_ip.h"

/* "abcdefgh" at 0, "ijklmnop" at 8, "qrstuvwx" at 16, "yz" at 24 */
static const uint8_t alphabet[] = "abcdefghijklmnopqrstuvwxyz";
enum { ALPHABET = 26 };

struct bench {
    struct iw_reassembly *reassembly;
    struct iw_fragment whole;
    uint64_t frame;
    uint32_t id;
    uint8_t version;
};

static struct bench bench_of(uint8_t version) {
    return (struct bench){.reassembly = iw_reassembly_new(), .id = 7, .version = version};
}

/* Adds a fragment from memory that ends with it. */
static enum iw_reassembly_step add_octets(struct bench *bench, uint32_t offset, const uint8_t *octets,
    uint32_t captured, uint32_t length, bool more) {
    uint8_t *copy = malloc(captured + 1);
    struct iw_fragment fragment = {.source = {.octets = {10, 0, 0, 1}, .version = bench->version},
        .destination = {.octets = {10, 0, 0, 2}, .version = bench->version},
        .id = bench->id,
        .protocol = IW_IP_TCP,
        .more = more,
        .offset = offset,
        .length = length,
        .captured = captured,
        .octets = copy + 1};

    memcpy(copy + 1, octets, captured);
    enum iw_reassembly_step step =
        iw_reassembly_add(bench->reassembly, &fragment, ++bench->frame, &bench->whole);
    free(copy);
    return step;
}

/* A fragment of `octets` octets of the alphabet, the last one of its packet. */
static enum iw_reassembly_step add_fragment(struct bench *bench, uint32_t offset, uint32_t length) {
    return add_octets(bench, offset, alphabet + offset, length, length, offset + length < ALPHABET);
}

static void assert_alphabet(struct bench *bench) {
    assert_int_equal(bench->whole.length, ALPHABET);
    assert_int_equal(bench->whole.captured, ALPHABET);
    assert_memory_equal(bench->whole.octets, alphabet, ALPHABET);
    assert_int_equal(bench->whole.protocol, IW_IP_TCP);
    assert_int_equal(iw_reassembly_counts(bench->reassembly).fragments, 0);
}

static void in_any_order(void **state) {
    (void)state;
    static const uint32_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const uint32_t lengths[3] = {8, 16, 2}, offsets[3] = {0, 8, 24};
    struct bench bench = bench_of(4);
    for (unsigned i = 0; i < 6; i++, bench.id++) {
        const uint32_t *order = orders[i];
        assert_int_equal(add_fragment(&bench, offsets[order[0]], lengths[order[0]]), IW_REASSEMBLY_WAITS);
        assert_int_equal(add_fragment(&bench, offsets[order[1]], lengths[order[1]]), IW_REASSEMBLY_WAITS);
        assert_int_equal(iw_reassembly_counts(bench.reassembly).fragments, 2);
        assert_int_equal(add_fragment(&bench, offsets[order[2]], lengths[order[2]]), IW_REASSEMBLY_WHOLE);
        assert_alphabet(&bench);
    }
    iw_reassembly_free(bench.reassembly);
}

static void repeated(void **state) {
    (void)state;
    struct bench bench = bench_of(4);
    assert_int_equal(add_fragment(&bench, 0, 16), IW_REASSEMBLY_WAITS);
    assert_int_equal(add_fragment(&bench, 0, 16), IW_REASSEMBLY_WAITS);
    assert_int_equal(add_fragment(&bench, 8, 8), IW_REASSEMBLY_WAITS);
    assert_int_equal(add_fragment(&bench, 16, 10), IW_REASSEMBLY_WHOLE);
    assert_alphabet(&bench);
    assert_int_equal(add_fragment(&bench, 16, 10), IW_REASSEMBLY_REPEATED);
    assert_int_equal(add_fragment(&bench, 0, 8), IW_REASSEMBLY_REPEATED);
    assert_int_equal(iw_reassembly_counts(bench.reassembly).fragments, 0);
    assert_int_equal(iw_reassembly_counts(bench.reassembly).differing, 0);
    iw_reassembly_free(bench.reassembly);
}

static void first_octets_win(void **state) {
    (void)state;
    static const uint8_t others[] = "ABCDEFGHIJKLMNOP";
    struct bench bench = bench_of(4);
    assert_int_equal(add_fragment(&bench, 8, 8), IW_REASSEMBLY_WAITS);
    assert_int_equal(add_octets(&bench, 0, others, 16, 16, true), IW_REASSEMBLY_WAITS);
    assert_int_equal(add_fragment(&bench, 0, 8), IW_REASSEMBLY_WAITS);
    assert_int_equal(add_fragment(&bench, 16, 10), IW_REASSEMBLY_WHOLE);
    assert_memory_equal(bench.whole.octets, "ABCDEFGHijklmnopqrstuvwxyz", ALPHABET);
    assert_int_equal(iw_reassembly_counts(bench.reassembly).differing, 2);
    iw_reassembly_free(bench.reassembly);
}

static void contradictory_ends(void **state) {
    (void)state;
    struct bench bench = bench_of(4);
    assert_int_equal(add_fragment(&bench, 16, 10), IW_REASSEMBLY_WAITS);
    assert_int_equal(add_octets(&bench, 24, alphabet, 4, 4, false), IW_REASSEMBLY_WAITS); /* ends at 28 */
    assert_int_equal(add_octets(&bench, 32, alphabet, 8, 8, true), IW_REASSEMBLY_WAITS);
    assert_int_equal(add_fragment(&bench, 0, 16), IW_REASSEMBLY_WHOLE);
    assert_alphabet(&bench);
    assert_int_equal(iw_reassembly_counts(bench.reassembly).differing, 2);
    /* Octets after the end, which a later fragment states. */
    bench.id++;
    assert_int_equal(add_octets(&bench, 32, alphabet, 8, 8, true), IW_REASSEMBLY_WAITS);
    assert_int_equal(add_fragment(&bench, 16, 10), IW_REASSEMBLY_WAITS);
    assert_int_equal(add_fragment(&bench, 0, 16), IW_REASSEMBLY_WHOLE);
    assert_alphabet(&bench);
    iw_reassembly_free(bench.reassembly);
}

static void truncated_fragments(void **state) {
    (void)state;
    struct bench bench = bench_of(4);
    assert_int_equal(add_octets(&bench, 0, alphabet, 11, 16, true), IW_REASSEMBLY_WAITS);
    assert_int_equal(add_fragment(&bench, 16, 10), IW_REASSEMBLY_WHOLE);
    assert_int_equal(bench.whole.length, ALPHABET);
    assert_int_equal(bench.whole.captured, 11);
    assert_memory_equal(bench.whole.octets, alphabet, 11);
    bench.id++;
    assert_int_equal(add_fragment(&bench, 0, 16), IW_REASSEMBLY_WAITS);
    assert_int_equal(add_octets(&bench, 16, alphabet + 16, 0, 10, false), IW_REASSEMBLY_WHOLE);
    assert_int_equal(bench.whole.captured, 16);
    iw_reassembly_free(bench.reassembly);
}

static void never_complete(void **state) {
    (void)state;
    struct bench bench = bench_of(4);
    assert_int_equal(add_fragment(&bench, 0, 8), IW_REASSEMBLY_WAITS);
    assert_int_equal(add_fragment(&bench, 16, 10), IW_REASSEMBLY_WAITS);
    bench.id++; /* one Identification per packet */
    assert_int_equal(add_fragment(&bench, 8, 8), IW_REASSEMBLY_WAITS);
    assert_int_equal(iw_reassembly_counts(bench.reassembly).fragments, 3);
    iw_reassembly_free(bench.reassembly);
}

/* RFC 4963: much later, the same Identification belongs to another packet. */
static void reused_identification(void **state) {
    (void)state;
    struct bench bench = bench_of(4);
    static const uint8_t others[] = "ABCDEFGHIJKLMNOP";
    assert_int_equal(add_octets(&bench, 0, others, 16, 16, true), IW_REASSEMBLY_WAITS);
    bench.frame += IW_REASSEMBLY_FRAMES;
    assert_int_equal(add_fragment(&bench, 16, 10), IW_REASSEMBLY_WAITS);
    assert_int_equal(add_fragment(&bench, 0, 16), IW_REASSEMBLY_WHOLE);
    assert_memory_equal(bench.whole.octets, alphabet, ALPHABET);
    assert_int_equal(iw_reassembly_counts(bench.reassembly).fragments, 1);
    /* Directly after a complete packet. */
    assert_int_equal(add_octets(&bench, 0, others, 16, 16, true), IW_REASSEMBLY_WAITS);
    assert_int_equal(add_fragment(&bench, 16, 10), IW_REASSEMBLY_WHOLE);
    assert_memory_equal(bench.whole.octets, "ABCDEFGHIJKLMNOPqrstuvwxyz", ALPHABET);
    iw_reassembly_free(bench.reassembly);
}

static void impossible_offsets(void **state) {
    (void)state;
    struct bench bench = bench_of(4);
    assert_int_equal(add_octets(&bench, 0, alphabet, 9, 9, true), IW_REASSEMBLY_MALFORMED);
    assert_int_equal(add_octets(&bench, 8, alphabet, 0, 0, false), IW_REASSEMBLY_MALFORMED);
    assert_int_equal(add_octets(&bench, 65528, alphabet, 8, 8, false), IW_REASSEMBLY_MALFORMED);
    assert_int_equal(add_octets(&bench, 65528, alphabet, 7, 7, false), IW_REASSEMBLY_WAITS);
    assert_int_equal(add_octets(&bench, 16, alphabet, 8, UINT32_MAX - 7, false), IW_REASSEMBLY_MALFORMED);
    iw_reassembly_free(bench.reassembly);
}

/* The packet that has waited longest is dropped, and its frames stay unread. */
static void limit_of_packets(void **state) {
    (void)state;
    struct bench bench = bench_of(6);
    for (unsigned i = 0; i <= IW_REASSEMBLY_PACKETS; i++, bench.id++)
        assert_int_equal(add_fragment(&bench, 0, 16), IW_REASSEMBLY_WAITS);
    bench.id = 8; /* the second */
    assert_int_equal(add_fragment(&bench, 16, 10), IW_REASSEMBLY_WHOLE);
    bench.id = 7;
    assert_int_equal(add_fragment(&bench, 16, 10), IW_REASSEMBLY_WAITS);
    assert_int_equal(iw_reassembly_counts(bench.reassembly).fragments, IW_REASSEMBLY_PACKETS + 1);
    iw_reassembly_free(bench.reassembly);
}

static enum iw_reassembly_step add_udp(struct bench *bench, uint32_t offset, const char *octets, bool more) {
    struct iw_fragment fragment = {.id = bench->id,
        .protocol = IW_IP_UDP,
        .more = more,
        .offset = offset,
        .length = 8,
        .captured = 8,
        .octets = (const uint8_t *)octets};

    return iw_reassembly_add(bench->reassembly, &fragment, ++bench->frame, &bench->whole);
}

/* A UDP packet is kept only if a tunnel uses its ports. Fragments that came before the ports are dropped
 * then. */
static void udp_of_no_tunnel(void **state) {
    (void)state;
    struct bench bench = bench_of(0);
    assert_int_equal(add_udp(&bench, 8, "datagram", true), IW_REASSEMBLY_WAITS);
    assert_int_equal(iw_reassembly_counts(bench.reassembly).fragments, 1);
    assert_int_equal(add_udp(&bench, 0, "\x20\x00\x08\x01\x00\x18\x00\x00", true), IW_REASSEMBLY_OTHER);
    assert_int_equal(bench.whole.offset, 0x0801);
    assert_int_equal(add_udp(&bench, 16, "datagram", false), IW_REASSEMBLY_OTHER);
    assert_int_equal(iw_reassembly_counts(bench.reassembly).fragments, 0);
    bench.id++; /* VXLAN */
    assert_int_equal(add_udp(&bench, 0, "\xc0\x00\x12\xb5\x00\x10\x00\x00", true), IW_REASSEMBLY_WAITS);
    assert_int_equal(add_udp(&bench, 8, "datagram", false), IW_REASSEMBLY_WHOLE);
    iw_reassembly_free(bench.reassembly);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_any_order),
        cmocka_unit_test(repeated),
        cmocka_unit_test(first_octets_win),
        cmocka_unit_test(contradictory_ends),
        cmocka_unit_test(truncated_fragments),
        cmocka_unit_test(never_complete),
        cmocka_unit_test(reused_identification),
        cmocka_unit_test(impossible_offsets),
        cmocka_unit_test(limit_of_packets),
        cmocka_unit_test(udp_of_no_tunnel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
