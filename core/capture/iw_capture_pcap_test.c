#include "iw_capture_pcap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- files, written octet by octet ---- */

struct form {
    uint32_t magic; /* as in the file, most significant octet first */
    bool little;
};

static void put(FILE *file, bool little, uint32_t value, int octets) {
    for (int i = 0; i < octets; i++)
        fputc((int)(value >> 8 * (little ? i : octets - 1 - i) & 0xff), file);
}

static FILE *begin(struct form form, uint32_t version, uint32_t link) {
    FILE *file = tmpfile();

    assert_non_null(file);
    put(file, false, form.magic, 4);
    put(file, form.little, version >> 16, 2);
    put(file, form.little, version & 0xffff, 2);
    put(file, form.little, 0, 4);
    put(file, form.little, 0, 4);
    put(file, form.little, 65535, 4);
    put(file, form.little, link, 4);
    return file;
}

static void put_header(FILE *file, struct form form, uint32_t number, uint32_t octets) {
    put(file, form.little, number, 4);
    put(file, form.little, 7, 4);
    put(file, form.little, octets, 4);
    put(file, form.little, octets + 1, 4);
}

/* Unordered sizes from 0 to more than an Ethernet packet. */
static uint32_t size_of(uint32_t number) {
    return number * 2654435761u >> 21;
}

static uint8_t octet_of(uint32_t number, uint32_t at) {
    return (uint8_t)(number * 31 + at);
}

static void put_packet(FILE *file, struct form form, uint32_t number) {
    put_header(file, form, number, size_of(number));
    for (uint32_t i = 0; i < size_of(number); i++)
        fputc(octet_of(number, i), file);
}

struct reader {
    struct iw_capture_source *source;
    struct iw_capture_blocks blocks;
    struct iw_capture_pcap pcap;
};

/* A second descriptor of a file that has no name. */
static void open_source(FILE *file, struct iw_capture_source **source) {
    char path[64], reason[64];

    fflush(file);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
    assert_int_equal(iw_capture_source_open(path, source, reason, sizeof reason), IW_OK);
}

static void open_reader(FILE *file, struct reader *reader) {
    open_source(file, &reader->source);
    assert_true(iw_capture_blocks_init(&reader->blocks, reader->source));
    assert_int_equal(iw_capture_pcap_init(&reader->pcap, &reader->blocks), IW_CAPTURE_GOT);
}

static void close_reader(struct reader *reader) {
    iw_capture_blocks_dispose(&reader->blocks);
    iw_capture_source_close(reader->source);
}

static const struct form native = {0xd4c3b2a1, true};

/* ---- reading ---- */

static void check_packet(const struct iw_packet *packet, uint32_t number) {
    assert_int_equal(packet->captured, size_of(number));
    for (uint32_t i = 0; i < packet->captured; i++)
        if (packet->octets[i] != octet_of(number, i))
            fail_msg("packet %u, octet %u", number, i);
}

/* Each of many packets is intact, wherever blocks end, and stays so for two more blocks. */
static void reads_both_byte_orders(void **state) {
    static const struct form forms[] = {
        {0xa1b2c3d4, false}, {0xd4c3b2a1, true}, {0xa1b23c4d, false}, {0x4d3cb2a1, true}};
    enum { PACKETS = 6000 };
    static struct {
        struct iw_packet packet;
        uint64_t block;
    } seen[PACKETS];

    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        FILE *file = begin(forms[i], 0x20004, 1);
        struct iw_packet packet;
        struct reader reader;
        uint32_t oldest = 0;
        uint32_t tick_ns = i < 2 ? 1000 : 1;

        for (uint32_t k = 0; k < PACKETS; k++)
            put_packet(file, forms[i], k);
        open_reader(file, &reader);
        for (uint32_t k = 0; k < PACKETS; k++) {
            assert_int_equal(iw_capture_pcap_next(&reader.pcap, &packet), IW_CAPTURE_GOT);
            assert_int_equal(packet.length, size_of(k) + 1);
            assert_int_equal(packet.time_ns, k * UINT64_C(1000000000) + 7 * tick_ns);
            seen[k].packet = packet;
            seen[k].block = reader.blocks.ordinal;
            while (seen[oldest].block + 3 <= reader.blocks.ordinal)
                oldest++;
            check_packet(&seen[oldest].packet, oldest);
            check_packet(&packet, k);
        }
        assert_true(reader.blocks.ordinal > 4);
        assert_int_equal(iw_capture_pcap_next(&reader.pcap, &packet), IW_CAPTURE_ENDED);
        close_reader(&reader);
        fclose(file);
    }
}

static void leaves_other_files_to_libpcap(void **state) {
    static const struct form modified = {0xa1b2cd34, false}, section = {0x0a0d0d0a, true};
    FILE *files[] = {begin(modified, 0x20004, 1), begin(section, 0x20004, 1), begin(native, 0x20003, 1)};
    uint8_t head[8];

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        rewind(files[i]);
        assert_int_equal(fread(head, 1, sizeof head, files[i]), sizeof head);
        assert_false(iw_capture_pcap_is(head, sizeof head));
        fclose(files[i]);
    }
}

/* The upper bits of the link type describe the frame check sequence. */
static void ignores_the_upper_bits_of_the_link_type(void **state) {
    FILE *file = begin(native, 0x20004, 0x14000071);
    struct reader reader;

    (void)state;
    open_reader(file, &reader);
    assert_int_equal(reader.pcap.link_type, 0x71);
    close_reader(&reader);
    fclose(file);
}

static void reports_truncation_and_end(void **state) {
    uint32_t octets = 24 + 16 + size_of(3);

    (void)state;
    for (uint32_t length = 24; length <= octets; length++) {
        FILE *file = begin(native, 0x20004, 1);
        enum iw_capture_outcome expected = length == 24      ? IW_CAPTURE_ENDED
                                           : length < octets ? IW_CAPTURE_TRUNCATED
                                                             : IW_CAPTURE_GOT;
        struct iw_packet packet;
        struct reader reader;

        put_packet(file, native, 3);
        fflush(file);
        assert_int_equal(ftruncate(fileno(file), length), 0);
        open_reader(file, &reader);
        assert_int_equal(iw_capture_pcap_next(&reader.pcap, &packet), expected);
        close_reader(&reader);
        fclose(file);
    }
}

/* While the file grows, the second packet comes in parts, and the first one stays. */
static void growing_file_uses_no_more_blocks(void **state) {
    FILE *file = begin(native, 0x20004, 1);
    struct iw_packet first, packet;
    struct reader reader;
    uint64_t block;

    (void)state;
    put_packet(file, native, 3);
    open_reader(file, &reader);
    assert_int_equal(iw_capture_pcap_next(&reader.pcap, &first), IW_CAPTURE_GOT);
    block = reader.blocks.ordinal;
    put_header(file, native, 4, size_of(4));
    for (uint32_t i = 0; i < size_of(4); i++) {
        fflush(file);
        assert_int_equal(iw_capture_pcap_next(&reader.pcap, &packet), IW_CAPTURE_TRUNCATED);
        fputc(octet_of(4, i), file);
    }
    fflush(file);
    assert_int_equal(iw_capture_pcap_next(&reader.pcap, &packet), IW_CAPTURE_GOT);
    check_packet(&first, 3);
    check_packet(&packet, 4);
    assert_int_equal(reader.blocks.ordinal, block);
    close_reader(&reader);
    fclose(file);
}

static void rejects_a_packet_that_is_too_long(void **state) {
    FILE *file = begin(native, 0x20004, 1);
    struct iw_packet packet;
    struct reader reader;

    (void)state;
    put_packet(file, native, 3);
    put_header(file, native, 4, (1 << 18) + 1);
    open_reader(file, &reader);
    assert_int_equal(iw_capture_pcap_next(&reader.pcap, &packet), IW_CAPTURE_GOT);
    assert_int_equal(iw_capture_pcap_next(&reader.pcap, &packet), IW_CAPTURE_DAMAGED);
    close_reader(&reader);
    fclose(file);
}

/* Zeros, as after a crash or in a preallocated file. */
static void rejects_zeros(void **state) {
    FILE *file = begin(native, 0x20004, 1);
    struct iw_packet packet;
    struct reader reader;

    (void)state;
    put_packet(file, native, 3);
    put_header(file, native, 4, 0); /* one octet on the wire, none captured */
    for (int i = 0; i < 4; i++)
        put(file, native.little, 0, 4);
    open_reader(file, &reader);
    assert_int_equal(iw_capture_pcap_next(&reader.pcap, &packet), IW_CAPTURE_GOT);
    assert_int_equal(iw_capture_pcap_next(&reader.pcap, &packet), IW_CAPTURE_GOT);
    assert_int_equal(iw_capture_pcap_next(&reader.pcap, &packet), IW_CAPTURE_DAMAGED);
    close_reader(&reader);
    fclose(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_both_byte_orders),
        cmocka_unit_test(leaves_other_files_to_libpcap),
        cmocka_unit_test(reports_truncation_and_end),
        cmocka_unit_test(ignores_the_upper_bits_of_the_link_type),
        cmocka_unit_test(growing_file_uses_no_more_blocks),
        cmocka_unit_test(rejects_a_packet_that_is_too_long),
        cmocka_unit_test(rejects_zeros),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
