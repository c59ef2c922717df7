#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_hash.h"
#include "iw_helper.h"
#include "iw_outcome.h"
#include "iw_results.h"
#include "iw_status.h"

/* The evidence of a run in one archive (ustar, compressed if its name says so, or zip): its results, the
 * capture and wire log of each case, the claims of the device, the version of the suite, and MANIFEST, which
 * lists the files:
 *
 *     warpcheck-bundle 1
 *     SHA-256 in hexadecimal  octets  name
 *
 * Equal files give equal archives. A bundle that is read is untrusted. */

enum {
    IW_BUNDLE_NAME_MAX = 160, /* octets */
    IW_BUNDLE_MEMBERS_MAX = 100000,
    IW_BUNDLE_DIGEST_OCTETS = 65, /* including the terminating NUL */
};
#define IW_BUNDLE_MEMBER_OCTETS_MAX (UINT64_C(256) << 20) /* maximum size of a file */
#define IW_BUNDLE_OCTETS_MAX (UINT64_C(8) << 30)          /* maximum size of all files */

#define IW_BUNDLE_MANIFEST "MANIFEST"
#define IW_BUNDLE_HEAD "warpcheck-bundle 1" /* first line of MANIFEST */
#define IW_BUNDLE_SUITE "suite.json"        /* "version" and "catalogue" of the run */
#define IW_BUNDLE_PROFILE "profile.json"    /* claims of the device, if the run had a profile */

struct iw_bundle_member {
    char name[IW_BUNDLE_NAME_MAX + 1];
    uint64_t octets;
    char digest[IW_BUNDLE_DIGEST_OCTETS];
};

struct iw_bundle {
    const char *path; /* path of the archive; the caller's */
    char *folder;     /* temporary folder with the extracted files */
    struct iw_bundle_member *members;
    size_t count;
    json_t *places;          /* maps the name of a member to its index */
    struct iw_helper helper; /* of iw_bundle_detach */
};

/* The archive format that a file name selects: TAR for .tar; GZIP for .tar.gz; ZSTD for .tar.zst;
 * ZIP for .zip. */
enum iw_bundle_form { IW_BUNDLE_UNKNOWN, IW_BUNDLE_TAR, IW_BUNDLE_GZIP, IW_BUNDLE_ZSTD, IW_BUNDLE_ZIP };
enum iw_bundle_form iw_bundle_form(const char *path);

/* Writes the bundle of a run to the file at `path`. On failure adds a line to `diagnostics`, and an earlier
 * file remains. IW_ERR_FORMAT: a file of the run is missing, cannot be read, is too large, has an invalid
 * name, or has changed. */
enum iw_status iw_bundle_write(const char *path, const struct iw_outcome_run *run, FILE *diagnostics);

/* Makes the folder for the files of the archive at `path`; iw_bundle_open follows. Adds a line to
 * `diagnostics` on failure. Close `bundle` in any case. */
enum iw_status iw_bundle_begin(struct iw_bundle *bundle, const char *path, FILE *diagnostics);

/* Starts a process that will remove the folder for this one, which can then give up the right to do so
 * (iw_confine). It also removes it if this process ends without iw_bundle_close. Call it after
 * iw_bundle_begin, before any other thread exists. Returns 0, or an errno. */
int iw_bundle_detach(struct iw_bundle *bundle);

/* Extracts the archive into the folder. On failure adds a line to `diagnostics`. IW_ERR_FORMAT: not a
 * bundle, or it has names with folders, links, duplicate files, or more than the limits allow. Close `bundle`
 * in any case: this removes the folder. */
enum iw_status iw_bundle_open(struct iw_bundle *bundle, FILE *diagnostics);
void iw_bundle_close(struct iw_bundle *bundle);

/* Returns the member of this name, or NULL. */
const struct iw_bundle_member *iw_bundle_find(const struct iw_bundle *bundle, const char *name);

/* Returns the path of the extracted member, which the caller frees; NULL if memory runs out. */
char *iw_bundle_path(const struct iw_bundle *bundle, const char *name);

/* Returns whether `name` is valid in a bundle: letters, digits, and "._-" except a leading dot. */
bool iw_bundle_is_name(const char *name);

/* Adds a member without octets, whose name must be new. Returns NULL if memory runs out. */
struct iw_bundle_member *iw_bundle_add(struct iw_bundle *bundle, const char *name);

/* Records, for the whole process, that verification lacked memory: a reported fault may not be real. */
void iw_bundle_note_no_memory(void);
bool iw_bundle_memory_failed(void);

/* Call these functions before and after each use of libarchive. If it has no memory for a string, libarchive
 * exits with 1, the exit code for violations. Between the two calls it exits with IW_EXIT_INTERNAL and a line
 * on stderr. */
void iw_bundle_archive_begin(void);
void iw_bundle_archive_end(void);

/* Writes a SHA-256 as hexadecimal text. */
void iw_bundle_digest(const uint8_t value[IW_HASH_OCTETS_MAX], char digest[IW_BUNDLE_DIGEST_OCTETS]);
