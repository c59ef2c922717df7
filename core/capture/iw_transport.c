#include "iw_packet_walk.h"

#include "iw_ip.h"
#include "iw_placement.h"
#include "iw_tcp_option.h"

static enum iw_packet_kind transport_missing(const struct iw_packet_view *view, uint32_t octets) {
    return octets <= view->wire ? IW_PACKET_CUT : IW_PACKET_MALFORMED;
}

/* Reads the captured part of the TCP options. */
static void transport_read_tcp_options(
    const struct iw_packet_view *view, uint32_t header_length, struct iw_tcp_segment *segment) {
    uint32_t count = (view->captured < header_length ? view->captured : header_length) - IW_TCP_OCTETS;

    if (segment->flags & IW_TCP_SYN)
        segment->mss = iw_tcp_option_mss(view->at + IW_TCP_OCTETS, count);
    else if (segment->flags & IW_TCP_ACK)
        segment->sacked = iw_tcp_option_sacked(view->at + IW_TCP_OCTETS, count, segment->ack);
}

/* RFC 9293 3.1 */
IW_HOT enum iw_packet_kind iw_transport_tcp(struct iw_packet_view view, struct iw_tcp_segment *segment) {
    const uint8_t *header = view.at;
    if (view.captured < IW_TCP_OCTETS)
        return transport_missing(&view, IW_TCP_OCTETS);
    uint32_t header_length = (uint32_t)(header[12] >> 4) * 4;
    if (header_length < IW_TCP_OCTETS || header_length > view.wire)
        return IW_PACKET_MALFORMED;
    segment->source.port = iw_packet_16(header);
    segment->destination.port = iw_packet_16(header + 2);
    segment->seq = iw_packet_32(header + 4);
    segment->ack = iw_packet_32(header + 8);
    segment->flags = header[13];
    segment->window = iw_packet_16(header + 14);
    segment->checksum = iw_packet_16(header + 16);
    segment->length = view.wire - header_length;
    segment->mss = 0;
    segment->sacked = 0;
    if (header_length > IW_TCP_OCTETS)
        transport_read_tcp_options(&view, header_length, segment);
    bool has_payload = view.captured > header_length;
    segment->captured = has_payload ? view.captured - header_length : 0;
    segment->payload = has_payload ? header + header_length : NULL;
    segment->tcp = view.captured == view.wire ? header : NULL;
    return segment->length <= IW_TCP_SEGMENT_OCTETS_MAX ? IW_PACKET_TCP : IW_PACKET_MALFORMED;
}

/* RFC 9260 3.1 */
enum iw_packet_kind iw_transport_sctp(struct iw_packet_view view, struct iw_tcp_segment *segment) {
    const uint8_t *header = iw_packet_take(&view, IW_SCTP_OCTETS);
    if (!header)
        return transport_missing(&view, IW_SCTP_OCTETS);
    segment->source.port = iw_packet_16(header);
    segment->destination.port = iw_packet_16(header + 2);
    segment->seq = iw_packet_32(header + 4);
    segment->length = view.wire;
    segment->captured = view.captured;
    segment->payload = view.at;
    return segment->length <= IW_TCP_SEGMENT_OCTETS_MAX ? IW_PACKET_SCTP : IW_PACKET_MALFORMED;
}
