#pragma once

#include "iw_live_table.h"

/* The rows of a table that pass a filter, sorted, for a view. */

enum iw_live_order {
    IW_LIVE_BY_AGE, /* the newest first */
    IW_LIVE_BY_ADDRESS,
    IW_LIVE_BY_STATE,
    IW_LIVE_BY_RATE,     /* the fastest first */
    IW_LIVE_BY_FINDINGS, /* the worst first */
    IW_LIVE_ORDERS,
};

const char *iw_live_order_name(enum iw_live_order order); /* such as "age" */

struct iw_live_item {
    const struct iw_live_row *row;
    uint64_t number;  /* sort by it, the highest first; */
    const char *text; /* then by this text; or NULL */
};

enum { IW_LIVE_FILTER_OCTETS = 64 };

struct iw_live_list {
    enum iw_live_order order;
    char filter[IW_LIVE_FILTER_OCTETS]; /* part of an address, of the state or of the verdict; "": all rows */

    struct iw_live_item *items;
    size_t count, capacity;
};

/* Lists the rows of the table as they are now: valid until the table changes. Returns false if memory runs
 * out; the list is then empty. */
bool iw_live_list_update(struct iw_live_list *list, const struct iw_live_table *table, uint8_t stricter);
void iw_live_list_clear(struct iw_live_list *list);

/* Returns the position of the row with this serial number; `count` if it is not in the list. */
size_t iw_live_list_find(const struct iw_live_list *list, uint64_t serial);
