#pragma once

#include "iw_conversation.h"

/* The one conversation of a test in which side A, the initiator, sends requests or faults, and side B, the
 * responder, answers. Frames 1 and 2 are the startup, 20 octets each after open_plain. */

static struct iw_conversation c;

static inline void open_with_extensions(unsigned extensions) {
    iw_conversation_init(&c, extensions);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_start(&c, IW_SIDE_B);
    iw_conversation_say(&c, IW_SIDE_A, "M01");
    iw_conversation_say(&c, IW_SIDE_B, "M03");
}

static inline void open_plain(void) {
    open_with_extensions(IW_EXT_ALL);
}

static inline uint64_t ask(const char *ulpdu) {
    return iw_conversation_fpdu(&c, IW_SIDE_A, ulpdu);
}

static inline uint64_t answer(const char *ulpdu) {
    return iw_conversation_fpdu(&c, IW_SIDE_B, ulpdu);
}
