#include "iw_live_list.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *iw_live_order_name(enum iw_live_order order) {
    static const char *const names[] = {[IW_LIVE_BY_AGE] = "age",
        [IW_LIVE_BY_ADDRESS] = "address",
        [IW_LIVE_BY_STATE] = "state",
        [IW_LIVE_BY_RATE] = "rate",
        [IW_LIVE_BY_FINDINGS] = "findings"};

    return names[order];
}

/* ---- filter ---- */

static bool live_text_has(const char *text, const char *part) {
    size_t octets = strlen(part);

    for (; strlen(text) >= octets; text++)
        if (strncasecmp(text, part, octets) == 0)
            return true;
    return false;
}

static bool live_list_wants(
    const struct iw_live_list *list, const struct iw_live_row *row, uint8_t stricter) {
    return list->filter[0] == '\0' || live_text_has(row->address[IW_SIDE_A], list->filter) ||
           live_text_has(row->address[IW_SIDE_B], list->filter) ||
           live_text_has(iw_live_row_state_name(row), list->filter) ||
           live_text_has(iw_live_row_verdict(row, stricter), list->filter);
}

/* ---- order ---- */

/* Errors count more than any number of warnings, and warnings more than notes. */
static uint64_t live_findings_rank(const struct iw_live_row *row) {
    const uint64_t most = (1 << 20) - 1;
    uint64_t rank = 0;

    for (int i = IW_SEVERITY_ERROR; i >= 0; i--) {
        uint64_t count = iw_live_row_findings(row, (enum iw_severity)i);

        rank = rank << 20 | (count < most ? count : most);
    }
    return rank;
}

static struct iw_live_item live_item(const struct iw_live_row *row, enum iw_live_order order) {
    struct iw_live_item item = {.row = row};

    switch (order) {
    case IW_LIVE_BY_ADDRESS:
        item.text = row->address[iw_live_row_first(row)];
        break;
    case IW_LIVE_BY_STATE:
        item.text = iw_live_row_state_name(row);
        break;
    case IW_LIVE_BY_RATE:
        item.number = row->rate[IW_SIDE_A].per_second + row->rate[IW_SIDE_B].per_second;
        break;
    case IW_LIVE_BY_FINDINGS:
        item.number = live_findings_rank(row);
        break;
    case IW_LIVE_BY_AGE:
    case IW_LIVE_ORDERS:
        break;
    }
    return item;
}

static int live_item_compare(const void *one, const void *other) {
    const struct iw_live_item *a = one, *b = other;
    int order = a->text != NULL && b->text != NULL ? strcmp(a->text, b->text) : 0;

    if (a->number != b->number)
        return a->number > b->number ? -1 : 1;
    if (order != 0)
        return order;
    return a->row->serial > b->row->serial ? -1 : a->row->serial < b->row->serial;
}

/* ---- the list ---- */

static bool live_list_add(struct iw_live_list *list, const struct iw_live_row *row) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity > 0 ? 2 * list->capacity : 64;
        struct iw_live_item *items = realloc(list->items, capacity * sizeof *items);

        if (items == NULL)
            return false;
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = live_item(row, list->order);
    return true;
}

static bool live_list_add_rows(struct iw_live_list *list, const struct iw_live_rows *rows, uint8_t stricter) {
    const struct iw_live_row *row;

    for (row = TAILQ_FIRST(rows); row != NULL; row = TAILQ_NEXT(row, same_list))
        if (live_list_wants(list, row, stricter) && !live_list_add(list, row))
            return false;
    return true;
}

bool iw_live_list_update(struct iw_live_list *list, const struct iw_live_table *table, uint8_t stricter) {
    list->count = 0;
    if (!live_list_add_rows(list, &table->open, stricter) ||
        !live_list_add_rows(list, &table->ended, stricter)) {
        list->count = 0;
        return false;
    }
    if (list->count > 0)
        qsort(list->items, list->count, sizeof *list->items, live_item_compare);
    return true;
}

void iw_live_list_clear(struct iw_live_list *list) {
    free(list->items);
    list->items = NULL;
    list->count = list->capacity = 0;
}

size_t iw_live_list_find(const struct iw_live_list *list, uint64_t serial) {
    size_t at = 0;

    while (at < list->count && list->items[at].row->serial != serial)
        at++;
    return at;
}
