#pragma once

#include "iw_bench.h"

/* A responder with memory for every request on queue 1, and a peer that is a bare port, for tests of the
 * requests that it executes or rejects. */

extern struct iw_bench iw_target_bench;

/* STag 11223344h: 16 octets from TO 3000h on with all rights, persistent, verified by CRC32C; its first 64
 * bits are 7, the others 0. STag 22h, without rights, and 33h, of a different stream, share its memory. 44h:
 * 64 KiB for reading. */
extern struct iw_region *iw_target;

int iw_target_set_up(void **state);
int iw_target_tear_down(void **state);

/* Resets everything. */
void iw_target_again(void);

/* The bare port does the startup and sends `fpdus`. */
void iw_target_say(const char *fpdus);

/* The responder's log since the startup. */
const char *iw_target_log(void);

/* 64 bits of the region, from offset `at` on. */
uint64_t iw_target_atom(size_t at);
