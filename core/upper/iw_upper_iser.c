#include <inttypes.h>
#include <stdio.h>

#include "iw_upper_iser.h"

enum { FLAG_FINAL = 0x80, FLAG_READ = 0x40, FLAG_WRITE = 0x20, TASK_REASSIGN = 8 };
enum { LIST_WRITE = 0, LIST_READ = 1 };

/* Details of a call: which STags the command advertised, the STags, and whether an earlier message has the
 * same Initiator Task Tag. */
enum {
    DETAIL_STAGS,
    DETAIL_WRITE_STAG,
    DETAIL_READ_STAG,
    DETAIL_REPEATED,
    DETAIL_FUNCTION,
    DETAIL_REFERENCED
};

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

static const char *iser_operation(const struct iw_upper_iser_pdu *pdu) {
    switch (pdu->opcode) {
    case IW_ISCSI_COMMAND:
        return iser_scsi_name(pdu->bhs[32]);
    case IW_ISCSI_NOP_OUT:
        return "iSCSI NOP-Out";
    case IW_ISCSI_TASK_REQUEST:
        return "iSCSI Task Management";
    case IW_ISCSI_LOGIN_REQUEST:
        return "iSCSI Login";
    case IW_ISCSI_TEXT_REQUEST:
        return "iSCSI Text";
    default:
        return "iSCSI Logout";
    }
}

/* ---- header ---- */

/* A Task Management Function Request that moves a task to this connection (RFC 7145 7.3.3). */
static bool iser_reassigns(const struct iw_upper_iser_pdu *pdu) {
    return pdu->opcode == IW_ISCSI_TASK_REQUEST && (pdu->bhs[1] & 0x7F) == TASK_REASSIGN;
}

static void iser_judge_header(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_upper_iser_pdu *pdu) {
    const uint8_t *data = send->data;

    if ((data[0] & 0x03) != 0 || !iw_upper_are_zero(data + 1, 3))
        iw_upper_report(
            upper, IW_UPPER_RFC7145_9_2_01, 0, "0", "", "reserved bits of the iSER header are set");
    if (!(pdu->flags & IW_ISER_WSV) && !iw_upper_are_zero(data + 4, 12))
        iw_upper_report(upper, IW_UPPER_RFC7145_9_2_01, 0, "0", "",
            "Write STag 0x%08" PRIx32 " and Base Offset 0x%" PRIx64 " without the WSV flag", pdu->write_stag,
            pdu->write_base);
    if (!(pdu->flags & IW_ISER_RSV) && !iw_upper_are_zero(data + 16, 12))
        iw_upper_report(upper, IW_UPPER_RFC7145_9_2_01, 0, "0", "",
            "Read STag 0x%08" PRIx32 " and Base Offset 0x%" PRIx64 " without the RSV flag", pdu->read_stag,
            pdu->read_base);
    if ((pdu->flags & (IW_ISER_WSV | IW_ISER_RSV)) && pdu->opcode != IW_ISCSI_COMMAND && !iser_reassigns(pdu))
        iw_upper_report(upper, IW_UPPER_RFC7145_9_2_02, 0, "", "",
            "a PDU with opcode 0x%02x advertises an STag", pdu->opcode);
}

/* ---- requests ---- */

static void iser_judge_command(struct iw_upper *upper, const struct iw_upper_iser_pdu *pdu) {
    bool reads = (pdu->bhs[1] & FLAG_READ) != 0, writes = (pdu->bhs[1] & FLAG_WRITE) != 0;
    bool final = (pdu->bhs[1] & FLAG_FINAL) != 0;

    if (pdu->word20 == 0)
        return;
    if (reads && !writes && !(pdu->flags & IW_ISER_RSV))
        iw_upper_report(upper, IW_UPPER_RFC7145_7_3_1_01, 0, "RSV=1", "RSV=0",
            "a SCSI Command reads %" PRIu32 " octets, but advertises no Read STag", pdu->word20);
    if (writes && final && pdu->data_octets < pdu->word20 && !(pdu->flags & IW_ISER_WSV))
        iw_upper_report(upper, IW_UPPER_RFC7145_7_3_1_01, 0, "WSV=1", "WSV=0",
            "a SCSI Command writes %" PRIu32 " octets, %" PRIu32
            " of them unsolicited, but advertises no Write STag",
            pdu->word20, pdu->data_octets);
}

static void iser_add_buffers(struct iw_upper *upper, const struct iw_upper_send *send,
    struct iw_upper_call *call, const struct iw_upper_iser_pdu *pdu) {
    bool both = (pdu->bhs[1] & FLAG_READ) && (pdu->bhs[1] & FLAG_WRITE);
    struct iw_upper_buffer buffer = {.length = pdu->word20, .whole = pdu->word20};

    if (pdu->opcode != IW_ISCSI_COMMAND) { /* a TASK REASSIGN: its length is that of another command */
        upper->lost |= (pdu->flags & (IW_ISER_WSV | IW_ISER_RSV)) != 0;
        return;
    }
    if (pdu->flags & IW_ISER_WSV) {
        buffer.stag = pdu->write_stag;
        buffer.to = pdu->write_base;
        buffer.list = LIST_WRITE;
        buffer.access = IW_UPPER_ACCESS_READ;
        iw_upper_buffer_add(upper, send, call, &buffer);
    }
    if (pdu->flags & IW_ISER_RSV) {
        buffer.stag = pdu->read_stag;
        buffer.to = pdu->read_base;
        buffer.list = LIST_READ;
        buffer.access = IW_UPPER_ACCESS_WRITE;
        if (both) /* the length is in an Additional Header Segment */
            buffer.length = buffer.whole = UINT64_MAX - buffer.to;
        iw_upper_buffer_add(upper, send, call, &buffer);
    }
}

/* Forgets the call with this Initiator Task Tag. Returns whether there was one. */
static bool iser_drop(struct iw_upper *upper, enum iw_side caller, uint32_t itt) {
    struct iw_upper_call *call = iw_upper_call_find(upper, caller, itt);

    if (call != NULL)
        iw_upper_call_drop(upper, call);
    return call != NULL;
}

static void iser_take_request(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_upper_iser_pdu *pdu) {
    struct iw_upper_call *call;
    bool repeated;

    if (pdu->itt == UINT32_MAX) /* no response is wanted */
        return;
    if (iser_reassigns(pdu))
        iser_drop(upper, send->side, pdu->word20); /* the Referenced Task Tag */
    /* The same command again (RFC 7143 4.2.2.1), or another after an abort, which leaves a task without a
     * response. The target may use the STags of either. */
    repeated = iser_drop(upper, send->side, pdu->itt);
    call = iw_upper_call_add(upper, send, pdu->itt, iser_operation(pdu));
    if (pdu->opcode == IW_ISCSI_COMMAND)
        iser_judge_command(upper, pdu);
    if (call != NULL) {
        call->octets = pdu->opcode == IW_ISCSI_COMMAND ? pdu->word20 : 0;
        call->detail[DETAIL_STAGS] = pdu->flags & (IW_ISER_WSV | IW_ISER_RSV);
        call->detail[DETAIL_WRITE_STAG] = pdu->write_stag;
        call->detail[DETAIL_READ_STAG] = pdu->read_stag;
        call->detail[DETAIL_REPEATED] = repeated;
        call->detail[DETAIL_FUNCTION] = pdu->bhs[1] & 0x7F; /* of a Task Management Function Request */
        call->detail[DETAIL_REFERENCED] = pdu->word20;
    }
    iser_add_buffers(upper, send, call, pdu);
}

/* ---- responses ---- */

static void iser_judge_invalidation(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_upper_call *call) {
    uint32_t stag;
    char expected[32], actual[32];

    if (call == NULL || !send->invalidates || call->detail[DETAIL_REPEATED])
        return;
    snprintf(actual, sizeof actual, "0x%08" PRIx32, send->stag);
    if (call->detail[DETAIL_STAGS] == 0) {
        iw_upper_report(upper, IW_UPPER_RFC7145_7_3_2_02, call->frame, "a Send without Invalidate", actual,
            "the response invalidates STag 0x%08" PRIx32 ", but its command advertised none", send->stag);
        return;
    }
    stag = call->detail[DETAIL_STAGS] & IW_ISER_RSV ? call->detail[DETAIL_READ_STAG]
                                                    : call->detail[DETAIL_WRITE_STAG];
    snprintf(expected, sizeof expected, "0x%08" PRIx32, stag);
    if (send->stag != stag)
        iw_upper_report(upper, IW_UPPER_RFC7145_7_3_2_01, call->frame, expected, actual,
            "the response invalidates STag 0x%08" PRIx32 ", expected 0x%08" PRIx32, send->stag, stag);
}

/* Calls of the side that need no response any more: all, or that with the Initiator Task Tag. */
static void iser_give_up(struct iw_upper *upper, enum iw_side caller, const uint32_t *itt) {
    for (uint32_t i = 0; i < upper->call_count; i++)
        if (upper->calls[i].caller == caller && (itt == NULL || upper->calls[i].key == *itt))
            upper->calls[i].may_be_answered = true;
}

/* A task that is aborted or reset has no response (RFC 7143 11.6), nor has a PDU that is rejected
 * (11.17), nor a task that a logout ends (11.14). A Reject tells its PDU in its data, which may not be
 * kept. */
static void iser_take_end(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_upper_iser_pdu *pdu) {
    enum { ABORT_TASK = 1, COMPLETE = 0 };
    enum iw_side caller = iw_side_other(send->side);
    const struct iw_upper_call *call = iw_upper_call_find(upper, caller, pdu->itt);
    bool one =
        pdu->opcode == IW_ISCSI_TASK_RESPONSE && call != NULL && call->detail[DETAIL_FUNCTION] == ABORT_TASK;
    uint32_t referenced = one ? call->detail[DETAIL_REFERENCED] : 0;

    if (pdu->opcode == IW_ISCSI_REJECT || pdu->bhs[2] == COMPLETE)
        iser_give_up(upper, caller, one ? &referenced : NULL);
}

static void iser_take_response(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_upper_iser_pdu *pdu) {
    struct iw_upper_call *call = iw_upper_call_find(upper, iw_side_other(send->side), pdu->itt);

    if (pdu->itt == UINT32_MAX)
        return;
    if (pdu->opcode == IW_ISCSI_RESPONSE) {
        iser_judge_invalidation(upper, send, call);
        if (call != NULL && !call->detail[DETAIL_REPEATED])
            iw_upper_read_judge_reply(upper, send, call, IW_UPPER_RFC7145_7_3_2_03);
    }
    if (call != NULL)
        iw_upper_call_end(upper, call);
    else
        iw_upper_note_unmatched(upper, send);
}

/* ---- PDUs ---- */

static void iser_judge_pdu(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_upper_iser_pdu *pdu) {
    if (pdu->opcode == IW_ISCSI_DATA_IN || pdu->opcode == IW_ISCSI_R2T || pdu->opcode == IW_ISCSI_SNACK)
        iw_upper_report(upper, IW_UPPER_RFC7145_7_1_01, 0, "", "", "%s is sent as a PDU",
            pdu->opcode == IW_ISCSI_DATA_IN ? "Data-In"
            : pdu->opcode == IW_ISCSI_R2T   ? "R2T"
                                            : "SNACK");
    if (pdu->opcode == IW_ISCSI_DATA_OUT && pdu->word20 != UINT32_MAX)
        iw_upper_report(upper, IW_UPPER_RFC7145_7_3_4_01, 0, "Target Transfer Tag 0xffffffff", "",
            "Data-Out has solicited data: Target Transfer Tag 0x%08" PRIx32, pdu->word20);
    if (send->invalidates && pdu->opcode != IW_ISCSI_RESPONSE)
        iw_upper_report(upper, IW_UPPER_RFC7145_1_5_1_01, 0, "a Send without Invalidate",
            "Send with Invalidate", "a PDU with opcode 0x%02x invalidates STag 0x%08" PRIx32, pdu->opcode,
            send->stag);
}

static void iser_take_pdu(struct iw_upper *upper, const struct iw_upper_send *send) {
    const uint8_t *data = send->data, *bhs = data + IW_ISER_HEADER_OCTETS;
    const struct iw_upper_iser_pdu pdu = {.flags = data[0] & 0x0F,
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
    iw_upper_iser_login(upper, send, &pdu);
    switch (pdu.opcode) {
    case IW_ISCSI_NOP_OUT:
    case IW_ISCSI_COMMAND:
    case IW_ISCSI_TASK_REQUEST:
    case IW_ISCSI_LOGIN_REQUEST:
    case IW_ISCSI_TEXT_REQUEST:
    case IW_ISCSI_LOGOUT_REQUEST:
        iser_take_request(upper, send, &pdu);
        break;
    case IW_ISCSI_REJECT:
        iser_take_end(upper, send, &pdu);
        break;
    case IW_ISCSI_TASK_RESPONSE:
    case IW_ISCSI_LOGOUT_RESPONSE:
        iser_take_end(upper, send, &pdu);
        iser_take_response(upper, send, &pdu);
        break;
    case IW_ISCSI_NOP_IN:
    case IW_ISCSI_RESPONSE:
    case IW_ISCSI_LOGIN_RESPONSE:
    case IW_ISCSI_TEXT_RESPONSE:
        iser_take_response(upper, send, &pdu);
        break;
    default:
        break;
    }
}

void iw_upper_send_iser(struct iw_upper *upper, const struct iw_upper_send *send) {
    uint8_t opcode;

    if (send->octets >= IW_ISER_HEADER_OCTETS && send->captured < IW_ISER_HEADER_OCTETS) {
        upper->lost = true;
        return;
    }
    opcode = send->octets < IW_ISER_HEADER_OCTETS ? 0 : send->data[0] >> 4;
    if (opcode < IW_ISER_CONTROL || opcode > IW_ISER_HELLO_REPLY)
        iw_upper_report(upper, IW_UPPER_RFC7145_9_01, 0, "opcode 1, 2 or 3", "",
            "a Send of %" PRIu64 " octets is no iSER message", send->octets);
    else if (opcode != IW_ISER_CONTROL)
        iw_upper_iser_hello(upper, send);
    else if (send->captured >= IW_ISER_HEADER_OCTETS + IW_ISCSI_HEADER_OCTETS)
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
