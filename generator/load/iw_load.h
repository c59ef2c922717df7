#pragma once

#include <stdio.h>

#include "iw_histogram.h"
#include "iw_loop.h"

/* Sustained traffic to a responder, with measured rates and latencies and verified payload:
 *
 * - Write: takes its payload from changing offsets of a pattern, so that stale data differ. With
 * `verify_every`, a Read verifies some Writes, and at the end each slot not verified yet. A Read sees earlier
 * Writes of its stream (RFC 5040 5.5). The latency ends when TCP has the payload: the peer does not report
 * its placement.
 * - Read: fetches part of an area that was written and verified before the first operation.
 * - Send: the peer echoes the same octets. Without echo it is not verified, and its latency ends when TCP
 * has it.
 * - Atomic Operation: adds 1 to the counter of its slot. The response must have the value that the slot's
 * previous Atomic Operation stored.
 * - Flush: has a response; its effect cannot be verified.
 * - Verify: its response is the hash of part of the area for Reads, which was flushed to persistence before
 * the first operation. The length of the hash determines the algorithm.
 * - Atomic Write: verified like a Write. Its value is the same in both byte orders, because the peer's
 * byte order is unknown.
 *
 * Every outstanding operation has its own slot in the peer's region and in local memory. */

enum { IW_LOAD_SIZES_MAX = 16, IW_LOAD_ERRORS_MAX = 32, IW_LOAD_TEXT_OCTETS = 128 };

enum iw_load_op {
    IW_LOAD_WRITE,
    IW_LOAD_READ,
    IW_LOAD_SEND,
    IW_LOAD_ATOMIC, /* FetchAdd */
    IW_LOAD_FLUSH,  /* to global visibility */
    IW_LOAD_VERIFY, /* without an expected hash */
    IW_LOAD_ATOMIC_WRITE,
    IW_LOAD_OP_COUNT,
};

/* The proportions of the operations of a load. */
struct iw_load_mix {
    unsigned weights[IW_LOAD_OP_COUNT];
    long credits[IW_LOAD_OP_COUNT]; /* see iw_load_mix_next */
};

struct iw_load;

struct iw_load_config {
    struct iw_loop *loop;
    const char *host;
    uint16_t port;
    uint32_t stag; /* the peer's readable and writable region, at least iw_load_region_octets */
    uint64_t to;
    struct iw_load_mix mix;
    uint32_t sizes[IW_LOAD_SIZES_MAX]; /* payload octets, used in turn */
    unsigned size_count;
    unsigned connections;
    unsigned depth;        /* outstanding operations per connection */
    uint64_t count;        /* total number of operations; 0: no limit */
    uint32_t duration_ms;  /* 0: no limit */
    double rate;           /* operations per second in total; 0: no limit */
    uint32_t verify_every; /* verifies every Nth Write or Atomic Write of a connection; 0: none */
    bool no_echo;          /* the peer does not echo Sends */
    bool no_crc;
    bool markers;    /* in the receive direction */
    bool aligned;    /* passes each FPDU to TCP in its own write */
    uint16_t mulpdu; /* 0: derived from TCP's EMSS */
    uint8_t revision;
    uint16_t ord; /* outstanding requests on queue 1 per connection, unless the startup negotiates fewer */
    uint32_t timeout_ms; /* limit without progress while a connection opens or operations are outstanding */
};

enum iw_load_phase {
    IW_LOAD_OPENING,
    IW_LOAD_RUNNING,
    IW_LOAD_DRAINING, /* starts no further operations */
    IW_LOAD_CHECKING, /* verifies what was written */
    IW_LOAD_CLOSING,
    IW_LOAD_OVER,
};

struct iw_load_totals {
    uint64_t count;  /* completed operations, even if their payload was wrong */
    uint64_t octets; /* payload of the completed operations */
    uint64_t verified;
    struct iw_histogram latency_ns;
};

struct iw_load_error {
    char text[IW_LOAD_TEXT_OCTETS];
    uint64_t count;
};

struct iw_load_result {
    enum iw_load_phase phase;
    struct iw_load_totals ops[IW_LOAD_OP_COUNT];
    unsigned opened;     /* connections that became ready for operations */
    uint64_t opening_ns; /* time until all connections were ready */
    uint64_t running_ns; /* from the first operation to the last verification; grows while running */
    uint64_t wrong;      /* verifications that failed: wrong payload, hash or counter */
    uint64_t abandoned;  /* operations that never completed */
    uint64_t error_count;
    struct iw_load_error errors[IW_LOAD_ERRORS_MAX]; /* by text; the last entry: all further texts */
    unsigned error_kinds;
    bool crc; /* the last opened connection uses CRCs */
};

uint64_t iw_load_region_octets(const struct iw_load_config *config);

/* Creates a load. It starts when the loop runs, and stops the loop at its end. Copies `config`, borrows
 * `host`. Returns NULL if memory runs out. */
struct iw_load *iw_load_new(const struct iw_load_config *config);
void iw_load_free(struct iw_load *load);

/* Ends the load early: starts no further operations, waits for the outstanding ones, and verifies what was
 * written (with `verify_every`). If connections are still being opened, closes them all at once. */
void iw_load_stop(struct iw_load *load);

/* What was measured so far; valid as long as `load`. */
const struct iw_load_result *iw_load_result(struct iw_load *load);

/* The name of the operation. Example: "write". */
const char *iw_load_op_name(enum iw_load_op op);

/* Reads operations with their weights, 1 (the default) to 1,000,000. Examples: "write=70,read=20", "send". On
 * failure returns false with a line in `error`. */
bool iw_load_mix_parse(const char *text, struct iw_load_mix *mix, char *error, size_t error_octets);

/* Chooses the next operation. Each operation is spread as evenly as the weights allow; every run has the same
 * order. At least one weight must not be 0. */
enum iw_load_op iw_load_mix_next(struct iw_load_mix *mix);

void iw_load_report_text(FILE *out, const struct iw_load_config *config, const struct iw_load_result *result);

/* Prints the result as a JSON object on one line. Returns false if memory runs out or writing fails. */
bool iw_load_report_json(FILE *out, const struct iw_load_config *config, const struct iw_load_result *result);

/* The totals at the previous call of iw_load_report_progress. */
struct iw_load_progress {
    uint64_t count;
    uint64_t octets;
};
/* Prints the progress since `before`, which was `passed_ns` ago, without a newline, and updates `before`.
 * While connections are being opened, prints only their number. */
void iw_load_report_progress(
    FILE *out, const struct iw_load_result *result, struct iw_load_progress *before, uint64_t passed_ns);
