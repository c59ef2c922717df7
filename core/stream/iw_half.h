#ifndef IW_HALF_H
#define IW_HALF_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_fpdu_reader.h"
#include "iw_resync.h"
#include "iw_startup.h"

/* What one side of a connection sends, from its startup frame to its FIN: the octets of one direction become
 * events. Where the two directions depend on each other (RFC 5044 7.1.1), iw_mpa.h tells the half. */

enum iw_mpa_event_kind {
    IW_MPA_STARTUP, /* an MPA Request or Reply Frame, or octets that stand in its place */
    IW_MPA_FPDU,
    IW_MPA_LOSS,    /* octets that could not be read: a gap, and what had to be skipped until the next FPDU */
    IW_MPA_CLOSE,   /* the side is done: FIN, RST, or the input ended; twice if it resets after its FIN */
    IW_MPA_SESSION, /* there is no MPA but SCTP: a DDP Stream Session Control chunk (iw_session.h) */
};

enum iw_mpa_close { IW_MPA_CLOSE_FIN, IW_MPA_CLOSE_RST, IW_MPA_CLOSE_INPUT };

struct iw_mpa_event {
    enum iw_mpa_event_kind kind;
    enum iw_side side;
    uint64_t offset; /* stream offset of the first octet it is about */
    uint64_t octets; /* octets of the stream it is about */
    uint64_t frame;  /* capture frame in which they end */
    uint64_t time_ns;
    uint64_t first_frame;

    /* STARTUP */
    const struct iw_startup *startup;
    const uint8_t *startup_octets;
    uint32_t startup_captured; /* octets at startup_octets, at least 20 */

    /* FPDU */
    const struct iw_fpdu *fpdu;
    bool unproven; /* it was found after a gap, and may be payload (iw_alignment.h); CLOSE: so is what is
                      pending */
    bool contrary; /* the first one that shows that this side sends Markers unasked, or none though asked */

    /* LOSS */
    uint64_t missing; /* octets that the input does not hold; the others were skipped */
    uint64_t limited; /* those of `missing` that were given up at a limit, though they may be in the input */
    bool cut;         /* some of them because the capture cut the packet */
    bool open;        /* reading could not be taken up again */
    bool unsearched;  /* reading had ended before these octets: no FPDU was looked for in them */
    bool streaming;   /* because the Reply rejects: they are of the ULP, in streaming mode (RFC 5044 7.1.2) */
    uint64_t given_up; /* octets, beside `missing`, that were not read because of a limit, or because there
                          was no memory to keep them */
    uint32_t startup_seen; /* so many octets of a startup frame begin them */
    bool private_data;     /* none are missing: between the end of the startup frame by its PD_Length and the
                              first FPDU, so few that they may be of the former */

    /* CLOSE */
    enum iw_mpa_close close;
    uint32_t pending;         /* octets of a startup frame or FPDU that had begun */
    bool pending_startup;     /* it is a startup frame */
    bool pending_fpdu;        /* they may be an FPDU */
    bool pending_marker;      /* they are the Marker before an FPDU, of which nothing else has come */
    uint32_t pending_missing; /* FPDU: those of `pending`, from the first hole on, that are not there */
    uint32_t pending_whole;   /* octets in the stream that it would have had; 0 if that was not there yet */
    bool pending_sums_up; /* FPDU with Markers: all of these octets are there, and the last four are the CRC
                             of the others, so that it is short of nothing but Markers */
};

typedef void iw_mpa_sink(void *user, const struct iw_mpa_event *event);

/* What the sender of some octets had received when it sent them, as its acknowledgement tells. */
struct iw_received {
    bool known;
    bool exact;      /* `up_to` counts from the first octet that the other side has ever sent */
    bool unseen;     /* some of it was not there */
    uint64_t up_to;  /* stream offset of the other side; valid if known */
    uint64_t offset; /* of the octets */
    uint64_t frame;  /* capture frame that brought them */
};

enum iw_half_phase {
    IW_HALF_STARTUP, /* no startup frame yet */
    IW_HALF_HOLD,    /* it has come; what follows is kept until it is known whether it has markers and CRC */
    IW_HALF_FPDU,    /* full operation */
    IW_HALF_AWAIT,   /* the CRC of an FPDU is wrong: it and what follows are kept until its octets are
                        acknowledged, or sent again without the damage (RFC 5044 8) */
    IW_HALF_SEEK,    /* looking for the start of an FPDU */
    IW_HALF_OTHER,   /* nothing more that MPA defines comes from this side */
};

enum {
    IW_HALF_STREAMING_MAX =
        65536,                 /* octets of streaming mode before a startup frame that are looked through */
    IW_HALF_HOLD_MAX = 262144, /* octets kept while the other side's startup frame is awaited */
    IW_HALF_SEEK_MAX = 262144, /* octets looked through for the start of an FPDU */
};

/* Whether octets that come after reading has ended are of MPA. */
enum iw_half_left {
    IW_HALF_LEFT_MPA,       /* they are not */
    IW_HALF_LEFT_STREAMING, /* MPA was rejected: they are of the ULP, which may try MPA again */
    IW_HALF_LEFT_UNFRAMED,  /* they may be, and it is not known where an FPDU begins */
    IW_HALF_LEFT_LIMIT,     /* they may be: reading has ended because of a limit, or for want of memory */
};

/* What is looked for. */
enum iw_half_search {
    IW_HALF_LOST,       /* the start of any FPDU */
    IW_HALF_BEHIND_BAD, /* the same, but what stands first is believed more easily: the FPDU before it, whose
                           CRC is wrong, may end there */
    IW_HALF_DOUBT, /* whether the octets make an FPDU with Markers instead of without, or without instead of
                      with */
    IW_HALF_DOUBT_FIRST, /* the same, of the first FPDU, whose header or CRC is wrong */
};

/* How octets are looked through. */
enum iw_half_way {
    IW_HALF_PLAIN, /* as FPDUs without Markers */
    IW_HALF_MARKED,
    IW_HALF_PLAIN_HEADERS, /* the same, and the CRC is not looked at */
    IW_HALF_MARKED_HEADERS,
    IW_HALF_WAYS,
};

/* How FPDUs are found in the stream. */
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
    /* What each chunk asks for comes first, so that a connection takes few lines of the cache. */
    enum iw_side side;
    enum iw_half_phase phase;
    bool from_start; /* the SYN was seen */
    bool expected;   /* whatever comes first counts as a startup frame */
    bool forced;     /* FPDUs are believed by their headers alone where there is no CRC that is right */
    bool resynchronise_off; /* FPDUs are not looked for */
    bool repair_off;        /* FPDUs with a wrong CRC do not wait for another copy */
    bool revision_0;        /* DV and RV may be 0, too (RFC 5044 C) */
    bool origin_known;
    bool origin_sure;  /* a startup frame ends there */
    bool adopted;      /* unproven: `before` is what was known before */
    bool origin_exact; /* Markers count from it; else only FPDUs stand multiples of 4 octets from it */
    bool markers;
    bool markers_known;  /* `markers` was asked for by the other side, configured, or found */
    bool markers_asked;  /* the other side, or who configured it, wants them there */
    bool markers_forced; /* it was configured */
    bool markers_found;  /* it is what was found, whatever was asked for */
    bool contrary;       /* what was found is not what was asked for, and no FPDU has said so yet */
    bool settled;        /* both startup frames were seen */
    bool closed;
    bool answered;       /* the other side has gone on, while what begins here was in doubt */
    bool resynchronised; /* FPDUs were found by looking for them */
    bool unproven;       /* FPDU, SEEK: and may be payload of others (iw_alignment.h) */
    bool unanswered;     /* it has sent a Request, and whether that was rejected is not known */
    bool foreign;        /* the Rev in force is one that no RFC defines */
    bool startup_begun;  /* a startup frame has begun, of which the rest is not there */
    bool segmented;      /* a TCP segment has begun with an FPDU; `unsegmented`: one has not */
    bool unsegmented;
    bool fin;             /* the side has just closed */
    bool segment_aligned; /* unproven: an FPDU begins where the latest TCP segment does */
    bool other_streams;   /* the other side has begun with what is no startup frame; see below */
    bool hole;            /* STARTUP: octets are missing that may have held the startup frame */
    bool failed;          /* there was no memory to keep octets that had to be read */
    bool startup_read;    /* its startup frame has come */
    bool went_on;         /* and octets after it, or a hole */
    bool private_data;    /* what is skipped may have been meant to be of the startup frame */
    bool cut;             /* SEEK, OTHER: the capture has cut packets in the gap */
    bool revocable;       /* FPDU, AWAIT: the latest octets were not acknowledged when they came */
    enum iw_crc_use crc;
    uint64_t streaming; /* octets that came before any startup frame */
    uint64_t reached;   /* stream offset behind all that was fed */
    uint64_t last_frame;
    uint64_t last_time_ns;
    uint32_t largest;    /* octets of the largest DATA chunk */
    uint32_t at;         /* octet of the store that comes next */
    uint64_t delivered;  /* FPDU, AWAIT: stream offset up to which the other side has acknowledged */
    uint64_t read_frame; /* FPDU: capture frame of the latest chunk */
    uint64_t origin;     /* stream offset of the first octet of full operation; else see above */
    uint64_t taken_from; /* stream offset from which FPDUs were read without a loss */
    iw_mpa_sink *sink;
    void *user;
    uint64_t undoubted; /* stream offset + 1 of an FPDU of which there is no doubt any more */
    struct iw_fpdu_reader reader;
    struct iw_store store; /* STARTUP, HOLD, AWAIT, SEEK; and FPDU while it is read */
    uint64_t segment_from; /* stream offset of the first octet after the latest gap, or of the first of all */
    uint32_t startup_seen; /* octets of the startup frame that has begun, until a LOSS has told of them */
    unsigned chain;        /* unproven: FPDUs that have followed each other from the startup frame on */
    uint64_t chained;      /* unproven: octets of FPDUs in a row that are there, since reading was taken up */
    unsigned segments;     /* unproven: TCP segments in a row that speak for it (iw_alignment.h) */
    uint32_t segment_octets; /* unproven: of the latest one, so far */
    uint64_t segment_frame;  /* unproven: capture frame of that one */
    enum iw_half_left left;  /* OTHER */
    uint64_t left_from;      /* OTHER: stream offset of the first octet that no LOSS has told of */
    uint64_t left_frame;     /* OTHER: capture frame of that octet; 0 before it has come */
    uint8_t began[iw_mpa_startup_octets]; /* the first of those */
    uint64_t began_frame;                 /* capture frame in which the latest of those ended */
    uint64_t startup_end;                 /* stream offset after its startup frame, by PD_Length */
    struct iw_received startup_received; /* with the last octet of the startup frame; `offset` is its first */
    struct iw_received first_received;   /* with the first octet after it; `known` is false for a hole */
    uint32_t frame_octets;               /* STARTUP: size of the frame that has begun; 0 while not known */
    uint32_t private_room;               /* private data that there might have been beyond PD_Length */
    uint32_t frame_cut;                  /* STARTUP: octets at its end that the capture has cut */
    uint64_t lost_from;                  /* SEEK: stream offset from which nothing could be read; AWAIT: after
                                            the FPDU whose CRC is wrong */
    enum iw_half_search search;          /* SEEK */
    uint64_t lost_first_frame;           /* SEEK: the capture frame of that octet; 0 if it is the next one */
    uint64_t missing;                    /* SEEK, OTHER */
    uint64_t limited;                    /* SEEK, OTHER */
    struct iw_resync_progress progress[IW_HALF_WAYS]; /* SEEK */
    uint64_t spent;        /* octets that searches have summed beyond their share */
    uint64_t paid_up_to;   /* stream offset up to which that has been counted */
    uint64_t doubt_origin; /* SEEK for a DOUBT: from which Markers would count */
    uint64_t broken;       /* stream offset + 1 of an FPDU with which a chain that was not proven ended */
    uint64_t gap_frame;    /* SEEK: of the last gap; OTHER: of the last chunk */
    uint64_t gap_time_ns;
    struct iw_half_framing before;
};

/* Starts one direction, of which nothing was seen yet and whose terms are not known. What is found goes to
 * `sink` with `user`, from within the functions below. Takes no memory before octets have to be kept;
 * iw_half_dispose releases it. */
void iw_half_init(struct iw_half *half, enum iw_side side, iw_mpa_sink *sink, void *user);
void iw_half_dispose(struct iw_half *half);

/* Takes the next chunk of this side. */
void iw_half_feed(struct iw_half *half, const struct iw_chunk *chunk);

/* Whether the other side, known from its SYN, has begun with octets that are no startup frame, and none has
 * come since: then this side is in streaming mode (RFC 5044 7.1), or speaks another protocol, from its first
 * octet on, if that is missing too. No FPDU is looked for in what it sends until a startup frame has come. */
void iw_half_hear(struct iw_half *half, bool other_streams);

/* The other side goes on. If it is in doubt whether FPDUs begin where PD_Length says, what is there has to
 * tell: the other side may have judged it. */
void iw_half_answer(struct iw_half *half);

/* Octets of this side were sent again, before the other side had acknowledged them: an FPDU that a damaged
 * copy has spoiled is read from them, if its CRC is right then. */
void iw_half_again(struct iw_half *half, const struct iw_chunk *chunk);

/* The other side goes on, and has received this side's octets up to `acked`, or it is not `known`. */
void iw_half_acknowledge(struct iw_half *half, bool known, uint64_t acked);

/* From HOLD into full operation: the octets kept so far are read with these terms. */
void iw_half_go(struct iw_half *half, bool markers, enum iw_crc_use crc);

/* The same when the other side's startup frame cannot be had: a stream with markers begins with one, whose
 * octets are all zero, and no FPDU without them begins so (RFC 5044 7.1.2). */
void iw_half_go_unsettled(struct iw_half *half);

/* FPDUs have been read without a loss from the startup frame on. */
bool iw_half_from_startup(const struct iw_half *half);

/* Leaves MPA: what this side sends from now on is not looked at. */
void iw_half_leave(struct iw_half *half);

/* Leaves MPA for streaming mode, because the Reply rejects: octets from stream offset `from` on are not read,
 * and a LOSS tells of them at the close of this side (RFC 5044 7.1.2). */
void iw_half_stream(struct iw_half *half, uint64_t from);

/* Ends reading although octets from stream offset `from` on may be of MPA, because of `why`. A LOSS tells of
 * those that have come, and another one of the others at the close of this side. */
void iw_half_give_up(struct iw_half *half, enum iw_half_left why, uint64_t from);

/* The same for want of memory. */
void iw_half_fail(struct iw_half *half, uint64_t from);

/* No more chunks will come. */
void iw_half_finish(struct iw_half *half);

#endif
