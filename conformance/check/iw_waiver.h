#ifndef IW_WAIVER_H
#define IW_WAIVER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_monitor.h"
#include "iw_status.h"

/* Findings that are known and do not count: a file with a waiver a line,
 *
 *     RFC5044-4.4-* clause="RFC 5044 4.4" reason="firmware 3, mended in 4" owner=bob side=responder
 *
 * First the requirement's id, or a pattern of it; then KEY=VALUE, in any order. What has blanks stands in
 * double quotes. `clause` (document and section, or the document alone, of what is waived), `reason` and
 * `owner` are needed. `side` (initiator or responder: who offended), `peer` (its address and port) and `file`
 * (as given, or the last part of its path) say to whom the waiver is restricted; they and the id may be
 * patterns of the shell: * ? []. A line that begins with # is a comment. */

struct iw_waiver {
    char *pattern;
    char *clause, *reason, *owner;
    char *file, *peer; /* NULL: any */
    enum iw_role side; /* UNKNOWN: any */
    unsigned line;     /* of the file */
    uint64_t used;     /* findings that were waived */
};

struct iw_waivers {
    const char *path; /* the caller's */
    struct iw_waiver *list;
    size_t count;
};

/* Reads the file at `path`. With another result than IW_OK `complaints` has got a line for each line of the
 * file that is wrong, "PATH:7: no reason given", or one about the file; IW_ERR_FORMAT, IW_ERR_IO,
 * IW_ERR_NOMEM. To be cleared in any case. */
enum iw_status iw_waivers_read(struct iw_waivers *waivers, const char *path, FILE *complaints);
void iw_waivers_clear(struct iw_waivers *waivers);

/* The first waiver of what `role` at `address` did in `file`, or NULL; `waivers` may be NULL: none. */
const struct iw_waiver *iw_waivers_find(const struct iw_waivers *waivers,
    const struct iw_requirement *requirement, const char *file, enum iw_role role, const char *address);

/* Whether the clause is the requirement's own, "RFC 5044 4.4", or its document, "RFC 5044". */
bool iw_waiver_clause_fits(const char *clause, const struct iw_requirement *requirement);

/* So many more findings were waived by `waiver`, which is one of them. */
void iw_waivers_use(struct iw_waivers *waivers, const struct iw_waiver *waiver, uint64_t count);

#endif
