#ifndef IW_STAT_H
#define IW_STAT_H

/* The statistics of iWARP: each module listens to the tap (iw_tap.h). iw_stat_srt, iw_stat_tree,
 * iw_stat_conversation, iw_stat_follow, iw_stat_object. */

/* Registers the tap and the statistics. Call once, when Wireshark starts, after registering the
 * protocols. */
void iw_stat_register(void);

#endif
