#pragma once

/* The statistics of iWARP; each gets its data from the tap (iw_tap.h). Call each function once, when
 * Wireshark starts, after the protocols and the tap were registered. */

/* ---- iw_stat_srt.c ---- */

/* Service response times: from a request to its complete response, for each kind of operation, and for RDMA
 * Read also to the first segment of the response. `tshark -q -z iwarp,srt`. */
void iw_stat_srt_register(void);

/* ---- iw_stat_tree.c ---- */

/* A statistics tree: counts of what was sent, of sizes and of findings. `tshark -q -z iwarp,tree`. */
void iw_stat_tree_register(void);

/* ---- iw_stat_stag.c ---- */

/* A table of STags: owner, octets placed and requested, lifetime, and with the preference `upper` the purpose
 * of the latest buffer. `tshark -q -z iwarp,stags`. */
void iw_stat_stag_register(void);

/* ---- iw_stat_conversation.c ---- */

/* Tables of conversations and endpoints: FPDUs and their octets, including Markers, by connection and
 * direction (`tshark -q -z conv,iwarp` and `-z endpoints,iwarp`); and the conversation filter "iWARP" of the
 * packet list. A TCP connection is that of tcp.stream, even if addresses are reused. */
void iw_stat_conversation_register(void);

/* ---- iw_stat_follow.c ---- */

/* Follow, iWARP stream: the payload of the Sends of a TCP connection, each direction in stream order (`tshark
 * -q -z follow,iwarp,ascii,0`; the number is tcp.stream). */
void iw_stat_follow_register(void);

/* ---- iw_stat_object.c ---- */

/* Export objects (`tshark --export-objects iwarp,DIRECTORY`): over TCP, the payload of each Send, and what
 * RDMA Writes placed into each STag. Missing octets are 0; the content type reports them. Returns the id of
 * the tap for the lists of iw_tap.h. */
int iw_stat_object_register(void);
