#ifndef IW_CATALOGUE_H
#define IW_CATALOGUE_H

#include <stddef.h>

#include "iw_case.h"
#include "iw_digest.h"
#include "iw_status.h"

/* The cases of the suite: Lua files that return a list of cases (iw_case.h). What common.lua beside them
 * returns, or that of the program, is the global `common` of each. */

struct iw_case_file {
    char *name;
    struct iw_script *script;
};

struct iw_catalogue {
    struct iw_case *cases;
    size_t count;
    size_t capacity;
    struct iw_case_file *files;
    size_t file_count;
    char digest[IW_DIGEST_OCTETS]; /* of the texts of all files, what they share first */
};

/* Loads all cases: those built into the program, or with `folder` the *.lua files of that folder instead.
 * Returns IW_ERR_FORMAT, IW_ERR_IO or IW_ERR_NOMEM with one line in `error` if anything is wrong with one of
 * them; there is then nothing to dispose. */
enum iw_status iw_catalogue_init(
    struct iw_catalogue *catalogue, const char *folder, char *error, size_t error_octets);
void iw_catalogue_dispose(struct iw_catalogue *catalogue);

#endif
