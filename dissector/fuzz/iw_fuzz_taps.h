#pragma once

/* Adds listeners to all taps of the plugin. Call once. */
void iw_fuzz_taps_listen(void);

/* Resets all listeners. */
void iw_fuzz_taps_close(void);
