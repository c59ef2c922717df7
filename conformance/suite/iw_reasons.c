#include "iw_reasons.h"

#include <stdlib.h>
#include <string.h>

#include "iw_plural.h"

bool iw_reasons_add(struct iw_reasons *reasons, const char *text) {
    struct iw_reason *list;
    char *copy;

    for (size_t i = 0; i < reasons->count; i++)
        if (strcmp(reasons->list[i].text, text) == 0) {
            reasons->list[i].cases++;
            return true;
        }
    list = realloc(reasons->list, (reasons->count + 1) * sizeof *list);
    if (!list)
        return false;
    reasons->list = list;
    copy = strdup(text);
    if (!copy)
        return false;
    list[reasons->count++] = (struct iw_reason){copy, 1};
    return true;
}

void iw_reasons_print(FILE *out, const struct iw_reasons *reasons) {
    for (size_t i = 0; i < reasons->count; i++) {
        const struct iw_reason *reason = &reasons->list[i];

        fprintf(out, "n/a       %u case%s: %s\n", reason->cases, iw_plural(reason->cases), reason->text);
    }
}

void iw_reasons_dispose(struct iw_reasons *reasons) {
    for (size_t i = 0; i < reasons->count; i++)
        free(reasons->list[i].text);
    free(reasons->list);
    *reasons = (struct iw_reasons){0};
}
