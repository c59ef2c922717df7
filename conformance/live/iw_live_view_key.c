#include <string.h>
#include <ncurses.h>

#include "iw_live_screen_state.h"

enum { KEY_OF_ESCAPE = 27, KEY_OF_DELETE = 127 };

/* ---- the filter ---- */

static void live_view_type(struct iw_live_view *view, int key) {
    char *filter = view->list.filter;
    size_t length = strlen(filter);

    switch (key) {
    case KEY_OF_ESCAPE:
        filter[0] = '\0';
        view->typing = false;
        return;
    case KEY_ENTER:
    case '\r':
    case '\n':
        view->typing = false;
        return;
    case KEY_BACKSPACE:
    case KEY_OF_DELETE:
    case '\b':
        if (length > 0)
            filter[length - 1] = '\0';
        return;
    default:
        if (key >= ' ' && key < KEY_OF_DELETE && length + 1 < sizeof view->list.filter) {
            filter[length] = (char)key;
            filter[length + 1] = '\0';
        }
    }
}

/* ---- moving ---- */

/* Returns how far a key moves, in lines; 0: it does not move. */
static long live_key_distance(const struct iw_live_view *view, int key) {
    const long page = view->page_lines > 1 ? (long)view->page_lines - 1 : 1, all = 1L << 30;

    switch (key) {
    case KEY_UP:
    case 'k':
        return -1;
    case KEY_DOWN:
    case 'j':
        return 1;
    case KEY_PPAGE:
        return -page;
    case KEY_NPAGE:
    case ' ':
        return page;
    case KEY_HOME:
    case 'g':
        return -all;
    case KEY_END:
    case 'G':
        return all;
    default:
        return 0;
    }
}

static size_t live_moved(size_t at, long distance, size_t count) {
    if (distance < 0)
        return at > (size_t)-distance ? at - (size_t)-distance : 0;
    return count - at > (size_t)distance ? at + (size_t)distance : count - 1;
}

static void live_view_move(struct iw_live_view *view, long distance) {
    const struct iw_live_list *list = &view->list;
    size_t at;

    if (view->page != IW_LIVE_PAGE_TABLE) {
        if (view->line < view->lines)
            view->line = live_moved(view->line, distance, view->lines);
        view->at_end = view->line + view->page_lines >= view->lines;
        return;
    }
    /* rows may have left since the latest draw */
    if (!iw_live_list_update(&view->list, view->table, view->report->totals.stricter))
        return;
    at = iw_live_list_find(list, view->selected);
    if (list->count > 0)
        view->selected =
            list->items[live_moved(at < list->count ? at : 0, distance, list->count)].row->serial;
}

/* ---- all ---- */

static void live_view_sort(struct iw_live_view *view, unsigned steps) {
    view->list.order = (enum iw_live_order)(((unsigned)view->list.order + steps) % IW_LIVE_ORDERS);
    view->top = 0;
}

static void live_view_go_back(struct iw_live_view *view) {
    if (view->page == IW_LIVE_PAGE_TABLE)
        view->list.filter[0] = '\0';
    view->page = IW_LIVE_PAGE_TABLE;
}

static void live_view_turn(struct iw_live_view *view, enum iw_live_page page) {
    view->page = page;
    view->line = 0;
    view->at_end = false;
}

static void live_view_command(struct iw_live_view *view, int key) {
    bool table = view->page == IW_LIVE_PAGE_TABLE;

    switch (key) {
    case 'q':
        view->quit = true;
        return;
    case '?':
        live_view_turn(view, IW_LIVE_PAGE_HELP);
        return;
    case KEY_OF_ESCAPE:
    case KEY_BACKSPACE:
    case KEY_LEFT:
        live_view_go_back(view);
        return;
    case KEY_ENTER:
    case '\r':
    case '\n':
        live_view_turn(view, table ? IW_LIVE_PAGE_CONNECTION : IW_LIVE_PAGE_TABLE);
        return;
    default:
        break;
    }
    if (!table)
        return;
    if (key == '/')
        view->typing = true;
    else if (key == 's' || key == 'S')
        live_view_sort(view, key == 's' ? 1 : IW_LIVE_ORDERS - 1);
}

void iw_live_view_key(struct iw_live_view *view, int key) {
    long distance = live_key_distance(view, key);

    if (view->typing)
        live_view_type(view, key);
    else if (distance != 0)
        live_view_move(view, distance);
    else
        live_view_command(view, key);
}
