#ifndef IW_REASSEMBLY_H
#define IW_REASSEMBLY_H

#include "iw_packet.h"

/* IP packets put together from their fragments (RFC 791 3.2, RFC 8200 4.5).
 *
 * Where fragments overlap and differ, the octets that were captured first are taken. Fragments that repeat
 * others change nothing, those of a packet that is whole included. An Identification comes again after some
 * time (RFC 4963), so fragments that are IW_REASSEMBLY_FRAMES apart are of two packets. Of fragments that
 * were cut, the packet has the octets up to the first that the capture lacks. */

enum {
    IW_REASSEMBLY_PACKETS = 256,  /* at a time; the one that has waited longest gives way */
    IW_REASSEMBLY_FRAMES = 1024,  /* of the capture, between two fragments of a packet */
    IW_REASSEMBLY_OCTETS = 65535, /* of a packet, without its header */
};

enum iw_reassembly_step {
    IW_REASSEMBLY_WAITS,     /* for more */
    IW_REASSEMBLY_WHOLE,     /* this was the last that was missing */
    IW_REASSEMBLY_REPEATED,  /* nothing new in it */
    IW_REASSEMBLY_OTHER,     /* of a packet of UDP that is no tunnel's: not kept */
    IW_REASSEMBLY_MALFORMED, /* its place or length cannot be */
    IW_REASSEMBLY_NO_MEMORY, /* the packet is given up */
};

struct iw_reassembly;

/* NULL if there is no memory. */
struct iw_reassembly *iw_reassembly_new(void);
void iw_reassembly_free(struct iw_reassembly *reassembly);

/* Takes the fragment that capture frame `frame` has. With IW_REASSEMBLY_WHOLE *whole is the packet, whose
 * octets are valid until the next call with a fragment; with IW_REASSEMBLY_OTHER its `offset` is a port of
 * UDP. `fragment` and `whole` may be the same. */
enum iw_reassembly_step iw_reassembly_add(struct iw_reassembly *reassembly,
    const struct iw_fragment *fragment, uint64_t frame, struct iw_fragment *whole);

/* How many frames have brought fragments of packets that are not whole. */
uint64_t iw_reassembly_unread(const struct iw_reassembly *reassembly);
/* How many have brought octets that others had brought with another value. */
uint64_t iw_reassembly_differing(const struct iw_reassembly *reassembly);

#endif
