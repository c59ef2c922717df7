#pragma once

#include <stddef.h>
#include <stdint.h>

/* Counts packets with an unsupported link type, by link type. A zeroed struct is empty. */

/* Number of counters. The last one also counts the packets of all further link types. */
enum { IW_CAPTURE_UNREAD_MAX = 16 };

struct iw_capture_unread {
    struct {
        uint16_t link_type; /* LINKTYPE_... */
        uint64_t packets;
    } types[IW_CAPTURE_UNREAD_MAX];
    size_t count;
    uint64_t packets;      /* packets of all types */
    uint64_t may_carry_ip; /* packets among them that may carry IP */
};

void iw_capture_unread_count(struct iw_capture_unread *unread, uint16_t link_type, uint64_t packets);

void iw_capture_unread_add(struct iw_capture_unread *unread, const struct iw_capture_unread *more);

/* Writes "link type 105 (IEEE802_11)", or "link types " and a list, to `text`; truncates at `octets`. If
 * nothing was counted, leaves `text` unchanged. */
void iw_capture_unread_text(const struct iw_capture_unread *unread, char *text, size_t octets);
