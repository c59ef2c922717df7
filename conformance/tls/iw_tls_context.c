#include "iw_tls_context.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/x509err.h>

enum { KEY_LEAST = 16 }; /* octets: an attacker can try short keys against one recorded handshake */

/* Both sides know only one key, so its name is fixed. */
static const unsigned char psk_identity[] = "warpcheck";
static const unsigned char psk_cipher[] = {0x13, 0x01}; /* TLS_AES_128_GCM_SHA256 */

bool iw_tls_wanted(const struct iw_tls_files *files) {
    return files->enabled || files->cert || files->key || files->ca || files->psk;
}

bool iw_tls_knows_client(const struct iw_tls_files *files) {
    return files->psk || files->ca;
}

/* ---- the pre-shared key ---- */

static int psk_digit(char digit) {
    static const char digits[] = "0123456789abcdef";
    const char *at = strchr(digits, digit >= 'A' && digit <= 'F' ? digit - 'A' + 'a' : digit);

    return digit && at ? (int)(at - digits) : -1;
}

static bool psk_parse(const char *line, struct iw_tls_context *context) {
    size_t length = strcspn(line, "\r\n");

    if (length % 2 != 0 || length < 2 * KEY_LEAST || length > 2 * IW_TLS_KEY_MAX)
        return false;
    for (size_t i = 0; i < length; i += 2) {
        int high = psk_digit(line[i]), low = psk_digit(line[i + 1]);

        if (high < 0 || low < 0)
            return false;
        context->key[i / 2] = (unsigned char)(high << 4 | low);
    }
    context->key_octets = length / 2;
    return true;
}

static bool psk_load(const char *path, struct iw_tls_context *context, char *error, size_t error_octets) {
    char line[2 * IW_TLS_KEY_MAX + 4] = "";
    FILE *file = fopen(path, "r");
    bool valid;

    if (!file || (!fgets(line, sizeof line, file) && ferror(file))) {
        snprintf(error, error_octets, "%s: %s", path, strerror(errno));
        if (file)
            fclose(file);
        return false;
    }
    fclose(file);
    valid = psk_parse(line, context);
    OPENSSL_cleanse(line, sizeof line);
    if (!valid)
        snprintf(error, error_octets, "%s: its first line must be a key of %d to %d hexadecimal digits", path,
            2 * KEY_LEAST, 2 * IW_TLS_KEY_MAX);
    return valid;
}

/* The key as a session to resume, which is how TLS 1.3 takes it (RFC 8446 4.2.11). */
static SSL_SESSION *psk_session(SSL *ssl) {
    const struct iw_tls_context *context = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    const SSL_CIPHER *cipher = SSL_CIPHER_find(ssl, psk_cipher);
    SSL_SESSION *session = SSL_SESSION_new();

    if (session && cipher && SSL_SESSION_set1_master_key(session, context->key, context->key_octets) &&
        SSL_SESSION_set_cipher(session, cipher) && SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION))
        return session;
    SSL_SESSION_free(session);
    return NULL;
}

static int psk_find(SSL *ssl, const unsigned char *identity, size_t length, SSL_SESSION **session) {
    *session = NULL; /* without a key and a certificate, the handshake fails */
    if (length == sizeof psk_identity - 1 && memcmp(identity, psk_identity, length) == 0)
        *session = psk_session(ssl);
    return 1;
}

static int psk_use(
    SSL *ssl, const EVP_MD *hash, const unsigned char **identity, size_t *length, SSL_SESSION **session) {
    *identity = psk_identity;
    *length = sizeof psk_identity - 1;
    *session = hash && !EVP_MD_is_a(hash, "SHA256") ? NULL : psk_session(ssl);
    return 1;
}

static bool context_set_psk(
    struct iw_tls_context *context, const struct iw_tls_files *files, char *error, size_t error_octets) {
    if (!psk_load(files->psk, context, error, error_octets))
        return false;
    /* A server that has a certificate instead fails, as no certificate is trusted. */
    if (context->side == IW_TLS_CLIENT)
        SSL_CTX_set_verify(context->ssl, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_app_data(context->ssl, context);
    SSL_CTX_set_psk_find_session_callback(context->ssl, psk_find);
    SSL_CTX_set_psk_use_session_callback(context->ssl, psk_use);
    if (SSL_CTX_set_ciphersuites(context->ssl, "TLS_AES_128_GCM_SHA256") == 1)
        return true;
    snprintf(error, error_octets, "TLS_AES_128_GCM_SHA256 is not available");
    return false;
}

/* ---- certificates ---- */

/* Whether the file can be read: OpenSSL does not say why it cannot. */
static bool context_may_read(const char *path, char *error, size_t error_octets) {
    if (access(path, R_OK) == 0)
        return true;
    snprintf(error, error_octets, "%s: %s", path, strerror(errno));
    return false;
}

/* `content` is what the file should have. If OpenSSL only says that it is missing, this is said instead. */
static bool context_failed(const char *path, const char *content, char *error, size_t error_octets) {
    unsigned long code = ERR_peek_error();
    const char *reason = ERR_reason_error_string(code);
    int library = ERR_GET_LIB(code);

    if (!reason || library == ERR_LIB_PEM || library == ERR_LIB_OSSL_DECODER ||
        (library == ERR_LIB_X509 && ERR_GET_REASON(code) == X509_R_NO_CERTIFICATE_OR_CRL_FOUND))
        snprintf(error, error_octets, "%s: no %s in PEM", path, content);
    else
        snprintf(error, error_octets, "%s: %s", path, reason);
    ERR_clear_error();
    return false;
}

static bool context_set_ca(struct iw_tls_context *context, const char *ca, char *error, size_t error_octets) {
    bool client = context->side == IW_TLS_CLIENT;

    if (ca && !context_may_read(ca, error, error_octets))
        return false;
    if (ca && SSL_CTX_load_verify_locations(context->ssl, ca, NULL) != 1)
        return context_failed(ca, "certificate", error, error_octets);
    if (!ca && client && SSL_CTX_set_default_verify_paths(context->ssl) != 1)
        return context_failed("the system's certificates", "certificate", error, error_octets);
    if (ca || client)
        SSL_CTX_set_verify(context->ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    return true;
}

static bool context_set_certificates(
    struct iw_tls_context *context, const struct iw_tls_files *files, char *error, size_t error_octets) {
    if ((files->cert && !context_may_read(files->cert, error, error_octets)) ||
        (files->key && !context_may_read(files->key, error, error_octets)))
        return false;
    if (files->cert && SSL_CTX_use_certificate_chain_file(context->ssl, files->cert) != 1)
        return context_failed(files->cert, "certificate", error, error_octets);
    if (files->key && (SSL_CTX_use_PrivateKey_file(context->ssl, files->key, SSL_FILETYPE_PEM) != 1 ||
                          SSL_CTX_check_private_key(context->ssl) != 1))
        return context_failed(files->key, "private key", error, error_octets);
    return context_set_ca(context, files->ca, error, error_octets);
}

/* ---- the context ---- */

/* Why the files do not go together; NULL: they do. */
static const char *context_conflict(const struct iw_tls_files *files, enum iw_tls_side side) {
    if (files->psk && (files->cert || files->key || files->ca))
        return "a pre-shared key and certificates exclude each other";
    if (!files->cert != !files->key)
        return "a certificate and its private key go together";
    if (side == IW_TLS_SERVER && !files->cert && !files->psk)
        return "this side needs a certificate or a pre-shared key";
    return NULL;
}

static bool context_load(
    struct iw_tls_context *context, const struct iw_tls_files *files, char *error, size_t error_octets) {
    if (SSL_CTX_set_min_proto_version(context->ssl, TLS1_3_VERSION) != 1)
        return false;
    /* Each session authenticates itself: no tickets, and no session is resumed. */
    SSL_CTX_set_options(context->ssl, SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(context->ssl, 0);
    SSL_CTX_set_session_cache_mode(context->ssl, SSL_SESS_CACHE_OFF);
    return files->psk ? context_set_psk(context, files, error, error_octets)
                      : context_set_certificates(context, files, error, error_octets);
}

struct iw_tls_context *iw_tls_context_new(
    const struct iw_tls_files *files, enum iw_tls_side side, char *error, size_t error_octets) {
    struct iw_tls_context *context = calloc(1, sizeof *context);
    const char *conflict = context_conflict(files, side);

    ERR_clear_error();
    snprintf(error, error_octets, "%s", conflict ? conflict : "not enough memory");
    if (context && !conflict)
        context->ssl = SSL_CTX_new(side == IW_TLS_CLIENT ? TLS_client_method() : TLS_server_method());
    if (context && context->ssl) {
        context->side = side;
        if (context_load(context, files, error, error_octets))
            return context;
    }
    iw_tls_context_free(context);
    return NULL;
}

void iw_tls_context_free(struct iw_tls_context *context) {
    if (!context)
        return;
    SSL_CTX_free(context->ssl);
    OPENSSL_cleanse(context->key, sizeof context->key);
    free(context);
}
