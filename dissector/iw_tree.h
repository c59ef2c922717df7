#pragma once

#include "iw_pdu.h"

struct iw_stored_chunk;

/* Returns the first stored item of the frame that ends in `segment`, or NULL. */
const struct iw_item *iw_tree_first(uint32_t frame, const struct iw_tcp_segment *segment);

/* Shows the items that end in the segment, from `begin` on: columns, tree and expert infos. `tvb` holds the
 * TCP header and the payload. Does not change stored items, so every pass shows the same. */
void iw_tree_frame(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_tcp_segment *segment,
    const struct iw_item *begin);

/* Shows the parts in this frame of FPDUs and startup frames that end in other frames. A frame with only such
 * parts keeps TCP's columns; Info then also names the parts. */
void iw_tree_parts(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_tcp_segment *segment);

/* Returns true if the segment is of the flow. With tunnels, a frame may hold segments of several flows. */
bool iw_tree_is_of_flow(const struct iw_stored_flow *flow, const struct iw_tcp_segment *segment);

/* Returns true if the tree is displayed, or if a filter, a column or a tap uses one of our fields. Most
 * passes need no fields, and building trees would take most of their time. */
bool iw_tree_needs_fields(proto_tree *tree);

/* ---- iw_tree_connection.c ---- */

/* Adds the connection as it is after this frame: state, terms, outstanding requests, links. */
void iw_tree_connection(
    packet_info *pinfo, proto_tree *parent, tvbuff_t *tvb, const struct iw_stored_flow *flow);

/* Shows why a connection that ends in this segment failed, hung or was slow; `tvb` begins with its TCP
 * header. */
void iw_tree_explanation(
    tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_tcp_segment *segment);

/* ---- iw_tree_upper.c ---- */

/* Adds what the FPDU is for the protocol above RDMAP: call, reply, buffers (iw_upper_store.h). */
void iw_tree_upper(struct iw_pdu *pdu);

/* Adds a tree and an expert info for each rule of the protocol above RDMAP that the FPDU breaks. */
void iw_tree_upper_findings(struct iw_pdu *pdu);

/* ---- iw_tree_memory.c ---- */

/* Adds the memory of the STag of a Write or Read Response as of this FPDU, as a data source, and the frames
 * that placed its octets; with the preference `keep_memory`. */
void iw_tree_memory(struct iw_pdu *pdu);

/* ---- iw_tree_startup.c ---- */

/* Adds a startup frame (RFC 5044 7.1.1, RFC 6581 6), a link to the other side's startup frame, and the
 * negotiated parameters (RFC 6581 9). The Request has link and parameters only after the first pass. */
void iw_tree_startup(struct iw_pdu *pdu);

/* ---- iw_tree_mpa.c ---- */

/* Adds the MPA fields of an FPDU: ULPDU_Length, PAD, CRC and Markers (RFC 5044 4.1 to 4.4). */
void iw_tree_mpa(struct iw_pdu *pdu);

/* ---- iw_tree_segment.c ---- */

/* Adds a segment whose DDP header is complete: the DDP header (RFC 5041 4); and for RDMAP the control octet,
 * Invalidate STag, header of the opcode, links between request and response, and payload (RFC 5040 4, RFC
 * 7306, draft-talpey-rdma-commit-01). */
void iw_tree_segment(struct iw_pdu *pdu);

/* ---- iw_tree_message.c ---- */

/* Adds links to the frames in which the segment's message begins and ends. The last segment also shows the
 * numbers of segments and octets. */
void iw_tree_message(const struct iw_pdu *pdu, proto_tree *tree);

/* Adds links between request and response, times, outstanding requests, and Atomic results. */
void iw_tree_operation(const struct iw_pdu *pdu, proto_tree *tree);

/* Adds to each STag of the segment the frames of its first use, its advertisement and its invalidation. */
void iw_tree_stags(const struct iw_pdu *pdu);

/* ---- iw_tree_terminate.c ---- */

/* Returns the name of a Terminate's error, in the packet scope. Example: "DDP, Tagged Buffer Error, Invalid
 * STag". The Terminate Header must be complete. */
const char *iw_tree_terminate_text(const struct iw_pdu *pdu);

/* Appends the names of EType and Error Code to these fields, and adds hidden fields for filters. */
void iw_tree_terminate_names(struct iw_pdu *pdu, proto_tree *tree);

/* Adds what follows the Terminate Header at index `at` of the image: DDP Segment Length and the headers of
 * the segment at fault (RFC 5040 4.8). Returns false if the Terminate Header is not complete. */
bool iw_tree_terminate_included(struct iw_pdu *pdu, proto_tree *tree, unsigned at);

/* ---- iw_tree_finding.c ---- */

/* Adds a tree for each finding of the item, and an expert info at the field or padding at fault; if that is
 * not shown, at the tree of the finding. Also marks a wrong CRC that no finding reports. */
void iw_tree_findings(struct iw_pdu *pdu);

/* Returns true if a finding of the item is about this field. */
bool iw_tree_finding_about(const struct iw_item *item, enum iw_field_id field);

/* Adds the commands that make scripts of the packet's connection, and a small capture. */
void iw_tree_replay(packet_info *pinfo, proto_tree *tree, enum iw_hf hf);

/* ---- iw_tree_sctp.c ---- */

/* Show the user data of a DDP Segment Chunk (RFC 5043 5.2.2) or DDP Stream Session Control chunk (RFC
 * 5043 5.2.3, RFC 6581 7) in columns and tree, the same in every pass. `stored` may be NULL. */
void iw_tree_sctp_segment(
    tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_stored_chunk *stored);
void iw_tree_sctp_control(
    tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_stored_chunk *stored);

/* Shows the end of a session; `tvb` is the SCTP packet of its frame. */
void iw_tree_sctp_end(
    tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_stored_chunk *stored);

/* ---- iw_private_data.c ---- */

/* The private data of a startup frame, after the enhanced data: of RPC-over-RDMA (RFC 8797), NVMe over RDMA,
 * iSER or SMB Direct. Over iWARP they begin without a header of the connection manager. */

/* Adds `octets` octets from index `at` of the image on, with their fields if their format is recognised. */
void iw_private_data_show(struct iw_pdu *pdu, proto_tree *tree, unsigned at, unsigned octets);

/* ---- iw_info.c ---- */

/* Returns a line about the item, in the packet scope: "RDMA Write  0x00001234+0x1000 len 4096". */
const char *iw_info_text(const struct iw_pdu *pdu);

/* Returns the enhanced data for the Info column. Example: " A=1 B=1 C=0 D=0 IRD 16 ORD 16". */
const char *iw_info_enhanced(wmem_allocator_t *pool, const struct iw_mpa_enhanced *enhanced);

/* Returns the text of the Info column: the first three findings of the item, then `text`. Example:
 * "[RFC5041-4.3-08: MSN is 3, expected 2] Send MSN 3 len 5". */
const char *iw_info_with_findings(const struct iw_pdu *pdu, const char *text);
