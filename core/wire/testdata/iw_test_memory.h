#ifndef IW_TEST_MEMORY_H
#define IW_TEST_MEMORY_H

#include <stdbool.h>

/* Memory that runs out at will, for tests that link iw_test_memory: malloc, calloc and realloc of the program
 * and its static libraries, not of shared ones. */

/* From now on allocation number `nth`, counted from 1, returns NULL, and with `onward` all after it too; 0:
 * none does. */
void iw_test_memory_fail(unsigned long nth, bool onward);

/* All allocations work again. Returns how many there were since iw_test_memory_fail. */
unsigned long iw_test_memory_restore(void);

#endif
