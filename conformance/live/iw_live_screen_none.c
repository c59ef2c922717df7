#include "iw_live_screen.h"

#include <stdio.h>

/* Without ncurses. */

bool iw_live_screen_built(void) {
    return false;
}

struct iw_live_screen *iw_live_screen_open(struct iw_live_source *source, const char *name, char *text) {
    (void)source;
    (void)name;
    snprintf(
        text, IW_LIVE_SOURCE_TEXT_OCTETS, "this program was built without its screen (WARPCHECK_SCREEN)");
    return NULL;
}

void iw_live_screen_wrap(struct iw_live_screen *screen, struct iw_check_source *check) {
    (void)screen;
    (void)check;
}

void iw_live_screen_notice(struct iw_live_screen *screen, const char *line) {
    (void)screen;
    (void)line;
}

const struct iw_check_report_form iw_live_screen_form = {.findings_only = true};

void iw_live_screen_close(struct iw_live_screen *screen) {
    (void)screen;
}

void iw_live_screen_abandon(void) {}
