#ifndef IW_SCTP_CARRIER_H
#define IW_SCTP_CARRIER_H

#include "iw_recorder.h"
#include "iw_sctp.h"
#include "iw_session.h"

/* Shows a conversation over MPA and TCP as the same one over SCTP (RFC 5043, RFC 6581 7): an association for
 * each connection, with one DDP Stream Session on DDP Stream 0. The startup frames become its Initiate and
 * its Accept or Reject, each FPDU a DDP Segment Chunk, a FIN the Terminate of its side and, with the second
 * one, the shutdown; RST an abort. What only MPA and TCP have has no likeness there: octets that are neither
 * a startup frame nor an FPDU, Markers, PAD and CRC, how TCP cuts. A ULPDU of more than an IP packet has room
 * for is cut. */

struct iw_sctp_carrier;

struct iw_sctp_carrier_handlers {
    /* User data as they were written, with their frame. */
    void (*message)(void *user, const struct iw_sctp_message *message);
    /* The association has ended, in that frame. */
    void (*end)(void *user, enum iw_session_end end, enum iw_side side, uint64_t frame, uint64_t time_ns);
    void *user;
};

/* `tsn` are the initial ones by side. `handlers` is copied. NULL if there is no memory. */
struct iw_sctp_carrier *iw_sctp_carrier_new(struct iw_recorder *recorder,
    const struct iw_tcp_address addresses[2], const uint32_t tsn[2],
    const struct iw_sctp_carrier_handlers *handlers);
void iw_sctp_carrier_free(struct iw_sctp_carrier *carrier);

/* What the association is like so far. */
const struct iw_sctp_state *iw_sctp_carrier_state(const struct iw_sctp_carrier *carrier);

/* As iw_recorder_comment and iw_recorder_chunk. */
enum iw_status iw_sctp_carrier_comment(struct iw_sctp_carrier *carrier, const char *comment);
enum iw_status iw_sctp_carrier_chunk(struct iw_sctp_carrier *carrier, const struct iw_chunk *chunk);

#endif
