#ifndef IW_AGENT_TOKEN_H
#define IW_AGENT_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

#include "iw_status.h"

/* The secret that a session with an agent begins with, where others than this host can reach the agent. */

enum { IW_AGENT_TOKEN_MAX = 256 };

/* Reads the first line of the file, without the blanks around it. IW_ERR_IO or IW_ERR_FORMAT with one line in
 * `error` if there is none of 1 to 255 octets. */
enum iw_status iw_agent_token_read(
    const char *path, char token[IW_AGENT_TOKEN_MAX], char *error, size_t error_octets);

/* In a time that does not tell where they differ. `given` may be NULL. */
bool iw_agent_token_equal(const char *token, const char *given);

/* Whether only this host can reach a listener at that address: it needs no token. */
bool iw_agent_is_loopback(const char *host);

#endif
