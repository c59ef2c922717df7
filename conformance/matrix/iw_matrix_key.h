#pragma once

#include <jansson.h>

#include "iw_digest.h"
#include "iw_matrix_file.h"

/* Which program, peers and scenario a result is of: the result of a cell is kept as long as its key stays the
 * same. */

struct iw_matrix_key {
    unsigned seconds; /* of scenarios that have any */
    size_t count;
    char (*peers)[IW_DIGEST_OCTETS]; /* digests of the definitions, files and versions of the peers */
};

/* `versions` are "peers" of the results. Returns false with a line in error[IW_MATRIX_ERROR_OCTETS] if a file
 * of a peer cannot be read, or memory runs out. Clear it in any case. */
bool iw_matrix_key_init(struct iw_matrix_key *key, const struct iw_matrix_file *file, const json_t *versions,
    unsigned seconds, char *error);
void iw_matrix_key_clear(struct iw_matrix_key *key);

/* Writes the key of a cell; "" if it has none. */
void iw_matrix_key_of_cell(const struct iw_matrix_key *key, size_t initiator, size_t responder,
    const struct iw_matrix_scenario *scenario, char text[IW_DIGEST_OCTETS]);
