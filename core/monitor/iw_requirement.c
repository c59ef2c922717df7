#include "iw_requirement.h"

#include <string.h>

const struct iw_requirement iw_requirements[IW_REQUIREMENT_COUNT] = {
#define IW_REQUIREMENT(symbol, id, document, section, level, role, visibility, terminate, words, rule, why)  \
    {id, document, section, IW_LEVEL_##level, role, IW_VISIBILITY_##visibility, terminate, words, rule, why},
#include "iw_requirement.def"
};

const struct iw_requirement *iw_requirement_find(const char *id) {
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        if (strcmp(iw_requirements[i].id, id) == 0)
            return &iw_requirements[i];
    return NULL;
}

enum iw_severity iw_requirement_severity(const struct iw_requirement *requirement) {
    switch (requirement->level) {
    case IW_LEVEL_MUST:
    case IW_LEVEL_MUST_NOT:
    case IW_LEVEL_REQUIRED:
    case IW_LEVEL_IMPLIED:
        return IW_SEVERITY_ERROR;
    case IW_LEVEL_SHOULD:
    case IW_LEVEL_SHOULD_NOT:
    case IW_LEVEL_RECOMMENDED:
        return IW_SEVERITY_WARNING;
    case IW_LEVEL_MAY:
    case IW_LEVEL_OPTIONAL:
    case IW_LEVEL_NOT_REQUIRED:
        break;
    }
    return IW_SEVERITY_NOTE;
}

const char *iw_level_name(enum iw_level level) {
    static const char *const names[] = {"MUST", "MUST NOT", "REQUIRED", "SHOULD", "SHOULD NOT", "RECOMMENDED",
        "MAY", "OPTIONAL", "NOT REQUIRED", "IMPLIED"};

    return names[level];
}

const char *iw_severity_name(enum iw_severity severity) {
    static const char *const names[] = {"note", "warning", "error"};

    return names[severity];
}

const char *iw_visibility_name(enum iw_visibility visibility) {
    static const char *const names[] = {"wire", "active", "internal", "outside"};

    return names[visibility];
}
