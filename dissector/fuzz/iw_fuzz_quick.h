#pragma once

/* Speeds up opening and closing a small file, for programs that open millions: otherwise libwireshark's
 * other dissectors take longer for that than all packets do, and longer with every file. */

/* Switches off the protocols that were not initialised. Call after libwireshark has started. */
void iw_fuzz_quick_start(void);
