#pragma once

#include "iw_recorder.h"
#include "iw_session.h"

/* Records a conversation over MPA and TCP as the same conversation over SCTP (RFC 5043, RFC 6581 7). Each
 * connection becomes an association with one DDP Stream Session on DDP Stream 0. Startup frames become
 * Initiate and Accept or Reject; an FPDU becomes a DDP Segment Chunk; a FIN in a session becomes a Terminate;
 * the second FIN also shuts the association down; a RST becomes an abort. What has no equivalent is dropped:
 * octets outside of startup frames and FPDUs, Markers, PAD, CRC, TCP segmentation. A ULPDU that exceeds an IP
 * packet is truncated. */

struct iw_sctp_carrier;

struct iw_sctp_carrier_handlers {
    /* Takes one recorded message, with its frame (0: unknown); may be NULL. */
    void (*message)(void *user, const struct iw_sctp_message *message);
    /* `side` has ended the association, in that frame (0: unknown); may be NULL. */
    void (*end)(void *user, enum iw_session_end end, enum iw_side side, uint64_t frame, uint64_t time_ns);
    void *user;
};

/* `tsn`: initial TSNs by side. Copies `handlers`. Returns NULL if memory runs out. */
struct iw_sctp_carrier *iw_sctp_carrier_new(struct iw_recorder *recorder,
    const struct iw_tcp_address addresses[2], const uint32_t tsn[2],
    const struct iw_sctp_carrier_handlers *handlers);
void iw_sctp_carrier_free(struct iw_sctp_carrier *carrier);
const struct iw_sctp_state *iw_sctp_carrier_state(const struct iw_sctp_carrier *carrier);

/* As iw_recorder_comment and iw_recorder_chunk. */
enum iw_status iw_sctp_carrier_comment(struct iw_sctp_carrier *carrier, const char *comment);
enum iw_status iw_sctp_carrier_chunk(struct iw_sctp_carrier *carrier, const struct iw_chunk *chunk);
