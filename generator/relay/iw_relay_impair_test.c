#include <errno.h>
#include <signal.h>

#include "iw_relay_impair_test.h"

/* What becomes of the octets of units. */

/* The first segment of a Write: as F01, but with L=0 and four octets. */
#define PART_OF_WRITE "00128140112233440000000100002000a0a1a2a30c2b816b"

/* Rows that change octets. The repaired CRCs are those of other vectors. */
static const struct row rows[] = {
    {"at=send#2,drop", NULL, {NULL, NULL}, {NULL, NULL}},
    /* flip */
    {"at=send,flip=payload:0:0x01", NULL, {NULL, NULL},
        {"M01 001741430000000000000000000000010000000069656c6c6f000000b990b10c F03 F01", NULL}},
    {"at=send,flip=header:17:0x01", NULL, {NULL, NULL},
        {"M01 001741430000000000000000000000010000000168656c6c6f000000b990b10c F03 F01", NULL}},
    {"at=send,flip=length:0:0x80", NULL, {NULL, NULL},
        {"M01 801741430000000000000000000000010000000068656c6c6f000000b990b10c F03 F01", NULL}},
    {"at=send,flip=pad:2:0xff", NULL, {NULL, NULL},
        {"M01 001741430000000000000000000000010000000068656c6c6f0000ffb990b10c F03 F01", NULL}},
    {"at=send,flip=crc:3:0x01", NULL, {NULL, NULL}, {"M01 F37 F03 F01", NULL}},
    {"at=fpdu,direction=initiator,flip=marker:3:0x01", NULL, {"M01 K01", "M10 F05"},
        {"M01 00000001002a41430000000000000000000000010000000000000000000000000000000000000000000000000000000"
         "052239983",
            NULL}},
    /* set, and the CRC */
    {"at=send,set=ddp.qn:7", NULL, {NULL, NULL},
        {"M01 001741430000000000000007000000010000000068656c6c6f000000b990b10c F03 F01", NULL}},
    {"at=send,set=ddp.qn:7", "crc", {NULL, NULL}, {"M01 F43 F03 F01", NULL}},
    {"at=send,set=ddp.dv:0", "crc", {NULL, NULL}, {"M01 F41 F03 F01", NULL}},
    {"at=send,set=rdmap.rv:2", "crc", {NULL, NULL}, {"M01 F42 F03 F01", NULL}},
    /* a repaired CRC may be wrong nevertheless */
    {"at=fpdu,direction=initiator,set=ddp.qn:0,flip=crc:3:0x01", "crc", {NULL, NULL},
        {"M01 F37 F03 F01", NULL}},
    /* startup */
    {"at=startup,direction=initiator,set=mpa.ird:4", NULL, {"M05 F07", "M06 F05"},
        {"4d504120494420526571204672616d6550020008c004c00861626364 F07", NULL}},
    {"at=startup,direction=responder,set=mpa.ord:2", NULL, {"M05 F07", "M06 F05"},
        {NULL, "4d504120494420526570204672616d65500200048008c002 F05"}},
    {"at=startup,direction=responder,set=mpa.r:1,set=mpa.c:0", NULL, {NULL, NULL},
        {NULL, "4d504120494420526570204672616d6520010000 F05 F12"}},
    {"at=startup,direction=initiator,set=mpa.rev:7,set=mpa.s:1", NULL, {NULL, NULL},
        {"4d504120494420526571204672616d6550070000 F07 F03 F01", NULL}},
    {"at=startup,direction=initiator,private=6869", NULL, {"M05 F07", "M06 F05"},
        {"4d504120494420526571204672616d6550020006c010c0086869 F07", NULL}},
    {"at=startup,direction=initiator,private=", NULL, {"M02 F07", "M03 F05"},
        {"4d504120494420526571204672616d65c0010000 F07", NULL}},
    {"at=startup,direction=initiator,flip=header:0:0x20", NULL, {NULL, NULL},
        {"6d504120494420526571204672616d6540010000 F07 F03 F01", NULL}},
    /* The device sends Markers because the relay has set M, which the initiator has not. */
    {"at=startup,direction=initiator,set=mpa.m:1 at=fpdu#2,direction=responder,drop", NULL,
        {"M01 F07", "M03 K01 F05"}, {"4d504120494420526571204672616d65c0010000 F07", "M03 K01"}},
    /* cut and insert */
    {"at=send,cut=20:5", NULL, {NULL, NULL},
        {"M01 0017414300000000000000000000000100000000000000b990b10c F03 F01", NULL}},
    {"at=send,cut=20:5", "length,crc", {NULL, NULL}, {"M01 F08 F03 F01", NULL}},
    {"at=send,insert=20:ffee", NULL, {NULL, NULL},
        {"M01 0017414300000000000000000000000100000000ffee68656c6c6f000000b990b10c F03 F01", NULL}},
    {"at=send,insert=20:68656c6c6f", "length,crc", {"M01 F08 F03", NULL}, {"M01 F07 F03", NULL}},
    /* Markers stay before the octet that they precede ... */
    {"at=fpdu#18,direction=initiator,insert=2:ff", NULL, {"M01 K01 16*F01 K06 F01", "M10 F05"},
        {"M01 K01 16*F01 0016ffc14011223344000000010000000c00002000a0a1a2a3a4a5a6a71a41d0fb F01", NULL}},
    {"at=fpdu#18,direction=initiator,cut=2:1", NULL, {"M01 K01 16*F01 K06 F01", "M10 F05"},
        {"M01 K01 16*F01 00164011223344000000010000000c00002000a0a1a2a3a4a5a6a71a41d0fb F01", NULL}},
    {"at=fpdu#2,direction=initiator,drop", NULL, {"M01 K01 16*F01 K06", "M10 F05"},
        {"M01 K01 15*F01 K06", NULL}},
    /* ... or are where they must be, with the CRC that covers them. */
    {"at=fpdu#2,direction=initiator,drop", "markers", {"M01 K01 16*F01 K06", "M10 F05"},
        {"M01 K01 15*F01 F01", NULL}},
    {"at=fpdu#2,direction=initiator,repeat", "markers", {"M01 K01 15*F01 F01", "M10 F05"},
        {"M01 K01 16*F01 K06", NULL}},
    /* The CRC of a later FPDU stays wrong if it was. */
    {"at=fpdu#2,direction=initiator,drop", "markers",
        {"M01 K01 16*F01 0016c14011223344000000010000000c00002000a0a1a2a3a4a5a6a71a41d0fa", "M10 F05"},
        {"M01 K01 15*F01 0016c140112233440000000100002000a0a1a2a3a4a5a6a781bdd343", NULL}},
    /* order */
    {"at=fpdu#2,direction=initiator,drop", NULL, {NULL, NULL}, {"M01 F07 F01", NULL}},
    {"at=fpdu,direction=initiator,swap", NULL, {NULL, NULL}, {"M01 F03 F07 F01", NULL}},
    {"at=rdma-write,swap", NULL, {NULL, NULL}, {NULL, NULL}},
    {"at=rdma-read-request,repeat=2", NULL, {NULL, NULL}, {"M01 F07 3*F03 F01", NULL}},
    {"at=terminate,drop", NULL, {NULL, NULL}, {NULL, "M03 F05"}},
    /* conditions: a Send without payload, a Read Request for no octet, and messages of two segments do not
       fit */
    {"at=send,with=payload,drop", NULL, {"M01 F08 F07 F01", NULL}, {"M01 F08 F01", NULL}},
    {"at=rdma-write,with=payload,drop", NULL, {"M01 F02 F01", NULL}, {"M01 F02", NULL}},
    {"at=rdma-read-request,with=payload,drop", NULL, {"M01 F07 F04 F03", NULL}, {"M01 F07 F04", NULL}},
    {"at=send#2,with=message,drop", NULL, {"M01 F07 F38 F39 F08", NULL}, {"M01 F07 F38 F39", NULL}},
    {"at=rdma-write,with=message,drop", NULL, {"M01 " PART_OF_WRITE " F01 F07 F01", NULL},
        {"M01 " PART_OF_WRITE " F01 F07", NULL}},
    {"at=fpdu+60,direction=initiator,drop", NULL, {NULL, NULL}, {"M01 F07 F03", NULL}},
    {"at=fpdu#*,direction=initiator,drop", NULL, {NULL, NULL}, {"M01", NULL}},
    {"at=fpdu,direction=initiator,drop at=fpdu#2,direction=initiator,repeat", NULL, {NULL, NULL},
        {"M01 2*F03 F01", NULL}},
    {"direction=initiator,drop,chance=100%", NULL, {NULL, NULL}, {"M01", NULL}},
    /* the end */
    {"at=send,close", NULL, {NULL, NULL}, {"M01 F07", NULL}},
};

static void changes_exactly_the_wanted_octets(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct captured *captured = run(&rows[i], false);

        for (int flow = 0; flow < 2; flow++)
            for (int side = 0; side < 2; side++) {
                assert_int_equal(captured->stream[flow][side].fins, 1);
                assert_int_equal(captured->stream[flow][side].rsts, 0);
            }
        captured_free(captured);
        if (i > 0 && impaired == 0)
            fail_msg("%s: not applied", rows[i].rules);
    }
}

static void finds_units_however_tcp_divides_them(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        captured_free(run(&rows[i], true));
}

static void says_what_does_not_fit(void **state) {
    static const char *const unfitting[] = {"at=send,flip=payload:5:1", "at=send,flip=marker",
        "at=send,cut=28:1", "at=send,set=rdmap.opcode:16", "at=rdma-write,flip=pad", "at=send,set=ddp.msn:1"};
    static struct stream streams[2];

    (void)state;
    read_stream(A, &streams[0]);
    read_stream(B, &streams[1]);
    for (size_t i = 0; i < sizeof unfitting / sizeof *unfitting; i++) {
        struct iw_recorder *recorder = begin(unfitting[i], NULL, 1);
        const struct row row = {.rules = unfitting[i]};
        struct captured *captured;

        hold_conversation(streams, streams, false);
        captured = end(recorder);
        assert_octets("the relay to the device", &row, &captured->stream[1][IW_SIDE_A], &streams[0]);
        assert_int_equal(unfit, 1);
        assert_int_equal(impaired, 0);
        captured_free(captured);
    }
}

/* One bit of the payload of about half of 64 FPDUs. Returns what the device gets; the caller frees it. */
static struct captured *run_seed(uint64_t seed) {
    struct iw_recorder *recorder = begin("at=send,flip=payload,chance=50%", NULL, seed);
    static struct stream sent[2];
    struct captured *captured;

    read_stream("M01 64*F07", &sent[0]);
    read_stream("M03", &sent[1]);
    hold_conversation(sent, sent, false);
    captured = end(recorder);
    assert_int_equal(captured->stream[1][IW_SIDE_A].length, sent[0].length);
    for (unsigned i = 0, changed = 0; i < 64; i++) {
        const uint8_t *was = sent[0].octets + sent[0].startup + i * 32;
        const uint8_t *is = captured->stream[1][IW_SIDE_A].octets + sent[0].startup + i * 32;
        unsigned bits = 0;

        for (int octet = 0; octet < 32; octet++)
            bits += (unsigned)__builtin_popcount(was[octet] ^ is[octet]);
        assert_memory_equal(is, was, 20);
        assert_memory_equal(is + 25, was + 25, 7);
        assert_true(bits <= 1);
        changed += bits;
        assert_true(i < 63 || (changed == impaired && changed > 16 && changed < 48));
    }
    return captured;
}

static void repeats_a_run_by_its_seed(void **state) {
    struct captured *first = run_seed(7), *again = run_seed(7), *other = run_seed(8);
    const struct captured_stream *stream = &first->stream[1][IW_SIDE_A];

    (void)state;
    assert_memory_equal(stream->octets, again->stream[1][IW_SIDE_A].octets, stream->length);
    assert_memory_not_equal(stream->octets, other->stream[1][IW_SIDE_A].octets, stream->length);
    captured_free(first);
    captured_free(again);
    captured_free(other);
}

/* A dropped unit moves all that follows it. */
static void says_where_the_unit_is_in_both_streams(void **state) {
    const struct row row = {
        .rules = "at=send#2,direction=initiator,drop at=send#3,direction=initiator,repeat",
        .sent = {"M01 4*F07", "M03"},
        .expected = {"M01 4*F07", NULL}};

    (void)state;
    captured_free(run(&row, false));
    assert_int_equal(noted.offset, 20 + 2 * 32);
    assert_int_equal(noted.passed, 20 + 32);
}

static void impairs_connections_by_the_rules_when_they_began(void **state) {
    struct iw_recorder *recorder = begin("at=send,drop", NULL, 1);
    static struct stream streams[2];

    (void)state;
    read_stream(A, &streams[0]);
    read_stream(B, &streams[1]);
    iw_relay_impair(test.relay, NULL, 0, 0);
    hold_conversation(streams, streams, false);
    captured_free(end(recorder));
    assert_int_equal(impaired, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_exactly_the_wanted_octets),
        cmocka_unit_test(finds_units_however_tcp_divides_them),
        cmocka_unit_test(says_what_does_not_fit),
        cmocka_unit_test(repeats_a_run_by_its_seed),
        cmocka_unit_test(says_where_the_unit_is_in_both_streams),
        cmocka_unit_test(impairs_connections_by_the_rules_when_they_began),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
