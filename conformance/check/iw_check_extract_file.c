#define _GNU_SOURCE /* renameat2 */
#include "iw_check_extract_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iw_check_group.h"
#include "iw_link_type.h"
#include "iw_text.h"

static char *extract_file_path(
    const char *directory, const char *capture, uint64_t number, unsigned attempt) {
    const char *slash = strrchr(capture, '/'), *base = slash != NULL ? slash + 1 : capture;
    size_t name = iw_check_uncompressed_length(base);
    const char *dot = memrchr(base, '.', name);
    int stem = dot != NULL && dot != base ? (int)(dot - base) : (int)name;
    char again[16] = "";

    if (attempt > 0)
        snprintf(again, sizeof again, "-%u", attempt + 1);
    return iw_text_format("%s/%.*s-stream%" PRIu64 "%s.pcapng", directory, stem, base, number, again);
}

static bool extract_file_was_made(const struct iw_check_extract_file *made, size_t count, const char *path) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(made[i].path, path) == 0)
            return true;
    return false;
}

/* O_EXCL rejects any existing path, even a dangling symbolic link. Returns 0 or an errno value. */
static int extract_file_create(struct iw_check_extract_file *file) {
    int descriptor = open(file->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    struct stat status;
    int error;

    if (descriptor < 0)
        return errno;
    error = fstat(descriptor, &status) == 0 ? 0 : errno;
    close(descriptor);
    if (error == 0) {
        file->device = status.st_dev;
        file->inode = status.st_ino;
    }
    return error;
}

static const char *extract_file_reason(int error) {
    return error == EEXIST ? "exists already; not overwritten" : strerror(error);
}

/* Creates file->part, if file->path does not exist. On failure sets file->path to the path with the error. */
static bool extract_file_reserve(
    struct iw_check_extract_file *file, size_t directory_length, const char **reason) {
    struct stat status;
    int error = lstat(file->path, &status) == 0 ? EEXIST : extract_file_create(file);

    if (error == 0)
        return true;
    *reason = extract_file_reason(error);
    if (error == EEXIST && lstat(file->path, &status) != 0) {
        free(file->path);
        file->path = file->part;
        file->part = NULL;
    } else if (error != EEXIST && error != ENAMETOOLONG) {
        file->path[directory_length] = '\0';
    }
    return false;
}

static bool extract_file_make_directory(const char *path) {
    struct stat status;

    if (mkdir(path, 0777) == 0)
        return true;
    if (errno != EEXIST || stat(path, &status) != 0)
        return false;
    errno = ENOTDIR;
    return S_ISDIR(status.st_mode);
}

bool iw_check_extract_file_new(struct iw_check_extract_file *file, const char *directory,
    const struct iw_check_extract_file *made, size_t count, const char *capture, uint64_t number,
    const char **reason) {
    for (unsigned attempt = 0;; attempt++) {
        file->path = extract_file_path(directory, capture, number, attempt);
        if (file->path == NULL || !extract_file_was_made(made, count, file->path))
            break;
        free(file->path);
    }
    file->part = file->path != NULL ? iw_text_format("%s.part", file->path) : NULL;
    if (file->part == NULL) {
        *reason = "out of memory";
        return false;
    }
    if (extract_file_make_directory(directory))
        return extract_file_reserve(file, strlen(directory), reason);
    *reason = strerror(errno);
    file->path[strlen(directory)] = '\0';
    return false;
}

void iw_check_extract_file_dispose(struct iw_check_extract_file *file) {
    free(file->path);
    free(file->part);
    file->path = file->part = NULL;
}

static const char replaced_reason[] = "was replaced by another file; not overwritten";

/* Opens file->part. Without O_NONBLOCK, opening a pipe at this path would wait for a reader. */
static int extract_file_open_again(
    const struct iw_check_extract_file *file, struct stat *status, const char **reason) {
    int descriptor = open(file->part, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    *reason = strerror(errno);
    if (descriptor < 0 && errno != ELOOP && errno != ENXIO)
        return -1;
    if (descriptor >= 0 && fstat(descriptor, status) == 0 && status->st_dev == file->device &&
        status->st_ino == file->inode)
        return descriptor;
    *reason = replaced_reason;
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

static bool extract_file_write(int descriptor, const uint8_t *octets, size_t count, const char **reason) {
    while (count > 0) {
        ssize_t written = write(descriptor, octets, count);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            *reason = strerror(errno);
            return false;
        }
        octets += written;
        count -= (size_t)written;
    }
    return true;
}

/* Opens the file for each packet, as there may be more files than can be open at the same time. */
bool iw_check_extract_file_append(struct iw_check_extract_file *file, enum iw_link link,
    const struct iw_pcapng_packet *packet, const char **reason) {
    struct iw_pcapng_packet out = *packet;
    uint8_t *octets = malloc(IW_PCAPNG_HEAD_MAX + iw_pcapng_packet_octets(packet));
    struct stat status = {0};
    size_t count = 0;
    bool good;
    int descriptor;

    out.interface = 0;
    while (out.interface < file->link_count && file->links[out.interface] != link)
        out.interface++;
    if (octets == NULL || out.interface == IW_CHECK_EXTRACT_LINKS) {
        *reason = octets == NULL ? "out of memory" : "too many link types";
        free(octets);
        return false;
    }
    descriptor = extract_file_open_again(file, &status, reason);
    if (out.interface == file->link_count)
        count = (out.interface == 0 ? iw_pcapng_head : iw_pcapng_interface)(
            IW_PCAPNG_BIG, iw_link_type_of(link), 0, octets);
    iw_pcapng_packet(&out, octets + count);
    count += iw_pcapng_packet_octets(&out);
    good = descriptor >= 0 && extract_file_write(descriptor, octets, count, reason);
    if (!good && descriptor >= 0) /* a truncated packet would make the file unreadable */
        (void)!ftruncate(descriptor, status.st_size);
    if (descriptor >= 0 && close(descriptor) != 0 && good) {
        *reason = strerror(errno);
        good = false;
    }
    if (good && out.interface == file->link_count)
        file->links[file->link_count++] = link;
    free(octets);
    return good;
}

/* Uses link and unlink if the filesystem does not support RENAME_NOREPLACE. */
static bool extract_file_rename_to_free_name(const char *from, const char *to) {
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return true;
    return errno != EEXIST && link(from, to) == 0 && unlink(from) == 0;
}

bool iw_check_extract_file_finish(const struct iw_check_extract_file *file, const char **reason) {
    struct stat status;

    *reason = replaced_reason;
    if (lstat(file->part, &status) != 0 || status.st_dev != file->device || status.st_ino != file->inode)
        return false;
    if (status.st_size == 0) {
        *reason = "no packet could be written";
        unlink(file->part);
        return false;
    }
    if (extract_file_rename_to_free_name(file->part, file->path))
        return true;
    *reason = extract_file_reason(errno);
    return false;
}
