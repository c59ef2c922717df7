#ifndef IW_MPA_H
#define IW_MPA_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_half.h"

/* One MPA connection, both directions: chunks in, startup frames, FPDUs, losses and closes out. What the two
 * startup frames settle (RFC 5044 7.1.1) is handed from one half to the other here. */

/* Whether something is as the startup settles it, or as whoever set up the reading knows better. */
enum iw_mpa_term { IW_MPA_NEGOTIATED, IW_MPA_ON, IW_MPA_OFF };

/* What is known of a connection before its first octet. All zero: nothing. */
struct iw_mpa_config {
    bool expected; /* it is known to be MPA from its startup on: what comes first counts as a startup frame */
    bool forced;   /* it is known to be MPA wherever it was joined: FPDUs are believed by their headers alone
                      where they have no CRC that is right */
    bool resynchronise_off;      /* does not search for FPDUs when it loses track of where they begin */
    enum iw_mpa_term crc;        /* whether the CRC counts */
    enum iw_mpa_term markers[2]; /* in what the initiator, and what the responder sends; where who is who is
                                    not known they count only if they are the same */
};

struct iw_mpa_terms {
    bool seen[2];               /* the side's startup frame, with a key that is one */
    struct iw_startup frame[2]; /* valid where seen; private_data is NULL */
    bool initiator_known;
    enum iw_side initiator; /* the side that sent the Request */
    bool settled;           /* a Request and its Reply were seen */
    bool rejected;          /* the Reply has R=1 */
    bool markers[2];     /* in what the side sends: as the other side's M asks, or as configured, or found */
    enum iw_crc_use crc; /* as the C of both sides say, or as configured */
};

/* How many requests of `requester` may wait for their answer at a time, as the enhanced data of the startup
 * have settled it: the IRD of the other side, and no more than the ORD of a responder; the initiator's ORD is
 * only what it wished for (RFC 6581 9.1). False if they have not: nobody outside knows it then. */
bool iw_mpa_depth(const struct iw_mpa_terms *terms, enum iw_side requester, uint32_t *depth);

/* Whether an RFC defines the Rev in force: that of the Reply, or of the Request before the Reply comes. */
bool iw_mpa_is_defined(const struct iw_mpa_terms *terms);

/* Whether the Reply has Rev 0, and nothing is known of a Request with another (RFC 5044 C). */
bool iw_mpa_revision_0(const struct iw_mpa_terms *terms);

/* Whether the connection is of the peer-to-peer model: A=1 in the Request and in its Reply. Then `rtr` is the
 * set of enum iw_rtr that both of them name (RFC 6581 9.2). */
bool iw_mpa_peer_to_peer(const struct iw_mpa_terms *terms, unsigned *rtr);

struct iw_mpa {
    struct iw_half half[2]; /* by enum iw_side */
    struct iw_mpa_terms terms;
    struct iw_mpa_config config;
    bool attempted; /* the first octets of a side are almost a valid Key */
    bool acked_known[2];
    uint64_t acked[2];      /* what the side had received when it sent its latest octets, if known */
    uint64_t acked_from[2]; /* stream offset of the first of these octets */
    bool answers_unseen[2]; /* what the side sends now may answer octets that are missing */
    iw_mpa_sink *sink;
    void *user;
};

/* `config` is copied. Where it expects or forces nothing, octets that do not look like a startup frame, or
 * like FPDUs whose CRCs are right, are left alone. */
void iw_mpa_init(struct iw_mpa *mpa, const struct iw_mpa_config *config, iw_mpa_sink *sink, void *user);
void iw_mpa_dispose(struct iw_mpa *mpa);

/* Takes the next chunk; the chunks of each side in stream order. Events come out before it returns. */
void iw_mpa_feed(struct iw_mpa *mpa, const struct iw_chunk *chunk);

/* No more chunks will come: what was kept is read as well as it can be, and each side that has not closed
 * gets a CLOSE event. */
void iw_mpa_finish(struct iw_mpa *mpa);

/* The side speaks first, as the initiator has to (RFC 5044 7.1.1): it has opened the TCP connection, and
 * nothing that the other side may have sent before is missing. */
bool iw_mpa_opens(const struct iw_mpa *mpa, enum iw_side side);

/* The SYN of the side was seen; `iw_mpa_silent`: and no octet of it yet. */
bool iw_mpa_from_start(const struct iw_mpa *mpa, enum iw_side side);
bool iw_mpa_silent(const struct iw_mpa *mpa, enum iw_side side);

/* Full operation of the side is known to begin just at this stream offset. */
bool iw_mpa_begins_at(const struct iw_mpa *mpa, enum iw_side side, uint64_t offset);

/* What the side sends is read as FPDUs; `iw_mpa_within_fpdu`: and one of them has begun and is not whole. */
bool iw_mpa_reads(const struct iw_mpa *mpa, enum iw_side side);
bool iw_mpa_within_fpdu(const struct iw_mpa *mpa, enum iw_side side);

/* The stream offset after a Request that the side has begun and not finished, as its PD_Length states; a
 * lower bound while PD_Length is missing. 0 if the side has begun no Request, or if octets of it were not
 * captured. */
uint64_t iw_mpa_begun_request_end(const struct iw_mpa *mpa, enum iw_side side);

/* The stream offset after an FPDU that the side has begun and not finished, as its ULPDU_Length states. 0 if
 * the side has not sent a whole DDP header of it, or if octets of it were not captured. */
uint64_t iw_mpa_begun_fpdu_end(const struct iw_mpa *mpa, enum iw_side side);

/* The FPDUs that the side sends now were found after a gap and may be payload. `iw_mpa_prove`: the latest one
 * is proven to be an FPDU, and so are later ones. */
bool iw_mpa_unproven(const struct iw_mpa *mpa, enum iw_side side);
void iw_mpa_prove(struct iw_mpa *mpa, enum iw_side side);

/* The FPDU that the side sends now was found after a gap, and the boundaries of TCP segments are what proves
 * it; `iw_mpa_disprove`: it is not proven, nor are later ones. */
bool iw_mpa_by_segments(const struct iw_mpa *mpa, enum iw_side side);
void iw_mpa_disprove(struct iw_mpa *mpa, enum iw_side side);

/* It is not known where in what the side sends the next FPDU begins. */
bool iw_mpa_seeks(const struct iw_mpa *mpa, enum iw_side side);

/* MPA was recognised: a startup frame was seen, if with a wrong key, or FPDUs without one. */
bool iw_mpa_recognised(const struct iw_mpa *mpa);

/* Memory ran out for octets that had to be read. */
bool iw_mpa_failed(const struct iw_mpa *mpa);

/* Neither side can become MPA any more; the connection need not be fed further. */
bool iw_mpa_hopeless(const struct iw_mpa *mpa);

#endif
