#pragma once

#include "iw_fpdu_reader.h"
#include "iw_llp_event.h"
#include "iw_resync.h"

/* The state of one direction of a connection. The first two structs are public; the rest is internal to
 * iw_half*.c and iw_mpa.c. */

/* What the sender of some octets had received when it sent them, as its acknowledgement number shows. */
struct iw_received {
    bool known;
    bool exact;      /* `up_to` counts from the first octet that the other side ever sent */
    uint64_t up_to;  /* stream offset of the other side, up to which octets had come; valid with `known` */
    uint64_t offset; /* stream offset of the sent octets */
    uint64_t frame;  /* capture frame of the sent octets */
};

struct iw_startup_facts {
    bool hole : 1;      /* missing octets may have contained the startup frame, or an unread segment has it */
    bool read : 1;      /* its startup frame was read */
    bool continued : 1; /* octets, or a hole, came after the startup frame */
    uint8_t request_key_octets; /* of the Key at the end of `streaming`; 16: it contains a whole Key */
    uint8_t reply_key_octets;   /* the same */
    uint8_t first[iw_mpa_startup_octets]; /* the first octets of `streaming` */
    uint64_t streaming;                   /* octets before any startup frame */
    uint64_t streaming_frame;             /* capture frame of the latest octet of `streaming` */
    uint64_t key_frame;                   /* capture frame of the first octet of such a Key */
    uint64_t end; /* stream offset after the startup frame, as PD_Length states: without an extension */
    struct iw_received received;      /* at the last octet of its startup frame; `offset`: of its first octet.
                                         Without a frame, only `frame` is set: that of the last octet of `first` */
    struct iw_received received_next; /* at the first octet after that frame; not `known` for a hole */
};

enum iw_half_phase {
    IW_HALF_STARTUP, /* no startup frame yet */
    IW_HALF_HOLD,    /* startup frame read; keeps octets until the use of Markers and CRCs is settled */
    IW_HALF_FPDU,    /* full operation */
    IW_HALF_SEARCH,  /* searching for the start of an FPDU */
    IW_HALF_OTHER,   /* reading has ended; see enum iw_half_left */
};

enum {
    IW_HALF_STREAMING_MAX = 65536, /* octets of streaming mode searched for a startup frame */
    IW_HALF_HOLD_MAX = 262144,     /* octets kept while waiting for the other side's startup frame */
    IW_HALF_SEARCH_MAX = 262144,   /* octets searched for the start of an FPDU */
};

/* Whether octets that come after reading has ended belong to MPA. */
enum iw_half_left {
    IW_HALF_LEFT_MPA,       /* no: this side has left MPA */
    IW_HALF_LEFT_STREAMING, /* no: MPA was rejected, or perhaps was: a Request after streaming mode, without a
                               Reply in the capture, may be data of the ULP, which may try MPA again */
    IW_HALF_LEFT_UNFRAMED,  /* perhaps: where FPDUs begin is unknown */
    IW_HALF_LEFT_LIMIT,     /* perhaps: reading has ended because of a limit, or because memory ran out */
};

enum iw_half_goal {
    IW_HALF_LOST,        /* the start of any FPDU */
    IW_HALF_AFTER_BAD,   /* as LOST, but less proof is needed after an FPDU with a wrong CRC */
    IW_HALF_DOUBT,       /* whether the octets are an FPDU with Markers, not without, or vice versa */
    IW_HALF_DOUBT_FIRST, /* as DOUBT, of the first FPDU: a valid header or a correct CRC is enough */
};

enum iw_half_way {
    IW_HALF_PLAIN,          /* as FPDUs without Markers */
    IW_HALF_MARKED,         /* as FPDUs with Markers */
    IW_HALF_PLAIN_HEADERS,  /* as FPDUs without Markers, ignoring CRCs */
    IW_HALF_MARKED_HEADERS, /* as FPDUs with Markers, ignoring CRCs */
    IW_HALF_WAYS,
};

/* What is known of the place where FPDUs begin; each value includes the values before it. */
enum iw_origin_known {
    IW_ORIGIN_UNKNOWN,
    IW_ORIGIN_ALIGNED, /* an FPDU begins at the origin; FPDUs are aligned to it, at multiples of 4 octets */
    IW_ORIGIN_EXACT,   /* Markers count from the origin */
    IW_ORIGIN_STARTUP, /* a startup frame ends at the origin */
};

/* Why Markers are expected or not. */
enum iw_markers_known {
    IW_MARKERS_ASSUMED,
    IW_MARKERS_KNOWN, /* by startup frame or configuration; or no Marker came where one was due */
    IW_MARKERS_FOUND, /* found in the stream, whatever was asked for */
};

/* The framing: where FPDUs begin and whether there are Markers. */
struct iw_half_framing {
    enum iw_origin_known origin_known;
    enum iw_markers_known markers_known;
    bool markers;
    bool markers_unexpected; /* what was found differs from what was asked for; not reported yet */
    uint64_t origin; /* stream offset of the first octet of full operation, or as `origin_known` says */
};

/* What the configuration, the other side and the startup frames settle for one direction. */
struct iw_half_terms {
    bool expected;          /* the first octets count as a startup frame, unless earlier octets are missing */
    bool forced;            /* FPDUs are accepted by their headers alone if their CRCs are not correct */
    bool resynchronise_off; /* no search for FPDUs */
    bool markers_asked;     /* the other side, or the configuration, asks for Markers */
    bool markers_forced;    /* whether there are Markers was configured */
    bool revision_0;        /* DV and RV may also be 0 (RFC 5044 C) */
    bool foreign;           /* no RFC defines the Rev in force */
    bool replied;           /* the other side has sent a Reply */
    bool unanswered; /* the side has sent a Request, and no Reply was captured so far: the Reply may reject */
    bool other_streams; /* its first octets are not a startup frame; see iw_half_note_other_streams */
    enum iw_crc_use crc;
};

/* The startup frame: its state while it is incomplete, and facts about it that are needed later. */
struct iw_half_frame {
    bool broken;       /* a gap, or the end of the stream, hides the rest of a startup frame */
    bool declines_crc; /* C of the frame is 0 */
    bool extended;     /* `octets` includes a vendor's extension, which PD_Length does not count */
    uint32_t octets;   /* size of the frame; 0: not known yet */
    uint32_t cut;      /* octets of the frame from its first missing octet on */
    uint32_t seen;     /* octets of a startup frame whose rest is hidden; 0 after a LOSS has reported them */
    uint32_t private_limit; /* the most octets of private data that PD_Length may fail to count */
    uint64_t time_ns;       /* of the last octet of the frame, or, if none has come, of `startup.first` */
};

enum iw_half_segments {
    IW_HALF_SEGMENTS_UNSEEN,
    IW_HALF_SEGMENTS_BEGIN_FPDUS, /* each TCP segment began with an FPDU */
    IW_HALF_SEGMENTS_SPLIT_FPDUS, /* a TCP segment began inside an FPDU */
};

struct iw_half_segmentation {
    enum iw_half_segments segments;
    uint32_t largest; /* octets of the largest TCP segment so far */
    uint64_t frame;   /* FPDU: capture frame of the latest chunk */
    uint64_t from;    /* stream offset of the first octet after the latest gap, or of the stream */
};

/* SEARCH: octets that could not be read. OTHER: octets after the end of reading that no LOSS has reported. */
struct iw_half_loss {
    enum iw_half_left left; /* OTHER */
    bool cut;               /* the capture truncated packets in a gap */
    uint64_t from;          /* stream offset of the first of these octets */
    uint64_t first_frame;   /* frame of the octet at `from`; 0: the frame of the next octet */
    uint64_t missing;
    uint64_t limited;
    uint64_t frame; /* SEARCH: capture frame of the latest gap; OTHER: of the latest chunk */
    uint64_t time_ns;
};

struct iw_half_search {
    enum iw_half_goal goal;
    bool found;            /* a search has found FPDUs */
    bool answered;         /* the other side has sent more while the start of the FPDUs here was in doubt */
    bool private_data;     /* the skipped octets may be private data that PD_Length does not count */
    uint64_t doubt_origin; /* DOUBT: stream offset from which Markers would count */
    uint64_t undoubted;  /* stream offset + 1 of the FPDU for which the use of Markers was decided; 0: none */
    uint64_t spent;      /* octets that searches read for CRCs, minus the octets of CRC work allowed so far */
    uint64_t paid_up_to; /* stream offset up to which `spent` has been counted */
    struct iw_resync_progress progress[IW_HALF_WAYS];
};

/* The evidence about FPDUs that may be payload (iw_alignment.h), after a gap or a failed startup. */
struct iw_half_evidence {
    bool adopted;            /* `before` has the framing in use before the unproven FPDUs */
    bool gap_too_short;      /* fewer octets than an FPDU has are unread before the unproven FPDUs */
    bool segment_aligned;    /* the latest TCP segment begins with an FPDU */
    unsigned segments;       /* TCP segments in a row that are evidence (iw_alignment.h) */
    uint32_t segment_octets; /* octets of the latest TCP segment so far */
    unsigned chain;          /* number of FPDUs in a chain since the startup frame */
    uint64_t chained;        /* captured octets of FPDUs in a chain since reading resumed */
    uint64_t segment_frame;  /* capture frame of the latest TCP segment */
    uint64_t broken;         /* stream offset + 1 of the FPDU at which the chain ended */
    struct iw_half_framing before;
};

struct iw_half {
    /* Members that every chunk needs come first, so that a connection uses few cache lines. */
    enum iw_side side;
    enum iw_half_phase phase;
    bool unproven;   /* FPDU, SEARCH: the FPDUs may be payload; see `evidence` */
    bool from_start; /* the SYN was seen */
    bool fin;        /* the FIN of this side has just come */
    bool closed;
    bool failed; /* memory ran out for octets that had to be read */
    struct iw_half_terms terms;
    struct iw_half_framing framing;
    uint64_t taken_from; /* stream offset from which FPDUs were read without a loss */
    uint64_t reached;    /* stream offset after all octets fed so far */
    uint64_t last_frame;
    uint64_t last_time_ns;
    iw_llp_sink *sink;
    void *user;
    struct iw_half_segmentation segmentation;
    struct iw_fpdu_reader reader;
    struct iw_store store; /* octets kept in STARTUP, HOLD and SEARCH, and in FPDU until they are read */
    uint32_t at;           /* next octet of the store to read */
    struct iw_startup_facts startup;
    struct iw_half_frame frame;
    struct iw_half_loss loss;
    struct iw_half_search search;
    struct iw_half_evidence evidence;
};

/* A new event of this side at the current place, without details. */
static inline struct iw_llp_event iw_half_event(const struct iw_half *half, enum iw_llp_event_kind kind) {
    return (struct iw_llp_event){.kind = kind,
        .side = half->side,
        .offset = half->reached,
        .frame = half->last_frame,
        .first_frame = half->last_frame,
        .time_ns = half->last_time_ns};
}

/* Stream offset of the next octet of the store to read. */
static inline uint64_t iw_half_next_offset(const struct iw_half *half) {
    return half->store.offset + half->at;
}
