#include "iw_requirement.h"

#include <assert.h>
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

bool iw_requirement_is_advice(const struct iw_requirement *requirement) {
    return requirement->level == IW_LEVEL_IMPLIED && strcmp(requirement->document, "RFC 5042") == 0;
}

static const struct {
    const char *name;
    enum iw_severity severity;
} levels[] = {
    [IW_LEVEL_MUST] = {"MUST", IW_SEVERITY_ERROR},
    [IW_LEVEL_MUST_NOT] = {"MUST NOT", IW_SEVERITY_ERROR},
    [IW_LEVEL_REQUIRED] = {"REQUIRED", IW_SEVERITY_ERROR},
    [IW_LEVEL_SHOULD] = {"SHOULD", IW_SEVERITY_WARNING},
    [IW_LEVEL_SHOULD_NOT] = {"SHOULD NOT", IW_SEVERITY_WARNING},
    [IW_LEVEL_RECOMMENDED] = {"RECOMMENDED", IW_SEVERITY_WARNING},
    [IW_LEVEL_MAY] = {"MAY", IW_SEVERITY_NOTE},
    [IW_LEVEL_OPTIONAL] = {"OPTIONAL", IW_SEVERITY_NOTE},
    [IW_LEVEL_NOT_REQUIRED] = {"NOT REQUIRED", IW_SEVERITY_NOTE},
    [IW_LEVEL_IMPLIED] = {"IMPLIED", IW_SEVERITY_ERROR},
};

static_assert(sizeof levels / sizeof *levels == IW_LEVEL_IMPLIED + 1, "a row for each level");

enum iw_severity iw_requirement_severity(const struct iw_requirement *requirement) {
    return iw_level_severity(requirement->level);
}

enum iw_severity iw_level_severity(enum iw_level level) {
    return levels[level].severity;
}

const char *iw_level_name(enum iw_level level) {
    return levels[level].name;
}

const char *iw_severity_name(enum iw_severity severity) {
    static const char *const names[] = {"note", "warning", "error"};

    return names[severity];
}

const char *iw_visibility_name(enum iw_visibility visibility) {
    static const char *const names[] = {"wire", "active", "internal", "outside"};

    return names[visibility];
}
