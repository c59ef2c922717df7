#ifndef IW_HF_H
#define IW_HF_H

#include "iw_epan.h"

#include "iw_layout.h"
#include "iw_requirement.h"

/* The plugin's registrations in Wireshark: protocols, fields, subtrees and expert infos, generated from the
 * tables. */

extern int proto_iwarp;
extern int proto_iwarp_mpa;
extern int proto_iwarp_ddp;
extern int proto_iwarp_rdmap;
extern int proto_iwarp_sctp;

enum iw_hf_derived {
#define IW_DERIVED(symbol, label, filter, type, how) IW_HF_##symbol,
#include "iw_derived.def"
    IW_HF_DERIVED_COUNT,
};

enum iw_hf_own {
#define IW_HF(symbol, label, filter, type, display, strings, help) IW_HF_##symbol,
#include "iw_hf.def"
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

/* Call once, when Wireshark starts. */
void iw_hf_register(void);

/* The ids that Wireshark assigned. */
int iw_hf_field(const struct iw_field *field);
int iw_hf_included(const struct iw_field *field); /* in a header included in a Terminate */
int iw_hf_derived(enum iw_hf_derived derived);
int iw_hf_own(enum iw_hf_own own);
int iw_hf_ett(enum iw_ett ett);
expert_field *iw_hf_expert(const struct iw_requirement *requirement);
expert_field *iw_hf_sctp_short(void);   /* an SCTP chunk that is too short for its header */
expert_field *iw_hf_expert_crc(void);   /* a CRC mismatch, even where no rule is violated */
expert_field *iw_hf_expert_limit(void); /* not judged because of a limit of this program */

/* True if a filter, a column or a tap uses one of the fields. */
bool iw_hf_referenced(void);

#endif
