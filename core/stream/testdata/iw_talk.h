#ifndef IW_TALK_H
#define IW_TALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_mpa.h"
#include "iw_test_stream.h"
#include "iw_vector.h"

/* A conversation for tests: chunks go into an iw_mpa, or into one iw_half alone; events come out as text.
 * Frames are counted from 1, one for every chunk. */
struct iw_talk {
    struct iw_mpa mpa;
    struct iw_half *alone; /* if it is not NULL it gets the chunks of both sides */
    struct iw_event_log log;
    uint64_t offset[2]; /* of the next octet of the side */
    uint64_t frame;     /* of the last chunk */
};

/* Loads the golden vectors; fixtures for cmocka_run_group_tests. */
int iw_talk_load(void **state);
int iw_talk_unload(void **state);

const struct iw_vector *iw_talk_vector(const char *id);
void iw_talk_add_vector(struct iw_test_stream *stream, const char *id);

void iw_talk_init(struct iw_talk *talk, bool expected);
void iw_talk_init_config(struct iw_talk *talk, const struct iw_mpa_config *config);
void iw_talk_init_alone(struct iw_talk *talk, struct iw_half *half);
void iw_talk_dispose(struct iw_talk *talk);

void iw_talk_start(struct iw_talk *talk, enum iw_side side);
void iw_talk_octets(struct iw_talk *talk, enum iw_side side, const void *octets, size_t count);
void iw_talk_zeros(struct iw_talk *talk, enum iw_side side, uint32_t count);
void iw_talk_gap(struct iw_talk *talk, enum iw_side side, uint32_t count, bool cut);
void iw_talk_fin(struct iw_talk *talk, enum iw_side side);
void iw_talk_rst(struct iw_talk *talk, enum iw_side side);

/* One chunk of vectors one behind the other: "M03 F07 F08". `iw_talk_part` takes octets `from` to `to` of
 * them. */
void iw_talk_say(struct iw_talk *talk, enum iw_side side, const char *ids);
void iw_talk_part(struct iw_talk *talk, enum iw_side side, const char *ids, size_t from, size_t to);

/* Asserts what came out since the last call. */
void iw_talk_expect(struct iw_talk *talk, const char *text);

#endif
