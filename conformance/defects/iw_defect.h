#ifndef IW_DEFECT_H
#define IW_DEFECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_ddp_association.h"
#include "iw_endpoint.h"
#include "iw_requirement.h"

/* The named defects of the reference endpoint (iw_defect.def). They show that monitor and suite find what
 * they are there to find, and serve as peers that are wrong in one known way. Its lawful variants
 * (iw_variant.def) are made likewise; they show that neither finds what is not there. */

enum iw_defect_of {
    IW_DEFECT_OF_FPDU,
    IW_DEFECT_OF_STARTUP,
    IW_DEFECT_OF_CLOSE,
    IW_DEFECT_OF_RECEIVING,
    IW_DEFECT_OF_EXECUTING, /* requests of the peer's: a field of the header is another to what executes them
                             */
    IW_DEFECT_OF_SCTP, /* DDP over SCTP, and nothing else: what its chunks say, or the association does */
};

enum iw_defect_times { IW_DEFECT_ONCE, IW_DEFECT_NEVER, IW_DEFECT_TWICE };

/* Which segments of messages. */
enum iw_defect_where {
    IW_DEFECT_ANYWHERE,
    IW_DEFECT_LAST,    /* with L */
    IW_DEFECT_NOT_LAST /* without */
};

/* Something more that is sent: an FPDU of that opcode, right but for being there. */
struct iw_defect_extra {
    enum iw_defect_place { IW_DEFECT_NOWHERE, IW_DEFECT_BEFORE, IW_DEFECT_BEHIND } place;
    uint8_t opcode;
    uint16_t payload_octets;
    uint16_t cut; /* octets of the FPDU that are sent; 0: all */
};

struct iw_defect {
    const char *name;
    unsigned roles;    /* set of enum iw_defect_role: who can have it */
    const char *words; /* what it does */
    enum iw_requirement_id requirement;

    /* What it changes of all that is about to be sent. */
    enum iw_defect_of of;
    uint32_t messages; /* OF_FPDU: of these opcodes, 1 << opcode each; 0: of any */
    enum iw_defect_where where;
    unsigned only;   /* the first, second, ... of those; 0: all of them */
    int about;       /* Terminates with this enum iw_error + 1; 0: any */
    int operation;   /* Atomic Requests with this AOpCode + 1; 0: any */
    unsigned causes; /* those sent for these reasons, 1 << enum iw_emit_cause each; 0: any */

    /* How. */
    const char *field; /* name of a header field that gets `value`, or with `add` as much more; NULL: none */
    bool add;
    uint64_t value;
    bool retag;   /* the DDP header of the other buffer model */
    uint8_t flip; /* bits of octet `at` of the RDMAP header, or of the key, to turn over */
    size_t at;
    struct iw_fpdu_parts parts; /* framing: the overrides and values that differ from zero */
    int length_add;             /* to ULPDU_Length */
    int pad_add;                /* octets of PAD */
    size_t header_shorter;      /* octets that the RDMAP header lacks */
    size_t shorter;             /* octets that the payload lacks */
    size_t longer;              /* octets that it has too many, if that makes no more than 65,536 */
    uint8_t payload_flip;       /* bits of its first octet to turn over */
    enum iw_defect_times times;
    bool late;                    /* sent behind the next of its kind only */
    struct iw_defect_extra extra; /* beside it */
    size_t cut;                   /* octets of it that are sent; 0: all */
    size_t split; /* octets of it in a TCP segment of their own; 0: none, which is no fault, */
    bool merge;   /* nor is it to go out in one TCP segment with what is sent next */
    bool reset;   /* RST instead of FIN */
    bool plain;   /* a startup frame without its enhanced data */

    /* What the endpoint leaves out, or does besides. */
    unsigned skip;              /* set of enum iw_skip */
    unsigned fuss;              /* set of enum iw_overstrict: what it looks at and shall not */
    unsigned lapses;            /* set of enum iw_omitted_check */
    uint32_t undelivered;       /* opcodes, 1 << each, of messages that it keeps from its ULP */
    struct iw_automatic leaves; /* of what it does by itself */
    bool patient;               /* no end to waiting for a startup frame */
    uint16_t mulpdu;            /* octets of the MULPDU, whatever the EMSS; 0: as it should be */

    /* OF_SCTP. Of the chunks it changes `field`, where they have it, `longer`, `shorter` and `times`. */
    struct iw_defect_sctp {
        unsigned
            chunks; /* which: control messages by Function Code, 1 << code each, and 1 << 0 for segments */
        bool ordered;
        bool unindicated;    /* no Adaptation Layer Indication; */
        uint32_t indication; /* another one, unless 0 */
        uint16_t outbound;   /* so many streams; 0: as many as inbound ones */
        bool flooding;       /* more chunks under way than DDP-SSNs allow */
        uint16_t cut;        /* octets of chunks that SCTP cuts what is sent into; 0: it does not */
        unsigned lapses;     /* set of enum iw_ddp_omitted_check */
    } sctp;

    /* What is the endpoint's own affair. */
    size_t pieces; /* octets of each of the first TCP segments of what it concerns; 0: one segment */
    struct iw_defect_choice {
        bool markers, no_crc, joined, enhanced; /* as of struct iw_endpoint_config, all of them */
        uint16_t ird, ord;
        unsigned rtr;
        uint16_t private_octets;
        unsigned manners;
    } choice; /* where it is not zero */
};

enum iw_defect_role { IW_DEFECT_INITIATOR = 1 << 0, IW_DEFECT_RESPONDER = 1 << 1 };

extern const struct iw_defect iw_defects[];
extern const size_t iw_defect_count;

extern const struct iw_defect iw_variants[];
extern const size_t iw_variant_count;

/* By its name, or NULL. */
const struct iw_defect *iw_defect_find(const char *name);
const struct iw_defect *iw_variant_find(const char *name);

/* "defect", or "variant" for what conforms. */
const char *iw_defect_kind(const struct iw_defect *defect);

/* "initiator", "responder", or "both". */
const char *iw_defect_roles(const struct iw_defect *defect);

/* Whether iw_endpoint_config.deviated tells that it has come to act; of some defects nothing does. */
bool iw_defect_told(const struct iw_defect *defect);

/* Gives the configuration of endpoints the defect, which may be NULL: none. */
void iw_defect_configure(const struct iw_defect *defect, struct iw_endpoint_config *config);

/* The same for associations under them: what is of SCTP. */
void iw_defect_configure_association(
    const struct iw_defect *defect, struct iw_ddp_association_config *config);

#endif
