#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "iw_hash.h"

/* SHA-256 of a sequence of named texts. Each text is hashed as a line "NAME OCTETS" followed by its octets.
 * Two programs with the same cases have the same digest. */

enum { IW_DIGEST_OCTETS = 65 }; /* 64 hexadecimal digits and NUL */

struct iw_digest {
    struct iw_hasher hasher;
    bool failed;
};

void iw_digest_begin(struct iw_digest *digest);
/* Adds `text`, which has `octets` octets, with the name `name`. */
void iw_digest_text(struct iw_digest *digest, const char *name, const char *text, size_t octets);
/* Adds the file at `path` under its base name. iw_digest_end reports errors. */
void iw_digest_file(struct iw_digest *digest, const char *path);
/* Writes the digest in hexadecimal; "", and returns false, if a file was unreadable or hashing failed. */
bool iw_digest_end(struct iw_digest *digest, char text[IW_DIGEST_OCTETS]);
