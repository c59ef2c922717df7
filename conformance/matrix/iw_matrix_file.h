#pragma once

#include <jansson.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_matrix_scenario.h"
#include "iw_matrix_text.h"

/* The files that register the peers of a matrix: what each is, and how it is started. docs/matrix.md
 * describes them. */

enum iw_matrix_role { IW_MATRIX_INITIATOR, IW_MATRIX_RESPONDER, IW_MATRIX_ROLES };

struct iw_matrix_peer {
    const char *name;
    char *folder;         /* of its file: {here} */
    const char *address;  /* where it can be reached as a responder */
    const char *own_host; /* address of this host that it reaches */
    uint16_t port;        /* of the responder; 0: each process has its own, which `ready` finds */
    bool exclusive;       /* it can take part in one cell at a time */
    bool local;           /* its processes run on this host, and use its loopback device */
    const char *profile, *agent, *namespace, *ssh, *version; /* NULL: not given */
    regex_t ready; /* of the responder's output, if it has any command */
    bool ready_compiled;
    json_t *definition; /* everything above, with what its kind adds */
};

/* All files of a matrix. */
struct iw_matrix_file {
    struct iw_matrix_peer *peers;
    size_t count;
};

enum { IW_MATRIX_ERROR_OCTETS = 512, IW_MATRIX_PEERS_MAX = 64 };

/* Reads and checks the files; a peer has only the kinds of its own file. Returns false with one line in
 * error[IW_MATRIX_ERROR_OCTETS], which names the file and the place in it; call iw_matrix_file_clear in any
 * case. */
bool iw_matrix_file_read(
    struct iw_matrix_file *file, const char *const *paths, size_t path_count, char *error);
void iw_matrix_file_clear(struct iw_matrix_file *file);

const char *iw_matrix_role_name(enum iw_matrix_role role);

/* Returns the command line of the peer, with placeholders; NULL if it does not support the scenario in this
 * role. "*" is for all scenarios without a command of their own; a peer that is not local impairs its network
 * itself, and so needs one for a scenario with a network. */
const char *iw_matrix_peer_command(
    const struct iw_matrix_peer *peer, enum iw_matrix_role role, const struct iw_matrix_scenario *scenario);

/* What fills the command lines of a cell. */
struct iw_matrix_call {
    const char *here; /* {here}: folder of the peer's file; "." in the results */
    const struct iw_matrix_peer *peer;
    const struct iw_matrix_scenario *scenario;
    const char *host;
    uint16_t port;
    unsigned seconds;    /* instead of the scenario's, if that has any */
    const char *program; /* path of warpcheck */
    const char *prefix;  /* words before a program, which run it in the network of the cell; NULL: none */
};

/* Returns the command line with its values, as this host runs it: in the namespace of the peer, or over ssh.
 * The caller frees it. NULL if memory runs out. */
char *iw_matrix_call_text(const struct iw_matrix_call *call, const char *command);
