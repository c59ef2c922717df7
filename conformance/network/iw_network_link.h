#pragma once

#include "iw_network.h"

/* Sets up the two hosts of a network and their link. */

/* Runs on host A: makes the link, whose other end is in the namespace `other`. */
bool iw_network_link_make(
    const struct iw_network_profile *profile, int other, char error[IW_NETWORK_TEXT_OCTETS]);

/* Runs on the host: sets its addresses and routes, and impairs what it sends. Sets *seeded to whether the
 * seed chooses the packets. */
bool iw_network_link_set_up(const struct iw_network_profile *profile, enum iw_network_host host, bool *seeded,
    char error[IW_NETWORK_TEXT_OCTETS]);

/* Runs in a network namespace of its own: sets up its loopback device, and impairs what is sent on it. */
bool iw_network_link_set_up_loopback(
    const struct iw_network_profile *profile, char error[IW_NETWORK_TEXT_OCTETS]);

/* All return false with one line in `error` on failure. */
