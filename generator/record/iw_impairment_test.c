#include "iw_impairment.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The packets captured, each as "<" for side B, sequence number, ":", acknowledgement number, S, F or R for
 * the flag, payload, the part of the comment in brackets, and a space. */
struct heard {
    char text[8192];
    size_t length;
    unsigned left; /* packets until the sink fails; 0: it never fails */
};

static enum iw_status hear(void *user, const struct iw_tcp_segment *segment, const char *comment) {
    struct heard *heard = user;
    const char *note = comment == NULL ? NULL : strchr(comment, '[');

    heard->length += (size_t)snprintf(heard->text + heard->length, sizeof heard->text - heard->length,
        "%s%" PRIu32 ":%" PRIu32 "%s%.*s%s ", segment->source.port == 1 ? "" : "<", segment->seq,
        segment->ack,
        segment->flags & IW_TCP_SYN   ? "S"
        : segment->flags & IW_TCP_FIN ? "F"
        : segment->flags & IW_TCP_RST ? "R"
                                      : "=",
        (int)segment->length, (const char *)segment->payload, note == NULL ? "" : note);
    return heard->left > 0 && --heard->left == 0 ? IW_ERR_IO : IW_OK;
}

static struct iw_impairment *begin(const char *text, struct heard *heard) {
    static struct iw_impairment_plan plan;
    char error[IW_IMPAIRMENT_TEXT_OCTETS];

    plan = (struct iw_impairment_plan){.seed = 1};
    if (!iw_impairment_parse(text, &plan, error))
        fail_msg("%s", error);
    return iw_impairment_new(&plan, 0, hear, heard);
}

/* A sends from 100 on, B from 500 on. */
static enum iw_status put(struct iw_impairment *impairment, enum iw_side side, unsigned flags, uint32_t seq,
    uint32_t ack, const char *text) {
    const struct iw_tcp_segment segment = {.source = {.port = side == IW_SIDE_A ? 1 : 2},
        .destination = {.port = side == IW_SIDE_A ? 2 : 1},
        .seq = seq,
        .ack = ack,
        .flags = (uint8_t)(flags | IW_TCP_ACK),
        .length = (uint32_t)strlen(text),
        .captured = (uint32_t)strlen(text),
        .payload = (const uint8_t *)text};

    return iw_impairment_segment(impairment, side, &segment, "step");
}

/* Four packets, an answer, and an end. */
static const char *talk(const char *plan) {
    static struct heard heard;
    struct iw_impairment *impairment;

    heard = (struct heard){.length = 0};
    impairment = begin(plan, &heard);
    put(impairment, IW_SIDE_A, IW_TCP_SYN, 99, 0, "");
    put(impairment, IW_SIDE_B, IW_TCP_SYN, 499, 100, "");
    put(impairment, IW_SIDE_A, 0, 100, 500, "");
    put(impairment, IW_SIDE_A, 0, 100, 500, "abc");
    put(impairment, IW_SIDE_A, 0, 103, 500, "def");
    put(impairment, IW_SIDE_A, 0, 106, 500, "ghi");
    put(impairment, IW_SIDE_B, 0, 500, 109, "xyz");
    put(impairment, IW_SIDE_A, IW_TCP_FIN, 109, 503, "");
    assert_int_equal(iw_impairment_finish(impairment), IW_OK);
    iw_impairment_free(impairment);
    return heard.text;
}

/* Plans with probabilities 0 and 1: the seed has no effect. */
static void certain_impairments_give_known_packets(void **state) {
    static const struct {
        const char *plan, *expected;
    } rows[] = {
        {"vlan=7", "99:0S <499:100S 100:500= 100:500=abc 103:500=def 106:500=ghi <500:109=xyz 109:503F "},
        {"loss=100%", ""},
        {"segment=1",
            "99:0S <499:100S 100:500= 100:500=a 101:500=b 102:500=c 103:500=d 104:500=e 105:500=f 106:500=g "
            "107:500=h 108:500=i <500:109=x <501:109=y <502:109=z 109:503F "},
        {"segment=5", "99:0S <499:100S 100:500= 100:500=abcde 105:500=fghi <500:109=xyz 109:503F "},
        {"segment=65000", "99:0S <499:100S 100:500= 100:500=abcdefghi <500:109=xyz 109:503F "},
        {"acks=100%", "99:0S <499:100S 100:500= 100:500=abc <500:103= 103:500=def <500:106= 106:500=ghi "
                      "<500:109= <500:109=xyz 109:503= 109:503F "},
        {"midstream", "100:500=abc 103:500=def 106:500=ghi <500:109=xyz 109:503F "},
        {"reuse", "3623878756:3623879156F[of an earlier connection] "
                  "<3623879156:3623878757F[of an earlier connection] "
                  "3623878757:3623879157=[of an earlier connection] "
                  "100:500=abc 103:500=def 106:500=ghi <500:109=xyz 109:503F "},
        {"midstream=4", "106:500=ghi <500:109=xyz 109:503F "},
        {"midstream=6", "106:500=ghi <500:109=xyz 109:503F "},
        {"midstream=12", ""},
        {"direction=initiator", "99:0S 100:500= 100:500=abc 103:500=def 106:500=ghi 109:503F "},
        {"direction=responder", "<499:100S <500:109=xyz "},
        {"direction=responder,segment=2,midstream=9", "<500:109=xy <502:109=z "},
        /* all three are late: they come in order, once the answer shows that they have arrived, and nothing
           is acknowledged before */
        {"retransmit=100%", "99:0S <499:100S 100:500= 100:500=abc[sent again] 103:500=def[sent again] "
                            "106:500=ghi[sent again] <500:109=xyz[sent again] 109:503F "},
        {"retransmit=100%,acks=100%",
            "99:0S <499:100S 100:500= <500:100= <500:100= <500:100= 100:500=abc[sent again] "
            "103:500=def[sent again] 106:500=ghi[sent again] 109:500= <500:109=xyz[sent again] 109:503F "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(talk(rows[i].plan), rows[i].expected);
}

static void duplicates_every_packet(void **state) {
    size_t plain = strlen(talk("vlan=7"));
    const char *text = talk("duplicate=100%");
    static const char *const once[] = {"100:500=abc ", "103:500=def ", "106:500=ghi ",
        "100:500=abc[duplicate] ", "103:500=def[duplicate] ", "106:500=ghi[duplicate] ",
        "<500:109=xyz <500:109=xyz[duplicate] 109:503F "};

    (void)state;
    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        assert_non_null(strstr(text, once[i]));
    assert_true(strstr(text, "ghi[duplicate]") < strstr(text, "xyz"));
    assert_int_equal(strlen(text), plain + 4 * strlen("100:500=abc[duplicate] ") + 1);
}

/* All but a side's first packet begin with one to three octets of earlier ones. */
static void overlaps_every_packet(void **state) {
    const char *text = talk("overlap=100%");

    (void)state;
    assert_non_null(strstr(text, "100:500=abc "));
    assert_non_null(strstr(text, "cdef[overlapping] "));
    assert_non_null(strstr(text, "fghi[overlapping] "));
    assert_non_null(strstr(text, "<500:109=xyz "));
    assert_true(strstr(text, "100:500=abcdef[") != NULL || strstr(text, "101:500=bcdef[") != NULL ||
                strstr(text, "102:500=cdef[") != NULL);
}

/* With half of the packets late, the seeds give different orders, but never a packet before one that it
 * acknowledges. */
static void reorders_within_the_rules_of_tcp(void **state) {
    static const char *const orders[] = {"abc 106:500=ghi 103:500=def[late] <",
        "def 100:500=abc[late] 106:500=ghi ", "def 106:500=ghi 100:500=abc[late] <",
        "ghi 100:500=abc[late] 103:500=def[late] <"};
    bool seen[4] = {false};

    (void)state;
    for (uint64_t seed = 1; seed < 200; seed++) {
        struct iw_impairment_plan plan = {.seed = seed, .chance = {[IW_IMPAIRMENT_REORDER] = 500000}};
        struct heard heard = {.length = 0};
        struct iw_impairment *impairment = iw_impairment_new(&plan, 0, hear, &heard);

        put(impairment, IW_SIDE_A, 0, 100, 500, "abc");
        put(impairment, IW_SIDE_A, 0, 103, 500, "def");
        put(impairment, IW_SIDE_A, 0, 106, 500, "ghi");
        put(impairment, IW_SIDE_B, 0, 500, 109, "xyz");
        iw_impairment_finish(impairment);
        iw_impairment_free(impairment);
        for (int i = 0; i < 4; i++)
            seen[i] |= strstr(heard.text, orders[i]) != NULL;
        assert_true(strstr(heard.text, "xyz") > strstr(heard.text, "abc"));
        assert_true(strstr(heard.text, "xyz") > strstr(heard.text, "def"));
        assert_true(strstr(heard.text, "xyz") > strstr(heard.text, "ghi"));
    }
    for (int i = 0; i < 4; i++)
        assert_true(seen[i]);
}

/* Packets of one step are joined, those of two steps are not: a packet has one comment. */
static void does_not_join_packets_of_two_steps(void **state) {
    struct heard heard = {.length = 0};
    struct iw_impairment *impairment = begin("segment=65000", &heard);
    struct iw_tcp_segment segment = {
        .source.port = 1, .length = 1, .captured = 1, .payload = (const uint8_t *)"a"};

    (void)state;
    iw_impairment_segment(impairment, IW_SIDE_A, &segment, NULL);
    segment.seq = 1;
    iw_impairment_segment(impairment, IW_SIDE_A, &segment, "[one]");
    segment.seq = 2;
    iw_impairment_segment(impairment, IW_SIDE_A, &segment, "[one]");
    segment.seq = 3;
    iw_impairment_segment(impairment, IW_SIDE_A, &segment, "[two]");
    iw_impairment_finish(impairment);
    iw_impairment_free(impairment);
    assert_string_equal(heard.text, "0:0=a 1:0=aa[one] 3:0=a[two] ");
}

/* The capture has the Reply before the Request that it acknowledges; the order of each side does not
 * change. */
static void crosses_the_sides(void **state) {
    struct heard heard = {.length = 0};
    struct iw_impairment *impairment = begin("cross=100%", &heard);

    (void)state;
    put(impairment, IW_SIDE_A, 0, 100, 500, "ask");
    put(impairment, IW_SIDE_B, 0, 500, 103, "reply");
    put(impairment, IW_SIDE_A, 0, 103, 505, "one");
    put(impairment, IW_SIDE_A, 0, 106, 505, "two");
    iw_impairment_finish(impairment);
    iw_impairment_free(impairment);
    assert_string_equal(heard.text, "<500:103=reply[crossed] 100:500=ask 103:505=one 106:505=two ");
}

/* No RST has the sequence number that its receiver expects next. */
static void stray_resets_are_ignorable(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 50; seed++) {
        struct iw_impairment_plan plan = {.seed = seed, .chance = {[IW_IMPAIRMENT_RESETS] = 1000000}};
        struct heard heard = {.length = 0};
        struct iw_impairment *impairment = iw_impairment_new(&plan, 0, hear, &heard);

        put(impairment, IW_SIDE_A, 0, 100, 500, "abc");
        iw_impairment_finish(impairment);
        iw_impairment_free(impairment);
        assert_non_null(strstr(heard.text, ":500R[stray reset] 100:500=abc "));
        assert_true(strtoul(heard.text, NULL, 10) > 103);
    }
}

static void keeps_the_first_error(void **state) {
    struct heard heard = {.left = 2};
    struct iw_impairment *impairment = begin("reorder=0%", &heard);

    (void)state;
    assert_int_equal(put(impairment, IW_SIDE_A, 0, 100, 500, "a"), IW_OK);
    assert_int_equal(put(impairment, IW_SIDE_A, 0, 101, 500, "b"), IW_ERR_IO);
    assert_int_equal(put(impairment, IW_SIDE_A, 0, 102, 500, "c"), IW_ERR_IO);
    assert_int_equal(iw_impairment_finish(impairment), IW_ERR_IO);
    iw_impairment_free(impairment);
    assert_string_equal(heard.text, "100:500=a 101:500=b ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certain_impairments_give_known_packets),
        cmocka_unit_test(duplicates_every_packet),
        cmocka_unit_test(overlaps_every_packet),
        cmocka_unit_test(reorders_within_the_rules_of_tcp),
        cmocka_unit_test(does_not_join_packets_of_two_steps),
        cmocka_unit_test(crosses_the_sides),
        cmocka_unit_test(stray_resets_are_ignorable),
        cmocka_unit_test(keeps_the_first_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
