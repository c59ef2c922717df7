#pragma once

#include <stdio.h>

#include "iw_exit.h"
#include "iw_impairment.h"
#include "iw_script.h"

/* `warpcheck synth`: makes a capture of a conversation without a network. The conversation runs in memory
 * with its own clock: the same script and seed give the same file, octet for octet. */

/* The conversation goes from 192.0.2.1:49152 and later ports to 192.0.2.2:20100, from 2026-01-01 on. */
enum { IW_SYNTH_PORT = 20100, IW_SYNTH_SEGMENT_OCTETS = 1460 };

struct iw_synth_options {
    const char *script; /* may play both sides: listen{port=peer.port} and connect{} meet in memory */
    const char *peer;   /* script of the other side; NULL: the reference endpoint accepts all connections,
                           unless the script listens. It offers the region peer.stag, peer.to, peer.size */
    const struct iw_script_argument *arguments; /* for both scripts */
    size_t argument_count;
    const char *output;
    struct iw_impairment_plan impairment; /* all zero: a perfect capture */
    bool sctp;                            /* show the conversation as DDP over SCTP */
    bool has_isn;
    uint32_t isn[2]; /* of the first connection, by enum iw_side; with SCTP: TSNs */
    uint64_t seed;   /* of math.random and of the impairment; 0: 1 */
    bool trust;
    bool has_extensions; /* `extensions` is valid; otherwise IW_EXT_DEFAULT */
    unsigned extensions; /* set of enum iw_extension that connections and monitors accept */
    bool quiet;
    FILE *out; /* NULL: stdout */
    FILE *err; /* NULL: stderr */
};

/* Writes the capture. Returns VIOLATIONS if a script failed, ENVIRONMENT for mistakes in a script and file
 * errors. Prints findings but ignores them in the exit code: a script may violate on purpose. */
enum iw_exit iw_synth(const struct iw_synth_options *options);
