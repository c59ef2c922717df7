#define _GNU_SOURCE /* basename */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "cmd_folder.h"
#include "cmd_option.h"
#include "iw_json_memory.h"
#include "iw_json_member.h"
#include "iw_matrix_page.h"
#include "iw_matrix_results.h"
#include "iw_matrix_run.h"
#include "iw_plural.h"
#include "iw_text.h"
#include "iw_whole_file.h"

enum {
    PARALLEL_MAX = 64,
    PROGRAM_OCTETS = 4096,
    SECONDS_MAX = 30 * 24 * 3600,
    MATRIX_TIMEOUT_MS = 60000,
    MATRIX_SOAK_S = 3600
};

struct settings {
    const char *out;
    struct iw_pattern *only, *skip;
    bool named[IW_MATRIX_SCENARIOS]; /* by --scenario */
    bool any_named;
    unsigned parallel; /* 0: one for each processor */
    uint32_t timeout_ms;
    unsigned seconds;
    bool every_evidence;
    bool force;
    bool quiet;
};

static int matrix_take_scenarios(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    struct settings *settings = at;
    char *list = strdup(optarg), *rest = list;

    settings->any_named = true;
    for (char *name = strsep(&rest, ","); name != NULL; name = strsep(&rest, ",")) {
        const struct iw_matrix_scenario *scenario = iw_matrix_scenario_find(name);

        if (scenario == NULL) {
            int code = iw_option_error(usage, "--%s: unknown scenario %s", option->name, name);

            free(list);
            return code;
        }
        settings->named[scenario - iw_matrix_scenarios] = true;
    }
    free(list);
    return 0;
}

static int matrix_take_evidence(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    bool *every = at;

    if (strcmp(optarg, "all") != 0 && strcmp(optarg, "failed") != 0)
        return cmd_option_not_listed(usage, option);
    *every = strcmp(optarg, "all") == 0;
    return 0;
}

#define AT(member) .at = offsetof(struct settings, member)
static const struct iw_option options[] = {
    {"out", "DIR", 'o', "folder of the results: what has not changed since is kept [matrix]", iw_option_text,
        AT(out)},
    {"scenario", "LIST", 's', "only these scenarios [all but soak]", matrix_take_scenarios, .at = 0,
        .lists = "scenarios"},
    {"only", "REGEX", 0, "only cells whose INITIATOR/RESPONDER/SCENARIO matches", cmd_option_pattern,
        AT(only)},
    {"skip", "REGEX", 0, "no cells that match", cmd_option_pattern, AT(skip)},
    {"parallel", "N", 'j', "cells at a time [one for each processor]",
        IW_OPTION_NUMBER(struct settings, parallel, 1, PARALLEL_MAX)},
    {"timeout", "SECONDS", 't', "for a responder to listen, an initiator to end, the judge to end [60]",
        cmd_option_seconds, AT(timeout_ms)},
    {"soak", "SECONDS", 0, "how long the scenario soak takes [3600]",
        IW_OPTION_NUMBER(struct settings, seconds, 1, SECONDS_MAX), .takes = "seconds from 1 to 2592000"},
    {"evidence", "all|failed", 0, "which cells keep their files [failed]", matrix_take_evidence,
        AT(every_evidence)},
    {"force", NULL, 0, "run all selected cells, also those that have not changed", iw_option_flag, AT(force)},
    {CMD_OPTION_QUIET, "print only the last line", iw_option_flag, AT(quiet)},
};

static const struct iw_usage usage = {
    .command = "matrix",
    .arguments = "[OPTION...] PEERS.json...",
    .operand = "file of peers",
    .operands = true,
    .summary = "Runs each initiator with each responder, and judges both.",
    .detail =
        "PEERS.json is a file of peers, with the commands that start them; several files are read as one. A\n"
        "cell is an initiator, a responder and a scenario ('list scenarios'). A relay between the two peers\n"
        "records and judges both ('help relay').\n"
        "\n"
        "The folder of --out gets results.json, index.html, and for each cell that does not pass a folder\n"
        "with the output of both peers, the judgement, the capture, and a page with the sequence diagram. A\n"
        "cell is run again only if it was in error, or if a peer (its definition, files or version) or this\n"
        "program has changed; until then, the old result is kept as outdated, and does not count.\n"
        "\n"
        "'soak' runs only if --scenario names it. Scenarios with a network need root or user namespaces;\n"
        "'loss' also needs netem in the kernel.\n",
    IW_USAGE_OPTIONS(options),
    .examples = "  warpcheck matrix conformance/matrix/peers/peers.json\n"
                "  warpcheck matrix --only '^siw/' --evidence all peers.json\n"
                "  warpcheck matrix --scenario soak --soak 7200 --only '^red/blue/' peers.json\n",
    .exits = "  0  every cell that is supported passes\n"
             "  1  a cell fails\n"
             "  2  none fails, but something could not be judged, or the command was interrupted\n"
             "  3  usage; a peer could not be started or did not connect; nothing was run\n"
             "  4  internal error\n",
};

/* ---- output ---- */

static void matrix_tell(void *user, const json_t *cell) {
    const struct settings *settings = user;
    const json_t *finding = json_array_get(json_object_get(cell, "findings"), 0);
    const char *reason = iw_json_member_text(cell, "reason");
    char name[IW_MATRIX_NAME_OCTETS];

    if (settings->quiet)
        return;
    iw_matrix_cell_name(name, iw_json_member_text(cell, "initiator"), iw_json_member_text(cell, "responder"),
        iw_json_member_text(cell, "scenario"));
    printf("%-13s %s", iw_json_member_text(cell, "verdict"), name);
    if (reason[0] != '\0')
        printf(": %s", reason);
    if (finding != NULL)
        printf("; %s %s: %s", iw_matrix_finding_peer(finding), iw_json_member_text(finding, "requirement"),
            iw_json_member_text(finding, "message"));
    putchar('\n');
    fflush(stdout);
}

static void matrix_tell_wait(void *user, const char *line) {
    const struct settings *settings = user;

    if (!settings->quiet)
        puts(line);
    fflush(stdout);
}

static void matrix_tell_end(const json_t *results, const char *page) {
    const json_t *runs = json_object_get(results, "runs"),
                 *run = json_array_get(runs, json_array_size(runs) - 1);
    json_int_t old = json_integer_value(json_object_get(run, "outdated"));
    char outdated[40] = "";
    size_t counts[IW_MATRIX_VERDICTS], all = json_array_size(json_object_get(results, "cells"));

    iw_matrix_results_count(results, counts);
    if (old > 0)
        snprintf(outdated, sizeof outdated, ", %" PRId64 " outdated", (int64_t)old);
    printf("%zu cell%s: ", all, iw_plural(all));
    for (int i = 0; i < IW_MATRIX_VERDICTS; i++)
        printf("%zu %s, ", counts[i], iw_matrix_verdict_name((enum iw_matrix_verdict)i));
    printf("%" PRId64 " run, %" PRId64 " kept, %" PRId64 " changed%s; page: %s\n",
        (int64_t)json_integer_value(json_object_get(run, "ran")),
        (int64_t)json_integer_value(json_object_get(run, "kept")),
        (int64_t)json_integer_value(json_object_get(run, "changed")), outdated, page);
}

/* ---- the run ---- */

static int matrix_write(const json_t *results, const char *path, const char *page) {
    struct iw_whole_file file;
    int error = iw_matrix_results_write(results, path);
    bool whole;

    if (error != 0)
        return (int)cmd_cannot_write(path, error);
    error = iw_whole_file_open(&file, page);
    if (error == 0) {
        whole = iw_matrix_page_put(file.out, results);
        error = iw_whole_file_close(&file, whole);
        error = error == 0 && !whole ? ENOMEM : error;
    }
    return error != 0 ? (int)cmd_cannot_write(page, error) : 0;
}

static bool matrix_was_interrupted(const json_t *results) {
    const json_t *runs = json_object_get(results, "runs");

    return json_is_true(json_object_get(json_array_get(runs, json_array_size(runs) - 1), "interrupted"));
}

static int matrix_run(struct settings *settings, const struct iw_matrix_file *file) {
    char *path = iw_text_format("%s/results.json", settings->out),
         *page = iw_text_format("%s/index.html", settings->out);
    char program[PROGRAM_OCTETS], error[IW_MATRIX_ERROR_OCTETS] = "out of memory";
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    struct iw_matrix_run_config config = {.file = file,
        .out = settings->out,
        .program = program,
        .version = WARPCHECK_VERSION,
        .only = settings->only,
        .skip = settings->skip,
        .parallel = settings->parallel,
        .timeout_ms = settings->timeout_ms,
        .seconds = settings->seconds,
        .every_evidence = settings->every_evidence,
        .force = settings->force,
        .tell = matrix_tell,
        .tell_wait = matrix_tell_wait,
        .user = settings};
    json_t *before = NULL, *results = NULL;
    int code;

    program[length > 0 ? length : 0] = '\0';
    for (size_t i = 0; i < IW_MATRIX_SCENARIOS; i++)
        config.named[i] = settings->any_named ? settings->named[i] : iw_matrix_scenarios[i].seconds == 0;
    if (path != NULL && page != NULL && iw_matrix_results_read(&before, path, error)) {
        config.before = before;
        results = iw_matrix_run(&config, error);
    }
    if (results == NULL) {
        code = cmd_fail(IW_EXIT_ENVIRONMENT, "%s", error);
    } else {
        code = matrix_write(results, path, page);
        matrix_tell_end(results, page);
        code = (int)iw_exit_join((enum iw_exit)code, iw_matrix_results_exit(results));
        if (matrix_was_interrupted(results))
            code = (int)iw_exit_join((enum iw_exit)code, IW_EXIT_UNJUDGED);
    }
    json_decref(before);
    json_decref(results);
    free(path);
    free(page);
    return code;
}

static int matrix_run_locked(struct settings *settings, const struct iw_matrix_file *file) {
    int code, folder;

    if (mkdir(settings->out, 0777) != 0 && errno != EEXIST)
        return cmd_folder_fail(settings->out, errno);
    folder = cmd_folder_lock(settings->out);
    if (folder < 0)
        return cmd_folder_fail(settings->out, errno);
    code = matrix_run(settings, file);
    close(folder);
    return code;
}

int cmd_matrix(int argc, char **argv) {
    struct settings settings = {.out = "matrix", .timeout_ms = MATRIX_TIMEOUT_MS, .seconds = MATRIX_SOAK_S};
    struct iw_matrix_file file = {0};
    char error[IW_MATRIX_ERROR_OCTETS];
    int code = iw_option_all(&usage, argc, argv, &settings);

    if (code == IW_OPTION_DONE) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);

        if (settings.parallel == 0)
            settings.parallel = processors < 1              ? 1
                                : processors > PARALLEL_MAX ? PARALLEL_MAX
                                                            : (unsigned)processors;
        iw_json_require_memory();
        if (!iw_matrix_file_read(&file, (const char *const *)argv + optind, (size_t)(argc - optind), error))
            code = cmd_fail(IW_EXIT_ENVIRONMENT, "%s", error);
        else
            code = matrix_run_locked(&settings, &file);
        iw_matrix_file_clear(&file);
    }
    iw_pattern_free(settings.only);
    iw_pattern_free(settings.skip);
    return code;
}
