#ifndef IW_HALF_H
#define IW_HALF_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_fpdu_reader.h"
#include "iw_resync.h"
#include "iw_startup.h"

/* One direction of a connection, from the startup frame to the FIN: turns its octets into events. iw_mpa.h
 * passes on what one direction settles for the other (RFC 5044 7.1.1). */

enum iw_mpa_event_kind {
    IW_MPA_STARTUP, /* an MPA Request or Reply Frame, or octets in its place */
    IW_MPA_FPDU,
    IW_MPA_LOSS,    /* octets that could not be read: a gap, and octets skipped up to the next FPDU */
    IW_MPA_CLOSE,   /* FIN, RST or end of the input; twice if the side resets after its FIN */
    IW_MPA_SESSION, /* SCTP instead of MPA: a DDP Stream Session Control chunk (iw_session.h) */
};

enum iw_mpa_close { IW_MPA_CLOSE_FIN, IW_MPA_CLOSE_RST, IW_MPA_CLOSE_INPUT };

struct iw_mpa_event {
    enum iw_mpa_event_kind kind;
    enum iw_side side;
    uint64_t offset; /* stream offset of its first octet */
    uint64_t octets; /* its octets in the stream */
    uint64_t frame;  /* capture frame in which they end */
    uint64_t time_ns;
    uint64_t first_frame;

    /* STARTUP */
    const struct iw_startup *startup;
    const uint8_t *startup_octets;
    uint32_t startup_captured; /* octets at startup_octets, at least 20 */

    /* FPDU */
    const struct iw_fpdu *fpdu;
    bool unproven; /* FPDU: found after a gap, may be payload (iw_alignment.h); CLOSE: so are the pending
                      octets */
    bool contrary; /* shows Markers not asked for, or none though asked for; only the first such FPDU */

    /* LOSS */
    uint64_t missing; /* octets that the input lacks; the other octets of the LOSS were skipped */
    uint64_t limited; /* part of `missing`: given up because of a limit; the input may have them */
    bool cut;         /* the capture truncated some of the missing octets */
    bool open;        /* no FPDU was found after it */
    bool unsearched;  /* reading had ended before these octets, so they were not searched for FPDUs */
    bool streaming; /* the Reply rejects, so these octets belong to the ULP in streaming mode (RFC 5044 7.1.2)
                     */
    uint64_t given_up; /* octets, besides `missing`, not read because of a limit or because memory ran out */
    uint32_t startup_seen; /* the octets begin with this many octets of a startup frame */
    bool private_data; /* no octet is missing: these are between the end of the startup frame by PD_Length and
                          the first FPDU, and few enough to be private data */

    /* CLOSE */
    enum iw_mpa_close close;
    uint32_t pending;         /* octets of an unfinished startup frame or FPDU */
    bool pending_startup;     /* they belong to a startup frame */
    bool pending_fpdu;        /* they may belong to an FPDU */
    bool pending_marker;      /* they are only the Marker that precedes an FPDU */
    uint32_t pending_missing; /* FPDU: pending octets that are missing or come after the first hole */
    uint32_t pending_whole;   /* length in the stream that the frame would have; 0 if unknown */
    bool pending_sums_up; /* FPDU with Markers: none of these octets is missing, and the last four are the CRC
                             of the others, so only Markers are missing */
};

typedef void iw_mpa_sink(void *user, const struct iw_mpa_event *event);

/* What the sender of some octets had received when it sent them, as its acknowledgement number shows. */
struct iw_received {
    bool known;
    bool exact;      /* `up_to` counts from the first octet that the other side ever sent */
    bool unseen;     /* some of the received octets were not captured */
    uint64_t up_to;  /* stream offset of the other side; valid with `known` */
    uint64_t offset; /* of the octets */
    uint64_t frame;  /* capture frame of those octets */
};

/* How one side has begun. */
struct iw_startup_facts {
    bool hole;                            /* missing octets may have contained the startup frame */
    bool read;                            /* its startup frame was read */
    bool continued;                       /* octets, or a hole, came after the startup frame */
    uint8_t first[iw_mpa_startup_octets]; /* the first octets of `streaming` */
    uint64_t streaming;                   /* octets before any startup frame */
    uint64_t streaming_frame;             /* capture frame of the latest of them */
    uint64_t end;                         /* stream offset after the startup frame, as PD_Length states */
    struct iw_received received;          /* at the last octet of the startup frame; `offset`: its first */
    struct iw_received received_next;     /* at the first octet after it; `known` is false for a hole */
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
    IW_HALF_LEFT_MPA,       /* no */
    IW_HALF_LEFT_STREAMING, /* no: MPA was rejected; they belong to the ULP, which may try MPA again */
    IW_HALF_LEFT_UNFRAMED,  /* perhaps: where FPDUs begin is unknown */
    IW_HALF_LEFT_LIMIT,     /* perhaps: reading has ended because of a limit, or because memory ran out */
};

/* What a search looks for. */
enum iw_half_search {
    IW_HALF_LOST,      /* the start of any FPDU */
    IW_HALF_AFTER_BAD, /* the same, but the first octets are accepted more easily: the FPDU before them, whose
                          CRC is wrong, may end there */
    IW_HALF_DOUBT, /* whether the octets make an FPDU with Markers instead of without, or without instead of
                      with */
    IW_HALF_DOUBT_FIRST, /* the same, of the first FPDU, whose header or CRC is wrong */
};

/* How a search reads octets. */
enum iw_half_way {
    IW_HALF_PLAIN, /* as FPDUs without Markers */
    IW_HALF_MARKED,
    IW_HALF_PLAIN_HEADERS, /* the same, ignoring CRCs */
    IW_HALF_MARKED_HEADERS,
    IW_HALF_WAYS,
};

/* The framing: where FPDUs begin and whether there are Markers. */
struct iw_half_framing {
    uint64_t origin;
    bool origin_known;
    bool origin_exact;
    bool markers;
    bool markers_known;
    bool markers_found;
    bool contrary;
};

struct iw_half {
    /* Members that every chunk needs come first, so that a connection uses few cache lines. */
    enum iw_side side;
    enum iw_half_phase phase;
    bool from_start;        /* the SYN was seen */
    bool expected;          /* the first octets count as a startup frame, whatever they are */
    bool forced;            /* FPDUs are accepted by their headers alone if their CRCs are not correct */
    bool resynchronise_off; /* no search for FPDUs */
    bool revision_0;        /* DV and RV may also be 0 (RFC 5044 C) */
    bool origin_known;
    bool origin_sure;  /* full operation begins there: a startup frame ends at `origin` */
    bool adopted;      /* unproven: `before` has the framing before it */
    bool origin_exact; /* Markers count from it; else it only aligns FPDUs, at multiples of 4 octets */
    bool markers;
    bool markers_known;  /* `markers` was asked for by the other side, configured, or found */
    bool markers_asked;  /* the other side, or the configuration, asks for Markers */
    bool markers_forced; /* `markers` was configured */
    bool markers_found;  /* `markers` was found in the stream, whatever was asked for */
    bool contrary;       /* what was found differs from what was asked for; not reported yet */
    bool closed;
    bool answered;       /* the other side has sent more while the start of the FPDUs here was in doubt */
    bool resynchronised; /* a search has found FPDUs */
    bool unproven;       /* FPDU, SEARCH: the FPDUs may be payload (iw_alignment.h) */
    bool unanswered;     /* it has sent a Request, and the Reply, which may reject, was not captured */
    bool foreign;        /* no RFC defines the Rev in force */
    bool startup_begun;  /* a startup frame has begun and is incomplete */
    bool misfit;         /* unproven: no FPDU could fill the octets between the latest proven one and these */
    bool segmented; /* at least one TCP segment began with an FPDU; `unsegmented`: at least one did not */
    bool unsegmented;
    bool fin;             /* its FIN has just come */
    bool segment_aligned; /* unproven: the latest TCP segment begins with an FPDU */
    bool other_streams;   /* the other side's first octets are not a startup frame; see
                             iw_half_note_other_streams */
    bool failed;          /* memory ran out for octets that had to be read */
    bool declines_crc;    /* C of its startup frame is 0 */
    bool private_data;    /* the skipped octets may be private data that PD_Length does not count */
    bool cut;             /* SEARCH, OTHER: the capture truncated packets in the gap */
    enum iw_crc_use crc;
    uint64_t reached; /* stream offset after all octets fed so far */
    uint64_t last_frame;
    uint64_t last_time_ns;
    uint32_t largest;    /* octets of the largest DATA chunk */
    uint32_t at;         /* next octet of the store to read */
    uint64_t read_frame; /* FPDU: capture frame of the latest chunk */
    uint64_t origin;     /* stream offset of the first octet of full operation; else see above */
    uint64_t taken_from; /* stream offset from which FPDUs were read without a loss */
    iw_mpa_sink *sink;
    void *user;
    uint64_t undoubted; /* stream offset + 1 of an FPDU that is no longer in doubt */
    struct iw_fpdu_reader reader;
    struct iw_store store;   /* used in STARTUP, HOLD and SEARCH; in FPDU while it is being read */
    uint64_t segment_from;   /* stream offset of the first octet after the latest gap, or of the stream */
    uint32_t startup_seen;   /* octets of the unfinished startup frame, until a LOSS reports them */
    unsigned chain;          /* unproven: number of FPDUs in a chain since the startup frame */
    uint64_t chained;        /* unproven: captured octets of FPDUs in a chain since reading resumed */
    unsigned segments;       /* unproven: TCP segments in a row that are evidence (iw_alignment.h) */
    uint32_t segment_octets; /* unproven: octets of the latest TCP segment so far */
    uint64_t segment_frame;  /* unproven: capture frame of the latest TCP segment */
    enum iw_half_left left;  /* OTHER */
    uint64_t left_from;      /* OTHER: stream offset of the first octet that no LOSS has reported */
    uint64_t left_frame;     /* OTHER: capture frame of that octet; 0 before it comes */
    struct iw_startup_facts startup;
    uint32_t frame_octets;      /* STARTUP: size of the unfinished frame; 0: not known yet */
    uint32_t private_limit;     /* the most octets of private data that PD_Length may leave out */
    uint32_t frame_cut;         /* STARTUP: octets at its end that the capture truncated */
    uint64_t lost_from;         /* SEARCH: stream offset of the first octet not read */
    enum iw_half_search search; /* SEARCH */
    uint64_t lost_first_frame;  /* SEARCH: the capture frame of that octet; 0: of the next octet to come */
    uint64_t missing;           /* SEARCH, OTHER */
    uint64_t limited;           /* SEARCH, OTHER */
    struct iw_resync_progress progress[IW_HALF_WAYS]; /* SEARCH */
    uint64_t spent;                                   /* octets of CRC work of searches beyond their share */
    uint64_t paid_up_to;                              /* stream offset up to which `spent` has been counted */
    uint64_t doubt_origin; /* SEARCH for DOUBT: stream offset from which Markers would count */
    uint64_t broken;       /* stream offset + 1 of the FPDU at which an unproven chain ended */
    uint64_t gap_frame;    /* SEARCH: frame of the latest gap; OTHER: frame of the latest chunk */
    uint64_t gap_time_ns;
    struct iw_half_framing before;
};

/* Starts one direction with unknown terms. The functions below pass events to `sink` with `user`. Allocates
 * memory only when octets must be kept; iw_half_dispose frees it. */
void iw_half_init(struct iw_half *half, enum iw_side side, iw_mpa_sink *sink, void *user);
void iw_half_dispose(struct iw_half *half);

/* Feeds the next chunk of this side. */
void iw_half_feed(struct iw_half *half, const struct iw_chunk *chunk);

/* `other_streams`: the other side, captured from its SYN, has sent only octets that are not a startup
 * frame. Then this side, too, is in streaming mode (RFC 5044 7.1) or uses another protocol from its first
 * octet on, even if that octet is missing. It is not searched for FPDUs before a startup frame comes. */
void iw_half_note_other_streams(struct iw_half *half, bool other_streams);

/* The other side has sent more. If it is in doubt whether FPDUs begin where PD_Length says, decides by the
 * octets so far: the other side may already have judged them. */
void iw_half_answer(struct iw_half *half);

/* From HOLD to full operation: reads the octets kept so far with these terms. */
void iw_half_begin_operation(struct iw_half *half, bool markers, enum iw_crc_use crc);

/* The same without the other side's startup frame. A stream with Markers begins with one of all zeros, and
 * no FPDU without Markers begins so (RFC 5044 7.1.2). */
void iw_half_begin_unsettled(struct iw_half *half);

/* Whether FPDUs were read without a loss since the startup frame. */
bool iw_half_from_startup(const struct iw_half *half);

/* Leaves MPA: ignores what this side sends from now on. */
void iw_half_leave(struct iw_half *half);

/* Leaves MPA for streaming mode because the Reply rejects (RFC 5044 7.1.2). Octets from stream offset `from`
 * on are not read; a LOSS reports them when this side closes. */
void iw_half_stream(struct iw_half *half, uint64_t from);

/* Ends reading because of `why`, although octets from stream offset `from` on may belong to MPA. One LOSS
 * reports the octets so far; another one, at the close of this side, reports later octets. */
void iw_half_give_up(struct iw_half *half, enum iw_half_left why, uint64_t from);

/* Ends reading in the same way because memory ran out. */
void iw_half_fail(struct iw_half *half, uint64_t from);

/* The input has ended. */
void iw_half_finish(struct iw_half *half);

#endif
