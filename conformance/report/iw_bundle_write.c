#include "iw_bundle.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file of the bundle before it is written. */
struct content {
    char name[IW_BUNDLE_NAME_MAX + 1];
    char *octets;
    size_t count;
};

struct writing {
    const struct iw_outcome_run *run;
    FILE *complaints;
    struct content *contents;
    size_t count, capacity;
    uint64_t total;
};

static enum iw_status complain(const struct writing *writing, const char *what, const char *why) {
    fprintf(writing->complaints, "%s: %s\n", what, why);
    return IW_ERR_FORMAT;
}

/* Takes the octets, also if it fails. */
static enum iw_status add(struct writing *writing, const char *name, char *octets, size_t count) {
    size_t capacity = writing->capacity > 0 ? 2 * writing->capacity : 64;
    struct content *contents = writing->contents;

    if (octets != NULL && writing->count == writing->capacity) {
        contents = realloc(contents, capacity * sizeof *contents);
        if (contents != NULL) {
            writing->contents = contents;
            writing->capacity = capacity;
        }
    }
    if (octets == NULL || contents == NULL) {
        free(octets);
        fputs("out of memory\n", writing->complaints);
        return IW_ERR_NOMEM;
    }
    contents[writing->count] = (struct content){.octets = octets, .count = count};
    snprintf(contents[writing->count++].name, IW_BUNDLE_NAME_MAX + 1, "%s", name);
    writing->total += count;
    return writing->total <= IW_BUNDLE_OCTETS_MAX
               ? IW_OK
               : complain(writing, writing->run->path, "too much for a bundle");
}

/* ---- what goes into it ---- */

static enum iw_status add_file(struct writing *writing, const char *name, const char *path) {
    FILE *in = path != NULL ? fopen(path, "rb") : NULL;
    char *octets = NULL, piece[65536];
    size_t count = 0, got;
    FILE *whole = in != NULL ? open_memstream(&octets, &count) : NULL;
    bool broken;

    if (in == NULL)
        return complain(writing, path != NULL ? path : name, path != NULL ? strerror(errno) : "not there");
    while (whole != NULL && (got = fread(piece, 1, sizeof piece, in)) > 0 &&
           ftell(whole) <= (long)IW_BUNDLE_MEMBER_OCTETS_MAX)
        fwrite(piece, 1, got, whole);
    broken = ferror(in) != 0;
    fclose(in);
    if (whole == NULL || fclose(whole) != 0 || broken || count > IW_BUNDLE_MEMBER_OCTETS_MAX) {
        free(octets);
        return complain(writing, path, broken ? "cannot be read" : "too much for a bundle");
    }
    return add(writing, name, octets, count);
}

static enum iw_status add_json(struct writing *writing, const char *name, const json_t *value) {
    char *text = json_dumps(value, JSON_INDENT(2) | JSON_SORT_KEYS);

    return add(writing, name, text, text != NULL ? strlen(text) : 0);
}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static enum iw_status add_evidence(struct writing *writing, const struct iw_outcome_case *one) {
    const char *const paths[] = {one->capture, one->log};
    enum iw_status status = IW_OK;

    if (iw_outcome_text(one->object, "file")[0] == '\0')
        return IW_OK;
    for (size_t i = 0; status == IW_OK && i < 2; i++) {
        if (paths[i] == NULL)
            return complain(writing, one->id, i == 0 ? "its capture is not there" : "its log is not there");
        if (!iw_bundle_is_name(last_part(paths[i])))
            return complain(writing, paths[i], "not a name for a file of a bundle");
        status = add_file(writing, last_part(paths[i]), paths[i]);
    }
    return status;
}

static enum iw_status add_suite(struct writing *writing) {
    const json_t *header = writing->run->header;
    json_t *suite;
    enum iw_status status;

    if (iw_outcome_text(header, "version")[0] == '\0' || iw_outcome_text(header, "catalogue")[0] == '\0')
        return complain(writing, writing->run->path, "does not say which suite it was (\"run\")");
    suite = json_pack("{s:O, s:O}", "version", json_object_get(header, "version"), "catalogue",
        json_object_get(header, "catalogue"));
    status = add_json(writing, iw_bundle_suite, suite);
    json_decref(suite);
    if (status == IW_OK && json_object_get(header, "profile") != NULL)
        status = add_json(writing, iw_bundle_profile, json_object_get(header, "profile"));
    return status;
}

static enum iw_status add_all(struct writing *writing) {
    const struct iw_outcome_run *run = writing->run;
    enum iw_status status = add_suite(writing);

    if (status == IW_OK)
        status = add_file(writing, iw_bundle_results, run->path);
    for (size_t i = 0; status == IW_OK && i < run->count; i++)
        status = add_evidence(writing, &run->cases[i]);
    return status;
}

static char *manifest_of(const struct writing *writing, size_t *octets) {
    char *text = NULL;
    FILE *out = open_memstream(&text, octets);
    bool good = out != NULL;

    if (out == NULL)
        return NULL;
    fprintf(out, "%s\n", iw_bundle_head);
    for (size_t i = 0; i < writing->count; i++) {
        const struct content *content = &writing->contents[i];
        char digest[IW_BUNDLE_DIGEST_OCTETS];
        uint8_t value[IW_HASH_OCTETS_MAX];

        good &= iw_hash_compute(IW_HASH_SHA256, (const uint8_t *)content->octets, content->count, value);
        iw_bundle_digest(value, digest);
        fprintf(out, "%s  %zu  %s\n", digest, content->count, content->name);
    }
    if (fclose(out) == 0 && good)
        return text;
    free(text);
    return NULL;
}

/* ---- the archive ---- */

static bool put(struct archive *archive, const char *name, const char *octets, size_t count) {
    struct archive_entry *entry = archive_entry_new();
    bool good = entry != NULL;

    if (entry != NULL) {
        archive_entry_set_pathname(entry, name);
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        archive_entry_set_size(entry, (la_int64_t)count);
        archive_entry_set_mtime(entry, 0, 0);
        good = archive_write_header(archive, entry) == ARCHIVE_OK &&
               archive_write_data(archive, octets, count) == (la_ssize_t)count;
    }
    archive_entry_free(entry);
    return good;
}

static bool ends_with(const char *text, const char *end) {
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

/* Neither times nor names of users: of the same files it is the same archive. */
static bool begin(struct archive *archive, const char *path) {
    bool good = archive_write_set_format_ustar(archive) == ARCHIVE_OK;

    if (ends_with(path, ".gz") || ends_with(path, ".tgz"))
        good = good && archive_write_add_filter_gzip(archive) == ARCHIVE_OK &&
               archive_write_set_options(archive, "gzip:!timestamp") == ARCHIVE_OK;
    return good && archive_write_set_bytes_in_last_block(archive, 1) == ARCHIVE_OK &&
           archive_write_open_filename(archive, path) == ARCHIVE_OK;
}

static enum iw_status write_archive(const struct writing *writing, const char *path) {
    struct archive *archive = archive_write_new();
    size_t octets = 0;
    char *manifest = manifest_of(writing, &octets);
    bool good = archive != NULL && manifest != NULL && begin(archive, path) &&
                put(archive, iw_bundle_manifest, manifest, octets);

    for (size_t i = 0; good && i < writing->count; i++)
        good =
            put(archive, writing->contents[i].name, writing->contents[i].octets, writing->contents[i].count);
    good = good && archive_write_close(archive) == ARCHIVE_OK;
    if (!good) {
        fprintf(writing->complaints, "%s: %s\n", path,
            archive != NULL && archive_error_string(archive) != NULL ? archive_error_string(archive)
                                                                     : "out of memory");
        unlink(path);
    }
    archive_write_free(archive);
    free(manifest);
    return good ? IW_OK : IW_ERR_IO;
}

enum iw_status iw_bundle_write(const char *path, const struct iw_outcome_run *run, FILE *complaints) {
    struct writing writing = {.run = run, .complaints = complaints};
    enum iw_status status = add_all(&writing);

    if (status == IW_OK)
        status = write_archive(&writing, path);
    for (size_t i = 0; i < writing.count; i++)
        free(writing.contents[i].octets);
    free(writing.contents);
    return status;
}
