#include "iw_reasons.h"

#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_plural.h"

bool iw_reasons_add(struct iw_reasons *reasons, enum iw_verdict verdict, const char *text, const char *id) {
    char *copy;

    for (size_t i = 0; i < reasons->count; i++)
        if (reasons->list[i].verdict == verdict && strcmp(reasons->list[i].text, text) == 0) {
            reasons->list[i].cases++;
            return true;
        }
    if (!iw_array_grow(&reasons->list, reasons->count, sizeof *reasons->list))
        return false;
    copy = strdup(text);
    if (!copy)
        return false;
    reasons->list[reasons->count++] = (struct iw_reason){copy, verdict, 1, id};
    return true;
}

void iw_reasons_print(FILE *out, const struct iw_reasons *reasons) {
    for (size_t i = 0; i < reasons->count; i++) {
        const struct iw_reason *reason = &reasons->list[i];

        fprintf(out, "%-8s  %u case%s: %s\n", reason->verdict == IW_VERDICT_NOT_TESTED ? "untested" : "n/a",
            reason->cases, iw_plural(reason->cases), reason->text);
    }
}

void iw_reasons_dispose(struct iw_reasons *reasons) {
    for (size_t i = 0; i < reasons->count; i++)
        free(reasons->list[i].text);
    free(reasons->list);
    *reasons = (struct iw_reasons){0};
}
