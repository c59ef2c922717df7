#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "iw_opcode.h"
#include "iw_relay_rule.h"

static struct iw_relay_rule rule;
static char error[IW_RELAY_TEXT_OCTETS];

static void takes(const char *text) {
    if (!iw_relay_rule_parse(text, &rule, error))
        fail_msg("%s: %s", text, error);
}

static void refuses(const char *text, const char *reason) {
    assert_false(iw_relay_rule_parse(text, &rule, error));
    assert_string_equal(error, reason);
}

static void reads_when_a_rule_applies(void **state) {
    (void)state;
    takes("at=rdma-read-response#3,direction=responder,drop");
    assert_int_equal(rule.kind, IW_RELAY_UNIT_OPCODE);
    assert_int_equal(rule.opcode, IW_RDMAP_OP_READ_RESPONSE);
    assert_int_equal(rule.nth, 3);
    assert_true(rule.one_direction);
    assert_int_equal(rule.direction, IW_SIDE_B);
    assert_int_equal(rule.actions, IW_RELAY_DROP);
    takes("at=fpdu+1048576,reset");
    assert_int_equal(rule.kind, IW_RELAY_UNIT_FPDU);
    assert_int_equal(rule.nth, 1);
    assert_int_equal(rule.after, 1048576);
    assert_false(rule.one_direction);
    takes("at=terminate#*,direction=initiator,swap");
    assert_int_equal(rule.opcode, IW_RDMAP_OP_TERMINATE);
    assert_int_equal(rule.nth, 0);
    takes("drop,chance=0.25%");
    assert_int_equal(rule.nth, 0);
    assert_int_equal(rule.chance, 2500);
    takes("at=send,with=payload,drop");
    assert_int_equal(rule.with, IW_RELAY_WITH_PAYLOAD);
    takes("at=send,with=payload+message,drop");
    assert_int_equal(rule.with, IW_RELAY_WITH_PAYLOAD | IW_RELAY_WITH_MESSAGE);
    takes("at=startup,set=mpa.ird:4,set=mpa.rev:1");
    assert_int_equal(rule.kind, IW_RELAY_UNIT_STARTUP);
    assert_int_equal(rule.set_count, 2);
    assert_string_equal(rule.sets[1].filter, "mpa.rev");
    assert_int_equal(rule.sets[1].value, 1);
}

static void reads_what_a_rule_does(void **state) {
    (void)state;
    takes("flip=payload:5:0x80,insert=2:00ff,cut=7:3,repeat=2,delay=10,segment=8,pause=5,close,stop=9,window="
          "64");
    assert_int_equal(rule.part, IW_RELAY_PART_PAYLOAD);
    assert_true(rule.octet_known && rule.mask_known);
    assert_int_equal(rule.octet, 5);
    assert_int_equal(rule.mask, 0x80);
    assert_int_equal(rule.insert_at, 2);
    assert_int_equal(rule.insert_octets, 2);
    assert_memory_equal(rule.insert, "\x00\xff", 2);
    assert_int_equal(rule.cut_at, 7);
    assert_int_equal(rule.cut_octets, 3);
    assert_int_equal(rule.repeat, 2);
    assert_int_equal(rule.delay_ms, 10);
    assert_int_equal(rule.segment, 8);
    assert_int_equal(rule.pause_ms, 5);
    assert_int_equal(rule.stop_ms, 9);
    assert_int_equal(rule.window, 64);
    takes("flip=crc");
    assert_false(rule.octet_known || rule.mask_known);
    takes("repeat,stop");
    assert_int_equal(rule.repeat, 1);
    assert_int_equal(rule.stop_ms, 0);
}

static void refuses_what_it_does_not_know(void **state) {
    (void)state;
    refuses("", "an empty impairment is given");
    refuses("drop,", "an empty impairment is given");
    refuses("at=fpdu", "no action is given");
    refuses("drop,drop", "drop is given twice");
    refuses("pause=5,drop", "pause goes with segment");
    refuses("private=00", "private goes with at=startup");
    refuses("at=startup,flip=crc", "a startup frame has a header and a payload");
    refuses(
        "at=startup,with=payload,drop", "a startup frame has no segment: with does not go with at=startup");
    refuses("with=pad,drop", "with takes payload, message or payload+message, not pad");
    refuses("cut=5", "cut takes POSITION:COUNT, not 5");
    refuses("flip", "flip takes length, header, payload, pad, crc or marker, then perhaps :OCTET and :MASK");
    refuses("direction=device,drop", "direction takes initiator or responder, not device");
    refuses("drop=1", "drop takes no value, not 1");
    refuses("set=mpa.nothing:1", "set takes FIELD:VALUE, such as mpa.ird:4, not mpa.nothing:1");
    refuses("insert=2:0", "insert takes POSITION:OCTETS, at most 128 in hexadecimal, not 2:0");
    refuses("repeat=101", "repeat takes a number from 1 to 100, or nothing, not 101");
    assert_false(iw_relay_rule_parse("lose", &rule, error));
    assert_memory_equal(error, "unknown impairment lose (there are at, with,", 44);
    assert_false(iw_relay_rule_parse("at=hello#1,drop", &rule, error));
    assert_false(iw_relay_rule_parse("at=fpdu#0,drop", &rule, error));
}

/* Widths: RFC 5040 4.1, RFC 5041 4.3, RFC 6581 9.1. */
static void refuses_fields_that_cannot_be(void **state) {
    (void)state;
    takes("at=send,set=ddp.msn:4294967295");
    refuses("at=send,set=ddp.msn:4294967296", "ddp.msn has 32 bits: 4294967296 does not fit");
    refuses("at=send,set=ddp.msn:18446744073709551617",
        "set takes FIELD:VALUE, such as mpa.ird:4, not ddp.msn:18446744073709551617");
    refuses("set=mpa.ird:16384,at=startup", "mpa.ird has 14 bits: 16384 does not fit");
    refuses("at=startup,set=mpa.m:2", "mpa.m has 1 bit: 2 does not fit");
    takes("at=rdma-write,set=ddp.to:0xFFFFFFFFFFFFFFFF");
    refuses("at=send,set=mpa.ird:1", "no Send has the header field mpa.ird");
    refuses("at=startup,set=ddp.qn:0", "no startup frame has the header field ddp.qn");
    refuses("at=send,set=ddp.stag:1", "no Send has the header field ddp.stag");
    refuses("at=send,set=rdmap.invalidate_stag:1", "no Send has the header field rdmap.invalidate_stag");
    takes("at=send-with-invalidate,set=rdmap.invalidate_stag:1");
    refuses("set=mpa.crc:1", "no FPDU has the header field mpa.crc");
    takes("set=rdmap.read.size:1");
    takes("at=send,set=rdmap.opcode:31"); /* 5 bits where the draft is in force */
    refuses("at=send,set=rdmap.opcode:32", "rdmap.opcode has 5 bits: 32 does not fit");
    refuses("at=send,set=ddp.qn:1,set=ddp.mo:0,set=ddp.qn:2", "ddp.qn is set twice");
}

static void refuses_contradictions(void **state) {
    (void)state;
    refuses("drop,repeat", "drop and repeat contradict each other");
    refuses("at=send,set=ddp.qn:1,drop", "drop and set contradict each other");
    refuses("drop,delay=5", "drop and delay contradict each other");
    refuses("swap,repeat=2", "swap and repeat contradict each other");
    refuses("swap,close", "swap and close contradict each other");
    refuses("close,reset", "close and reset contradict each other");
    takes("drop,reset");
    takes("repeat,flip=payload");
}

static void reads_what_to_repair(void **state) {
    unsigned repair;

    (void)state;
    assert_true(iw_relay_repair_parse("crc", &repair));
    assert_int_equal(repair, IW_RELAY_REPAIR_CRC);
    assert_true(iw_relay_repair_parse("length,crc,markers", &repair));
    assert_int_equal(repair, IW_RELAY_REPAIR_LENGTH | IW_RELAY_REPAIR_CRC | IW_RELAY_REPAIR_MARKERS);
    assert_false(iw_relay_repair_parse("crc,", &repair));
    assert_false(iw_relay_repair_parse("pad", &repair));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_when_a_rule_applies),
        cmocka_unit_test(reads_what_a_rule_does),
        cmocka_unit_test(refuses_what_it_does_not_know),
        cmocka_unit_test(refuses_fields_that_cannot_be),
        cmocka_unit_test(refuses_contradictions),
        cmocka_unit_test(reads_what_to_repair),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
