#pragma once

#include "iw_chunk.h"
#include "iw_icmp.h"
#include "iw_tcp_seen.h"

/* Facts about the life of one TCP connection, in bounded memory: who opened and closed it, what was sent
 * again, how long it was silent. A fact is a value, never a judgement. The capture may stand at either end or
 * between them, so a retransmission may have been lost before or after it. */

/* When something happened. Frame 0: it did not happen. */
struct iw_tcp_mark {
    uint64_t frame;
    uint64_t time_ns;
};

/* One segment that its sender sends again although nothing acknowledges it. */
struct iw_tcp_resend {
    uint32_t seq;
    uint32_t octets;                /* of the latest copy */
    uint32_t count;                 /* copies after the first transmission; 0: no such segment */
    struct iw_tcp_mark first, last; /* the first and the latest of these copies */
    uint32_t large_octets;          /* of the copy before the first one with fewer octets than that; or 0 */
    uint32_t large_count;           /* copies before that first smaller one */
};

/* Octets that later ones passed, and that did not come so far. */
struct iw_tcp_hole {
    uint32_t from, to; /* sequence numbers; equal: no hole */
    uint32_t dup_acks; /* of the other side, when the hole was seen */
    uint64_t time_ns;  /* when it was seen */
};

/* ICMP errors about segments of the side. */
struct iw_tcp_rejection {
    struct iw_icmp icmp;            /* the latest */
    uint32_t seq;                   /* of the segment that it is about */
    uint32_t count;                 /* 0: none */
    struct iw_tcp_mark first, last; /* the first and the latest */
};

enum { IW_TCP_LIFE_HOLES = 4 };

/* What happens to few connections: it is allocated when it happens, as a capture may have 100,000. */
struct iw_tcp_trouble {
    struct iw_tcp_resend resend;  /* the segment being sent again now; count 0: none */
    struct iw_tcp_resend longest; /* the resend with most copies that was acknowledged in the end */
    uint32_t retransmissions;     /* segments with only octets that were sent before */
    uint32_t late;                /* segments that filled a hole, too early to be sent again */
    uint64_t late_first_frame, late_last_frame;
    uint64_t resent_ns, late_ns; /* the time of the latest of `retransmissions`, and of `late` */
    struct iw_tcp_hole holes[IW_TCP_LIFE_HOLES]; /* the latest holes */
    uint32_t hole_next;                          /* the element of `holes` for the next hole */
    uint32_t filled_late;           /* segments that filled a hole after IW_TCP_LIFE_TIMEOUT_NS or more */
    uint64_t filled_latest_ns;      /* the longest time of them */
    uint64_t filled_latest_frame;   /* and the segment of that time */
    uint32_t oversize;              /* segments larger than the MSS of the other side */
    uint32_t zero_windows;          /* how often the side closed its window */
    uint64_t zero_first_frame;      /* the first of them */
    struct iw_tcp_mark zero_since;  /* the window is closed since; frame 0: it is open */
    uint64_t zero_longest_ns;       /* the longest time with a closed window that ended */
    uint64_t zero_probed_ns;        /* the same for windows at which octets of the other side waited: it sent
                                       them to the closed window (RFC 9293 3.8.6.1), or asked whether it is
                                       open, and sent them as soon as it was */
    uint64_t zero_waited_ns;        /* when the latest such window was opened */
    struct iw_tcp_mark zero_asked;  /* the first probe since zero_since without new octets: it may be a
                                       keep-alive probe; frame 0: none */
    struct iw_tcp_mark zero_opened; /* the segment that opened such a window, until new octets come */
    uint64_t zero_opened_ns;        /* how long it was closed */
    bool zero_probed;               /* the other side sent octets since zero_since */
    struct iw_tcp_mark acked_again; /* the latest segment sent again whose octets were acknowledged already */
    uint64_t probe_first_frame;     /* the first of `probes_unanswered` */
    uint32_t probes;                /* keep-alive probes (RFC 9293 3.8.4) */
    uint32_t probes_unanswered;     /* the latest probes, since the other side sent a segment */
    uint64_t rst_frame;             /* the first RST */
    uint64_t rst_before_frame;      /* the sender's previous segment; 0: not captured */
    uint64_t rst_silence_ns;        /* time from that segment to the RST */
    uint8_t rst_hops;               /* of that RST, as in iw_tcp_segment.h */
    bool rst_answers;               /* the RST has no ACK: a host sends it for a connection that it does not
                                       know (RFC 9293 3.10.7.1) */
    bool rst_after_octets; /* the other side sent directly before the RST a probe, or octets that the RST
                                does not acknowledge; or answered `syn_again` */
    struct iw_tcp_rejection too_big; /* ICMP errors of kind TOO_BIG */
    struct iw_tcp_rejection refused; /* ICMP errors of all other kinds */
    struct iw_tcp_mark syn_again;    /* a SYN with another number, after octets of the side */
};

/* A segment in flight. */
struct iw_tcp_sent {
    uint32_t end, octets;
};

enum { IW_TCP_LIFE_LARGER = 4 };

struct iw_tcp_life_side {
    struct iw_tcp_trouble *trouble; /* read it by iw_tcp_life_trouble; NULL: none */
    uint64_t segments;              /* without `copies` */
    uint64_t copies;                /* segments captured again (iw_tcp_seen_find): nothing else counts them */
    uint64_t copy_frame;            /* the first of them */
    struct iw_tcp_seen seen;        /* the latest segments */
    struct iw_tcp_mark last;        /* the latest segment of any kind */
    struct iw_tcp_mark complete;    /* the latest segment whose number shows that the side had sent no octets
                                       beyond the captured ones (RFC 9293 3.4) */
    uint64_t last_octets_frame;     /* the latest segment with payload */
    uint64_t fin_frame;             /* the first FIN */
    uint32_t largest_octets;        /* payload of the largest segment */
    uint32_t largest_acked_octets; /* payload of the largest segment that was acknowledged as a whole, or more
                                      if many sizes were in flight */
    uint32_t dup_acks;             /* acknowledgements sent again while octets were in flight to the sender */
    uint32_t next;                 /* sequence number after the highest octet sent; valid with has_next */
    uint32_t acked_seq;            /* highest acknowledged sequence number; valid with has_acked */
    uint32_t shown; /* highest sequence number that a segment of either side shows as sent; valid
                       with has_next */
    struct iw_tcp_sent larger[IW_TCP_LIFE_LARGER]; /* segments in flight: each is larger than those before and
                                                      than largest_acked_octets */
    uint8_t larger_count;
    uint8_t hops_least, hops_most; /* of its segments other than RSTs, as in iw_tcp_segment.h; 0: unknown */
    uint16_t mss;                  /* the MSS that the side announced in its SYN, in octets; 0: unknown */
    uint32_t sacked; /* end of the latest SACK block of the other side (RFC 2018); valid with has_sacked */
    bool has_next, has_acked, has_sacked;
    bool syn; /* its SYN was captured */
};

/* A hole filled within this time is a matter of order. So is one that is filled before the retransmission
 * timeout and before so many duplicate acknowledgements ask for its octets (RFC 5681 3.2). Otherwise it is a
 * retransmission. */
#define IW_TCP_LIFE_REORDER_NS UINT64_C(3000000)
enum { IW_TCP_LIFE_DUP_ACKS = 3 };
/* The retransmission timeouts of common TCPs are not shorter. */
#define IW_TCP_LIFE_TIMEOUT_NS UINT64_C(200000000)

struct iw_tcp_life {
    struct iw_tcp_life_side side[2]; /* by enum iw_side */
    struct iw_tcp_mark last;         /* the latest segment of the connection */
    uint64_t idle_ns;                /* the longest time without a segment */
    uint64_t idle_end_frame;         /* the segment that ended it */
    bool incomplete;                 /* memory ran out: something is missing */
};

void iw_tcp_life_init(struct iw_tcp_life *life);
void iw_tcp_life_dispose(struct iw_tcp_life *life);

/* What happened to the side; all 0 if nothing did. */
const struct iw_tcp_trouble *iw_tcp_life_trouble(const struct iw_tcp_life *life, enum iw_side side);

/* Takes the next captured segment, which `side` has sent. */
void iw_tcp_life_segment(struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment);

/* Takes an ICMP error about a segment of `side`: its `seq`, frame and time. Ignores an error about octets
 * that the side did not send, as anyone can send it (RFC 5927 4.1). */
void iw_tcp_life_rejected(struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment,
    const struct iw_icmp *icmp);

/* Whether octets that the side sent are not acknowledged. */
bool iw_tcp_life_in_flight(const struct iw_tcp_life *life, enum iw_side side);

/* Whether octets or a FIN that the side has sent are not captured: so far, a segment of either side has a
 * higher sequence number than they. */
bool iw_tcp_life_lacks(const struct iw_tcp_life *life, enum iw_side side);

/* Whether later octets arrived than those that the side is sending again now: the other side acknowledged
 * them selectively. */
bool iw_tcp_life_is_passed(const struct iw_tcp_life *life, enum iw_side side);
