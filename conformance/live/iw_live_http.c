#include "iw_live_http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "iw_live_page.h"
#include "iw_monotonic.h"

enum {
    CONNECTIONS = 2 * IW_LIVE_HTTP_CLIENTS, /* the others are for files, and end at once */
    IDLE_SECONDS = 30,                      /* then a client that takes nothing is disconnected */
    REQUEST_SECONDS = 10,                   /* then a client without a complete request is disconnected */
    STEPS = 4,                              /* of the server at a tick: a request takes several */
    LAST_STEPS = 40,                        /* after the end, for clients that have not yet read it */
    LAST_STEP_MS = 25,
    BLOCK_OCTETS = 32 << 10,
};

struct http_client {
    struct iw_live_http *http;
    struct iw_live_page_reader reader;
    char *message; /* being sent; NULL: none */
    size_t length, sent;
};

/* A connection to the server; with `link` NULL, a free place. */
struct http_link {
    struct MHD_Connection *link;
    uint64_t since_ns; /* when it was accepted, or has had its latest answer; 0: its request is complete */
};

struct iw_live_http {
    const struct iw_live_source *source;
    struct http_link links[CONNECTIONS];
    int listener;
    uint16_t port;
    struct MHD_Daemon *daemon;
    const struct iw_check_report_form *inner; /* of the report, before iw_live_http_begin */
    void *inner_state;                        /* of `inner` */
    struct iw_check_report_form form;
    struct iw_live_table table;
    struct iw_live_page page;
    unsigned clients;
};

/* ---- requests ---- */

/* Scripts and styles only from the page's own files, none in the page itself; in no frame. */
static const char *const http_headers[][2] = {
    {"Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
};

/* Sends the response, and releases it. */
static enum MHD_Result http_send(
    struct MHD_Connection *connection, unsigned status, struct MHD_Response *response, const char *type) {
    enum MHD_Result result;

    if (response == NULL)
        return MHD_NO;
    for (size_t i = 0; i < sizeof http_headers / sizeof *http_headers; i++)
        MHD_add_response_header(response, http_headers[i][0], http_headers[i][1]);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, MHD_HTTP_METHOD_GET);
    result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result http_send_text(
    struct MHD_Connection *connection, unsigned status, const char *text, size_t octets, const char *type) {
    /* MHD_RESPMEM_PERSISTENT: the text is not changed or freed. */
    return http_send(connection, status,
        MHD_create_response_from_buffer(octets, (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT), type);
}

static enum MHD_Result http_refuse(struct MHD_Connection *connection, unsigned status, const char *text) {
    return http_send_text(connection, status, text, strlen(text), "text/plain; charset=utf-8");
}

/* A name of another site that leads to 127.0.0.1 has the site's name in Host. */
static bool http_is_for_us(const struct iw_live_http *http, struct MHD_Connection *connection) {
    static const char *const names[] = {"127.0.0.1", "localhost"};
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    char wanted[32];

    for (size_t i = 0; host != NULL && i < sizeof names / sizeof *names; i++) {
        snprintf(wanted, sizeof wanted, "%s:%u", names[i], http->port);
        if (strcmp(host, wanted) == 0)
            return true;
    }
    return false;
}

static const char *http_type(const char *name) {
    const char *end = strrchr(name, '.');

    return strcmp(end, ".css") == 0  ? "text/css; charset=utf-8"
           : strcmp(end, ".js") == 0 ? "text/javascript; charset=utf-8"
                                     : "text/html; charset=utf-8";
}

static enum MHD_Result http_send_file(struct MHD_Connection *connection, const char *name) {
    for (size_t i = 0; i < iw_live_page_file_count; i++) {
        const struct iw_builtin *file = &iw_live_page_files[i];

        if (strcmp(file->name, name) == 0)
            return http_send_text(connection, MHD_HTTP_OK, file->text, file->octets, http_type(name));
    }
    return http_refuse(connection, MHD_HTTP_NOT_FOUND, "no such page\n");
}

/* ---- connections ---- */

static void http_on_connection(
    void *user, struct MHD_Connection *connection, void **context, enum MHD_ConnectionNotificationCode code) {
    struct iw_live_http *http = user;
    struct http_link *link = *context;

    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (link != NULL)
            link->link = NULL;
        return;
    }
    for (size_t i = 0; i < CONNECTIONS && *context == NULL; i++)
        if (http->links[i].link == NULL) {
            http->links[i] = (struct http_link){.link = connection, .since_ns = iw_monotonic_ns()};
            *context = &http->links[i];
        }
}

static void http_set_since(struct MHD_Connection *connection, uint64_t since_ns) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct http_link *link = info != NULL ? info->socket_context : NULL;

    if (link != NULL)
        link->since_ns = since_ns;
}

static void http_on_completed(
    void *user, struct MHD_Connection *connection, void **request, enum MHD_RequestTerminationCode code) {
    (void)user;
    (void)request;
    (void)code;
    http_set_since(connection, iw_monotonic_ns());
}

/* The idle timeout does not end a client that sends an octet now and then. */
static void http_end_slow_requests(struct iw_live_http *http) {
    uint64_t now_ns = iw_monotonic_ns();

    for (size_t i = 0; i < CONNECTIONS; i++) {
        const struct http_link *link = &http->links[i];

        if (link->link != NULL && link->since_ns != 0 &&
            now_ns - link->since_ns >= REQUEST_SECONDS * UINT64_C(1000000000))
            shutdown(MHD_get_connection_info(link->link, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd,
                SHUT_RDWR);
    }
}

/* ---- events ---- */

static void http_client_next(struct http_client *client) {
    client->message = iw_live_page_next(&client->http->page, &client->reader);
    client->length = client->message != NULL ? strlen(client->message) : 0;
    client->sent = 0;
}

/* Gives the next octets of the events; 0: no octets at present. */
static ssize_t http_client_read(void *user, uint64_t position, char *octets, size_t most) {
    struct http_client *client = user;
    size_t count;

    (void)position;
    if (client->message == NULL)
        http_client_next(client);
    if (client->message == NULL)
        return client->http->page.over ? MHD_CONTENT_READER_END_OF_STREAM : 0;
    count = client->length - client->sent < most ? client->length - client->sent : most;
    memcpy(octets, client->message + client->sent, count);
    client->sent += count;
    if (client->sent == client->length) {
        free(client->message);
        client->message = NULL;
    }
    return (ssize_t)count;
}

static void http_client_free(void *user) {
    struct http_client *client = user;

    client->http->clients--;
    free(client->message);
    free(client);
}

static enum MHD_Result http_send_events(struct iw_live_http *http, struct MHD_Connection *connection) {
    struct MHD_Response *response;
    struct http_client *client;

    if (http->clients >= IW_LIVE_HTTP_CLIENTS)
        return http_refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "too many pages are open\n");
    client = calloc(1, sizeof *client);
    if (client == NULL)
        return MHD_NO;
    client->http = http;
    http->clients++;
    response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, BLOCK_OCTETS, http_client_read, client, http_client_free);
    if (response == NULL)
        http_client_free(client);
    return http_send(connection, MHD_HTTP_OK, response, "text/event-stream");
}

static enum MHD_Result http_answer(void *user, struct MHD_Connection *connection, const char *url,
    const char *method, const char *version, const char *upload, size_t *upload_octets, void **request) {
    struct iw_live_http *http = user;

    (void)version;
    (void)upload;
    if (!http_is_for_us(http, connection))
        return http_refuse(connection, MHD_HTTP_FORBIDDEN, "wrong Host\n");
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0)
        return http_refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
    if (*request == NULL || *upload_octets > 0) { /* the connection stays open if the answer comes after it */
        *request = http;
        *upload_octets = 0;
        return MHD_YES;
    }
    http_set_since(connection, 0);
    if (strcmp(url, "/events") == 0)
        return http_send_events(http, connection);
    if (strcmp(url, "/favicon.ico") == 0)
        return http_send_text(connection, MHD_HTTP_NO_CONTENT, "", 0, "image/x-icon");
    return http_send_file(connection, strcmp(url, "/") == 0 ? "watch.html" : url + 1);
}

/* ---- the form ---- */

/* The inner form finds its own state in the report. */
#define HTTP_INNER(report, http, call)                                                                       \
    do {                                                                                                     \
        (report)->state = (http)->inner_state;                                                               \
        call;                                                                                                \
        (http)->inner_state = (report)->state;                                                               \
        (report)->state = (http);                                                                            \
    } while (0)

static void http_file_begin(struct iw_check_report *report) {
    struct iw_live_http *http = report->state;

    if (http->inner->file_begin)
        HTTP_INNER(report, http, http->inner->file_begin(report));
}

static void http_event(
    struct iw_check_report *report, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    struct iw_live_http *http = report->state;

    iw_live_table_event(&http->table, stream, event);
    iw_live_page_event(&http->page, stream, event);
    if (http->inner->event && (event->finding_count > 0 || !http->inner->findings_only))
        HTTP_INNER(report, http, http->inner->event(report, stream, event));
}

static void http_connection(struct iw_check_report *report, const struct iw_check_connection *connection) {
    struct iw_live_http *http = report->state;

    iw_live_table_connection(&http->table, report, connection);
    http->page.changed = true;
    if (http->inner->connection)
        HTTP_INNER(report, http, http->inner->connection(report, connection));
}

static void http_drop(struct iw_check_report *report, struct iw_check_stream *stream) {
    struct iw_live_http *http = report->state;

    iw_live_table_drop(&http->table, stream);
    http->page.changed = true;
}

static void http_file_end(struct iw_check_report *report, const struct iw_check_counts *counts) {
    struct iw_live_http *http = report->state;

    if (http->inner->file_end)
        HTTP_INNER(report, http, http->inner->file_end(report, counts));
}

static void http_update(struct iw_live_http *http, const struct iw_check_report *report) {
    const struct iw_live_counts counts = iw_live_source_counts(http->source);

    iw_live_table_tick(&http->table, report, &counts, iw_monotonic_ns());
    if (http->clients > 0)
        iw_live_page_update(&http->page);
}

static void http_tick(struct iw_check_report *report) {
    struct iw_live_http *http = report->state;

    http_update(http, report);
    http_end_slow_requests(http);
    for (int i = 0; i < STEPS; i++)
        MHD_run(http->daemon);
    if (http->inner->tick)
        HTTP_INNER(report, http, http->inner->tick(report));
}

/* The pages get the end, if they read it within a second. */
static void http_end(struct iw_check_report *report, enum iw_exit exit) {
    struct iw_live_http *http = report->state;

    http->page.over = http->page.changed = true;
    http->table.now_ns = 0; /* the counts of the end, not those of a second before */
    http_update(http, report);
    for (int i = 0; i < LAST_STEPS && http->clients > 0; i++)
        MHD_run_wait(http->daemon, LAST_STEP_MS);
    if (http->inner->end)
        HTTP_INNER(report, http, http->inner->end(report, exit));
}

/* ---- begin and end ---- */

bool iw_live_http_built(void) {
    return true;
}

static bool http_listen(struct iw_live_http *http, uint16_t port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int yes = 1;

    http->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (http->listener < 0 || setsockopt(http->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(http->listener, (struct sockaddr *)&address, length) != 0 ||
        listen(http->listener, IW_LIVE_HTTP_CLIENTS) != 0 ||
        getsockname(http->listener, (struct sockaddr *)&address, &length) != 0)
        return false;
    http->port = ntohs(address.sin_port);
    return true;
}

struct iw_live_http *iw_live_http_open(uint16_t port, const struct iw_live_source *source, char *text) {
    struct iw_live_http *http = calloc(1, sizeof *http);

    if (http == NULL) {
        snprintf(text, IW_LIVE_HTTP_TEXT_OCTETS, "out of memory");
        return NULL;
    }
    http->source = source;
    iw_live_table_init(&http->table);
    if (http_listen(http, port))
        return http;
    snprintf(text, IW_LIVE_HTTP_TEXT_OCTETS, "127.0.0.1:%u: %s", port, strerror(errno));
    iw_live_http_close(http);
    return NULL;
}

uint16_t iw_live_http_port(const struct iw_live_http *http) {
    return http->port;
}

bool iw_live_http_begin(struct iw_live_http *http, struct iw_check_report *report) {
    http->daemon = MHD_start_daemon(MHD_NO_FLAG, 0, NULL, NULL, http_answer, http, MHD_OPTION_LISTEN_SOCKET,
        http->listener, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_SECONDS, MHD_OPTION_NOTIFY_CONNECTION, http_on_connection, http,
        MHD_OPTION_NOTIFY_COMPLETED, http_on_completed, http, MHD_OPTION_END);
    if (http->daemon == NULL)
        return false;
    iw_live_page_init(&http->page, &http->table, report->stricter);
    http->inner = report->form;
    http->inner_state = report->state;
    http->form = (struct iw_check_report_form){.whole = report->form->whole,
        .log = report->form->log,
        .file_begin = http_file_begin,
        .event = http_event,
        .connection = http_connection,
        .file_end = http_file_end,
        .drop = http_drop,
        .tick = http_tick,
        .end = http_end};
    report->form = &http->form;
    report->state = http;
    return true;
}

void iw_live_http_close(struct iw_live_http *http) {
    if (http == NULL)
        return;
    if (http->daemon != NULL)
        MHD_stop_daemon(http->daemon); /* and closes the listener */
    else if (http->listener >= 0)
        close(http->listener);
    iw_live_page_dispose(&http->page);
    iw_live_table_dispose(&http->table);
    free(http);
}
