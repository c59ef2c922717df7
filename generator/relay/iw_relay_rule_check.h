#pragma once

#include "iw_relay_rule.h"

/* Returns whether the unit of the rule can have the fields that it sets, their values fit, and its actions do
 * not contradict each other. Otherwise writes one line to `error`, of IW_RELAY_TEXT_OCTETS octets. */
bool iw_relay_rule_check(const struct iw_relay_rule *rule, char *error);
