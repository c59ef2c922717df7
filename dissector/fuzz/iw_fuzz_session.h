#ifndef IW_FUZZ_SESSION_H
#define IW_FUZZ_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_fuzz_input.h"
#include "iw_packet.h"

/* Wireshark without its surface: libwireshark with the plugin's dissectors, which are linked in, not
 * loaded. */

/* Starts it; once in a program. False if that fails. */
bool iw_fuzz_session_start(void);

/* Sets the preferences of the plugin as the scene says. */
void iw_fuzz_session_prefer(const struct iw_fuzz_scene *scene);

/* Opens a file of `count` packets, shows it as Wireshark does, and closes it: a first pass over all packets,
 * a second one with everything visible and every tap listened to, a third one in an order that `order` makes.
 * Aborts if a frame's iWARP does not look the same in the last two. */
void iw_fuzz_session_run(const struct iw_packet *packets, unsigned count, uint8_t order);

/* Ends it, so that what was allocated and is not free is a leak. */
void iw_fuzz_session_end(void);

#endif
