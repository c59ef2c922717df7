#ifndef IW_CATALOGUE_H
#define IW_CATALOGUE_H

#include <stddef.h>

#include "iw_case.h"
#include "iw_digest.h"
#include "iw_status.h"

/* The cases of the suite: Lua files that each return a list of cases (iw_case.h). The global `common` of
 * each file is what common.lua in its folder returns, or else the built-in common.lua. */

struct iw_case_file {
    char *name;
    struct iw_script *script;
};

struct iw_catalogue {
    struct iw_case *cases;
    size_t count;
    struct iw_case_file *files;
    size_t file_count;
    char digest[IW_DIGEST_OCTETS]; /* of the texts of all files, common.lua first */
};

/* Loads all cases: the built-in ones or, with `folder`, the *.lua files there. On failure returns
 * IW_ERR_FORMAT, IW_ERR_IO or IW_ERR_NOMEM with one line in `error`; there is then nothing to dispose. */
enum iw_status iw_catalogue_init(
    struct iw_catalogue *catalogue, const char *folder, char *error, size_t error_octets);
void iw_catalogue_dispose(struct iw_catalogue *catalogue);

/* The case whose id is the `octets` octets at `id`, or NULL. */
const struct iw_case *iw_catalogue_find(const struct iw_catalogue *catalogue, const char *id, size_t octets);

#endif
