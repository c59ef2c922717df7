#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "iw_upper_state.h"

/* iSER (RFC 7145): a header of 28 octets, then an iSCSI PDU (RFC 7143). */

enum {
    HEADER = 28,
    BHS = 48,
    OPCODE_CONTROL = 1,
    OPCODE_HELLO = 2,
    OPCODE_HELLO_REPLY = 3,
    WSV = 0x08,
    RSV = 0x04,
    VERSIONS = 0xAA, /* both versions are 10 */
};

/* iSCSI opcodes (RFC 7143 11.2.1.2). */
enum {
    NOP_OUT = 0x00,
    COMMAND = 0x01,
    TASK_REQUEST = 0x02,
    LOGIN_REQUEST = 0x03,
    TEXT_REQUEST = 0x04,
    DATA_OUT = 0x05,
    LOGOUT_REQUEST = 0x06,
    SNACK = 0x10,
    NOP_IN = 0x20,
    RESPONSE = 0x21,
    TASK_RESPONSE = 0x22,
    LOGIN_RESPONSE = 0x23,
    TEXT_RESPONSE = 0x24,
    DATA_IN = 0x25,
    LOGOUT_RESPONSE = 0x26,
    R2T = 0x31,
};

enum { FLAG_FINAL = 0x80, FLAG_READ = 0x40, FLAG_WRITE = 0x20, TASK_REASSIGN = 8 };
enum { LIST_WRITE = 0, LIST_READ = 1 };

/* Details of a call: whether the command advertised the STags, and the STags. */
enum { DETAIL_STAGS, DETAIL_WRITE_STAG, DETAIL_READ_STAG };

struct iser {
    uint8_t flags;
    uint32_t write_stag, read_stag;
    uint64_t write_base, read_base;
    const uint8_t *bhs;
    uint8_t opcode;
    uint32_t data_octets;
    uint32_t itt;
    uint32_t word20; /* EDTL of a command, TTT of other PDUs */
};

static bool iser_are_zero(const uint8_t *at, size_t octets) {
    for (size_t i = 0; i < octets; i++)
        if (at[i] != 0)
            return false;
    return true;
}

/* ---- names ---- */

static const char *iser_scsi_name(uint8_t operation) {
    static const struct {
        uint8_t operation;
        const char *name;
    } names[] = {{0x00, "SCSI Test Unit Ready"}, {0x03, "SCSI Request Sense"}, {0x12, "SCSI Inquiry"},
        {0x1A, "SCSI Mode Sense(6)"}, {0x25, "SCSI Read Capacity(10)"}, {0x28, "SCSI Read(10)"},
        {0x2A, "SCSI Write(10)"}, {0x35, "SCSI Synchronize Cache(10)"}, {0x42, "SCSI Unmap"},
        {0x5A, "SCSI Mode Sense(10)"}, {0x88, "SCSI Read(16)"}, {0x8A, "SCSI Write(16)"},
        {0x91, "SCSI Synchronize Cache(16)"}, {0x93, "SCSI Write Same(16)"},
        {0x9E, "SCSI Service Action In(16)"}, {0xA0, "SCSI Report LUNs"}, {0xA3, "SCSI Maintenance In"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].operation == operation)
            return names[i].name;
    return "SCSI Command";
}

static const char *iser_operation(const struct iser *pdu) {
    switch (pdu->opcode) {
    case COMMAND:
        return iser_scsi_name(pdu->bhs[32]);
    case NOP_OUT:
        return "iSCSI NOP-Out";
    case TASK_REQUEST:
        return "iSCSI Task Management";
    case LOGIN_REQUEST:
        return "iSCSI Login";
    case TEXT_REQUEST:
        return "iSCSI Text";
    default:
        return "iSCSI Logout";
    }
}

/* ---- header ---- */

static void iser_judge_header(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iser *pdu) {
    const uint8_t *data = send->data;
    bool reassigns = pdu->opcode == TASK_REQUEST && (pdu->bhs[1] & 0x7F) == TASK_REASSIGN;

    if ((data[0] & 0x03) != 0 || !iser_are_zero(data + 1, 3))
        iw_upper_report(
            upper, IW_UPPER_RFC7145_9_2_01, 0, "0", "", "reserved bits of the iSER header are set");
    if (!(pdu->flags & WSV) && !iser_are_zero(data + 4, 12))
        iw_upper_report(upper, IW_UPPER_RFC7145_9_2_01, 0, "0", "",
            "Write STag 0x%08" PRIx32 " and Base Offset 0x%" PRIx64 " without the WSV flag", pdu->write_stag,
            pdu->write_base);
    if (!(pdu->flags & RSV) && !iser_are_zero(data + 16, 12))
        iw_upper_report(upper, IW_UPPER_RFC7145_9_2_01, 0, "0", "",
            "Read STag 0x%08" PRIx32 " and Base Offset 0x%" PRIx64 " without the RSV flag", pdu->read_stag,
            pdu->read_base);
    if ((pdu->flags & (WSV | RSV)) && pdu->opcode != COMMAND && !reassigns)
        iw_upper_report(upper, IW_UPPER_RFC7145_9_2_02, 0, "", "",
            "a PDU with opcode 0x%02x advertises an STag", pdu->opcode);
}

/* ---- requests ---- */

static void iser_judge_command(struct iw_upper *upper, const struct iser *pdu) {
    bool reads = (pdu->bhs[1] & FLAG_READ) != 0, writes = (pdu->bhs[1] & FLAG_WRITE) != 0;
    bool final = (pdu->bhs[1] & FLAG_FINAL) != 0;

    if (pdu->word20 == 0)
        return;
    if (reads && !writes && !(pdu->flags & RSV))
        iw_upper_report(upper, IW_UPPER_RFC7145_7_3_1_01, 0, "RSV=1", "RSV=0",
            "a SCSI Command reads %" PRIu32 " octets, but advertises no Read STag", pdu->word20);
    if (writes && final && pdu->data_octets < pdu->word20 && !(pdu->flags & WSV))
        iw_upper_report(upper, IW_UPPER_RFC7145_7_3_1_01, 0, "WSV=1", "WSV=0",
            "a SCSI Command writes %" PRIu32 " octets, %" PRIu32
            " of them unsolicited, but advertises no Write STag",
            pdu->word20, pdu->data_octets);
}

static void iser_add_buffers(struct iw_upper *upper, const struct iw_upper_send *send,
    struct iw_upper_call *call, const struct iser *pdu) {
    bool both = (pdu->bhs[1] & FLAG_READ) && (pdu->bhs[1] & FLAG_WRITE);
    struct iw_upper_buffer buffer = {.length = pdu->word20, .whole = pdu->word20};

    if (pdu->opcode != COMMAND) { /* a TASK REASSIGN: its length is that of another command */
        upper->lost |= (pdu->flags & (WSV | RSV)) != 0;
        return;
    }
    if (pdu->flags & WSV) {
        buffer.stag = pdu->write_stag;
        buffer.to = pdu->write_base;
        buffer.list = LIST_WRITE;
        buffer.access = IW_UPPER_ACCESS_READ;
        iw_upper_buffer_add(upper, send, call, &buffer);
    }
    if (pdu->flags & RSV) {
        buffer.stag = pdu->read_stag;
        buffer.to = pdu->read_base;
        buffer.list = LIST_READ;
        buffer.access = IW_UPPER_ACCESS_WRITE;
        if (both) /* the length is in an Additional Header Segment */
            buffer.length = buffer.whole = UINT64_MAX - buffer.to;
        iw_upper_buffer_add(upper, send, call, &buffer);
    }
}

static void iser_take_request(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iser *pdu) {
    struct iw_upper_call *call;

    if (pdu->itt == UINT32_MAX) /* no response is wanted */
        return;
    call = iw_upper_call_find(upper, send->side, pdu->itt);
    if (call != NULL)
        iw_upper_call_end(upper, call);
    call = iw_upper_call_add(upper, send, pdu->itt, iser_operation(pdu));
    if (pdu->opcode == COMMAND)
        iser_judge_command(upper, pdu);
    if (call != NULL) {
        call->octets = pdu->opcode == COMMAND ? pdu->word20 : 0;
        call->detail[DETAIL_STAGS] = pdu->flags & (WSV | RSV);
        call->detail[DETAIL_WRITE_STAG] = pdu->write_stag;
        call->detail[DETAIL_READ_STAG] = pdu->read_stag;
    }
    iser_add_buffers(upper, send, call, pdu);
}

/* Whether the text of a Login Request says that the session is for discovery. */
static bool iser_is_discovery(const struct iw_upper_send *send) {
    static const char key[] = "SessionType=Discovery";
    size_t octets = sizeof key; /* with the NUL that ends the value */

    for (uint64_t i = HEADER + BHS; i + octets <= send->captured; i++)
        if (memcmp(send->data + i, key, octets) == 0)
            return true;
    return false;
}

static void iser_judge_login(struct iw_upper *upper, const struct iw_upper_send *send) {
    if (!iw_upper_complete(upper))
        return;
    if (!upper->login_reported)
        iw_upper_report(upper, IW_UPPER_RFC7145_5_1_2_01, 0, "a login in the byte stream, before MPA",
            "a Login Request in a Send", "the login is sent over MPA");
    upper->login_reported = true;
    if (!upper->discovery_reported && iser_is_discovery(send)) {
        iw_upper_report(upper, IW_UPPER_RFC7145_5_1_02, 0, "a discovery session without iSER", "",
            "a discovery session uses iSER");
        upper->discovery_reported = true;
    }
}

/* ---- responses ---- */

static void iser_judge_invalidation(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_upper_call *call) {
    uint32_t stag;
    char expected[32], actual[32];

    if (call == NULL || !send->invalidates)
        return;
    snprintf(actual, sizeof actual, "0x%08" PRIx32, send->stag);
    if (call->detail[DETAIL_STAGS] == 0) {
        iw_upper_report(upper, IW_UPPER_RFC7145_7_3_2_02, call->frame, "a Send without Invalidate", actual,
            "the response invalidates STag 0x%08" PRIx32 ", but its command advertised none", send->stag);
        return;
    }
    stag =
        call->detail[DETAIL_STAGS] & RSV ? call->detail[DETAIL_READ_STAG] : call->detail[DETAIL_WRITE_STAG];
    snprintf(expected, sizeof expected, "0x%08" PRIx32, stag);
    if (send->stag != stag)
        iw_upper_report(upper, IW_UPPER_RFC7145_7_3_2_01, call->frame, expected, actual,
            "the response invalidates STag 0x%08" PRIx32 ", expected 0x%08" PRIx32, send->stag, stag);
}

static void iser_take_response(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iser *pdu) {
    struct iw_upper_call *call = iw_upper_call_find(upper, iw_side_other(send->side), pdu->itt);

    if (pdu->itt == UINT32_MAX)
        return;
    if (pdu->opcode == RESPONSE)
        iser_judge_invalidation(upper, send, call);
    if (call != NULL)
        iw_upper_call_end(upper, call);
}

/* ---- PDUs ---- */

static void iser_judge_pdu(struct iw_upper *upper, const struct iw_upper_send *send, const struct iser *pdu) {
    if (pdu->opcode == DATA_IN || pdu->opcode == R2T || pdu->opcode == SNACK)
        iw_upper_report(upper, IW_UPPER_RFC7145_7_1_01, 0, "", "", "%s is sent as a PDU",
            pdu->opcode == DATA_IN ? "Data-In"
            : pdu->opcode == R2T   ? "R2T"
                                   : "SNACK");
    if (pdu->opcode == DATA_OUT && pdu->word20 != UINT32_MAX)
        iw_upper_report(upper, IW_UPPER_RFC7145_7_3_4_01, 0, "Target Transfer Tag 0xffffffff", "",
            "Data-Out has solicited data: Target Transfer Tag 0x%08" PRIx32, pdu->word20);
    if (send->invalidates && pdu->opcode != RESPONSE)
        iw_upper_report(upper, IW_UPPER_RFC7145_1_5_1_01, 0, "a Send without Invalidate",
            "Send with Invalidate", "a PDU with opcode 0x%02x invalidates STag 0x%08" PRIx32, pdu->opcode,
            send->stag);
}

static void iser_take_pdu(struct iw_upper *upper, const struct iw_upper_send *send) {
    const uint8_t *data = send->data, *bhs = data + HEADER;
    const struct iser pdu = {.flags = data[0] & 0x0F,
        .write_stag = iw_upper_big32(data + 4),
        .write_base = iw_upper_big64(data + 8),
        .read_stag = iw_upper_big32(data + 16),
        .read_base = iw_upper_big64(data + 20),
        .bhs = bhs,
        .opcode = bhs[0] & 0x3F,
        .data_octets = iw_upper_big32(bhs + 4) & 0xFFFFFF,
        .itt = iw_upper_big32(bhs + 16),
        .word20 = iw_upper_big32(bhs + 20)};

    iser_judge_header(upper, send, &pdu);
    iser_judge_pdu(upper, send, &pdu);
    if (pdu.opcode == LOGIN_REQUEST)
        iser_judge_login(upper, send);
    switch (pdu.opcode) {
    case NOP_OUT:
    case COMMAND:
    case TASK_REQUEST:
    case LOGIN_REQUEST:
    case TEXT_REQUEST:
    case LOGOUT_REQUEST:
        iser_take_request(upper, send, &pdu);
        break;
    case NOP_IN:
    case RESPONSE:
    case TASK_RESPONSE:
    case LOGIN_RESPONSE:
    case TEXT_RESPONSE:
    case LOGOUT_RESPONSE:
        iser_take_response(upper, send, &pdu);
        break;
    default:
        break;
    }
}

static void iser_take_hello(struct iw_upper *upper, const struct iw_upper_send *send, uint8_t opcode) {
    uint16_t depth = (uint16_t)(send->data[2] << 8 | send->data[3]);

    if (send->octets != HEADER)
        iw_upper_report(upper, IW_UPPER_RFC7145_9_01, 0, "28 octets", "",
            "%s of %" PRIu64 " octets, expected 28", opcode == OPCODE_HELLO ? "Hello" : "HelloReply",
            send->octets);
    if (send->data[1] != VERSIONS)
        iw_upper_report(upper, IW_UPPER_RFC7145_9_3_01, 0, "10 and 10", "",
            "the versions of %s are %u and %u", opcode == OPCODE_HELLO ? "Hello" : "HelloReply",
            send->data[1] >> 4, send->data[1] & 0x0F);
    if (opcode == OPCODE_HELLO) {
        upper->hello_seen = true;
        upper->hello_ird = depth;
    } else if (upper->hello_seen && depth > upper->hello_ird) {
        iw_upper_report(upper, IW_UPPER_RFC7145_5_1_3_02, 0, "", "",
            "iSER-ORD of the HelloReply is %u, more than iSER-IRD %u of the Hello", depth, upper->hello_ird);
    }
}

void iw_upper_send_iser(struct iw_upper *upper, const struct iw_upper_send *send) {
    uint8_t opcode;

    if (send->octets >= HEADER && send->captured < HEADER) {
        upper->lost = true;
        return;
    }
    opcode = send->octets < HEADER ? 0 : send->data[0] >> 4;
    if (opcode < OPCODE_CONTROL || opcode > OPCODE_HELLO_REPLY)
        iw_upper_report(upper, IW_UPPER_RFC7145_9_01, 0, "opcode 1, 2 or 3", "",
            "a Send of %" PRIu64 " octets is no iSER message", send->octets);
    else if (opcode != OPCODE_CONTROL)
        iser_take_hello(upper, send, opcode);
    else if (send->captured >= HEADER + BHS)
        iser_take_pdu(upper, send);
    else
        upper->lost = true;
}

void iw_upper_use_iser(struct iw_upper *upper, const struct iw_upper_use *use) {
    if (upper->initiator_access_reported)
        return;
    upper->initiator_access_reported = true;
    iw_upper_report(upper, IW_UPPER_RFC7145_1_5_3_01, 0, "", "",
        "the initiator sends an %s of %" PRIu64 " octets",
        use->access == IW_UPPER_ACCESS_WRITE ? "RDMA Write" : "RDMA Read Request", use->octets);
}
