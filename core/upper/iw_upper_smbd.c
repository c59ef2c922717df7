#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "iw_private_format.h"
#include "iw_smbd.h"
#include "iw_upper_state.h"

/* SMB Direct ([MS-SMBD] 2.2), and the buffers of SMB2 READ and WRITE ([MS-SMB2] 2.2.19, 2.2.21); least
 * significant octet first. */

enum {
    SMB2_HEADER = 64,
    SMB2_RESPONSE = 0x1, /* SMB2_FLAGS_SERVER_TO_REDIR */
    SMB2_ASYNC = 0x2,    /* SMB2_FLAGS_ASYNC_COMMAND */
    STATUS_PENDING = 0x103,
    SMB2_READ = 8,
    SMB2_WRITE = 9,
    SMB2_COMMANDS = 19,
    DESCRIPTOR = 16,
    DESCRIPTORS_MAX = 64,
    CHANNEL_NONE = 0,
    CHANNEL_INVALIDATE = 2, /* SMB2_CHANNEL_RDMA_V1_INVALIDATE; V1 is 1 */
    COMPOUND_MAX = 64,
};

static const char *const commands[SMB2_COMMANDS] = {"SMB2 NEGOTIATE", "SMB2 SESSION_SETUP", "SMB2 LOGOFF",
    "SMB2 TREE_CONNECT", "SMB2 TREE_DISCONNECT", "SMB2 CREATE", "SMB2 CLOSE", "SMB2 FLUSH", "SMB2 READ",
    "SMB2 WRITE", "SMB2 LOCK", "SMB2 IOCTL", "SMB2 CANCEL", "SMB2 ECHO", "SMB2 QUERY_DIRECTORY",
    "SMB2 CHANGE_NOTIFY", "SMB2 QUERY_INFO", "SMB2 SET_INFO", "SMB2 OPLOCK_BREAK"};

enum { SMB2_LOCK = 10, SMB2_CANCEL = 12, SMB2_CHANGE_NOTIFY = 15 };

void iw_upper_identified_smbd(struct iw_upper *upper) {
    for (enum iw_side sender = IW_SIDE_A; sender <= IW_SIDE_B; sender++) {
        const struct iw_upper_private *data = &upper->private_data[sender];
        const struct iw_private_format *format =
            data->seen ? iw_private_smbd_find(data->data, data->octets) : NULL;
        struct iw_upper_moment now;

        if (format == NULL || !format->little_endian)
            continue;
        now = iw_upper_set_moment(upper, (struct iw_upper_moment){sender, data->frame, data->time_ns});
        iw_upper_report(upper, IW_UPPER_SMBD_PRIVATE_01, 0, "most significant octet first",
            "least significant octet first",
            "IRD %" PRIu32 " and ORD %" PRIu32 " of the private data have the least significant octet first",
            iw_private_get(format, IW_PRIVATE_SMBD_IRD, data->data),
            iw_private_get(format, IW_PRIVATE_SMBD_ORD, data->data));
        iw_upper_set_moment(upper, now);
    }
}

/* ---- SMB2 ---- */

struct smb2 {
    const uint8_t *data; /* the header and what follows, up to the next of a compound */
    size_t octets;
};

static uint64_t smb2_message_id(const struct smb2 *smb2) {
    return iw_upper_little64(smb2->data + 24);
}

/* Adds the buffers that `info_octets` octets at `info_at` describe: TO, STag and length each. */
static void smbd_add_descriptors(struct iw_upper *upper, const struct iw_upper_send *send,
    struct iw_upper_call *call, const struct smb2 *smb2, size_t info_at, size_t info_octets, uint8_t access) {
    uint64_t at = 0, whole = 0;

    if (info_octets > smb2->octets || info_at > smb2->octets - info_octets ||
        info_octets / DESCRIPTOR > DESCRIPTORS_MAX) {
        upper->lost = true;
        return;
    }
    for (size_t i = 0; i + DESCRIPTOR <= info_octets; i += DESCRIPTOR)
        whole += iw_upper_little32(smb2->data + info_at + i + 12);
    for (size_t i = 0; i + DESCRIPTOR <= info_octets; i += DESCRIPTOR) {
        const uint8_t *descriptor = smb2->data + info_at + i;
        const struct iw_upper_buffer buffer = {.to = iw_upper_little64(descriptor),
            .stag = iw_upper_little32(descriptor + 8),
            .length = iw_upper_little32(descriptor + 12),
            .at = at,
            .whole = whole,
            .place = (uint32_t)(i / DESCRIPTOR),
            .access = access};

        at += buffer.length;
        if (buffer.length > 0)
            iw_upper_buffer_add(upper, send, call, &buffer);
    }
    if (call != NULL)
        call->octets = whole <= UINT32_MAX ? (uint32_t)whole : UINT32_MAX;
}

/* READ and WRITE have Channel, and offset and length of the descriptors, at different places. */
static void smbd_take_buffers(struct iw_upper *upper, const struct iw_upper_send *send,
    struct iw_upper_call *call, const struct smb2 *smb2, uint16_t command) {
    const uint8_t *body = smb2->data + SMB2_HEADER;
    bool read = command == SMB2_READ;
    size_t channel_at = read ? 36 : 32, info_at = read ? 44 : 40;
    uint32_t channel;

    if (smb2->octets < SMB2_HEADER + 48) {
        upper->lost = true;
        return;
    }
    channel = iw_upper_little32(body + channel_at);
    if (channel == CHANNEL_NONE)
        return;
    if (channel > CHANNEL_INVALIDATE) {
        upper->lost = true;
        return;
    }
    smbd_add_descriptors(upper, send, call, smb2, iw_upper_little16(body + info_at),
        iw_upper_little16(body + info_at + 2), read ? IW_UPPER_ACCESS_WRITE : IW_UPPER_ACCESS_READ);
}

/* A CHANGE_NOTIFY has its response at the next change; a LOCK of one range when the range is free, unless it
 * unlocks or has SMB2_LOCKFLAG_FAIL_IMMEDIATELY ([MS-SMB2] 2.2.26.1, 2.2.35). */
static bool smbd_waits_for_event(const struct smb2 *smb2, uint16_t command) {
    enum { LOCK_FLAGS = SMB2_HEADER + 40, UNLOCK = 0x04, FAIL_IMMEDIATELY = 0x10 };

    return command == SMB2_CHANGE_NOTIFY ||
           (command == SMB2_LOCK && smb2->octets >= LOCK_FLAGS + 4 &&
               (iw_upper_little32(smb2->data + LOCK_FLAGS) & (UNLOCK | FAIL_IMMEDIATELY)) == 0);
}

static void smbd_take_request(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct smb2 *smb2, uint16_t command) {
    struct iw_upper_call *call = NULL;

    if (command != SMB2_CANCEL && smb2_message_id(smb2) != UINT64_MAX)
        call = iw_upper_call_add(
            upper, send, smb2_message_id(smb2), command < SMB2_COMMANDS ? commands[command] : "SMB2 request");
    if (call != NULL)
        call->waits_for_event = smbd_waits_for_event(smb2, command);
    if (command == SMB2_READ || command == SMB2_WRITE)
        smbd_take_buffers(upper, send, call, smb2, command);
}

/* STATUS_PENDING with SMB2_FLAGS_ASYNC_COMMAND is an interim response: the request is outstanding until the
 * final response, which has its MessageId, too ([MS-SMB2] 3.2.5.1.5). Without the flag, the document does not
 * say whether another response follows. */
static void smbd_take_response(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct smb2 *smb2) {
    struct iw_upper_call *call = iw_upper_call_find(upper, iw_side_other(send->side), smb2_message_id(smb2));
    bool pending = iw_upper_little32(smb2->data + 8) == STATUS_PENDING;

    if (call == NULL) {
        if (smb2_message_id(smb2) != UINT64_MAX) /* that of an OPLOCK_BREAK Notification (2.2.23) */
            iw_upper_note_unmatched(upper, send);
        return;
    }
    if (!pending)
        iw_upper_call_end(upper, call);
    else if (!(iw_upper_little32(smb2->data + 16) & SMB2_ASYNC))
        iw_upper_call_drop(upper, call);
    else
        call->waits_for_event = true; /* the responder has announced it */
}

/* The rest of a compound is not read. If it has requests, their responses match no call. If it has responses,
 * any open call of the other side may have its response there. */
static void smbd_skip(struct iw_upper *upper, const struct iw_upper_send *send, bool responses) {
    uint32_t i = 0;

    upper->unread_frame = upper->frame;
    while (responses && i < upper->call_count)
        if (upper->calls[i].caller != send->side)
            iw_upper_call_drop(upper, &upper->calls[i]);
        else
            i++;
}

/* `whole`: no fragment of the message follows, and all of it is kept. */
static void smbd_take_smb2(
    struct iw_upper *upper, const struct iw_upper_send *send, struct smb2 rest, bool whole) {
    static const uint8_t protocol[4] = {0xFE, 'S', 'M', 'B'};
    bool responses = false;

    for (unsigned i = 0; i < COMPOUND_MAX; i++) {
        struct smb2 smb2 = rest;
        uint32_t next;

        if (i > 0 && rest.octets < SMB2_HEADER && !whole) {
            smbd_skip(upper, send, responses);
            return;
        }
        if (rest.octets < SMB2_HEADER || memcmp(rest.data, protocol, sizeof protocol) != 0)
            break;
        next = iw_upper_little32(rest.data + 20);
        if (next > 0 && next < rest.octets)
            smb2.octets = next;
        responses = (iw_upper_little32(rest.data + 16) & SMB2_RESPONSE) != 0;
        if (responses)
            smbd_take_response(upper, send, &smb2);
        else
            smbd_take_request(upper, send, &smb2, iw_upper_little16(rest.data + 12));
        if (next == 0)
            return;
        if (next >= rest.octets && !whole) {
            smbd_skip(upper, send, responses);
            return;
        }
        if (next >= rest.octets)
            break;
        rest.data += next;
        rest.octets -= next;
    }
    upper->lost = true; /* encrypted, compressed, SMB 1, or not kept */
}

/* ---- SMB Direct ---- */

void iw_upper_send_smbd(struct iw_upper *upper, const struct iw_upper_send *send) {
    bool continues = upper->fragments[send->side];
    uint32_t remaining, offset, octets;

    if (iw_smbd_is_negotiate(send->data, send->captured, send->octets))
        return;
    if (send->captured < IW_SMBD_HEADER_OCTETS) {
        upper->lost = true;
        return;
    }
    remaining = iw_upper_little32(send->data + 8);
    offset = iw_upper_little32(send->data + 12);
    octets = iw_upper_little32(send->data + 16);
    if (octets == 0) /* only credits */
        return;
    upper->fragments[send->side] = remaining > 0;
    if (continues)
        return;
    if (offset > send->captured) {
        upper->lost = true;
        return;
    }
    if (octets > send->captured - offset)
        octets = (uint32_t)(send->captured - offset);
    smbd_take_smb2(upper, send, (struct smb2){send->data + offset, octets},
        remaining == 0 && send->captured == send->octets);
}
