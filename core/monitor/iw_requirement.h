#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The normative statements of the specifications: the rows of iw_requirement.def. */

enum iw_level {
    IW_LEVEL_MUST,
    IW_LEVEL_MUST_NOT,
    IW_LEVEL_REQUIRED,
    IW_LEVEL_SHOULD,
    IW_LEVEL_SHOULD_NOT,
    IW_LEVEL_RECOMMENDED,
    IW_LEVEL_MAY,
    IW_LEVEL_OPTIONAL,
    IW_LEVEL_NOT_REQUIRED,
    IW_LEVEL_IMPLIED
};

/* The severity of a finding: error for MUST and IMPLIED, warning for SHOULD, note for MAY, and synonyms. */
enum iw_severity { IW_SEVERITY_NOTE, IW_SEVERITY_WARNING, IW_SEVERITY_ERROR };

/* Where a violation is visible: in any capture; only if provoked; not on the wire, because it happens
 * inside an endpoint; or outside these protocols. */
enum iw_visibility {
    IW_VISIBILITY_WIRE,
    IW_VISIBILITY_ACTIVE,
    IW_VISIBILITY_INTERNAL,
    IW_VISIBILITY_OUTSIDE
};

enum iw_requirement_id {
#define IW_REQUIREMENT(symbol, id, document, section, level, role, visibility, terminate, words, rule, why)  \
    IW_REQ_##symbol,
#include "iw_requirement.def"
    IW_REQUIREMENT_COUNT,
};

struct iw_requirement {
    const char *id;       /* "RFC5044-4.4-13" */
    const char *document; /* "RFC 5044" */
    const char *section;  /* "4.4" */
    enum iw_level level;
    const char *role; /* "sender", "receiver", "initiator", ... */
    enum iw_visibility visibility;
    const char *terminate; /* the Terminate that answers a violation, such as "2/0/02"; or "" */
    const char *words;     /* what the requirement demands, in short */
    const char *rule;      /* the files with its rules: "startup" for iw_rule_startup.c; or "" */
    const char *why; /* ACTIVE: the provocation and the required reaction, or ""; INTERNAL, OUTSIDE: why no
                        traffic shows a violation; WIRE: "" */
};

extern const struct iw_requirement iw_requirements[IW_REQUIREMENT_COUNT];

/* The requirement with this id, or NULL. */
const struct iw_requirement *iw_requirement_find(const char *id);

/* Whether RFC 5042 only describes it, without a key word: an attack, or what withstands one. */
bool iw_requirement_is_advice(const struct iw_requirement *requirement);

enum iw_severity iw_requirement_severity(const struct iw_requirement *requirement);

enum iw_severity iw_level_severity(enum iw_level level);
const char *iw_level_name(enum iw_level level);                /* such as "MUST NOT" */
const char *iw_severity_name(enum iw_severity severity);       /* such as "error" */
const char *iw_visibility_name(enum iw_visibility visibility); /* such as "wire" */
