#pragma once

#include <stddef.h>

#include "iw_case.h"
#include "iw_digest.h"
#include "iw_status.h"

/* The catalogue: all cases of the suite. Each Lua file returns a list of cases (iw_case.h). The global
 * `common` of a file is the result of common.lua in its folder, or else of the built-in one. */

struct iw_case_file {
    char *name;
    struct iw_script *script;
};

struct iw_catalogue {
    struct iw_case *cases;
    size_t count;
    struct iw_case_file *files;
    size_t file_count;
    char digest[IW_DIGEST_OCTETS]; /* SHA-256 of all files, common.lua first (iw_digest.h) */
};

/* Loads the *.lua files in `folder`, or the built-in cases if `folder` is NULL. On failure returns
 * IW_ERR_FORMAT, IW_ERR_IO or IW_ERR_NOMEM with one line in `error`; there is then nothing to dispose of. */
enum iw_status iw_catalogue_init(
    struct iw_catalogue *catalogue, const char *folder, char *error, size_t error_octets);

/* Loads the built-in cases of tier relay (conformance/cases/relay), for two devices; otherwise as above. */
enum iw_status iw_catalogue_init_relay(struct iw_catalogue *catalogue, char *error, size_t error_octets);

void iw_catalogue_dispose(struct iw_catalogue *catalogue);

/* Finds the case whose id is the `octets` octets at `id`. Returns NULL if it does not exist. */
const struct iw_case *iw_catalogue_find(const struct iw_catalogue *catalogue, const char *id, size_t octets);
