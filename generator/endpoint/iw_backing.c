#include "iw_backing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 65536 }; /* octets of one read */

static struct iw_backing *backing_make(uint64_t size, enum iw_medium medium) {
    struct iw_backing *backing = calloc(1, sizeof *backing);
    size_t octets = size > 0 ? (size_t)size : 1;

    if (backing == NULL || size > PTRDIFF_MAX)
        goto Failed;
    *backing = (struct iw_backing){.size = size, .medium = medium, .file = -1, .references = 1};
    backing->octets = calloc(octets, 1);
    if (medium == IW_MEDIUM_MEMORY)
        backing->kept = calloc(octets, 1);
    if (backing->octets == NULL || (medium == IW_MEDIUM_MEMORY && backing->kept == NULL))
        goto Failed;
    return backing;
Failed:
    iw_backing_release(backing);
    errno = ENOMEM;
    return NULL;
}

struct iw_backing *iw_backing_new(uint64_t size, bool persistent) {
    return backing_make(size, persistent ? IW_MEDIUM_MEMORY : IW_MEDIUM_NONE);
}

/* Opens and reads the file. Extends it now, so that a flush does not change its size. */
static bool backing_open_file(struct iw_backing *backing, const char *path) {
    struct stat stat;

    backing->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (backing->file < 0 || fstat(backing->file, &stat) != 0)
        return false;
    if (!S_ISREG(stat.st_mode)) {
        errno = EINVAL;
        return false;
    }
    /* A second process would overwrite what this one has flushed. Some file systems have no locks. */
    if (flock(backing->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return false;
    if ((uint64_t)stat.st_size < backing->size &&
        (ftruncate(backing->file, (off_t)backing->size) != 0 || fsync(backing->file) != 0))
        return false;
    return iw_backing_read(backing, 0, backing->octets, (size_t)backing->size);
}

struct iw_backing *iw_backing_open(const char *path, uint64_t size) {
    struct iw_backing *backing = backing_make(size, IW_MEDIUM_FILE);

    if (backing == NULL || backing_open_file(backing, path))
        return backing;
    int error = errno;
    iw_backing_release(backing);
    errno = error;
    return NULL;
}

struct iw_backing *iw_backing_take(struct iw_backing *backing) {
    backing->references++;
    return backing;
}

void iw_backing_release(struct iw_backing *backing) {
    if (backing == NULL || (backing->references > 0 && --backing->references > 0))
        return;
    if (backing->medium == IW_MEDIUM_FILE && backing->file >= 0)
        close(backing->file);
    free(backing->octets);
    free(backing->kept);
    free(backing);
}

enum transfer { READ, WRITE };

/* Reads or writes all of the octets, in as many steps as the system needs. */
static bool backing_transfer(
    int file, enum transfer transfer, uint64_t at, uint8_t *octets, uint64_t length) {
    while (length > 0) {
        ssize_t count = transfer == WRITE ? pwrite(file, octets, (size_t)length, (off_t)at)
                                          : pread(file, octets, (size_t)length, (off_t)at);

        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        octets += count;
        at += (uint64_t)count;
        length -= (uint64_t)count;
    }
    return true;
}

bool iw_backing_persist(struct iw_backing *backing, uint64_t at, uint64_t length) {
    if (backing->medium == IW_MEDIUM_FILE)
        return backing_transfer(backing->file, WRITE, at, backing->octets + at, length) &&
               fdatasync(backing->file) == 0;
    if (backing->medium == IW_MEDIUM_MEMORY)
        memcpy(backing->kept + at, backing->octets + at, (size_t)length);
    return backing->medium == IW_MEDIUM_MEMORY;
}

bool iw_backing_read(const struct iw_backing *backing, uint64_t at, uint8_t *octets, size_t length) {
    if (backing->medium == IW_MEDIUM_FILE)
        return backing_transfer(backing->file, READ, at, octets, length);
    memcpy(octets, (backing->medium == IW_MEDIUM_MEMORY ? backing->kept : backing->octets) + at, length);
    return true;
}

static bool backing_hash_file(struct iw_hasher *hasher, int file, uint64_t at, uint64_t length) {
    uint8_t piece[PIECE];

    while (length > 0) {
        size_t count = length < PIECE ? (size_t)length : PIECE;

        if (!backing_transfer(file, READ, at, piece, count) || !iw_hasher_update(hasher, piece, count))
            return false;
        at += count;
        length -= count;
    }
    return true;
}

bool iw_backing_hash(const struct iw_backing *backing, enum iw_hash hash, uint64_t at, uint64_t length,
    uint8_t value[IW_HASH_OCTETS_MAX]) {
    const uint8_t *octets = backing->medium == IW_MEDIUM_MEMORY ? backing->kept : backing->octets;
    struct iw_hasher hasher;
    bool done = iw_hasher_begin(&hasher, hash);

    if (done && backing->medium == IW_MEDIUM_FILE)
        done = backing_hash_file(&hasher, backing->file, at, length);
    else if (done)
        done = iw_hasher_update(&hasher, octets + at, (size_t)length);
    return iw_hasher_end(&hasher, value) && done;
}
