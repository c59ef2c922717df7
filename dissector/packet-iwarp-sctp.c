#include "packet-iwarp.h"

#include "iw_hf.h"
#include "iw_ip.h"
#include "iw_limit.h"
#include "iw_sctp.h"
#include "iw_sctp_packet.h"
#include "iw_sctp_stream.h"
#include "iw_tree.h"

/* SCTP's dissector passes on only the user data of chunks with a known payload protocol identifier. Order,
 * association, stream and setup are in the rest of the packet. So every SCTP packet first goes through this
 * dissector. */

/* Decodes the chunk of type `type` whose `length` octets of user data begin at index `at` of `frame`,
 * directly after its header of `octets` octets. Returns false if there is no such chunk. */
static bool iwarp_sctp_find_chunk_before(tvbuff_t *frame, int at, enum iw_sctp_chunk_type type, int octets,
    unsigned length, struct iw_sctp_data *data) {
    struct iw_sctp_chunks chunks = {.captured = (unsigned)octets, .length = (unsigned)octets + length};
    struct iw_sctp_chunk chunk;

    if (at < octets)
        return false;
    chunks.octets = tvb_get_ptr(frame, at - octets, octets);
    return iw_sctp_chunk_next(&chunks, &chunk) && chunk.type == type && iw_sctp_data_decode(&chunk, data) &&
           data->length == length;
}

/* Sets *tsn to the TSN of the chunk with the user data `tvb`. Returns false if SCTP reassembled the data from
 * several chunks: no chunk header precedes them. */
static bool iwarp_sctp_find_tsn(tvbuff_t *tvb, unsigned ppid, uint32_t *tsn) {
    tvbuff_t *frame = tvb_get_ds_tvb(tvb);
    int at = tvb_raw_offset(tvb);
    unsigned length = tvb_reported_length(tvb);
    struct iw_sctp_data data;

    if (frame == NULL || (unsigned)at > tvb_captured_length(frame))
        return false;
    if (!(iwarp_sctp_find_chunk_before(frame, at, IW_SCTP_DATA, IW_SCTP_DATA_OCTETS, length, &data) &&
            data.ppid == ppid) &&
        !(iwarp_sctp_find_chunk_before(frame, at, IW_SCTP_I_DATA, IW_SCTP_I_DATA_OCTETS, length, &data) &&
            data.ppid == ppid))
        return false;
    *tsn = data.tsn;
    return true;
}

static const struct iw_stored_chunk *iwarp_sctp_find_stored(
    tvbuff_t *tvb, const packet_info *pinfo, unsigned ppid) {
    uint32_t tsn;

    if (pinfo->flags.in_error_pkt)
        return NULL;
    if (iwarp_sctp_find_tsn(tvb, ppid, &tsn))
        return iw_sctp_stream_chunk(pinfo->num, tsn);
    return iw_sctp_stream_fragmented(pinfo->num);
}

/* Users can disable all of iWARP, or only iWARP over SCTP. */
static bool iwarp_sctp_is_enabled(void) {
    return proto_is_protocol_enabled(find_protocol_by_id(proto_iwarp)) &&
           proto_is_protocol_enabled(find_protocol_by_id(proto_iwarp_sctp));
}

static int iwarp_sctp_dissect_segment_chunk(
    tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_) {
    if (!iwarp_sctp_is_enabled())
        return 0;
    iw_tree_sctp_segment(tvb, pinfo, tree, iwarp_sctp_find_stored(tvb, pinfo, IW_SCTP_PPID_SEGMENT));
    return (int)tvb_captured_length(tvb);
}

static int iwarp_sctp_dissect_control_chunk(
    tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_) {
    if (!iwarp_sctp_is_enabled())
        return 0;
    iw_tree_sctp_control(tvb, pinfo, tree, iwarp_sctp_find_stored(tvb, pinfo, IW_SCTP_PPID_CONTROL));
    return (int)tvb_captured_length(tvb);
}

enum { NO_PROTOCOL = -1 }; /* watch_handle adds no layer and cannot be disabled */

static dissector_handle_t segment_handle;
static dissector_handle_t control_handle;
static dissector_handle_t sctp_handle; /* Wireshark's dissector */
static dissector_handle_t watch_handle;

/* Judges the packet on the first pass, calls SCTP's dissector, then shows the sessions that end here. */
static int iwarp_sctp_watch_packet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
    bool enabled = iwarp_sctp_is_enabled();
    int taken;

    if (enabled && !PINFO_FD_VISITED(pinfo))
        iw_sctp_stream_packet(pinfo, tvb);
    taken = call_dissector_only(sctp_handle, tvb, pinfo, tree, data);
    for (const struct iw_stored_chunk *end = enabled ? iw_sctp_stream_ends(pinfo->num) : NULL; end != NULL;
         end = end->next)
        iw_tree_sctp_end(tvb, pinfo, tree, end);
    if (enabled)
        iw_limit_show(tvb, pinfo, tree);
    return taken;
}

void proto_register_iwarp_sctp(void) {
    segment_handle = register_dissector_with_description(
        "iwarp.sctp.segment", "iWARP (DDP Segment Chunk)", iwarp_sctp_dissect_segment_chunk, proto_iwarp);
    control_handle = register_dissector_with_description("iwarp.sctp.control",
        "iWARP (DDP Stream Session Control)", iwarp_sctp_dissect_control_chunk, proto_iwarp);
    watch_handle = register_dissector_with_description(
        "iwarp.sctp.watch", "SCTP (iWARP)", iwarp_sctp_watch_packet, NO_PROTOCOL);
    register_postseq_cleanup_routine(iw_sctp_stream_finish);
    register_cleanup_routine(iw_sctp_stream_close);
}

void proto_reg_handoff_iwarp_sctp(void) {
    dissector_add_uint("sctp.ppi", IW_SCTP_PPID_SEGMENT, segment_handle);
    dissector_add_uint("sctp.ppi", IW_SCTP_PPID_CONTROL, control_handle);
    sctp_handle = find_dissector("sctp");
    if (sctp_handle == NULL)
        return;
    dissector_add_uint("ip.proto", IW_IP_SCTP, watch_handle);
    dissector_add_uint("udp.port", IW_UDP_SCTP, watch_handle);
}
