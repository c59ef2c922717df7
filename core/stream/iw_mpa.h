#pragma once

#include "iw_half.h"

/* One MPA connection: takes chunks of both directions, emits startup frames, FPDUs, losses and closes. Tells
 * each half what both startup frames settle (RFC 5044 7.1.1). */

/* Whether a term follows from the startup or is configured. */
enum iw_mpa_term { IW_MPA_NEGOTIATED, IW_MPA_ON, IW_MPA_OFF };

/* What is known of a connection before its first octet. All zero: nothing. */
struct iw_mpa_config {
    bool expected; /* known to use MPA from the first octet on, which begins a startup frame */
    bool forced;   /* known to use MPA, wherever the capture begins: FPDUs are accepted by their headers alone
                      if their CRCs are not correct */
    bool resynchronise_off;      /* no search for FPDUs if their place is unknown */
    enum iw_mpa_term crc;        /* whether CRCs are in use */
    enum iw_mpa_term markers[2]; /* of initiator and responder; with unknown roles, only if equal */
};

struct iw_mpa_terms {
    bool seen[2]; /* a startup frame with a valid Key from this side was read */
    bool initiator_known;
    bool settled;    /* a Request and its Reply were seen */
    bool extended;   /* a startup frame has the extension of a vendor's dialect of MPA */
    bool rejected;   /* the Reply has R=1 */
    bool markers[2]; /* the side sends Markers: by the other side's M, as configured, or as found */
    struct iw_startup frame[2]; /* valid where seen; private_data is NULL */
    enum iw_side initiator;     /* the side that sent the Request */
    enum iw_crc_use crc;        /* by C of both startup frames, or as configured */
};

/* Sets `*depth` to the number of requests of `requester` that may be outstanding, by the enhanced data: the
 * IRD of the other side, limited by the ORD of `requester` if it is the responder. The initiator's ORD is
 * only a proposal (RFC 6581 9.1). Returns false if the startup does not show the number. */
bool iw_mpa_depth(const struct iw_mpa_terms *terms, enum iw_side requester, uint32_t *depth);

/* Whether an RFC defines the Rev in force: the Rev of the Reply, or of the Request before the Reply comes.
 * False if a startup frame has the extension of a vendor's dialect. */
bool iw_mpa_is_defined(const struct iw_mpa_terms *terms);

/* Whether the connection uses the peer-to-peer model: A=1 in the Request and in its Reply. If so, sets `rtr`
 * to the set of enum iw_rtr that both frames name (RFC 6581 9.2). */
bool iw_mpa_peer_to_peer(const struct iw_mpa_terms *terms, unsigned *rtr);

struct iw_mpa {
    struct iw_half half[2]; /* by enum iw_side */
    struct iw_mpa_terms terms;
    struct iw_mpa_config config;
    bool attempted; /* the first octets of a side are almost a valid Key */
    bool unpaired;  /* the Request and the Reply are of different connections: terms.seen is false for both */
    bool acknowledges_missing[2]; /* what the side sends now may answer octets that are missing */
    bool acked_known[2];
    uint64_t acked[2];      /* stream offset that the side had received with its latest octets, if known */
    uint64_t acked_from[2]; /* stream offset at which the latest octets of the side begin */
    iw_llp_sink *sink;
    void *user;
};

/* Memory in octets that a side may always use for the octets kept; iw_mpa_memory does not count it. */
enum { IW_MPA_IDLE_OCTETS = 1 << 10 };

struct iw_mpa_kept {
    uint64_t offset; /* stream offset of the first octet */
    uint32_t octets;
    uint64_t frame; /* capture frame of the first octet; 0: no octets are kept */
};

/* `config` is copied. If it neither expects nor forces MPA, only startup frames and FPDUs with correct CRCs
 * are recognised; other octets are ignored. */
void iw_mpa_init(struct iw_mpa *mpa, const struct iw_mpa_config *config, iw_llp_sink *sink, void *user);
void iw_mpa_dispose(struct iw_mpa *mpa);

/* Feeds the next chunk; chunks of each side come in stream order. Events are emitted before it returns. */
void iw_mpa_feed(struct iw_mpa *mpa, const struct iw_chunk *chunk);

/* The input has ended: reads what was kept as far as possible, and emits the missing CLOSE events. */
void iw_mpa_finish(struct iw_mpa *mpa);

/* Whether the side sends first, as the initiator must (RFC 5044 7.1.1): it opened the TCP connection, and no
 * earlier octets of the other side can be missing. */
bool iw_mpa_opens(const struct iw_mpa *mpa, enum iw_side side);

/* Whether the SYN of the side was captured. */
static inline bool iw_mpa_from_start(const struct iw_mpa *mpa, enum iw_side side) {
    return mpa->half[side].from_start;
}

/* The stream offset after all octets of the side so far. */
static inline uint64_t iw_mpa_reached(const struct iw_mpa *mpa, enum iw_side side) {
    return mpa->half[side].reached;
}

static inline const struct iw_startup_facts *iw_mpa_startup(const struct iw_mpa *mpa, enum iw_side side) {
    return &mpa->half[side].startup;
}

/* Whether the Request of the side may be data of the ULP, such as a saved connection: no SYN directly before
 * it was captured, and no answer to it. */
bool iw_mpa_startup_may_be_data(const struct iw_mpa *mpa, enum iw_side side);

/* Whether the capture has everything that the side ever sent, without the Key of a Request in it. */
bool iw_mpa_unstarted(const struct iw_mpa *mpa, enum iw_side side);

/* Whether the capture has everything that the side ever sent, without a complete startup frame. */
bool iw_mpa_without_startup(const struct iw_mpa *mpa, enum iw_side side);

/* Where and how many the octets are that this side keeps until it is known what they are, such as an
 * incomplete startup frame. */
struct iw_mpa_kept iw_mpa_kept(const struct iw_mpa *mpa, enum iw_side side);

/* An upper estimate, in octets beyond IW_MPA_IDLE_OCTETS, of the memory for the octets kept of this side.
 * Only a DATA chunk of n octets raises it, by at most 2 * n + IW_STORE_MEMORY_STEP. */
static inline size_t iw_mpa_memory(const struct iw_mpa *mpa, enum iw_side side) {
    size_t octets = iw_store_memory(&mpa->half[side].store) + iw_store_memory(&mpa->half[side].reader.store);

    return octets > IW_MPA_IDLE_OCTETS ? octets - IW_MPA_IDLE_OCTETS : 0;
}

/* For a caller whose limit of memory is reached: drops the octets kept of this side and ends reading it. They
 * and all later octets of the side count as given up. */
void iw_mpa_end_reading(struct iw_mpa *mpa, enum iw_side side);

/* Whether the side has sent a FIN or RST, or its input has ended. */
static inline bool iw_mpa_closed(const struct iw_mpa *mpa, enum iw_side side) {
    return mpa->half[side].closed;
}

/* Whether full operation of the side is known to begin exactly at this stream offset. */
static inline bool iw_mpa_begins_at(const struct iw_mpa *mpa, enum iw_side side, uint64_t offset) {
    return mpa->half[side].framing.origin_known >= IW_ORIGIN_EXACT &&
           mpa->half[side].framing.origin == offset;
}

/* Whether what the side sends is read as FPDUs. `iw_mpa_within_fpdu`: whether, in addition, its latest FPDU
 * is incomplete; if ULPDU_Length is wrong, the octets of that FPDU may contain further FPDUs. */
static inline bool iw_mpa_reads(const struct iw_mpa *mpa, enum iw_side side) {
    return mpa->half[side].phase == IW_HALF_FPDU;
}
static inline bool iw_mpa_within_fpdu(const struct iw_mpa *mpa, enum iw_side side) {
    return iw_mpa_reads(mpa, side) && iw_fpdu_reader_pending(&mpa->half[side].reader) > 0;
}

/* The stream offset after a Request that the side has begun and not finished, by PD_Length; a lower bound
 * without PD_Length. 0: no such Request, or octets of it were not captured. */
uint64_t iw_mpa_begun_request_end(const struct iw_mpa *mpa, enum iw_side side);

/* The stream offset after an FPDU that the side has begun and not finished, by ULPDU_Length. 0 if fewer than
 * 16 octets (with a tagged DDP header) have come, or some were not captured. */
uint64_t iw_mpa_begun_fpdu_end(const struct iw_mpa *mpa, enum iw_side side);

/* Whether the FPDUs that the side sends now may be payload (struct iw_half_evidence). `iw_mpa_prove`: records
 * that the latest and later FPDUs are not payload. */
static inline bool iw_mpa_unproven(const struct iw_mpa *mpa, enum iw_side side) {
    return mpa->half[side].unproven;
}
static inline void iw_mpa_prove(struct iw_mpa *mpa, enum iw_side side) {
    mpa->half[side].unproven = false;
}

/* Whether the side's current FPDU was found by a search, and only the boundaries of TCP segments prove it.
 * `iw_mpa_disprove`: records that this FPDU and later FPDUs are not proven. */
bool iw_mpa_by_segments(const struct iw_mpa *mpa, enum iw_side side);
void iw_mpa_disprove(struct iw_mpa *mpa, enum iw_side side);

/* Whether a search for the side's next FPDU is in progress, because its start is unknown. `iw_mpa_lost_from`:
 * the stream offset from which octets could not be read. */
static inline bool iw_mpa_searches(const struct iw_mpa *mpa, enum iw_side side) {
    return mpa->half[side].phase == IW_HALF_SEARCH;
}
static inline uint64_t iw_mpa_lost_from(const struct iw_mpa *mpa, enum iw_side side) {
    return mpa->half[side].loss.from;
}

/* Whether the side may use MPA, but the start of its FPDUs is unknown or not proven. */
bool iw_mpa_unframed(const struct iw_mpa *mpa, enum iw_side side);

/* Whether MPA was recognised: by a startup frame, even incomplete or with an invalid Key, or by FPDUs. */
bool iw_mpa_recognised(const struct iw_mpa *mpa);

/* Whether memory ran out for octets that had to be read. */
static inline bool iw_mpa_failed(const struct iw_mpa *mpa) {
    return mpa->half[IW_SIDE_A].failed || mpa->half[IW_SIDE_B].failed;
}

/* Whether neither side can use MPA from now on, so that the connection need not be fed further. */
static inline bool iw_mpa_abandoned(const struct iw_mpa *mpa) {
    return mpa->half[IW_SIDE_A].phase == IW_HALF_OTHER && mpa->half[IW_SIDE_B].phase == IW_HALF_OTHER;
}
