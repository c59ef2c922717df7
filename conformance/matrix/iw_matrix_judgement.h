#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "iw_matrix_file.h"

/* What the relay of a cell says of its two peers: the JSON Lines of `warpcheck relay --format jsonl`. */

enum { IW_MATRIX_JUDGEMENT_TEXT_OCTETS = 200 };

struct iw_matrix_judgement {
    json_t *findings; /* by peer and requirement, each with its first message and frame, and a count */
    json_t *unjudged; /* keys of what could not be judged, sorted */
    uint64_t opened;  /* connections */
    uint64_t errors;  /* findings that are violations */
    bool violates[IW_MATRIX_ROLES];
    int exit; /* exit code of the judgement (iw_exit.h); -1: the relay has not come to its end */
    char trouble[IW_MATRIX_JUDGEMENT_TEXT_OCTETS]; /* the last line that is not JSON: an error of the relay;
                                                      or why the file cannot be read; or "" */
};

/* Reads the file. Returns false with judgement->trouble if it cannot be read, has a line of more than
 * IW_RESULTS_LINE_MAX octets, or memory ran out. Clear the judgement in any case. */
bool iw_matrix_judgement_read(struct iw_matrix_judgement *judgement, const char *path);
void iw_matrix_judgement_clear(struct iw_matrix_judgement *judgement);
