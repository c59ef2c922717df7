#pragma once

#include "iw_endpoint.h"

/* Makes and checks startup frames, and derives the terms (RFC 5044 7.1, RFC 6581 9). `own` and `peer` are the
 * frames sent and received. All defaults in `config` must be filled in, except that of `mulpdu`. */

/* Sets `emit` to the frame to send: the initiator's Request, or the responder's Reply to `peer`. */
void iw_negotiation_prepare(
    const struct iw_endpoint_config *config, const struct iw_startup *peer, struct iw_emit *emit);
bool iw_negotiation_rejects(const struct iw_endpoint_config *config, const struct iw_startup *request);

/* Why the peer's frame is invalid, or NULL. `more`: octets follow the frame. */
const char *iw_negotiation_fault(const struct iw_endpoint_config *config, const struct iw_startup *own,
    const struct iw_startup *peer, bool more);

/* Initiator: whether its IRD is too small for the responder's ORD (RFC 6581 9.1), or check `ord` fails. */
bool iw_negotiation_lacks_ird(
    const struct iw_endpoint_config *config, const struct iw_startup *own, const struct iw_startup *peer);
struct iw_terms iw_negotiation_terms(
    const struct iw_endpoint_config *config, const struct iw_startup *own, const struct iw_startup *peer);
