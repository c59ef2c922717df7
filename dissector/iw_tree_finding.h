#ifndef IW_TREE_FINDING_H
#define IW_TREE_FINDING_H

#include "iw_pdu.h"

/* Adds the findings of the item: each as a tree of its own, and as an expert info at the field that is at
 * fault if that is shown. */
void iw_tree_findings(struct iw_pdu *pdu);

/* Whether a finding of the item concerns that field. */
bool iw_tree_finding_about(const struct iw_item *item, enum iw_field_id field);

#endif
