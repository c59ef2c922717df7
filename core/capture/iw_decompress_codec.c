#include <bzlib.h>
#include <limits.h>
#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>

#include "iw_decompress_codec.h"

/* gzip, bzip2 and xz: their libraries are called in the same way as zlib. */

static unsigned codec_int_octets(size_t octets) {
    return octets < INT_MAX ? (unsigned)octets : INT_MAX;
}

enum { GZIP_ONLY = 16 + MAX_WBITS };

static void *codec_gzip_open(void) {
    z_stream *stream = calloc(1, sizeof *stream);

    if (stream && inflateInit2(stream, GZIP_ONLY) == Z_OK)
        return stream;
    free(stream);
    return NULL;
}

static enum iw_codec_step codec_gzip_step(void *state, struct iw_decompress_io *io) {
    unsigned in = codec_int_octets(io->in_octets), out = codec_int_octets(io->out_octets);
    z_stream *stream = state;
    int code;

    stream->next_in = (z_const Bytef *)io->in;
    stream->avail_in = in;
    stream->next_out = io->out;
    stream->avail_out = out;
    code = inflate(stream, Z_NO_FLUSH);
    iw_codec_advance(io, in - stream->avail_in, out - stream->avail_out);
    switch (code) {
    case Z_OK:
    case Z_BUF_ERROR:
        return IW_CODEC_MORE;
    case Z_STREAM_END:
        return IW_CODEC_ENDED;
    case Z_MEM_ERROR:
        return IW_CODEC_NO_MEMORY;
    default:
        return IW_CODEC_DAMAGED;
    }
}

static bool codec_gzip_reset(void *state) {
    return inflateReset(state) == Z_OK;
}

static void codec_gzip_close(void *state) {
    inflateEnd(state);
    free(state);
}

const struct iw_decompress_codec iw_codec_gzip = {.name = "gzip",
    .magic = {0x1f, 0x8b},
    .magic_octets = 2,
    .open = codec_gzip_open,
    .step = codec_gzip_step,
    .reset = codec_gzip_reset,
    .close = codec_gzip_close};

static void *codec_bzip2_open(void) {
    bz_stream *stream = calloc(1, sizeof *stream);

    if (stream && BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK)
        return stream;
    free(stream);
    return NULL;
}

static enum iw_codec_step codec_bzip2_step(void *state, struct iw_decompress_io *io) {
    unsigned in = codec_int_octets(io->in_octets), out = codec_int_octets(io->out_octets);
    bz_stream *stream = state;
    int code;

    /* The library does not write to the octets at next_in, although next_in is not a pointer to const. */
    stream->next_in = (char *)(uintptr_t)io->in;
    stream->avail_in = in;
    stream->next_out = (char *)io->out;
    stream->avail_out = out;
    code = BZ2_bzDecompress(stream);
    iw_codec_advance(io, in - stream->avail_in, out - stream->avail_out);
    switch (code) {
    case BZ_OK:
        return IW_CODEC_MORE;
    case BZ_STREAM_END:
        return IW_CODEC_ENDED;
    case BZ_MEM_ERROR:
        return IW_CODEC_NO_MEMORY;
    default:
        return IW_CODEC_DAMAGED;
    }
}

static bool codec_bzip2_reset(void *state) {
    bz_stream *stream = state;

    BZ2_bzDecompressEnd(stream);
    *stream = (bz_stream){0};
    return BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK;
}

static void codec_bzip2_close(void *state) {
    BZ2_bzDecompressEnd(state);
    free(state);
}

const struct iw_decompress_codec iw_codec_bzip2 = {.name = "bzip2",
    .magic = {'B', 'Z', 'h'},
    .magic_octets = 3,
    .open = codec_bzip2_open,
    .step = codec_bzip2_step,
    .reset = codec_bzip2_reset,
    .close = codec_bzip2_close};

static bool codec_xz_reset(void *state) {
    return lzma_stream_decoder(state, IW_CODEC_MEMORY_MAX, 0) == LZMA_OK;
}

static void codec_xz_close(void *state) {
    lzma_end(state);
    free(state);
}

static void *codec_xz_open(void) {
    static const lzma_stream begin = LZMA_STREAM_INIT;
    lzma_stream *stream = malloc(sizeof *stream);

    if (!stream)
        return NULL;
    *stream = begin;
    if (codec_xz_reset(stream))
        return stream;
    codec_xz_close(stream);
    return NULL;
}

static enum iw_codec_step codec_xz_step(void *state, struct iw_decompress_io *io) {
    lzma_stream *stream = state;
    lzma_ret code;

    stream->next_in = io->in;
    stream->avail_in = io->in_octets;
    stream->next_out = io->out;
    stream->avail_out = io->out_octets;
    code = lzma_code(stream, LZMA_RUN);
    iw_codec_advance(io, io->in_octets - stream->avail_in, io->out_octets - stream->avail_out);
    switch (code) {
    case LZMA_OK:
    case LZMA_BUF_ERROR:
        return IW_CODEC_MORE;
    case LZMA_STREAM_END:
        return IW_CODEC_ENDED;
    case LZMA_MEM_ERROR:
        return IW_CODEC_NO_MEMORY;
    case LZMA_MEMLIMIT_ERROR:
        return IW_CODEC_TOO_LARGE;
    default:
        return IW_CODEC_DAMAGED;
    }
}

const struct iw_decompress_codec iw_codec_xz = {.name = "xz",
    .magic = {0xfd, '7', 'z', 'X', 'Z', 0},
    .magic_octets = 6,
    .open = codec_xz_open,
    .step = codec_xz_step,
    .reset = codec_xz_reset,
    .close = codec_xz_close};
