#ifndef IW_STAT_FOLLOW_H
#define IW_STAT_FOLLOW_H

/* Follow, iWARP stream: the payload of the Sends of a connection in both directions, each in stream order
 * (`tshark -q -z follow,iwarp,ascii,0`; the number is tcp.stream). */
void iw_stat_follow_register(void);

#endif
