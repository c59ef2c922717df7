#include "iw_live_screen.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <ncurses.h>

#include "iw_live_screen_state.h"
#include "iw_monotonic.h"

/* The terminal, and the form that feeds the table. */

static const uint64_t DRAW_NS = 500000000; /* often enough for people */
enum { ESCAPE_MS = 25 };

struct iw_live_screen {
    struct iw_live_source *source;
    struct iw_check_source check; /* before iw_live_screen_wrap */
    struct iw_live_table table;
    struct iw_live_view view;
    SCREEN *terminal;
    FILE *keys; /* /dev/tty; NULL: standard input */
    uint64_t drawn_ns;
};

bool iw_live_screen_built(void) {
    return true;
}

/* ---- the terminal ---- */

/* What a handler of a signal writes and sets, as ncurses must not be called there. */
static struct {
    volatile sig_atomic_t taken; /* the view has the terminal */
    struct termios modes;        /* before the view */
    char leave[64];
    size_t octets;
} screen_terminal;

static void screen_add_leaving(const char *capability) {
    const char *text = tigetstr(capability);
    size_t octets = text != NULL && text != (char *)-1 ? strlen(text) : 0;

    if (octets == 0 || strchr(text, '$') != NULL || /* padding, which only tputs knows */
        screen_terminal.octets + octets > sizeof screen_terminal.leave)
        return;
    memcpy(screen_terminal.leave + screen_terminal.octets, text, octets);
    screen_terminal.octets += octets;
}

static void screen_note_terminal(void) {
    screen_terminal.octets = 0;
    screen_add_leaving("sgr0");
    screen_add_leaving("cnorm");
    screen_add_leaving("rmkx");
    screen_add_leaving("rmcup");
}

void iw_live_screen_abandon(void) {
    if (!screen_terminal.taken)
        return;
    if (write(STDOUT_FILENO, screen_terminal.leave, screen_terminal.octets) >= 0)
        tcsetattr(STDOUT_FILENO, TCSANOW, &screen_terminal.modes);
}

static void screen_leave(void) {
    if (screen_terminal.taken)
        endwin();
    screen_terminal.taken = false;
}

static bool screen_may_colour(void) {
    const char *plain = getenv("NO_COLOR"); /* no-color.org */

    return !(plain != NULL && plain[0] != '\0') && has_colors();
}

static void screen_set_modes(struct iw_live_screen *screen) {
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(ESCAPE_MS);
    curs_set(0);
    screen->view.coloured = screen_may_colour();
    if (screen->view.coloured) {
        start_color();
        use_default_colors();
        init_pair(1, COLOR_RED, -1);
    }
}

static bool screen_begin(struct iw_live_screen *screen, char *text) {
    const char *type = getenv("TERM");

    if (tcgetattr(STDOUT_FILENO, &screen_terminal.modes) != 0) {
        snprintf(text, IW_LIVE_SOURCE_TEXT_OCTETS, "standard output is not a terminal");
        return false;
    }
    if (!isatty(STDIN_FILENO) && (screen->keys = fopen("/dev/tty", "re")) == NULL) {
        snprintf(text, IW_LIVE_SOURCE_TEXT_OCTETS, "/dev/tty: %s", strerror(errno));
        return false;
    }
    setlocale(LC_CTYPE, "");
    signal(SIGTSTP, SIG_IGN); /* a confined process cannot stop itself */
    screen->terminal = newterm(NULL, stdout, screen->keys != NULL ? screen->keys : stdin);
    if (screen->terminal == NULL) {
        snprintf(text, IW_LIVE_SOURCE_TEXT_OCTETS, "terminal of an unknown type: %.64s",
            type ? type : "TERM is not set");
        return false;
    }
    screen_set_modes(screen);
    screen_note_terminal();
    endwin(); /* until the first refresh: errors before it must be readable */
    return true;
}

struct iw_live_screen *iw_live_screen_open(struct iw_live_source *source, const char *name, char *text) {
    struct iw_live_screen *screen = calloc(1, sizeof *screen);

    if (screen == NULL) {
        snprintf(text, IW_LIVE_SOURCE_TEXT_OCTETS, "out of memory");
        return NULL;
    }
    screen->source = source;
    iw_live_table_init(&screen->table);
    screen->view.name = name;
    screen->view.table = &screen->table;
    if (screen_begin(screen, text))
        return screen;
    iw_live_screen_close(screen);
    return NULL;
}

void iw_live_screen_close(struct iw_live_screen *screen) {
    if (screen == NULL)
        return;
    screen_leave();
    if (screen->terminal != NULL)
        delscreen(screen->terminal);
    if (screen->keys != NULL)
        fclose(screen->keys);
    iw_live_list_clear(&screen->view.list);
    iw_live_table_dispose(&screen->table);
    free(screen);
}

/* ---- the source ---- */

static int screen_next(void *user, struct iw_packet *packet, char *error, size_t octets) {
    struct iw_live_screen *screen = user;
    int step = screen->check.next(screen->check.user, packet, error, octets);

    if (step != IW_CHECK_PACKET && step != IW_CHECK_TICK)
        screen_leave();
    return step;
}

static uint64_t screen_lost(void *user) {
    struct iw_live_screen *screen = user;

    return screen->check.lost(screen->check.user);
}

void iw_live_screen_wrap(struct iw_live_screen *screen, struct iw_check_source *check) {
    screen->check = *check;
    *check = (struct iw_check_source){.user = screen, .next = screen_next, .lost = screen_lost};
}

void iw_live_screen_notice(struct iw_live_screen *screen, const char *line) {
    snprintf(screen->view.notice, sizeof screen->view.notice, "%s", line);
}

/* ---- the form ---- */

static void screen_take_event(
    struct iw_check_report *report, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    struct iw_live_screen *screen = report->state;

    iw_live_table_event(&screen->table, stream, event);
}

static void screen_take_connection(
    struct iw_check_report *report, const struct iw_check_connection *connection) {
    struct iw_live_screen *screen = report->state;

    iw_live_table_connection(&screen->table, report, connection);
}

static void screen_take_drop(struct iw_check_report *report, struct iw_check_stream *stream) {
    struct iw_live_screen *screen = report->state;

    iw_live_table_drop(&screen->table, stream);
}

static bool screen_take_keys(struct iw_live_screen *screen) {
    bool any = false;
    int key;

    while ((key = getch()) != ERR) {
        iw_live_view_key(&screen->view, key);
        any = true;
    }
    if (screen->view.quit)
        iw_live_source_stop(screen->source);
    return any;
}

static void screen_tick(struct iw_check_report *report) {
    struct iw_live_screen *screen = report->state;
    struct iw_live_counts traffic = iw_live_source_counts(screen->source);
    uint64_t now_ns = iw_monotonic_ns();

    iw_live_table_tick(&screen->table, report, &traffic, now_ns);
    screen->view.report = report;
    screen_terminal.taken = true;
    if (!screen_take_keys(screen) && now_ns - screen->drawn_ns < DRAW_NS)
        return;
    screen->drawn_ns = now_ns;
    iw_live_view_draw(&screen->view);
}

/* The report after the view. report->state is for the form `text` from now on. */
static void screen_end_file(struct iw_check_report *report, const struct iw_check_counts *counts) {
    struct iw_live_screen *screen = report->state;
    const struct iw_live_row *row;

    screen_leave();
    report->state = NULL;
    report->result.incomplete |= screen->table.incomplete;
    if (screen->table.left > 0) {
        iw_check_put_capture(report);
        fprintf(report->out, "  %llu earlier connections are counted, but no longer described\n",
            (unsigned long long)screen->table.left);
    }
    for (row = TAILQ_FIRST(&screen->table.ended); row != NULL; row = TAILQ_NEXT(row, same_list))
        if (row->report != NULL) {
            iw_check_put_capture(report);
            fputs(row->report, report->out);
        }
    iw_check_report_text.file_end(report, counts);
}

static void screen_end(struct iw_check_report *report, enum iw_exit exit) {
    iw_check_report_text.end(report, exit);
}

const struct iw_check_report_form iw_live_screen_form = {
    .event = screen_take_event,
    .connection = screen_take_connection,
    .drop = screen_take_drop,
    .tick = screen_tick,
    .file_end = screen_end_file,
    .end = screen_end,
};
