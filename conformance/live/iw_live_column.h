#pragma once

#include "iw_live_list.h"

/* The columns of a table of connections, as text. */

enum { IW_LIVE_CELL_OCTETS = 256, IW_LIVE_NUMBER_OCTETS = 24 };

/* Writes a number in at most 5 characters: "9999", "12.3k", "4.56M". */
void iw_live_number(uint64_t value, char text[IW_LIVE_NUMBER_OCTETS]);

struct iw_live_column {
    const char *title;
    unsigned width; /* the least, in characters; at most `wide`, if there is space */
    unsigned wide;
    bool right; /* aligned to the right */
    bool marks; /* shows violations: a view may mark it then */
    void (*put)(const struct iw_live_row *row, uint8_t stricter, char cell[IW_LIVE_CELL_OCTETS]);
};

enum { IW_LIVE_COLUMNS = 17 };
extern const struct iw_live_column iw_live_columns[IW_LIVE_COLUMNS];

/* Sets the width of each column in a line of `total` characters, with a blank between two columns; 0: it, and
 * all after it, are not shown. `address`: the longest address, in characters. */
void iw_live_columns_fit(unsigned total, unsigned address, unsigned width[IW_LIVE_COLUMNS]);
