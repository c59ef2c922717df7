#define _GNU_SOURCE /* basename */
#include "iw_bundle_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iw_json_member.h"

enum { JSON_OCTETS_MAX = 1 << 20 }; /* maximum size of profile.json and of suite.json */

static FILE *verify_open_member(const struct iw_bundle *bundle, const char *name) {
    char *path = iw_bundle_path(bundle, name);
    FILE *in = path != NULL && iw_bundle_find(bundle, name) != NULL ? fopen(path, "r") : NULL;

    if (path == NULL || (in == NULL && errno == ENOMEM))
        iw_bundle_note_no_memory();
    free(path);
    return in;
}

/* Closes the member. A read error means that the C library had no memory for its buffer. */
static void verify_close_member(FILE *in) {
    if (ferror(in))
        iw_bundle_note_no_memory();
    fclose(in);
}

/* ---- MANIFEST ---- */

/* Parses "DIGEST  OCTETS  NAME\n". */
static bool verify_parse_line(char *line, struct iw_bundle_member *listed) {
    char *octets = line + IW_BUNDLE_DIGEST_OCTETS - 1, *end;
    size_t length = strlen(line);

    *listed = (struct iw_bundle_member){.octets = 0};
    if (length == 0 || line[length - 1] != '\n' ||
        strspn(line, "0123456789abcdef") != IW_BUNDLE_DIGEST_OCTETS - 1 || strncmp(octets, "  ", 2) != 0)
        return false;
    line[length - 1] = '\0';
    memcpy(listed->digest, line, IW_BUNDLE_DIGEST_OCTETS - 1);
    octets += 2;
    if (*octets < '0' || *octets > '9')
        return false;
    errno = 0;
    listed->octets = strtoull(octets, &end, 10);
    if (errno != 0 || strncmp(end, "  ", 2) != 0 || !iw_bundle_is_name(end + 2))
        return false;
    snprintf(listed->name, sizeof listed->name, "%s", end + 2);
    return true;
}

static void verify_check_listed(
    struct iw_bundle_check *check, const struct iw_bundle_member *listed, json_t *names) {
    const struct iw_bundle_member *member = iw_bundle_find(check->bundle, listed->name);

    if (json_object_get(names, listed->name) != NULL)
        iw_bundle_fault(check, listed->name, "is listed twice");
    json_object_set_new(names, listed->name, json_true());
    if (member == NULL)
        iw_bundle_fault(check, listed->name, "is missing");
    else if (member->octets != listed->octets)
        iw_bundle_fault(
            check, listed->name, "has %" PRIu64 " octets, not %" PRIu64, member->octets, listed->octets);
    else if (strcmp(member->digest, listed->digest) != 0)
        iw_bundle_fault(check, listed->name, "its SHA-256 is %s, not %s", member->digest, listed->digest);
}

/* Compares the files with MANIFEST. A file that is not listed is a fault, too. */
static void verify_check_manifest(struct iw_bundle_check *check) {
    FILE *in = verify_open_member(check->bundle, IW_BUNDLE_MANIFEST);
    char line[IW_BUNDLE_DIGEST_OCTETS + IW_BUNDLE_NAME_MAX + 40];
    json_t *names = json_object();
    struct iw_bundle_member listed;
    unsigned number = 1;

    if (in == NULL || fgets(line, sizeof line, in) == NULL || strcmp(line, IW_BUNDLE_HEAD "\n") != 0)
        iw_bundle_fault(check, IW_BUNDLE_MANIFEST, in == NULL ? "is missing" : "does not begin with \"%s\"",
            IW_BUNDLE_HEAD);
    else
        while (number++, fgets(line, sizeof line, in) != NULL) {
            if (!verify_parse_line(line, &listed)) {
                iw_bundle_fault(check, IW_BUNDLE_MANIFEST, "line %u is not a digest, size and name", number);
                break;
            }
            verify_check_listed(check, &listed, names);
        }
    if (in != NULL)
        verify_close_member(in);
    for (size_t i = 0; i < check->bundle->count; i++) {
        const char *name = check->bundle->members[i].name;

        if (strcmp(name, IW_BUNDLE_MANIFEST) != 0 && json_object_get(names, name) == NULL)
            iw_bundle_fault(check, name, "is not listed");
    }
    json_decref(names);
}

/* ---- results.jsonl, and the files that it names ---- */

/* Returns the JSON value of a member; NULL if it is missing, not JSON, or too large. */
static json_t *verify_load_member(const struct iw_bundle *bundle, const char *name) {
    const struct iw_bundle_member *member = iw_bundle_find(bundle, name);
    FILE *in = member != NULL && member->octets <= JSON_OCTETS_MAX ? verify_open_member(bundle, name) : NULL;
    json_t *value = in != NULL ? json_loadf(in, JSON_REJECT_DUPLICATES, NULL) : NULL;

    if (in != NULL)
        verify_close_member(in);
    return value;
}

static void verify_check_equal(struct iw_bundle_check *check, const char *name, const json_t *value,
    const char *key, const json_t *header) {
    const json_t *stated = json_object_get(header, key);

    if (stated == NULL || value == NULL || !json_equal(stated, value))
        iw_bundle_fault(check, name, "is not the \"%s\" of %s", key, IW_RESULTS_FILE);
}

static void verify_check_header(struct iw_bundle_check *check) {
    json_t *suite = verify_load_member(check->bundle, IW_BUNDLE_SUITE);
    json_t *profile = verify_load_member(check->bundle, IW_BUNDLE_PROFILE);

    verify_check_equal(
        check, IW_BUNDLE_SUITE, json_object_get(suite, "version"), "version", check->run.header);
    verify_check_equal(
        check, IW_BUNDLE_SUITE, json_object_get(suite, "catalogue"), "catalogue", check->run.header);
    if (iw_bundle_find(check->bundle, IW_BUNDLE_PROFILE) != NULL ||
        json_object_get(check->run.header, "profile") != NULL)
        verify_check_equal(check, IW_BUNDLE_PROFILE, profile, "profile", check->run.header);
    json_decref(suite);
    json_decref(profile);
}

/* Notes that the file belongs to the case; no other case may have it. */
static void verify_take_file(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, json_t *names, const char *path) {
    const char *name = basename(path);

    if (json_object_get(names, name) != NULL)
        iw_bundle_fault(check, one->id, "its evidence %s belongs to another case, too", name);
    json_object_set_new(names, name, json_true());
}

/* Each case needs its capture and log, and each file must belong to a case. */
static void verify_check_evidence(struct iw_bundle_check *check) {
    json_t *names = json_pack("{s:b, s:b, s:b, s:b}", IW_BUNDLE_MANIFEST, 1, IW_RESULTS_FILE, 1,
        IW_BUNDLE_SUITE, 1, IW_BUNDLE_PROFILE, 1);

    for (size_t i = 0; i < check->run.count; i++) {
        const struct iw_outcome_case *one = &check->run.cases[i];

        if (iw_json_member_text(one->object, "file")[0] == '\0')
            continue;
        if (one->capture == NULL || one->log == NULL)
            iw_bundle_fault(check, one->id, "its %s is missing", one->capture == NULL ? "capture" : "log");
        if (one->capture != NULL)
            verify_take_file(check, one, names, one->capture);
        if (one->log != NULL)
            verify_take_file(check, one, names, one->log);
    }
    for (size_t i = 0; i < check->bundle->count; i++)
        if (json_object_get(names, check->bundle->members[i].name) == NULL)
            iw_bundle_fault(check, check->bundle->members[i].name, "belongs to no case");
    json_decref(names);
}

void iw_bundle_verify(struct iw_bundle_check *check) {
    verify_check_manifest(check);
    if (!check->read)
        return;
    verify_check_header(check);
    verify_check_evidence(check);
}
