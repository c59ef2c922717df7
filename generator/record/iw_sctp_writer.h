#pragma once

#include "iw_impairment.h"
#include "iw_recorder.h"
#include "iw_sctp.h"

/* Writes the packets of one SCTP association for DDP (RFC 9260, RFC 5043) to a capture: the handshake with
 * the Adaptation Layer Indication, DATA chunks with immediate SACKs, and the end. Each packet has one chunk.
 * While the plan holds a chunk back, there is no SACK: a later SACK acknowledges that chunk, too. */

enum { IW_SCTP_WRITER_OCTETS_MAX = 65484 }; /* user data of a chunk that fits into an IPv4 packet */

struct iw_sctp_writer {
    struct iw_recorder *recorder;
    struct iw_impairment *impairment;   /* or NULL */
    struct iw_tcp_address addresses[2]; /* by enum iw_side */
    uint32_t tag[2];                    /* Verification Tag of packets to that side */
    uint32_t tsn[2];                    /* of the side's next DATA chunk */
    uint64_t time_ns;                   /* of the next packets */
    const char *comment;                /* or NULL; borrowed */
    size_t length;                      /* of the current packet */
    uint8_t packet[12 + 4 + 12 + IW_SCTP_WRITER_OCTETS_MAX + 3];
};

/* `tsn`: initial TSNs by side. Writes nothing yet. Returns IW_ERR_NOMEM if memory runs out. */
enum iw_status iw_sctp_writer_init(struct iw_sctp_writer *writer, struct iw_recorder *recorder,
    const struct iw_tcp_address addresses[2], const uint32_t tsn[2]);
void iw_sctp_writer_dispose(struct iw_sctp_writer *writer);

/* Write the handshake: first the INIT of side A, then the INIT ACK, COOKIE ECHO and COOKIE ACK. Each function
 * stores in `state` what the sender of INIT or INIT ACK announces. */
enum iw_status iw_sctp_writer_init_chunk(struct iw_sctp_writer *writer, struct iw_sctp_state *state);
enum iw_status iw_sctp_writer_accept(struct iw_sctp_writer *writer, struct iw_sctp_state *state);

/* Writes one unordered, unfragmented DATA chunk and its SACK. The caller sets side, stream, ppid, octets
 * and length (at most IW_SCTP_WRITER_OCTETS_MAX) in `message`; the function sets the rest. */
enum iw_status iw_sctp_writer_data(struct iw_sctp_writer *writer, struct iw_sctp_message *message);

/* Write the end of the association: `side` shuts it down with a full handshake, or aborts it. */
enum iw_status iw_sctp_writer_shutdown(struct iw_sctp_writer *writer, enum iw_side side);
enum iw_status iw_sctp_writer_abort(struct iw_sctp_writer *writer, enum iw_side side);
