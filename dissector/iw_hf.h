#ifndef IW_HF_H
#define IW_HF_H

#include "iw_epan.h"

#include "iw_layout.h"
#include "iw_requirement.h"

/* What Wireshark knows the plugin by: protocols, fields, subtrees and expert infos, all made from the tables.
 */

extern int proto_iwarp;
extern int proto_iwarp_mpa;
extern int proto_iwarp_ddp;
extern int proto_iwarp_rdmap;
extern int proto_iwarp_sctp;

enum iw_hf_derived {
#define IW_DERIVED(symbol, label, filter, type, how) IW_HF_##symbol,
#include "iw_derived.def"
#undef IW_DERIVED
    IW_HF_DERIVED_COUNT,
};

enum iw_hf_own {
#define IW_HF(symbol, label, filter, type, display, strings, help) IW_HF_##symbol,
#include "iw_hf.def"
#undef IW_HF
    IW_HF_OWN_COUNT,
};

enum iw_ett {
    IW_ETT_PDU,
    IW_ETT_HEADER,
    IW_ETT_INCLUDED,
    IW_ETT_MARKER,
    IW_ETT_FINDING,
    IW_ETT_STAG,
    IW_ETT_PART,
    IW_ETT_SETTLED,
    IW_ETT_COUNT
};

/* Registers all of it; once, when Wireshark starts. */
void iw_hf_register(void);

/* The ids Wireshark has given. */
int iw_hf_field(const struct iw_field *field);
int iw_hf_included(const struct iw_field *field); /* in a header that a Terminate includes */
int iw_hf_derived(enum iw_hf_derived derived);
int iw_hf_own(enum iw_hf_own own);
int iw_hf_ett(enum iw_ett ett);
expert_field *iw_hf_expert(const struct iw_requirement *requirement);
expert_field *iw_hf_sctp_short(void);   /* an SCTP chunk that is too short for its header */
expert_field *iw_hf_expert_crc(void);   /* a CRC that is wrong, whatever the rules make of it */
expert_field *iw_hf_expert_limit(void); /* what is beyond the limits of this program */

/* A filter, a column or a tap asks for one of the fields. */
bool iw_hf_referenced(void);

#endif
