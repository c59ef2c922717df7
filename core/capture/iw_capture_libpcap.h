#pragma once

#include "iw_capture_source.h"
#include "iw_packet.h"

/* Reads captures that only libpcap knows: pcap versions other than 2.4, some of which swap the lengths of a
 * packet, and the modified pcap of old Linux. A packet is valid only until the next packet is read. */
struct iw_capture_libpcap;

/* Opens the file that `source` reads; `source` is borrowed and must be unread. On success the caller must
 * close *reader. Otherwise *reader is NULL, and `reason` says why. IW_ERR_FORMAT: libpcap rejects the file.
 * IW_ERR_TRUNCATED: it ends within its header. IW_ERR_NOMEM: memory ran out. Or the error of `source`. */
enum iw_status iw_capture_libpcap_open(
    struct iw_capture_source *source, struct iw_capture_libpcap **reader, char *reason, size_t reason_octets);
void iw_capture_libpcap_close(struct iw_capture_libpcap *reader);

uint16_t iw_capture_libpcap_link_type(const struct iw_capture_libpcap *reader);

/* Reads the next packet; the caller fills in `link` and `frame`. Returns 1 for a packet, 0 at the end of the
 * file, or an error: that of the source, IW_ERR_TRUNCATED, IW_ERR_FORMAT or IW_ERR_IO. */
int iw_capture_libpcap_next(struct iw_capture_libpcap *reader, struct iw_packet *packet);
const char *iw_capture_libpcap_reason(const struct iw_capture_libpcap *reader);
