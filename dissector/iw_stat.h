#ifndef IW_STAT_H
#define IW_STAT_H

/* The statistics over iWARP. Each is a listener of the tap (iw_tap.h), in a module of its own: iw_stat_srt,
 * iw_stat_tree, iw_stat_conversation, iw_stat_follow, iw_stat_object. */

/* Registers the tap and all of them; once, when Wireshark starts, behind the protocols. */
void iw_stat_register(void);

#endif
