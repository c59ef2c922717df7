#define _GNU_SOURCE /* basename */
#include "iw_bundle.h"
#include "iw_array.h"
#include "iw_file_name.h"
#include "iw_json_member.h"
#include "iw_whole_file.h"
#include "iw_text.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A file for the archive. Its content is `text` or, if NULL, the file at `path`. */
struct content {
    char name[IW_BUNDLE_NAME_MAX + 1];
    char *text;
    const char *path;
    uint64_t octets;
    char digest[IW_BUNDLE_DIGEST_OCTETS];
};

struct writing {
    const struct iw_outcome_run *run;
    struct archive *archive;
    FILE *diagnostics;
    struct content *contents;
    size_t count;
    uint64_t total;
};

static enum iw_status bundle_write_pack_fail(
    const struct writing *writing, enum iw_status status, const char *what, const char *why) {
    fprintf(writing->diagnostics, "%s: %s\n", what, why);
    return status;
}

static enum iw_status bundle_write_pack_error(
    const struct writing *writing, const char *what, const char *why) {
    return bundle_write_pack_fail(writing, IW_ERR_FORMAT, what, why);
}

static enum iw_status bundle_write_pack_no_memory(const struct writing *writing) {
    fputs("out of memory\n", writing->diagnostics);
    return IW_ERR_NOMEM;
}

/* Adds a file of this name, without content. Returns NULL if memory runs out. */
static struct content *bundle_write_pack_add(struct writing *writing, const char *name) {
    struct content *contents;

    if (!iw_array_grow(&writing->contents, writing->count, sizeof *contents))
        return NULL;
    contents = &writing->contents[writing->count++];
    *contents = (struct content){.octets = 0};
    snprintf(contents->name, sizeof contents->name, "%s", name);
    return contents;
}

/* Reads the file to its end, sets *octets and its digest, and writes it to `archive` unless NULL. Returns
 * false if reading or writing fails. */
static bool bundle_write_pack_read(
    struct archive *archive, const char *path, uint64_t *octets, char digest[IW_BUNDLE_DIGEST_OCTETS]) {
    static uint8_t piece[65536];
    FILE *in = fopen(path, "rb");
    uint8_t value[IW_HASH_OCTETS_MAX] = {0};
    struct iw_hasher hasher;
    bool good = in != NULL && iw_hasher_begin(&hasher, IW_HASH_SHA256);
    size_t got;

    *octets = 0;
    while (good && (got = fread(piece, 1, sizeof piece, in)) > 0) {
        *octets += got;
        good = iw_hasher_update(&hasher, piece, got) &&
               (archive == NULL || archive_write_data(archive, piece, got) == (la_ssize_t)got);
    }
    if (in != NULL && !iw_hasher_end(&hasher, value))
        good = false;
    iw_bundle_digest(value, digest);
    good = good && ferror(in) == 0;
    if (in != NULL)
        fclose(in);
    return good;
}

/* ---- files for the archive ---- */

static enum iw_status bundle_write_check_size(struct writing *writing, const struct content *content) {
    writing->total += content->octets;
    if (content->octets <= IW_BUNDLE_MEMBER_OCTETS_MAX && writing->total <= IW_BUNDLE_OCTETS_MAX &&
        writing->count < IW_BUNDLE_MEMBERS_MAX)
        return IW_OK;
    return bundle_write_pack_error(
        writing, content->path != NULL ? content->path : content->name, "too large for a bundle");
}

static enum iw_status bundle_write_pack_file(struct writing *writing, const char *name, const char *path) {
    struct content *content = bundle_write_pack_add(writing, name);

    if (content == NULL)
        return bundle_write_pack_no_memory(writing);
    content->path = path;
    errno = 0;
    if (!bundle_write_pack_read(NULL, path, &content->octets, content->digest))
        return bundle_write_pack_error(writing, path, errno != 0 ? strerror(errno) : "cannot be read");
    return bundle_write_check_size(writing, content);
}

static enum iw_status bundle_write_pack_json(struct writing *writing, const char *name, const json_t *value) {
    struct content *content = bundle_write_pack_add(writing, name);
    uint8_t digest[IW_HASH_OCTETS_MAX];

    if (content == NULL)
        return bundle_write_pack_no_memory(writing);
    content->text = json_dumps(value, JSON_INDENT(2) | JSON_SORT_KEYS);
    if (content->text == NULL)
        return bundle_write_pack_no_memory(writing);
    content->octets = strlen(content->text);
    if (!iw_hash_compute(IW_HASH_SHA256, (const uint8_t *)content->text, content->octets, digest))
        return bundle_write_pack_no_memory(writing);
    iw_bundle_digest(digest, content->digest);
    return bundle_write_check_size(writing, content);
}

static enum iw_status bundle_write_pack_evidence(struct writing *writing, const struct iw_outcome_case *one) {
    const char *const paths[] = {one->capture, one->log};
    enum iw_status status = IW_OK;

    if (iw_json_member_text(one->object, "file")[0] == '\0')
        return IW_OK;
    for (size_t i = 0; status == IW_OK && i < 2; i++) {
        if (paths[i] == NULL)
            return bundle_write_pack_error(writing, one->id,
                i == 0 ? "its capture is missing: merged results belong in a folder above those of the shards"
                       : "its log is missing");
        if (!iw_bundle_is_name(basename(paths[i])))
            return bundle_write_pack_error(writing, paths[i], "not a valid name in a bundle");
        status = bundle_write_pack_file(writing, basename(paths[i]), paths[i]);
    }
    return status;
}

static enum iw_status bundle_write_pack_suite(struct writing *writing) {
    const json_t *header = writing->run->header;
    json_t *suite;
    enum iw_status status;

    if (iw_json_member_text(header, "version")[0] == '\0' ||
        iw_json_member_text(header, "catalogue")[0] == '\0')
        return bundle_write_pack_error(writing, writing->run->path, "does not name its suite (\"run\")");
    suite = json_pack("{s:O, s:O}", "version", json_object_get(header, "version"), "catalogue",
        json_object_get(header, "catalogue"));
    status = bundle_write_pack_json(writing, IW_BUNDLE_SUITE, suite);
    json_decref(suite);
    if (status == IW_OK && json_object_get(header, "profile") != NULL)
        status = bundle_write_pack_json(writing, IW_BUNDLE_PROFILE, json_object_get(header, "profile"));
    return status;
}

static enum iw_status bundle_write_pack_all(struct writing *writing) {
    const struct iw_outcome_run *run = writing->run;
    enum iw_status status = bundle_write_pack_suite(writing);

    if (status == IW_OK)
        status = bundle_write_pack_file(writing, IW_RESULTS_FILE, run->path);
    for (size_t i = 0; status == IW_OK && i < run->count; i++)
        status = bundle_write_pack_evidence(writing, &run->cases[i]);
    return status;
}

static char *bundle_write_manifest_of(const struct writing *writing) {
    struct iw_text text;

    if (!iw_text_open(&text))
        return NULL;
    fprintf(text.out, "%s\n", IW_BUNDLE_HEAD);
    for (size_t i = 0; i < writing->count; i++)
        fprintf(text.out, "%s  %" PRIu64 "  %s\n", writing->contents[i].digest, writing->contents[i].octets,
            writing->contents[i].name);
    return iw_text_close(&text);
}

/* ---- the archive ---- */

static bool bundle_write_pack_put_head(struct archive *archive, const char *name, uint64_t octets) {
    struct archive_entry *entry = archive_entry_new();
    bool good = entry != NULL;

    if (entry != NULL) {
        archive_entry_set_pathname(entry, name);
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        archive_entry_set_size(entry, (la_int64_t)octets);
        archive_entry_set_mtime(entry, 0, 0);
        good = archive_write_header(archive, entry) == ARCHIVE_OK;
    }
    archive_entry_free(entry);
    return good;
}

static bool bundle_write_pack_put_text(struct archive *archive, const char *name, const char *text) {
    size_t octets = strlen(text);

    return bundle_write_pack_put_head(archive, name, octets) &&
           archive_write_data(archive, text, octets) == (la_ssize_t)octets;
}

static enum iw_status bundle_write_pack_broken(const struct writing *writing, const char *path) {
    const char *why = writing->archive != NULL ? archive_error_string(writing->archive) : NULL;

    return bundle_write_pack_fail(writing, IW_ERR_IO, path, why != NULL ? why : "cannot be written");
}

/* Writes a file to the archive. Fails if the file has changed since its digest was computed. */
static enum iw_status bundle_write_pack_put(
    const struct writing *writing, const struct content *content, const char *path) {
    char digest[IW_BUNDLE_DIGEST_OCTETS];
    uint64_t octets;

    if (content->text != NULL)
        return bundle_write_pack_put_text(writing->archive, content->name, content->text)
                   ? IW_OK
                   : bundle_write_pack_broken(writing, path);
    if (!bundle_write_pack_put_head(writing->archive, content->name, content->octets) ||
        !bundle_write_pack_read(writing->archive, content->path, &octets, digest))
        return bundle_write_pack_broken(writing, path);
    return strcmp(digest, content->digest) == 0
               ? IW_OK
               : bundle_write_pack_error(writing, content->path, "has changed while it was packed");
}

enum iw_bundle_form iw_bundle_form(const char *path) {
    static const struct {
        const char *end;
        enum iw_bundle_form form;
    } forms[] = {{".tar", IW_BUNDLE_TAR}, {".tar.gz", IW_BUNDLE_GZIP}, {".tar.zst", IW_BUNDLE_ZSTD},
        {".zip", IW_BUNDLE_ZIP}};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (iw_file_name_ends(path, forms[i].end))
            return forms[i].form;
    return IW_BUNDLE_UNKNOWN;
}

static la_ssize_t bundle_write_pack_octets(
    struct archive *archive, void *user, const void *octets, size_t count) {
    if (fwrite(octets, 1, count, user) == count)
        return (la_ssize_t)count;
    archive_set_error(archive, errno, "%s", strerror(errno));
    return -1;
}

/* Without times and user names, equal files give an equal archive. The block size is 0, as libarchive loses
 * its block buffer if the last block cannot be written. */
static bool bundle_write_pack_begin(struct archive *archive, const char *path, FILE *out) {
    enum iw_bundle_form form = iw_bundle_form(path);
    bool good = (form == IW_BUNDLE_ZIP ? archive_write_set_format_zip(archive)
                                       : archive_write_set_format_ustar(archive)) == ARCHIVE_OK;

    if (form == IW_BUNDLE_GZIP)
        good = good && archive_write_add_filter_gzip(archive) == ARCHIVE_OK &&
               archive_write_set_options(archive, "gzip:!timestamp") == ARCHIVE_OK;
    if (form == IW_BUNDLE_ZSTD)
        good = good && archive_write_add_filter_zstd(archive) == ARCHIVE_OK;
    return good && archive_write_set_bytes_per_block(archive, 0) == ARCHIVE_OK &&
           archive_write_open(archive, out, NULL, bundle_write_pack_octets, NULL) == ARCHIVE_OK;
}

static enum iw_status bundle_write_pack_put_all(
    const struct writing *writing, const char *path, const char *manifest) {
    enum iw_status status = bundle_write_pack_put_text(writing->archive, IW_BUNDLE_MANIFEST, manifest)
                                ? IW_OK
                                : bundle_write_pack_broken(writing, path);

    for (size_t i = 0; status == IW_OK && i < writing->count; i++)
        status = bundle_write_pack_put(writing, &writing->contents[i], path);
    if (status == IW_OK && archive_write_close(writing->archive) != ARCHIVE_OK)
        status = bundle_write_pack_broken(writing, path);
    return status;
}

static enum iw_status bundle_write_archive(struct writing *writing, const char *path) {
    char *manifest = bundle_write_manifest_of(writing);
    struct iw_whole_file output;
    enum iw_status status;
    int error;

    if (manifest == NULL)
        return bundle_write_pack_no_memory(writing);
    error = iw_whole_file_open(&output, path);
    if (error != 0) {
        free(manifest);
        return bundle_write_pack_fail(writing, IW_ERR_IO, path, strerror(error));
    }
    iw_bundle_archive_begin();
    writing->archive = archive_write_new();
    status = writing->archive != NULL && bundle_write_pack_begin(writing->archive, path, output.out)
                 ? bundle_write_pack_put_all(writing, path, manifest)
                 : bundle_write_pack_broken(writing, path);
    archive_write_free(writing->archive);
    iw_bundle_archive_end();
    free(manifest);
    error = iw_whole_file_close(&output, status == IW_OK);
    return error != 0 && status == IW_OK ? bundle_write_pack_fail(writing, IW_ERR_IO, path, strerror(error))
                                         : status;
}

enum iw_status iw_bundle_write(const char *path, const struct iw_outcome_run *run, FILE *diagnostics) {
    struct writing writing = {.run = run, .diagnostics = diagnostics};
    enum iw_status status = bundle_write_pack_all(&writing);

    if (status == IW_OK)
        status = bundle_write_archive(&writing, path);
    for (size_t i = 0; i < writing.count; i++)
        free(writing.contents[i].text);
    free(writing.contents);
    return status;
}
