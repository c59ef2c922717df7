#include "iw_bundle.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iw_text.h"

struct opening {
    struct iw_bundle *bundle;
    struct archive *archive;
    FILE *diagnostics;
    uint64_t total;
};

static enum iw_status bundle_refuse(const struct opening *opening, const char *name, const char *why) {
    fprintf(opening->diagnostics, "%s: ", opening->bundle->path);
    for (size_t i = 0; name != NULL && i < IW_BUNDLE_NAME_MAX && name[i] != '\0'; i++)
        fputc((unsigned char)name[i] < ' ' || name[i] == 0x7f ? '?' : name[i], opening->diagnostics);
    fprintf(opening->diagnostics, "%s%s\n", name != NULL ? ": " : "", why);
    return IW_ERR_FORMAT;
}

static enum iw_status bundle_broken(const struct opening *opening) {
    const char *why = archive_error_string(opening->archive);

    if (opening->bundle->count == 0)
        fprintf(opening->diagnostics, "%s: not a bundle of 'report --bundle': %s\n", opening->bundle->path,
            why != NULL ? why : "not an archive");
    else
        bundle_refuse(opening, NULL, why != NULL ? why : "not an archive");
    return IW_ERR_FORMAT;
}

static enum iw_status bundle_no_memory(const struct opening *opening) {
    fputs("out of memory\n", opening->diagnostics);
    return IW_ERR_NOMEM;
}

static enum iw_status bundle_cannot_write(const struct opening *opening) {
    fprintf(opening->diagnostics, "%s: %s\n", opening->bundle->folder, strerror(errno));
    return IW_ERR_IO;
}

/* Checks an entry: only regular files are allowed, no folders, and each name once. */
static enum iw_status bundle_open_check_entry(const struct opening *opening, struct archive_entry *entry) {
    const char *name = archive_entry_pathname(entry);

    if (name == NULL || !iw_bundle_is_name(name))
        return bundle_refuse(opening, name != NULL ? name : "", "not a valid name in a bundle");
    if (archive_entry_hardlink(entry) != NULL || archive_entry_symlink(entry) != NULL ||
        archive_entry_filetype(entry) != AE_IFREG)
        return bundle_refuse(opening, name, "not a regular file");
    if (iw_bundle_find(opening->bundle, name) != NULL)
        return bundle_refuse(opening, name, "is a duplicate");
    if (opening->bundle->count == IW_BUNDLE_MEMBERS_MAX)
        return bundle_refuse(opening, name, "too many files");
    if (archive_entry_size_is_set(entry) &&
        (archive_entry_size(entry) < 0 || (uint64_t)archive_entry_size(entry) > IW_BUNDLE_MEMBER_OCTETS_MAX))
        return bundle_refuse(opening, name, "is too large");
    return IW_OK;
}

/* Copies and hashes the data. Enforces the limits on the octets read, as the size in the header is untrusted.
 */
static enum iw_status bundle_copy_octets(
    struct opening *opening, struct iw_bundle_member *member, FILE *out, struct iw_hasher *hasher) {
    static uint8_t piece[65536];
    la_ssize_t got;

    while ((got = archive_read_data(opening->archive, piece, sizeof piece)) > 0) {
        member->octets += (uint64_t)got;
        opening->total += (uint64_t)got;
        if (member->octets > IW_BUNDLE_MEMBER_OCTETS_MAX || opening->total > IW_BUNDLE_OCTETS_MAX)
            return bundle_refuse(opening, member->name, "is too large");
        if (!iw_hasher_update(hasher, piece, (size_t)got))
            return bundle_no_memory(opening);
        if (fwrite(piece, 1, (size_t)got, out) != (size_t)got)
            return bundle_cannot_write(opening);
    }
    return got < 0 ? bundle_broken(opening) : IW_OK;
}

static enum iw_status bundle_copy_entry(struct opening *opening, struct iw_bundle_member *member) {
    char *path = iw_bundle_path(opening->bundle, member->name);
    FILE *out = path != NULL ? fopen(path, "wxe") : NULL; /* x: does not follow a link */
    uint8_t value[IW_HASH_OCTETS_MAX] = {0};
    struct iw_hasher hasher;
    enum iw_status status;

    free(path);
    if (out == NULL)
        return bundle_cannot_write(opening);
    status = iw_hasher_begin(&hasher, IW_HASH_SHA256) ? IW_OK : bundle_no_memory(opening);
    if (status == IW_OK)
        status = bundle_copy_octets(opening, member, out, &hasher);
    if (!iw_hasher_end(&hasher, value) && status == IW_OK)
        status = bundle_no_memory(opening);
    iw_bundle_digest(value, member->digest);
    return fclose(out) == 0 || status != IW_OK ? status : bundle_cannot_write(opening);
}

static enum iw_status bundle_open_take_entries(struct opening *opening) {
    struct archive_entry *entry;
    enum iw_status status = IW_OK;
    int result = ARCHIVE_OK;

    while (status == IW_OK && (result = archive_read_next_header(opening->archive, &entry)) == ARCHIVE_OK) {
        struct iw_bundle_member *member;

        status = bundle_open_check_entry(opening, entry);
        if (status != IW_OK)
            break;
        member = iw_bundle_add(opening->bundle, archive_entry_pathname(entry));
        if (member == NULL)
            return bundle_no_memory(opening);
        status = bundle_copy_entry(opening, member);
    }
    return status != IW_OK || result == ARCHIVE_EOF ? status : bundle_broken(opening);
}

/* One file can be a tar archive from its begin, and a zip archive from its end: only the format of its name
 * is read, as other programs do. Without a known ending, any is. */
static void bundle_open_support_form(struct archive *archive, enum iw_bundle_form form) {
    if (form != IW_BUNDLE_ZIP)
        archive_read_support_format_tar(archive);
    if (form == IW_BUNDLE_ZIP || form == IW_BUNDLE_UNKNOWN)
        archive_read_support_format_zip(archive);
    if (form == IW_BUNDLE_GZIP || form == IW_BUNDLE_UNKNOWN)
        archive_read_support_filter_gzip(archive);
    if (form == IW_BUNDLE_ZSTD || form == IW_BUNDLE_UNKNOWN)
        archive_read_support_filter_zstd(archive);
}

/* The folder for temporary files. */
static const char *bundle_temporary(void) {
    const char *above = getenv("TMPDIR");

    return above == NULL || *above == '\0' ? "/tmp" : above;
}

static bool bundle_make_folder(struct iw_bundle *bundle) {
    bundle->folder = iw_text_format("%s/warpcheck-bundle.XXXXXX", bundle_temporary());
    if (bundle->folder != NULL && mkdtemp(bundle->folder) != NULL)
        return true;
    free(bundle->folder);
    bundle->folder = NULL;
    return false;
}

/* A pipe without a writer must not block the program. */
static const char *bundle_fault_of(const char *path) {
    struct stat status;

    if (stat(path, &status) != 0 || access(path, R_OK) != 0)
        return strerror(errno);
    if (S_ISDIR(status.st_mode))
        return "is a folder: give the file that 'report --bundle' wrote";
    return S_ISREG(status.st_mode) ? NULL : "not a regular file";
}

enum iw_status iw_bundle_begin(struct iw_bundle *bundle, const char *path, FILE *diagnostics) {
    const char *fault = bundle_fault_of(path);

    *bundle = (struct iw_bundle){.path = path};
    if (fault != NULL)
        fprintf(diagnostics, "%s: %s\n", path, fault);
    else if (!bundle_make_folder(bundle))
        fprintf(diagnostics, "%s: cannot create a folder for its contents in %s: %s\n", path,
            bundle_temporary(), strerror(errno));
    else
        return IW_OK;
    return IW_ERR_IO;
}

enum iw_status iw_bundle_open(struct iw_bundle *bundle, FILE *diagnostics) {
    struct opening opening = {.bundle = bundle, .diagnostics = diagnostics};
    enum iw_status status;

    iw_bundle_archive_begin();
    opening.archive = archive_read_new();
    if (opening.archive == NULL) {
        status = bundle_no_memory(&opening);
    } else {
        bundle_open_support_form(opening.archive, iw_bundle_form(bundle->path));
        status = archive_read_open_filename(opening.archive, bundle->path, 65536) == ARCHIVE_OK
                     ? bundle_open_take_entries(&opening)
                     : bundle_broken(&opening);
    }
    archive_read_free(opening.archive);
    iw_bundle_archive_end();
    return status;
}
