#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_ddp_association.h"
#include "iw_endpoint.h"
#include "iw_requirement.h"

/* Named defects of the reference endpoint (iw_defect.def). Each makes it a peer with one known violation,
 * which monitor and suite must detect. The variants (iw_variant.def) conform: they must give no violation. */

enum iw_defect_of {
    IW_DEFECT_OF_FPDU,
    IW_DEFECT_OF_STARTUP,
    IW_DEFECT_OF_CLOSE,
    IW_DEFECT_OF_DELIVERING, /* received messages: not delivered to the ULP */
    IW_DEFECT_OF_EXECUTING,  /* received requests: a header field is changed before execution */
    IW_DEFECT_OF_SCTP,       /* DDP over SCTP: chunks that are sent, and the behaviour of the association */
    IW_DEFECT_OF_DEVICE,     /* all connections of a device together: leaks, exhaustion */
};

/* How far a connection has come, as its device sees it. */
enum iw_defect_phase {
    IW_DEFECT_STARTING,   /* without a startup frame of the device */
    IW_DEFECT_IDLE,       /* without an FPDU of the device */
    IW_DEFECT_ACTIVE,     /* the device has sent an FPDU */
    IW_DEFECT_TERMINATED, /* the device has sent a Terminate, even if it has then sent its FIN */
    IW_DEFECT_ABANDONED,  /* ended, or closed by the device, while STARTING */
    IW_DEFECT_ENDED,      /* ended, or closed by the device, while IDLE or ACTIVE */
    IW_DEFECT_FAILED,     /* ended while TERMINATED */
    IW_DEFECT_PHASES,
};

enum iw_defect_times { IW_DEFECT_ONCE, IW_DEFECT_NEVER, IW_DEFECT_TWICE };

/* The segments of a message that the defect changes. */
enum iw_defect_where {
    IW_DEFECT_ANYWHERE,
    IW_DEFECT_LAST,    /* L=1 */
    IW_DEFECT_NOT_LAST /* L=0 */
};

/* An additional FPDU that is sent. It is well-formed unless `cut` is set. */
struct iw_defect_extra {
    enum iw_defect_place { IW_DEFECT_NOWHERE, IW_DEFECT_BEFORE, IW_DEFECT_AFTER } place;
    uint8_t opcode;
    uint16_t payload_octets;
    uint16_t cut; /* number of octets of the FPDU to send; 0: all */
};

/* Changes of headers and payload. */
struct iw_defect_octets {
    uint8_t flip; /* bits to flip in the octet at offset `at` of the RDMAP header or of the Key */
    size_t at;
    size_t header_shorter; /* number of octets to remove from the end of the RDMAP header */
    size_t shorter;        /* number of octets to remove from the end of the payload */
    size_t longer;         /* number of octets to append to the payload, unless the result exceeds 65,536 */
    uint8_t payload_flip;  /* bits to flip in the first octet of the payload */
};

struct iw_defect_framing {
    struct iw_fpdu_parts parts; /* merged into the FPDU; IW_FPDU_SET_CRC and _SET_FPDUPTR set 0 */
    int length_add;             /* added to ULPDU_Length */
    int pad_add;                /* added to the number of PAD octets */
};

struct iw_defect_tcp {
    size_t cut;    /* number of octets of the FPDU or frame to send; 0: all */
    size_t pieces; /* size of the first TCP segments; 0: not split; not a violation */
    bool merge;    /* joins the FPDU with the next one in one TCP segment; not a violation */
    bool reset;    /* sends RST instead of FIN */
};

/* Changes of the endpoint's configuration. A zero member changes nothing. */
struct iw_defect_settings {
    struct iw_automatic omitted; /* automatic actions to switch off */
    bool startup_unlimited;      /* no timeout for the startup */
    /* The members from here on are as in struct iw_endpoint_config. */
    bool markers, no_crc, joined, enhanced;
    uint16_t ird, ord, mulpdu;
    unsigned rtr;
    uint16_t private_octets;
};

/* Changes for DDP over SCTP. The members `field`, `add` and `value`, octets.longer, octets.shorter and
 * `times` of the defect also apply to the chunks. */
struct iw_defect_sctp {
    unsigned chunks;     /* set: 1 << 0 for segments, 1 << Function Code for control messages */
    bool ordered;        /* sends unordered chunks as ordered ones */
    bool unindicated;    /* sends no Adaptation Layer Indication */
    uint32_t indication; /* Adaptation Layer Indication to send; 0: the correct one */
    struct iw_sctp_link_policy link;
    struct iw_ddp_policy policy;
};

/* A limit of the whole device: while more than `capacity` connections are in one of these phases, the device
 * sends nothing on any other connection. */
struct iw_defect_limit {
    unsigned phases; /* set of 1 << enum iw_defect_phase */
    unsigned capacity;
    bool startup_only; /* no startup frame on others; what they send later is not suppressed */
};

struct iw_defect {
    const char *name;
    unsigned roles;    /* set of enum iw_defect_role: roles that can have the defect */
    const char *words; /* title: what the endpoint does */
    enum iw_requirement_id requirement;

    /* What the defect changes: frames, messages, requests or chunks that match all these members. */
    enum iw_defect_of of;
    uint32_t messages; /* set of 1 << opcode; 0: any opcode */
    enum iw_defect_where where;
    unsigned only;   /* only the n-th matching item of a connection, from 1; 0: all */
    int about;       /* enum iw_error + 1: only Terminates that report this error; 0: any message */
    int operation;   /* AOpCode + 1: only Atomic Requests with this AOpCode; 0: any message */
    unsigned causes; /* set of 1 << enum iw_emit_cause: only what is sent for these reasons; 0: any */

    /* How the defect changes such an item. */
    const char *field; /* header field to change; NULL: none */
    bool add;          /* adds `value` to the field instead of setting it */
    uint64_t value;
    bool retag; /* sends the DDP header of the other buffer model (tagged or untagged) */
    bool plain; /* omits the enhanced data of a startup frame (RFC 6581) */
    struct iw_defect_octets octets;
    struct iw_defect_framing framing;
    struct iw_defect_tcp tcp;
    enum iw_defect_times times;
    bool late;                    /* sends the item after the next one that the defect changes */
    struct iw_defect_extra extra; /* additional FPDU */

    /* Other decisions of the endpoint, and changes of its configuration. */
    struct iw_policy policy;
    struct iw_defect_settings settings;

    struct iw_defect_sctp sctp;   /* only for IW_DEFECT_OF_SCTP */
    struct iw_defect_limit limit; /* only for IW_DEFECT_OF_DEVICE */
};

enum iw_defect_role { IW_DEFECT_INITIATOR = 1 << 0, IW_DEFECT_RESPONDER = 1 << 1 };

extern const struct iw_defect iw_defects[];
extern const size_t iw_defect_count;

extern const struct iw_defect iw_variants[];
extern const size_t iw_variant_count;

/* Find a defect or a variant by its name; return NULL if unknown. */
const struct iw_defect *iw_defect_find(const char *name);
const struct iw_defect *iw_variant_find(const char *name);

/* Returns "variant" if `defect` is in iw_variants, otherwise "defect". */
const char *iw_defect_kind(const struct iw_defect *defect);

/* Returns the roles that can have the defect: "initiator", "responder" or "both". */
const char *iw_defect_roles(const struct iw_defect *defect);

/* Returns whether the defect sets *iw_policy.deviated when it takes effect. Not every defect does. */
bool iw_defect_sets_deviated(const struct iw_defect *defect);

/* What the endpoints of a device with a defect share. All zero at first; must outlive these endpoints. */
struct iw_defect_device {
    const struct iw_defect *defect;
    unsigned connections[IW_DEFECT_PHASES];
};

/* Applies the defect to the configuration of an endpoint; changes nothing if it is NULL or of SCTP. The given
 * policy must be zero except `deviated`, `omitted_checks` and `unusual_checks`, which are kept. `device` is
 * that of the endpoint; without it (NULL), a defect of the whole device has no effect. */
void iw_defect_configure(
    const struct iw_defect *defect, struct iw_defect_device *device, struct iw_endpoint_config *config);

/* Applies the defect to the configuration of an association; changes nothing if it is NULL or not of SCTP.
 * The given policies must be zero except `omitted_checks` and `unusual_checks`, which are kept. */
void iw_defect_configure_association(
    const struct iw_defect *defect, struct iw_ddp_association_config *config);
