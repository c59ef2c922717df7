#ifndef IW_SYNTH_H
#define IW_SYNTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_exit.h"
#include "iw_impairment_plan.h"
#include "iw_script.h"

/* `warpcheck synth`: a conversation that never was on a network, as a capture. It runs in memory with a clock
 * of its own, so that the same script and seed give the same file, octet for octet. */

/* The conversation in the file goes from 192.0.2.1, port 49152 on, to 192.0.2.2, port 20100, and begins at
 * 2026-01-01 00:00:00 UTC. */
enum { IW_SYNTH_PORT = 20100, IW_SYNTH_SEGMENT_OCTETS = 1460 };

struct iw_synth_options {
    const char *script; /* may play both sides: listen{port=peer.port} and connect{} meet in memory */
    const char
        *peer; /* a script for the other side; NULL: the reference responder answers whoever connects,
                  unless the script itself listens. It offers the region peer.stag, peer.to, peer.size */
    const struct iw_script_argument *arguments; /* for both scripts */
    size_t argument_count;
    const char *output;
    struct iw_impairment_plan hardship; /* all zero: the capture is as good as a capture can be */
    bool sctp;                          /* the conversation is shown as DDP over SCTP */
    bool has_isn;
    uint32_t isn[2]; /* of the first connection, by enum iw_side; over SCTP TSNs */
    uint64_t seed;   /* of math.random and of the hardship; 0: 1 */
    bool trust;
    bool has_extensions; /* otherwise `extensions` is IW_EXT_DEFAULT */
    unsigned extensions; /* set that connections accept and monitors know */
    bool quiet;
    FILE *out; /* NULL: stdout */
    FILE *err; /* NULL: stderr */
};

/* Writes the capture. Returns VIOLATIONS if a script failed, and ENVIRONMENT for mistakes in a script and
 * files that cannot be read or written. Findings are printed, but make no verdict: a script may
 * well be meant to violate. */
enum iw_exit iw_synth(const struct iw_synth_options *options);

#endif
