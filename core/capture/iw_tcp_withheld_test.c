#include "iw_tcp_withheld.h"

#include "iw_frame.h"
#include "iw_ip.h"
#include "iw_tcp_table_test.h"

enum { OFFLOADED = 0x10000 };

/* Sends `text` from sequence number `seq` in a whole segment. The checksum is that of `summed`, which has as
 * many octets, plus `wrong`; or 0 with OFFLOADED. */
static void send_whole(struct fixture *f, uint32_t seq, unsigned flags, uint32_t ack, const char *text,
    const char *summed, unsigned wrong) {
    struct iw_tcp_segment segment = iw_tcp_recorder_segment(0, seq, flags, summed);
    const struct iw_frame_path path = {
        .source = segment.source, .destination = segment.destination, .protocol = IW_IP_TCP};
    uint8_t tcp[100];

    segment.ack = ack;
    size_t header = iw_frame_tcp(&segment, tcp);
    memcpy(tcp + header, summed, segment.length);
    unsigned checksum =
        iw_frame_tcp_checksum(&path, tcp, header + segment.length, header + segment.length) + wrong;
    if (wrong == OFFLOADED)
        checksum = 0;
    tcp[16] = (uint8_t)(checksum >> 8);
    tcp[17] = (uint8_t)checksum;
    memcpy(tcp + header, text, segment.length);
    segment.payload = tcp + header;
    segment.tcp = tcp;
    assert_int_equal(send_segment(f, segment), IW_OK);
}

static void forth_summed(
    struct fixture *f, uint32_t seq, unsigned flags, const char *text, const char *summed) {
    send_whole(f, seq, flags, 500, text, summed, 0);
}

/* RFC 9293 3.1: neither its octets nor its FIN count. */
static void a_damaged_segment_is_discarded(void **state) {
    struct fixture *f = *state;
    forth_summed(f, 99, S, "", "");
    forth_summed(f, 100, K, "first", "first");
    forth_summed(f, 105, F | K, "Xther", "other");
    forth_summed(f, 110, K, "third", "third");
    forth_summed(f, 105, K, "other", "other");
    expect(f, "new0 0A0^@1 0A0=first@2 0A5=other@5 0A10=third@4 ");
    iw_tcp_table_finish(f->table);
    expect(f, "end0 ");
}

static void damaged_syn_opens_no_connection(void **state) {
    struct fixture *f = *state;
    forth_summed(f, 99, S, "", "");
    forth_summed(f, 100, K, "first", "first");
    forth_summed(f, 9999, S, "fals", "true");
    forth_summed(f, 10000, K, "Xther", "other");
    forth_summed(f, 105, K, "other", "other");
    expect(f, "new0 0A0^@1 0A0=first@2 0A5=other@5 ");
}

static void a_damaged_first_segment_is_discarded(void **state) {
    struct fixture *f = *state;
    forth_summed(f, 99, S, "", "");
    forth_summed(f, 100, K, "Xirst", "first");
    forth_summed(f, 100, K, "first", "first");
    expect(f, "new0 0A0^@1 0A0=first@3 ");
}

/* A SYN without a FIN before it waits for its answer. */
static void a_damaged_first_segment_of_the_next_connection_is_discarded(void **state) {
    struct fixture *f = *state;
    forth_summed(f, 99, S, "", "");
    forth_summed(f, 100, K, "first", "first");
    forth_summed(f, 0x60000000, S, "", "");
    back(f, 499, S | K, 0x60000001, "");
    forth_summed(f, 0x60000001, K, "Xecon", "secon");
    forth_summed(f, 0x60000001, K, "secon", "secon");
    expect(f, "new0 0A0^@1 0A0=first@2 end0 new1 1A0^@3 1B0^@4 1A0=secon@6 ");
}

/* If the sequence number is damaged, only the number of its octets is known. */
static void damaged_number_hides_no_later_octets(void **state) {
    struct fixture *f = *state;
    struct iw_tcp_segment far = iw_tcp_recorder_segment(0, 0x40000069, K, "other");
    uint8_t tcp[100] = {0};

    forth_summed(f, 99, S, "", "");
    forth_summed(f, 100, K, "first", "first");
    size_t header = iw_frame_tcp(&far, tcp);
    memcpy(tcp + header, "other", 5);
    tcp[16] = 1;
    far.payload = tcp + header;
    far.tcp = tcp;
    assert_int_equal(send_segment(f, far), IW_OK);
    forth_summed(f, 105, K, "other", "other");
    forth_summed(f, 110, K, "Xhird", "third");
    expect(f, "new0 0A0^@1 0A0=first@2 0A5=other@4 ");
    iw_tcp_table_finish(f->table);
    expect(f, "0A10x5@5 end0 ");
}

static void damaged_octets_that_never_come_are_outside(void **state) {
    struct fixture *f = *state;
    forth_summed(f, 99, S, "", "");
    forth_summed(f, 100, K, "first", "first");
    forth_summed(f, 105, K, "Xther", "other");
    expect(f, "new0 0A0^@1 0A0=first@2 ");
    iw_tcp_table_finish(f->table);
    expect(f, "0A5x5@3 end0 ");
}

/* ---- edited captures ---- */

static void forth_edited(struct fixture *f, uint32_t seq, unsigned flags, const char *text) {
    send_whole(f, seq, flags, 500, text, text, 1);
}

/* The receiver has acknowledged three segments that were not captured again. */
static void edited_segments_count_once_three_are_acknowledged(void **state) {
    struct fixture *f = *state;
    forth_summed(f, 99, S, "", "");
    forth_edited(f, 100, K, "one");
    forth_edited(f, 103, K, "two");
    back(f, 500, K, 106, "");
    forth_edited(f, 106, K, "three");
    expect(f, "new0 0A0^@1 ");
    back(f, 500, K, 111, "done");
    iw_tcp_table_finish(f->table);
    expect(f, "0A0=one@2 0A3=two@3 0A6=three@5 0B0=done@6 end0 ");
}

/* The two segments may be damaged, and the capture may lack their retransmissions. */
static void two_acknowledged_segments_prove_nothing(void **state) {
    struct fixture *f = *state;
    forth_summed(f, 99, S, "", "");
    forth_edited(f, 100, K, "one");
    forth_edited(f, 103, K, "two");
    back(f, 500, K, 106, "done");
    iw_tcp_table_finish(f->table);
    expect(f, "new0 0A0^@1 0B0=done@4 0A0?6@4 end0 ");
}

static void retransmitted_damaged_segments_do_not_count(void **state) {
    struct fixture *f = *state;
    forth_summed(f, 99, S, "", "");
    forth_edited(f, 100, K, "Xne");
    forth_edited(f, 103, K, "Xwo");
    forth_edited(f, 106, K, "Xhree");
    back(f, 500, K, 111, "done"); /* captured before what it acknowledges */
    forth_summed(f, 100, K, "one", "one");
    forth_summed(f, 103, K, "two", "two");
    forth_summed(f, 106, K, "three", "three");
    iw_tcp_table_finish(f->table);
    expect(f, "new0 0A0^@1 0A0=one@6 0A3=two@7 0A6=three@8 0B0=done@5 end0 ");
}

/* A direction without any right checksum does not wait for acknowledgements. */
static void checksums_that_are_all_wrong_show_no_damage(void **state) {
    struct fixture *f = *state;
    forth_edited(f, 99, S, "");
    forth_edited(f, 100, K, "one");
    expect(f, "new0 ");
    forth_edited(f, 103, K, "two");
    expect(f, "0A0^@1 0A0=one@2 0A3=two@3 ");
    forth_edited(f, 106, K, "three");
    expect(f, "0A6=three@4 ");
}

/* A copy of an earlier connection between the same ports, edited: its segments are not damaged ones of the
 * earlier connection. */
static void an_edited_connection_follows_an_intact_one(void **state) {
    struct fixture *f = *state;
    forth_summed(f, 99, S, "", "");
    back(f, 499, S | K, 100, "");
    forth_summed(f, 100, K, "first", "first");
    back(f, 500, F | K, 105, "");
    forth_summed(f, 105, F | K, "", "");
    expect(f, "new0 0A0^@1 0B0^@2 0A0=first@3 0B0$@4 0A5$@5 ");
    send_whole(f, 0x60000000, S, 0, "", "", 1);
    back(f, 0x70000000, S | K, 0x60000001, "");
    send_whole(f, 0x60000001, K, 0x70000001, "ask", "ask", 1);
    back(f, 0x70000001, K, 0x60000004, "answer");
    send_whole(f, 0x60000004, K, 0x70000007, "more", "more", 1);
    back(f, 0x70000007, K, 0x60000008, "");
    send_whole(f, 0x60000008, K, 0x70000007, "end", "end", 1);
    expect(f, "end0 new1 1B0^@7 1A0=ask@8 1B0=answer@9 1A3=more@10 1A7=end@12 ");
}

/* The connection ended when its latest segment was captured, withheld or not. */
static void a_copy_after_the_end_of_an_edited_connection_opens_no_other(void **state) {
    struct fixture *f = *state;
    f->time_ns = UINT64_C(1000000000000);
    forth_edited(f, 99, S, "");
    forth_edited(f, 100, K, "first");
    back(f, 500, F | K, 105, "");
    forth_edited(f, 105, F | K, "");
    expect(f, "new0 0A0^@1 0A0=first@2 0B0$@3 0A5$@4 ");
    forth_edited(f, 100, K, "first");
    iw_tcp_table_finish(f->table);
    expect(f, "end0 ");
}

/* The ports of such a segment may be damaged. */
static void damaged_segment_alone_opens_no_connection(void **state) {
    struct fixture *f = *state;
    forth_edited(f, 100, K, "one");
    iw_tcp_table_finish(f->table);
    expect(f, "new0 0A0x3@1 end0 ");
}

/* The card fills in the checksums, so a wrong one does not show damage. */
static void checksums_left_to_the_network_card_show_no_damage(void **state) {
    struct fixture *f = *state;
    send_whole(f, 99, S, 0, "", "", OFFLOADED);
    forth_edited(f, 100, K, "one");
    send_whole(f, 103, K, 500, "two", "two", OFFLOADED);
    expect(f, "new0 0A0^@1 0A0=one@2 0A3=two@3 ");
}

/* A truncated segment cannot be verified; if it were taken at once, the stream would begin with it. */
static void a_truncated_segment_stays_behind_a_withheld_one(void **state) {
    struct fixture *f = *state;
    forth_edited(f, 99, S, "");
    forth(f, 100, K, 500, "one");
    expect(f, "new0 ");
    forth_edited(f, 103, K, "two");
    forth_edited(f, 106, K, "three");
    expect(f, "0A0^@1 0A0=one@2 0A3=two@3 0A6=three@4 ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_damaged_segment_is_discarded),
        TEST(damaged_syn_opens_no_connection),
        TEST(a_damaged_first_segment_is_discarded),
        TEST(a_damaged_first_segment_of_the_next_connection_is_discarded),
        TEST(damaged_number_hides_no_later_octets),
        TEST(damaged_octets_that_never_come_are_outside),
        TEST(edited_segments_count_once_three_are_acknowledged),
        TEST(two_acknowledged_segments_prove_nothing),
        TEST(retransmitted_damaged_segments_do_not_count),
        TEST(checksums_that_are_all_wrong_show_no_damage),
        TEST(an_edited_connection_follows_an_intact_one),
        TEST(a_copy_after_the_end_of_an_edited_connection_opens_no_other),
        TEST(damaged_segment_alone_opens_no_connection),
        TEST(checksums_left_to_the_network_card_show_no_damage),
        TEST(a_truncated_segment_stays_behind_a_withheld_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
