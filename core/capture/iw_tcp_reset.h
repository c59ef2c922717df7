#ifndef IW_TCP_RESET_H
#define IW_TCP_RESET_H

#include <stdbool.h>
#include <stdint.h>

/* A RST in one direction, kept until it is known whether its receiver obeyed it. A receiver obeys a RST only
 * if its sequence number is exactly the next octet that it expects (RFC 9293 3.10.7.4, RFC 5961 3.2). A
 * capture shows that number only in part: the receiver may lack captured octets, or have others that were not
 * captured. So a RST that may be valid is kept until the end; later segments may disprove it. */

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
    uint32_t end; /* sequence number after the RST and all octets captured before it */
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

/* Ranks the RST: whether its receiver may obey it. */
enum iw_tcp_reset_rank iw_tcp_reset_rank(const struct iw_tcp_reset_place *place, uint32_t seq);

/* Stores `later` unless its rank is lower or NONE. Returns whether a RST is dropped; false if repeated. */
bool iw_tcp_reset_keep(struct iw_tcp_reset *reset, const struct iw_tcp_reset *later);

/* Captured after the RST: octets up to sequence number `end`; an acknowledgement of them; or a FIN, after
 * which the number is `end`. Each returns true, and drops the RST, if that disproves it. */
bool iw_tcp_reset_followed(struct iw_tcp_reset *reset, uint32_t end);
bool iw_tcp_reset_acked(struct iw_tcp_reset *reset, uint32_t ack);
bool iw_tcp_reset_closed(struct iw_tcp_reset *reset, uint32_t end);

#endif
