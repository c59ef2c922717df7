#include "iw_serve.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <uv.h>

#include "iw_describe.h"
#include "iw_recorder.h"
#include "iw_reference.h"
#include "iw_watch.h"

enum { REGION_OCTETS = 65536 };

static const uint64_t region_to = 0x10000;

/* One connection that is being watched. */
struct guest {
    struct serve *serve;
    unsigned number;
    struct iw_port *port;
    struct iw_watch *watch;
    struct guest *next;
};

struct serve {
    const struct iw_serve_config *config;
    struct iw_loop *loop;
    struct iw_reference *reference;
    struct iw_recorder *recorder;
    struct guest *guests;
    unsigned count;
    uv_signal_t signals[2];
};

static void print_event(void *user, const struct iw_monitor_event *event) {
    struct guest *guest = user;
    FILE *out = guest->serve->config->out;

    if (guest->serve->config->quiet)
        return;
    fprintf(out, "[%u] %s: ", guest->number, iw_role_name(event->role));
    iw_describe_event(out, event);
    fputc('\n', out);
    for (size_t i = 0; i < event->finding_count; i++) {
        fputs("    ! ", out);
        iw_describe_finding(out, &event->findings[i]);
        fputc('\n', out);
    }
    fflush(out);
}

static void welcome(void *user, struct iw_reference *reference, struct iw_port *port) {
    struct serve *serve = user;
    struct guest *guest = calloc(1, sizeof *guest);
    struct iw_watch_config config = {
        .recorder = serve->recorder, .extensions = IW_EXT_ALL, .sink = print_event, .user = guest};

    (void)reference;
    if (!guest)
        return;
    *guest = (struct guest){.serve = serve, .number = ++serve->count, .port = port, .next = serve->guests};
    serve->guests = guest;
    guest->watch = iw_watch_new(port, &config);
}

static void take_leave(void *user, struct iw_reference *reference, struct iw_port *port) {
    struct serve *serve = user;
    struct guest **at = &serve->guests, *guest;

    (void)reference;
    while (*at && (*at)->port != port)
        at = &(*at)->next;
    guest = *at;
    if (!guest)
        return;
    *at = guest->next;
    iw_port_set_tap(port, NULL, NULL);
    if (guest->watch)
        iw_watch_finish(guest->watch);
    iw_watch_free(guest->watch);
    free(guest);
}

/* ---- start and end ---- */

static void take_signal(uv_signal_t *handle, int number) {
    const struct serve *serve = handle->data;

    (void)number;
    iw_loop_stop(serve->loop);
}

static void forget_signal(uv_handle_t *handle) {
    (void)handle;
}

static void watch_signals(struct serve *serve) {
    static const int numbers[] = {SIGINT, SIGTERM};

    for (size_t i = 0; i < 2; i++) {
        uv_signal_init(iw_loop_uv(serve->loop), &serve->signals[i]);
        serve->signals[i].data = serve;
        uv_signal_start(&serve->signals[i], take_signal, numbers[i]);
    }
}

static bool offer_region(const struct serve *serve) {
    struct iw_region *region = iw_memory_register(
        iw_reference_memory(serve->reference), 0, region_to, REGION_OCTETS, IW_RIGHT_READ | IW_RIGHT_WRITE);

    if (!region)
        return false;
    for (size_t i = 0; i < REGION_OCTETS; i++)
        region->octets[i] = (uint8_t)i;
    fprintf(serve->config->out, "region: STag 0x%08" PRIx32 ", TO 0x%" PRIx64 ", %d octets\n", region->stag,
        region->base, (int)REGION_OCTETS);
    return true;
}

static enum iw_status start(struct serve *serve, char *error) {
    const struct iw_serve_config *config = serve->config;
    struct iw_reference_config reference = {.loop = serve->loop,
        .host = config->host,
        .port = config->port,
        .defect = config->defect,
        .endpoint = iw_reference_defaults(),
        .opened = welcome,
        .closed = take_leave,
        .user = serve};

    reference.endpoint.startup_ms = 10000;
    if (config->record) {
        serve->recorder = iw_recorder_open(config->record, error);
        if (!serve->recorder)
            return IW_ERR_IO;
    }
    serve->reference = iw_reference_new(&reference, error);
    if (!serve->reference)
        return IW_ERR_IO;
    fprintf(config->out, "listening on %s:%u%s%s\n", config->host, iw_reference_port(serve->reference),
        config->defect ? ", defect " : "", config->defect ? config->defect->name : "");
    if (!offer_region(serve))
        return IW_ERR_NOMEM;
    fflush(config->out);
    return IW_OK;
}

static enum iw_status stop(struct serve *serve, enum iw_status status, char *error) {
    iw_reference_free(serve->reference);
    if (status != IW_OK) {
        iw_recorder_close(serve->recorder, NULL);
        return status;
    }
    for (size_t i = 0; i < 2; i++)
        uv_close((uv_handle_t *)&serve->signals[i], forget_signal);
    return iw_recorder_close(serve->recorder, error);
}

enum iw_status iw_serve(const struct iw_serve_config *config, char *error, size_t error_octets) {
    char text[IW_RECORDER_TEXT_OCTETS] = "out of memory";
    struct serve serve = {.config = config, .loop = iw_loop_new(IW_LOOP_REAL)};
    enum iw_status status = IW_ERR_NOMEM;

    if (serve.loop) {
        status = start(&serve, text);
        if (status == IW_OK) {
            watch_signals(&serve);
            iw_loop_run(serve.loop);
        }
        status = stop(&serve, status, text);
    }
    iw_loop_free(serve.loop);
    if (status != IW_OK)
        snprintf(error, error_octets, "%s", text);
    return status;
}
