#include "iw_capture_unread.h"

#include <pcap/pcap.h>
#include <stdio.h>

#include "iw_link_type.h"

void iw_capture_unread_count(struct iw_capture_unread *unread, uint16_t link_type, uint64_t packets) {
    size_t i = 0;

    while (i < unread->count && unread->types[i].link_type != link_type)
        i++;
    if (i == IW_CAPTURE_UNREAD_MAX)
        i--;
    else if (i == unread->count)
        unread->types[unread->count++].link_type = link_type;
    unread->types[i].packets += packets;
    unread->packets += packets;
    unread->may_carry_ip += iw_link_type_may_carry_ip(link_type) ? packets : 0;
}

void iw_capture_unread_add(struct iw_capture_unread *unread, const struct iw_capture_unread *more) {
    /* The last counter of `more` may count several link types, so the totals are added. */
    uint64_t may_carry_ip = unread->may_carry_ip + more->may_carry_ip;

    for (size_t i = 0; i < more->count; i++)
        iw_capture_unread_count(unread, more->types[i].link_type, more->types[i].packets);
    unread->may_carry_ip = may_carry_ip;
}

void iw_capture_unread_text(const struct iw_capture_unread *unread, char *text, size_t octets) {
    size_t used = 0;

    for (size_t i = 0; i < unread->count && used < octets; i++) {
        const char *name = pcap_datalink_val_to_name(unread->types[i].link_type);
        int length = snprintf(text + used, octets - used, "%s%u%s%s%s",
            i > 0               ? ", "
            : unread->count > 1 ? "link types "
                                : "link type ",
            unread->types[i].link_type, name ? " (" : "", name ? name : "", name ? ")" : "");

        used += length > 0 ? (size_t)length : 0;
    }
}
