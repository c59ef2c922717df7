#pragma once

#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdint.h>

/* A network device that libpcap captures from. */

struct iw_live_device {
    pcap_t *pcap; /* NULL: not open */
    bool nanoseconds;
    uint16_t link_type; /* LINKTYPE_ number */
};

struct iw_live_device_config {
    const char *name;   /* "lo", "eth0", "any" */
    const char *filter; /* of libpcap; NULL: every packet */
    uint32_t snaplen;   /* octets of a packet */
    uint32_t buffer;    /* octets for packets not yet read */
    bool immediate;     /* false: packets wait up to 10 ms, which costs less time for each */
    bool promiscuous;   /* also packets between other hosts, of a bridge or a mirror port; "any" has none */
};

enum { IW_LIVE_DEVICE_TEXT_OCTETS = 512 };

/* Opens a device; reading never waits. On failure, such as a missing permission, returns false with one line
 * in `text`, of IW_LIVE_DEVICE_TEXT_OCTETS octets. */
bool iw_live_device_open(
    struct iw_live_device *device, const struct iw_live_device_config *config, char *text);

/* Returns the time of a packet in nanoseconds since the epoch. */
uint64_t iw_live_device_time(const struct iw_live_device *device, const struct pcap_pkthdr *header);

/* Sets *dropped to how many packets the system and the device have dropped since the device was opened.
 * Returns false if that is not known. */
bool iw_live_device_dropped(const struct iw_live_device *device, uint64_t *dropped);

/* Closes the device; it may be closed already. */
void iw_live_device_close(struct iw_live_device *device);

/* Gives up the rights to open raw sockets and to configure the network, for the rest of the process: once the
 * devices are open they are not needed again, and the packets are foreign. A root user cannot get them back
 * by starting a program. Returns false on failure. */
bool iw_live_device_drop_rights(void);
