#pragma once

#include "iw_check_report.h"
#include "iw_live_source.h"

/* A web server on loopback with a page that shows a watch: its connections, findings as they come, and the
 * report of each connection that has ended.
 *
 * It runs at the ticks of the report, on the same thread, and never waits for a client: a client that does
 * not read misses intermediate states, and is disconnected after a while. It answers only GET, and only with
 * "localhost" or "127.0.0.1" and its port in Host: a page of another site whose name leads to 127.0.0.1 gets
 * nothing (DNS rebinding). */

struct iw_live_http;

enum {
    IW_LIVE_HTTP_CLIENTS = 16, /* pages that get events; another one gets 503 */
    IW_LIVE_HTTP_TEXT_OCTETS = 256,
};

/* Whether this build has the server. */
bool iw_live_http_built(void);

/* Listens on 127.0.0.1; port 0: any. On failure returns NULL with one line in `text`, of
 * IW_LIVE_HTTP_TEXT_OCTETS octets. */
struct iw_live_http *iw_live_http_open(uint16_t port, const struct iw_live_source *source, char *text);

uint16_t iw_live_http_port(const struct iw_live_http *http);

/* Begins to serve what `report` says from now on: wraps its form, which must not be jsonl. Call it after
 * iw_confine_enter. Returns false if it cannot. */
bool iw_live_http_begin(struct iw_live_http *http, struct iw_check_report *report);

/* NULL is allowed. */
void iw_live_http_close(struct iw_live_http *http);
