#ifndef IW_CHECK_CONTENTS_H
#define IW_CHECK_CONTENTS_H

#include <stddef.h>
#include <stdint.h>

#include "iw_packet.h"

/* What the frames of a capture hold that are neither TCP nor SCTP: told where nothing in it is iWARP. */

enum { IW_CHECK_CONTENTS = 16 }; /* kinds that are counted apart; the rest is counted together */

struct iw_check_content {
    enum iw_content content;
    uint16_t number; /* see struct iw_packet_facts */
    uint64_t frames;
};

struct iw_check_contents {
    struct iw_check_content rows[IW_CHECK_CONTENTS];
    unsigned count;
    uint64_t more;                     /* frames of kinds beyond these */
    uint64_t frames[IW_CONTENT_COUNT]; /* by content, whatever the number */
};

/* Counts `frames` frames. */
void iw_check_contents_add(
    struct iw_check_contents *contents, enum iw_content content, uint16_t number, uint64_t frames);

/* Adds all of `other`. */
void iw_check_contents_join(struct iw_check_contents *contents, const struct iw_check_contents *other);

/* The most frequent first. */
void iw_check_contents_sort(struct iw_check_contents *contents);

/* What a row holds, for people: "RoCEv2 (UDP port 4791), not iWARP". */
void iw_check_content_text(const struct iw_check_content *row, char *text, size_t octets);

/* The most frequent of them in a line that begins with `separator`, or nothing: ": 18 with RoCEv2 (UDP port
 * 4791), not iWARP; 2 with Ethernet type 0x0806". */
void iw_check_contents_line(
    const struct iw_check_contents *contents, const char *separator, char *line, size_t octets);

#endif
