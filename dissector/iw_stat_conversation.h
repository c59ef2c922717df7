#ifndef IW_STAT_CONVERSATION_H
#define IW_STAT_CONVERSATION_H

/* Conversations and endpoints of iWARP: FPDUs and their octets, including Markers, for each connection and
 * direction (`tshark -q -z conv,iwarp` and `-z endpoints,iwarp`); and the conversation filter "iWARP" of
 * the packet list. Connections are those of tcp.stream, so reused addresses make another conversation. */
void iw_stat_conversation_register(void);

#endif
