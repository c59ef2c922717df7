#include "iw_tls.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "iw_tls_context.h"

struct iw_tls {
    const struct iw_tls_context *context;
    SSL *ssl;
    BIO *in, *out; /* owned by `ssl` */
    bool established;
    bool broken;
    char error[IW_TLS_TEXT_OCTETS];
};

/* The server's certificate must have this name, or this IP address. */
static bool tls_expect_host(SSL *ssl, const char *host) {
    X509_VERIFY_PARAM *param = SSL_get0_param(ssl);

    if (X509_VERIFY_PARAM_set1_ip_asc(param, host) == 1)
        return true;
    ERR_clear_error(); /* it is a name */
    X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return X509_VERIFY_PARAM_set1_host(param, host, 0) == 1 && SSL_set_tlsext_host_name(ssl, host) == 1;
}

static bool tls_open(struct iw_tls *tls, const char *host) {
    tls->ssl = SSL_new(tls->context->ssl);
    tls->in = BIO_new(BIO_s_mem());
    tls->out = BIO_new(BIO_s_mem());
    if (!tls->ssl || !tls->in || !tls->out) {
        BIO_free(tls->in);
        BIO_free(tls->out);
        return false;
    }
    BIO_set_mem_eof_return(tls->in, -1); /* an empty one waits for more octets */
    SSL_set_bio(tls->ssl, tls->in, tls->out);
    if (tls->context->side == IW_TLS_SERVER)
        SSL_set_accept_state(tls->ssl);
    else
        SSL_set_connect_state(tls->ssl);
    return !host || tls->context->key_octets > 0 || tls_expect_host(tls->ssl, host);
}

struct iw_tls *iw_tls_new(const struct iw_tls_context *context, const char *host) {
    struct iw_tls *tls = calloc(1, sizeof *tls);

    if (!tls)
        return NULL;
    tls->context = context;
    if (tls_open(tls, host))
        return tls;
    iw_tls_free(tls);
    return NULL;
}

void iw_tls_free(struct iw_tls *tls) {
    if (!tls)
        return;
    SSL_free(tls->ssl);
    free(tls);
}

bool iw_tls_feed(struct iw_tls *tls, const uint8_t *octets, size_t length) {
    return length <= INT_MAX && BIO_write(tls->in, octets, (int)length) == (int)length;
}

static int tls_break(struct iw_tls *tls, const char *what, const char *more) {
    snprintf(tls->error, sizeof tls->error, "TLS: %s%s%s", what, more ? ": " : "", more ? more : "");
    tls->broken = true;
    ERR_clear_error();
    return -1;
}

/* Whether the error is an alert from the peer, which OpenSSL names after SSL 3.0. */
static bool tls_is_alert(unsigned long error) {
    return ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) >= SSL_AD_REASON_OFFSET;
}

static const char *tls_rejection(const struct iw_tls *tls) {
    return tls->context->key_octets > 0
               ? "the peer rejects the pre-shared key"
               : "the peer rejects the handshake: it may need a pre-shared key or a certificate";
}

/* The outcome of a call that has not succeeded: 0 to wait for octets, or -1. */
static int tls_outcome(struct iw_tls *tls, int returned) {
    int kind = SSL_get_error(tls->ssl, returned);
    unsigned long error = ERR_peek_last_error();
    const char *reason = ERR_reason_error_string(error);
    long verified = SSL_get_verify_result(tls->ssl);

    if (kind == SSL_ERROR_WANT_READ)
        return 0;
    if (kind == SSL_ERROR_ZERO_RETURN)
        return tls_break(tls, "the peer has closed the connection", NULL);
    if (!tls->established && tls_is_alert(error))
        return tls_break(tls, tls_rejection(tls), reason);
    /* With a key, no certificate is trusted: what is wrong with this one does not matter. */
    if (verified != X509_V_OK && tls->context->key_octets > 0)
        return tls_break(tls, "the peer has a certificate, and does not use the pre-shared key", NULL);
    return tls_break(tls, reason ? reason : "connection broken",
        verified == X509_V_OK ? NULL : X509_verify_cert_error_string(verified));
}

/* A key is used only if the peer has chosen it: a server with a certificate must not go unverified. */
static int tls_shake_hands(struct iw_tls *tls) {
    int done = SSL_do_handshake(tls->ssl);

    if (done != 1)
        return tls_outcome(tls, done);
    if (tls->context->key_octets > 0 && !SSL_session_reused(tls->ssl))
        return tls_break(tls, "the peer has not used the pre-shared key", NULL);
    tls->established = true;
    return 1;
}

int iw_tls_read(struct iw_tls *tls, uint8_t *octets, size_t size) {
    int length;

    if (tls->broken)
        return -1;
    ERR_clear_error();
    if (!tls->established && (length = tls_shake_hands(tls)) <= 0)
        return length;
    length = SSL_read(tls->ssl, octets, size > INT_MAX ? INT_MAX : (int)size);
    return length > 0 ? length : tls_outcome(tls, length);
}

bool iw_tls_established(const struct iw_tls *tls) {
    return tls->established;
}

bool iw_tls_write(struct iw_tls *tls, const uint8_t *octets, size_t length) {
    size_t written;

    if (tls->broken || !tls->established)
        return false;
    ERR_clear_error();
    return length == 0 || SSL_write_ex(tls->ssl, octets, length, &written) == 1;
}

size_t iw_tls_output(struct iw_tls *tls, uint8_t *octets, size_t size) {
    int length = BIO_read(tls->out, octets, size > INT_MAX ? INT_MAX : (int)size);

    return length > 0 ? (size_t)length : 0;
}

const char *iw_tls_error(const struct iw_tls *tls) {
    return tls->error;
}
