#ifndef IW_PROFILE_H
#define IW_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "iw_endpoint.h"
#include "iw_status.h"

/* What a device claims to do: a Lua table (docs/profile.md). A case that asks for a claim which the device
 * does not make does not apply to it. */

enum { IW_PROFILE_RESPONDER = 1 << 0, IW_PROFILE_INITIATOR = 1 << 1 };
enum { IW_PROFILE_REVISION_1 = 1 << 0, IW_PROFILE_REVISION_2 = 1 << 1 };
enum { IW_PROFILE_STARTUP_TIMEOUT_S = 60 };
enum { IW_PROFILE_PERSIST = 1 << 0, IW_PROFILE_EXPOSE = 1 << 1 };

struct iw_profile {
    char name[64];
    char words[160];
    unsigned roles;     /* set of IW_PROFILE_RESPONDER and so on, as the next ones */
    unsigned revisions; /* of MPA */
    uint8_t revision;   /* one of them: of a Request for which a case asks for none; 0: the lowest */
    bool markers;
    bool crc_if_asked; /* does not ask for CRC itself */
    bool crc_reports;  /* reports a wrong one; or else drops its TCP segment (RFC 5044 8) */
    unsigned rtr;      /* set of enum iw_rtr */
    uint16_t ird, ord;
    bool atomics, swap, immediate, atomic_write;
    bool sctp; /* DDP over it, where it can be reached so */
    unsigned flush;
    unsigned hashes; /* of Verify: 1 << (enum iw_hash - 1) */
    struct {
        uint64_t region;       /* octets of one */
        uint64_t message;      /* octets of one */
        uint16_t private_data; /* octets in a startup frame, enhanced data included */
    } limits;
    unsigned settle_ms;         /* from its Reply until it looks for FPDUs */
    unsigned startup_timeout_s; /* for a startup frame that does not come, or not become whole */
};

/* Claims everything. */
struct iw_profile iw_profile_default(void);

/* Reads the profile that is built in under that name or, with a slash or a dot in it, the file there.
 * IW_ERR_FORMAT, IW_ERR_IO or IW_ERR_NOMEM with one line in `error` that names the file and the field. */
enum iw_status iw_profile_load(
    struct iw_profile *profile, const char *name, char *error, size_t error_octets);

/* Whether the device makes that claim. `known` tells whether there is one of that name; it may be NULL. */
bool iw_profile_claims(const struct iw_profile *profile, const char *claim, bool *known);

/* The name of each claim, or NULL behind the last. */
const char *iw_profile_claim(size_t index);

/* Makes of an endpoint that claims everything one that does what the profile says. */
void iw_profile_configure(const struct iw_profile *profile, struct iw_endpoint_config *config);

/* One row for `list profiles`: the fields as in the file. NULL if there is no memory. */
json_t *iw_profile_json(const struct iw_profile *profile);

#endif
