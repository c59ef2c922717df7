#pragma once

#include <openssl/ssl.h>

#include "iw_tls.h"

/* Shared by the parts of iw_tls. */

enum { IW_TLS_KEY_MAX = 64 }; /* octets */

struct iw_tls_context {
    SSL_CTX *ssl;
    enum iw_tls_side side;
    unsigned char key[IW_TLS_KEY_MAX];
    size_t key_octets; /* 0: certificates */
};
