#include "iw_upper_rule.h"

const struct iw_upper_rule iw_upper_rules[IW_UPPER_RULE_COUNT] = {
#define IW_UPPER_RULE(symbol, id, document, section, level, protocol, judged, words)                         \
    {id, document, section, IW_LEVEL_##level, protocol, judged, words},
#include "iw_upper_rule.def"
};

enum iw_severity iw_upper_rule_severity(const struct iw_upper_rule *rule) {
    return iw_level_severity(rule->level);
}
