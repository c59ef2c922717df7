#include "iw_link_type.h"

#include <stddef.h>

static const struct {
    uint16_t type;
    enum iw_link link;
} types[] = {
#define IW_LINK_TYPE(type, link) {type, link},
#include "iw_link_types.def"
};

static const uint16_t no_ip[] = {
#define IW_LINK_TYPE_NO_IP(type) type,
#include "iw_link_types.def"
};

bool iw_link_type_find(uint32_t type, enum iw_link *link) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].type == type) {
            *link = types[i].link;
            return true;
        }
    }
    return false;
}

uint16_t iw_link_type_of(enum iw_link link) {
    size_t i = 0;

    while (i + 1 < sizeof types / sizeof *types && types[i].link != link)
        i++;
    return types[i].type;
}

bool iw_link_type_may_carry_ip(uint16_t type) {
    for (size_t i = 0; i < sizeof no_ip / sizeof *no_ip; i++)
        if (no_ip[i] == type)
            return false;
    return true;
}
