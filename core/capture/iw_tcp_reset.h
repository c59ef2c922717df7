#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A RST in one direction. A receiver obeys a RST only if its sequence number is exactly the next octet that
 * the receiver expects (RFC 9293 3.10.7.4, RFC 5961 3.2). A capture shows that number only in part: the
 * receiver may lack captured octets, or have octets that were not captured. So a RST that may be valid is
 * kept until the end of the capture; later segments may disprove it. */

enum iw_tcp_reset_rank {
    IW_TCP_RESET_NONE,
    IW_TCP_RESET_POSSIBLE, /* valid if the capture lacks octets, or if captured octets were lost on the way */
    IW_TCP_RESET_EXACT,    /* valid if everything captured was received */
};

struct iw_tcp_reset {
    uint64_t frame;
    uint64_t time_ns;
    uint32_t seq;
    uint32_t ack; /* its acknowledgement number; valid with `has_ack` */
    uint32_t end; /* the later of `seq` and the sequence number after all octets captured before the RST */
    bool has_ack;
    uint8_t rank; /* enum iw_tcp_reset_rank */
};

/* The state of a direction when a RST comes. */
struct iw_tcp_reset_place {
    uint32_t next; /* sequence number after the octets (and FIN) captured without a hole */
    uint32_t seen; /* sequence number after all captured octets */
    bool closed;   /* a FIN was captured: no octet follows it */
    bool has_ack;
    uint32_t acked; /* acknowledgement number of the receiver */
};

/* Returns how likely the receiver obeys a RST with sequence number `seq`. */
enum iw_tcp_reset_rank iw_tcp_reset_rank(const struct iw_tcp_reset_place *place, uint32_t seq);

/* Stores `later`, unless its rank is lower or NONE, or it is a copy. Returns true if one RST was dropped. */
bool iw_tcp_reset_keep(struct iw_tcp_reset *reset, const struct iw_tcp_reset *later);

/* Take what is captured after the RST: octets up to sequence number `end`; an acknowledgement number; the
 * sequence number `end` after a FIN. Each drops the RST and returns true if the RST is thereby disproved. */
bool iw_tcp_reset_followed(struct iw_tcp_reset *reset, uint32_t end);
bool iw_tcp_reset_acked(struct iw_tcp_reset *reset, uint32_t ack);
bool iw_tcp_reset_closed(struct iw_tcp_reset *reset, uint32_t end);
