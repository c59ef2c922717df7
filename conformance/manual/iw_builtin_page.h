#pragma once

#include "iw_builtin.h"

/* The pages of docs/ with topics, embedded in the program. cmake/embed.cmake generates the rows. */
extern const struct iw_builtin iw_builtin_pages[];
extern const size_t iw_builtin_page_count;
