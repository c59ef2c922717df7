#include "iw_hash_name.h"

#include <stddef.h>

const char *const iw_hash_names[] = {"crc32c", "sha256", "sha512", NULL};
