#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The complete responses that the requester has not acknowledged yet, each as the stream offset of its end.
 * For the requester, the requests of these responses are still outstanding. NULL: no responses. */
struct iw_in_flight;

void iw_in_flight_free(struct iw_in_flight *in_flight);

/* Adds a complete response; `end` is the stream offset after it, not lower than before. Allocates
 * `*in_flight` at first. Ignores a response if more than `limit` are listed. Returns false without memory. */
bool iw_in_flight_add(struct iw_in_flight **in_flight, uint64_t end, uint32_t limit);

/* Removes the responses that end at or before stream offset `up_to`: the requester has received them. Returns
 * how many are still in flight. */
uint32_t iw_in_flight_received(struct iw_in_flight *in_flight, uint64_t up_to);
