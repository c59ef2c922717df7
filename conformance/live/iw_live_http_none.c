#include "iw_live_http.h"

#include <stdio.h>

/* A build without libmicrohttpd. */

bool iw_live_http_built(void) {
    return false;
}

struct iw_live_http *iw_live_http_open(uint16_t port, const struct iw_live_source *source, char *text) {
    (void)port;
    (void)source;
    snprintf(text, IW_LIVE_HTTP_TEXT_OCTETS, "this build has no web server (WARPCHECK_HTTP)");
    return NULL;
}

uint16_t iw_live_http_port(const struct iw_live_http *http) {
    (void)http;
    return 0;
}

bool iw_live_http_begin(struct iw_live_http *http, struct iw_check_report *report) {
    (void)http;
    (void)report;
    return false;
}

void iw_live_http_close(struct iw_live_http *http) {
    (void)http;
}
