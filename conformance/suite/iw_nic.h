#pragma once

/* The network interface of this host towards a device: part of what a tester says about a run. */

enum { IW_NIC_OCTETS = 160 };

/* Writes the interface that reaches the host, with its driver and its vendor and device id on the bus, as far
 * as known: "eth2 mlx5_core 15b3:1019", or "lo". Writes "" if the host cannot be resolved or reached. Sends
 * nothing, except to a name server if `host` is a name. */
void iw_nic_towards(const char *host, char text[IW_NIC_OCTETS]);

/* Writes the interface of this name in that form, by the files in `folder`, which is /sys/class/net. */
void iw_nic_describe(const char *folder, const char *name, char text[IW_NIC_OCTETS]);
