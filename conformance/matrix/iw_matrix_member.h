#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "iw_matrix_file.h"

/* Checks the members of a file of peers: part of iw_matrix_file. */

struct iw_matrix_member {
    const char *path;   /* of the file */
    const char *folder; /* of it */
    const char *place;  /* such as "peer red"; "": the whole file */
    char *error;        /* of IW_MATRIX_ERROR_OCTETS octets */
};

/* Writes "PATH: PLACE: text" as the error. Always returns false. */
bool iw_matrix_member_error(struct iw_matrix_member *at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Checks names and types of the members of a kind or a peer. */
bool iw_matrix_member_check(struct iw_matrix_member *at, json_t *object, bool of_peer);

/* Checks scenarios and placeholders of all commands of the peer. */
bool iw_matrix_member_check_commands(struct iw_matrix_member *at, const struct iw_matrix_peer *peer);
