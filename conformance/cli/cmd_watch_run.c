#include "cmd_watch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "cmd_option.h"
#include "iw_json.h"
#include "iw_live_device.h"
#include "iw_live_http.h"
#include "iw_live_screen.h"

enum { NAMES_OCTETS = 512 };

static struct iw_live_source *watch_source;
static volatile sig_atomic_t watch_interrupted;

/* The first signal ends the watch with its report, a second one the program. */
static void watch_interrupt(int number) {
    if (watch_interrupted) {
        iw_live_screen_abandon();
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    watch_interrupted = true;
    iw_live_source_stop(watch_source);
}

static void watch_take_signals(struct iw_live_source *source) {
    struct sigaction action = {.sa_handler = watch_interrupt};

    watch_source = source;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* What libpcap reads to know the drops of an interface. */
static int watch_confine(const struct cmd_watch *watch) {
    struct iw_confine confine;

    iw_confine_begin(&confine);
    confine.receives = true;
    confine.serves = watch->http != CMD_WATCH_NO_HTTP;
    confine.terminal = watch->report.form == &iw_live_screen_form;
    iw_confine_read(&confine, "/sys/class/net");
    iw_confine_read(&confine, "/sys/devices");
    if (watch->waivers != NULL)
        iw_confine_read(&confine, watch->waivers);
    if (watch->ring.octets > 0)
        iw_confine_write(&confine, watch->ring.folder);
    for (size_t i = 0; i < watch->source.count; i++)
        if (strchr(watch->names[i], '/') != NULL)
            iw_confine_read(&confine, watch->names[i]);
    return cmd_confine(watch->confining, &confine);
}

/* Names all interfaces as one capture: "eth0, eth1". */
static void watch_name(const struct cmd_watch *watch, char name[NAMES_OCTETS]) {
    size_t used = 0;

    for (size_t i = 0; i < watch->source.count && used < NAMES_OCTETS; i++)
        used += (size_t)snprintf(name + used, NAMES_OCTETS - used, "%s%s", i > 0 ? ", " : "",
            strcmp(watch->names[i], "-") == 0 ? "standard input" : watch->names[i]);
}

/* From now on no packet is missed: a script may start its peers. */
static void watch_say_begin(
    const struct iw_check_report *report, const char *name, const struct iw_live_http *http) {
    if (report->form == &iw_live_screen_form)
        return;
    if (report->form == &iw_check_report_jsonl)
        iw_json_line(report->out, json_pack("{ss ss}", "type", "watch", "file", name));
    else
        fprintf(report->out, "watching %s\n", name);
    if (http != NULL)
        fprintf(report->out, "page: http://127.0.0.1:%u/\n", iw_live_http_port(http));
    fflush(report->out);
}

/* `ring` and `http` may be NULL. */
static enum iw_exit watch_judge(struct cmd_watch *watch, struct iw_live_source *source, const char *name,
    struct iw_live_ring *ring, const struct iw_live_http *http) {
    struct iw_waivers waivers = {0};
    struct iw_check_source check;
    struct iw_check_observer observer;
    enum iw_exit code = IW_EXIT_ENVIRONMENT;

    iw_live_source_init(source, &check);
    if (ring != NULL) {
        iw_live_ring_attach(ring, &check, &observer);
        watch->report.observer = &observer;
    }
    if (watch->report.form == &iw_live_screen_form)
        iw_live_screen_wrap(watch->report.state, &check);
    watch->report.waivers = watch->waivers == NULL ? NULL : &waivers;
    watch_say_begin(&watch->report, name, http);
    if (watch->waivers == NULL || cmd_read_waivers(&waivers, watch->waivers)) {
        code = iw_check_report_source(&watch->report, name, &check);
        if (!iw_live_ring_close(ring))
            code = iw_exit_join(code, IW_EXIT_ENVIRONMENT);
        code = iw_check_report_end(&watch->report, code);
    } else {
        iw_live_ring_close(ring);
    }
    iw_waivers_clear(&waivers);
    return code;
}

/* While the view has the terminal, it shows the line; stderr gets it afterwards. */
static void watch_cannot_record(void *user, const char *line) {
    struct cmd_watch *watch = user;

    if (watch->screen == NULL) {
        cmd_fail(0, "%s", line);
        return;
    }
    snprintf(watch->trouble, sizeof watch->trouble, "%s", line);
    iw_live_screen_notice(watch->screen, line);
}

/* Without --format: on a terminal that can do it, the table. */
static bool watch_wants_screen(const struct cmd_watch *watch) {
    const char *type = getenv("TERM");

    if (watch->report.form != NULL || watch->http != CMD_WATCH_NO_HTTP)
        return watch->report.form == &iw_live_screen_form;
    return iw_live_screen_built() && isatty(STDOUT_FILENO) && type != NULL && strcmp(type, "dumb") != 0;
}

/* Sets watch->report.form, and the screen of that form. Without --format, `text` does for a terminal that
 * cannot show the table. Returns 0, or the exit code. */
static int watch_open_form(struct cmd_watch *watch, struct iw_live_source *source, const char *name,
    struct iw_live_screen **screen) {
    bool asked = watch->report.form != NULL, wanted = watch_wants_screen(watch);
    char text[IW_LIVE_SOURCE_TEXT_OCTETS];

    *screen = wanted ? iw_live_screen_open(source, name, text) : NULL;
    if (wanted && *screen == NULL && asked)
        return cmd_fail(IW_EXIT_ENVIRONMENT, "--format screen: %s", text);
    if (*screen != NULL) {
        watch->report.form = &iw_live_screen_form;
        watch->report.state = *screen;
    } else if (!asked) {
        watch->report.form = &iw_check_report_text;
    }
    return 0;
}

/* From here on only the captures can be read, and only the folder of the ring written. */
static int watch_confined(struct cmd_watch *watch, struct iw_live_source *source, const char *name,
    struct iw_live_ring *ring, struct iw_live_http *http) {
    int code = watch_confine(watch);

    if (code == 0 && http != NULL && !iw_live_http_begin(http, &watch->report))
        code = cmd_fail(IW_EXIT_ENVIRONMENT, "--http: the web server does not start");
    if (code == 0)
        return (int)watch_judge(watch, source, name, ring, http);
    iw_live_ring_close(ring);
    return code;
}

/* The folder of the ring and the socket of the page must exist before the process is confined. */
static int watch_open_outputs(struct cmd_watch *watch, struct iw_live_source *source,
    struct iw_live_ring **ring, struct iw_live_http **http) {
    char text[IW_LIVE_RING_TEXT_OCTETS];

    watch->ring.trouble = watch_cannot_record;
    watch->ring.user = watch;
    if (watch->ring.octets > 0 && (*ring = iw_live_ring_open(&watch->ring, source, text)) == NULL)
        return cmd_fail(IW_EXIT_ENVIRONMENT, "%s", text);
    if (watch->http == CMD_WATCH_NO_HTTP)
        return 0;
    *http = iw_live_http_open((uint16_t)watch->http, source, text);
    if (*http != NULL)
        return 0;
    iw_live_ring_close(*ring);
    return cmd_fail(IW_EXIT_ENVIRONMENT, "--http: %s", text);
}

static int watch_with_source(struct cmd_watch *watch, struct iw_live_source *source) {
    struct iw_live_ring *ring = NULL;
    struct iw_live_http *http = NULL;
    char name[NAMES_OCTETS];
    int code = watch_open_outputs(watch, source, &ring, &http);

    if (code != 0)
        return code;
    watch_name(watch, name);
    code = watch_open_form(watch, source, name, &watch->screen);
    if (code == 0)
        code = watch_confined(watch, source, name, ring, http);
    else
        iw_live_ring_close(ring);
    iw_live_http_close(http);
    iw_live_screen_close(watch->screen);
    if (watch->trouble[0] != '\0')
        cmd_fail(0, "%s", watch->trouble);
    return code;
}

int cmd_watch_run(struct cmd_watch *watch) {
    char text[IW_LIVE_SOURCE_TEXT_OCTETS];
    struct iw_live_source *source = iw_live_source_open(&watch->source, text);
    int code;

    if (source == NULL)
        return cmd_fail(IW_EXIT_ENVIRONMENT, "%s", text);
    watch_take_signals(source);
    if (!iw_live_device_drop_rights())
        code = cmd_fail(IW_EXIT_ENVIRONMENT, "the right to capture cannot be given up");
    else
        code = watch_with_source(watch, source);
    iw_live_source_close(source);
    return code;
}
