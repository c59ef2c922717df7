#ifndef IW_DECOMPRESS_CODEC_H
#define IW_DECOMPRESS_CODEC_H

#include <stdbool.h>

#include "iw_decompress.h"

/* One compression format, for iw_decompress.c. */

enum iw_codec_step {
    IW_CODEC_MORE,  /* took or wrote something; or needs more of either */
    IW_CODEC_ENDED, /* a compressed stream has ended; `reset` begins the next one */
    IW_CODEC_DAMAGED,
    IW_CODEC_TOO_LARGE, /* needs a window of more than the limit */
    IW_CODEC_NO_MEMORY,
};

/* A window of 128 MiB, as zstd itself allows by default, and room for what goes with it. */
enum { IW_CODEC_WINDOW_LOG = 27, IW_CODEC_MEMORY_MAX = (128 + 4) << 20 };

struct iw_decompress_codec {
    const char *name;
    uint8_t magic[6];
    size_t magic_octets;
    void *(*open)(void); /* NULL: no memory */
    enum iw_codec_step (*step)(void *state, struct iw_decompress_io *io);
    bool (*reset)(void *state);
    void (*close)(void *state);
};

extern const struct iw_decompress_codec iw_codec_gzip, iw_codec_bzip2, iw_codec_xz, iw_codec_zstd,
    iw_codec_lz4;

#endif
