#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* TLS 1.3 (RFC 8446) for the agent's TCP connections, without the sockets: iw_tls_feed takes what TCP has
 * received, iw_tls_output returns what TCP has to send. The sides prove who they are by certificates or a
 * pre-shared key. */

struct iw_tls_files {
    bool enabled;     /* for a client that has no other member: the system's certificates decide */
    const char *cert; /* this side's certificate chain, PEM; NULL: none, which only a client may have */
    const char *key;  /* its private key, PEM */
    const char *ca;   /* the certificates that the peer's chain must end with, PEM. NULL: those of the system
                         for   a client; a server then accepts clients without a certificate */
    const char *psk;  /* file whose first line is a key of 32 to 128 hexadecimal digits; excludes the above */
};

enum iw_tls_side { IW_TLS_CLIENT, IW_TLS_SERVER };

enum {
    IW_TLS_RECORD_OCTETS = 16384, /* the most that one iw_tls_read returns, with a buffer of that size */
    IW_TLS_TEXT_OCTETS = 256,
};

/* Whether any member asks for TLS. */
bool iw_tls_wanted(const struct iw_tls_files *files);

/* Whether a server with these files knows each client: by the key, or by its certificate. */
bool iw_tls_knows_client(const struct iw_tls_files *files);

struct iw_tls_context;

/* Reads the files. Returns NULL with one line in `error` on failure. */
struct iw_tls_context *iw_tls_context_new(
    const struct iw_tls_files *files, enum iw_tls_side side, char *error, size_t error_octets);
void iw_tls_context_free(struct iw_tls_context *context); /* NULL is allowed */

struct iw_tls;

/* A connection. `host`: name or address that the certificate of the server must have; NULL on the server. The
 * context must outlive it. Returns NULL if memory runs out. */
struct iw_tls *iw_tls_new(const struct iw_tls_context *context, const char *host);
void iw_tls_free(struct iw_tls *tls); /* NULL is allowed */

/* Adds octets from TCP. Returns false if memory runs out. */
bool iw_tls_feed(struct iw_tls *tls, const uint8_t *octets, size_t length);

/* Continues the handshake and decrypts: call it first on a client, and after iw_tls_feed until it returns 0.
 * Returns the number of octets stored, 0 if more octets of TCP are needed, -1 if the connection cannot
 * continue; iw_tls_error says why. An alert may then be in iw_tls_output. */
int iw_tls_read(struct iw_tls *tls, uint8_t *octets, size_t size);

/* Whether the handshake is complete and the peer has proved who it is: iw_tls_write is then allowed. */
bool iw_tls_established(const struct iw_tls *tls);

/* Encrypts. Returns false if memory runs out or the connection is broken. */
bool iw_tls_write(struct iw_tls *tls, const uint8_t *octets, size_t length);

/* Moves octets for TCP into `octets`, and returns how many; 0: all have been taken. */
size_t iw_tls_output(struct iw_tls *tls, uint8_t *octets, size_t size);

/* Why iw_tls_read has returned -1, such as "TLS: certificate verify failed: self-signed certificate". */
const char *iw_tls_error(const struct iw_tls *tls);
