#pragma once

#include "cmd_confine.h"
#include "iw_check_report.h"
#include "iw_live_ring.h"
#include "iw_live_screen.h"
#include "iw_live_source.h"

/* The command `watch`: what its options ask for, and the watch itself. */

enum { CMD_WATCH_NO_HTTP = -1 };

struct cmd_watch {
    const char *names[IW_LIVE_SOURCES];  /* `source.count` of them */
    struct iw_live_source_config source; /* without `names` */
    uint32_t buffer;                     /* MiB */
    struct iw_check_report report;       /* form NULL: screen on a terminal, else text */
    const char *waivers;                 /* path; NULL: not given */
    bool explains;
    struct iw_live_ring_config ring; /* octets 0: record nothing */
    int http;                        /* port of the page, 0: any; CMD_WATCH_NO_HTTP: no page */
    enum cmd_confining confining;
    struct iw_live_screen *screen;          /* NULL: no table on the terminal */
    char trouble[IW_LIVE_RING_TEXT_OCTETS]; /* of --ring, for stderr after the table; "": none */
};

/* Watches until the source ends. Returns the exit code, after the report, or after a line on stderr. */
int cmd_watch_run(struct cmd_watch *watch);
