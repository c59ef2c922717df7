#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_fpdu.h"
#include "iw_fpdu_reader.h"
#include "iw_half.h"

/* Shared by the tests of this layer: the places of the marker vectors, streams cut into chunks in many
 * ways, and events as text. */

enum { IW_TEST_STREAM_MAX = 131072 };

/* K01 to K06: the position of the vector from the first octet of full operation, and its Markers, by the
 * titles and fields of vectors.json. */
struct iw_marked {
    const char *id;
    uint32_t position;
    uint16_t ulpdu_octets;
    unsigned marker_count;
    struct {
        uint32_t at; /* octets from the start of the vector */
        uint16_t fpduptr;
    } markers[3];
    uint8_t crc[4];
};

enum { IW_MARKED_COUNT = 6 };

extern const struct iw_marked iw_marked[IW_MARKED_COUNT];

/* The octets of one direction, and the frame in which each was fed. */
struct iw_test_stream {
    uint64_t offset; /* stream offset of octets[0] */
    uint64_t origin; /* stream offset of the first octet of full operation */
    bool markers;
    uint32_t length;
    uint8_t octets[IW_TEST_STREAM_MAX];
    uint64_t frames[IW_TEST_STREAM_MAX];
};

void iw_test_stream_clear(struct iw_test_stream *stream, uint64_t offset, bool markers, uint64_t origin);
void iw_test_stream_add(struct iw_test_stream *stream, const uint8_t *octets, size_t count);

/* Adds an FPDU of `wire` octets, Markers included, at a multiple of 4 from the origin: zeros except for
 * ULPDU_Length, FPDUPTR and a correct CRC. Made octet by octet, without the writer. */
void iw_test_stream_fill(struct iw_test_stream *stream, uint32_t wire);

/* Adds the FPDU of a Send of one segment, with this many octets of payload, none of them 0, and the Markers
 * that are due. Made octet by octet, without the writer. */
void iw_test_stream_send(struct iw_test_stream *stream, uint8_t msn, uint32_t payload_octets);

/* A DATA chunk of the stream's octets `from` to `from` + `count`, noted to have come in `frame`. */
struct iw_chunk iw_test_stream_chunk(
    struct iw_test_stream *stream, enum iw_side side, uint32_t from, uint32_t count, uint64_t frame);

/* Clears the stream and starts the reader, both in full operation at offset 0. */
void iw_test_stream_start(
    struct iw_test_stream *stream, struct iw_fpdu_reader *reader, bool markers, enum iw_crc_use crc);

/* Feeds such a chunk of side B to the reader. */
void iw_test_stream_feed(struct iw_test_stream *stream, struct iw_fpdu_reader *reader, uint32_t from,
    uint32_t count, uint64_t frame);

/* Asserts octet by octet that image, span map, Markers, sizes and frames of a complete FPDU are those of
 * the stream. */
void iw_test_stream_check(const struct iw_test_stream *stream, const struct iw_fpdu *fpdu);

/* Size of the next chunk: `size` octets, or a random number of 1 to 2000, often small, if `size` is 0. */
struct iw_cut {
    uint32_t size;
    uint32_t seed;
};

uint32_t iw_test_random(uint32_t *seed);
uint32_t iw_cut_next(struct iw_cut *cut, uint32_t left);

/* Events as lines of text. `user` of the sink is the log. */
struct iw_event_log {
    FILE *file;
    char *text;
    size_t length;
    bool frames;                             /* write the frame numbers too */
    const struct iw_test_stream *streams[2]; /* by side: FPDUs are checked against it, unless NULL */
    unsigned count[IW_LLP_CLOSE + 1];        /* events by kind */
};

void iw_event_log_init(struct iw_event_log *log);
void iw_event_log_dispose(struct iw_event_log *log);
void iw_event_log_clear(struct iw_event_log *log);
const char *iw_event_log_text(struct iw_event_log *log);

/* "ulpdu 42 crc good marker 0": the facts that do not depend on the cuts. */
void iw_event_log_fpdu(struct iw_event_log *log, const struct iw_fpdu *fpdu);
void iw_event_log_sink(void *user, const struct iw_llp_event *event);
