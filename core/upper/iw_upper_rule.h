#pragma once

#include "iw_requirement.h"

/* The rules of the protocols above RDMAP: the rows of iw_upper_rule.def. They are no requirements of iWARP
 * and do not count towards its conformance. */

enum iw_upper_rule_id {
#define IW_UPPER_RULE(symbol, id, document, section, level, protocol, judged, gap, words) IW_UPPER_##symbol,
#include "iw_upper_rule.def"
    IW_UPPER_RULE_COUNT,
};

/* How much of a rule this version judges. */
enum iw_upper_judged {
    IW_UPPER_WHOLLY,
    IW_UPPER_PARTLY, /* all but its `gap` */
    IW_UPPER_LISTED, /* nothing */
};

struct iw_upper_rule {
    const char *id;       /* "RFC8166-3.3.1-01" */
    const char *document; /* "RFC 8166" */
    const char *section;  /* "3.3.1" */
    enum iw_level level;
    const char *protocol; /* key of the protocol, such as "rpc"; "" for all */
    enum iw_upper_judged judged;
    const char *gap;   /* what is not judged, if it is judged in part; otherwise "" */
    const char *words; /* what the rule demands, in short */
};

extern const struct iw_upper_rule iw_upper_rules[IW_UPPER_RULE_COUNT];

/* "judged", "partly" or "listed". */
const char *iw_upper_judged_name(enum iw_upper_judged judged);

enum iw_severity iw_upper_rule_severity(const struct iw_upper_rule *rule);
