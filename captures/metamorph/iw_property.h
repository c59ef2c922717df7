#pragma once

#include "iw_transform.h"
#include "iw_verdict.h"

/* Relations that must hold between the verdict on a conversation and the verdict on a changed capture. */

struct iw_property_base {
    const char *path; /* path of the capture file */
    unsigned number;  /* number of the conversation in the file, from 1 */
    const struct iw_trace *trace;
    struct iw_verdict verdict;
    uint32_t *decided; /* per finding: number of first packets that show it; NULL: unknown */
};

/* Judges the unchanged conversation; writes a capture file at `path` for that. Returns false on failure. If
 * the conversation has no iWARP, `verdict.exit` is IW_EXIT_ENVIRONMENT. */
bool iw_property_base_init(struct iw_property_base *base, const struct iw_trace *trace, const char *path);
void iw_property_base_dispose(struct iw_property_base *base);

/* Checks all properties. Writes the first broken one to `broken` as one line; "" if all hold. `effect` is the
 * strongest effect of the transforms that made `trace`. */
void iw_property_check(const struct iw_property_base *base, const struct iw_trace *trace,
    const struct iw_verdict *verdict, enum iw_transform_effect effect, char *broken, size_t octets);
