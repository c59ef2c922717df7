#include "iw_matrix_results.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "iw_json.h"
#include "iw_json_member.h"
#include "iw_whole_file.h"

void iw_matrix_cell_name(
    char name[IW_MATRIX_NAME_OCTETS], const char *initiator, const char *responder, const char *scenario) {
    snprintf(name, IW_MATRIX_NAME_OCTETS, "%.50s/%.50s/%.50s", initiator, responder, scenario);
}

/* ---- the file ---- */

/* Whether a run can follow the latest one. */
static bool matrix_results_are_numbered(const json_t *results) {
    json_int_t run = iw_matrix_results_run(results);

    return run >= 0 && run < IW_MATRIX_RUNS_MAX;
}

bool iw_matrix_results_read(json_t **results, const char *path, char *error) {
    json_error_t wrong;

    *results = NULL;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return true;
    *results = json_load_file(path, JSON_REJECT_DUPLICATES, &wrong);
    if (*results != NULL && strcmp(iw_json_member_text(*results, "type"), "matrix") == 0 &&
        json_is_array(json_object_get(*results, "cells")) && matrix_results_are_numbered(*results))
        return true;
    if (*results == NULL && wrong.line > 0)
        snprintf(error, IW_MATRIX_ERROR_OCTETS, "%.200s:%d: %s", path, wrong.line, wrong.text);
    else if (*results == NULL)
        snprintf(error, IW_MATRIX_ERROR_OCTETS, "%s", wrong.text);
    else
        snprintf(error, IW_MATRIX_ERROR_OCTETS, "%.200s: these are not the results of a matrix", path);
    json_decref(*results);
    *results = NULL;
    return false;
}

int iw_matrix_results_write(const json_t *results, const char *path) {
    struct iw_whole_file file;
    int error = iw_whole_file_open(&file, path);
    bool written;

    if (error != 0)
        return error;
    written = json_dumpf(results, file.out, JSON_INDENT(1)) == 0 && fputs("\n", file.out) >= 0;
    error = iw_whole_file_close(&file, written);
    return error != 0 || written ? error : ENOMEM;
}

/* ---- members ---- */

json_t *iw_matrix_results_index(const json_t *results) {
    json_t *index = json_object(), *cell;
    size_t i;

    json_array_foreach(json_object_get(results, "cells"), i, cell) {
        char name[IW_MATRIX_NAME_OCTETS];

        iw_matrix_cell_name(name, iw_json_member_text(cell, "initiator"),
            iw_json_member_text(cell, "responder"), iw_json_member_text(cell, "scenario"));
        json_object_set(index, name, cell);
    }
    return index;
}

static json_t *matrix_results_peers(const struct iw_matrix_file *file) {
    json_t *peers = json_array();

    for (size_t i = 0; i < file->count; i++) {
        json_t *peer = json_object();

        iw_json_set_text(peer, "name", file->peers[i].name);
        iw_json_set_text(peer, "profile", file->peers[i].profile);
        json_array_append_new(peers, peer);
    }
    return peers;
}

static json_t *matrix_results_scenarios(void) {
    json_t *scenarios = json_array();

    for (size_t i = 0; i < IW_MATRIX_SCENARIOS; i++)
        json_array_append_new(
            scenarios, json_pack("{ss ss ss ss}", "name", iw_matrix_scenarios[i].name, "code",
                           iw_matrix_scenarios[i].code, "group", iw_matrix_scenarios[i].group, "title",
                           iw_matrix_scenarios[i].title));
    return scenarios;
}

json_t *iw_matrix_results_new(const struct iw_matrix_file *file, const json_t *before) {
    json_t *runs = json_deep_copy(json_object_get(before, "runs"));

    return json_pack("{ss so so so s[]}", "type", "matrix", "peers", matrix_results_peers(file), "scenarios",
        matrix_results_scenarios(), "runs", json_is_array(runs) ? runs : json_array(), "cells");
}

enum iw_matrix_verdict iw_matrix_cell_verdict(const json_t *cell) {
    return iw_matrix_verdict_find(iw_json_member_text(cell, "verdict"));
}

/* Results of earlier versions only have the MPA role. */
const char *iw_matrix_finding_peer(const json_t *finding) {
    const char *peer = iw_json_member_text(finding, "peer");

    return peer[0] != '\0' ? peer : iw_json_member_text(finding, "side");
}

bool iw_matrix_cell_is_outdated(const json_t *cell) {
    return json_is_true(json_object_get(cell, "outdated"));
}

json_int_t iw_matrix_results_run(const json_t *results) {
    const json_t *runs = json_object_get(results, "runs");

    return json_integer_value(json_object_get(json_array_get(runs, json_array_size(runs) - 1), "run"));
}

void iw_matrix_results_count(const json_t *results, size_t counts[IW_MATRIX_VERDICTS]) {
    const json_t *cell;
    size_t i;

    memset(counts, 0, IW_MATRIX_VERDICTS * sizeof *counts);
    json_array_foreach(json_object_get(results, "cells"), i, cell) {
        counts[iw_matrix_cell_verdict(cell)] += !iw_matrix_cell_is_outdated(cell);
    }
}

enum iw_exit iw_matrix_results_exit(const json_t *results) {
    size_t counts[IW_MATRIX_VERDICTS];
    enum iw_exit exit = IW_EXIT_CONFORMS;
    size_t run = 0;

    iw_matrix_results_count(results, counts);
    for (int i = 0; i < IW_MATRIX_VERDICTS; i++) {
        run += i != IW_MATRIX_NOT_SUPPORTED ? counts[i] : 0;
        if (counts[i] > 0)
            exit = iw_exit_join(exit, iw_matrix_verdict_exit((enum iw_matrix_verdict)i));
    }
    return run > 0 ? exit : IW_EXIT_ENVIRONMENT;
}

/* From the verdict of the run before to that of this one. */
const char *iw_matrix_cell_change(const json_t *cell) {
    const char *before = iw_json_member_text(cell, "before"), *now = iw_json_member_text(cell, "verdict");
    bool passed = strcmp(before, iw_matrix_verdict_name(IW_MATRIX_PASS)) == 0;

    if (before[0] == '\0' || strcmp(before, now) == 0)
        return "";
    if (passed)
        return "regressed";
    return iw_matrix_verdict_find(now) == IW_MATRIX_PASS ? "fixed" : "changed";
}
