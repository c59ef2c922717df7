#pragma once

#include <jansson.h>

/* Members of JSON objects that a foreign file may lack, or have with another type. */

/* Returns the text member `key`; "" if it is missing or no text, or if `object` is no object. */
const char *iw_json_member_text(const json_t *object, const char *key);
