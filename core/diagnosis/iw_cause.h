#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The causes that a diagnosis can name: the rows of iw_cause.def. */

enum iw_cause_group { IW_CAUSE_STARTUP, IW_CAUSE_DEATH, IW_CAUSE_HANG, IW_CAUSE_SLOW, IW_CAUSE_CAPTURE };

enum iw_cause_id {
#define IW_CAUSE(symbol, id, group, replays, title, why, next, clause) IW_CAUSE_ID_##symbol,
#include "iw_cause.def"
#undef IW_CAUSE
    IW_CAUSE_COUNT,
};

struct iw_cause {
    const char *id; /* "stag-invalidated": stable */
    enum iw_cause_group group;
    bool replays; /* a replay of the octets has it */
    const char *title;
    const char *why;    /* what it is and how a capture shows it */
    const char *next;   /* what to look at next */
    const char *clause; /* "RFC 5041 7.2"; or "" */
};

/* Words of `next` in whose place a diagnosis puts the side that they are about. */
#define IW_CAUSE_INITIATING "the initiator"
#define IW_CAUSE_RESPONDING "the responder"
#define IW_CAUSE_OWING "the side that owes the response"
#define IW_CAUSE_REPLYING "the side that owes the reply"
#define IW_CAUSE_WRONG "the side with the wrong CRCs"
#define IW_CAUSE_NUMBERING "the side that numbers them"
#define IW_CAUSE_SENDING "the side that sent them"
#define IW_CAUSE_SILENT "the silent side"
#define IW_CAUSE_FULL "the side that closed its window"
#define IW_CAUSE_RESETTING "the side that sent the RST"
#define IW_CAUSE_NAMED "the side named as the sender"
#define IW_CAUSE_TERMINATING "the side that sent the Terminate"

extern const struct iw_cause iw_causes[IW_CAUSE_COUNT];

/* The group in one word: "startup", "death", "hang", "slow", "capture". */
const char *iw_cause_group_name(enum iw_cause_group group);
