#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_monitor.h"

/* A conversation that a test writes in hexadecimal, and the findings of the monitor. Every call that sends
 * is one chunk and one capture frame, counted from 1. No octets come from an encoder of the project except
 * the CRC, which the golden vectors prove. At the end, a second monitor gets the same conversation one
 * octet at a time and must give the same result. */

enum { IW_CONVERSATION_FINDING_MAX = 64 };

struct iw_conversation {
    struct iw_monitor_config config;
    struct iw_monitor *monitor;
    struct iw_chunk *chunks; /* all that were fed; they own their octets */
    size_t chunk_count;
    uint64_t offset[2]; /* of the next octet of the side */
    uint64_t frame;     /* of the last chunk */
    uint16_t mss;       /* of later SYNs */
    bool acks;          /* later chunks acknowledge the other side up to stream offset `acked` */
    uint64_t acked;
    bool unseen; /* later chunks answer octets of the other side that are missing */
    struct iw_finding findings[IW_CONVERSATION_FINDING_MAX];
    size_t finding_count;
    size_t expected_count;            /* findings that the test has named */
    size_t events[4];                 /* by enum iw_llp_event_kind */
    struct iw_response_fact response; /* of the last event that was a response; `operation` is not valid */
    uint32_t requests_waiting;        /* of the last event */
};

/* The values of a finding that a test expects. */
struct iw_expectation {
    const char *id;
    enum iw_side side;
    enum iw_role role;
    uint64_t frame;
    uint64_t offset;
    uint32_t octets;
    const char *field; /* filter name, or NULL */
    const char *expected;
    const char *actual;
    uint64_t context[IW_FINDING_CONTEXT_MAX]; /* 0 after the last one */
};

/* The keys as RFC 5044 7.1.1 prints them; flags, Rev, PD_Length and private data follow. */
#define REQUEST "4d504120 49442052 65712046 72616d65 "
#define REPLY "4d504120 49442052 65702046 72616d65 "

/* In most tests side A has opened the TCP connection and sent the Request. */
#define BY_INITIATOR .side = IW_SIDE_A, .role = IW_ROLE_INITIATOR
#define BY_RESPONDER .side = IW_SIDE_B, .role = IW_ROLE_RESPONDER

/* Loads the golden vectors; fixtures for cmocka_run_group_tests. */
int iw_conversation_load(void **state);
int iw_conversation_unload(void **state);

void iw_conversation_init(struct iw_conversation *c, unsigned extensions);

/* The SYN of a side, in frame 0. */
void iw_conversation_start(struct iw_conversation *c, enum iw_side side);

/* A new conversation with all extensions, both SYNs, and these startup frames in frames 1 and 2, each a
 * vector id or hexadecimal. */
void iw_conversation_open(struct iw_conversation *c, const char *request, const char *reply);

/* Octets as on the wire: vector ids, hexadecimal, or * and a number of zero octets, separated by blanks.
 * Returns the stream offset of the first. */
uint64_t iw_conversation_say(struct iw_conversation *c, enum iw_side side, const char *text);

/* The same octets, followed by their CRC. */
uint64_t iw_conversation_sum(struct iw_conversation *c, enum iw_side side, const char *text);

/* An FPDU around this ULPDU and `zeros` octets of 0: ULPDU_Length, PAD and CRC are added. */
uint64_t iw_conversation_fpdu(struct iw_conversation *c, enum iw_side side, const char *ulpdu);
uint64_t iw_conversation_fill(struct iw_conversation *c, enum iw_side side, const char *ulpdu, size_t zeros);

/* Two FPDUs in one chunk. Returns the stream offset of the second. */
uint64_t iw_conversation_two(
    struct iw_conversation *c, enum iw_side side, const char *ulpdu, const char *ulpdu_after);

/* A vector with the octets from `at` on changed to these, and its last four to the CRC of the rest. */
uint64_t iw_conversation_change(
    struct iw_conversation *c, enum iw_side side, const char *id, size_t at, const char *octets);

/* The first `count` octets of an FPDU around this ULPDU, and a hole instead of the rest. */
uint64_t iw_conversation_cut(
    struct iw_conversation *c, enum iw_side side, const char *ulpdu, size_t count, bool cut);

/* The same with octets as on the wire, of which there are `whole`. */
uint64_t iw_conversation_say_cut(
    struct iw_conversation *c, enum iw_side side, const char *text, size_t count, size_t whole);

void iw_conversation_gap(struct iw_conversation *c, enum iw_side side, uint32_t count, bool cut);
void iw_conversation_fin(struct iw_conversation *c, enum iw_side side);
void iw_conversation_rst(struct iw_conversation *c, enum iw_side side);
void iw_conversation_outside(struct iw_conversation *c, enum iw_side side, uint32_t octets);
void iw_conversation_differing(struct iw_conversation *c, enum iw_side side, uint32_t octets);

/* No more chunks will come. */
void iw_conversation_finish(struct iw_conversation *c);

/* Asserts that the next finding is this one. */
#define iw_conversation_expect(c, ...)                                                                       \
    iw_conversation_expect_at(c, (struct iw_expectation){__VA_ARGS__}, __FILE__, __LINE__)
void iw_conversation_expect_at(
    struct iw_conversation *c, struct iw_expectation expectation, const char *file, int line);

/* Asserts that the next finding is of this requirement; tests of its rule check the rest of it. */
#define iw_conversation_found(c, id) iw_conversation_found_at(c, id, __FILE__, __LINE__)
void iw_conversation_found_at(struct iw_conversation *c, const char *id, const char *file, int line);

/* The count of that reason for things not judged. */
uint64_t iw_conversation_unjudged(const struct iw_conversation *c, enum iw_unjudged reason);

/* Asserts that there are no further findings, and that one octet at a time gives the same. Disposes of the
 * conversation. */
#define iw_conversation_end(c) iw_conversation_end_at(c, __FILE__, __LINE__)
void iw_conversation_end_at(struct iw_conversation *c, const char *file, int line);
