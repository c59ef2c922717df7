#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "iw_endpoint.h"
#include "iw_status.h"

/* What a device claims to support: a Lua table (docs/profile.md). A case that needs a claim which the
 * device does not make is not applicable. */

enum { IW_PROFILE_RESPONDER = 1 << 0, IW_PROFILE_INITIATOR = 1 << 1 };
enum { IW_PROFILE_REVISION_1 = 1 << 0, IW_PROFILE_REVISION_2 = 1 << 1 };
enum { IW_PROFILE_STARTUP_TIMEOUT_S = 60, IW_PROFILE_SERVICE_TIMEOUT_S = 5 };
enum { IW_PROFILE_PERSIST = 1 << 0, IW_PROFILE_EXPOSE = 1 << 1 };

struct iw_profile {
    char name[64];
    char words[160];
    unsigned roles;     /* set of IW_PROFILE_RESPONDER and IW_PROFILE_INITIATOR */
    unsigned revisions; /* of MPA: set of IW_PROFILE_REVISION_1 and IW_PROFILE_REVISION_2 */
    uint8_t revision;   /* revision of Requests, unless a case chooses one; 0: the lowest */
    bool markers;
    bool crc_if_asked; /* does not request CRC itself */
    bool crc_reports;  /* reports a wrong CRC; false: drops the TCP segment (RFC 5044 8) */
    unsigned rtr;      /* RTR types that its responder accepts: set of enum iw_rtr */
    uint16_t ird, ord;
    bool atomics, swap, immediate, atomic_write;
    bool sctp;       /* supports DDP over SCTP */
    unsigned flush;  /* set of IW_PROFILE_PERSIST and IW_PROFILE_EXPOSE */
    unsigned hashes; /* of Verify: set of bits 1 << (enum iw_hash - 1) */
    struct {
        uint64_t region;       /* octets of a region */
        uint64_t message;      /* octets of a message */
        uint16_t private_data; /* octets in a startup frame, including the enhanced data */
    } limits;
    unsigned settle_ms;         /* from the device's Reply until it accepts FPDUs */
    unsigned startup_timeout_s; /* timeout for a missing or incomplete startup frame */
    unsigned service_timeout_s; /* for an answer on one connection while others are attacked */
};

/* A profile that makes all claims except "no-crc". */
struct iw_profile iw_profile_default(void);

/* Loads the built-in profile of that name or, if `name` contains a slash or a dot, the file. Returns
 * IW_OK, or IW_ERR_FORMAT, IW_ERR_IO or IW_ERR_NOMEM with the reason as one line in `error`. */
enum iw_status iw_profile_load(
    struct iw_profile *profile, const char *name, char *error, size_t error_octets);

/* Loads a profile from the text of a file. `name` is for its name and for errors. */
enum iw_status iw_profile_load_text(struct iw_profile *profile, const char *name, const char *text,
    size_t octets, char *error, size_t error_octets);

/* Whether the device makes that claim. Sets `known`, which may be NULL, to whether the claim exists. */
bool iw_profile_claims(const struct iw_profile *profile, const char *claim, bool *known);

/* The name of the claim at `index`, or NULL after the last. */
const char *iw_profile_claim(size_t index);

/* Restricts revision, CRC, RTR types, IRD, ORD and extensions of an endpoint to what the profile claims. */
void iw_profile_configure(const struct iw_profile *profile, struct iw_endpoint_config *config);

/* A row of `list profiles`. Returns NULL if memory runs out. */
json_t *iw_profile_json(const struct iw_profile *profile);

/* Reads such a row. Returns false if the object is no profile. */
bool iw_profile_of_json(struct iw_profile *profile, const json_t *row);
