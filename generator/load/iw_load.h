#ifndef IW_LOAD_H
#define IW_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_histogram.h"
#include "iw_load_mix.h"
#include "iw_loop.h"

/* Sustained traffic to a responder, with measured rates and latencies, whose payload is verified:
 *
 * - a Write takes its payload from one place of a pattern or another, so that what is left of an earlier one
 *   differs; every so many Writes the memory is read back behind one, and at the end all of it is. A Read
 *   sees what earlier Writes of its stream have placed (RFC 5040 5.5). Its latency is the time until TCP has
 *   taken it: no answer tells when it was placed.
 * - a Read fetches a part of an area that was written, and read back, before the first operation.
 * - a Send is echoed by the peer, octet by octet; if it is not, nobody verifies it, and its latency is the
 *   time until TCP has taken it.
 * - an Atomic Operation adds 1 to a number of its own, and has to find there what the one before has left.
 * - a Flush is answered; nothing shows whether it was done.
 * - a Verify is answered by the hash of a part of the area that Reads fetch from, flushed to persistence
 * before the first operation. Its length tells the algorithm.
 * - an Atomic Write is read back as a Write is. It reads the same in either byte order, as that of the peer's
 *   machine is not known.
 *
 * Every operation that is open has a place of its own in the peer's region and another in local memory. */

enum { IW_LOAD_SIZES_MAX = 16, IW_LOAD_ERRORS_MAX = 32, IW_LOAD_TEXT_OCTETS = 128 };

struct iw_load;

struct iw_load_config {
    struct iw_loop *loop;
    const char *host;
    uint16_t port;
    uint32_t stag; /* the peer's region, for reading and writing: of iw_load_region_octets at least */
    uint64_t to;
    struct iw_load_mix mix;
    uint32_t sizes[IW_LOAD_SIZES_MAX]; /* octets, in turn */
    unsigned size_count;
    unsigned connections;
    unsigned depth;        /* operations open at a time on each */
    uint64_t count;        /* operations in all; 0: no limit */
    uint32_t duration_ms;  /* 0: no limit */
    double rate;           /* operations a second in all; 0: no limit */
    uint32_t verify_every; /* Writes and Atomic Writes of a connection from one that is read back to the next;
                              0: none is */
    bool no_echo;          /* the peer only takes Sends */
    bool no_crc;
    bool markers;    /* in what is received */
    bool aligned;    /* each FPDU is a write of its own */
    uint16_t mulpdu; /* 0: what the EMSS of TCP gives */
    uint8_t revision;
    uint16_t ord;        /* Reads open at a time on a connection, if the startup settles nothing less */
    uint32_t timeout_ms; /* how long a connection may do nothing while operations are open */
    void (*done)(void *user, struct iw_load *load); /* all is over; may free it */
    void *user;
};

enum iw_load_phase {
    IW_LOAD_OPENING,
    IW_LOAD_RUNNING,
    IW_LOAD_DRAINING, /* nothing more is begun */
    IW_LOAD_CHECKING, /* what was written is read back */
    IW_LOAD_CLOSING,
    IW_LOAD_OVER,
};

struct iw_load_tally {
    uint64_t count;  /* operations that ended well */
    uint64_t octets; /* of their payload */
    uint64_t verified;
    struct iw_histogram latency_ns;
};

struct iw_load_error {
    char text[IW_LOAD_TEXT_OCTETS];
    uint64_t count;
};

struct iw_load_result {
    enum iw_load_phase phase;
    struct iw_load_tally ops[IW_LOAD_OP_COUNT];
    unsigned opened;     /* connections that came to full operation */
    uint64_t opening_ns; /* how long that took for all of them */
    uint64_t running_ns; /* from the first operation until the last was verified; grows while it runs */
    uint64_t wrong;      /* operations whose payload was not right */
    uint64_t abandoned;  /* operations that were never finished */
    uint64_t error_count;
    struct iw_load_error errors[IW_LOAD_ERRORS_MAX]; /* by kind; the last one is all others */
    unsigned error_kinds;
    bool crc; /* is in use on the connection opened last */
};

/* Octets that the peer's region must have. */
uint64_t iw_load_region_octets(const struct iw_load_config *config);

/* Begins from the loop. `config` is copied, `host` borrowed. NULL if there is no memory. */
struct iw_load *iw_load_new(const struct iw_load_config *config);
void iw_load_free(struct iw_load *load);

/* Begins nothing more, waits for what is open, and verifies it. */
void iw_load_stop(struct iw_load *load);

const struct iw_load_result *iw_load_result(struct iw_load *load);

#endif
