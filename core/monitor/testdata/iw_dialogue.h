#ifndef IW_DIALOGUE_H
#define IW_DIALOGUE_H

#include "iw_conversation.h"

/* The one conversation of a test in which side A, the initiator, sends requests or faults, and side B, the
 * responder, answers. Frames 1 and 2 are the startup, 20 octets each after open_plain. */

static struct iw_conversation c;

static inline void open_plain(void) {
    iw_conversation_open(&c, "M01", "M03");
}

static inline uint64_t ask(const char *ulpdu) {
    return iw_conversation_fpdu(&c, IW_SIDE_A, ulpdu);
}

static inline uint64_t answer(const char *ulpdu) {
    return iw_conversation_fpdu(&c, IW_SIDE_B, ulpdu);
}

#endif
