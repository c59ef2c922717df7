#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "iw_fuzz_input.h"
#include "iw_packet.h"

/* Wireshark without its GUI: libwireshark with the plugin's dissectors linked in. */

/* Starts libwireshark. Call once in a program. Returns false on failure. */
bool iw_fuzz_session_start(void);

/* Sets the preferences of the plugin from the scene. */
void iw_fuzz_session_prefer(const struct iw_fuzz_scene *scene);

/* Opens a file of `count` packets, shows it as Wireshark does, and closes it: a first pass over all packets,
 * a second one with everything visible and listeners on all taps, a third one in an order made from `order`.
 * Aborts if the iWARP part of a frame differs between the last two. */
void iw_fuzz_session_run(const struct iw_packet *packets, unsigned count, uint8_t order);

/* Ends libwireshark: memory still allocated afterwards is a leak. */
void iw_fuzz_session_end(void);
