#pragma once

#include "iw_explain_call.h"
#include "iw_explain_word.h"
#include "iw_conclusion.h"
#include "iw_tcp_address_text.h"

/* A connection that has ended, while its story is written in one of the forms. */
struct iw_explained {
    const struct iw_check_stream *stream;
    const struct iw_check_chain *chain;
    const char *file; /* the first file of the connection */
    char address[2][IW_TCP_ADDRESS_TEXT_OCTETS];
    char accepted[IW_EXPLAIN_FRAME_OCTETS]; /* see iw_facts.rev_1_accepted */
    struct iw_facts facts;
    struct iw_diagnosis diagnosis;
    enum iw_conclusion conclusion;
    const struct iw_upper *upper;         /* the layer above; NULL: memory ran out */
    const char *protocol;                 /* of the layer above; NULL: not known */
    const struct iw_explain_calls *calls; /* of the layer above that have replies */
    uint64_t number;                      /* HTML: of its story on the page, in the order of reading */
    bool brief; /* HTML: without diagrams, as many stories have been told and nothing failed */
};

/* Whether `check` finds errors. */
bool iw_explained_violates(const struct iw_explained *explained);

/* When the connection ended; when the capture ended, with frame 0, if that was first. */
struct iw_history_mark iw_explained_end(const struct iw_explained *explained);

/* Nanoseconds from `since_ns` to that end. */
uint64_t iw_explained_age(const struct iw_explained *explained, uint64_t since_ns);

/* The longest time without a message although requests were outstanding. */
struct iw_explain_wait {
    uint64_t ns;                     /* 0: none */
    uint64_t begin_frame, end_frame; /* end_frame 0: the end of the capture */
    uint32_t outstanding;            /* requests meanwhile */
    bool to_end; /* no message ended it, but the end of the connection or of its capture */
};
struct iw_explain_wait iw_explained_wait(const struct iw_explained *explained);

/* Writes what memory is for by the protocol above, such as "for NFS READ in frame 104, offset 0x2000 of
 * 0x8000". Returns NULL if that is not known. */
enum { IW_EXPLAIN_PURPOSE_OCTETS = 2 * IW_EXPLAIN_FRAME_OCTETS + IW_UPPER_TEXT_OCTETS };
const char *iw_explain_purpose(const struct iw_explained *explained, const struct iw_named_buffer *named,
    char text[IW_EXPLAIN_PURPOSE_OCTETS]);

/* The memory of the responder that a request of `side` names; not known if the request is no longer kept. */
struct iw_named_buffer iw_explain_requested(
    const struct iw_explained *explained, enum iw_side side, const struct iw_request_name *name);

/* The latest segment of `side` if it is of a Write whose last segment is missing; or NULL. */
const struct iw_history_message *iw_explain_unfinished_write(
    const struct iw_explained *explained, enum iw_side side);

/* How the connection ended, as a key for programs, such as "terminate"; and whether a Terminate is right. */
const char *iw_explain_ending_key(enum iw_ending ending);
const char *iw_explain_truth_key(enum iw_truth truth); /* "confirmed", "refuted", "undecided" */
