#pragma once

#include <stdbool.h>

#include "iw_requirement.h"

/* The rules of the protocols above RDMAP: the rows of iw_upper_rule.def. They are no requirements of iWARP
 * and do not count towards its conformance. */

enum iw_upper_rule_id {
#define IW_UPPER_RULE(symbol, id, document, section, level, protocol, judged, words) IW_UPPER_##symbol,
#include "iw_upper_rule.def"
    IW_UPPER_RULE_COUNT,
};

struct iw_upper_rule {
    const char *id;       /* "RFC8166-3.3.1-01" */
    const char *document; /* "RFC 8166" */
    const char *section;  /* "3.3.1" */
    enum iw_level level;
    const char *protocol; /* key of the protocol, such as "rpc"; "" for all */
    bool judged;          /* this version judges it; otherwise it is only listed */
    const char *words;    /* what the rule demands, in short */
};

extern const struct iw_upper_rule iw_upper_rules[IW_UPPER_RULE_COUNT];

enum iw_severity iw_upper_rule_severity(const struct iw_upper_rule *rule);
