#pragma once

#include <jansson.h>
#include <stdio.h>

#include "iw_json_memory.h"
#include "iw_monitor.h"
#include "iw_totals.h"
#include "iw_tcp_stream.h"

/* The objects of JSON Lines output, the same in each command. The caller owns a returned value. The value is
 * NULL if memory runs out; iw_json_line accepts NULL. */

/* Returns {"type": type, "file": file, "stream": stream}; only "type" if `file` is NULL. */
json_t *iw_json_object(const char *type, const char *file, uint64_t stream);

/* Sets `key` to `text`. Does nothing if `text` is NULL, empty, or not valid UTF-8, as octets of a capture may
 * be. */
void iw_json_set_text(json_t *object, const char *key, const char *text);

/* Returns an array of the texts, without those that are not valid UTF-8. */
json_t *iw_json_texts(const char *const *texts, size_t count);

void iw_json_add_finding(json_t *object, const struct iw_finding *finding);

/* Returns the startup frame of a side, and whether its FPDUs carry Markers; null if no frame was captured. */
json_t *iw_json_startup(const struct iw_mpa_terms *terms, enum iw_side side);

/* Returns what could not be judged, by the keys of iw_unjudged_key. */
json_t *iw_json_unjudged(const uint64_t unjudged[IW_UNJUDGED_COUNT]);

/* Adds the negotiated terms, the counts, and `totals`. `addresses` and `tcp` are by enum iw_side. */
void iw_json_add_stream(json_t *object, const struct iw_mpa_terms *terms,
    const struct iw_monitor_counts *counts, const char *const addresses[2],
    const struct iw_tcp_counters tcp[2], const struct iw_totals *totals);

/* Adds stream, number and state of the session over SCTP, and the number of missing DATA chunks. */
void iw_json_add_session(json_t *object, const struct iw_session *session, uint64_t lost_chunks);

/* Adds the outstanding requests of a side, if any. `side` is "initiator" or another member set by
 * iw_json_add_stream. `files`: the file of each named request, written if it differs from `file`. */
void iw_json_add_unanswered(json_t *object, const char *side, const struct iw_unanswered *unanswered,
    const char *const files[IW_UNANSWERED_NAMED], const char *file);

void iw_json_add_totals(json_t *object, const struct iw_totals *totals);

/* Writes the object as one line and releases it. Returns false if it is NULL or cannot be written. */
bool iw_json_line(FILE *out, json_t *object);
