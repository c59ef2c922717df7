#ifndef IW_PROPERTY_H
#define IW_PROPERTY_H

#include "iw_transform.h"
#include "iw_verdict.h"

/* What has to hold between the verdict on a conversation and the verdict on a transformed capture of it. */

struct iw_property_base {
    const char *path; /* of the capture file */
    unsigned number;  /* of the conversation in it, from 1 */
    const struct iw_trace *trace;
    struct iw_verdict verdict;
    uint32_t *decided; /* by finding: a capture of so many first packets shows it; NULL: not known */
};

/* Judges the conversation as it is. Returns false if that cannot be; `path` is a file to write. Without iWARP
 * in it `verdict.exit` is IW_EXIT_ENVIRONMENT. */
bool iw_property_base_init(struct iw_property_base *base, const struct iw_trace *trace, const char *path);
void iw_property_base_dispose(struct iw_property_base *base);

/* The first property that does not hold, as a line in `broken`; "" if all hold. `effect` is the largest of
 * the transforms that made `trace` of the base. */
void iw_property_check(const struct iw_property_base *base, const struct iw_trace *trace,
    const struct iw_verdict *verdict, enum iw_transform_effect effect, char *broken, size_t octets);

#endif
