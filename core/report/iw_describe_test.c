#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "iw_describe.h"
#include "iw_report_fixture_test.h"

/* Each event as a line, its findings after it. */
static void write_event(void *user, const struct iw_monitor_event *event) {
    FILE *out = user;

    iw_describe_event(out, event);
    fputc('\n', out);
    for (size_t i = 0; i < event->finding_count; i++) {
        fputs("! ", out);
        iw_describe_finding(out, &event->findings[i], NULL);
        fputc('\n', out);
    }
}

struct lines {
    struct talk talk;
    char *text;
    size_t octets;
    FILE *out;
};

static void begin(struct lines *lines) {
    lines->out = open_memstream(&lines->text, &lines->octets);
    talk_begin(&lines->talk, write_event, lines->out);
    talk_say(&lines->talk, IW_SIDE_A, TALK_REQUEST);
    talk_say(&lines->talk, IW_SIDE_B, TALK_REPLY);
    fflush(lines->out);
    rewind(lines->out);
}

static void expect(struct lines *lines, const char *text) {
    fputc('\0', lines->out);
    fflush(lines->out);
    assert_string_equal(lines->text, text);
    rewind(lines->out);
}

static void end(struct lines *lines) {
    talk_end(&lines->talk);
    fclose(lines->out);
    free(lines->text);
}

static void a_startup_shows_every_bit(void **state) {
    struct lines lines;

    (void)state;
    lines.out = open_memstream(&lines.text, &lines.octets);
    talk_begin(&lines.talk, write_event, lines.out);
    /* A=1, B=0, IRD 16, C=1, D=0, ORD 8, then "abcd" */
    talk_say(&lines.talk, IW_SIDE_A,
        "4d504120494420526571204672616d65"
        "50020008"
        "80108008"
        "61626364");
    expect(&lines, "MPA Request m=0 c=1 r=0 s=1 rev=2 pd_length=8 a=1 b=0 ird=16 c=1 d=0 ord=8, "
                   "4 octets of private data 61626364\n");
    end(&lines);
}

static void a_correct_send_has_a_short_line(void **state) {
    struct lines lines;

    (void)state;
    begin(&lines);
    talk_say(&lines.talk, IW_SIDE_A, TALK_SEND);
    expect(&lines, "Send ulpdu_length=23 l=1 qn=0 msn=1 mo=0, 5 octets of payload 68656c6c6f, pad 3\n");
    end(&lines);
}

static void a_bad_crc_is_shown_with_both_values(void **state) {
    struct lines lines;

    (void)state;
    begin(&lines);
    talk_say(&lines.talk, IW_SIDE_A, TALK_BAD_CRC);
    fputc('\0', lines.out);
    fflush(lines.out);
    assert_non_null(
        strstr(lines.text, "pad 3, CRC bad: 0xb990b10d instead of 0xb990b10c\n! error RFC5044-4.4-11 "
                           "(RFC 5044 4.4, MUST) initiator: "));
    end(&lines);
}

static void a_read_names_its_request(void **state) {
    struct lines lines;

    (void)state;
    begin(&lines);
    talk_say(&lines.talk, IW_SIDE_A, TALK_READ);
    expect(&lines,
        "RDMA Read Request ulpdu_length=46 l=1 qn=1 msn=1 mo=0 sink_stag=0x00001234 "
        "sink_to=0x0000000000001000 size=4096 source_stag=0x00005678 source_to=0x0000000000002000, "
        "request 1, 1 outstanding\n");
    end(&lines);
}

static void a_terminate_has_names(void **state) {
    struct lines lines;

    (void)state;
    begin(&lines);
    talk_say(&lines.talk, IW_SIDE_A, TALK_TERMINATE);
    expect(&lines, "Terminate ulpdu_length=22 l=1 qn=2 msn=1 mo=0 layer=0x02 (LLP) etype=0x00 (MPA Error) "
                   "code=0x02 (MPA CRC Error) m=0 d=0 r=0\n");
    end(&lines);
}

static void a_terminate_shows_the_terminated_header(void **state) {
    struct lines lines;

    (void)state;
    begin(&lines);
    /* F01: an RDMA Write to STag 11223344h, TO 100002000h, 22 octets long; F20: 1/1/01 for it */
    talk_say(&lines.talk, IW_SIDE_A, "0016c140112233440000000100002000a0a1a2a3a4a5a6a781bdd342");
    expect(&lines, "RDMA Write ulpdu_length=22 l=1 stag=0x11223344 to=0x0000000100002000, "
                   "8 octets of payload a0a1a2a3a4a5a6a7\n");
    talk_say(&lines.talk, IW_SIDE_B,
        "002641470000000000000002000000010000000"
        "01101c0000016c1401122334400000001000020008844f55b");
    expect(&lines,
        "Terminate ulpdu_length=38 l=1 qn=2 msn=1 mo=0 layer=0x01 (DDP) etype=0x01 (Tagged Buffer Error) "
        "code=0x01 (Base or bounds violation) m=1 d=1 r=0 length=22 about: t=1 l=1 stag=0x11223344 "
        "to=0x0000000100002000 opcode=0x00 (RDMA Write)\n");
    end(&lines);
}

/* Send "hello", MSN 1, MO 5 */
#define TALK_SEND_MO5                                                                                        \
    "0017414300000000000000000000000100000005"                                                               \
    "68656c6c6f000000"                                                                                       \
    "c2844026"

/* A loss, then the end of a message: the frame in which the message began is unknown. */
static void after_a_loss_the_start_of_a_message_is_not_named(void **state) {
    struct lines lines;

    (void)state;
    begin(&lines);
    iw_monitor_feed(lines.talk.monitor, &(struct iw_chunk){.kind = IW_CHUNK_GAP,
                                            .side = IW_SIDE_A,
                                            .offset = lines.talk.offset[IW_SIDE_A],
                                            .length = 32,
                                            .frame = ++lines.talk.frame});
    lines.talk.offset[IW_SIDE_A] += 32;
    talk_say(&lines.talk, IW_SIDE_A, TALK_SEND_MO5);
    iw_monitor_finish(lines.talk.monitor); /* the input ends before anything proves that this is an FPDU */
    fputc('\0', lines.out);
    fflush(lines.out);
    assert_non_null(
        strstr(lines.text, "mo=5, 5 octets of payload 68656c6c6f, pad 3, not judged: it may be payload\n"));
    assert_null(strstr(lines.text, "continues"));
    end(&lines);
}

static void a_close_names_its_cause(void **state) {
    struct lines lines;

    (void)state;
    begin(&lines);
    talk_close(&lines.talk, IW_SIDE_A, IW_CHUNK_FIN);
    talk_close(&lines.talk, IW_SIDE_B, IW_CHUNK_RST);
    expect(&lines, "Close by FIN\nClose by RST\n");
    end(&lines);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_startup_shows_every_bit),
        cmocka_unit_test(a_correct_send_has_a_short_line),
        cmocka_unit_test(a_bad_crc_is_shown_with_both_values),
        cmocka_unit_test(a_read_names_its_request),
        cmocka_unit_test(a_terminate_has_names),
        cmocka_unit_test(a_terminate_shows_the_terminated_header),
        cmocka_unit_test(after_a_loss_the_start_of_a_message_is_not_named),
        cmocka_unit_test(a_close_names_its_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
