#ifndef IW_STAT_OBJECT_H
#define IW_STAT_OBJECT_H

/* Export objects (`tshark --export-objects iwarp,DIRECTORY`): each Send, put together from its segments, and
 * what RDMA Writes have placed into each STag. What is missing is zero, and is told in the content type.
 *
 * Returns the tap that wants the lists of iw_tap.h. */
int iw_stat_object_register(void);

#endif
