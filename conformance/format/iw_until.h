#pragma once

#include <stdbool.h>

/* The last day on which a known failure is accepted, such as "2027-01-31". */

/* Returns whether the text is a date of that form. */
bool iw_until_is_date(const char *text);

/* Returns whether that day is over, in UTC. NULL: never. */
bool iw_until_is_over(const char *text);
