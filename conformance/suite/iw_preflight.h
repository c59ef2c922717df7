#pragma once

#include <stdbool.h>

#include "iw_run.h"

/* The preflight of a run: whether an iWARP responder is at the address of the device. It sends a Request of
 * revision 1; if the connection ends without an answer, a Request of revision 2 on a second connection. */

enum { IW_PREFLIGHT_LIMIT_MS = 2500, IW_PREFLIGHT_TEXT_OCTETS = 512 };

/* Returns whether a selected case connects to the TCP port of --peer, so that a preflight helps. With an
 * agent, each session has its own port. A command of --before may start the device. */
bool iw_preflight_helps(const struct iw_run_config *config);

/* Connects to the device and waits for its answer, at most IW_PREFLIGHT_LIMIT_MS. Returns false if no iWARP
 * responder is there: `text` is then one line that says why. Returns true if it answers with a startup frame;
 * `text` is then empty, or one line about a Reply that rejects, has another revision, or accepts only
 * revision 2. */
bool iw_preflight(const struct iw_dut_target *target, char text[IW_PREFLIGHT_TEXT_OCTETS]);
