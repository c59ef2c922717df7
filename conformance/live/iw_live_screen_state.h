#pragma once

#include "iw_live_column.h"
#include "iw_live_screen.h"

/* For iw_live_screen*.c: what the view shows, and its parts. */

enum iw_live_page { IW_LIVE_PAGE_TABLE, IW_LIVE_PAGE_CONNECTION, IW_LIVE_PAGE_HELP };

enum { IW_LIVE_NOTICE_OCTETS = 256 };

struct iw_live_view {
    const char *name; /* of the interfaces */
    const struct iw_live_table *table;
    const struct iw_check_report *report;
    struct iw_live_list list;
    enum iw_live_page page;
    bool coloured;
    bool typing;       /* keys add to the filter */
    bool quit;         /* `q` was pressed */
    uint64_t selected; /* serial number of a row; 0: none */
    size_t top;        /* of the list: the first row on the screen */
    size_t line;       /* of the page of a connection: its first line on the screen */
    size_t lines;      /* of that page, as drawn last */
    bool at_end;       /* of that page: stay there if it grows */
    size_t page_lines; /* rows, or lines, that a page of the screen shows */

    char notice[IW_LIVE_NOTICE_OCTETS]; /* about trouble, instead of the keys; "": none */
};

/* Draws all. */
void iw_live_view_draw(struct iw_live_view *view);

/* Draws the page of a connection into the lines from `top` to `bottom`, without `bottom`. */
void iw_live_view_draw_connection(
    struct iw_live_view *view, const struct iw_live_row *row, int top, int bottom);

/* Draws the help in the same way. */
void iw_live_view_draw_help(struct iw_live_view *view, int top, int bottom);

/* Draws one line of untrusted text at (y, x), at most `width` characters. */
void iw_live_view_put(int y, int x, int width, const char *text);

/* Takes a key of ncurses. */
void iw_live_view_key(struct iw_live_view *view, int key);
