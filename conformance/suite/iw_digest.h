#ifndef IW_DIGEST_H
#define IW_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "iw_hash.h"

/* SHA-256 over named texts: for each, the line "NAME OCTETS" and then its octets. Two programs with the
 * same cases have the same digest. */

enum { IW_DIGEST_OCTETS = 65 }; /* of the hexadecimal text with its NUL */

struct iw_digest {
    struct iw_hasher hasher;
    bool failed;
};

/* Starts the SHA-256 of named texts and files. */
void iw_digest_begin(struct iw_digest *digest);
/* Adds `octets` octets of `text` under `name`. */
void iw_digest_text(struct iw_digest *digest, const char *name, const char *text, size_t octets);
/* Adds the file at `path` under its base name. */
void iw_digest_file(struct iw_digest *digest, const char *path);
/* Writes the hexadecimal text. Returns false, and writes "", if a file could not be read or the hash
 * library failed. */
bool iw_digest_end(struct iw_digest *digest, char text[IW_DIGEST_OCTETS]);

#endif
