#pragma once

#include "iw_network.h"

/* A private network for programs of this machine: a network namespace that has only a loopback device, which
 * the profile impairs. All connections in it are impaired, each packet once, with the addresses 127.0.0.1 and
 * ::1 as elsewhere. A rate is shared by both directions of all of them. Needs no privilege where user
 * namespaces are allowed. */

struct iw_network_place;

enum { IW_NETWORK_PLACE_PREFIX_OCTETS = 96 };

/* Makes the network; a child process holds it. Returns NULL with one line in `error` that says what is
 * missing and what to do. */
struct iw_network_place *iw_network_place_new(
    const struct iw_network_profile *profile, char error[IW_NETWORK_TEXT_OCTETS]);

/* Ends the child process; the network ends with the last process in it. NULL is allowed. */
void iw_network_place_free(struct iw_network_place *place);

/* Writes the words before a program and its arguments that run it in the network: nsenter (util-linux). */
void iw_network_place_prefix(
    const struct iw_network_place *place, char prefix[IW_NETWORK_PLACE_PREFIX_OCTETS]);
