#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_check.h"
#include "iw_check_entry.h"
#include "iw_check_upper.h"

/* Keeps for reports what a connection sent, and its findings with the events around them. Memory per
 * connection is limited: all findings are counted, but only the first ones are kept. */

struct iw_waiver;
struct iw_waivers;
struct iw_check_event_ring;

struct iw_check_finding {
    struct iw_finding finding; /* its frame numbers count from the first file until iw_check_finding_place */
    const char *file;          /* file of finding.frame; NULL until iw_check_finding_place */
    const char *cause_file;    /* file of finding.cause_frame */
    const char *context_file[IW_FINDING_CONTEXT_MAX]; /* files of finding.context */
    const struct iw_check_entry *entry;               /* the event that the finding is about */
    struct iw_check_octets octets;                    /* the violating octets, and some around them */
    const struct iw_waiver *waiver;                   /* NULL: not waived */
};

/* Counts the findings against one side for one requirement. Findings that follow from a waived finding have a
 * struct of their own. */
struct iw_check_breach {
    const struct iw_requirement *requirement;
    enum iw_side side;
    enum iw_role role;
    const struct iw_requirement *root; /* requirement of the waived cause; NULL: none */
    const struct iw_waiver *waiver;    /* waiver of the counted findings; NULL: not waived */
    uint64_t count;                    /* number of all findings */
    uint64_t kept;                     /* number of the counted findings that are kept */
};

/* A waived finding. The findings that it causes are waived too. */
enum { IW_CHECK_WAIVED = 16 }; /* size of the table, indexed by `number` % IW_CHECK_WAIVED */
struct iw_check_waived {
    uint64_t number;
    const struct iw_waiver *waiver;
    const struct iw_requirement *requirement;
};

/* What one side sent with one opcode. */
struct iw_check_traffic {
    const struct iw_opcode *op; /* NULL: all opcodes that no document in force defines */
    enum iw_side side;
    uint64_t fpdus;
    uint64_t messages; /* number of segments with L=1 */
    uint64_t octets;   /* of payload */
};

/* The data kept of a connection: in stream->user while it is open, later in struct iw_check_connection. */
struct iw_check_kept {
    struct iw_check_traffic *traffic;
    struct iw_check_breach *breaches;
    struct iw_check_finding *findings; /* in the order of detection */
    struct iw_check_entry **log;       /* in the order of the capture */
    struct iw_check_waived *waived;    /* the latest waived findings, by number % IW_CHECK_WAIVED; or NULL */
    size_t traffic_count, breach_count, finding_count, log_count;
    uint64_t log_omitted; /* number of events without findings that are not in the log */
    uint64_t log_skipped; /* number of events that the full log omitted after the last line */
    unsigned log_more; /* number of further events to log although the log is full: they follow a finding */
    struct iw_check_event_ring *ring; /* the latest events that the full log omitted; NULL: none yet */
    struct iw_upper *upper;           /* the protocol above; NULL: not read */
    bool incomplete;                  /* memory ran out: something is missing */
};

/* stream->user points to this if memory ran out at the first event of the stream: nothing is kept. */
extern struct iw_check_kept iw_check_kept_nothing;

/* Returns a waiver, which is one of the report's, for all findings against that side of the stream; NULL:
 * they count unless a waiver fits. For sides that are not on trial, such as the relay of a relayed
 * connection. Called on any thread. */
typedef const struct iw_waiver *iw_check_excuse(
    void *user, const struct iw_check_stream *stream, enum iw_side side);

/* Settings for the capture that is being read: what to keep of its connections. */
struct iw_check_event_store {
    struct iw_check_chain chain; /* files of the capture */
    const struct iw_waivers *waivers;
    unsigned log; /* number of lines after which a wire log takes only findings and the events around them; 0:
                     no log, and no header fields */
    uint8_t stricter; /* see iw_totals.h */
    enum iw_check_upper_mode upper;
    iw_check_excuse *excuse; /* NULL: none */
    void *excuse_user;
};

/* Adds an event to the data kept in stream->user. Creates these data at the first event. */
void iw_check_event_store_event(const struct iw_check_event_store *store, struct iw_check_stream *stream,
    const struct iw_monitor_event *event);

/* Returns the waiver for findings about a rule of the protocols above against `side` of the stream; NULL:
 * they count. */
const struct iw_waiver *iw_check_event_store_waive_upper(const struct iw_check_event_store *store,
    const struct iw_check_stream *stream, const struct iw_upper_rule *rule, enum iw_side side,
    enum iw_role role);

/* Returns false if the finding that caused `finding` is kept too. */
bool iw_check_is_root(const struct iw_check_kept *kept, const struct iw_check_finding *finding);

/* After iw_check_event_store_event: returns the breach that counts `finding`; NULL if memory ran out. */
const struct iw_check_breach *iw_check_breach_of(
    const struct iw_check_stream *stream, const struct iw_finding *finding);
