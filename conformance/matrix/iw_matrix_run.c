#include "iw_matrix_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_build_id.h"
#include "iw_interrupt.h"
#include "iw_json.h"
#include "iw_json_member.h"
#include "iw_matrix_evidence.h"
#include "iw_matrix_key.h"
#include "iw_matrix_results.h"
#include "iw_matrix_trial.h"
#include "iw_matrix_version.h"
#include "iw_network_place.h"
#include "iw_origin.h"
#include "iw_text.h"

enum { SAVE_US = 10000000 /* how often the results are saved */ };

struct matrix_run_cell {
    size_t peer[IW_MATRIX_ROLES]; /* places in the file */
    const struct iw_matrix_scenario *scenario;
    char key[IW_DIGEST_OCTETS];
    json_t *result; /* NULL: not run yet, or unselected and not known */
    struct matrix_run *run;
    struct iw_matrix_trial *trial; /* while it runs */
    char *folder;                  /* of the trial, until its files replace those of the run before */
    char *files;                   /* where they will be, for the results */
    const json_t *former;          /* of the run before, until there is a result; NULL: none */
    bool selected;
    bool kept; /* from the run before */
};

struct matrix_run {
    const struct iw_matrix_run_config *config;
    struct iw_loop *loop;
    struct matrix_run_cell *cells;
    size_t count, next; /* all cells before `next` have been started, or need not be */
    unsigned running;
    unsigned busy[IW_MATRIX_PEERS_MAX]; /* by peer: cells that run with it */
    bool interrupted;
    char *obstacles[IW_MATRIX_SCENARIOS]; /* why its network cannot be made; "": it can; NULL: not tried */
    json_t *index;                        /* of the run before */
    json_t *results;                      /* without cells */
    json_int_t number;
    struct iw_timer start, save;
    char started[IW_ORIGIN_TIME_OCTETS];
};

static const struct iw_matrix_peer *run_peer(const struct matrix_run_cell *cell, enum iw_matrix_role role) {
    return &cell->run->config->file->peers[cell->peer[role]];
}

static void run_cell_name(const struct matrix_run_cell *cell, char name[IW_MATRIX_NAME_OCTETS]) {
    iw_matrix_cell_name(name, run_peer(cell, IW_MATRIX_INITIATOR)->name,
        run_peer(cell, IW_MATRIX_RESPONDER)->name, cell->scenario->name);
}

/* ---- results ---- */

/* Returns the result of the run before for a cell that this run has not run, or not yet; NULL: none. It is
 * outdated if its key is of something else. */
static json_t *run_former_result(const struct matrix_run_cell *cell) {
    json_t *result = json_deep_copy(cell->former);

    if (result == NULL)
        return NULL;
    iw_json_set_text(result, "before", iw_json_member_text(result, "verdict"));
    if (strcmp(iw_json_member_text(result, "key"), cell->key) != 0)
        json_object_set_new(result, "outdated", json_true());
    return result;
}

/* A copy of the results, with the cells so far and this run. NULL if memory runs out. */
static json_t *run_results(const struct matrix_run *run) {
    json_t *results = json_deep_copy(run->results), *cells = json_object_get(results, "cells"), *row, *counts;
    size_t ran = 0, kept = 0, changed = 0, outdated = 0, numbers[IW_MATRIX_VERDICTS];
    char build[IW_BUILD_ID_OCTETS];

    for (size_t i = 0; i < run->count; i++) {
        bool runs = run->cells[i].result != NULL && !run->cells[i].kept;
        json_t *cell = run->cells[i].result != NULL ? json_incref(run->cells[i].result)
                                                    : run_former_result(&run->cells[i]);

        if (cell == NULL)
            continue;
        ran += runs;
        kept += !runs && !iw_matrix_cell_is_outdated(cell);
        outdated += iw_matrix_cell_is_outdated(cell);
        changed += iw_matrix_cell_change(cell)[0] != '\0';
        json_array_append_new(cells, cell);
    }
    iw_matrix_results_count(results, numbers);
    counts = json_object();
    for (int i = 0; i < IW_MATRIX_VERDICTS; i++)
        json_object_set_new(
            counts, iw_matrix_verdict_name((enum iw_matrix_verdict)i), json_integer((json_int_t)numbers[i]));
    iw_build_id(build);
    row = json_pack("{sI ss ss sI sI sI so}", "run", run->number, "started", run->started, "version",
        run->config->version, "ran", (json_int_t)ran, "kept", (json_int_t)kept, "changed",
        (json_int_t)changed, "counts", counts);
    iw_json_set_text(row, "build", build);
    json_object_set_new(row, "outdated", json_integer((json_int_t)outdated));
    if (run->interrupted)
        json_object_set_new(row, "interrupted", json_true());
    json_array_append_new(json_object_get(results, "runs"), row);
    return results;
}

static void run_save(const struct matrix_run *run) {
    json_t *results = run_results(run);
    char *path = iw_text_format("%s/results.json", run->config->out);

    if (results != NULL && path != NULL)
        iw_matrix_results_write(results, path); /* the last write, by the caller, tells errors */
    free(path);
    json_decref(results);
}

/* Adds what the cell was in earlier runs. */
static void run_add_history(const struct matrix_run_cell *cell, json_t *result) {
    char name[IW_MATRIX_NAME_OCTETS];
    const json_t *before;
    json_t *history;

    run_cell_name(cell, name);
    before = json_object_get(cell->run->index, name);
    history = json_deep_copy(json_object_get(before, "history"));
    if (!json_is_array(history)) {
        json_decref(history);
        history = json_array();
    }
    iw_json_set_text(result, "before", iw_json_member_text(before, "verdict"));
    if (strcmp(iw_json_member_text(before, "verdict"), iw_json_member_text(result, "verdict")) != 0)
        json_array_append_new(history, json_pack("{sI ss}", "run", cell->run->number, "verdict",
                                           iw_json_member_text(result, "verdict")));
    json_object_set_new(result, "history", history);
}

/* Takes over `result`. */
static void run_finish_cell(struct matrix_run_cell *cell, json_t *result) {
    iw_json_set_text(result, "initiator", run_peer(cell, IW_MATRIX_INITIATOR)->name);
    iw_json_set_text(result, "responder", run_peer(cell, IW_MATRIX_RESPONDER)->name);
    iw_json_set_text(result, "scenario", cell->scenario->name);
    iw_json_set_text(result, "key", cell->key);
    json_object_set_new(result, "run", json_integer(cell->run->number));
    run_add_history(cell, result);
    cell->result = result;
}

/* ---- running ---- */

static void run_start_cells(void *user);

static void run_take_result(void *user, json_t *result) {
    struct matrix_run_cell *cell = user;
    struct matrix_run *run = cell->run;

    run_finish_cell(cell, result);
    iw_matrix_trial_free(cell->trial);
    cell->trial = NULL;
    iw_matrix_evidence_replace(run->config->out, cell->files + strlen("cells/"), cell->folder);
    run->running--;
    run->busy[cell->peer[IW_MATRIX_INITIATOR]]--;
    run->busy[cell->peer[IW_MATRIX_RESPONDER]]--;
    run->config->tell(run->config->user, cell->result);
    iw_timer_start(&run->start, run->loop, 0, run_start_cells, run);
}

static bool run_make_folder(struct matrix_run_cell *cell) {
    char name[IW_MATRIX_NAME_OCTETS];

    run_cell_name(cell, name);
    cell->files = iw_text_format("cells/%s", name);
    cell->folder = iw_matrix_evidence_new(cell->run->config->out, name);
    return cell->folder != NULL && cell->files != NULL;
}

static void run_start_cell(struct matrix_run_cell *cell) {
    struct matrix_run *run = cell->run;
    const struct iw_matrix_run_config *config = run->config;
    struct iw_matrix_trial_config trial = {.loop = run->loop,
        .peer = {run_peer(cell, IW_MATRIX_INITIATOR), run_peer(cell, IW_MATRIX_RESPONDER)},
        .scenario = cell->scenario,
        .program = config->program,
        .timeout_ms = config->timeout_ms,
        .seconds = config->seconds,
        .every_evidence = config->every_evidence,
        .done = run_take_result,
        .user = cell};

    if (run_make_folder(cell)) {
        trial.folder = cell->folder;
        trial.name = cell->files;
        cell->trial = iw_matrix_trial_new(&trial);
    }
    if (cell->trial == NULL) {
        run_finish_cell(cell, json_pack("{ss ss}", "verdict", iw_matrix_verdict_name(IW_MATRIX_ERROR),
                                  "reason", "its folder cannot be made"));
        config->tell(config->user, cell->result);
        return;
    }
    run->running++;
    run->busy[cell->peer[IW_MATRIX_INITIATOR]]++;
    run->busy[cell->peer[IW_MATRIX_RESPONDER]]++;
}

static bool run_may_start(const struct matrix_run_cell *cell) {
    if (cell->result != NULL || cell->trial != NULL || !cell->selected)
        return false;
    for (enum iw_matrix_role role = IW_MATRIX_INITIATOR; role < IW_MATRIX_ROLES; role++)
        if (run_peer(cell, role)->exclusive && cell->run->busy[cell->peer[role]] > 0)
            return false;
    return true;
}

static void run_start_cells(void *user) {
    struct matrix_run *run = user;

    for (size_t i = run->next; i < run->count && run->running < run->config->parallel && !run->interrupted;
         i++)
        if (run_may_start(&run->cells[i]))
            run_start_cell(&run->cells[i]);
    while (
        run->next < run->count && (run->cells[run->next].result != NULL ||
                                      run->cells[run->next].trial != NULL || !run->cells[run->next].selected))
        run->next++;
    if (run->running == 0)
        iw_loop_stop(run->loop);
}

static void run_save_now(void *user) {
    struct matrix_run *run = user;

    run_save(run);
    iw_timer_start(&run->save, run->loop, SAVE_US, run_save_now, run);
}

static void run_interrupt(void *user) {
    struct matrix_run *run = user;

    run->interrupted = true;
    iw_loop_stop(run->loop);
}

/* ---- the cells ---- */

static bool run_is_selected(const struct matrix_run *run, const struct matrix_run_cell *cell) {
    char name[IW_MATRIX_NAME_OCTETS];

    run_cell_name(cell, name);
    return run->config->named[cell->scenario - iw_matrix_scenarios] &&
           (run->config->only == NULL || iw_pattern_found(run->config->only, name)) &&
           (run->config->skip == NULL || !iw_pattern_found(run->config->skip, name));
}

/* A cell in error, and one whose network this host could not make, may have another result now. */
static bool run_may_be_outdated(const struct matrix_run_cell *cell, const json_t *before) {
    enum iw_matrix_verdict verdict = iw_matrix_cell_verdict(before);

    return verdict == IW_MATRIX_ERROR ||
           (verdict == IW_MATRIX_NOT_SUPPORTED && cell->scenario->network != NULL);
}

/* Takes over the result of the run before, if nothing has changed since. */
static void run_keep_cell(struct matrix_run_cell *cell) {
    char name[IW_MATRIX_NAME_OCTETS];
    json_t *before;

    run_cell_name(cell, name);
    before = json_object_get(cell->run->index, name);
    cell->former = before;
    if (before == NULL || iw_matrix_cell_is_outdated(before) ||
        strcmp(iw_json_member_text(before, "key"), cell->key) != 0 ||
        (cell->selected && (cell->run->config->force || run_may_be_outdated(cell, before))))
        return;
    cell->result = run_former_result(cell);
    cell->kept = true;
}

/* Returns why the network of the scenario cannot be made on this host; "" if it can. */
static const char *run_network_obstacle(struct matrix_run *run, const struct iw_matrix_scenario *scenario) {
    char **obstacle = &run->obstacles[scenario - iw_matrix_scenarios], error[IW_NETWORK_TEXT_OCTETS];
    struct iw_network_profile profile;
    struct iw_network_place *place;

    if (*obstacle == NULL) {
        iw_matrix_scenario_network(scenario, &profile);
        place = iw_network_place_new(&profile, error);
        *obstacle = iw_text_format("%s", place != NULL ? "" : error);
        iw_network_place_free(place);
    }
    return *obstacle != NULL ? *obstacle : "out of memory";
}

/* Writes why the cell cannot be run; "" if it can. */
static void run_find_obstacle(const struct matrix_run_cell *cell, char reason[IW_NETWORK_TEXT_OCTETS]) {
    bool local = true;

    reason[0] = '\0';
    for (enum iw_matrix_role role = IW_MATRIX_INITIATOR; role < IW_MATRIX_ROLES; role++) {
        local &= run_peer(cell, role)->local;
        if (reason[0] == '\0' && iw_matrix_peer_command(run_peer(cell, role), role, cell->scenario) == NULL)
            snprintf(
                reason, IW_NETWORK_TEXT_OCTETS, "the %s has no command for it", iw_matrix_role_name(role));
    }
    if (reason[0] == '\0' && local && cell->scenario->network != NULL)
        snprintf(reason, IW_NETWORK_TEXT_OCTETS, "%s", run_network_obstacle(cell->run, cell->scenario));
}

static void run_prepare_cell(struct matrix_run_cell *cell) {
    char reason[IW_NETWORK_TEXT_OCTETS];

    cell->selected = run_is_selected(cell->run, cell);
    run_keep_cell(cell);
    if (cell->result != NULL || !cell->selected)
        return;
    run_find_obstacle(cell, reason);
    if (reason[0] != '\0')
        run_finish_cell(cell, json_pack("{ss ss}", "verdict", iw_matrix_verdict_name(IW_MATRIX_NOT_SUPPORTED),
                                  "reason", reason));
}

/* Returns false with a line in `error` if a file of a peer cannot be read, or memory runs out. */
static bool run_prepare(struct matrix_run *run, char *error) {
    const struct iw_matrix_file *file = run->config->file;
    struct iw_matrix_key key;
    size_t peers = file->count;

    run->cells = calloc(peers * peers * IW_MATRIX_SCENARIOS, sizeof *run->cells);
    if (run->cells == NULL)
        return false;
    if (!iw_matrix_key_init(
            &key, file, json_object_get(run->results, "peers"), run->config->seconds, error)) {
        iw_matrix_key_clear(&key);
        return false;
    }
    for (size_t scenario = 0; scenario < IW_MATRIX_SCENARIOS; scenario++)
        for (size_t initiator = 0; initiator < peers; initiator++)
            for (size_t responder = 0; responder < peers; responder++) {
                struct matrix_run_cell *cell = &run->cells[run->count++];

                *cell = (struct matrix_run_cell){
                    .peer = {initiator, responder}, .scenario = &iw_matrix_scenarios[scenario], .run = run};
                iw_matrix_key_of_cell(&key, initiator, responder, cell->scenario, cell->key);
                run_prepare_cell(cell);
            }
    iw_matrix_key_clear(&key);
    return true;
}

static bool run_has_selected(const struct matrix_run *run) {
    for (size_t i = 0; i < run->count; i++)
        if (run->cells[i].selected)
            return true;
    return false;
}

static void run_clear(struct matrix_run *run) {
    for (size_t i = 0; i < run->count; i++) {
        iw_matrix_trial_free(run->cells[i].trial);
        free(run->cells[i].folder);
        free(run->cells[i].files);
        json_decref(run->cells[i].result);
    }
    free(run->cells);
    for (size_t i = 0; i < IW_MATRIX_SCENARIOS; i++)
        free(run->obstacles[i]);
    iw_timer_stop(&run->start);
    iw_timer_stop(&run->save);
    iw_loop_free(run->loop);
    json_decref(run->index);
    json_decref(run->results);
}

/* Without the versions, nothing is known of the results of earlier runs. */
static bool run_ask_versions(struct matrix_run *run, char *error) {
    const struct iw_matrix_run_config *config = run->config;
    const struct iw_matrix_version_config versions = {.loop = run->loop,
        .file = config->file,
        .program = config->program,
        .tell = config->tell_wait,
        .user = config->user};

    if (!iw_matrix_version_ask(&versions, run->results, error))
        return false;
    if (run->interrupted)
        snprintf(error, IW_MATRIX_ERROR_OCTETS, "interrupted before a cell was run");
    return !run->interrupted;
}

json_t *iw_matrix_run(const struct iw_matrix_run_config *config, char *error) {
    struct matrix_run run = {.config = config,
        .loop = iw_loop_new(IW_LOOP_REAL),
        .number = iw_matrix_results_run(config->before) + 1};
    struct iw_interrupt *interrupt = NULL;
    json_t *results = NULL;

    snprintf(error, IW_MATRIX_ERROR_OCTETS, "out of memory");
    iw_origin_time(run.started);
    run.index = iw_matrix_results_index(config->before);
    run.results = iw_matrix_results_new(config->file, config->before);
    if (run.loop != NULL) /* first of all, as the signal must end the commands, too */
        interrupt = iw_interrupt_new(run.loop, run_interrupt, &run);
    if (run.loop == NULL || run.results == NULL || !run_ask_versions(&run, error) ||
        !run_prepare(&run, error)) {
        iw_interrupt_free(interrupt);
        run_clear(&run);
        return NULL;
    }
    if (run_has_selected(&run)) {
        iw_timer_start(&run.start, run.loop, 0, run_start_cells, &run);
        iw_timer_start(&run.save, run.loop, SAVE_US, run_save_now, &run);
        iw_loop_run(run.loop);
        results = run_results(&run);
    } else {
        snprintf(error, IW_MATRIX_ERROR_OCTETS, "no cell is selected");
    }
    iw_interrupt_free(interrupt);
    run_clear(&run);
    return results;
}
