#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <cmocka.h>

#include "iw_hex.h"
#include "iw_relay_capture_test.h"
#include "iw_relay_test.h"
#include "iw_temporary_test.h"
#include "iw_vector.h"

/* Impairments, as the capture of the relay shows them: the first connection has what the peers have sent, the
 * second has exactly the wanted changes. Streams are texts of words: a vector of vectors.json, N*VECTOR, or
 * octets in hexadecimal. The first word of each direction is its startup frame. */

enum { RULES_MAX = 3, WORD_OCTETS = 2048, STREAM_OCTETS = 1 << 16 };

static struct iw_vector_set vectors;
static struct relay_test test;
static struct iw_relay_rule rules[RULES_MAX];
static char path[TEMPORARY_PATH];
static unsigned impaired, unfit;

struct stream {
    uint8_t octets[STREAM_OCTETS];
    size_t length, startup;
};

static void append_word(struct stream *stream, const char *word) {
    const struct iw_vector *vector = iw_vector_find(&vectors, word);

    if (vector != NULL) {
        memcpy(stream->octets + stream->length, vector->octets, vector->length);
        stream->length += vector->length;
        return;
    }
    assert_int_equal(strlen(word) % 2, 0);
    for (; *word != '\0'; word += 2)
        stream->octets[stream->length++] = (uint8_t)(iw_hex_digit(word[0]) << 4 | iw_hex_digit(word[1]));
}

static void read_stream(const char *text, struct stream *stream) {
    char word[WORD_OCTETS];
    int used;

    memset(stream, 0, sizeof *stream);
    for (; sscanf(text, "%2047s%n", word, &used) == 1; text += used) {
        char *times = strchr(word, '*');

        for (int i = 0; i < (times == NULL ? 1 : atoi(word)); i++)
            append_word(stream, times == NULL ? word : times + 1);
        if (stream->startup == 0)
            stream->startup = stream->length;
    }
}

static void take_note(void *user, const struct iw_relay_note *note) {
    (void)user;
    impaired += note->kind == IW_RELAY_IMPAIRED;
    unfit += note->kind == IW_RELAY_UNFIT;
}

/* Begins a relay with these rules, separated by blanks. */
static struct iw_recorder *begin(const char *text, const char *repair, uint64_t seed) {
    static char words[RULES_MAX][256];
    char error[IW_RECORDER_TEXT_OCTETS];
    struct iw_recorder *recorder;
    unsigned count = 0;
    int used;

    for (; sscanf(text, "%255s%n", words[count], &used) == 1; text += used) {
        if (!iw_relay_rule_parse(words[count], &rules[count], error))
            fail_msg("%s: %s", words[count], error);
        count++;
    }
    impaired = unfit = 0;
    close(mkstemp(temporary_path(path, "iw_relay_impair_test")));
    recorder = iw_recorder_open(path, NULL, error);
    assert_non_null(recorder);
    test = (struct relay_test){
        .config = {
            .recorders = {recorder}, .rules = rules, .rule_count = count, .seed = seed, .note = take_note}};
    if (repair != NULL)
        assert_true(iw_relay_repair_parse(repair, &test.config.repair));
    relay_test_start(&test);
    return recorder;
}

static struct captured *end(struct iw_recorder *recorder) {
    struct captured *captured;

    relay_test_join(&test);
    relay_test_free(&test);
    assert_int_equal(iw_recorder_close(recorder, NULL), IW_OK);
    captured = captured_read(path);
    unlink(path);
    return captured;
}

/* All at once, or each octet in a segment of its own. A relay that has reset the connection takes no more. */
static void write_stream(int descriptor, const uint8_t *octets, size_t length, bool one_by_one) {
    size_t piece = one_by_one ? 1 : length;
    int on = 1;

    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    for (size_t at = 0; at < length; at += piece)
        if (send(descriptor, octets + at, piece, MSG_NOSIGNAL) < 0)
            return;
}

static void read_to_end(int descriptor) {
    uint8_t octets[4096];

    do
        relay_test_await(descriptor, POLLIN);
    while (recv(descriptor, octets, sizeof octets, 0) > 0);
}

static void hold_conversation(const struct stream sent[2], const struct stream expected[2], bool one_by_one) {
    uint8_t startup[1024];
    int initiator = relay_test_connect(&test), device = relay_test_accept(&test);

    write_stream(initiator, sent[0].octets, sent[0].startup, one_by_one);
    relay_test_read(device, startup, expected[0].startup);
    write_stream(device, sent[1].octets, sent[1].startup, one_by_one);
    relay_test_read(initiator, startup, expected[1].startup);
    write_stream(initiator, sent[0].octets + sent[0].startup, sent[0].length - sent[0].startup, one_by_one);
    write_stream(device, sent[1].octets + sent[1].startup, sent[1].length - sent[1].startup, one_by_one);
    shutdown(initiator, SHUT_WR);
    shutdown(device, SHUT_WR);
    read_to_end(device);
    read_to_end(initiator);
    close(initiator);
    close(device);
}

struct row {
    const char *rules, *repair;
    const char *sent[2];     /* NULL: as in the first row */
    const char *expected[2]; /* NULL: as sent */
};

#define A "M01 F07 F03 F01"
#define B "M03 F05 F12"

static void assert_octets(const char *what, const struct row *row, const struct captured_stream *found,
    const struct stream *expected) {
    if (found->length != expected->length || memcmp(found->octets, expected->octets, found->length) != 0) {
        for (size_t i = 0; i < found->length; i++)
            printf("%02x", found->octets[i]);
        fail_msg(" are the %zu octets of %s with %s, expected %zu", found->length, what, row->rules,
            expected->length);
    }
    assert_int_equal(found->others, 0);
}

/* Runs a row and returns its capture. */
static struct captured *run(const struct row *row, bool one_by_one) {
    struct iw_recorder *recorder = begin(row->rules, row->repair, 1);
    static struct stream sent[2], expected[2];
    struct captured *captured;

    for (int side = 0; side < 2; side++) {
        const char *text = row->sent[side] != NULL ? row->sent[side] : side == 0 ? A : B;

        read_stream(text, &sent[side]);
        read_stream(row->expected[side] != NULL ? row->expected[side] : text, &expected[side]);
    }
    hold_conversation(sent, expected, one_by_one);
    captured = end(recorder);
    assert_int_equal(captured->flows, 2);
    assert_octets("the initiator", row, &captured->stream[0][IW_SIDE_A], &sent[0]);
    assert_octets("the relay to the device", row, &captured->stream[1][IW_SIDE_A], &expected[0]);
    assert_octets("the device", row, &captured->stream[1][IW_SIDE_B], &sent[1]);
    assert_octets("the relay to the initiator", row, &captured->stream[0][IW_SIDE_B], &expected[1]);
    assert_int_equal(unfit, 0);
    return captured;
}

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
        "at=send,cut=28:1", "at=send,set=mpa.ird:1", "at=rdma-write,flip=pad"};
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

static void resets_both_connections(void **state) {
    struct iw_recorder *recorder = begin("at=send,reset", NULL, 1);
    const struct row row = {.rules = "at=send,reset"};
    static struct stream sent, expected;
    struct captured *captured;
    int initiator, device;

    (void)state;
    read_stream("M01 F07", &sent);
    read_stream("M01 F07", &expected);
    initiator = relay_test_connect(&test);
    device = relay_test_accept(&test);
    relay_test_write(initiator, sent.octets, sent.length);
    relay_test_write(device, iw_vector_find(&vectors, "M03")->octets, 20);
    read_to_end(initiator);
    read_to_end(device);
    captured = end(recorder);
    assert_octets("the relay to the device", &row, &captured->stream[1][IW_SIDE_A], &expected);
    assert_int_equal(captured->stream[0][IW_SIDE_B].rsts, 1);
    assert_int_equal(captured->stream[1][IW_SIDE_A].rsts, 1);
    assert_int_equal(captured->stream[0][IW_SIDE_A].rsts + captured->stream[1][IW_SIDE_B].rsts, 0);
    captured_free(captured);
    close(initiator);
    close(device);
}

/* Time between two octets of a stream, in ms. */
static uint64_t time_between(const struct captured_stream *stream, size_t from, size_t to) {
    return (captured_time(stream, to) - captured_time(stream, from)) / 1000000;
}

static void divides_a_unit_into_writes_with_pauses(void **state) {
    const struct row row = {.rules = "at=send,segment=8,pause=20"};
    struct captured *captured = run(&row, false);
    const struct captured_stream *stream = &captured->stream[1][IW_SIDE_A];

    (void)state;
    for (size_t at = 20; at < 52; at += 8) {
        assert_true(captured_begins(stream, at));
        assert_true(at == 20 || time_between(stream, at - 8, at) >= 20);
    }
    assert_false(captured_begins(stream, 24));
    captured_free(captured);
}

static void delays_a_unit_and_what_follows(void **state) {
    const struct row row = {.rules = "at=rdma-read-request,delay=50"};
    struct captured *captured = run(&row, false);
    const struct captured_stream *stream = &captured->stream[1][IW_SIDE_A];

    (void)state;
    assert_true(time_between(stream, 51, 52) >= 50);
    captured_free(captured);
}

static void stops_to_read_for_a_time(void **state) {
    const struct row row = {.rules = "at=startup,direction=initiator,stop=50"};
    struct captured *captured = run(&row, false);

    (void)state;
    assert_true(
        time_between(&captured->stream[0][IW_SIDE_A], 19, 20) >= 45); /* since the Reply, a bit less */
    captured_free(captured);
}

static int filler, reader;

enum { SENDS = 64 }; /* in one write */

/* Starts up, and passes `writes` writes of SENDS Sends, one after the other. */
static void exchange(unsigned writes) {
    const struct iw_vector *request = iw_vector_find(&vectors, "M01"),
                           *reply = iw_vector_find(&vectors, "M03");
    static struct stream sends;
    static uint8_t octets[STREAM_OCTETS];

    read_stream("64*F07", &sends);
    filler = relay_test_connect(&test);
    reader = relay_test_accept(&test);
    relay_test_write(filler, request->octets, request->length);
    relay_test_read(reader, octets, request->length);
    relay_test_write(reader, reply->octets, reply->length);
    relay_test_read(filler, octets, reply->length);
    for (unsigned i = 0; i < writes; i++) {
        relay_test_write(filler, sends.octets, sends.length);
        relay_test_read(reader, octets, sends.length);
    }
}

/* Writes until TCP takes no more. Returns the octets that the relay's TCP has acknowledged, and not read. */
static size_t fill(void) {
    static const uint8_t more[1 << 16];
    struct pollfd wanted = {.fd = filler, .events = POLLOUT};
    size_t accepted = 0;
    int waiting = 0;

    while (poll(&wanted, 1, 1000) == 1 && accepted < 64u << 20) {
        ssize_t count = send(filler, more, sizeof more, MSG_DONTWAIT | MSG_NOSIGNAL);

        accepted += count > 0 ? (size_t)count : 0;
    }
    assert_int_equal(ioctl(filler, TIOCOUTQ, &waiting), 0);
    return accepted - (size_t)waiting;
}

static void stops_to_read_for_ever(void **state) {
    struct iw_recorder *recorder = begin("at=send#64,stop", NULL, 1);
    struct captured *captured;

    (void)state;
    exchange(1);
    assert_in_range(fill(), 1, 16 << 20);
    captured = end(recorder);
    assert_int_equal(captured->stream[0][IW_SIDE_A].length, 20 + SENDS * 32);
    assert_int_equal(captured->stream[1][IW_SIDE_A].length, 20 + SENDS * 32);
    captured_free(captured);
    close(filler);
    close(reader);
}

/* What was offered before is used up first; then TCP takes no more than the window. */
static void limits_the_window_of_a_sender(void **state) {
    struct iw_recorder *recorder =
        begin("at=startup,direction=initiator,window=2304 at=send#6400,stop", NULL, 1);

    (void)state;
    exchange(100);
    assert_in_range(fill(), 1, 4608);
    captured_free(end(recorder));
    close(filler);
    close(reader);
}

static int set_up(void **state) {
    (void)state;
    return iw_vector_set_init(&vectors, WARPCHECK_SOURCE_DIR "/core/wire/testdata/vectors.json") ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    iw_vector_set_dispose(&vectors);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_exactly_the_wanted_octets),
        cmocka_unit_test(finds_units_however_tcp_divides_them),
        cmocka_unit_test(says_what_does_not_fit),
        cmocka_unit_test(repeats_a_run_by_its_seed),
        cmocka_unit_test(resets_both_connections),
        cmocka_unit_test(divides_a_unit_into_writes_with_pauses),
        cmocka_unit_test(delays_a_unit_and_what_follows),
        cmocka_unit_test(stops_to_read_for_a_time),
        cmocka_unit_test(stops_to_read_for_ever),
        cmocka_unit_test(limits_the_window_of_a_sender),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
