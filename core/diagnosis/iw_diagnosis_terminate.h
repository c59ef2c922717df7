#pragma once

#include "iw_diagnosis_part.h"

/* Shared by iw_diagnosis_terminate.c and iw_diagnosis_memory.c. */

/* A Terminate and the message that it is about. */
struct iw_terminate_case {
    const struct iw_evidence *evidence;
    struct iw_diagnosis *diagnosis;
    enum iw_side side; /* the sender of the Terminate */
    const struct iw_history_terminate *terminate;
    const struct iw_history_message *message; /* NULL: not known */
};

/* The message's name, such as "RDMA Write". */
const char *iw_terminate_title(const struct iw_history_message *message);

/* What the Terminate is about: by the message, or else by the header that the Terminate includes. */
const char *iw_terminate_about(const struct iw_terminate_case *at);

/* "a" or "an": "an RDMA Write". */
const char *iw_terminate_article(const char *title);

/* The side that sent the Terminate, and the other one, in words. */
const char *iw_terminate_sender(const struct iw_terminate_case *at);
const char *iw_terminate_other(const struct iw_terminate_case *at);

/* Adds the frames of the message and of the Terminate. */
void iw_terminate_frames(const struct iw_terminate_case *at, struct iw_diagnosed *cause);

void iw_terminate_decide(const struct iw_terminate_case *at, enum iw_truth truth);

/* ---- iw_diagnosis_memory.c: Terminates about memory that a message names ---- */

void iw_terminate_stag(const struct iw_terminate_case *at);       /* an invalid STag */
void iw_terminate_invalidate(const struct iw_terminate_case *at); /* an STag that cannot be invalidated */
void iw_terminate_rights(const struct iw_terminate_case *at);
void iw_terminate_bounds(const struct iw_terminate_case *at);
