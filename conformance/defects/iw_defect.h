#ifndef IW_DEFECT_H
#define IW_DEFECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_ddp_association.h"
#include "iw_endpoint.h"
#include "iw_requirement.h"

/* Named defects of the reference endpoint (iw_defect.def). Each is a peer with one known violation, and
 * shows that monitor and suite detect it. The conforming variants (iw_variant.def) use the same
 * mechanism and show that monitor and suite report no false positives. */

enum iw_defect_of {
    IW_DEFECT_OF_FPDU,
    IW_DEFECT_OF_STARTUP,
    IW_DEFECT_OF_CLOSE,
    IW_DEFECT_OF_DELIVERING, /* messages of the peer: not delivered to the ULP */
    IW_DEFECT_OF_EXECUTING,  /* requests of the peer: a header field is changed before execution */
    IW_DEFECT_OF_SCTP,       /* DDP over SCTP only: contents of chunks, and behaviour of the association */
};

enum iw_defect_times { IW_DEFECT_ONCE, IW_DEFECT_NEVER, IW_DEFECT_TWICE };

/* Which segments of a message the defect concerns. */
enum iw_defect_where {
    IW_DEFECT_ANYWHERE,
    IW_DEFECT_LAST,    /* L=1 */
    IW_DEFECT_NOT_LAST /* L=0 */
};

/* An additional FPDU with this opcode, well-formed unless `cut`. */
struct iw_defect_extra {
    enum iw_defect_place { IW_DEFECT_NOWHERE, IW_DEFECT_BEFORE, IW_DEFECT_AFTER } place;
    uint8_t opcode;
    uint16_t payload_octets;
    uint16_t cut; /* octets of the FPDU to send; 0: all */
};

/* Changes in headers and payload. */
struct iw_defect_octets {
    uint8_t flip; /* bits to flip in octet `at` of the RDMAP header or of the Key */
    size_t at;
    size_t header_shorter; /* octets to remove from the end of the RDMAP header */
    size_t shorter;        /* octets to remove from the end of the payload */
    size_t longer;         /* octets to append to the payload, unless it would exceed 65,536 octets */
    uint8_t payload_flip;  /* bits to flip in the first octet of the payload */
};

struct iw_defect_framing {
    struct iw_fpdu_parts parts; /* merged into those of the FPDU; IW_FPDU_SET_CRC and _SET_FPDUPTR set 0 */
    int length_add;             /* added to ULPDU_Length */
    int pad_add;                /* added to the number of PAD octets */
};

struct iw_defect_tcp {
    size_t cut;    /* octets of the FPDU or frame to send; 0: all */
    size_t pieces; /* octets of the first TCP segments of each FPDU or frame; 0: not split; not a violation */
    bool merge;    /* joins the FPDU with the next one in one TCP segment; not a violation */
    bool reset;    /* RST instead of FIN */
};

/* Changes of the endpoint's configuration; nonzero members apply. */
struct iw_defect_settings {
    struct iw_automatic omitted; /* automatic actions that the endpoint omits */
    bool startup_unlimited;      /* no timeout for startup frames */
    /* The members from here on are as in struct iw_endpoint_config. */
    bool markers, no_crc, joined, enhanced;
    uint16_t ird, ord, mulpdu;
    unsigned rtr;
    uint16_t private_octets;
};

/* DDP over SCTP. The members `field` (if the chunk has that field), `longer`, `shorter` and `times` of the
 * defect apply to chunks. */
struct iw_defect_sctp {
    unsigned chunks; /* which chunks: control messages by Function Code, 1 << code each, and 1 << 0 for
                        segments */
    bool ordered;
    bool unindicated;    /* sends no Adaptation Layer Indication */
    uint32_t indication; /* sends this indication; 0: the correct one */
    struct iw_sctp_link_policy link;
    struct iw_ddp_policy policy;
};

struct iw_defect {
    const char *name;
    unsigned roles;    /* set of enum iw_defect_role: roles that can have it */
    const char *words; /* title */
    enum iw_requirement_id requirement;

    /* What the defect changes: which frames, messages, requests or chunks. */
    enum iw_defect_of of;
    uint32_t messages; /* opcodes, 1 << opcode each; 0: any */
    enum iw_defect_where where;
    unsigned only;   /* changes only this one of the selected items, counted from 1; 0: all */
    int about;       /* only Terminates that report this enum iw_error + 1; 0: any message */
    int operation;   /* only Atomic Requests with this AOpCode + 1; 0: any message */
    unsigned causes; /* only for these reasons for sending, 1 << enum iw_emit_cause each; 0: any */

    /* How the defect changes these. */
    const char *field; /* header field to set to `value`, or with `add` to increment by `value`; NULL: none */
    bool add;
    uint64_t value;
    bool retag; /* uses the DDP header of the other buffer model */
    bool plain; /* omits the enhanced data of a startup frame */
    struct iw_defect_octets octets;
    struct iw_defect_framing framing;
    struct iw_defect_tcp tcp;
    enum iw_defect_times times;
    bool late;                    /* sent after the next FPDU or frame that the defect concerns */
    struct iw_defect_extra extra; /* sent in addition */

    /* What the endpoint decides differently, and the changes of its configuration. */
    struct iw_policy policy;
    struct iw_defect_settings settings;

    struct iw_defect_sctp sctp; /* for IW_DEFECT_OF_SCTP only */
};

enum iw_defect_role { IW_DEFECT_INITIATOR = 1 << 0, IW_DEFECT_RESPONDER = 1 << 1 };

extern const struct iw_defect iw_defects[];
extern const size_t iw_defect_count;

extern const struct iw_defect iw_variants[];
extern const size_t iw_variant_count;

/* Find a defect or variant by name; NULL if unknown. */
const struct iw_defect *iw_defect_find(const char *name);
const struct iw_defect *iw_variant_find(const char *name);

/* "defect", or "variant" if it conforms. */
const char *iw_defect_kind(const struct iw_defect *defect);

/* "initiator", "responder", or "both". */
const char *iw_defect_roles(const struct iw_defect *defect);

/* Whether this defect sets iw_policy.deviated when it takes effect; some defects never set it. */
bool iw_defect_sets_deviated(const struct iw_defect *defect);

/* Applies the defect to the configuration of an endpoint; NULL or a defect of SCTP changes nothing. Keeps the
 * given `deviated` and sets of omitted and unusual checks; the other members of the policy must be zero. */
void iw_defect_configure(const struct iw_defect *defect, struct iw_endpoint_config *config);

/* Applies the defect to the configuration of an association; changes nothing if it is NULL or does not
 * concern SCTP. The given policies must be zero apart from the sets of checks, which are kept. */
void iw_defect_configure_association(
    const struct iw_defect *defect, struct iw_ddp_association_config *config);

#endif
