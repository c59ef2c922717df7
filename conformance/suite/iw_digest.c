#include "iw_digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void iw_digest_begin(struct iw_digest *digest) {
    digest->failed = !iw_hasher_begin(&digest->hasher, IW_HASH_SHA256);
}

static void digest_add(struct iw_digest *digest, const void *octets, size_t count) {
    if (!digest->failed && !iw_hasher_update(&digest->hasher, octets, count))
        digest->failed = true;
}

void iw_digest_text(struct iw_digest *digest, const char *name, const char *text, size_t octets) {
    char head[320];
    size_t length = (size_t)snprintf(head, sizeof head, "%.280s %zu\n", name, octets);

    digest_add(digest, head, length);
    digest_add(digest, text, octets);
}

void iw_digest_file(struct iw_digest *digest, const char *path) {
    const char *slash = strrchr(path, '/');
    FILE *file = fopen(path, "rb");
    struct stat status;
    char *text = file && fstat(fileno(file), &status) == 0 ? malloc((size_t)status.st_size + 1) : NULL;
    size_t octets = text ? fread(text, 1, (size_t)status.st_size + 1, file) : 0;

    if (text && octets == (size_t)status.st_size && !ferror(file))
        iw_digest_text(digest, slash ? slash + 1 : path, text, octets);
    else
        digest->failed = true;
    free(text);
    if (file)
        fclose(file);
}

bool iw_digest_end(struct iw_digest *digest, char text[IW_DIGEST_OCTETS]) {
    uint8_t value[IW_HASH_OCTETS_MAX];
    bool done = iw_hasher_end(&digest->hasher, value) && !digest->failed;

    text[0] = '\0';
    for (size_t i = 0; done && 2 * i + 1 < IW_DIGEST_OCTETS; i++)
        snprintf(text + 2 * i, 3, "%02x", value[i]);
    return done;
}
