#define _GNU_SOURCE /* basename */
#include "iw_bundle.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "iw_evidence.h"
#include "iw_text.h"

enum { JSON_OCTETS_MAX = 1 << 20 }; /* maximum size of profile.json and of suite.json */

struct verifying {
    const struct iw_bundle *bundle;
    FILE *faults;
    size_t count;
};

__attribute__((format(printf, 3, 4))) static void verify_fault(
    struct verifying *verifying, const char *name, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    fprintf(verifying->faults, "%s: %s: ", verifying->bundle->path, name);
    vfprintf(verifying->faults, format, arguments);
    fputc('\n', verifying->faults);
    va_end(arguments);
    verifying->count++;
}

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
    struct verifying *verifying, const struct iw_bundle_member *listed, json_t *names) {
    const struct iw_bundle_member *member = iw_bundle_find(verifying->bundle, listed->name);

    if (json_object_get(names, listed->name) != NULL)
        verify_fault(verifying, listed->name, "is listed twice");
    json_object_set_new(names, listed->name, json_true());
    if (member == NULL)
        verify_fault(verifying, listed->name, "is missing");
    else if (member->octets != listed->octets)
        verify_fault(
            verifying, listed->name, "has %" PRIu64 " octets, not %" PRIu64, member->octets, listed->octets);
    else if (strcmp(member->digest, listed->digest) != 0)
        verify_fault(verifying, listed->name, "its SHA-256 is %s, not %s", member->digest, listed->digest);
}

/* Compares the files with MANIFEST. A file that is not listed is a fault, too. */
static void verify_check_manifest(struct verifying *verifying) {
    FILE *in = verify_open_member(verifying->bundle, IW_BUNDLE_MANIFEST);
    char line[IW_BUNDLE_DIGEST_OCTETS + IW_BUNDLE_NAME_MAX + 40];
    json_t *names = json_object();
    struct iw_bundle_member listed;
    unsigned number = 1;

    if (in == NULL || fgets(line, sizeof line, in) == NULL || strcmp(line, IW_BUNDLE_HEAD "\n") != 0)
        verify_fault(verifying, IW_BUNDLE_MANIFEST, in == NULL ? "is missing" : "does not begin with \"%s\"",
            IW_BUNDLE_HEAD);
    else
        while (number++, fgets(line, sizeof line, in) != NULL) {
            if (!verify_parse_line(line, &listed)) {
                verify_fault(verifying, IW_BUNDLE_MANIFEST, "line %u is not a digest, size and name", number);
                break;
            }
            verify_check_listed(verifying, &listed, names);
        }
    if (in != NULL)
        verify_close_member(in);
    for (size_t i = 0; i < verifying->bundle->count; i++) {
        const char *name = verifying->bundle->members[i].name;

        if (strcmp(name, IW_BUNDLE_MANIFEST) != 0 && json_object_get(names, name) == NULL)
            verify_fault(verifying, name, "is not listed");
    }
    json_decref(names);
}

/* ---- results.jsonl, and the files that it names ---- */

static void verify_check_number(
    struct verifying *verifying, const json_t *summary, const char *key, uint64_t value) {
    const json_t *stated = json_object_get(summary, key);

    if (stated == NULL ? value != 0 : iw_outcome_number(summary, key) != value)
        verify_fault(verifying, IW_RESULTS_FILE, "its summary has %s %" PRIu64 ", but there are %" PRIu64,
            key, iw_outcome_number(summary, key), value);
}

static void verify_check_summary(struct verifying *verifying, const struct iw_outcome_run *run) {
    enum iw_exit exit = iw_outcome_exit(run);

    if (run->summary == NULL) {
        verify_fault(verifying, IW_RESULTS_FILE, "has no summary: the run was cut short");
        return;
    }
    verify_check_number(verifying, run->summary, "cases", run->count);
    for (int i = 0; i < IW_VERDICT_COUNT; i++)
        verify_check_number(verifying, run->summary, iw_verdict_key((enum iw_verdict)i), run->counts[i]);
    verify_check_number(verifying, run->summary, "wrong_closes", run->wrong_closes);
    verify_check_number(verifying, run->summary, "wrong_claims", iw_outcome_object_count(run, "claim"));
    verify_check_number(verifying, run->summary, "crashes", iw_outcome_object_count(run, "crash"));
    verify_check_number(verifying, run->summary, "flakes", iw_outcome_object_count(run, "flake"));
    if (iw_outcome_number(run->summary, "exit") != (uint64_t)exit)
        verify_fault(verifying, IW_RESULTS_FILE, "its summary has exit %" PRIu64 ", but its cases give %d",
            iw_outcome_number(run->summary, "exit"), exit);
}

/* Returns the JSON value of a member; NULL if it is missing, not JSON, or too large. */
static json_t *verify_load_member(const struct iw_bundle *bundle, const char *name) {
    const struct iw_bundle_member *member = iw_bundle_find(bundle, name);
    FILE *in = member != NULL && member->octets <= JSON_OCTETS_MAX ? verify_open_member(bundle, name) : NULL;
    json_t *value = in != NULL ? json_loadf(in, JSON_REJECT_DUPLICATES, NULL) : NULL;

    if (in != NULL)
        verify_close_member(in);
    return value;
}

static void verify_check_equal(struct verifying *verifying, const char *name, const json_t *value,
    const char *key, const json_t *header) {
    const json_t *stated = json_object_get(header, key);

    if (stated == NULL || value == NULL || !json_equal(stated, value))
        verify_fault(verifying, name, "is not the \"%s\" of %s", key, IW_RESULTS_FILE);
}

static void verify_check_header(struct verifying *verifying, const struct iw_outcome_run *run) {
    json_t *suite = verify_load_member(verifying->bundle, IW_BUNDLE_SUITE);
    json_t *profile = verify_load_member(verifying->bundle, IW_BUNDLE_PROFILE);

    verify_check_equal(verifying, IW_BUNDLE_SUITE, json_object_get(suite, "version"), "version", run->header);
    verify_check_equal(
        verifying, IW_BUNDLE_SUITE, json_object_get(suite, "catalogue"), "catalogue", run->header);
    if (iw_bundle_find(verifying->bundle, IW_BUNDLE_PROFILE) != NULL ||
        json_object_get(run->header, "profile") != NULL)
        verify_check_equal(verifying, IW_BUNDLE_PROFILE, profile, "profile", run->header);
    json_decref(suite);
    json_decref(profile);
}

/* The last verdict in the log must be the verdict of the results. */
static void verify_check_log(struct verifying *verifying, const struct iw_outcome_case *one) {
    FILE *in = fopen(one->log, "r");
    char line[512], found[64] = "";
    const char *verdict;

    if (in == NULL && errno == ENOMEM)
        iw_bundle_note_no_memory();
    while (in != NULL && fgets(line, sizeof line, in) != NULL)
        if ((verdict = iw_evidence_verdict_of(line)) != NULL)
            snprintf(found, sizeof found, "%.*s", (int)strcspn(verdict, "\n"), verdict);
    if (in != NULL)
        verify_close_member(in);
    if (strcmp(found, iw_verdict_name(one->verdict)) != 0)
        verify_fault(verifying, basename(one->log), "says \"%s\" of %s, the results \"%s\"", found, one->id,
            iw_verdict_name(one->verdict));
}

/* Each case needs its capture and log, and each file must belong to a case. */
static void verify_check_evidence(struct verifying *verifying, const struct iw_outcome_run *run) {
    json_t *names = json_pack("{s:b, s:b, s:b, s:b}", IW_BUNDLE_MANIFEST, 1, IW_RESULTS_FILE, 1,
        IW_BUNDLE_SUITE, 1, IW_BUNDLE_PROFILE, 1);

    for (size_t i = 0; i < run->count; i++) {
        const struct iw_outcome_case *one = &run->cases[i];

        if (iw_results_text(one->object, "file")[0] == '\0')
            continue;
        if (one->capture == NULL || one->log == NULL)
            verify_fault(verifying, one->id, "its %s is missing", one->capture == NULL ? "capture" : "log");
        else
            verify_check_log(verifying, one);
        if (one->capture != NULL)
            json_object_set_new(names, basename(one->capture), json_true());
        if (one->log != NULL)
            json_object_set_new(names, basename(one->log), json_true());
    }
    for (size_t i = 0; i < verifying->bundle->count; i++)
        if (json_object_get(names, verifying->bundle->members[i].name) == NULL)
            verify_fault(verifying, verifying->bundle->members[i].name, "belongs to no case");
    json_decref(names);
}

/* Reports the diagnostic of iw_outcome_read without the path of the temporary folder. */
static void verify_check_read(struct verifying *verifying, const char *diagnostic) {
    const char *at = strstr(diagnostic, IW_RESULTS_FILE);

    if (at != NULL)
        at += strlen(IW_RESULTS_FILE);
    while (at != NULL && (*at == ':' || *at == ' '))
        at++;
    verify_fault(verifying, IW_RESULTS_FILE, "%.*s", (int)strcspn(at != NULL ? at : diagnostic, "\n"),
        at != NULL ? at : diagnostic);
}

static void verify_check_results(struct verifying *verifying) {
    char *path = iw_bundle_path(verifying->bundle, IW_RESULTS_FILE);
    struct iw_outcome_run run = {0};
    struct iw_text diagnostics;
    bool opened = iw_text_open(&diagnostics);
    enum iw_status status =
        path != NULL && opened ? iw_outcome_read(&run, path, diagnostics.out) : IW_ERR_NOMEM;
    char *diagnostic = iw_text_close(&diagnostics);

    if (status == IW_ERR_NOMEM) {
        iw_bundle_note_no_memory();
    } else if (status != IW_OK) {
        verify_check_read(verifying, diagnostic != NULL ? diagnostic : "out of memory");
    } else {
        verify_check_summary(verifying, &run);
        verify_check_header(verifying, &run);
        verify_check_evidence(verifying, &run);
        verifying->count += iw_bundle_judge(verifying->bundle, &run, verifying->faults);
    }
    iw_outcome_clear(&run);
    free(diagnostic);
    free(path);
}

size_t iw_bundle_verify(const struct iw_bundle *bundle, FILE *faults) {
    struct verifying verifying = {.bundle = bundle, .faults = faults};

    verify_check_manifest(&verifying);
    if (iw_bundle_find(bundle, IW_RESULTS_FILE) != NULL)
        verify_check_results(&verifying);
    else
        verify_fault(&verifying, IW_RESULTS_FILE, "is missing");
    return verifying.count;
}

/* Copies an untrusted text. Each octet that is not printable ASCII becomes '?'. */
static void verify_put_clean(char *to, size_t octets, const char *text) {
    size_t count = 0;

    for (; *text != '\0' && count + 1 < octets; text++)
        to[count++] = *text >= ' ' && *text <= '~' ? *text : '?';
    to[count] = '\0';
}

void iw_bundle_suite_text(const struct iw_bundle *bundle, char text[IW_BUNDLE_SUITE_OCTETS]) {
    json_t *suite = verify_load_member(bundle, IW_BUNDLE_SUITE);
    char version[40], catalogue[IW_BUNDLE_DIGEST_OCTETS];

    verify_put_clean(version, sizeof version, iw_results_text(suite, "version"));
    verify_put_clean(catalogue, sizeof catalogue, iw_results_text(suite, "catalogue"));
    snprintf(text, IW_BUNDLE_SUITE_OCTETS, "warpcheck %s, cases %s", version[0] != '\0' ? version : "?",
        catalogue[0] != '\0' ? catalogue : "?");
    json_decref(suite);
}
