#include "iw_decompress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_decompress_codec.h"

struct iw_decompress {
    const struct iw_decompress_codec *codec;
    void *state;
    bool between; /* no compressed stream is open: the first has not begun, or the latest has ended */
    bool used;    /* at least one stream has ended */
    char reason[96];
};

static const struct iw_decompress_codec *const codecs[] = {
    &iw_codec_gzip, &iw_codec_bzip2, &iw_codec_xz, &iw_codec_zstd, &iw_codec_lz4};

static const struct iw_decompress_codec *decompress_codec_of_magic(const uint8_t *head, size_t octets) {
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (octets >= codecs[i]->magic_octets && memcmp(head, codecs[i]->magic, codecs[i]->magic_octets) == 0)
            return codecs[i];
    return NULL;
}

/* Returns the length of the skippable frame at `head` (RFC 8878 3.1.2; also in LZ4); 0 if `head` begins no
 * such frame. */
static uint64_t decompress_skippable_octets(const uint8_t *head, size_t octets) {
    enum { SKIPPABLE_HEADER = 8 };

    if (octets < SKIPPABLE_HEADER || (head[0] & 0xf0) != 0x50 || head[1] != 0x2a || head[2] != 0x4d ||
        head[3] != 0x18)
        return 0;
    return SKIPPABLE_HEADER +
           ((uint64_t)head[7] << 24 | (uint32_t)head[6] << 16 | (uint32_t)head[5] << 8 | head[4]);
}

/* Skips a skippable frame, as pzstd writes it. If the magic number after that frame is unknown: zstd. */
const struct iw_decompress_codec *iw_decompress_find(const uint8_t *head, size_t octets) {
    uint64_t skip = decompress_skippable_octets(head, octets);
    const struct iw_decompress_codec *codec;

    if (skip == 0)
        return decompress_codec_of_magic(head, octets);
    codec = skip < octets ? decompress_codec_of_magic(head + skip, octets - (size_t)skip) : NULL;
    return codec ? codec : &iw_codec_zstd;
}

struct iw_decompress *iw_decompress_new(const struct iw_decompress_codec *codec) {
    struct iw_decompress *decompress = calloc(1, sizeof *decompress);

    if (!decompress)
        return NULL;
    decompress->codec = codec;
    decompress->between = true;
    decompress->state = codec->open();
    if (!decompress->state) {
        free(decompress);
        return NULL;
    }
    return decompress;
}

void iw_decompress_free(struct iw_decompress *decompress) {
    if (!decompress)
        return;
    decompress->codec->close(decompress->state);
    free(decompress);
}

static enum iw_status decompress_refuse(struct iw_decompress *decompress, const char *why) {
    snprintf(decompress->reason, sizeof decompress->reason, "the %s data %s", decompress->codec->name, why);
    return IW_ERR_FORMAT;
}

/* After a stream, skips zeros (as in xz files and files from tapes), and prepares for a following stream. */
static enum iw_status decompress_begin(struct iw_decompress *decompress, struct iw_decompress_io *io) {
    while (decompress->used && io->in_octets > 0 && *io->in == 0) {
        io->in++;
        io->in_octets--;
    }
    if (io->in_octets == 0)
        return IW_OK;
    if (decompress->used && !decompress->codec->reset(decompress->state))
        return IW_ERR_NOMEM;
    decompress->between = false;
    return IW_OK;
}

enum iw_status iw_decompress_step(struct iw_decompress *decompress, struct iw_decompress_io *io) {
    struct iw_decompress_io before;
    enum iw_status status = decompress->between ? decompress_begin(decompress, io) : IW_OK;

    if (status != IW_OK || decompress->between)
        return status;
    before = *io;
    switch (decompress->codec->step(decompress->state, io)) {
    case IW_CODEC_MORE:
        if (io->in == before.in && io->out == before.out && io->in_octets > 0 && io->out_octets > 0)
            break;
        return IW_OK;
    case IW_CODEC_ENDED:
        decompress->between = true;
        decompress->used = true;
        return IW_OK;
    case IW_CODEC_TOO_LARGE:
        return decompress_refuse(decompress, "needs more than 128 MiB of memory to decompress");
    case IW_CODEC_NO_MEMORY:
        return IW_ERR_NOMEM;
    case IW_CODEC_DAMAGED:
        break;
    }
    return decompress_refuse(decompress, "is damaged");
}

const char *iw_decompress_reason(const struct iw_decompress *decompress) {
    return decompress->reason;
}

enum iw_status iw_decompress_end(const struct iw_decompress *decompress) {
    return decompress->between ? IW_OK : IW_ERR_TRUNCATED;
}
