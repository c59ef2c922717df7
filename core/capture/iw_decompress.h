#pragma once

#include <stddef.h>
#include <stdint.h>

#include "iw_status.h"

/* Decompresses gzip, bzip2, xz, zstd and LZ4 as a stream. Keeps only the window of the format in memory, at
 * most 128 MiB. Verifies checksums. Decompresses several compressed streams in a row as if they were one. */

struct iw_decompress_codec;

/* Returns the compression format of a file that begins with these octets; NULL if it is not compressed. 6
 * octets are enough; 16 if the file begins with a skippable frame, as pzstd writes it. */
const struct iw_decompress_codec *iw_decompress_find(const uint8_t *head, size_t octets);

struct iw_decompress;

/* Returns NULL if memory runs out. */
struct iw_decompress *iw_decompress_new(const struct iw_decompress_codec *codec);
void iw_decompress_free(struct iw_decompress *decompress);

struct iw_decompress_io {
    const uint8_t *in; /* next compressed octet */
    size_t in_octets;  /* number of octets at `in` */
    uint8_t *out;      /* where the next output octet goes */
    size_t out_octets; /* number of free octets at `out` */
};

/* Decompresses from `in` to `out`, and advances `io`. May return before `in` or `out` is used up.
 * IW_ERR_FORMAT: the data is damaged, or needs more memory than allowed; see iw_decompress_reason. Octets
 * written before the error are valid. IW_ERR_NOMEM: memory ran out. */
enum iw_status iw_decompress_step(struct iw_decompress *decompress, struct iw_decompress_io *io);
const char *iw_decompress_reason(const struct iw_decompress *decompress);

/* For the end of the input: returns IW_OK after a complete stream, IW_ERR_TRUNCATED within a stream. */
enum iw_status iw_decompress_end(const struct iw_decompress *decompress);
