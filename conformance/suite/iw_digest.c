#include "iw_digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_text.h"

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

/* The contents of the file, which the caller frees. NULL if it cannot be read. */
static char *read_contents(const char *path, size_t *octets) {
    FILE *file = fopen(path, "rb");
    char piece[4096], *text = NULL;
    struct iw_text whole = {0};
    size_t got;

    if (file && iw_text_open(&whole)) {
        while ((got = fread(piece, 1, sizeof piece, file)) > 0)
            fwrite(piece, 1, got, whole.out);
        if (iw_text_flush(&whole) && !ferror(file)) {
            *octets = whole.length;
            text = iw_text_close(&whole);
        } else {
            free(iw_text_close(&whole));
        }
    }
    if (file)
        fclose(file);
    return text;
}

void iw_digest_file(struct iw_digest *digest, const char *path) {
    const char *slash = strrchr(path, '/');
    size_t octets = 0;
    char *text = read_contents(path, &octets);

    if (text)
        iw_digest_text(digest, slash ? slash + 1 : path, text, octets);
    else
        digest->failed = true;
    free(text);
}

bool iw_digest_end(struct iw_digest *digest, char text[IW_DIGEST_OCTETS]) {
    uint8_t value[IW_HASH_OCTETS_MAX];
    bool done = iw_hasher_end(&digest->hasher, value) && !digest->failed;

    text[0] = '\0';
    for (size_t i = 0; done && 2 * i + 1 < IW_DIGEST_OCTETS; i++)
        snprintf(text + 2 * i, 3, "%02x", value[i]);
    return done;
}
