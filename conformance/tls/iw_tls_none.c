#include <stdio.h>

#include "iw_tls.h"

/* In place of iw_tls in a warpcheck-agent without OpenSSL: no context can be created, so that no connection
 * is ever made. */

bool iw_tls_wanted(const struct iw_tls_files *files) {
    return files->enabled || files->cert || files->key || files->ca || files->psk;
}

bool iw_tls_knows_client(const struct iw_tls_files *files) {
    return files->psk || files->ca;
}

struct iw_tls_context *iw_tls_context_new(
    const struct iw_tls_files *files, enum iw_tls_side side, char *error, size_t error_octets) {
    (void)files;
    (void)side;
    snprintf(error, error_octets, "this program was built without TLS");
    return NULL;
}

void iw_tls_context_free(struct iw_tls_context *context) {
    (void)context;
}

struct iw_tls *iw_tls_new(const struct iw_tls_context *context, const char *host) {
    (void)context;
    (void)host;
    return NULL;
}

void iw_tls_free(struct iw_tls *tls) {
    (void)tls;
}

bool iw_tls_feed(struct iw_tls *tls, const uint8_t *octets, size_t length) {
    (void)tls;
    (void)octets;
    (void)length;
    return false;
}

int iw_tls_read(struct iw_tls *tls, uint8_t *octets, size_t size) {
    (void)tls;
    (void)octets;
    (void)size;
    return -1;
}

bool iw_tls_established(const struct iw_tls *tls) {
    (void)tls;
    return false;
}

bool iw_tls_write(struct iw_tls *tls, const uint8_t *octets, size_t length) {
    (void)tls;
    (void)octets;
    (void)length;
    return false;
}

size_t iw_tls_output(struct iw_tls *tls, uint8_t *octets, size_t size) {
    (void)tls;
    (void)octets;
    (void)size;
    return 0;
}

const char *iw_tls_error(const struct iw_tls *tls) {
    (void)tls;
    return "no TLS";
}
