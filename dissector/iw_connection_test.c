/* The tree of the connection in each frame, and its explanation in the last frame, on captures whose story is
 * known (captures/causes). Expected values: by reading the captures. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_tshark.h"

static void assert_shows(const char *file, const char *options, const char *expected) {
    char *shown = iw_tshark_run("-r %s/captures/%s %s", SOURCE_DIR, file, options);

    assert_string_equal(shown, expected);
    free(shown);
}

static void assert_has(const char *file, const char *options, const char *part) {
    char *shown = iw_tshark_run("-r %s/captures/%s %s", SOURCE_DIR, file, options);

    if (strstr(shown, part) == NULL)
        fail_msg("%s is not in:\n%s", part, shown);
    free(shown);
}

/* IRD and ORD are 2; the two Read Requests of frames 8 and 9 get no response. The pass makes no difference
 * for what is known when a frame is read: the Request of frame 4 does not know its Reply yet. */
static void test_outstanding_requests(void **state) {
    static const char *const passes[] = {"", "-2", "-2 -R tcp"};

    (void)state;
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        char options[512];

        snprintf(options, sizeof options,
            "%s -Y 'iwarp.connection.state && frame.number < 10' -T fields -E separator=/s -e frame.number "
            "-e iwarp.connection.state "
            "-e iwarp.connection.waiting_initiator -e iwarp.connection.waiting_responder "
            "-e iwarp.connection.since",
            passes[i]);
        assert_shows("causes/queue_full.pcap", options,
            "4 startup   \n5 full operation 0 0 0.001000000\n6 full operation 0 0 0.001000000\n"
            "7 full operation 0 0 0.001000000\n8 full operation 1 0 0.001000000\n"
            "9 full operation 2 0 0.001000000\n");
    }
    assert_has("causes/queue_full.pcap", "-2 -Y frame.number==9 -V",
        "[Outstanding requests of the initiator: 2 (Read Requests allowed by IRD and ORD: 2)]");
}

/* The last frame of a connection has its tree, too, even without payload. Only its explanation and the
 * silence before it show that the connection hung. */
static void test_silence_until_the_end(void **state) {
    static const struct {
        const char *file, *shown;
    } silent[] = {
        {"causes/response_missing.pcap", "11 closed 1 30.003000000\n"},
        {"causes/queue_full.pcap", "12 closed 2 30.003000000\n"},
        {"causes/both_wait.pcap", "8 closed 0 20.003000000\n"},
        {"causes/startup_timeout.pcap", "7 closed  10.003000000\n"},
        /* frame 8 is a Send after a long silence, frame 9 the RST that answers it at once */
        {"causes/peer_rebooted.pcap", "8 full operation 0 120.001000000\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        assert_shows(silent[i].file,
            "-2 -Y 'iwarp.connection.since > 1' -T fields -E separator=/s -e frame.number -e "
            "iwarp.connection.state -e iwarp.connection.waiting_initiator -e iwarp.connection.since",
            silent[i].shown);
}

/* A frame with an FPDU and the end of its connection has one tree of the connection. */
static void test_one_tree_in_a_frame(void **state) {
    (void)state;
    assert_shows("causes/response_stopped.pcap",
        "-2 -Y frame.number==12 -T fields -E aggregator=, -e iwarp.connection.state", "closed\n");
    assert_shows("causes/peer_rebooted.pcap",
        "-2 -Y frame.number==9 -T fields -E separator=/s -E aggregator=, -e iwarp.connection.state -e "
        "iwarp.connection.request -e iwarp.connection.since",
        "reset by the responder 4 0.001000000\n");
}

/* The Read Response of frame 9 is incomplete, so its request is still outstanding when both sides close. */
static void test_links(void **state) {
    (void)state;
    assert_shows("causes/response_stopped.pcap",
        "-2 -Y iwarp.connection.state -T fields -E separator=/s -e frame.number -e iwarp.connection.request "
        "-e iwarp.connection.reply -e iwarp.connection.finding -e iwarp.connection.last "
        "-e iwarp.connection.explanation",
        "4  5 12 12 A Read Response stopped half-way (certain)\n"
        "5 4  12 12 A Read Response stopped half-way (certain)\n"
        "6 4 5 12 12 A Read Response stopped half-way (certain)\n"
        "7 4 5 12 12 A Read Response stopped half-way (certain)\n"
        "8 4 5 12 12 A Read Response stopped half-way (certain)\n"
        "9 4 5 12 12 A Read Response stopped half-way (certain)\n"
        "12 4 5 12 12 A Read Response stopped half-way (certain)\n");
    assert_has("causes/response_stopped.pcap", "-2 -Y frame.number==12 -V",
        "[First finding in: 12: The last message before the FIN");
}

static void test_state(void **state) {
    (void)state;
    /* a FIN 30 seconds after the latest FPDU */
    assert_shows("causes/response_stopped.pcap",
        "-2 -Y frame.number==12 -T fields -E separator=, -e iwarp.connection.state -e iwarp.connection.since",
        "closed,30.003000000\n");
    assert_has("causes/startup_rejected.pcap",
        "-2 -Y iwarp.connection.state -T fields -e iwarp.connection.state", "rejected\n");
    assert_has("causes/read_sink_rights.pcap", "-2 -Y frame.number==10 -T fields -e iwarp.connection.state",
        "terminated by the initiator\n");
}

/* Frame 155 is a Terminate and frame 156 a RST: the Terminate ended the connection. */
static void test_a_reset_after_a_terminate(void **state) {
    (void)state;
    assert_shows("rules/rfc5040_reaction.pcap",
        "-2 -Y frame.number==156 -T fields -E separator=, -e iwarp.connection.state -e "
        "iwarp.explanation.ended",
        "terminated by the initiator,by a Terminate of the initiator\n");
}

/* Only what the responder sent was captured. */
static void test_half_a_startup(void **state) {
    (void)state;
    assert_has("impairment/reply_direction.pcap",
        "-2 -Y 'iwarp.rdmap && !iwarp.connection.waiting_initiator' -T fields -e iwarp.connection.state",
        "full operation, startup not captured\n");
}

/* Frame 9 is a RST without payload: TCP, not iWARP. */
static void test_explanation(void **state) {
    (void)state;
    assert_shows("causes/peer_rebooted.pcap",
        "-2 -Y iwarp.explanation.failed -T fields -E separator='|' -E aggregator=, -e frame.number -e "
        "iwarp.explanation "
        "-e iwarp.explanation.cause -e iwarp.explanation.confidence -e iwarp.explanation.evidence "
        "-e iwarp.explanation.ended",
        "9|A host no longer knows the connection (likely)|peer-rebooted|likely|8,9|"
        "by a RST of the responder\n");
    assert_has("causes/peer_rebooted.pcap", "-2 -q -z expert,warn",
        "A host no longer knows the connection (likely): The responder answered a segment with a RST without "
        "ACK, after 120.002 s of silence");
    assert_has("causes/peer_rebooted.pcap", "-2 -Y frame.number==9 -V",
        "iWARP, end of the connection of 192.0.2.1:46034 and 192.0.2.2:4711: A host no longer knows the "
        "connection (likely)");
}

static void test_explanation_without_a_failure(void **state) {
    (void)state;
    assert_shows("causes/clean.pcap",
        "-2 -Y iwarp.explanation.fine -T fields -E separator='|' -e iwarp.explanation -e "
        "iwarp.explanation.cause",
        "nothing wrong seen|\n");
}

/* What the capture lacks made no connection fail: it is no cause. The expert info says it, too. */
static void test_notes(void **state) {
    (void)state;
    assert_shows("impairment/reply_direction.pcap",
        "-2 -Y iwarp.explanation.note -T fields -E separator='|' -E aggregator=, -e iwarp.explanation.cause "
        "-e iwarp.explanation.detail -e iwarp.explanation.note -e iwarp.explanation.note_detail",
        "||capture-one-direction,capture-late|The capture has no packet of the initiator.,1 side whose role "
        "or terms are not known.\n");
    assert_has("impairment/reply_direction.pcap", "-2 -q -z expert,chat",
        "nothing wrong seen, but the capture is incomplete. The capture has no packet of the initiator.");
    assert_has("impairment/reply_direction.pcap", "-2 -Y iwarp.explanation.note -V",
        "[Note: capture-one-direction: The capture has one direction only]\n"
        "        [Detail: The capture has no packet of the initiator.]\n"
        "        [Next: Capture again where both directions pass");
    assert_shows("causes/offload.pcap", "-2 -Y iwarp.explanation.cause", "");
    assert_has("causes/offload.pcap", "-2 -Y iwarp.explanation -T fields -e iwarp.explanation.note",
        "capture-offload\n");
}

/* Each cause has one confidence, detail and next step; the evidence of the first one has its own field. */
static void test_two_causes(void **state) {
    (void)state;
    assert_shows("causes/smb_byte_order.pcap",
        "-2 -Y iwarp.explanation.failed -T fields -E separator='|' -E aggregator=, -e "
        "iwarp.explanation.cause "
        "-e iwarp.explanation.confidence -e iwarp.explanation.evidence -e iwarp.explanation.other_evidence",
        "smb-byte-order,startup-timeout|likely,likely|4|4,6\n");
}

/* A replay has the octets and their order, not the times: silence is not offered. */
static void test_replay(void **state) {
    static const char *const silent[] = {"response_stopped", "response_missing", "queue_full", "both_wait",
        "rtr_missing", "startup_timeout", "zero_window", "peer_silent", "peer_rebooted", "idle_timeout",
        "keep_alive", "mtu_black_hole", "retransmissions", "out_of_order", "clean"};

    (void)state;
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
        char file[64];

        snprintf(file, sizeof file, "causes/%s.pcap", silent[i]);
        assert_shows(file, "-2 -Y iwarp.explanation.replay", "");
    }
    assert_has("causes/stag_unknown.pcap",
        "-2 -Y iwarp.explanation.replay -T fields -e iwarp.explanation.replay",
        "warpcheck script FILE --stream 0 >initiator.lua && ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outstanding_requests),
        cmocka_unit_test(test_silence_until_the_end),
        cmocka_unit_test(test_one_tree_in_a_frame),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_state),
        cmocka_unit_test(test_a_reset_after_a_terminate),
        cmocka_unit_test(test_half_a_startup),
        cmocka_unit_test(test_explanation),
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_explanation_without_a_failure),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_two_causes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
