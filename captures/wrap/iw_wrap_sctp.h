#pragma once

#include "iw_wrap_packet.h"

/* Stream positions of the two sides of a connection, by sender: 0 or 1. */
struct iw_wrap_sides {
    uint32_t isn[2];  /* Initial Sequence Number; over SCTP the first TSN */
    uint32_t next[2]; /* stream offset of the next octet; over SCTP of the next TSN */
};

static inline void iw_wrap_sides_restart(struct iw_wrap_sides *sides) {
    sides->next[0] = sides->next[1] = 0;
}

static inline void iw_wrap_move_to(struct iw_wrap_sides *sides, unsigned sender, uint32_t offset) {
    if (offset > sides->next[sender])
        sides->next[sender] = offset;
}

/* Lines of a recipe that write SCTP packets (RFC 9260 3); captures/README.md describes them. `sender` is 0
 * for the opener and 1 for the other side; `words` follow the first word of the line. */

/* Writes the four packets that set up an association (RFC 9260 5.1). */
void iw_wrap_associate(struct iw_wrap_file *file, struct iw_wrap_sides *sides);

/* Writes a packet of DATA chunks: payload protocol identifier, stream and items each, with "+" between them.
 */
void iw_wrap_sctp_line(
    struct iw_wrap_file *file, struct iw_wrap_sides *sides, unsigned sender, char **words, unsigned count);

/* Writes a packet of chunks that the recipe writes out. */
void iw_wrap_chunks_line(
    struct iw_wrap_file *file, struct iw_wrap_sides *sides, unsigned sender, char **words, unsigned count);
