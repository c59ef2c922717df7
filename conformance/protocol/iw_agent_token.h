#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "iw_status.h"

/* The token: a secret that `hello` must contain if other hosts can reach the agent. */

enum { IW_AGENT_TOKEN_MAX = 256 };

/* Reads the first line of the file and strips the blanks around it. Returns IW_ERR_IO, or IW_ERR_FORMAT
 * unless the token has 1 to 255 octets, with one line in `error`. */
enum iw_status iw_agent_token_read(
    const char *path, char token[IW_AGENT_TOKEN_MAX], char *error, size_t error_octets);

/* Compares in constant time. `given` may be NULL. */
bool iw_agent_token_equal(const char *token, const char *given);

/* What an agent that listens on `host` lacks, as words of options: it must know its clients if other hosts
 * can reach it, and must not talk to them in the clear unless `insecure`. NULL: nothing. */
const char *iw_agent_lacks(const char *host, bool knows_client, bool encrypted, bool insecure);

/* Whether the address is a loopback address, which needs no token. */
bool iw_agent_is_loopback(const char *host);
