#include "iw_sctp_carrier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <pcap/pcap.h>

#include "iw_temporary_test.h"
#include "iw_vector.h"

/* What is carried, each chunk as "<side><ppid>" and its octets in hexadecimal; the end of the association. */
struct heard {
    char text[4096];
    size_t length;
};

static struct iw_vector_set vectors;
static char path[TEMPORARY_PATH];
static struct heard heard;
static struct iw_recorder *recorder;
static struct iw_sctp_carrier *carrier;
static uint64_t offset[2];

static void hear_message(void *user, const struct iw_sctp_message *message) {
    struct heard *to = user;

    to->length += (size_t)snprintf(to->text + to->length, sizeof to->text - to->length,
        "%c%u:", message->side == IW_SIDE_A ? 'A' : 'B', message->ppid);
    for (uint32_t i = 0; i < message->captured; i++)
        to->length +=
            (size_t)snprintf(to->text + to->length, sizeof to->text - to->length, "%02x", message->octets[i]);
    to->length += (size_t)snprintf(
        to->text + to->length, sizeof to->text - to->length, "@%u\n", (unsigned)message->frame);
}

static void hear_end(
    void *user, enum iw_session_end end, enum iw_side side, uint64_t frame, uint64_t time_ns) {
    struct heard *to = user;

    (void)time_ns;
    to->length += (size_t)snprintf(to->text + to->length, sizeof to->text - to->length, "%c %s@%u\n",
        side == IW_SIDE_A ? 'A' : 'B', end == IW_SESSION_END_ABORT ? "aborts" : "shuts down",
        (unsigned)frame);
}

static int begin(void **state) {
    static const struct iw_tcp_address addresses[2] = {
        {.octets = {192, 0, 2, 1}, .port = 49152, .version = 4},
        {.octets = {192, 0, 2, 2}, .port = 20100, .version = 4}};
    static const uint32_t tsn[2] = {1000, 0xFFFFFFFF};
    const struct iw_sctp_carrier_handlers handlers = {hear_message, hear_end, &heard};
    char error[IW_RECORDER_TEXT_OCTETS];

    (void)state;
    close(mkstemp(temporary_path(path, "iw_sctp_carrier_test")));
    assert_true(iw_vector_set_init(&vectors, WARPCHECK_SOURCE_DIR "/core/wire/testdata/vectors.json"));
    heard = (struct heard){.length = 0};
    memset(offset, 0, sizeof offset);
    recorder = iw_recorder_open(path, NULL, error);
    carrier = iw_sctp_carrier_new(recorder, addresses, tsn, &handlers);
    assert_non_null(carrier);
    return 0;
}

static int end(void **state) {
    (void)state;
    iw_sctp_carrier_free(carrier);
    iw_recorder_close(recorder, NULL);
    iw_vector_set_dispose(&vectors);
    unlink(path);
    return 0;
}

static void put(enum iw_chunk_kind kind, enum iw_side side, const uint8_t *octets, size_t length) {
    const struct iw_chunk chunk = {
        .kind = kind, .side = side, .offset = offset[side], .octets = octets, .length = (uint32_t)length};

    assert_int_equal(iw_sctp_carrier_chunk(carrier, &chunk), IW_OK);
    offset[side] += length;
}

static void say(enum iw_side side, const char *vector) {
    const struct iw_vector *found = iw_vector_find(&vectors, vector);

    put(IW_CHUNK_DATA, side, found->octets, found->length);
}

static void open_connection(void) {
    put(IW_CHUNK_START, IW_SIDE_A, NULL, 0);
    put(IW_CHUNK_START, IW_SIDE_B, NULL, 0);
}

/* The same as the vectors S01, S02, S03 (of which S01 has "hi"). Frames 1 to 4 are the handshake, and each
 * chunk is acknowledged in a packet of its own. */
static void carries_a_conversation(void **state) {
    (void)state;
    open_connection();
    say(IW_SIDE_A, "M02");
    say(IW_SIDE_B, "M03");
    say(IW_SIDE_A, "F07");
    put(IW_CHUNK_FIN, IW_SIDE_A, NULL, 0);
    put(IW_CHUNK_FIN, IW_SIDE_B, NULL, 0);
    assert_string_equal(heard.text, "A17:0000000168656c6c6f@5\n"
                                    "B17:00000002@7\n"
                                    "A16:000141430000000000000000000000010000000068656c6c6f@9\n"
                                    "A17:00020004@11\n"
                                    "B17:00010004@13\n"
                                    "A shuts down@17\n");
}

/* RFC 6581 7: the enhanced data come first. */
static void carries_enhanced_startup(void **state) {
    (void)state;
    open_connection();
    say(IW_SIDE_A, "M05");
    say(IW_SIDE_B, "M06");
    put(IW_CHUNK_RST, IW_SIDE_B, NULL, 0);
    assert_string_equal(heard.text, "A17:00000005c010c00861626364@5\n"
                                    "B17:000000068008c010@7\n"
                                    "B aborts@9\n");
}

/* RFC 5043 6.3: a Reject is the last message. */
static void carries_a_reject(void **state) {
    (void)state;
    open_connection();
    say(IW_SIDE_A, "M01");
    say(IW_SIDE_B, "M04");
    put(IW_CHUNK_FIN, IW_SIDE_B, NULL, 0);
    put(IW_CHUNK_FIN, IW_SIDE_A, NULL, 0);
    assert_string_equal(heard.text, "A17:00000001@5\n"
                                    "B17:0000000362757379@7\n"
                                    "B shuts down@11\n");
}

/* The writer derives the tag from the TSN; tests of the program check the checksum with tshark. */
static void writes_the_handshake(void **state) {
    static const uint8_t init[] = {0xC0, 0x00, 0x4E, 0x84, 0, 0, 0, 0,          /* ports, no tag */
        1, 0, 0, 28, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 16, 0, 16, 0, 0, 0x03, 0xE8, /* INIT */
        0xC0, 0x06, 0, 8, 0, 0, 0, 1};                                          /* RFC 5043 5.1 */
    static const uint8_t lengths[] = {34 + 40, 34 + 52, 34 + 24, 34 + 16, 34 + 32, 34 + 28};
    char error[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *header;
    const u_char *octets;
    pcap_t *file;

    (void)state;
    open_connection();
    say(IW_SIDE_A, "M01");
    file = pcap_open_offline(path, error);
    for (size_t i = 0; i < sizeof lengths; i++) {
        assert_int_equal(pcap_next_ex(file, &header, &octets), 1);
        assert_int_equal(header->caplen, lengths[i]);
        if (i == 0) {
            assert_memory_equal(octets + 34, init, 8);
            assert_memory_equal(octets + 46, init + 8, 4);
            assert_memory_equal(octets + 54, init + 16, sizeof init - 16);
        }
        if (i == 5) /* SACK up to 1000, no gaps, no duplicates */
            assert_memory_equal(octets + 46, "\3\0\0\20\0\0\3\350\0\20\0\0\0\0\0\0", 16);
    }
    assert_int_equal(pcap_next_ex(file, &header, &octets), PCAP_ERROR_BREAK);
    pcap_close(file);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(carries_a_conversation),
        TEST(carries_enhanced_startup),
        TEST(carries_a_reject),
        TEST(writes_the_handshake),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
