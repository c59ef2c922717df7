#ifndef IW_WRAP_TUNNEL_H
#define IW_WRAP_TUNNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tunnels around packets, and IP packets in fragments. */

enum { IW_WRAP_TUNNELS = 10, IW_WRAP_PACKET_MAX = 70000 };

/* By the names that recipes have: see captures/README.md. */
struct iw_wrap_tunnel {
    char name[12];
    uint32_t number; /* VLAN, label, VNI, key, ...; 0 for none where there may be none */
};

enum iw_wrap_part { IW_WRAP_NO_PART, IW_WRAP_INNER, IW_WRAP_OUTER };

struct iw_wrap_tunnels {
    struct iw_wrap_tunnel list[IW_WRAP_TUNNELS]; /* the outermost first */
    unsigned count;
    enum iw_wrap_part part; /* that goes in fragments, */
    unsigned octets;        /* of so many octets at most, a multiple of 8 */
    bool reversed, doubled, overlapping;
    unsigned missing; /* the capture lacks this fragment of each packet, from 1; 0 for none */
    uint32_t id;      /* Identification of outer packets, and of fragments over IPv6 */
};

/* False if there is no such tunnel. */
bool iw_wrap_tunnel_is(const char *name);

/* Takes an Ethernet frame from `sender` (0 or 1), `length` octets, and gives those that it becomes to
 * `write`. */
void iw_wrap_tunnels_send(struct iw_wrap_tunnels *tunnels, unsigned sender, const uint8_t *frame,
    size_t length, void (*write)(void *user, const uint8_t *octets, size_t length), void *user);

#endif
