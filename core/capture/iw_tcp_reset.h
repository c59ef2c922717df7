#ifndef IW_TCP_RESET_H
#define IW_TCP_RESET_H

#include <stdbool.h>
#include <stdint.h>

/* A RST of one direction that waits for a verdict. A receiver obeys a RST only where its sequence number is
 * exactly the next octet that it expects (RFC 9293 3.10.7.4, RFC 5961 3.2). A capture knows that number only
 * in part: the receiver may lack octets that were captured, and may have octets that were not. So a RST that
 * may be valid is kept until the capture ends; what is captured after it may refute it. */

enum iw_tcp_reset_rank {
    IW_TCP_RESET_NONE,
    IW_TCP_RESET_POSSIBLE, /* valid if octets were sent that the capture lacks, or if some were lost on the
                              way */
    IW_TCP_RESET_EXACT,    /* valid by all that was captured */
};

struct iw_tcp_reset {
    uint64_t frame;
    uint64_t time_ns;
    uint32_t seq;
    uint32_t ack; /* what it acknowledges; valid with `has_ack` */
    uint32_t end; /* no octet from this sequence number on was seen before it, nor does it tell of one */
    bool has_ack;
    uint8_t rank; /* enum iw_tcp_reset_rank */
};

/* What is known when the RST with sequence number `seq` comes. */
struct iw_tcp_reset_place {
    uint32_t next; /* after the octets, and the FIN, that were captured without a hole */
    uint32_t seen; /* after all octets that were captured */
    bool closed;   /* a FIN was captured: nothing stands after it */
    bool has_ack;
    uint32_t acked; /* by the receiver */
};

/* Whether a receiver may obey it. */
enum iw_tcp_reset_rank iw_tcp_reset_rank(const struct iw_tcp_reset_place *place, uint32_t seq);

/* Keeps the RST unless a better one is kept. Returns whether it, or the one before it, is given up. */
bool iw_tcp_reset_keep(struct iw_tcp_reset *reset, const struct iw_tcp_reset *later);

/* After the RST came octets of the direction up to sequence number `end`, or an acknowledgement by their
 * receiver, or a FIN, after which `end` comes. Each returns true, and forgets the RST, where that refutes it.
 */
bool iw_tcp_reset_followed(struct iw_tcp_reset *reset, uint32_t end);
bool iw_tcp_reset_acked(struct iw_tcp_reset *reset, uint32_t ack);
bool iw_tcp_reset_closed(struct iw_tcp_reset *reset, uint32_t end);

#endif
