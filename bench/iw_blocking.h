#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Blocking sockets of the programs that measure, with one buffer of the process. What fails ends the program
 * with exit code 3, and a line on stderr. */

enum { IW_BLOCKING_OCTETS = 1 << 20, IW_BLOCKING_ROUNDS_MAX = 10000000 };

/* Seconds of a clock that only advances. */
double iw_blocking_seconds(void);

/* Prints `what` and errno, and ends the program. */
void iw_blocking_fail(const char *what) __attribute__((noreturn));

/* Returns the socket, which sends small segments at once; fails if it is negative. */
int iw_blocking_without_delay(int end);

/* Reads exactly as many octets, up to IW_BLOCKING_OCTETS. Returns false at the end of the stream. */
bool iw_blocking_receive(int end, size_t octets);

/* Sends as many octets, up to IW_BLOCKING_OCTETS, of any content. */
void iw_blocking_send(int end, size_t octets);

/* Reads everything up to the end of the stream; or echoes messages of `octets` octets until then. */
void iw_blocking_drain(int end);
void iw_blocking_echo(int end, size_t octets);

/* Returns the median round-trip time of `count` messages of `octets` octets, in microseconds. */
double iw_blocking_round_trip(int end, size_t octets, size_t count);
