#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_coverage.h"
#include "iw_exit.h"
#include "iw_reasons.h"
#include "iw_requirement.h"
#include "iw_results.h"
#include "iw_run.h"
#include "iw_status.h"
#include "iw_verdict.h"
#include "iw_violations.h"

/* A run of the suite, read from results.jsonl (docs/json.md): the input of all reports. The file
 * and the logs beside it are untrusted. */

enum {
    IW_OUTCOME_REQUIREMENTS_MAX = 16, /* maximum per case */
    IW_OUTCOME_ID_MAX = 100,          /* maximum octets of a case id */
    IW_OUTCOME_VALUES_MAX = 8 << 20,  /* maximum JSON values in a file; a list or object counts as four */
    IW_OUTCOME_LOG_MAX = 256 << 10,   /* maximum octets read of a wire log */
};

/* The result of a case, or of one repeat of it. Missing texts are "". */
struct iw_outcome_case {
    json_t *object;   /* line of the case in the file */
    json_t *findings; /* array of the findings in the lines after the case */
    const char *id, *title, *message, *expected, *actual, *script, *step, *close, *close_verdict;
    const char *outstanding; /* requests without a response at the end of the connection */
    const char *requirements[IW_OUTCOME_REQUIREMENTS_MAX];
    /* The same requirements; NULL: this version does not know the requirement. */
    const struct iw_requirement *known[IW_OUTCOME_REQUIREMENTS_MAX];
    size_t requirement_count;
    enum iw_verdict verdict;
    uint64_t repeat; /* number of the repeat, from 1; 0: not repeated */
    uint64_t line;   /* line of the script; 0: unknown */
    uint64_t duration_ms;
    char *capture, *log; /* paths of the files; NULL: not found */
};

struct iw_outcome_run {
    char *path; /* path of results.jsonl */
    char *name;
    json_t *header;        /* object "run", or NULL */
    json_t *summary;       /* object "summary"; NULL: the run was cut short */
    json_t *derived;       /* array of the objects that follow from the cases: "violation" and so on */
    json_t *other_objects; /* array of all other objects, such as "claim" */
    json_t *places;        /* maps iw_outcome_case_name to the index of the case */
    struct iw_outcome_case *cases;
    size_t count;
    uint64_t counts[IW_VERDICT_COUNT];
    uint64_t wrong_closes;
    uint64_t not_run;
};

/* Reads results.jsonl. `operand` is the file or its folder, optionally as NAME=PATH. Without NAME, the run
 * has the name of its folder or file. Ignores an incomplete last line. On IW_ERR_IO, IW_ERR_FORMAT or
 * IW_ERR_NOMEM, `diagnostics` has one line, such as "PATH:7: no JSON object". Clear `run` in any case. */
/* The folder of the results that `operand` names, with the captures and logs. The caller frees it; NULL:
 * memory ran out. */
char *iw_outcome_folder(const char *operand);

enum iw_status iw_outcome_read(struct iw_outcome_run *run, const char *operand, FILE *diagnostics);
void iw_outcome_clear(struct iw_outcome_run *run);

/* Returns the exit code of a run in which one case has this verdict and all others pass. */
enum iw_exit iw_outcome_verdict_exit(enum iw_verdict verdict);

/* Returns the numbers that decide the exit code of the run. */
struct iw_run_counts iw_outcome_run_counts(const struct iw_outcome_run *run);

/* Returns the exit code of the run, by iw_run_exit. A missing summary counts as unjudged. */
enum iw_exit iw_outcome_exit(const struct iw_outcome_run *run);

/* Returns whether the run is a shard without cases, and writes that as iw_run_is_empty_shard does. */
bool iw_outcome_is_empty_shard(const struct iw_outcome_run *run, char text[IW_RUN_EMPTY_SHARD_OCTETS]);

/* Returns the member `key` of the object as a number; 0 if it is not a positive integer. */
uint64_t iw_outcome_number(const json_t *object, const char *key);

/* Returns the number of `other_objects` of this type. */
uint64_t iw_outcome_object_count(const struct iw_outcome_run *run, const char *type);

/* Returns the case with this id and repeat, or NULL. */
const struct iw_outcome_case *iw_outcome_find(
    const struct iw_outcome_run *run, const char *id, uint64_t repeat);

/* Writes the clause of the case's first known requirement. Example: "RFC 5040 5.3". */
enum { IW_OUTCOME_CLAUSE_OCTETS = 64 };
void iw_outcome_clause(const struct iw_outcome_case *one, char clause[IW_OUTCOME_CLAUSE_OCTETS]);

/* Writes the id of the case, and the number of the repeat if any. Example: "rdma-send-001 #2". */
enum { IW_OUTCOME_NAME_OCTETS = IW_OUTCOME_ID_MAX + 24, IW_OUTCOME_ENDED_OCTETS = IW_RUN_EMPTY_SHARD_OCTETS };
void iw_outcome_case_name(const struct iw_outcome_case *one, char name[IW_OUTCOME_NAME_OCTETS]);

/* Adds the cases of the run with this verdict to `reasons`. Returns false if memory runs out. */
bool iw_outcome_reasons(
    const struct iw_outcome_run *run, enum iw_verdict verdict, struct iw_reasons *reasons);

/* Returns whether the run was started with --accept-untested. */
bool iw_outcome_accepts_untested(const struct iw_outcome_run *run);

/* Adds the run's cases to `coverage`. */
void iw_outcome_coverage(const struct iw_outcome_run *run, struct iw_coverage *coverage);

/* Returns whether the run ended before all its results, and writes why as one line: "3 cases were not begun
 * within the budget". */
bool iw_outcome_ended_early(const struct iw_outcome_run *run, char text[IW_OUTCOME_ENDED_OCTETS]);

/* Returns whether the run was interrupted or killed: its end is not that of --budget. */
bool iw_outcome_cut_short(const struct iw_outcome_run *run);

/* Returns whether the run tested all cases of the suite that apply to the device. */
bool iw_outcome_is_complete(const struct iw_outcome_run *run);

/* Adds the violations of the run's cases to `violations`. */
void iw_outcome_violations(const struct iw_outcome_run *run, struct iw_violations *violations);

/* Returns the number of octets that iw_outcome_log reads; 0 if there is no log. */
uint64_t iw_outcome_log_octets(const struct iw_outcome_case *one);

/* Reads the first IW_OUTCOME_LOG_MAX octets of the wire log; sets *cut if it is longer. The caller frees the
 * result. Returns NULL, with errno, if there is no log, or if it cannot be read. */
char *iw_outcome_log(const struct iw_outcome_case *one, bool *cut);

/* ---- iw_outcome_merge.c ---- */

/* Merges the shards of a run, given in any order, into a new results file at `path`: one case from each shard
 * in turn, and a summary. Does not move captures and logs: reports look for them in the folder of `path` and
 * below. Returns the exit code of the whole run. Returns IW_EXIT_ENVIRONMENT, with a line in `diagnostics`,
 * if a shard is missing, duplicate, cut short or of a different run, if `path` exists, or if writing fails;
 * then writes no file. */
enum iw_exit iw_outcome_merge(
    const char *path, const struct iw_outcome_run *shards, size_t count, FILE *diagnostics);
