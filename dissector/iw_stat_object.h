#ifndef IW_STAT_OBJECT_H
#define IW_STAT_OBJECT_H

/* Export objects (`tshark --export-objects iwarp,DIRECTORY`): each reassembled Send, and what RDMA Writes
 * placed into each STag. Missing octets are 0; the content type reports them. Returns the tap to queue the
 * lists of iw_tap.h for. */
int iw_stat_object_register(void);

#endif
