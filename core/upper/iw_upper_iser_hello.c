#include "iw_upper_iser.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Hello and HelloReply of iSER (RFC 7145 9.3, 9.4): a header without a PDU, with few fixed octets. As the
 * first messages of a connection, they are kept until a PDU shows that the protocol is iSER, or until both
 * together show it. */

enum {
    REJ = 0x01,
    VERSION = 10,
    VERSIONS = VERSION << 4 | VERSION, /* octet 1 of this version (RFC 7145 9.3, 9.4) */
    RESERVED = 4,                      /* from this octet on */
};

static const char *hello_name(enum iw_iser_opcode opcode) {
    return opcode == IW_ISER_HELLO ? "Hello" : "HelloReply";
}

/* Whether the reserved fields are 0: half of octet 0, of which HelloReply uses one bit, and all after
 * octet 3. */
static bool hello_reserved_is_zero(const uint8_t data[IW_ISER_HEADER_OCTETS]) {
    unsigned used = data[0] >> 4 == IW_ISER_HELLO_REPLY ? REJ : 0;

    return (data[0] & 0x0F & ~used) == 0 &&
           iw_upper_are_zero(data + RESERVED, IW_ISER_HEADER_OCTETS - RESERVED);
}

void iw_upper_iser_hello(struct iw_upper *upper, const struct iw_upper_send *send) {
    enum iw_iser_opcode opcode = (enum iw_iser_opcode)(send->data[0] >> 4);
    unsigned first = send->data[1] >> 4, second = send->data[1] & 0x0F;
    uint16_t depth = (uint16_t)(send->data[2] << 8 | send->data[3]);

    if (send->octets != IW_ISER_HEADER_OCTETS)
        iw_upper_report(upper, IW_UPPER_RFC7145_9_01, 0, "28 octets", "",
            "%s of %" PRIu64 " octets, expected 28", hello_name(opcode), send->octets);
    if (first != VERSION || second != VERSION)
        iw_upper_report(upper, IW_UPPER_RFC7145_9_3_01, 0, "10 and 10", "",
            "the versions of %s are %u and %u", hello_name(opcode), first, second);
    if (!hello_reserved_is_zero(send->data))
        iw_upper_report(
            upper, IW_UPPER_RFC7145_9_3_01, 0, "0", "", "reserved bits of %s are set", hello_name(opcode));
    if (send->invalidates)
        iw_upper_report(upper, IW_UPPER_RFC7145_1_5_1_01, 0, "a Send without Invalidate",
            "Send with Invalidate", "%s invalidates STag 0x%08" PRIx32, hello_name(opcode), send->stag);
    if (opcode == IW_ISER_HELLO) {
        upper->hello_seen = true;
        upper->hello_ird = depth;
    } else if (upper->hello_seen && !(send->data[0] & REJ) && depth > upper->hello_ird) {
        iw_upper_report(upper, IW_UPPER_RFC7145_5_1_3_02, 0, "", "",
            "iSER-ORD of the HelloReply is %u, more than iSER-IRD %u of the Hello", depth, upper->hello_ird);
    }
}

/* ---- messages before the protocol is known ---- */

/* Whether it is the first message of its side, of exactly a header, with the right opcode, and with reserved
 * fields of 0 or the versions of this protocol. */
static bool hello_may_be(const struct iw_upper *upper, const struct iw_upper_send *send) {
    unsigned opcode = send->side == upper->initiator ? IW_ISER_HELLO : IW_ISER_HELLO_REPLY;

    return upper->initiator_known && upper->hello[send->side] == NULL && upper->unknown_sends == 0 &&
           send->octets == IW_ISER_HEADER_OCTETS && send->captured == IW_ISER_HEADER_OCTETS &&
           send->data[0] >> 4 == opcode && (hello_reserved_is_zero(send->data) || send->data[1] == VERSIONS);
}

bool iw_upper_iser_note_hello(struct iw_upper *upper, const struct iw_upper_send *send) {
    struct iw_upper_hello *hello;

    if (!hello_may_be(upper, send))
        return false;
    hello = malloc(sizeof *hello);
    if (hello == NULL) {
        iw_upper_set_no_memory(upper);
        return false;
    }
    hello->send = *send;
    memcpy(hello->data, send->data, sizeof hello->data);
    upper->hello[send->side] = hello;
    upper->rping_excluded = true;
    return true;
}

static bool hello_is_certain(const struct iw_upper_hello *hello) {
    return hello != NULL && hello_reserved_is_zero(hello->data) &&
           (hello->data[1] >> 4 == VERSION || (hello->data[1] & 0x0F) == VERSION);
}

bool iw_upper_iser_is_exchange(const struct iw_upper *upper) {
    return hello_is_certain(upper->hello[IW_SIDE_A]) && hello_is_certain(upper->hello[IW_SIDE_B]);
}

static void hello_take(struct iw_upper *upper, struct iw_upper_hello *hello) {
    struct iw_upper_moment now;

    if (hello == NULL)
        return;
    now = iw_upper_set_moment(
        upper, (struct iw_upper_moment){hello->send.side, hello->send.frame, hello->send.time_ns});
    hello->send.data = hello->data;
    upper->counts.messages[hello->send.side]++;
    iw_upper_iser_hello(upper, &hello->send);
    iw_upper_set_moment(upper, now);
}

void iw_upper_identified_iser(struct iw_upper *upper) {
    hello_take(upper, upper->hello[upper->initiator]);
    hello_take(upper, upper->hello[iw_side_other(upper->initiator)]);
    iw_upper_iser_forget_hello(upper);
}

bool iw_upper_iser_forget_hello(struct iw_upper *upper) {
    bool any = upper->hello[IW_SIDE_A] != NULL || upper->hello[IW_SIDE_B] != NULL;

    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        free(upper->hello[side]);
        upper->hello[side] = NULL;
    }
    return any;
}
