#include "iw_impaired_run.h"

#include <stdio.h>
#include <string.h>

#include "iw_impaired_conversation.h"

/* ---- what the relay reports: it goes to the conversation that is being held ---- */

static void run_take_tap(void *user, const struct iw_relay_tap *tap) {
    struct iw_impaired_way *way = user;

    if (way->current != NULL)
        iw_impaired_conversation_tap(way->current, tap);
}

static void run_take_note(void *user, const struct iw_relay_note *note) {
    struct iw_impaired_way *way = user;

    if (way->current != NULL)
        iw_impaired_conversation_note(way->current, note);
}

/* ---- the way of the run ---- */

static bool run_open(void *user, struct iw_loop *loop, char *error, size_t error_octets) {
    struct iw_impaired_way *way = user;
    const struct iw_impaired_devices *devices = way->devices;
    const struct iw_relay_config relay = {.host = devices->host,
        .port = devices->port,
        .device_host = devices->device_host,
        .device_port = devices->device_port,
        .seed = devices->seed,
        .note = run_take_note,
        .tap = run_take_tap,
        .user = way};
    char text[IW_RECORDER_TEXT_OCTETS];

    way->relay = iw_relay_new(loop, &relay, text);
    if (way->relay == NULL)
        snprintf(error, error_octets, "%s", text);
    else if (devices->listening != NULL)
        devices->listening(devices->user, iw_relay_port(way->relay));
    return way->relay != NULL;
}

static void run_close(void *user) {
    struct iw_impaired_way *way = user;

    iw_relay_free(way->relay);
}

static bool run_shares(const struct iw_case *one, const struct iw_case *other) {
    return strcmp(one->relay->conversation, other->relay->conversation) == 0;
}

static void *run_start(void *user, struct iw_trial *trial) {
    return iw_impaired_conversation_new(user, trial);
}

static const struct iw_trial_way run_way = {.open = run_open,
    .close = run_close,
    .shares = run_shares,
    .measures = true,
    .start = run_start,
    .interrupt = iw_impaired_conversation_interrupt,
    .end = iw_impaired_conversation_end};

enum iw_status iw_impaired_run(const struct iw_run_config *config, const struct iw_impaired_devices *devices,
    struct iw_run_counts *counts, char *error, size_t error_octets) {
    struct iw_impaired_way way = {.devices = devices};
    struct iw_run_config run = *config;

    run.way = &run_way;
    run.way_user = &way;
    return iw_run(&run, counts, error, error_octets);
}
