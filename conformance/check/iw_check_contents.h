#ifndef IW_CHECK_CONTENTS_H
#define IW_CHECK_CONTENTS_H

#include <stddef.h>
#include <stdint.h>

#include "iw_packet.h"

/* What frames of a capture hold that are neither TCP nor SCTP. It is reported if the capture has no iWARP. */

enum { IW_CHECK_CONTENTS = 16 }; /* kinds counted one by one; all further kinds are counted together */

struct iw_check_content {
    enum iw_content content;
    uint16_t number; /* see struct iw_packet_facts */
    uint64_t frames;
};

struct iw_check_contents {
    struct iw_check_content rows[IW_CHECK_CONTENTS];
    unsigned count;
    uint64_t more;                     /* frames of all further kinds */
    uint64_t frames[IW_CONTENT_COUNT]; /* frames by content; all numbers of one content together */
};

void iw_check_contents_add(
    struct iw_check_contents *contents, enum iw_content content, uint16_t number, uint64_t frames);

void iw_check_contents_join(struct iw_check_contents *contents, const struct iw_check_contents *other);

/* Sorts the kinds; the most frequent comes first. */
void iw_check_contents_sort(struct iw_check_contents *contents);

/* Describes the content of a row, for people: "RoCEv2 (UDP port 4791), not iWARP". */
void iw_check_content_text(const struct iw_check_content *row, char *text, size_t octets);

/* Describes the most frequent kinds in one line: ": 18 with RoCEv2 (UDP port 4791), not iWARP; 2 with
 * Ethernet type 0x0806". The line begins with `separator`; it is empty if there are no kinds. */
void iw_check_contents_line(
    const struct iw_check_contents *contents, const char *separator, char *line, size_t octets);

#endif
