#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ncurses.h>

#include "iw_describe.h"
#include "iw_live_screen_state.h"
#include "iw_show.h"
#include "iw_text.h"

/* The pages of lines: one connection, and the help. */

enum { PAGE_LINE_OCTETS = 4096, CONTINUED_INDENT = 4, PARTS_MAX = 8 };

/* Where lines of text go: a part of the screen, scrolled. */
struct live_page {
    struct iw_live_view *view;
    int top;
    size_t shown; /* lines of the screen */
    size_t count; /* lines so far */

    /* Where the latest line of text was broken: a line of '^' below it must be broken there, too. */
    size_t part[PARTS_MAX];
    unsigned parts; /* without the last */
    int indent;     /* of the parts after the first */
};

static void live_page_put(struct live_page *page, int indent, const char *text, size_t octets) {
    size_t number = page->count++, from = page->view->line;
    char line[PAGE_LINE_OCTETS];

    if (number < from || number - from >= page->shown)
        return;
    snprintf(line, sizeof line, "%.*s", (int)octets, text);
    iw_live_view_put(page->top + (int)(number - from), indent, COLS - indent, line);
}

/* Returns how many octets of `line` fit in `width` columns: up to a blank, if that leaves half a line. */
static size_t live_page_break(const char *line, size_t width) {
    size_t octets = strlen(line), at = width;

    if (octets <= width)
        return octets;
    while (at > width / 2 && line[at] != ' ')
        at--;
    if (line[at] == ' ')
        return at;
    for (at = width; at > 1 && ((unsigned char)line[at] & 0xc0) == 0x80;) /* within a character of UTF-8 */
        at--;
    return at;
}

/* Puts a line, continued on more lines of the screen, which are indented more. */
static void live_page_put_line(struct live_page *page, const char *line) {
    int indent = (int)strspn(line, " ") + CONTINUED_INDENT, left = 0;

    page->indent = indent > COLS / 2 ? 0 : indent;
    page->parts = 0;
    for (;;) {
        size_t octets = live_page_break(line, (size_t)(COLS > left ? COLS - left : 1));

        live_page_put(page, left, line, octets);
        if (line[octets] == '\0')
            return;
        if (page->parts < PARTS_MAX)
            page->part[page->parts++] = octets;
        line += octets;
        line += *line == ' ';
        left = page->indent;
    }
}

/* Puts the marks of octets in the line above: below the last part of it, if the marks begin there. */
static void live_page_put_marks(struct live_page *page, const char *line) {
    int left = 0;

    for (unsigned i = 0; i < page->parts; i++) {
        if (strspn(line, " ") <= page->part[i])
            break;
        line += page->part[i] + 1;
        left = page->indent;
    }
    live_page_put(page, left, line, strlen(line));
}

static size_t live_page_put_text(struct live_page *page, const char *text) {
    page->count = 0;
    for (const char *at = text, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        char line[PAGE_LINE_OCTETS];

        snprintf(line, sizeof line, "%.*s", (int)(end - at), at);
        iw_show_line(line, sizeof line, line);
        if (line[strspn(line, " ")] == '^')
            live_page_put_marks(page, line);
        else
            live_page_put_line(page, line);
    }
    return page->count;
}

/* Draws the lines of `text` from line view->line on, and sets view->lines. */
static void live_page_draw(struct iw_live_view *view, const char *text, int top, int bottom) {
    struct live_page page = {.view = view, .top = top, .shown = bottom > top ? (size_t)(bottom - top) : 0};
    size_t wanted = view->line;

    view->page_lines = page.shown;
    view->line = SIZE_MAX; /* count them first */
    view->lines = live_page_put_text(&page, text);
    if (view->lines <= page.shown)
        view->line = 0;
    else if (view->at_end || wanted + page.shown > view->lines)
        view->line = view->lines - page.shown;
    else
        view->line = wanted;
    live_page_put_text(&page, text);
}

/* The report keeps the first findings of a connection, the row has the latest. */
static void live_page_put_latest(FILE *out, const struct iw_live_row *row, size_t kept) {
    const struct iw_live_finding *latest;

    if (row->finding_count <= kept)
        return;
    fputs("    latest findings, the newest first\n", out);
    for (unsigned i = 0; (latest = iw_live_row_finding(row, i)) != NULL; i++) {
        fprintf(out, "    frame %llu: %s", (unsigned long long)latest->finding.frame,
            latest->waived ? "waived " : "");
        iw_describe_finding(out, &latest->finding, row->address[latest->finding.side]);
        fputc('\n', out);
    }
}

static void live_page_put_open(FILE *out, const struct iw_live_view *view, const struct iw_live_row *row) {
    struct iw_check_connection connection;

    if (row->stream->monitor == NULL)
        return; /* given up: its row leaves soon */
    iw_check_connection_peek(row->stream, &connection);
    iw_check_put_open_connection(out, view->report, &connection);
    live_page_put_latest(out, row, connection.kept.finding_count);
}

void iw_live_view_draw_connection(
    struct iw_live_view *view, const struct iw_live_row *row, int top, int bottom) {
    struct iw_text text;
    char *lines;

    if (row->stream == NULL) {
        live_page_draw(view, row->report != NULL ? row->report : "out of memory\n", top, bottom);
        return;
    }
    if (iw_text_open(&text)) {
        fprintf(text.out, "  %s\n", iw_live_row_state_name(row));
        live_page_put_open(text.out, view, row);
    }
    lines = iw_text_close(&text);
    live_page_draw(view, lines != NULL ? lines : "out of memory\n", top, bottom);
    free(lines);
}

void iw_live_view_draw_help(struct iw_live_view *view, int top, int bottom) {
    static const char help[] =
        "Keys\n"
        "  Up, Down, PgUp, PgDn, Home, End   move (also k and j)\n"
        "  Enter     the selected connection: terms, outstanding requests, findings\n"
        "  s, S      sort by the next, previous: age, address, state, rate, findings\n"
        "  /         only connections with this text in an address, state or verdict\n"
        "  Esc       back; in the table: no filter\n"
        "  q         end, with the report on all connections\n"
        "Columns, as many as fit; -> sent or asked for by the initiator, <- responder\n"
        "  state     startup, open, closing; then how it ended: FIN, RST, Terminate,\n"
        "            rejected, or cut short by the end of the watch\n"
        "  verdict   once the connection is reported; before, only a sure violation\n"
        "  err/w/n   errors, warnings and notes, without waived ones\n"
        "  octets/s  payload of both sides, mean of the last 3 seconds\n"
        "  out       outstanding requests / how many IRD and ORD allow\n"
        "  Markers   which sides send them;  IRD/ORD  of both startup frames\n"
        "  dropped   packets that the system dropped: not all could be judged then\n";

    live_page_draw(view, help, top, bottom);
}
