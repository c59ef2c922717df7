#pragma once

#include "iw_monitor_event.h"

/* Judges one connection: takes chunks of both directions, and reports for each startup frame, FPDU, loss and
 * close what it is and what it violates. Checker, live runs and Wireshark share this monitor. */

typedef void iw_monitor_sink(void *user, const struct iw_monitor_event *event);

struct iw_monitor;

/* Returns NULL if memory ran out. */
struct iw_monitor *iw_monitor_new(const struct iw_monitor_config *config, iw_monitor_sink *sink, void *user);
void iw_monitor_free(struct iw_monitor *monitor);

/* Takes the next chunk; chunks of each side come in stream order. Emits events before it returns. */
void iw_monitor_feed(struct iw_monitor *monitor, const struct iw_chunk *chunk);

/* The input has ended: emits the remaining events. */
void iw_monitor_finish(struct iw_monitor *monitor);

/* Events from now on go to `sink`; may be called by the sink. */
void iw_monitor_set_sink(struct iw_monitor *monitor, iw_monitor_sink *sink, void *user);

/* See iw_mpa_memory and iw_mpa_end_reading. */
size_t iw_monitor_memory(const struct iw_monitor *monitor, enum iw_side side);
void iw_monitor_end_reading(struct iw_monitor *monitor, enum iw_side side);

/* Takes the next event of a session over SCTP, from struct iw_sessions; such a monitor gets no chunks. */
void iw_monitor_session(struct iw_monitor *monitor, const struct iw_llp_event *llp);

/* iw_monitor_recognised: the connection is known to be MPA. iw_monitor_hopeless: reading has ended for both
 * sides, so an unrecognised connection can never become MPA. */
bool iw_monitor_recognised(const struct iw_monitor *monitor);
bool iw_monitor_hopeless(const struct iw_monitor *monitor);

/* For the sink, during a SEGMENT event: its sender had received octets of the other side up to this stream
 * offset at most when it sent the segment. UINT64_MAX if that is unknown, as over SCTP. */
uint64_t iw_monitor_received_at_most(const struct iw_monitor *monitor);

/* Whether the capture shows that both sides have closed, or that a side has reset the connection. */
bool iw_monitor_over(const struct iw_monitor *monitor);

/* Whether memory ran out for a finding, or for octets (then an unrecognised connection may be MPA). */
bool iw_monitor_failed(const struct iw_monitor *monitor);

/* What the startup negotiated, as far as captured; and what was counted so far. */
const struct iw_mpa_terms *iw_monitor_terms(const struct iw_monitor *monitor);
const struct iw_monitor_counts *iw_monitor_counts(const struct iw_monitor *monitor);

/* Sets `unanswered` to the outstanding requests of `requester`, and why they have no response. No RFC forbids
 * a close with them (RFC 5040 6.2 leaves the graceful close to the ULP). */
void iw_monitor_unanswered(
    const struct iw_monitor *monitor, enum iw_side requester, struct iw_unanswered *unanswered);
