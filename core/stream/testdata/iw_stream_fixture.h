#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_mpa.h"
#include "iw_test_stream.h"
#include "iw_vector.h"

/* A connection for tests: chunks go into an iw_mpa, or into one iw_half alone; events come out as text.
 * Each chunk has the next frame number, from 1. */
struct iw_stream_fixture {
    struct iw_mpa mpa;
    struct iw_half *alone; /* if not NULL, it gets the chunks of both sides */
    struct iw_event_log log;
    uint64_t offset[2]; /* of the next octet of the side */
    uint64_t frame;     /* of the last chunk */
};

/* Loads the golden vectors; fixtures for cmocka_run_group_tests. */
int iw_stream_fixture_load(void **state);
int iw_stream_fixture_unload(void **state);

const struct iw_vector *iw_stream_fixture_vector(const char *id);
void iw_stream_fixture_add_vector(struct iw_test_stream *stream, const char *id);

void iw_stream_fixture_init(struct iw_stream_fixture *fixture, bool expected);
void iw_stream_fixture_init_config(struct iw_stream_fixture *fixture, const struct iw_mpa_config *config);
void iw_stream_fixture_init_alone(struct iw_stream_fixture *fixture, struct iw_half *half);
void iw_stream_fixture_dispose(struct iw_stream_fixture *fixture);

void iw_stream_fixture_start(struct iw_stream_fixture *fixture, enum iw_side side);
void iw_stream_fixture_octets(
    struct iw_stream_fixture *fixture, enum iw_side side, const void *octets, size_t count);
void iw_stream_fixture_zeros(struct iw_stream_fixture *fixture, enum iw_side side, uint32_t count);
void iw_stream_fixture_gap(struct iw_stream_fixture *fixture, enum iw_side side, uint32_t count, bool cut);
void iw_stream_fixture_fin(struct iw_stream_fixture *fixture, enum iw_side side);
void iw_stream_fixture_rst(struct iw_stream_fixture *fixture, enum iw_side side);

/* Sends one chunk of concatenated vectors: "M03 F07 F08". `iw_stream_fixture_part` sends octets `from` to
 * `to` of them. */
void iw_stream_fixture_send(struct iw_stream_fixture *fixture, enum iw_side side, const char *ids);
void iw_stream_fixture_part(
    struct iw_stream_fixture *fixture, enum iw_side side, const char *ids, size_t from, size_t to);

/* Asserts the events since the last call. */
void iw_stream_fixture_expect(struct iw_stream_fixture *fixture, const char *text);
