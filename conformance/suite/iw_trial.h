#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "iw_loop.h"
#include "iw_run.h"
#include "iw_trial_record.h"

/* A trial: one run of a case against a device, on its own connections, monitored and recorded. Cases that are
 * about the same conversation share a trial. The commands of --before and --health, the console and the
 * evidence are the same for all; how the conversation is held is up to the way (struct iw_trial_way). */

struct iw_trial;

enum { IW_TRIAL_CASES_MAX = 2, IW_TRIAL_FAILURE_OCTETS = 320 };

struct iw_trial_config {
    const struct iw_case *cases[IW_TRIAL_CASES_MAX];
    const char *captures[IW_TRIAL_CASES_MAX]; /* path of the capture to write; NULL: none */
    size_t count; /* of cases; 0: only the measure of a way that has one, which records nothing */
    struct iw_loop *loop;
    const struct iw_run_config *run; /* the settings of the run */
    bool healthy; /* run->health has succeeded after the last trial, so it is not run before this one */
    uint64_t startup_us; /* recent time of the device to answer a Request (iw_timeouts.h) */
    /* Called when the trial has ended; afterwards it is freed. */
    void (*done)(void *user, struct iw_trial *trial);
    void *user;
};

/* Starts the trial. Returns NULL, and does not call `done`, if memory runs out; any other failure is a
 * result. `config` is copied; its pointers are borrowed. */
struct iw_trial *iw_trial_start(const struct iw_trial_config *config);

/* Call when the loop has nothing left to do: the trial waits for an event that cannot occur, and ends. */
void iw_trial_stall(struct iw_trial *trial);

/* Ends the trial as inconclusive, unless its conversation has ended already. */
void iw_trial_interrupt(struct iw_trial *trial);

/* The result of the case with that index. That of index 0 exists without a case, too; whether the device was
 * reached, its names and its startup time are there. For the way, until the trial has ended, writable. */
struct iw_trial_result *iw_trial_result_of(struct iw_trial *trial, size_t index);

/* What --before, --health and --console say, whatever case they are about. */
const struct iw_trial_device *iw_trial_device(const struct iw_trial *trial);

/* Returns whether the device failed during the trial, and no case of the trial is about that device: then no
 * result says so. Writes what happened as one line. */
bool iw_trial_failed_apart(const struct iw_trial *trial, char text[IW_TRIAL_FAILURE_OCTETS]);

/* ---- for ways ---- */

/* How the conversation of a trial is held. `user` is that of the run (struct iw_run_config). */
struct iw_trial_way {
    /* Before the first trial and after the last one; NULL: nothing to do. Returns false with one line. */
    bool (*open)(void *user, struct iw_loop *loop, char *error, size_t error_octets);
    void (*close)(void *user);
    /* Whether the case `other`, which is run next, is about the same conversation as `one`. NULL: never. */
    bool (*shares)(const struct iw_case *one, const struct iw_case *other);
    bool measures; /* a trial without a case comes first; if it is not reached, the run cannot begin */
    /* Begins the conversation; returns NULL if memory runs out. It calls iw_trial_end or iw_trial_end_early
     * once, from now on, and touches nothing of the trial afterwards. */
    void *(*start)(void *user, struct iw_trial *trial);
    /* Something outside ends the conversation: it calls iw_trial_end or iw_trial_end_early soon. Returns
     * false if it is not being held, so that the trial ends itself. */
    bool (*interrupt)(void *conversation);
    void (*stall)(void *conversation); /* as iw_trial_stall; NULL: cannot occur */
    /* Frees the conversation, and sets verdicts and reasons by it unless it ended early. */
    void (*end)(void *conversation);
};

const struct iw_trial_config *iw_trial_settings(const struct iw_trial *trial);
struct iw_trial_record *iw_trial_record_of(struct iw_trial *trial, size_t index);

/* Opens the capture and the log of each case that has one. Returns false, after ending the trial early, if
 * they cannot be written. */
bool iw_trial_open_records(struct iw_trial *trial);

/* The conversation has ended: judges the cases. Not from `start`. */
void iw_trial_end(struct iw_trial *trial);

/* Gives all cases this verdict, and ends the trial from the loop. */
void iw_trial_end_early(
    struct iw_trial *trial, enum iw_trial_end end, enum iw_verdict verdict, const char *message);

/* Whether the trial will end early. */
bool iw_trial_is_ending(const struct iw_trial *trial);

/* The rules by which the cases are judged. */
struct iw_verdict_rules iw_trial_rules(const struct iw_trial *trial);
