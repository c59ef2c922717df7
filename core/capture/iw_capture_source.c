#include "iw_capture_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iw_decompress.h"

enum { HEAD_OCTETS = 16, IN_OCTETS = 1 << 16 };

struct iw_capture_source {
    int file;
    bool seekable;  /* a regular file, read with pread: other readers of the descriptor do not interfere */
    off_t offset;   /* file offset of the next read; valid with `seekable` */
    uint64_t taken; /* octets of the file read so far */
    uint8_t head[HEAD_OCTETS];
    size_t head_octets, head_used; /* first octets, decompressed: iw_capture_source_read returns them first */
    struct iw_decompress *decompress; /* NULL: the file is not compressed */
    uint8_t *in;                      /* compressed octets read from the file */
    size_t in_octets, in_used;
    enum iw_status status; /* IW_OK, or the error of a failed read; all later reads fail too */
    const char *reason;
};

static ssize_t source_fail(struct iw_capture_source *source, enum iw_status status, const char *reason) {
    source->status = status;
    source->reason = reason;
    return -1;
}

/* Reads octets of the file as they are, before decompression. */
static ssize_t source_read_raw(struct iw_capture_source *source, uint8_t *to, size_t octets) {
    ssize_t got;

    do
        got = source->seekable ? pread(source->file, to, octets, source->offset)
                               : read(source->file, to, octets);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return source_fail(source, IW_ERR_IO, strerror(errno));
    source->offset += got;
    source->taken += (uint64_t)got;
    return got;
}

/* Reads the next compressed octets. Fails if the file ends within a compressed stream. */
static ssize_t source_refill_in(struct iw_capture_source *source) {
    ssize_t got = source_read_raw(source, source->in, IN_OCTETS);

    if (got == 0 && iw_decompress_end(source->decompress) != IW_OK)
        return source_fail(source, IW_ERR_TRUNCATED, "the compressed data is truncated");
    source->in_octets = got > 0 ? (size_t)got : 0;
    source->in_used = 0;
    return got;
}

/* Decompresses until there is output. Each iteration consumes or reads octets, so the loop ends. */
static ssize_t source_read_decompressed(struct iw_capture_source *source, uint8_t *to, size_t octets) {
    for (;;) {
        struct iw_decompress_io io = {
            source->in + source->in_used, source->in_octets - source->in_used, to, octets};
        enum iw_status status = iw_decompress_step(source->decompress, &io);
        size_t written = octets - io.out_octets;

        source->in_used = source->in_octets - io.in_octets;
        if (status == IW_ERR_NOMEM)
            source_fail(source, status, "out of memory");
        else if (status != IW_OK)
            source_fail(source, status, iw_decompress_reason(source->decompress));
        if (written > 0)
            return (ssize_t)written;
        if (status != IW_OK)
            return -1;
        if (io.in_octets == 0) {
            ssize_t got = source_refill_in(source);

            if (got <= 0)
                return got;
        }
    }
}

ssize_t iw_capture_source_read(struct iw_capture_source *source, uint8_t *to, size_t octets) {
    size_t ready = source->head_octets - source->head_used;

    if (ready > 0) {
        ready = ready < octets ? ready : octets;
        memcpy(to, source->head + source->head_used, ready);
        source->head_used += ready;
        return (ssize_t)ready;
    }
    if (source->status != IW_OK)
        return -1;
    return source->decompress ? source_read_decompressed(source, to, octets)
                              : source_read_raw(source, to, octets);
}

static void source_fill_head(struct iw_capture_source *source) {
    ssize_t got = 1;

    while (got > 0 && source->head_octets < HEAD_OCTETS) {
        uint8_t *to = source->head + source->head_octets;
        size_t left = HEAD_OCTETS - source->head_octets;

        got = source->decompress ? source_read_decompressed(source, to, left)
                                 : source_read_raw(source, to, left);
        source->head_octets += got > 0 ? (size_t)got : 0;
        if (source->status != IW_OK)
            break;
    }
}

/* If `head` begins a compressed file: starts to decompress, and refills `head` with decompressed octets. */
static enum iw_status source_find_compression(struct iw_capture_source *source) {
    const struct iw_decompress_codec *codec = iw_decompress_find(source->head, source->head_octets);

    if (!codec || source->status != IW_OK)
        return source->status;
    source->in = malloc(IN_OCTETS);
    source->decompress = iw_decompress_new(codec);
    if (!source->in || !source->decompress) {
        source_fail(source, IW_ERR_NOMEM, "out of memory");
        return source->status;
    }
    memcpy(source->in, source->head, source->head_octets);
    source->in_octets = source->head_octets;
    source->head_octets = 0;
    source_fill_head(source);
    return IW_OK;
}

static void source_open_file(struct iw_capture_source *source, const char *path) {
    bool standard_input = strcmp(path, "-") == 0;
    struct stat status;

    source->file =
        standard_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
    if (source->file < 0 || fstat(source->file, &status) != 0) {
        source_fail(source, IW_ERR_IO, strerror(errno));
        return;
    }
    source->seekable = S_ISREG(status.st_mode);
    /* Standard input may be a file whose beginning another program has read. */
    source->offset = source->seekable && standard_input ? lseek(source->file, 0, SEEK_CUR) : 0;
}

static enum iw_status source_open(struct iw_capture_source *source, const char *path) {
    source_open_file(source, path);
    if (source->status != IW_OK)
        return source->status;
    source_fill_head(source);
    if (source->status == IW_OK)
        source_find_compression(source);
    if (source->head_octets > 0)
        return IW_OK;
    if (source->status == IW_OK)
        source_fail(source, IW_ERR_FORMAT, "empty file");
    return source->status;
}

enum iw_status iw_capture_source_open(
    const char *path, struct iw_capture_source **source, char *reason, size_t reason_octets) {
    enum iw_status status;

    *source = calloc(1, sizeof **source);
    if (!*source) {
        snprintf(reason, reason_octets, "out of memory");
        return IW_ERR_NOMEM;
    }
    (*source)->file = -1;
    status = source_open(*source, path);
    if (status == IW_OK)
        return IW_OK;
    snprintf(reason, reason_octets, "%s", (*source)->reason);
    iw_capture_source_close(*source);
    *source = NULL;
    return status;
}

void iw_capture_source_close(struct iw_capture_source *source) {
    if (!source)
        return;
    if (source->file >= 0)
        close(source->file);
    iw_decompress_free(source->decompress);
    free(source->in);
    free(source);
}

enum iw_status iw_capture_source_status(const struct iw_capture_source *source) {
    return source->status;
}

const char *iw_capture_source_reason(const struct iw_capture_source *source) {
    return source->reason;
}

size_t iw_capture_source_peek(struct iw_capture_source *source, uint8_t *to, size_t octets) {
    octets = octets < source->head_octets ? octets : source->head_octets;
    memcpy(to, source->head, octets);
    return octets;
}

uint64_t iw_capture_source_taken(const struct iw_capture_source *source) {
    return source->taken;
}

bool iw_capture_source_compressed(const struct iw_capture_source *source) {
    return source->decompress != NULL;
}
