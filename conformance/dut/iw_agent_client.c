#include "iw_agent_client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_agent.h"
#include "iw_agent_lines.h"

enum { HELLO_ID = 1 };

static const char no_memory[] = "out of memory";

struct iw_agent_client {
    struct iw_agent_client_config config;
    struct iw_port *port;
    struct iw_tls *tls; /* NULL: no TLS */
    struct iw_agent_lines lines;
    bool greeted;      /* hello is sent */
    uint64_t requests; /* the last id */
    unsigned unanswered;
    bool ready;
    bool over;
    bool *freed; /* while a handler runs: iw_agent_client_free sets `*freed` to true; otherwise NULL */
};

static void client_end(struct iw_agent_client *client, const char *text) {
    if (client->over)
        return;
    client->over = true;
    client->config.handlers.failed(client->config.user, text);
}

/* Always returns false, which callers return to stop reading. */
static bool client_fail(struct iw_agent_client *client, const char *what) {
    char text[512];

    snprintf(text, sizeof text, "agent %s:%u: %s", client->config.host, client->config.port, what);
    client_end(client, text);
    return false;
}

/* ---- lines from the agent ---- */

static bool client_hello(struct iw_agent_client *client, const json_t *answer) {
    const json_t *error = json_object_get(answer, "error");
    const char *text = json_string_value(json_object_get(error, "text"));

    if (error)
        return client_fail(client, text ? text : "rejects the session");
    if (json_integer_value(json_object_get(answer, "version")) != IW_AGENT_VERSION)
        return client_fail(client, "uses a different version of the protocol");
    client->ready = true;
    client->unanswered--;
    client->config.handlers.ready(client->config.user, answer);
    return true;
}

static bool client_answer(struct iw_agent_client *client, const json_t *answer) {
    const json_t *number = json_object_get(answer, "id");
    json_int_t id = json_integer_value(number);

    if (client->ready ? id <= HELLO_ID : id != HELLO_ID && !json_is_null(number))
        return client_fail(client, "sends an unsolicited answer");
    if (!client->ready)
        return client_hello(client, answer);
    if (client->unanswered == 0 || (uint64_t)id > client->requests)
        return client_fail(client, "sends an unsolicited answer");
    client->unanswered--;
    client->config.handlers.answered(client->config.user, (uint64_t)id, answer);
    return true;
}

static bool client_line(void *user, const json_t *value, const char *error) {
    struct iw_agent_client *client = user;
    bool freed = false, more = true;

    if (!json_is_object(value))
        return client_fail(client, value ? "sends a line that is not a JSON object" : error);
    client->freed = &freed;
    if (!json_object_get(value, "event"))
        more = client_answer(client, value);
    else if (client->ready)
        client->config.handlers.event(client->config.user, value);
    if (freed)
        return false;
    client->freed = NULL;
    return more && !client->over;
}

/* ---- TCP ---- */

/* Passes what TLS has encrypted to TCP. */
static bool client_flush(struct iw_agent_client *client) {
    uint8_t octets[4096];
    size_t length;

    while ((length = iw_tls_output(client->tls, octets, sizeof octets)) > 0)
        if (iw_port_write(client->port, octets, length) != IW_OK)
            return false;
    return true;
}

static bool client_write(struct iw_agent_client *client, const char *line, size_t length) {
    const uint8_t *octets = (const uint8_t *)line;

    if (!client->tls)
        return iw_port_write(client->port, octets, length) == IW_OK;
    return iw_tls_write(client->tls, octets, length) && client_flush(client);
}

static bool client_say_hello(struct iw_agent_client *client) {
    json_t *hello = json_pack("{sssi}", "op", "hello", "version", IW_AGENT_VERSION);

    if (client->config.token)
        json_object_set_new(hello, "token", json_string(client->config.token));
    client->greeted = true;
    return iw_agent_client_request(client, hello) > 0 || client_fail(client, no_memory);
}

/* Returns false if the client is over, or no longer exists: a handler may have freed it. */
static bool client_take_lines(struct iw_agent_client *client, const uint8_t *octets, size_t length) {
    switch (iw_agent_lines_feed(&client->lines, octets, length, client_line, client)) {
    case IW_AGENT_FEED_TOO_LONG:
        return client_fail(client, "a line is too long");
    case IW_AGENT_FEED_NO_MEMORY:
        return client_fail(client, no_memory);
    case IW_AGENT_FEED_STOPPED:
        return false;
    default:
        return true;
    }
}

/* Takes at most one record. Returns whether there may be more; otherwise `client` may no longer exist. */
static bool client_read_record(struct iw_agent_client *client) {
    uint8_t octets[IW_TLS_RECORD_OCTETS];
    int length = iw_tls_read(client->tls, octets, sizeof octets);

    if (!client_flush(client))
        return client_fail(client, no_memory);
    if (length < 0)
        return client_fail(client, iw_tls_error(client->tls));
    if (iw_tls_established(client->tls) && !client->greeted && !client_say_hello(client))
        return false;
    return length > 0 && client_take_lines(client, octets, (size_t)length);
}

static void client_read_tls(struct iw_agent_client *client) {
    while (client_read_record(client))
        ;
}

static void client_connected(void *user) {
    struct iw_agent_client *client = user;

    if (client->tls)
        client_read_tls(client);
    else
        client_say_hello(client);
}

static void client_received(void *user, const uint8_t *octets, size_t length) {
    struct iw_agent_client *client = user;

    if (client->over)
        return;
    if (!client->tls)
        client_take_lines(client, octets, length);
    else if (iw_tls_feed(client->tls, octets, length))
        client_read_tls(client);
    else
        client_fail(client, no_memory);
}

static void client_ended(void *user, enum iw_port_end how, const char *text) {
    struct iw_agent_client *client = user;
    char whole[512];

    if (how == IW_PORT_FIN) {
        client_fail(client, !client->ready && !client->tls
                                ? "has ended the session: does it need TLS (--tls-psk, --tls)?"
                                : "has ended the session");
        return;
    }
    snprintf(whole, sizeof whole, "agent %s", text);
    client_end(client, whole);
}

/* ---- start, requests, end ---- */

struct iw_agent_client *iw_agent_client_new(const struct iw_agent_client_config *config, char *text) {
    static const struct iw_port_handlers handlers = {
        .connected = client_connected, .received = client_received, .ended = client_ended};
    struct iw_agent_client *client = calloc(1, sizeof *client);

    text[0] = '\0';
    if (!client)
        return NULL;
    client->config = *config;
    client->tls = config->tls ? iw_tls_new(config->tls, config->host) : NULL;
    if (client->tls || !config->tls)
        client->port = iw_port_connect(config->loop, config->host, config->port, &handlers, client, text);
    if (client->port)
        return client;
    iw_tls_free(client->tls);
    free(client);
    return NULL;
}

void iw_agent_client_free(struct iw_agent_client *client) {
    if (!client)
        return;
    if (client->freed)
        *client->freed = true;
    iw_port_free(client->port);
    iw_tls_free(client->tls);
    iw_agent_lines_dispose(&client->lines);
    free(client);
}

uint64_t iw_agent_client_request(struct iw_agent_client *client, json_t *request) {
    size_t length;
    char *line;
    bool written;

    if (client->over || client->unanswered == IW_AGENT_REQUESTS_MAX) {
        json_decref(request);
        return 0;
    }
    json_object_set_new(request, "id", json_integer((json_int_t)client->requests + 1));
    line = iw_agent_lines_text(request, &length);
    written = line && client_write(client, line, length);
    free(line);
    if (!written)
        return 0;
    client->unanswered++;
    return ++client->requests;
}

/* Writes an IPv6 address without brackets. */
void iw_agent_client_own_host(const struct iw_agent_client *client, char host[64]) {
    char name[64];
    size_t bracket, length;

    iw_port_name(&iw_port_addresses(client->port)[iw_port_side(client->port)], name);
    bracket = name[0] == '[';
    length = (size_t)(strrchr(name, ':') - name) - 2 * bracket;
    snprintf(host, 64, "%.*s", (int)length, name + bracket);
}
