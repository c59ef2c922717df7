#pragma once

/* For the tests of Terminates and their cause. Side A sends requests and faults, side B the Terminate. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_dialogue.h"
#include "iw_ulpdu_text.h"

#define SECOND "4143 00000000 00000000 00000002 00000000 6f6b"
#define WRITE "c140 11223344 0000000100002000 6f6b"
#define OF_TERMINATE "0016 4147 00000000 00000002 00000001 00000000"

static inline uint64_t refused(const char *message, const char *terminate) {
    open_plain();
    ask("4143 00000000 00000000 00000001 00000000 6f6b");
    ask(message);
    return answer(terminate);
}
