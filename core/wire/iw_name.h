#pragma once

#include "iw_layout.h"

enum {
#define IW_VALUE(kind, symbol, value, name) IW_##symbol = value,
#include "iw_value.def"
};

/* Returns the name of a value of a field of this kind, for example "FetchAdd", or NULL. The names of EType
 * and Error Code depend on the fields before them: see iw_error.h. */
const char *iw_value_name(enum iw_field_kind kind, uint64_t value);
