#pragma once

#include <stdbool.h>

#include "iw_decompress.h"

/* Interface of one compression format, for iw_decompress.c. */

enum iw_codec_step {
    IW_CODEC_MORE,  /* consumed or wrote octets, or needs more input or a larger output buffer */
    IW_CODEC_ENDED, /* a compressed stream has ended; call `reset` before the next one */
    IW_CODEC_DAMAGED,
    IW_CODEC_TOO_LARGE, /* needs a larger window, or more memory, than the limit */
    IW_CODEC_NO_MEMORY,
};

/* Limits: log2 of the largest zstd window (128 MiB, the decoder's default limit); memory of an xz decoder
 * with a window as large. */
enum { IW_CODEC_WINDOW_LOG = 27, IW_CODEC_MEMORY_MAX = (128 + 4) << 20 };

struct iw_decompress_codec {
    const char *name;
    uint8_t magic[6];
    size_t magic_octets;
    void *(*open)(void); /* returns NULL if memory runs out */
    enum iw_codec_step (*step)(void *state, struct iw_decompress_io *io);
    bool (*reset)(void *state); /* returns false if memory runs out */
    void (*close)(void *state);
};

static inline void iw_codec_advance(struct iw_decompress_io *io, size_t taken, size_t written) {
    io->in += taken;
    io->in_octets -= taken;
    io->out += written;
    io->out_octets -= written;
}

extern const struct iw_decompress_codec iw_codec_gzip, iw_codec_bzip2, iw_codec_xz, iw_codec_zstd,
    iw_codec_lz4;
