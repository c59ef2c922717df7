#include "iw_json_member.h"

#include <stddef.h>

const char *iw_json_member_text(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}
