#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tunnels around packets, and IP packets in fragments. */

enum { IW_WRAP_TUNNELS = 10, IW_WRAP_PACKET_MAX = 70000 };

/* Tunnels by the names that recipes use: see captures/README.md. */
struct iw_wrap_tunnel {
    char name[12];
    uint32_t number; /* VLAN, label, VNI or key; 0 leaves out an optional number */
};

enum iw_wrap_part { IW_WRAP_NO_PART, IW_WRAP_INNER, IW_WRAP_OUTER };

struct iw_wrap_tunnels {
    struct iw_wrap_tunnel list[IW_WRAP_TUNNELS]; /* the outermost first */
    unsigned count;
    enum iw_wrap_part part; /* which packet is fragmented */
    unsigned octets;        /* largest payload of a fragment in octets, a multiple of 8 */
    bool reversed, doubled, overlapping;
    unsigned missing; /* number, from 1, of the fragment of each packet that the capture lacks; 0: none */
    uint32_t id;      /* Identification of outer packets and of IPv6 fragments */
};

/* Finds a tunnel by its name; false if the name is unknown. */
bool iw_wrap_tunnel_is(const char *name);

/* Takes an Ethernet frame of `length` octets from `sender` (0 or 1). Adds tunnels and fragments, and passes
 * the resulting frames to `write`. */
void iw_wrap_tunnels_send(struct iw_wrap_tunnels *tunnels, unsigned sender, const uint8_t *frame,
    size_t length, void (*write)(void *user, const uint8_t *octets, size_t length), void *user);
