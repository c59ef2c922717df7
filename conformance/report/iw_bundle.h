#ifndef IW_BUNDLE_H
#define IW_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_hash.h"
#include "iw_outcome.h"
#include "iw_status.h"

/* What certifies a run, in one archive (ustar, compressed by gzip if its name ends with .gz or .tgz): its
 * results, the capture and the wire log of each case, what the device claims, which suite it was, and
 * MANIFEST, which lists them:
 *
 *     warpcheck-bundle 1
 *     SHA-256 in hexadecimal  octets  name
 *
 * Of the same files it is always the same, octet for octet. One that is read may come from anybody. */

enum {
    IW_BUNDLE_NAME_MAX = 160, /* octets of a name */
    IW_BUNDLE_MEMBERS_MAX = 100000,
    IW_BUNDLE_DIGEST_OCTETS = 65, /* of the hexadecimal text, with its NUL */
};
#define IW_BUNDLE_MEMBER_OCTETS_MAX (UINT64_C(256) << 20) /* of one file, */
#define IW_BUNDLE_OCTETS_MAX (UINT64_C(8) << 30)          /* and of all */

extern const char iw_bundle_manifest[]; /* "MANIFEST" */
extern const char iw_bundle_head[];     /* its first line */
extern const char iw_bundle_results[];  /* "results.jsonl" */
extern const char iw_bundle_suite[];    /* "suite.json": {"version", "catalogue"} of the run */
extern const char iw_bundle_profile[];  /* "profile.json": what the device claims, if the run was told */

struct iw_bundle_member {
    char name[IW_BUNDLE_NAME_MAX + 1];
    uint64_t octets;
    char digest[IW_BUNDLE_DIGEST_OCTETS];
};

struct iw_bundle {
    const char *path; /* the caller's */
    char *folder;     /* in which its members lie while it is open */
    struct iw_bundle_member *members;
    size_t count, capacity;
    json_t *places; /* of each member by its name */
};

/* Writes the bundle of a run to the file at `path`. With another result than IW_OK, `complaints` has got one
 * line, and there is no such file: IW_ERR_FORMAT if something of the run is missing. */
enum iw_status iw_bundle_write(const char *path, const struct iw_outcome_run *run, FILE *diagnostics);

/* Takes the archive apart into a folder of its own. IW_ERR_FORMAT with one line in `complaints` if it is
 * none, or has what no bundle has: names that lead elsewhere, links, a file twice, more than the limits. To
 * be closed in any case, which removes the folder. */
enum iw_status iw_bundle_open(struct iw_bundle *bundle, const char *path, FILE *diagnostics);
void iw_bundle_close(struct iw_bundle *bundle);

/* The member of that name, or NULL. */
const struct iw_bundle_member *iw_bundle_find(const struct iw_bundle *bundle, const char *name);

/* The path of a member, for the caller to free; NULL: no memory. */
char *iw_bundle_path(const struct iw_bundle *bundle, const char *name);

/* Whether files of a bundle are called so: letters, digits, and "._-" within. */
bool iw_bundle_is_name(const char *name);

/* Holds an open bundle to its MANIFEST, its results to their summary, the logs to the verdicts, and judges
 * each capture anew: as its log tells, and as the results do. A line in `faults` for each that is not so,
 * "PATH: NAME: what"; returns how many. */
size_t iw_bundle_verify(const struct iw_bundle *bundle, FILE *faults);

/* Which suite has made it, "warpcheck 1.0, cases 12ab...": by suite.json, as far as it is there. */
enum { IW_BUNDLE_SUITE_OCTETS = 200 };
void iw_bundle_suite_text(const struct iw_bundle *bundle, char text[IW_BUNDLE_SUITE_OCTETS]);

/* The part of it that is about captures. */
size_t iw_bundle_judge(const struct iw_bundle *bundle, const struct iw_outcome_run *run, FILE *faults);

/* Adds a member without octets, of a name that none has. NULL: no memory. */
struct iw_bundle_member *iw_bundle_add(struct iw_bundle *bundle, const char *name);

/* Memory ran out while a bundle was verified, so that a fault may be none. For the whole process. */
void iw_bundle_note_no_memory(void);
bool iw_bundle_memory_failed(void);

/* Around the use of libarchive, which ends the process with 1 when memory runs out for a text: that would be
 * a verdict. Between the two calls such an end becomes IW_EXIT_INTERNAL, with a line on stderr. */
void iw_bundle_archive_begin(void);
void iw_bundle_archive_end(void);

/* Hexadecimal text of a SHA-256. */
void iw_bundle_digest(const uint8_t value[IW_HASH_OCTETS_MAX], char digest[IW_BUNDLE_DIGEST_OCTETS]);

#endif
