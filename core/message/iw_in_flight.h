#ifndef IW_IN_FLIGHT_H
#define IW_IN_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

/* The complete responses that the requester has not acknowledged yet, each as the stream offset of its end.
 * For the requester, their requests are still outstanding. NULL: empty. */
struct iw_in_flight;

void iw_in_flight_free(struct iw_in_flight *in_flight);

/* Adds a complete response; `end` is the stream offset after it, not lower than in the call before. Allocates
 * `*in_flight` at first; ignores the response above `limit`. Returns false if memory runs out. */
bool iw_in_flight_add(struct iw_in_flight **in_flight, uint64_t end, uint32_t limit);

/* The requester has received the octets up to stream offset `up_to`. Returns how many are still in flight. */
uint32_t iw_in_flight_received(struct iw_in_flight *in_flight, uint64_t up_to);

#endif
