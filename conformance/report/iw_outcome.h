#ifndef IW_OUTCOME_H
#define IW_OUTCOME_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_exit.h"
#include "iw_requirement.h"
#include "iw_status.h"
#include "iw_verdict.h"
#include "iw_violations.h"

/* A run of the suite as its results.jsonl tells it (docs/guide.md, JSON Lines): what all reports are made of.
 * The file, and the logs beside it, may come from anybody. */

enum {
    IW_OUTCOME_REQUIREMENTS_MAX = 16, /* of a case */
    IW_OUTCOME_ID_MAX = 100,          /* octets of the id of a case, */
    IW_OUTCOME_LINE_MAX = 4 << 20,    /* of a line, */
    IW_OUTCOME_VALUES_MAX = 8 << 20,  /* values of JSON in a file: a list or an object counts four times, */
    IW_OUTCOME_LOG_MAX = 256 << 10,   /* and of a wire log that are read */
};

/* A case, or one repeat of it. Texts that the file does not have are "". */
struct iw_outcome_case {
    json_t *object;   /* the line */
    json_t *findings; /* the lines behind it, an array */
    const char *id, *title, *role, *message, *expected, *actual, *script, *step, *close, *close_verdict;
    const char *outstanding; /* requests without a response when the connection closed */
    const char *requirements[IW_OUTCOME_REQUIREMENTS_MAX];
    const struct iw_requirement *known[IW_OUTCOME_REQUIREMENTS_MAX]; /* the same; NULL: not known here */
    size_t requirement_count;
    enum iw_verdict verdict;
    uint64_t repeat; /* from 1; 0: it was run once */
    uint64_t line;   /* of the script; 0: none */
    uint64_t duration_ms;
    char *capture, *log; /* paths; NULL: not there */
};

struct iw_outcome_run {
    char *path; /* of results.jsonl */
    char *name;
    json_t *header;  /* "run"; NULL: none */
    json_t *summary; /* NULL: none, the run was cut short */
    json_t *others;  /* an array of objects that belong to no case */
    json_t *places;  /* of each case by its name: of iw_outcome_case_name */
    struct iw_outcome_case *cases;
    size_t count, capacity;
    uint64_t counts[IW_VERDICT_COUNT];
    uint64_t wrong_closes;
    uint64_t not_run;
};

/* Reads what `operand` says: a folder with results.jsonl, such a file, or either as NAME=PATH; without NAME
 * the run is called after its profile or else its folder. A last line that was not written to its end is left
 * out. With another result than IW_OK, `complaints` has got one line, "PATH:7: no JSON object"; IW_ERR_IO,
 * IW_ERR_FORMAT, IW_ERR_NOMEM. To be cleared in any case. */
enum iw_status iw_outcome_read(struct iw_outcome_run *run, const char *operand, FILE *diagnostics);
void iw_outcome_clear(struct iw_outcome_run *run);

/* What `warpcheck run` ended with, or would have, had it not been cut short. */
enum iw_exit iw_outcome_exit(const struct iw_outcome_run *run);

/* The member as text; "" if it is none. */
const char *iw_outcome_text(const json_t *object, const char *key);
/* The member as a number that is not negative; 0 if it is none. */
uint64_t iw_outcome_number(const json_t *object, const char *key);

/* How many of the objects that belong to no case are of the type. */
uint64_t iw_outcome_others(const struct iw_outcome_run *run, const char *type);

/* The case of that id and repeat, or NULL. */
const struct iw_outcome_case *iw_outcome_find(
    const struct iw_outcome_run *run, const char *id, uint64_t repeat);

/* The clause that the case is told under, "RFC 5040 5.3": that of its first requirement that is known. */
enum { IW_OUTCOME_CLAUSE_OCTETS = 64 };
void iw_outcome_clause(const struct iw_outcome_case *one, char clause[IW_OUTCOME_CLAUSE_OCTETS]);

/* "rdma-send-001", or of a repeat "rdma-send-001 #2". */
enum { IW_OUTCOME_NAME_OCTETS = IW_OUTCOME_ID_MAX + 24 };
void iw_outcome_case_name(const struct iw_outcome_case *one, char name[IW_OUTCOME_NAME_OCTETS]);

/* Adds what the cases of the run violate. */
void iw_outcome_violations(const struct iw_outcome_run *run, struct iw_violations *violations);

/* How many octets of its wire log there are to read; 0: there is none. */
uint64_t iw_outcome_log_octets(const struct iw_outcome_case *one);

/* The wire log, IW_OUTCOME_LOG_MAX octets of it at the most, for the caller to free; `*cut` tells whether it
 * is longer. NULL: there is none, or it cannot be read. */
char *iw_outcome_log(const struct iw_outcome_case *one, bool *cut);

#endif
