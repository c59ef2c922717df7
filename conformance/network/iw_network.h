#pragma once

#include "iw_network_profile.h"

/* Two hosts on this machine, A and B, joined by one link: two network namespaces with a pair of virtual
 * Ethernet devices (veth), which the queueing disciplines netem or tbf impair by a profile. Linux only; uses
 * the programs ip and tc of iproute2. Needs no privilege where user namespaces are allowed. */

enum iw_network_host { IW_NETWORK_A, IW_NETWORK_B };

enum { IW_NETWORK_TEXT_OCTETS = 512, IW_NETWORK_ADDRESS_OCTETS = 16 };

struct iw_network;

/* Makes the network. The calling thread is then on host A, and other networks are out of its reach; it may be
 * unable to return, because without CAP_SYS_ADMIN it also enters a user namespace, for which the process must
 * have a single thread. So a process that needs its own network afterwards calls this in a child. Returns
 * NULL with one line in `error` that says what is missing and what to do. */
struct iw_network *iw_network_new(
    const struct iw_network_profile *profile, char error[IW_NETWORK_TEXT_OCTETS]);

/* Closes the network; it ends with the last socket and process on it. NULL is allowed. */
void iw_network_free(struct iw_network *network);

/* Moves the calling thread to the host: sockets that it opens, and processes that it starts, are on that
 * host. Has no effect with NULL. */
void iw_network_enter(const struct iw_network *network, enum iw_network_host host);

/* Writes an address of the host, one of many, chosen by `chance`: the kernel finds a free port faster on an
 * address that was not in use in the last minute. */
void iw_network_address(enum iw_network_host host, uint32_t chance, char text[IW_NETWORK_ADDRESS_OCTETS]);

/* Whether the seed chooses the packets: only newer kernels can (Linux 6.6), and only by a tc that knows it.
 */
bool iw_network_is_seeded(const struct iw_network *network);

/* Returns whether iw_network_new works on this machine, by trying in a child process. Otherwise `error` is as
 * there. */
bool iw_network_is_possible(const struct iw_network_profile *profile, char error[IW_NETWORK_TEXT_OCTETS]);
