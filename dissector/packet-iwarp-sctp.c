#include "packet-iwarp-sctp.h"

#include "iw_epan.h"

#include "iw_hf.h"
#include "iw_sctp.h"
#include "iw_sctp_stream.h"
#include "iw_tree_sctp.h"

/* SCTP hands the user data of a DATA chunk to whoever has taken its payload protocol identifier, and nothing
 * else. Which SCTP stream the chunk belongs to stands in the header of the chunk, before the user data. */

enum {
    CHUNK_DATA = 0x00,   /* RFC 9260 3.3.1 */
    CHUNK_I_DATA = 0x40, /* RFC 8260 2.1 */
    DATA_HEADER = 16,
    I_DATA_HEADER = 20,
    AT_LENGTH = 2,
    AT_STREAM = 8,
    AT_PPID_DATA = 12,
    AT_PPID_I_DATA = 16,
};

/* The header of `octets` octets, if it is just before the user data, which begins at octet `at` of `frame`.
 */
static bool find_stream(
    tvbuff_t *frame, int at, unsigned octets, uint8_t type, unsigned length, uint16_t *stream) {
    int header = at - (int)octets;

    if (header < 0 || tvb_get_ntohs(frame, header) >> 8 != type ||
        tvb_get_ntohs(frame, header + AT_LENGTH) != octets + length)
        return false;
    *stream = tvb_get_ntohs(frame, header + AT_STREAM);
    return true;
}

/* A message that SCTP has put together from several chunks has no header before it. */
static bool take_stream(tvbuff_t *tvb, unsigned ppid, uint16_t *stream) {
    tvbuff_t *frame = tvb_get_ds_tvb(tvb);
    int at = tvb_raw_offset(tvb);
    unsigned length = tvb_reported_length(tvb);

    if (frame == NULL || at < I_DATA_HEADER || (unsigned)at > tvb_captured_length(frame))
        return false;
    if (tvb_get_ntohl(frame, at - DATA_HEADER + AT_PPID_DATA) == ppid &&
        find_stream(frame, at, DATA_HEADER, CHUNK_DATA, length, stream))
        return true;
    return tvb_get_ntohl(frame, at - I_DATA_HEADER + AT_PPID_I_DATA) == ppid &&
           find_stream(frame, at, I_DATA_HEADER, CHUNK_I_DATA, length, stream);
}

/* What was stored on the first pass, by where the chunk stands in the frame; NULL if nothing could be. */
static const struct iw_stored_chunk *find_or_store(tvbuff_t *tvb, packet_info *pinfo, unsigned ppid) {
    uint32_t key = (uint32_t)tvb_raw_offset(tvb);
    const struct iw_stored_chunk *chunk;
    struct iw_sctp_input input = {.control = ppid == IW_SCTP_PPID_CONTROL,
        .captured = tvb_captured_length(tvb),
        .length = tvb_reported_length(tvb)};

    if (pinfo->flags.in_error_pkt || !take_stream(tvb, ppid, &input.stream))
        return NULL;
    if (PINFO_FD_VISITED(pinfo))
        return p_get_proto_data(wmem_file_scope(), pinfo, proto_iwarp_sctp, key);
    input.octets = input.captured > 0 ? tvb_get_ptr(tvb, 0, (int)input.captured) : NULL;
    chunk = iw_sctp_stream_take(pinfo, &input);
    p_set_proto_data(wmem_file_scope(), pinfo, proto_iwarp_sctp, key, (void *)chunk);
    return chunk;
}

static int dissect_segment_chunk(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
    (void)data;
    iw_tree_sctp_segment(tvb, pinfo, tree, find_or_store(tvb, pinfo, IW_SCTP_PPID_SEGMENT));
    return (int)tvb_captured_length(tvb);
}

static int dissect_control_chunk(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
    (void)data;
    iw_tree_sctp_control(tvb, pinfo, tree, find_or_store(tvb, pinfo, IW_SCTP_PPID_CONTROL));
    return (int)tvb_captured_length(tvb);
}

static dissector_handle_t segment_handle;
static dissector_handle_t control_handle;

void proto_register_iwarp_sctp(void) {
    segment_handle = register_dissector_with_description(
        "iwarp.sctp.segment", "iWARP (DDP Segment Chunk)", dissect_segment_chunk, proto_iwarp);
    control_handle = register_dissector_with_description(
        "iwarp.sctp.control", "iWARP (DDP Stream Session Control)", dissect_control_chunk, proto_iwarp);
    register_postseq_cleanup_routine(iw_sctp_stream_finish);
    register_cleanup_routine(iw_sctp_stream_close);
}

void proto_reg_handoff_iwarp_sctp(void) {
    dissector_add_uint("sctp.ppi", IW_SCTP_PPID_SEGMENT, segment_handle);
    dissector_add_uint("sctp.ppi", IW_SCTP_PPID_CONTROL, control_handle);
}
