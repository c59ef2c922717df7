#ifndef IW_CAPTURE_LIBPCAP_H
#define IW_CAPTURE_LIBPCAP_H

#include "iw_capture_record.h"
#include "iw_capture_source.h"

/* The packets of capture files that only libpcap knows: pcap of other versions than 2.4, where lengths may
 * stand the other way round, and the modified pcap of old Linux distributions. One packet at a time, with no
 * claim to its octets after the next. */
struct iw_capture_libpcap;

/* Opens the file behind `source`, which is borrowed, and of which nothing has been read. On success *reader
 * is to be closed by the caller; otherwise *reader is NULL and `reason`, of `reason_octets` octets, says why.
 * IW_ERR_FORMAT: no capture file. IW_ERR_TRUNCATED: it ends before its first packet could begin. */
enum iw_status iw_capture_libpcap_open(
    struct iw_capture_source *source, struct iw_capture_libpcap **reader, char *reason, size_t reason_octets);
void iw_capture_libpcap_close(struct iw_capture_libpcap *reader);

uint16_t iw_capture_libpcap_link_type(const struct iw_capture_libpcap *reader);

/* Reads the next packet; its `kind` and `link` are the caller's matter. Returns 1 for a packet, 0 at the end,
 * or a negative enum iw_status: IW_ERR_TRUNCATED, IW_ERR_FORMAT or IW_ERR_IO. */
int iw_capture_libpcap_next(struct iw_capture_libpcap *reader, struct iw_capture_record *record);
const char *iw_capture_libpcap_reason(const struct iw_capture_libpcap *reader);

/* The name of a link type; NULL: it has none. */
const char *iw_capture_link_name(uint16_t link_type);

#endif
