#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_monitor.h"
#include "iw_pairs.h"
#include "iw_status.h"
#include "iw_upper_rule.h"

/* Known findings that do not count: a file with one waiver per line,
 *
 *     RFC5044-4.4-* clause="RFC 5044 4.4" reason="firmware 3, mended in 4" owner=bob side=responder
 *
 * The id of a requirement, or of a rule of the protocols above (iw_upper_rule.h), or a pattern comes first;
 * KEY=VALUE pairs follow in any order. A value with blanks is in double quotes. `clause` (document and
 * section, or the document alone) and `reason` are required. `owner` and `issue` (of a tracker) are for
 * people. After the day of `until`, such as 2027-01-31, the waiver does not apply. `side` (the violating
 * side: initiator or responder), `peer` (its address and port) and `file` (as given, or the last part of its
 * path) restrict the waiver. `peer`, `file` and the id may be shell patterns:
 * * ? []. A line that begins with # is a comment. A line with the key `verdict` is about a case of the suite
 * (iw_expect.h), and is no waiver. */

struct iw_waiver {
    char *pattern;
    char *clause, *reason;
    char *owner, *issue, *until; /* NULL: not given */
    char *file, *peer;           /* NULL: any file, any peer */
    enum iw_role side;           /* violating side; UNKNOWN: any side */
    bool upper;                  /* names rules of the protocols above, and no requirement */
    unsigned line;               /* number of the line in the file */
    uint64_t used;               /* number of findings waived */
};

struct iw_waivers {
    const char *path; /* path of the file; owned by the caller */
    struct iw_waiver *list;
    size_t count;
};

/* Reads the file at `path`, which must outlive `waivers`. Each error is a line in `diagnostics`, such as
 * "PATH:7: no reason given"; returns IW_ERR_FORMAT or IW_ERR_IO then. Clear `waivers` in any case. */
enum iw_status iw_waivers_read(struct iw_waivers *waivers, const char *path, FILE *diagnostics);
void iw_waivers_clear(struct iw_waivers *waivers);

/* Adds the waiver of a line. If the line is wrong, reports the error and returns false. */
bool iw_waivers_take(struct iw_waivers *waivers, struct iw_pairs *line);

/* Returns the owner, or "no owner". */
const char *iw_waiver_owner(const struct iw_waiver *waiver);

/* Stores the value of the key `until`, which is a date; `record` is the char * that gets a copy. */
bool iw_waiver_take_until(const struct iw_pairs *line, void *record, char *value);

/* Returns the first waiver that fits a violation in `file` by `role` at `address`, or NULL. `waivers` may be
 * NULL. */
const struct iw_waiver *iw_waivers_find(const struct iw_waivers *waivers,
    const struct iw_requirement *requirement, const char *file, enum iw_role role, const char *address);

/* The same for a violation of a rule of the protocols above. */
const struct iw_waiver *iw_waivers_find_upper(const struct iw_waivers *waivers,
    const struct iw_upper_rule *rule, const char *file, enum iw_role role, const char *address);

/* Returns whether `clause` names the requirement's document and section, or only the document. Examples: "RFC
 * 5044 4.4", "RFC 5044". */
bool iw_waiver_clause_fits(const char *clause, const struct iw_requirement *requirement);

/* Returns whether `pattern` matches the id of a requirement or of a rule of the protocols above. */
bool iw_waiver_pattern_fits(const char *pattern);

/* Returns whether the waiver waived nothing, although what it names was judged. `upper`: the rules of the
 * protocols above were judged, too. */
bool iw_waiver_is_unused(const struct iw_waiver *waiver, bool upper);

/* Adds `count` to the findings waived by `waiver`, an element of `waivers`. */
void iw_waivers_use(struct iw_waivers *waivers, const struct iw_waiver *waiver, uint64_t count);
