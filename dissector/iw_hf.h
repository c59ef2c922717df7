#pragma once

#include "iw_epan.h"

#include "iw_layout.h"
#include "iw_requirement.h"

/* Registers the plugin's protocols, fields, subtrees and expert infos in Wireshark. Most come from the tables
 * of core/wire and core/monitor. */

extern int proto_iwarp;
extern int proto_iwarp_mpa;
extern int proto_iwarp_ddp;
extern int proto_iwarp_rdmap;
extern int proto_iwarp_sctp;

/* Fields that no header contains: first those that `warpcheck` also shows, then those only of Wireshark. */
enum iw_hf {
#define IW_DERIVED(symbol, label, filter, type, how) IW_HF_##symbol,
#include "iw_derived.def"
#define IW_HF(symbol, label, filter, type, display, strings, help) IW_HF_##symbol,
#include "iw_hf.def"
    IW_HF_COUNT,
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
    IW_ETT_CONNECTION,
    IW_ETT_COUNT
};

/* Call this function once, when Wireshark starts. */
void iw_hf_register(void);

/* Ids that Wireshark assigned. */
extern int hf_iwarp[IW_HF_COUNT];
extern int ett_iwarp[IW_ETT_COUNT];
extern expert_field ei_iwarp_sctp_short; /* SCTP chunk too short for its header */
extern expert_field ei_iwarp_crc;        /* wrong CRC that no shown finding reports */
extern expert_field ei_iwarp_limit;      /* frame not judged because of a limit */
extern expert_field ei_iwarp_explanation_fine, ei_iwarp_explanation_slow, ei_iwarp_explanation_failed;
extern expert_field ei_iwarp_upper[3]; /* finding of a protocol above RDMAP, by enum iw_severity */
int iw_hf_field(const struct iw_field *field);
int iw_hf_included(const struct iw_field *field); /* id for the field in a header that a Terminate includes */
expert_field *iw_hf_expert(const struct iw_requirement *requirement);

/* Returns true if a filter, a column or a tap uses one of the fields. */
bool iw_hf_referenced(void);
