#pragma once

#include "iw_impaired_facts.h"
#include "iw_impaired_run.h"
#include "iw_relay.h"
#include "iw_trial.h"

/* The conversation of a trial with two devices: the next connection of the initiator, impaired by the rules
 * that the cases of the trial share. Cases with `again` have a second conversation after it. */

struct iw_impaired_conversation;

/* What the conversations of a run share. */
struct iw_impaired_way {
    const struct iw_impaired_devices *devices;
    struct iw_relay *relay;
    struct iw_impaired_conversation *current; /* NULL: none is being held */
    struct iw_impaired_facts base;            /* of the conversation without impairment */
    unsigned unreached; /* consecutive trials whose conversation the devices did not begin */
};

/* Begins the conversation, which is then way->current. Returns NULL if memory runs out. Ends `trial` as
 * struct iw_trial_way demands. A conversation that the devices do not begin gives UNREACHED; several of them
 * in a row, or a command of --start that cannot be run, give BROKEN. */
struct iw_impaired_conversation *iw_impaired_conversation_new(
    struct iw_impaired_way *way, struct iw_trial *trial);

/* What the relay reports. */
void iw_impaired_conversation_tap(
    struct iw_impaired_conversation *conversation, const struct iw_relay_tap *tap);
void iw_impaired_conversation_note(
    struct iw_impaired_conversation *conversation, const struct iw_relay_note *note);

/* Functions of struct iw_trial_way; the argument is the conversation. */
bool iw_impaired_conversation_interrupt(void *conversation);
void iw_impaired_conversation_end(void *conversation);
