#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_temporary_test.h"
#include "iw_tshark.h"

/* captures/impairment/tenants.pcap has two tenants with the same addresses and ports in two VXLANs. The
 * plugin separates them with every link type that `warpcheck check` reads. */

enum { FILE_HEADER = 24, PACKET_HEADER = 16, ETHERNET = 14, PACKET_MAX = 2048 };

/* The header that replaces Ethernet's before IPv4, by the pages of the link type at tcpdump.org/linktypes. */
struct link {
    uint8_t type;
    uint8_t count;
    uint8_t header[40];
};

static const struct link links[] = {
    {1, 14, {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x08, 0x00}}, /* Ethernet */
    {0, 4, {2, 0, 0, 0}},                                      /* BSD loopback, little-endian */
    {108, 4, {0, 0, 0, 2}},                                    /* OpenBSD loopback */
    {101, 0, {0}},                                             /* IP */
    {9, 4, {0xff, 0x03, 0x00, 0x21}},                          /* PPP */
    {204, 5, {0x01, 0xff, 0x03, 0x00, 0x21}},                  /* PPP after an octet with the direction */
    {104, 4, {0x0f, 0x00, 0x08, 0x00}},                        /* Cisco HDLC */
    {107, 4, {0x18, 0x41, 0x03, 0xcc}},                        /* Frame Relay */
    {105, 32, {0x08, [24] = 0xaa, 0xaa, 0x03, 0, 0, 0, 0x08, 0x00}}, /* IEEE 802.11, LLC and SNAP */
    {127, 40, {0, 0, 8, [8] = 0x08, [32] = 0xaa, 0xaa, 0x03, 0, 0, 0, 0x08, 0x00}}, /* after radiotap */
};

static uint32_t number_at(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put_number(uint8_t *at, uint32_t number) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(number >> (8 * i));
}

/* Copies the next packet of the little-endian pcap file, with `link` as link header. Returns false at the
 * end. */
static bool copy_packet(FILE *from, FILE *to, const struct link *link) {
    uint8_t header[PACKET_HEADER], octets[PACKET_MAX];
    uint32_t count;

    if (fread(header, sizeof header, 1, from) != 1)
        return false;
    count = number_at(header + 8);
    assert_in_range(count, ETHERNET, sizeof octets);
    assert_int_equal(fread(octets, 1, count, from), count);
    put_number(header + 8, count - ETHERNET + link->count);
    put_number(header + 12, count - ETHERNET + link->count);
    assert_int_equal(fwrite(header, sizeof header, 1, to), 1);
    assert_int_equal(fwrite(link->header, 1, link->count, to), link->count);
    assert_int_equal(fwrite(octets + ETHERNET, 1, count - ETHERNET, to), count - ETHERNET);
    return true;
}

static void write_with_link(const struct link *link, const char *path) {
    FILE *from = fopen(SOURCE_DIR "/captures/impairment/tenants.pcap", "rb");
    FILE *to = fopen(path, "wb");
    uint8_t header[FILE_HEADER];

    assert_non_null(from);
    assert_non_null(to);
    assert_int_equal(fread(header, sizeof header, 1, from), 1);
    assert_int_equal(number_at(header), 0xa1b2c3d4);
    assert_int_equal(header[20], 1);
    header[20] = link->type;
    assert_int_equal(fwrite(header, sizeof header, 1, to), 1);
    while (copy_packet(from, to, link))
        continue;
    fclose(from);
    assert_int_equal(fclose(to), 0);
}

static void tenants_are_apart_behind_every_link(void **state) {
    /* frame and opcodes: Writes (0) and Sends (3) of both tenants */
    static const char both[] = "11\t0x00,0x03\n12\t0x03,0x00\n";

    unsigned failed = 0;

    (void)state;
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        char path[TEMPORARY_PATH];
        int descriptor = mkstemp(temporary_path(path, "iw_tenants_test"));
        char *shown;

        assert_true(descriptor >= 0);
        close(descriptor);
        write_with_link(&links[i], path);
        shown = iw_tshark_run(
            "-2 -r %s -Y iwarp.rdmap.opcode -T fields -e frame.number -e iwarp.rdmap.opcode", path);
        if (strcmp(shown, both) != 0) {
            print_error("link type %u: %s\n", links[i].type, shown);
            failed++;
        }
        free(shown);
        unlink(path);
    }
    assert_int_equal(failed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tenants_are_apart_behind_every_link)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
