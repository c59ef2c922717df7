#include <lz4frame.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "iw_decompress_codec.h"

/* zstd (RFC 8878) and LZ4: the header of a frame states the memory that its decoder needs. */

static void *decompress_frame_zstd_open(void) {
    ZSTD_DCtx *context = ZSTD_createDCtx();

    if (context)
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, IW_CODEC_WINDOW_LOG);
    return context;
}

static enum iw_codec_step decompress_frame_zstd_fault(size_t code) {
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_frameParameter_windowTooLarge:
        return IW_CODEC_TOO_LARGE;
    case ZSTD_error_memory_allocation:
        return IW_CODEC_NO_MEMORY;
    default:
        return IW_CODEC_DAMAGED;
    }
}

static enum iw_codec_step decompress_frame_zstd_step(void *state, struct iw_decompress_io *io) {
    ZSTD_inBuffer in = {io->in, io->in_octets, 0};
    ZSTD_outBuffer out = {io->out, io->out_octets, 0};
    size_t code = ZSTD_decompressStream(state, &out, &in);

    iw_codec_advance(io, in.pos, out.pos);
    if (ZSTD_isError(code))
        return decompress_frame_zstd_fault(code);
    return code == 0 ? IW_CODEC_ENDED : IW_CODEC_MORE;
}

static bool decompress_frame_zstd_reset(void *state) {
    return !ZSTD_isError(ZSTD_DCtx_reset(state, ZSTD_reset_session_only));
}

static void decompress_frame_zstd_close(void *state) {
    ZSTD_freeDCtx(state);
}

const struct iw_decompress_codec iw_codec_zstd = {.name = "zstd",
    .magic = {0x28, 0xb5, 0x2f, 0xfd},
    .magic_octets = 4,
    .open = decompress_frame_zstd_open,
    .step = decompress_frame_zstd_step,
    .reset = decompress_frame_zstd_reset,
    .close = decompress_frame_zstd_close};

static void *decompress_frame_lz4_open(void) {
    LZ4F_dctx *context = NULL;

    return LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) ? NULL : context;
}

static enum iw_codec_step decompress_frame_lz4_step(void *state, struct iw_decompress_io *io) {
    size_t in = io->in_octets, out = io->out_octets;
    size_t code = LZ4F_decompress(state, io->out, &out, io->in, &in, NULL);

    if (LZ4F_isError(code)) /* the library identifies its errors only by name */
        return strcmp(LZ4F_getErrorName(code), "ERROR_allocation_failed") == 0 ? IW_CODEC_NO_MEMORY
                                                                               : IW_CODEC_DAMAGED;
    iw_codec_advance(io, in, out);
    return code == 0 ? IW_CODEC_ENDED : IW_CODEC_MORE;
}

static bool decompress_frame_lz4_reset(void *state) {
    LZ4F_resetDecompressionContext(state);
    return true;
}

static void decompress_frame_lz4_close(void *state) {
    LZ4F_freeDecompressionContext(state);
}

const struct iw_decompress_codec iw_codec_lz4 = {.name = "LZ4",
    .magic = {0x04, 0x22, 0x4d, 0x18},
    .magic_octets = 4,
    .open = decompress_frame_lz4_open,
    .step = decompress_frame_lz4_step,
    .reset = decompress_frame_lz4_reset,
    .close = decompress_frame_lz4_close};
