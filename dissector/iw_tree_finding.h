#ifndef IW_TREE_FINDING_H
#define IW_TREE_FINDING_H

#include "iw_pdu.h"

/* Adds each finding of the item as a separate tree, and as an expert info at the field at fault if that is
 * shown. */
void iw_tree_findings(struct iw_pdu *pdu);

/* True if a finding of the item concerns that field. */
bool iw_tree_finding_about(const struct iw_item *item, enum iw_field_id field);

#endif
