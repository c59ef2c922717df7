/* Upper protocols in tshark: recorded connections of the corpus, and cases that these lack. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "iw_tshark.h"

enum { MESSAGE_MAX = 128, SEGMENT_MAX = 1024 };

/* One pass; two; two with trees in the first as well, as Wireshark does if colouring rules use fields. */
static const char *const passes[] = {"", "-2", "-2 -R ip"};
enum { PASSES = sizeof passes / sizeof *passes };

/* So many frames of a corpus capture match the filter. */
struct matches {
    const char *filter;
    unsigned frames;
};

enum { FILTERS_MAX = 8, FILTERS_LENGTH = 1024 };

/* Expects that for all kinds of passes. One tshark counts the frames of all filters. */
static void assert_frames(const char *capture, const struct matches *expected, size_t count) {
    char filters[FILTERS_LENGTH] = "";

    assert_true(count <= FILTERS_MAX);
    for (size_t k = 0; k < count; k++) {
        assert_true(strlen(filters) + 1 + strlen(expected[k].filter) < sizeof filters);
        strcat(strcat(filters, ","), expected[k].filter);
    }
    for (unsigned i = 0; i < PASSES; i++) {
        char *shown = iw_tshark_run(
            "-q -r %s/captures/ulp/%s.pcap %s -z 'io,stat,0%s'", SOURCE_DIR, capture, passes[i], filters);
        char *cell =
            strstr(shown, "<>"); /* the only row: "| 0.000 <> 2.232 | frames | octets | frames ..." */

        assert_non_null(cell);
        for (size_t k = 0; k < count; k++) {
            unsigned frames = 0, octets = 0;
            int length = 0;

            cell = strchr(cell, '|');
            if (cell == NULL || sscanf(cell, "| %u | %u %n", &frames, &octets, &length) != 2 || length == 0)
                fail_msg("%s %s: tshark counts no frames:\n%s", capture, passes[i], shown);
            if (frames != expected[k].frames)
                fail_msg("%s %s: %u frames with %s, not %u", capture, passes[i], frames, expected[k].filter,
                    expected[k].frames);
            cell += length;
        }
        free(shown);
    }
}

#define MALFORMED "_ws.malformed or _ws.expert.severity == error"

static void test_nfs(void **state) {
    static const struct matches expected[] = {
        {MALFORMED, 0},
        {"rpc.msgtyp == 0 and nfs.opcode == 25", 8}, /* READ */
        {"rpc.msgtyp == 1 and nfs.opcode == 25", 8},
        {"rpc.msgtyp == 1 and nfs.opcode == 38", 5}, /* WRITE */
        {"rpc.msgtyp == 1 and nfs.opcode == 42", 2}, /* EXCHANGE_ID */
        {"frame.protocols == \"eth:ethertype:ip:tcp:iwarp:rpcordma:rpc:nfs\" and frame.number == 525", 1},
    };

    (void)state;
    assert_frames("nfs41_rdma", expected, sizeof expected / sizeof *expected);
}

static void test_smb_direct(void **state) {
    static const struct matches expected[] = {
        /* Wireshark's SPNEGO reports the server's security blob in frame 13 as malformed. */
        {"(" MALFORMED ") and frame.number != 13", 0}, {"smb2.cmd == 0", 2}, /* Negotiate */
        {"smb2.cmd == 8 and smb2.flags.response == 1", 2},                   /* Read */
        {"smb2.cmd == 9 and smb2.flags.response == 1", 2},                   /* Write */
    };

    (void)state;
    assert_frames("smb_direct", expected, sizeof expected / sizeof *expected);
}

static void test_iser(void **state) {
    static const struct matches expected[] = {
        {MALFORMED, 0}, {"rpcordma", 0}, {"iscsi.opcode == 0x03", 2}, /* Login */
        {"iscsi.opcode == 0x23", 2},
        {"iser and scsi_sbc.opcode == 0x2a and iscsi.opcode == 0x01", 3}, /* Write(10) */
    };

    (void)state;
    assert_frames("iser", expected, sizeof expected / sizeof *expected);
}

static void test_nvme(void **state) {
    static const struct matches expected[] = {
        {MALFORMED, 0}, {"nvme.fabrics.cmd.fctype == 1", 4}, /* Connect */
        {"nvme.cmd.opc == 6", 18},                           /* Identify */
        {"nvme.cmd.identify.ctrl.vid", 4},                   /* of a controller, brought by a Write */
    };

    (void)state;
    assert_frames("nvme_rdma_p2p", expected, sizeof expected / sizeof *expected);
}

static void test_without_reassembly(void **state) {
    char *shown =
        iw_tshark_run("-r %s/captures/ulp/nfs41_rdma.pcap -o iwarp.reassemble:FALSE -2 -Y "
                      "'iwarp.ddp.message.segment or (" MALFORMED ") or (frame.number == 493 and rpcordma)'",
            SOURCE_DIR);

    (void)state;
    assert_string_equal(shown, "");
    free(shown);
}

/* ---- hand-made ---- */

static const uint8_t request[20] = "MPA ID Req Frame\x00\x01\x00";
static const uint8_t reply[20] = "MPA ID Rep Frame\x00\x01\x00";

/* A TCP segment being filled with FPDUs; CRC is not in use. */
struct segment {
    uint8_t octets[SEGMENT_MAX];
    size_t count;
    uint8_t msn;
};

static void add_segment(
    struct segment *segment, uint8_t msn, uint8_t mo, bool last, const void *payload, size_t count) {
    const uint8_t header[20] = {
        (uint8_t)((18 + count) >> 8), (uint8_t)(18 + count), last ? 0x41 : 0x01, 0x43, [15] = msn, [19] = mo};
    size_t pad = (4 - (2 + 18 + count) % 4) % 4;

    memcpy(segment->octets + segment->count, header, sizeof header);
    memcpy(segment->octets + segment->count + sizeof header, payload, count);
    memset(segment->octets + segment->count + sizeof header + count, 0, pad + 4);
    segment->count += sizeof header + count + pad + 4;
}

static void add_send(struct segment *segment, const void *payload, size_t count) {
    add_segment(segment, ++segment->msn, 0, true, payload, count);
}

static void begin(struct iw_tshark_capture *capture, uint16_t port) {
    iw_tshark_open(capture);
    iw_tshark_connect(capture, port);
    iw_tshark_say(capture, false, request, sizeof request);
    iw_tshark_say(capture, true, reply, sizeof reply);
}

static void say(struct iw_tshark_capture *capture, bool back, struct segment *segment) {
    iw_tshark_say(capture, back, segment->octets, segment->count);
    segment->count = 0;
}

/* Returns the output of tshark for the capture, which must be the same for all kinds of passes; the caller
 * frees it. */
static char *show(const struct iw_tshark_capture *capture, const char *filter, const char *fields) {
    char *first = NULL;

    for (unsigned i = 0; i < PASSES; i++) {
        char *shown = iw_tshark_run("-r %s %s -Y '%s' -T fields -E separator=/s -E occurrence=a %s",
            capture->path, passes[i], filter, fields);

        if (first == NULL) {
            first = shown;
            continue;
        }
        assert_string_equal(shown, first);
        free(shown);
    }
    return first;
}

static void assert_shown(
    const struct iw_tshark_capture *capture, const char *filter, const char *fields, const char *expected) {
    char *shown = show(capture, filter, fields);

    assert_string_equal(shown, expected);
    free(shown);
}

/* RPC-over-RDMA header, no chunks, RPC call of NFS version 4, procedure 0, without credentials. */
static const uint8_t null_call[68] = {0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 32, 0, 0, 0, 0, [28] = 0, 0, 0, 7, 0,
    0, 0, 0, 0, 0, 0, 2, 0, 1, 0x86, 0xa3, 0, 0, 0, 4};

/* Frames 1 to 4 are the beginning of TCP and MPA. */
static void test_only_rpc_is_passed_to_rpc(void **state) {
    static const uint8_t header_only[16] = {0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 32, 0, 0, 0, 1};
    struct iw_tshark_capture capture;
    struct segment segment = {.count = 0};

    (void)state;
    begin(&capture, 20100);
    add_send(&segment, "abc", 3); /* not an RPC message */
    say(&capture, false, &segment);
    add_send(&segment, null_call, sizeof null_call);
    say(&capture, false, &segment);
    add_send(&segment, "xyz", 3);
    add_send(&segment, header_only, sizeof header_only);
    say(&capture, false, &segment);
    iw_tshark_close(&capture);
    assert_shown(&capture, "iwarp.payload", "-e frame.number -e rpcordma.xid", "5 \n6 0x00000007\n7 \n");
    assert_shown(&capture, MALFORMED, "-e frame.number", "");
    iw_tshark_remove(&capture);
}

/* The call ends within its version; the next FPDU is still shown. */
static void test_a_malformed_message_ends_there(void **state) {
    struct iw_tshark_capture capture;
    struct segment segment = {.count = 0};

    (void)state;
    begin(&capture, 20100);
    add_send(&segment, null_call, 46);
    add_send(&segment, null_call, sizeof null_call);
    say(&capture, false, &segment);
    iw_tshark_close(&capture);
    assert_shown(&capture, "_ws.malformed", "-e frame.number -e iwarp.ddp.msn -e rpc.procedure", "5 1,2 0\n");
    iw_tshark_remove(&capture);
}

/* A call that offers a reply chunk of 24 octets, the reply in that chunk, and the Send that reports it. */
struct chunk_call {
    uint8_t call[88];
    uint8_t reply[24];
    uint8_t done[48];
};

static void make_chunk_call(struct chunk_call *made, uint8_t xid) {
    const uint8_t chunk[20] = {0, 0, 0, 1, 0, 0, 0, xid, 0, 0, 0, 24, [18] = 1}; /* STag = XID, TO 100h */

    memset(made, 0, sizeof *made);
    memcpy(made->call, null_call, 24);
    made->call[3] = made->call[51] = made->reply[3] = made->done[3] = xid;
    made->call[27] = made->done[27] = 1;
    memcpy(made->call + 28, chunk, sizeof chunk);
    memcpy(made->call + 52, null_call + 32, 16);
    made->reply[7] = 1; /* a reply: accepted, without verifier, success */
    memcpy(made->done + 4, null_call + 4, 8);
    made->done[15] = 1; /* no message inside */
    memcpy(made->done + 28, chunk, sizeof chunk);
}

static void add_write(struct segment *segment, uint8_t stag, const void *payload, uint8_t count) {
    const uint8_t header[16] = {0, (uint8_t)(14 + count), 0xC1, 0x40, 0, 0, 0, stag, [14] = 1};

    memcpy(segment->octets + segment->count, header, sizeof header);
    memcpy(segment->octets + segment->count + sizeof header, payload, count);
    memset(segment->octets + segment->count + sizeof header + count, 0, 4);
    segment->count += sizeof header + count + 4;
}

/* RPC over RDMA's dissector stores a message as per-frame data: each message of the frame must get its own
 * data. */
static void test_messages_of_one_frame_are_apart(void **state) {
    struct iw_tshark_capture capture;
    struct segment calls = {.count = 0}, replies = {.count = 0};
    struct chunk_call one, other;

    (void)state;
    make_chunk_call(&one, 7);
    make_chunk_call(&other, 8);
    begin(&capture, 20100);
    add_send(&calls, one.call, sizeof one.call);
    add_send(&calls, other.call, sizeof other.call);
    say(&capture, false, &calls);
    add_write(&replies, 7, one.reply, sizeof one.reply);
    add_write(&replies, 8, other.reply, sizeof other.reply);
    add_send(&replies, one.done, sizeof one.done);
    add_send(&replies, other.done, sizeof other.done);
    say(&capture, true, &replies);
    iw_tshark_close(&capture);
    assert_shown(&capture, "rpc", "-e frame.number -e rpcordma.xid -e rpc.xid -e rpc.msgtyp",
        "5 0x00000007,0x00000008 0x00000007,0x00000008 0,0\n6 0x00000007,0x00000008 0x00000007,0x00000008 "
        "1,1\n");
    assert_shown(&capture, MALFORMED, "-e frame.number", "");
    iw_tshark_remove(&capture);
}

/* The second segment comes before the first, in one TCP segment with another message. */
static void test_segments_out_of_order(void **state) {
    struct iw_tshark_capture capture;
    struct segment segment = {.count = 0};

    (void)state;
    begin(&capture, 20100);
    add_segment(&segment, 1, 40, true, null_call + 40, sizeof null_call - 40);
    add_segment(&segment, 2, 0, false, "abc", 3);
    say(&capture, false, &segment);
    add_segment(&segment, 1, 0, false, null_call, 40);
    say(&capture, false, &segment);
    iw_tshark_close(&capture);
    assert_shown(&capture, "rpcordma", "-e frame.number -e rpcordma.xid -e iwarp.ddp.message.octets",
        "6 0x00000007 68\n");
    assert_shown(&capture, "iwarp.ddp.message.segment", "-e iwarp.ddp.message.segment", "6,5\n");
    iw_tshark_remove(&capture);
}

/* An RDMA Write of two segments; the first one has a frame of its own. */
static void say_write(struct iw_tshark_capture *capture) {
    static const uint8_t first[24] = {
        0x00, 0x12, 0x81, 0x40, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0x40, 'a', 'b', 'c', 'd'};
    static const uint8_t last[24] = {
        0x00, 0x12, 0xC1, 0x40, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0x44, 'e', 'f', 'g', 'h'};

    iw_tshark_say(capture, false, first, sizeof first);
    iw_tshark_say(capture, false, last, sizeof last);
}

/* No known protocol uses complete Writes, so the message is shown without its octets; a preference keeps
 * them. */
static void test_a_write_without_a_ulp(void **state) {
    struct iw_tshark_capture capture;
    char *shown;

    (void)state;
    begin(&capture, 20100);
    say_write(&capture);
    iw_tshark_close(&capture);
    assert_shown(&capture, "iwarp.ddp.message.segment",
        "-e frame.number -e iwarp.ddp.message.segment -e iwarp.ddp.message.octets", "6 5,6 8\n");
    shown = iw_tshark_run("-2 -r %s -V -x", capture.path);
    assert_null(strstr(shown, "Reassembled RDMAP message"));
    free(shown);
    shown = iw_tshark_run("-2 -r %s -V -x -o iwarp.keep_tagged:TRUE", capture.path);
    assert_non_null(strstr(shown, "Reassembled RDMAP message (8 bytes):\n0000  61 62 63 64 65 66 67 68"));
    free(shown);
    iw_tshark_remove(&capture);
}

/* A gap is reported, and the message is not reassembled. */
static void test_a_message_with_a_gap(void **state) {
    struct iw_tshark_capture capture;
    struct segment segment = {.count = 0};
    char *details;

    (void)state;
    begin(&capture, 20100);
    add_segment(&segment, 1, 0, false, null_call, 20);
    add_segment(&segment, 1, 40, true, null_call + 40, sizeof null_call - 40);
    say(&capture, false, &segment);
    iw_tshark_close(&capture);
    assert_shown(
        &capture, "iwarp.ddp.message.missing", "-e frame.number -e iwarp.ddp.message.missing", "5 20\n");
    assert_shown(&capture, "rpcordma or iwarp.ddp.message.segment", "-e frame.number", "");
    details = iw_tshark_run("-r %s -V", capture.path);
    assert_non_null(strstr(details, " [Message incomplete: 20 octets missing]\n"));
    free(details);
    iw_tshark_remove(&capture);
}

/* A second connection with the same addresses, ports and XID: its call is not a retransmission. */
static void test_the_next_connection_knows_nothing_of_the_one_before(void **state) {
    struct iw_tshark_capture capture;
    struct segment segment = {.count = 0};

    (void)state;
    begin(&capture, 20100);
    add_send(&segment, null_call, sizeof null_call);
    say(&capture, false, &segment);
    iw_tshark_connect(&capture, 20100);
    iw_tshark_say(&capture, false, request, sizeof request);
    iw_tshark_say(&capture, true, reply, sizeof reply);
    segment.msn = 0;
    add_send(&segment, null_call, sizeof null_call);
    say(&capture, false, &segment);
    iw_tshark_close(&capture);
    assert_shown(&capture, "rpc", "-e frame.number -e rpc.dup", "5 \n10 \n");
    iw_tshark_remove(&capture);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nfs),
        cmocka_unit_test(test_smb_direct),
        cmocka_unit_test(test_iser),
        cmocka_unit_test(test_nvme),
        cmocka_unit_test(test_without_reassembly),
        cmocka_unit_test(test_only_rpc_is_passed_to_rpc),
        cmocka_unit_test(test_a_malformed_message_ends_there),
        cmocka_unit_test(test_messages_of_one_frame_are_apart),
        cmocka_unit_test(test_segments_out_of_order),
        cmocka_unit_test(test_a_write_without_a_ulp),
        cmocka_unit_test(test_a_message_with_a_gap),
        cmocka_unit_test(test_the_next_connection_knows_nothing_of_the_one_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
