#ifndef IW_RESPONDER_H
#define IW_RESPONDER_H

#include <stdint.h>

#include "iw_loop.h"
#include "iw_memory.h"

/* The responder for scripts that have no peer: takes every connection, answers Reads from its one region,
 * takes Writes into it and Sends without end, and follows the other's close. */

struct iw_responder;

/* Listens on `port` of `host`. NULL with a line in `text` (of IW_PORT_TEXT_OCTETS octets) if that cannot be.
 */
struct iw_responder *iw_responder_new(struct iw_loop *loop, const char *host, uint16_t port, char *text);
void iw_responder_free(struct iw_responder *responder);

/* Its region: 64 KiB, octets 0 to 255 over and over, for reading and writing. */
const struct iw_region *iw_responder_region(const struct iw_responder *responder);

#endif
