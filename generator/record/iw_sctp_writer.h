#ifndef IW_SCTP_WRITER_H
#define IW_SCTP_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "iw_chunk.h"
#include "iw_impairment.h"
#include "iw_recorder.h"
#include "iw_sctp.h"

/* Writes the packets of one SCTP association for DDP (RFC 9260, RFC 5043) into a capture: the handshake with
 * the Adaptation Layer Indication, DATA chunks, each acknowledged at once, and the end. Nothing
 * is bundled. What the packets suffer is up to the recorder; then a chunk that is late is acknowledged with
 * those that have overtaken it. */

enum {
    IW_SCTP_WRITER_OCTETS_MAX = 65484
}; /* of the user data of a chunk: what an IPv4 packet has room for */

struct iw_sctp_writer {
    struct iw_recorder *recorder;
    struct iw_impairment *hardship;     /* or NULL */
    struct iw_tcp_address addresses[2]; /* by enum iw_side */
    uint32_t tag[2];                    /* of packets to the side */
    uint32_t tsn[2];                    /* of the side's next DATA chunk */
    uint16_t streams;                   /* in each direction */
    uint64_t time_ns;                   /* of the packets that follow */
    const char *comment;                /* or NULL; borrowed */
    size_t length;                      /* of the packet that is being made */
    uint8_t packet[12 + 4 + 12 + IW_SCTP_WRITER_OCTETS_MAX + 3];
};

/* `tsn` are the initial ones, by side. Writes nothing yet. IW_ERR_NOMEM. */
enum iw_status iw_sctp_writer_init(struct iw_sctp_writer *writer, struct iw_recorder *recorder,
    const struct iw_tcp_address addresses[2], const uint32_t tsn[2]);

/* Writes what is held back. */
void iw_sctp_writer_dispose(struct iw_sctp_writer *writer);

/* The handshake: INIT of the opener; and all that follows it. Tell in `state` what each side has said. */
enum iw_status iw_sctp_writer_init_chunk(struct iw_sctp_writer *writer, struct iw_sctp_state *state);
enum iw_status iw_sctp_writer_accept(struct iw_sctp_writer *writer, struct iw_sctp_state *state);

/* One DATA chunk, unordered and whole, and its acknowledgement. `message` gives side, stream, ppid, octets
 * and length, IW_SCTP_WRITER_OCTETS_MAX at the most; the rest of it is filled in. */
enum iw_status iw_sctp_writer_data(struct iw_sctp_writer *writer, struct iw_sctp_message *message);

/* `side` shuts the association down, and the other side agrees; or `side` aborts it. */
enum iw_status iw_sctp_writer_shutdown(struct iw_sctp_writer *writer, enum iw_side side);
enum iw_status iw_sctp_writer_abort(struct iw_sctp_writer *writer, enum iw_side side);

#endif
