#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <ncurses.h>

#include "iw_live_screen_state.h"
#include "iw_show.h"

/* Draws the view. */

enum { HEAD_LINES = 2, LINE_OCTETS = 512 };

void iw_live_view_put(int y, int x, int width, const char *text) {
    char line[LINE_OCTETS];

    iw_show_line(line, sizeof line, text);
    if (width > 0)
        mvaddnstr(y, x, line, width);
}

static void live_view_alarm(const struct iw_live_view *view, bool on) {
    attr_t mark = A_BOLD | (view->coloured ? (attr_t)COLOR_PAIR(1) : A_REVERSE);

    if (on)
        attron(mark);
    else
        attroff(mark);
}

/* ---- the head ---- */

static void live_view_draw_time(void) {
    struct timespec now;
    struct tm parts;
    char text[16];

    clock_gettime(CLOCK_REALTIME, &now);
    if (gmtime_r(&now.tv_sec, &parts) != NULL && strftime(text, sizeof text, "%H:%M:%SZ", &parts) > 0)
        iw_live_view_put(0, COLS - (int)strlen(text), COLS, text);
}

static void live_view_draw_traffic(const struct iw_live_view *view) {
    const struct iw_live_table *table = view->table;
    char packets[IW_LIVE_NUMBER_OCTETS], octets[IW_LIVE_NUMBER_OCTETS], lost[IW_LIVE_NUMBER_OCTETS];

    iw_live_number(table->packets.per_second, packets);
    iw_live_number(table->octets.per_second, octets);
    iw_live_number(table->traffic.lost, lost);
    move(1, 0);
    printw("%s packets/s  %s octets/s  ", packets, octets);
    live_view_alarm(view, table->traffic.lost > 0);
    printw("%s dropped", lost);
    live_view_alarm(view, false);
}

static void live_view_draw_counts(const struct iw_live_view *view) {
    const struct iw_live_table *table = view->table;
    const uint64_t *count = table->connections;
    char open[IW_LIVE_NUMBER_OCTETS], ended[IW_LIVE_NUMBER_OCTETS],
        found[IW_SEVERITY_ERROR + 1][IW_LIVE_NUMBER_OCTETS];

    iw_live_number(count[IW_LIVE_STARTUP] + count[IW_LIVE_OPEN] + count[IW_LIVE_CLOSING], open);
    iw_live_number(count[IW_LIVE_ENDED], ended);
    for (int i = 0; i <= IW_SEVERITY_ERROR; i++)
        iw_live_number(table->findings[i], found[i]);
    printw("  %s open  %s ended  ", open, ended);
    live_view_alarm(view, table->findings[IW_SEVERITY_ERROR] > 0);
    printw("err/w/n %s/%s/%s", found[IW_SEVERITY_ERROR], found[IW_SEVERITY_WARNING], found[IW_SEVERITY_NOTE]);
    live_view_alarm(view, false);
}

static void live_view_draw_head(const struct iw_live_view *view) {
    attron(A_BOLD);
    iw_live_view_put(0, 0, COLS - 10, "watching ");
    iw_live_view_put(0, 9, COLS - 19, view->name);
    attroff(A_BOLD);
    live_view_draw_time();
    live_view_draw_traffic(view);
    live_view_draw_counts(view);
}

/* ---- the table ---- */

static void live_view_draw_titles(const unsigned width[IW_LIVE_COLUMNS]) {
    int x = 0;

    attron(A_REVERSE);
    mvhline(HEAD_LINES, 0, ' ', COLS);
    for (unsigned i = 0; i < IW_LIVE_COLUMNS; i++) {
        const struct iw_live_column *column = &iw_live_columns[i];
        int titled = (int)strlen(column->title), shift = column->right ? (int)width[i] - titled : 0;

        if (width[i] == 0)
            continue;
        iw_live_view_put(HEAD_LINES, x + (shift > 0 ? shift : 0), (int)width[i], column->title);
        x += (int)width[i] + 1;
    }
    attroff(A_REVERSE);
}

static void live_view_draw_row(const struct iw_live_view *view, const struct iw_live_row *row, int y,
    const unsigned width[IW_LIVE_COLUMNS]) {
    bool bad = iw_live_row_violates(row, view->report->totals.stricter);
    int x = 0;

    if (row->serial == view->selected)
        attron(A_REVERSE);
    mvhline(y, 0, ' ', COLS);
    for (unsigned i = 0; i < IW_LIVE_COLUMNS; i++) {
        const struct iw_live_column *column = &iw_live_columns[i];
        char cell[IW_LIVE_CELL_OCTETS];
        int shift;

        if (width[i] == 0)
            continue;
        column->put(row, view->report->totals.stricter, cell);
        shift = column->right ? (int)width[i] - (int)strlen(cell) : 0;
        live_view_alarm(view, bad && column->marks);
        iw_live_view_put(y, x + (shift > 0 ? shift : 0), (int)width[i], cell);
        live_view_alarm(view, false);
        if (row->serial == view->selected)
            attron(A_REVERSE);
        x += (int)width[i] + 1;
    }
    attroff(A_REVERSE);
}

static unsigned live_view_address_width(const struct iw_live_list *list, size_t first, size_t last) {
    size_t longest = 0;

    for (size_t i = first; i < last; i++)
        for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
            size_t length = strlen(list->items[i].row->address[side]);

            longest = length > longest ? length : longest;
        }
    return (unsigned)longest;
}

/* Keeps the selected row on the screen; without one, the first row is selected. */
static void live_view_scroll(struct iw_live_view *view, size_t lines) {
    const struct iw_live_list *list = &view->list;
    size_t at = iw_live_list_find(list, view->selected);

    view->page_lines = lines;
    if (at == list->count) {
        at = view->top < list->count ? view->top : 0;
        view->selected = list->count > 0 ? list->items[at].row->serial : 0;
    }
    if (at < view->top)
        view->top = at;
    else if (lines > 0 && at >= view->top + lines)
        view->top = at - lines + 1;
    if (view->top + lines > list->count)
        view->top = list->count > lines ? list->count - lines : 0;
}

static void live_view_draw_table(struct iw_live_view *view, int top, int bottom) {
    unsigned width[IW_LIVE_COLUMNS];
    size_t lines = bottom > top ? (size_t)(bottom - top) : 0, last;

    live_view_scroll(view, lines);
    last = view->top + lines < view->list.count ? view->top + lines : view->list.count;
    iw_live_columns_fit((unsigned)COLS, live_view_address_width(&view->list, view->top, last), width);
    live_view_draw_titles(width);
    for (size_t i = view->top; i < last; i++)
        live_view_draw_row(view, view->list.items[i].row, top + (int)(i - view->top), width);
    if (view->list.count == 0)
        iw_live_view_put(top, 0, COLS,
            view->list.filter[0] != '\0' ? "no connection passes the filter" : "no iWARP connection yet");
}

/* ---- all ---- */

static void live_view_draw_foot(const struct iw_live_view *view) {
    char line[LINE_OCTETS];
    size_t used = 0;

    if (view->typing || view->list.filter[0] != '\0')
        used = (size_t)snprintf(line, sizeof line, "/%s%s  ", view->list.filter, view->typing ? "_" : "");
    if (view->notice[0] != '\0' && !view->typing)
        snprintf(line + used, sizeof line - used, "%s", view->notice);
    else if (view->typing)
        snprintf(line + used, sizeof line - used, "Enter: done  Esc: no filter");
    else if (view->page == IW_LIVE_PAGE_TABLE)
        snprintf(line + used, sizeof line - used, "q end  Enter details  s sort: %s  / filter  ? help",
            iw_live_order_name(view->list.order));
    else
        snprintf(line + used, sizeof line - used, "q end  Esc back");
    attron(A_BOLD);
    iw_live_view_put(LINES - 1, 0, COLS - 1, line);
    attroff(A_BOLD);
}

void iw_live_view_draw(struct iw_live_view *view) {
    int bottom = LINES - 1;
    size_t at;

    iw_live_list_update(&view->list, view->table, view->report->totals.stricter);
    at = iw_live_list_find(&view->list, view->selected);
    if (view->page == IW_LIVE_PAGE_CONNECTION && at == view->list.count)
        view->page = IW_LIVE_PAGE_TABLE; /* its row has left, or passes the filter no more */
    erase();
    live_view_draw_head(view);
    if (view->page == IW_LIVE_PAGE_TABLE)
        live_view_draw_table(view, HEAD_LINES + 1, bottom);
    else if (view->page == IW_LIVE_PAGE_CONNECTION)
        iw_live_view_draw_connection(view, view->list.items[at].row, HEAD_LINES, bottom);
    else
        iw_live_view_draw_help(view, HEAD_LINES, bottom);
    live_view_draw_foot(view);
    refresh();
}
