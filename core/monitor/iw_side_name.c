#include "iw_side_name.h"

const char *iw_side_name(enum iw_role role, enum iw_side side) {
    switch (role) {
    case IW_ROLE_INITIATOR:
        return "the initiator";
    case IW_ROLE_RESPONDER:
        return "the responder";
    case IW_ROLE_UNKNOWN:
        break;
    }
    return side == IW_SIDE_A ? "side A" : "side B";
}

const char *iw_side_key(enum iw_role role, enum iw_side side) {
    if (role != IW_ROLE_UNKNOWN)
        return iw_role_name(role);
    return side == IW_SIDE_A ? "side_a" : "side_b";
}
