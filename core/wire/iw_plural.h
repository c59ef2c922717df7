#ifndef IW_PLURAL_H
#define IW_PLURAL_H

#include <stdint.h>

/* What stands behind a word that so many are counted in: "1 octet", "2 octets". */
static inline const char *iw_plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

#endif
