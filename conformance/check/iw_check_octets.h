#pragma once

#include <stdint.h>
#include <stdio.h>

#include "iw_monitor.h"

/* Some octets of a startup frame, an FPDU without Markers, a Marker or an SCTP chunk. The octets that a
 * finding is about are marked. */

enum { IW_CHECK_OCTETS_MAX = 32 };

struct iw_check_octets {
    uint8_t octets[IW_CHECK_OCTETS_MAX];
    uint8_t count;          /* 0: nothing to show */
    uint8_t mark;           /* index of the first marked octet */
    uint8_t marks;          /* number of marked octets; 0: none */
    uint32_t before, after; /* octets omitted before and after `octets` */
};

/* Sets *octets to the first octets of the event. */
void iw_check_octets_head(struct iw_check_octets *octets, const struct iw_monitor_event *event);

/* Sets *octets to the octets that `finding` of the event is about, marked, and some octets around them. If
 * the finding is about a Marker, takes only the Marker. If the finding is about no octets, about the whole
 * event, or about octets that were not captured, takes the first octets of the event, none marked. */
void iw_check_octets_around(
    struct iw_check_octets *octets, const struct iw_monitor_event *event, const struct iw_finding *finding);

/* Prints the octets in hexadecimal, with "... " before them and " ..." after them if octets were omitted
 * there. Returns the column of the first marked octet; sets *columns to the number of marked columns. */
int iw_check_octets_print(const struct iw_check_octets *octets, FILE *out, int *columns);
