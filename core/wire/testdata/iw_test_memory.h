#pragma once

#include <stdbool.h>

/* Makes memory run out, for tests that link iw_test_memory. Applies to malloc, calloc and realloc in the
 * program and its static libraries, not in shared ones. */

/* From now on allocation number `nth`, counted from 1, returns NULL; with `onward`, all later ones too. 0:
 * all succeed. */
void iw_test_memory_fail(unsigned long nth, bool onward);

/* All allocations work again. Returns how many were made since iw_test_memory_fail. */
unsigned long iw_test_memory_restore(void);
