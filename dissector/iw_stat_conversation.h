#ifndef IW_STAT_CONVERSATION_H
#define IW_STAT_CONVERSATION_H

/* Conversations and endpoints of iWARP: FPDUs, and their octets with Markers, for each connection and each
 * direction (`tshark -q -z conv,iwarp` and `-z endpoints,iwarp`); and the conversation filter "iWARP" of the
 * packet list. A connection is what TCP counts as one (tcp.stream), so that addresses used again make another
 * conversation. */
void iw_stat_conversation_register(void);

#endif
