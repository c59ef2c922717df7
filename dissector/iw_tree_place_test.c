/* Places in the tree: the frames of the pieces of an FPDU, the octets of its fields, and the segment whose
 * tree shows it. */

#include "iw_temporary_test.h"
#include "iw_tree_test.h"

/* ---- framing ---- */

static void test_a_wrong_crc_is_bad_and_remarkable(void **state) {
    static const char expected[] = "6\t0\tbad\n";

    (void)state;
    assert_shows("oddities/badcrc.pcap",
        "-Y iwarp.rule.RFC5044-4.4-11" FIELDS "-e iwarp.mpa.crc.status -e iwarp.mpa.crc_status", expected);
    assert_shows("oddities/badcrc.pcap", "-Y iwarp.mpa.crc.bad" FIELDS, "");
    assert_shows("oddities/badcrc.pcap",
        "-o iwarp.show_errors:FALSE -Y iwarp.mpa.crc.bad" FIELDS
        "-e iwarp.mpa.crc.status -e iwarp.mpa.crc_status",
        expected);
    assert_shows("oddities/badcrc.pcap",
        "-2 -Y 'iwarp.mpa.crc.status==0'" FIELDS "-e iwarp.mpa.crc.status -e iwarp.mpa.crc_status", expected);
}

static void test_a_middle_piece_of_an_fpdu_is_labelled(void **state) {
    (void)state;
    assert_shows("oddities/unaligned_ok.pcap",
        "-2 -Y frame.number==8" FIELDS
        "-e iwarp.mpa.piece -e iwarp.mpa.pieces -e iwarp.mpa.ends_in -e _ws.col.Info",
        "8\t2\t3\t9\t41000 \xe2\x86\x92 20100 [PSH, ACK] Seq=2917 Ack=21 Win=65535 Len=1448 "
        "[piece 2 of 3 of an FPDU that ends in frame 9]\n");
}

/* Makes Wireshark's protocol hierarchy count the frame. */
static void test_the_middle_of_an_fpdu_is_mpa(void **state) {
    (void)state;
    assert_shows("oddities/unaligned_ok.pcap", "-2 -Y 'frame.number==8 and iwarp.mpa'" FIELDS, "8\n");
}

static void test_the_beginning_of_a_startup_frame_is_labelled(void **state) {
    (void)state;
    assert_shows(
        "oddities/split_req.pcap", "-2 -Y iwarp.mpa.ends_in" FIELDS "-e iwarp.mpa.ends_in", "4\t5\n");
    assert_shows(
        "oddities/split_req.pcap", "-2 -Y iwarp.mpa.begins_in" FIELDS "-e iwarp.mpa.begins_in", "5\t4\n");
}

/* ---- places ---- */

/* The value of an attribute of the only field of that name in PDML. */
static int attribute(const char *pdml, const char *name, const char *which) {
    char wanted[128];
    const char *field, *value;

    snprintf(wanted, sizeof wanted, "<field name=\"%s\"", name);
    field = strstr(pdml, wanted);
    if (field == NULL)
        fail_msg("%s is not shown", name);
    snprintf(wanted, sizeof wanted, " %s=\"", which);
    value = strstr(field, wanted);
    assert_non_null(value);
    return atoi(value + strlen(wanted));
}

static void assert_place(const char *pdml, const char *name, int position, int size) {
    if (attribute(pdml, name, "pos") != position || attribute(pdml, name, "size") != size)
        fail_msg("%s stands at %d with %d octets, expected at %d with %d", name, attribute(pdml, name, "pos"),
            attribute(pdml, name, "size"), position, size);
}

/* The FPDU of frame 8 begins after 54 octets of headers. Its first Marker follows 52 octets later, where the
 * 512th octet of the stream is reached. The last octets of its 518 are the CRC. */
static void test_fields_beside_markers_highlight_their_octets(void **state) {
    char *pdml =
        iw_tshark_run("-2 -r %s/captures/synth/markers.pcapng -Y frame.number==8 -T pdml", SOURCE_DIR);

    (void)state;
    assert_place(pdml, "iwarp.mpa.ulpdu_length", 54, 2);
    assert_place(pdml, "iwarp.mpa.marker.reserved", 106, 2);
    assert_place(pdml, "iwarp.mpa.marker.fpduptr", 108, 2);
    assert_place(pdml, "iwarp.ddp.tagged", 56, 1);
    assert_place(pdml, "iwarp.ddp.msn", 66, 4);
    assert_place(pdml, "iwarp.rdmap.opcode", 57, 1);
    assert_place(pdml, "iwarp.mpa.pad", 513, 1);
    assert_place(pdml, "iwarp.mpa.crc", 514, 4);
    free(pdml);
}

/* Raw IP: 40 octets of headers. */
static void test_fields_highlight_their_octets_in_the_packet(void **state) {
    char *pdml = iw_tshark_run("-2 -r %s -Y frame.number==8 -T pdml", stags.path);

    (void)state;
    assert_place(pdml, "iwarp.ddp.rsvdulp", 43, 1);
    assert_place(pdml, "iwarp.rdmap.rv", 43, 1);
    assert_place(pdml, "iwarp.rdmap.rsv", 43, 1);
    assert_place(pdml, "iwarp.rdmap.opcode", 43, 1);
    assert_place(pdml, "iwarp.ddp.qn", 48, 4);
    assert_place(pdml, "iwarp.rdmap.read.sink_stag", 60, 4);
    assert_place(pdml, "iwarp.rdmap.read.sink_to", 64, 8);
    assert_place(pdml, "iwarp.rdmap.read.source_to", 80, 8);
    assert_place(pdml, "iwarp.mpa.crc", 88, 4);
    free(pdml);
}

/* Wireshark prints the position of a field relative to its parent item if that begins later. The Marker of
 * frame 6 precedes the FPDU, at octet 54 of the frame. */
static void test_a_marker_before_the_fpdu_highlights_its_octets(void **state) {
    char *pdml =
        iw_tshark_run("-2 -r %s/captures/vectors/markers.pcap -Y frame.number==6 -T pdml", SOURCE_DIR);

    (void)state;
    assert_place(pdml, "iwarp.mpa.marker.reserved", 54, 2);
    assert_place(pdml, "iwarp.mpa.marker.fpduptr", 56, 2);
    assert_place(pdml, "iwarp.mpa.ulpdu_length", 58, 2);
    free(pdml);
}

static void test_place_of_an_fpdu(void **state) {
    (void)state;
    assert_prints(stags.path,
        "-Y iwarp" FIELDS "-e iwarp.stream -e iwarp.mpa.fpdu_number -e iwarp.mpa.stream_offset",
        "3\t0\t\t0\n4\t0\t\t0\n5\t0\t1\t20\n6\t0\t2\t44\n7\t0\t3\t72\n8\t0\t4\t96\n9\t0\t1\t20\n"
        "10\t0\t2\t44\n");
    /* the second connection between the same addresses */
    assert_shows("oddities/port_reuse.pcap", "-Y iwarp.stream==1" FIELDS "-e tcp.stream",
        "13\t1\n14\t1\n15\t1\n16\t1\n");
}

/* ---- several segments in a frame ---- */

/* An aggregated frame of IEEE 802.11 (9.3.2.2 of the standard) holds up to two TCP segments from the
 * initiator to the responder; sequence numbers begin at `seq`. */
struct msdu {
    uint32_t seq;
    const uint8_t *payload;
    size_t count;
};

static size_t write_msdu(uint8_t *to, const struct msdu *msdu, bool back) {
    static const uint8_t head[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0, 0, 0xAA, 0xAA, 3, 0, 0, 0, 8, 0,
        /* IP */ 0x45, 0, 0, 0, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
        /* TCP */ 0x9C, 0x40, 0x4E, 0x84, 0, 0, 0, 0, 0, 0, 1, 0xF4, 0x50, 0x10, 0xFF, 0xFF, 0, 0, 0, 0};
    static const uint8_t ports_back[] = {0x4E, 0x84, 0x9C, 0x40};

    memcpy(to, head, sizeof head);
    to[13] = (uint8_t)(8 + 40 + msdu->count);
    to[25] = (uint8_t)(40 + msdu->count);
    if (back) {
        to[37] = 2;
        to[41] = 1;
        memcpy(to + 42, ports_back, sizeof ports_back);
    }
    to[48] = (uint8_t)(msdu->seq >> 8);
    to[49] = (uint8_t)msdu->seq;
    memcpy(to + sizeof head, msdu->payload, msdu->count);
    return sizeof head + msdu->count;
}

static void write_aggregate(FILE *file, bool back, const struct msdu *msdus, size_t count) {
    static const uint8_t head[26] = {
        0x88, 0, 0, 0, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 3, 0, 0, 0x80, 0};
    uint8_t frame[512] = {0};
    uint32_t record[4] = {1700000000};
    size_t length = sizeof head;

    memcpy(frame, head, sizeof head);
    for (size_t i = 0; i < count; i++) {
        length += (sizeof head - length) & 3;
        length += write_msdu(frame + length, &msdus[i], back);
    }
    record[2] = record[3] = (uint32_t)length;
    fwrite(record, sizeof record, 1, file);
    fwrite(frame, 1, length, file);
}

/* The Write is in both segments of frame 3, and the Send in the second one. The Read Request is in the first
 * segment of frame 4, and the beginning of a further Send in the second. */
static void test_each_fpdu_is_shown_with_the_segment_that_it_ends_in(void **state) {
    static const uint32_t file_header[] = {0xA1B2C3D4, 4 << 16 | 2, 0, 0, 65535, 105};
    char path[TEMPORARY_PATH];
    FILE *file = fdopen(mkstemp(temporary_path(path, "iw_aggregate")), "wb");
    uint8_t rest[14 + 28];

    (void)state;
    assert_non_null(file);
    memcpy(rest, write_to_stag + 10, 14);
    memcpy(rest + 14, invalidate, 28);
    fwrite(file_header, sizeof file_header, 1, file);
    write_aggregate(file, false, &(struct msdu){100, request, 20}, 1);
    write_aggregate(file, true, &(struct msdu){500, reply, 20}, 1);
    write_aggregate(file, false, (struct msdu[]){{120, write_to_stag, 10}, {130, rest, 42}}, 2);
    write_aggregate(file, false, (struct msdu[]){{172, read_request, 52}, {224, invalidate, 20}}, 2);
    fclose(file);
    assert_prints(path, "-2 -Y iwarp.ddp" FIELDS "-e iwarp.mpa.ulpdu_length -e iwarp.rdmap.opcode",
        "3\t18,22\t0x00,0x04\n4\t46,22\t0x01,0x04\n");
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_wrong_crc_is_bad_and_remarkable),
        cmocka_unit_test(test_a_middle_piece_of_an_fpdu_is_labelled),
        cmocka_unit_test(test_the_middle_of_an_fpdu_is_mpa),
        cmocka_unit_test(test_the_beginning_of_a_startup_frame_is_labelled),
        cmocka_unit_test(test_fields_beside_markers_highlight_their_octets),
        cmocka_unit_test(test_fields_highlight_their_octets_in_the_packet),
        cmocka_unit_test(test_a_marker_before_the_fpdu_highlights_its_octets),
        cmocka_unit_test(test_place_of_an_fpdu),
        cmocka_unit_test(test_each_fpdu_is_shown_with_the_segment_that_it_ends_in),
    };

    return cmocka_run_group_tests(tests, write_captures, remove_captures);
}
