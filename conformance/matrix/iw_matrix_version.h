#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "iw_loop.h"
#include "iw_matrix_file.h"

struct iw_matrix_version_config {
    struct iw_loop *loop; /* to stop it ends the commands */
    const struct iw_matrix_file *file;
    const char *program; /* path of warpcheck */
    /* Called with a line that names the peers, if they take long. */
    void (*tell)(void *user, const char *line);
    void *user;
};

/* Runs the version command of each peer that has one, and adds the last line of its output as "version" to
 * the peer in `results`. A command that fails leaves none. Returns false with a line in
 * error[IW_MATRIX_ERROR_OCTETS] if one cannot be started. */
bool iw_matrix_version_ask(const struct iw_matrix_version_config *config, json_t *results, char *error);
