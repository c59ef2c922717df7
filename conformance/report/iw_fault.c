#include "iw_fault.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "iw_json_member.h"

static const char *const names[] = {"terminate", "close", "violates", "crash", "step"};

_Static_assert(sizeof names / sizeof *names == IW_FAULT_PARTS, "a name is missing");

const char *iw_fault_name(enum iw_fault_part part) {
    return names[part];
}

bool iw_fault_has(const struct iw_outcome_case *one) {
    return one->verdict == IW_VERDICT_FAIL || one->verdict == IW_VERDICT_WARNING ||
           one->verdict == IW_VERDICT_NOTE;
}

static int fault_compare(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void fault_put_violates(const struct iw_outcome_case *one, char text[IW_FAULT_OCTETS]) {
    enum { FINDINGS_MAX = 64 };
    const char *ids[FINDINGS_MAX] = {NULL};
    size_t count = 0, length = 0;

    for (size_t i = 0; i < json_array_size(one->findings) && count < FINDINGS_MAX; i++)
        ids[count++] = iw_json_member_text(json_array_get(one->findings, i), "requirement");
    qsort(ids, count, sizeof *ids, fault_compare);
    for (size_t i = 0; i < count && length < IW_FAULT_OCTETS; i++)
        if (i == 0 || strcmp(ids[i - 1], ids[i]) != 0)
            length += (size_t)snprintf(
                text + length, IW_FAULT_OCTETS - length, "%s%s", length > 0 ? "," : "", ids[i]);
}

void iw_fault_mask(const char *line, char text[IW_FAULT_OCTETS]) {
    size_t length = 0;
    bool in_word = false;

    if (line[0] == '[' && strchr(line, ']') != NULL)
        line = strchr(line, ']') + 1;
    line += strspn(line, " ");
    while (*line != '\0' && length < IW_FAULT_OCTETS - 1) {
        size_t number = in_word ? 0 : strspn(line, "0123456789abcdefABCDEFx");
        bool is_number =
            number > 0 && !isalnum((unsigned char)line[number]) && strcspn(line, "0123456789") < number;

        in_word = isalnum((unsigned char)*line);
        text[length++] = is_number ? '#' : *line;
        line += is_number ? number : 1;
    }
    text[length] = '\0';
}

void iw_fault_text(const struct iw_outcome_case *one, enum iw_fault_part part, char text[IW_FAULT_OCTETS]) {
    text[0] = '\0';
    switch (part) {
    case IW_FAULT_TERMINATE:
        snprintf(text, IW_FAULT_OCTETS, "%s", iw_json_member_text(one->object, "terminate"));
        break;
    case IW_FAULT_CLOSE:
        snprintf(text, IW_FAULT_OCTETS, "%s", one->close);
        break;
    case IW_FAULT_VIOLATES:
        fault_put_violates(one, text);
        break;
    case IW_FAULT_CRASH:
        iw_fault_mask(iw_json_member_text(one->object, "crash"), text);
        if (text[0] == '\0' && iw_json_member_text(one->object, "unresponsive")[0] != '\0')
            snprintf(text, IW_FAULT_OCTETS, "unresponsive");
        break;
    case IW_FAULT_STEP:
    case IW_FAULT_PARTS:
        snprintf(text, IW_FAULT_OCTETS, "%s", one->step);
        break;
    }
    for (char *at = text; *at != '\0'; at++)
        *at = *at == '"' ? '\'' : *at == '|' ? '/' : (unsigned char)*at < ' ' ? ' ' : *at;
    if (text[0] == '\0')
        snprintf(text, IW_FAULT_OCTETS, "none");
}

bool iw_fault_fits(const char *expected, const char *text) {
    size_t length = strlen(text);

    for (const char *at = expected != NULL ? expected : "none"; at != NULL; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncmp(at, text, length) == 0 && (at[length] == '\0' || at[length] == '|'))
            return true;
    }
    return false;
}
