#include "iw_upper_rule.h"

const struct iw_upper_rule iw_upper_rules[IW_UPPER_RULE_COUNT] = {
#define IW_UPPER_RULE(symbol, id, document, section, level, protocol, judged, gap, words)                    \
    {id, document, section, IW_LEVEL_##level, protocol, IW_UPPER_##judged, gap, words},
#include "iw_upper_rule.def"
};

const char *iw_upper_judged_name(enum iw_upper_judged judged) {
    return judged == IW_UPPER_WHOLLY ? "judged" : judged == IW_UPPER_PARTLY ? "partly" : "listed";
}

enum iw_severity iw_upper_rule_severity(const struct iw_upper_rule *rule) {
    return iw_level_severity(rule->level);
}
