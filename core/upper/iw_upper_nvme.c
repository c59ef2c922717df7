#include "iw_nvme.h"
#include "iw_upper_state.h"

enum {
    EVENT_REQUEST = 0x0C, /* on the Admin queue */
    SGL_KEYED = 4,        /* SGL descriptor type: Keyed SGL Data Block */
    SGL_IN_CAPSULE = 0,   /* SGL Data Block */
};

static const char *const fabrics[] = {[0x00] = "NVMe Property Set",
    [IW_NVME_CONNECT] = "NVMe Connect",
    [0x04] = "NVMe Property Get",
    [0x05] = "NVMe Authentication Send",
    [0x06] = "NVMe Authentication Receive",
    [0x08] = "NVMe Disconnect"};
static const char *const admin[] = {[0x02] = "NVMe Get Log Page",
    [0x06] = "NVMe Identify",
    [0x08] = "NVMe Abort",
    [0x09] = "NVMe Set Features",
    [0x0A] = "NVMe Get Features",
    [EVENT_REQUEST] = "NVMe Asynchronous Event Request",
    [0x18] = "NVMe Keep Alive"};
static const char *const io[] = {[0x00] = "NVMe Flush",
    [0x01] = "NVMe Write",
    [0x02] = "NVMe Read",
    [0x04] = "NVMe Write Uncorrectable",
    [0x05] = "NVMe Compare",
    [0x08] = "NVMe Write Zeroes",
    [0x09] = "NVMe Dataset Management"};

#define NAME(names, at) ((at) < sizeof(names) / sizeof *(names) && (names)[at] != NULL ? (names)[at] : NULL)

/* The queue is 0 (Admin) or another by the private data of the Request; unknown without it. */
static bool nvme_queue_known(const struct iw_upper *upper) {
    const struct iw_upper_private *data = &upper->private_data[upper->initiator];

    return upper->initiator_known && data->seen && data->octets >= 4;
}

static bool nvme_queue_is_admin(const struct iw_upper *upper) {
    return nvme_queue_known(upper) && iw_upper_little16(upper->private_data[upper->initiator].data + 2) == 0;
}

static const char *nvme_operation(const struct iw_upper *upper, const uint8_t *command) {
    const char *name = NULL;

    if (command[0] == IW_NVME_FABRICS)
        name = NAME(fabrics, command[4]);
    else if (nvme_queue_known(upper))
        name = nvme_queue_is_admin(upper) ? NAME(admin, command[0]) : NAME(io, command[0]);
    return name != NULL ? name : "NVMe command";
}

/* The controller completes an Asynchronous Event Request when it has an event to report (NVM Express Base
 * Specification 5.2). */
static bool nvme_waits_for_event(const struct iw_upper *upper, const uint8_t *command) {
    return command[0] == EVENT_REQUEST && nvme_queue_is_admin(upper);
}

/* The low two bits of an opcode, or of the type of a Fabrics command, say where the data go. */
static uint8_t nvme_access(const uint8_t *command) {
    uint8_t direction = (command[0] == IW_NVME_FABRICS ? command[4] : command[0]) & 3;

    return direction == 1   ? IW_UPPER_ACCESS_READ
           : direction == 2 ? IW_UPPER_ACCESS_WRITE
                            : IW_UPPER_ACCESS_READ | IW_UPPER_ACCESS_WRITE;
}

static void nvme_add_buffer(struct iw_upper *upper, const struct iw_upper_send *send,
    struct iw_upper_call *call, const uint8_t *command) {
    const uint8_t *sgl = command + 24;
    uint8_t type = sgl[15];
    struct iw_upper_buffer buffer = {.to = iw_upper_little64(sgl),
        .length = iw_upper_little32(sgl + 8) & 0xFFFFFF,
        .stag = iw_upper_little32(sgl + 11),
        .access = nvme_access(command)};

    if (type >> 4 == SGL_IN_CAPSULE)
        return;
    if (type >> 4 != SGL_KEYED) {
        upper->lost = true; /* more descriptors follow in the capsule */
        return;
    }
    if (buffer.length == 0)
        return;
    buffer.whole = buffer.length;
    iw_upper_buffer_add(upper, send, call, &buffer);
    if (call != NULL)
        call->octets = (uint32_t)buffer.length;
}

static void nvme_take_command(struct iw_upper *upper, const struct iw_upper_send *send) {
    const uint8_t *command = send->data;
    uint16_t id = iw_upper_little16(command + 2);
    struct iw_upper_call *call = iw_upper_call_find(upper, send->side, id);

    if (call != NULL) { /* its completion was not recognised */
        upper->lost = true;
        iw_upper_call_drop(upper, call);
    }
    call = iw_upper_call_add(upper, send, id, nvme_operation(upper, command));
    if (call != NULL)
        call->waits_for_event = nvme_waits_for_event(upper, command);
    nvme_add_buffer(upper, send, call, command);
}

static void nvme_take_completion(struct iw_upper *upper, const struct iw_upper_send *send) {
    struct iw_upper_call *call =
        iw_upper_call_find(upper, iw_side_other(send->side), iw_upper_little16(send->data + 12));

    if (call != NULL)
        iw_upper_call_end(upper, call);
    else
        iw_upper_note_unmatched(upper, send);
}

bool iw_upper_nvme_is_command(const struct iw_upper_send *send) {
    return send->captured >= IW_NVME_COMMAND_OCTETS && send->data[1] == IW_NVME_SGLS &&
           (send->data[39] >> 4 == SGL_IN_CAPSULE || send->data[39] >> 4 == SGL_KEYED);
}

void iw_upper_send_nvme(struct iw_upper *upper, const struct iw_upper_send *send) {
    bool host = !upper->initiator_known || send->side == upper->initiator;

    if (send->octets == IW_NVME_COMPLETION_OCTETS && send->captured == IW_NVME_COMPLETION_OCTETS)
        nvme_take_completion(upper, send);
    else if (send->captured >= IW_NVME_COMMAND_OCTETS && host)
        nvme_take_command(upper, send);
    else
        upper->lost = true;
}
