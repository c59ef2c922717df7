#ifndef IW_DECOMPRESS_H
#define IW_DECOMPRESS_H

#include <stddef.h>
#include <stdint.h>

#include "iw_status.h"

/* Decompression of gzip, bzip2, xz, zstd and LZ4 as a stream: nothing is kept but the window of the format,
 * 128 MiB at most. Check sums are verified. Several compressed streams in a row are one. */

struct iw_decompress_codec;

/* The format that starts with these octets, of which 6 are enough, and 16 with a skippable frame as pzstd
 * writes it; NULL: none of them. */
const struct iw_decompress_codec *iw_decompress_find(const uint8_t *head, size_t octets);
const char *iw_decompress_name(const struct iw_decompress_codec *codec); /* "gzip" */

struct iw_decompress;

/* NULL: no memory. */
struct iw_decompress *iw_decompress_new(const struct iw_decompress_codec *codec);
void iw_decompress_free(struct iw_decompress *decompress);

struct iw_decompress_io {
    const uint8_t *in; /* compressed octets that have not been taken yet, */
    size_t in_octets;  /* so many */
    uint8_t *out;      /* where the next octets go, */
    size_t out_octets; /* so many at most */
};

/* Takes from `in` and writes to `out` until one of them is used up; `io` moves on by what it took and wrote.
 * IW_ERR_FORMAT: the compressed octets are damaged, or need more memory than is allowed;
 * iw_decompress_reason says which. What was written before the fault stands. IW_ERR_NOMEM. */
enum iw_status iw_decompress_step(struct iw_decompress *decompress, struct iw_decompress_io *io);
const char *iw_decompress_reason(const struct iw_decompress *decompress);

/* The compressed octets have ended: IW_OK after a whole stream, IW_ERR_TRUNCATED within one. */
enum iw_status iw_decompress_end(const struct iw_decompress *decompress);

#endif
