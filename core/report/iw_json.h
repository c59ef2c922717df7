#ifndef IW_JSON_H
#define IW_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "iw_monitor.h"
#include "iw_totals.h"
#include "iw_tcp_stream.h"

/* The objects of JSON Lines output, the same in each command. The caller owns a returned value; it is NULL
 * if memory runs out, which iw_json_line accepts. */

/* From this call on, iw_json_memory_failed returns whether a value is missing because memory ran out. Applies
 * to the whole process; each call resets that result. */
void iw_json_watch_memory(void);
bool iw_json_memory_failed(void);

/* Sets the function to call when memory runs out for a required JSON value: any value after
 * iw_json_require_memory, or a value that iw_json_read reads. NULL (the default): no function. It is called
 * in the thread that needs the memory, and should end the program: if it returns, jansson 2.14 may lose
 * octets of a number or text, or crash. Applies to the whole process. */
typedef void iw_json_fail(void);
void iw_json_on_failure(iw_json_fail *fail);

/* Like iw_json_watch_memory; in addition, calls the function set by iw_json_on_failure when memory for any
 * JSON value runs out. For commands that read JSON. */
void iw_json_require_memory(void);

/* Like json_loadb, but calls the function set by iw_json_on_failure when memory runs out. For commands that
 * continue if memory for output runs out. */
json_t *iw_json_read(const char *octets, size_t count, size_t flags, json_error_t *error);

/* {"type": type, "file": file, "stream": stream}; the functions below add members. `file` NULL omits the last
 * two. */
json_t *iw_json_object(const char *type, const char *file, uint64_t stream);

/* Sets `key` to `text`. Does nothing if `text` is NULL, empty, or not valid UTF-8 (octets of a capture may be
 * invalid): the line is then written without this key. */
void iw_json_set_text(json_t *object, const char *key, const char *text);

/* An array of texts. */
json_t *iw_json_texts(const char *const *texts, size_t count);

void iw_json_add_finding(json_t *object, const struct iw_finding *finding);

/* Adds the negotiated terms, the counts, and `totals`. `addresses` and `tcp` (which has the capture losses)
 * are indexed by enum iw_side. */
void iw_json_add_stream(json_t *object, const struct iw_mpa_terms *terms,
    const struct iw_monitor_counts *counts, const char *const addresses[2],
    const struct iw_tcp_counters tcp[2], const struct iw_totals *totals);

/* Adds the DDP Stream, the number and the state of the session over SCTP, and the number of DATA chunks that
 * the capture lacks. */
void iw_json_add_session(json_t *object, const struct iw_session *session, uint64_t lost_chunks);

/* Adds the outstanding requests of a side, if any. `side` is "initiator" or another member set by
 * iw_json_add_stream. `files`: the file of each named request, written if it differs from `file`. */
void iw_json_add_unanswered(json_t *object, const char *side, const struct iw_unanswered *unanswered,
    const char *const files[IW_UNANSWERED_NAMED], const char *file);

void iw_json_add_totals(json_t *object, const struct iw_totals *totals);

/* Writes the object as one line and releases it. Returns false if it is NULL or cannot be written. */
bool iw_json_line(FILE *out, json_t *object);

#endif
