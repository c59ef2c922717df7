#pragma once

#include "iw_cause.h"
#include "iw_facts.h"

/* The most probable causes why a connection failed, hung or was slow, by the facts of its capture. Names no
 * cause unless facts show it: a diagnosis without causes is "not known", or nothing is wrong. */

enum {
    IW_DIAGNOSIS_CAUSES = 6,
    IW_DIAGNOSIS_NOTES = 8,
    IW_DIAGNOSIS_FRAMES = 4,
    IW_DIAGNOSIS_DETAIL = 320,
    IW_DIAGNOSIS_NEXT = 320
};

/* Memory that a cause is about. */
struct iw_named_buffer {
    bool known;
    enum iw_side owner;
    uint32_t stag;
    uint64_t to;
};

struct iw_diagnosed {
    const struct iw_cause *cause;
    enum iw_confidence confidence;
    bool has_side;
    enum iw_side side; /* whose device, program, host or memory the cause is about; valid with has_side */
    uint64_t frames[IW_DIAGNOSIS_FRAMES]; /* the facts, ascending */
    unsigned frame_count;
    struct iw_named_buffer buffer;
    char detail[IW_DIAGNOSIS_DETAIL]; /* a few sentences about this connection */
    char next[IW_DIAGNOSIS_NEXT];     /* read it by iw_diagnosed_next */
};

/* What to look at next: the text of the cause, with the side of this connection if it is about one. */
const char *iw_diagnosed_next(const struct iw_diagnosed *cause);

/* How the connection ended, whatever the cause. Of several, the last in this order counts: a RST after a
 * Terminate follows from it. Of two of the same kind, the earlier one counts. */
enum iw_ending {
    IW_ENDING_OPEN,      /* the capture ends first */
    IW_ENDING_GRACEFUL,  /* FINs, or the orderly end of a session over SCTP */
    IW_ENDING_RESET,     /* a RST or an abort */
    IW_ENDING_TERMINATE, /* a Terminate */
    IW_ENDING_REJECTED,  /* a Reply with R=1 */
};

/* How it ended, in words: "by a FIN"; and what ended it: "FIN". */
const char *iw_ending_text(const struct iw_facts *facts, enum iw_ending ending);
const char *iw_ending_name(const struct iw_facts *facts, enum iw_ending ending);

/* Whether the captured octets agree with what the Terminate says. */
enum iw_truth {
    IW_TRUTH_UNDECIDED, /* a capture cannot show it, or lacks octets */
    IW_TRUTH_CONFIRMED, /* the capture shows the error */
    IW_TRUTH_REFUTED,   /* the capture shows that there is no such error */
};

struct iw_diagnosis {
    struct iw_diagnosed causes[IW_DIAGNOSIS_CAUSES]; /* the most probable first */
    unsigned count;
    struct iw_diagnosed notes[IW_DIAGNOSIS_NOTES]; /* no cause of a failure: of the capture, or beside it */
    unsigned note_count;
    enum iw_ending ending;
    bool failed;        /* something went wrong: a cause is missing if `count` is 0 */
    enum iw_side ender; /* the side that ended it; valid unless OPEN */
    struct iw_history_mark end;
    enum iw_truth truth[2]; /* of the Terminate of the side */
};

/* Fills in `diagnosis`. Same facts, same diagnosis. */
void iw_diagnose(const struct iw_facts *facts, struct iw_diagnosis *diagnosis);

/* What to look at next if the connection failed and no cause is known, such as "Look at the logs of
 * the responder, 192.0.2.2:4711, at this time: program, driver and device. It sent the Terminate."; NULL
 * otherwise. */
const char *iw_diagnosis_next_without_cause(
    const struct iw_facts *facts, const struct iw_diagnosis *diagnosis, char text[IW_DIAGNOSIS_NEXT]);

/* The time from `since_ns` to the end of the connection; while it is open, to that of the capture. */
uint64_t iw_diagnosis_age(
    const struct iw_facts *facts, const struct iw_diagnosis *diagnosis, uint64_t since_ns);
