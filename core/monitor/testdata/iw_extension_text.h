#pragma once

#include "iw_ulpdu_text.h"

/* ULPDUs of RFC 7306 and the drafts, in hexadecimal, and a Read Request for four octets. */

#define ONES "ffffffffffffffff"
#define ZERO "0000000000000000"
#define ATOMIC(msn, reserved, identifier, to, mask, compare_data, compare_mask)                              \
    "414a 00000000 00000001 " msn " 00000000 " reserved " " identifier " 11223344 " to                       \
    " 0000000000000005 " mask " " compare_data " " compare_mask
#define FETCHADD(msn, identifier, to) ATOMIC(msn, "00000000", identifier, to, ZERO, ZERO, ONES)
#define SWAP(msn, identifier, to) ATOMIC(msn, "00000001", identifier, to, ONES, ZERO, ONES)
#define CMPSWAP(msn, identifier, to) ATOMIC(msn, "00000002", identifier, to, ONES, ZERO, ONES)
#define ATOMIC_RESPONSE(msn, identifier) "414b 00000000 00000003 " msn " 00000000 " identifier " " ZERO
#define READ_FOUR(msn) READ(msn, "00000004")
#define FLUSH(msn, length, to) "414c 00000000 00000001 " msn " 00000000 11223344 " length " " to " 00000003"
#define FLUSH_RESPONSE(msn) "414d 00000000 00000003 " msn " 00000000"
#define VERIFY(msn, length, to, hash)                                                                        \
    "414e 00000000 00000001 " msn " 00000000 11223344 " length " " to " " hash
#define VERIFY_RESPONSE(msn, hash) "414f 00000000 00000003 " msn " 00000000 " hash
#define WRITE(msn, length, to)                                                                               \
    "4150 00000000 00000001 " msn " 00000000 11223344 " length " " to " 0123456789abcdef"
#define WRITE_RESPONSE(msn) "4151 00000000 00000003 " msn " 00000000"
#define IMMEDIATE(msn, data) "4148 00000000 00000000 " msn " 00000000 " data
