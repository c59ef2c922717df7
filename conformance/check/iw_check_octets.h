#ifndef IW_CHECK_OCTETS_H
#define IW_CHECK_OCTETS_H

#include <stdint.h>
#include <stdio.h>

#include "iw_monitor.h"

/* Some octets of a startup frame, an FPDU or a Marker, with those marked that a finding is about. Markers
 * within an FPDU are taken out. */

enum { IW_CHECK_OCTETS_MAX = 32 };

struct iw_check_octets {
    uint8_t octets[IW_CHECK_OCTETS_MAX];
    uint8_t count;           /* 0: there is nothing to show */
    uint8_t mark;            /* the first marked one, */
    uint8_t marks;           /* and how many; 0: none in particular */
    uint32_t before, behind; /* how many more stand before and behind them */
};

/* All octets that stand together in what the event is about. */
struct iw_check_octets_run {
    const uint8_t *octets; /* valid as long as the event */
    uint32_t count;        /* of them that are there; 0: it is about none */
    uint32_t whole;        /* as sent */
};

struct iw_check_octets_run iw_check_octets_run(const struct iw_monitor_event *event);

/* The first octets of what the event is about. */
void iw_check_octets_head(struct iw_check_octets *octets, const struct iw_monitor_event *event);

/* Those that `finding`, one of the event's, is about, marked, with some around them. Where it is about no
 * field, they are the first octets, and none is marked. */
void iw_check_octets_around(
    struct iw_check_octets *octets, const struct iw_monitor_event *event, const struct iw_finding *finding);

/* The octets in hexadecimal with a space between two, "... " before and " ..." behind where there are more.
 * Returns at which column the marked ones begin, and in *columns how many columns they take. */
int iw_check_octets_print(const struct iw_check_octets *octets, FILE *out, int *columns);

#endif
