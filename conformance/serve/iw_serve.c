#include "iw_serve.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <inttypes.h>
#include <stdlib.h>

#include "iw_agent_server.h"
#include "iw_association_watch.h"
#include "iw_describe.h"
#include "iw_interrupt.h"
#include "iw_play.h"
#include "iw_recorder.h"
#include "iw_reference.h"
#include "iw_rping.h"
#include "iw_watch.h"

enum {
    SERVE_STARTUP_MS = 10000,
    SERVE_STARTUPS_MAX = 1024, /* maximum number of concurrent startups */
};

static const uint64_t serve_region_to = 0x10000;

/* A monitored connection. */
struct connection {
    struct serve *serve;
    unsigned number;
    struct iw_watch *watch;
};

struct serve {
    const struct iw_serve_config *config;
    struct iw_loop *loop;
    struct iw_sctp_stack *stack;
    struct iw_reference *reference;
    const struct iw_region *region;     /* memory region that `reference` offers */
    struct iw_ddp_reference *ddp;       /* or NULL */
    struct iw_association_watch *watch; /* monitor of all associations; NULL: none */
    struct iw_rping *rping;             /* or NULL */
    struct iw_agent_server *agent;
    struct iw_recorder *recorder;
    struct iw_interrupt *interrupt;
    struct iw_defect_device defect;       /* of the reference */
    struct iw_defect_device agent_defect; /* of all devices of the agent */
    unsigned count;
};

static void serve_print_event(void *user, unsigned number, const struct iw_monitor_event *event) {
    const struct serve *serve = user;
    FILE *out = serve->config->out;

    if (serve->config->quiet)
        return;
    fprintf(out, "[%u] %s: ", number, iw_role_name(event->role));
    iw_describe_event(out, event);
    fputc('\n', out);
    for (size_t i = 0; i < event->finding_count; i++) {
        fputs("    ! ", out);
        iw_describe_finding(out, &event->findings[i], NULL);
        fputc('\n', out);
    }
    fflush(out);
}

static void serve_print_connection_event(void *user, const struct iw_monitor_event *event) {
    const struct connection *connection = user;

    serve_print_event(connection->serve, connection->number, event);
}

/* Whether connections need a monitor: only if their events are printed or recorded. */
static bool serve_is_watched(const struct serve *serve) {
    return !serve->config->quiet || serve->recorder;
}

static void *serve_watch_opened(void *user, struct iw_reference *reference, struct iw_port *port) {
    struct serve *serve = user;
    struct iw_watch_config config = {.recorder = serve->recorder,
        .extensions = serve->config->extensions,
        .sink = serve_print_connection_event};
    struct connection *connection;

    (void)reference;
    if (!serve_is_watched(serve))
        return NULL;
    connection = calloc(1, sizeof *connection);
    if (!connection)
        return NULL;
    *connection = (struct connection){.serve = serve, .number = ++serve->count};
    config.user = connection;
    connection->watch = iw_watch_new(port, &config);
    return connection;
}

static void serve_watch_closed(
    void *user, struct iw_reference *reference, struct iw_port *port, void *opened) {
    struct connection *connection = opened;

    (void)user;
    (void)reference;
    if (!connection)
        return;
    iw_port_set_tap(port, NULL, NULL);
    if (connection->watch)
        iw_watch_finish(connection->watch);
    iw_watch_free(connection->watch);
    free(connection);
}

/* ---- start and end ---- */

static void serve_on_interrupt(void *user) {
    const struct serve *serve = user;

    iw_loop_stop(serve->loop);
}

static bool serve_start_rping(struct serve *serve, struct iw_reference_config *reference) {
    if (!serve->config->rping)
        return true;
    reference->event = iw_rping_take;
    iw_rping_configure(&reference->endpoint);
    reference->user = serve->rping =
        iw_rping_new(&(struct iw_rping_config){.octets = serve->config->rping_octets});
    return serve->rping != NULL;
}

/* Without a size, the region is as large as its file. */
static uint64_t serve_region_octets(const struct iw_serve_config *config) {
    struct stat status;

    if (config->region_octets > 0)
        return config->region_octets;
    return config->file && stat(config->file, &status) == 0 && status.st_size > 0 ? (uint64_t)status.st_size
                                                                                  : IW_SERVE_REGION_OCTETS;
}

static const char *serve_file_error(int error) {
    switch (error) {
    case EINVAL:
        return "not a regular file";
    case EWOULDBLOCK:
        return "in use by another process";
    default:
        return strerror(error);
    }
}

static bool serve_offer_region(struct serve *serve, char *error) {
    const struct iw_serve_config *config = serve->config;

    serve->region =
        iw_reference_offer(serve->reference, serve_region_to, serve_region_octets(config), config->file);
    if (!serve->region && config->file)
        snprintf(error, IW_RECORDER_TEXT_OCTETS, "%s: %s", config->file, serve_file_error(errno));
    return serve->region != NULL;
}

static void serve_print_region(const struct serve *serve) {
    const struct iw_serve_config *config = serve->config;
    const struct iw_region *region = serve->region;

    fprintf(config->out,
        "region: STag 0x%08" PRIx32 ", TO 0x%" PRIx64 ", %" PRIu64 " octets, verified by %s%s%s\n",
        region->stag, region->base, region->size, iw_hash_name(region->hash),
        config->file ? ", flushed to " : "", config->file ? config->file : "");
}

static unsigned serve_number_session(void *user) {
    struct serve *serve = user;

    return ++serve->count;
}

/* Configures the SCTP associations of the reference or of the agent's devices. */
static void serve_configure_associations(struct serve *serve, struct iw_ddp_association_config *config) {
    iw_defect_configure_association(serve->config->defect, config);
    if (!serve->watch)
        return;
    config->link.tap = iw_association_watch_packet;
    config->link.tap_user = serve->watch;
}

static bool serve_start_sctp(struct serve *serve, char *error) {
    const struct iw_serve_config *config = serve->config;
    struct iw_ddp_reference_config reference = {
        .reference = serve->reference, .stack = serve->stack, .where = config->sctp};
    const struct iw_association_watch_config watch = {.recorder = serve->recorder,
        .extensions = config->extensions,
        .number = serve_number_session,
        .sink = serve_print_event,
        .user = serve};

    if (!config->sctp.host)
        return true;
    if (serve_is_watched(serve))
        serve->watch = iw_association_watch_new(&watch);
    serve_configure_associations(serve, &reference.association);
    serve->ddp = iw_ddp_reference_new(&reference, error);
    return serve->ddp != NULL;
}

static void serve_print_sctp(const struct serve *serve) {
    FILE *out = serve->config->out;
    struct iw_sctp_where where;

    if (!serve->ddp)
        return;
    where = iw_ddp_reference_where(serve->ddp);
    fprintf(out, "listening on %s:%u over SCTP", where.host, where.port);
    if (where.tunnelled)
        fprintf(out, " in UDP at %u", where.tunnel);
    fputc('\n', out);
}

/* Starts the agent. Each session with it controls a device of its own, which has the defect of the reference,
 * but otherwise the default settings of the agent. */
static bool serve_start_agent(struct serve *serve, char *error) {
    const struct iw_serve_config *config = serve->config;
    struct iw_agent_server_config agent = {.agent = {.loop = serve->loop,
                                               .host = config->host,
                                               .endpoint = iw_agent_defaults(),
                                               .opened = serve_watch_opened,
                                               .closed = serve_watch_closed,
                                               .watch_user = serve},
        .host = config->agent_host,
        .port = config->agent_port,
        .token = config->token,
        .tls = config->tls};

    if (!config->agent_host)
        return true;
    iw_defect_configure(config->defect, &serve->agent_defect, &agent.agent.endpoint);
    serve_configure_associations(serve, &agent.agent.association);
    agent.agent.stack = serve->stack;
    agent.agent.tunnelled = config->sctp.tunnelled;
    serve->agent = iw_agent_server_new(&agent, error);
    return serve->agent != NULL;
}

/* Prints where the reference and its agent listen: only once all parts have started, since a program may read
 * it. */
static void serve_print_start(const struct serve *serve) {
    const struct iw_serve_config *config = serve->config;
    const struct iw_region *region = serve->region;

    fprintf(config->out, "listening on %s:%u%s%s\n", config->host, iw_reference_port(serve->reference),
        config->defect ? ", defect " : "", config->defect ? config->defect->name : "");
    serve_print_sctp(serve);
    serve_print_region(serve);
    if (serve->agent)
        fprintf(config->out, "agent on %s:%u\n", config->agent_host, iw_agent_server_port(serve->agent));
    fprintf(config->out,
        "  for load: --region 0x%08" PRIx32 ",0x%" PRIx64 ",%" PRIu64 "\n"
        "  for play: --arg stag=0x%08" PRIx32 " --arg to=0x%" PRIx64 "\n",
        region->stag, region->base, region->size, region->stag, region->base);
    fflush(config->out);
}

static enum iw_status serve_start(struct serve *serve, char *error) {
    const struct iw_serve_config *config = serve->config;
    struct iw_reference_config reference = {.loop = serve->loop,
        .host = config->host,
        .port = config->port,
        .endpoint = iw_reference_defaults(),
        .echo = config->echo,
        .startups = SERVE_STARTUPS_MAX,
        .opened = serve_watch_opened,
        .closed = serve_watch_closed,
        .watch_user = serve};

    reference.endpoint.timeouts.startup_ms = SERVE_STARTUP_MS;
    reference.endpoint.extensions = config->extensions;
    reference.endpoint.no_crc = config->no_crc;
    reference.endpoint.joined = config->bulk;
    reference.endpoint.emss_of_tcp = config->bulk;
    if (config->receive_octets > 0)
        reference.endpoint.receives.octets = config->receive_octets;
    iw_defect_configure(config->defect, &serve->defect, &reference.endpoint);
    if (config->record) {
        serve->recorder = iw_recorder_open(config->record, NULL, error);
        if (!serve->recorder)
            return IW_ERR_IO;
        iw_recorder_tell(serve->recorder, iw_play_report_trouble, config->err);
    }
    if (!serve_start_rping(serve, &reference))
        return IW_ERR_NOMEM;
    serve->reference = iw_reference_new(&reference, error);
    if (!serve->reference)
        return IW_ERR_IO;
    if (!serve_start_sctp(serve, error))
        return IW_ERR_IO;
    if (!serve_offer_region(serve, error))
        return IW_ERR_NOMEM;
    if (!serve_start_agent(serve, error))
        return IW_ERR_IO;
    serve_print_start(serve);
    if (config->ready)
        config->ready(config->user, iw_reference_port(serve->reference), serve->region);
    return IW_OK;
}

static enum iw_status serve_stop(struct serve *serve, enum iw_status status, char *error) {
    iw_agent_server_free(serve->agent);
    iw_reference_free(serve->reference);
    iw_ddp_reference_free(serve->ddp);
    if (serve->watch)
        iw_association_watch_finish(serve->watch);
    iw_association_watch_free(serve->watch);
    iw_rping_free(serve->rping);
    if (status != IW_OK) {
        iw_recorder_close(serve->recorder, NULL);
        return status;
    }
    iw_interrupt_free(serve->interrupt);
    return iw_recorder_close(serve->recorder, error);
}

enum iw_status iw_serve(const struct iw_serve_config *config, char *error, size_t error_octets) {
    char text[IW_RECORDER_TEXT_OCTETS] = "out of memory";
    struct serve serve = {.config = config, .loop = iw_loop_new(IW_LOOP_REAL)};
    enum iw_status status = IW_ERR_NOMEM;

    if (serve.loop && config->sctp.host)
        serve.stack = iw_sctp_stack_new(serve.loop);
    if (serve.loop && (serve.stack || !config->sctp.host)) {
        iw_loop_busy_poll(serve.loop);
        status = serve_start(&serve, text);
        if (status == IW_OK) {
            serve.interrupt = iw_interrupt_new(serve.loop, serve_on_interrupt, &serve);
            iw_loop_run(serve.loop);
        }
        status = serve_stop(&serve, status, text);
    }
    iw_sctp_stack_free(serve.stack);
    iw_loop_free(serve.loop);
    if (status != IW_OK)
        snprintf(error, error_octets, "%s", text);
    return status;
}
