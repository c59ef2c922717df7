#include <inttypes.h>
#include <stdio.h>

#include "iw_private_format.h"
#include "iw_upper_rpc.h"

/* The private data of RPC-over-RDMA (RFC 8797), and the sizes of Sends that they state. */

enum { INLINE_OCTETS = 1024 }; /* without private data (RFC 8166 3.3.3) */

/* A receiver searches for the Format Identifier at any offset, and decodes what follows (RFC 8797 5.2). */
static bool rpc_private_find(struct iw_upper_private *data) {
    size_t kept = iw_upper_private_kept(data);

    for (size_t i = 0; i + iw_private_rpc.octets <= kept; i++)
        if (iw_private_get(&iw_private_rpc, IW_PRIVATE_RPC_FORMAT, data->data + i) ==
            IW_PRIVATE_RPC_IDENTIFIER) {
            data->rpc_at = (uint16_t)i;
            return true;
        }
    return false;
}

static uint32_t rpc_private_get(const struct iw_upper_private *data, enum iw_private_field field) {
    return iw_private_get(&iw_private_rpc, field, data->data + data->rpc_at);
}

void iw_upper_rpc_private_decode(struct iw_upper_private *data) {
    if (!rpc_private_find(data)) {
        data->rpc_other = data->octets > IW_UPPER_PRIVATE_OCTETS;
        return;
    }
    data->rpc = rpc_private_get(data, IW_PRIVATE_RPC_VERSION) == 1;
    data->rpc_other = !data->rpc;
    if (data->rpc_other)
        return;
    data->invalidate = (rpc_private_get(data, IW_PRIVATE_RPC_FLAGS) & IW_PRIVATE_RPC_INVALIDATION) != 0;
    data->send_octets = iw_private_rpc_octets(rpc_private_get(data, IW_PRIVATE_RPC_SEND));
    data->receive_octets = iw_private_rpc_octets(rpc_private_get(data, IW_PRIVATE_RPC_RECEIVE));
}

static void rpc_private_judge(struct iw_upper *upper, const struct iw_upper_private *data) {
    uint32_t version = rpc_private_get(data, IW_PRIVATE_RPC_VERSION);
    uint32_t flags = rpc_private_get(data, IW_PRIVATE_RPC_FLAGS);
    char actual[32];

    if (data->rpc_at > 0)
        iw_upper_report(upper, IW_UPPER_RFC8797_4_01, 0, "octet 0", "",
            "the private data of RPC-over-RDMA begin at octet %u", data->rpc_at);
    if (version != 1) {
        iw_upper_report(upper, IW_UPPER_RFC8797_4_03, 0, "1", "",
            "version %" PRIu32 " of the private data, expected 1", version);
    } else if ((flags & ~(uint32_t)IW_PRIVATE_RPC_INVALIDATION) != 0) {
        snprintf(actual, sizeof actual, "0x%02" PRIx32, flags);
        iw_upper_report(upper, IW_UPPER_RFC8797_4_02, 0, "0x00 or 0x01", actual,
            "reserved bits are set in the flags of the private data: 0x%02" PRIx32, flags);
    }
}

void iw_upper_rpc_private_judge(struct iw_upper *upper) {
    for (enum iw_side sender = IW_SIDE_A; sender <= IW_SIDE_B; sender++) {
        struct iw_upper_private *data = &upper->private_data[sender];
        struct iw_upper_moment now;

        if (data->rpc_judged || (!data->rpc && !data->rpc_other) || data->octets > IW_UPPER_PRIVATE_OCTETS)
            continue;
        data->rpc_judged = true;
        now = iw_upper_set_moment(upper, (struct iw_upper_moment){sender, data->frame, data->time_ns});
        rpc_private_judge(upper, data);
        iw_upper_set_moment(upper, now);
    }
}

/* The largest Send of `own`: by both private data, or 1024 octets if the receiver has none. A sender without
 * private data knows what the receiver's say, but does not say what it sends itself. */
static uint32_t rpc_size_limit(const struct iw_upper_private *own, const struct iw_upper_private *peer) {
    if (!peer->rpc)
        return INLINE_OCTETS;
    return own->rpc && own->send_octets < peer->receive_octets ? own->send_octets : peer->receive_octets;
}

void iw_upper_rpc_judge_size(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_rpcrdma *header) {
    const struct iw_upper_private *own = &upper->private_data[send->side];
    const struct iw_upper_private *peer = &upper->private_data[iw_side_other(send->side)];
    bool agreed = own->rpc && peer->rpc;
    uint32_t limit = rpc_size_limit(own, peer);
    enum iw_upper_rule_id rule = agreed     ? IW_UPPER_RFC8797_4_2_01
                                 : own->rpc ? IW_UPPER_RFC8797_5_1_01
                                            : IW_UPPER_RFC8166_3_3_3_02;
    char expected[48], actual[48];

    if (!own->seen || !peer->seen || own->rpc_other || peer->rpc_other || send->octets <= limit)
        return;
    if (header->vers != 1 && !agreed) /* another version may have another default */
        return;
    snprintf(expected, sizeof expected, "at most %" PRIu32 " octets", limit);
    snprintf(actual, sizeof actual, "%" PRIu64 " octets", send->octets);
    iw_upper_report(upper, rule, 0, expected, actual,
        "Send of %" PRIu64 " octets, but the inline threshold is %" PRIu32, send->octets, limit);
}
