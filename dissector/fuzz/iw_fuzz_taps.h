#ifndef IW_FUZZ_TAPS_H
#define IW_FUZZ_TAPS_H

/* Listens to every tap of the plugin; once. */
void iw_fuzz_taps_listen(void);

/* Forgets what was heard. */
void iw_fuzz_taps_close(void);

#endif
