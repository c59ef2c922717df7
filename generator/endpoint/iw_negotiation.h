#ifndef IW_NEGOTIATION_H
#define IW_NEGOTIATION_H

#include "iw_endpoint.h"

/* The startup frames as an endpoint makes, judges and settles them (RFC 5044 7.1, RFC 6581 9), by its
 * configuration and the frames alone. `config` has no defaults left in it but the MULPDU's; `own` and `peer`
 * are the frames that were sent and received. */

/* The frame to be sent: a Request as initiator; as responder the Reply to the Request of `peer`. */
void iw_negotiation_prepare(
    const struct iw_endpoint_config *config, const struct iw_startup *peer, struct iw_emit *emit);

/* Whether that Reply has R=1. */
bool iw_negotiation_rejects(const struct iw_endpoint_config *config, const struct iw_startup *request);

/* Why the peer's frame is no good, or NULL. `more` octets came behind it. */
const char *iw_negotiation_fault(const struct iw_endpoint_config *config, const struct iw_startup *own,
    const struct iw_startup *peer, bool more);

/* As initiator: the responder's ORD is above the own IRD (RFC 6581 9.1). */
bool iw_negotiation_lacks_ird(
    const struct iw_endpoint_config *config, const struct iw_startup *own, const struct iw_startup *peer);

/* What the two frames settle. */
struct iw_terms iw_negotiation_terms(
    const struct iw_endpoint_config *config, const struct iw_startup *own, const struct iw_startup *peer);

#endif
