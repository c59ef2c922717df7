#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "iw_loop.h"
#include "iw_matrix_file.h"

/* Runs the version command of each peer that has one, and adds the last line of its output as "version" to
 * the peer in `results`. A command that fails leaves none. Returns false with a line in
 * error[IW_MATRIX_ERROR_OCTETS] if one cannot be started. */
bool iw_matrix_version_ask(struct iw_loop *loop, const struct iw_matrix_file *file, const char *program,
    json_t *results, char *error);
