#ifndef IW_TREE_MPA_H
#define IW_TREE_MPA_H

#include "iw_pdu.h"

/* Adds a startup frame (RFC 5044 7.1.1, RFC 6581 6). */
void iw_tree_mpa_startup(struct iw_pdu *pdu);

/* Adds the MPA fields of an FPDU: ULPDU_Length, PAD, CRC and Markers (RFC 5044 4.1 to 4.4). */
void iw_tree_mpa_fpdu(struct iw_pdu *pdu);

#endif
