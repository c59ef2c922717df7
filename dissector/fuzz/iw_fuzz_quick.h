#ifndef IW_FUZZ_QUICK_H
#define IW_FUZZ_QUICK_H

/* Makes the opening and closing of a small file quick: without this, libwireshark's dissectors of other
 * protocols take longer for it than all its packets take, and longer with every file. For programs that open
 * millions. */

/* Turns off the protocols that were held off; after libwireshark has started. */
void iw_fuzz_quick_start(void);

#endif
