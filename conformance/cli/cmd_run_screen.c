#include "cmd_run_screen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iw_monotonic.h"
#include "iw_plural.h"

enum { SCREEN_UPDATE_MS = 200 };

static uint64_t screen_now_ms(void) {
    return iw_monotonic_ns() / 1000000;
}

void cmd_run_screen_init(struct cmd_run_screen *screen) {
    const char *terminal = getenv("TERM"), *plain = getenv("NO_COLOR");
    bool able = terminal && strcmp(terminal, "dumb") != 0;

    *screen = (struct cmd_run_screen){
        .coloured = able && isatty(STDOUT_FILENO) && !(plain && plain[0]), /* no-color.org */
        .shows = able && isatty(STDERR_FILENO)};
}

void cmd_run_screen_begin(struct cmd_run_screen *screen, uint64_t total, uint64_t resumed) {
    screen->total = total;
    screen->done = screen->resumed = resumed;
    screen->begun_ms = screen_now_ms();
}

static void screen_put_time(uint64_t seconds) {
    if (seconds >= 60)
        fprintf(stderr, ", %" PRIu64 " min %" PRIu64 " s left", seconds / 60, seconds % 60);
    else
        fprintf(stderr, ", %" PRIu64 " s left", seconds);
}

static void screen_show(const struct cmd_run_screen *screen, uint64_t now_ms) {
    double seconds = (double)(now_ms - screen->begun_ms + 1) / 1000;
    double rate = (double)(screen->done - screen->resumed) / seconds;

    fprintf(stderr, "\r\033[K%" PRIu64, screen->done);
    if (screen->total > 0)
        fprintf(stderr, " of %" PRIu64, screen->total);
    fprintf(stderr, " case%s, %" PRIu64 " failed, %.1f a second",
        iw_plural(screen->total > 0 ? screen->total : screen->done), screen->failed, rate);
    if (screen->total > screen->done && rate > 0)
        screen_put_time((uint64_t)((double)(screen->total - screen->done) / rate + 0.5));
    fflush(stderr);
}

void cmd_run_screen_count(struct cmd_run_screen *screen, bool failed) {
    uint64_t now_ms = screen_now_ms();

    screen->done++;
    screen->failed += failed;
    if (!screen->shows || (screen->visible && now_ms - screen->shown_ms < SCREEN_UPDATE_MS))
        return;
    screen_show(screen, now_ms);
    screen->shown_ms = now_ms;
    screen->visible = true;
}

void cmd_run_screen_clear(struct cmd_run_screen *screen) {
    if (!screen->visible)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    screen->visible = false;
}
