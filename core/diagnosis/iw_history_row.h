#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns the row of the opcode in an array whose rows begin with a uint8_t opcode and are sorted by it; adds
 * a row of 0 at the first use. `rows` points to the pointer to the first of `*count` rows, each of `octets`.
 * Returns NULL if memory runs out. */
void *iw_history_row(void *rows, uint8_t *count, size_t octets, uint8_t opcode);
