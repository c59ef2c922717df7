#include "packet-iwarp.h"

#include "iw_flow_state.h"
#include "iw_hf.h"
#include "iw_ip.h"
#include "iw_limit.h"
#include "iw_preference.h"
#include "iw_stat.h"
#include "iw_tap.h"
#include "iw_tree.h"
#include "iw_ulp_call.h"

/* iWARP has no fixed port: a startup frame or the user's Decode As identifies a connection. So the plugin
 * needs every TCP segment in capture order, before TCP's dissector. It replaces TCP in the table of IP
 * protocols. On the first pass it judges the segment (iw_flow_state.h). Then it calls TCP's dissector, and
 * shows the items of the frame. */

enum { NO_PROTOCOL = -1 }; /* for dissectors that add no layer to the frame */

static dissector_handle_t tcp_handle;
static dissector_handle_t front_handle;
static dissector_handle_t shown_handle;
static dissector_handle_t iwarp_handle;   /* for Decode As */
static dissector_handle_t claimed_handle; /* set as the dissector of iWARP conversations */
static protocol_t *iwarp;
static protocol_t *tcp;
static dissector_table_t tcp_ports;
static heur_dtbl_entry_t *recognition; /* the user can disable recognition without Decode As */
static heur_dtbl_entry_t *builtin;     /* Wireshark's own iWARP dissector, or NULL */

/* ---- the user's choice for a port ---- */

enum choice { CHOICE_NONE, CHOICE_IWARP, CHOICE_OTHER };

static struct latest_choice {
    bool valid;
    uint16_t low, high;
    enum choice choice;
} latest;

/* Returns the user's setting for a port, by Decode As or in the preferences of another protocol. */
static enum choice iwarp_choice_for(uint16_t port) {
    dissector_handle_t chosen;

    if (!dissector_is_uint_changed(tcp_ports, port))
        return CHOICE_NONE;
    chosen = dissector_get_uint_handle(tcp_ports, port);
    if (chosen == NULL)
        return CHOICE_NONE;
    return chosen == iwarp_handle ? CHOICE_IWARP : CHOICE_OTHER;
}

/* Tries the lower port first, as TCP does. Caches the result: settings do not change while a file is
 * dissected, and the next segment often has the same ports. */
static enum choice iwarp_choice_of(const struct iw_tcp_segment *segment) {
    uint16_t low = MIN(segment->source.port, segment->destination.port);
    uint16_t high = MAX(segment->source.port, segment->destination.port);

    if (!latest.valid || latest.low != low || latest.high != high) {
        enum choice choice = iwarp_choice_for(low);

        latest =
            (struct latest_choice){true, low, high, choice != CHOICE_NONE ? choice : iwarp_choice_for(high)};
    }
    return latest.choice;
}

/* Returns true if the segment may be iWARP. Sets *forced: the user declares it to be iWARP. */
static bool may_be_iwarp(const struct iw_tcp_segment *segment, bool *forced) {
    enum choice choice = iwarp_choice_of(segment);

    *forced = choice == CHOICE_IWARP;
    return *forced || (choice == CHOICE_NONE && recognition->enabled);
}

/* ---- decoding of the packet ---- */

static bool iwarp_take_address(struct iw_tcp_address *taken, const address *from) {
    bool v4 = from->type == AT_IPv4 && from->len == 4;

    if (!v4 && !(from->type == AT_IPv6 && from->len == 16))
        return false;
    taken->version = v4 ? 4 : 6;
    memcpy(taken->octets, from->data, v4 ? 4 : 16);
    return true;
}

/* Returns the link type that `warpcheck check` uses for this encapsulation, or -1. Wireshark's file reader
 * removes the direction octet before PPP. */
static int iwarp_encapsulation_link(int encapsulation) {
    if (encapsulation == WTAP_ENCAP_PPP_WITH_PHDR)
        return IW_LINK_PPP;
#define IW_LINK_TYPE(type, link)                                                                             \
    if (wtap_pcap_encap_to_wtap_encap(type) == encapsulation)                                                \
        return link;
#include "iw_link_types.def"
    return -1;
}

/* Caches the result, as nearly all packets of a capture have the same encapsulation. */
static int iwarp_packet_link(const packet_info *pinfo) {
    static int known = WTAP_ENCAP_UNKNOWN, link = -1;
    int encapsulation = pinfo->rec->rec_header.packet_header.pkt_encap;

    if (known != encapsulation) {
        known = encapsulation;
        link = iwarp_encapsulation_link(encapsulation);
    }
    return link;
}

/* Finds in the frame what `warpcheck check` finds. Returns false if it does not know the link layer. */
static bool iwarp_read_frame(packet_info *pinfo, enum iw_packet_kind *kind, struct iw_tcp_segment *segment,
    struct iw_packet_facts *facts) {
    const struct data_source *source = pinfo->data_src != NULL ? pinfo->data_src->data : NULL;
    tvbuff_t *frame = source != NULL ? get_data_source_tvb(source) : NULL;
    int link = iwarp_packet_link(pinfo);
    struct iw_packet packet = {
        .link = (enum iw_link)link, .frame = pinfo->num, .time_ns = iw_pdu_time(pinfo)};

    if (frame == NULL || link < 0)
        return false;
    packet.captured = tvb_captured_length(frame);
    packet.length = tvb_reported_length(frame);
    packet.octets = tvb_get_ptr(frame, 0, (int)packet.captured);
    *kind = iw_packet_find(&packet, segment, facts);
    return true;
}

/* Adds what Wireshark does not provide: VLAN or tunnel, hops, and whether the checksum can be verified. */
static void iwarp_add_surroundings(enum iw_packet_kind kind, const struct iw_tcp_segment *found,
    const struct iw_packet_facts *facts, struct iw_tcp_segment *taken) {
    switch (kind) {
    case IW_PACKET_TCP:
        if (found->tcp == NULL)
            taken->tcp = NULL;
        taken->scope = found->scope;
        taken->hops = found->hops;
        taken->ip_id = found->ip_id;
        break;
    case IW_PACKET_SCTP:
        taken->scope = found->scope;
        break;
    case IW_PACKET_FRAGMENT:
        if (facts->fragment.checksum_hidden)
            taken->tcp = NULL;
        taken->scope = facts->fragment.scope;
        break;
    case IW_PACKET_OTHER:
    case IW_PACKET_CUT:
    case IW_PACKET_MALFORMED:
        break;
    }
}

/* Decodes the packet with the addresses and octets that Wireshark provides. */
static enum iw_packet_kind iwarp_take_octets(
    tvbuff_t *tvb, packet_info *pinfo, uint8_t protocol, struct iw_tcp_segment *segment) {
    unsigned captured = tvb_captured_length(tvb);
    unsigned length = tvb_reported_length(tvb);

    *segment = (struct iw_tcp_segment){.frame = pinfo->num, .time_ns = iw_pdu_time(pinfo)};
    if (pinfo->flags.in_error_pkt || !iwarp_take_address(&segment->source, &pinfo->src) ||
        !iwarp_take_address(&segment->destination, &pinfo->dst))
        return IW_PACKET_OTHER;
    if (pinfo->fragmented)
        return IW_PACKET_FRAGMENT;
    if (captured == 0 || captured > length)
        return IW_PACKET_MALFORMED;
    return iw_packet_transport(protocol, tvb_get_ptr(tvb, 0, (int)captured), captured, length, segment);
}

/* The first pass also needs VLAN, tunnel and checksum, so it reads the whole frame. Usually the segment found
 * in it is the segment in `tvb`. */
enum iw_packet_kind iwarp_take_packet(
    tvbuff_t *tvb, packet_info *pinfo, uint8_t protocol, struct iw_tcp_segment *segment) {
    struct iw_tcp_segment found;
    struct iw_packet_facts facts;
    enum iw_packet_kind in_frame, kind;

    if (PINFO_FD_VISITED(pinfo) || !iwarp_read_frame(pinfo, &in_frame, segment, &facts))
        return iwarp_take_octets(tvb, pinfo, protocol, segment);
    if (in_frame == IW_PACKET_TCP && segment->tcp != NULL && segment->tcp == tvb_get_ptr(tvb, 0, 1))
        return IW_PACKET_TCP;
    found = *segment;
    kind = iwarp_take_octets(tvb, pinfo, protocol, segment);
    if (kind == IW_PACKET_TCP || kind == IW_PACKET_SCTP)
        iwarp_add_surroundings(in_frame, &found, &facts, segment);
    return kind;
}

/* ---- the dissector of the TCP payload ---- */

static conversation_t *iwarp_segment_conversation(packet_info *pinfo, const struct iw_tcp_segment *segment) {
    return find_conversation(pinfo->num, &pinfo->src, &pinfo->dst, CONVERSATION_TCP, segment->source.port,
        segment->destination.port, 0);
}

/* Makes TCP pass the payload only to us, also when earlier frames are shown again: a conversation's dissector
 * has precedence over ports and heuristics. */
static void iwarp_claim_conversation(packet_info *pinfo, const struct iw_tcp_segment *segment) {
    conversation_t *conversation = iwarp_segment_conversation(pinfo, segment);

    if (conversation == NULL)
        conversation = conversation_new(pinfo->num, &pinfo->src, &pinfo->dst, CONVERSATION_TCP,
            segment->source.port, segment->destination.port, 0);
    if (conversation_get_dissector(conversation, pinfo->num) == claimed_handle)
        return;
    conversation_set_dissector(conversation, claimed_handle);
    conversation_set_dissector_from_frame_number(conversation, pinfo->num, claimed_handle);
}

/* Undoes iwarp_claim_conversation for a new connection with reused addresses, until it is recognised. */
static void iwarp_release_conversation(packet_info *pinfo, const struct iw_tcp_segment *segment) {
    conversation_t *conversation = iwarp_segment_conversation(pinfo, segment);

    if (conversation != NULL && conversation_get_dissector(conversation, pinfo->num) == claimed_handle)
        conversation_set_dissector_from_frame_number(conversation, pinfo->num, NULL);
}

/* Judges the segment on the first pass. Returns true if its connection is iWARP. */
static bool iwarp_judge_segment(packet_info *pinfo, const struct iw_tcp_segment *segment, bool forced) {
    struct iw_flow_report report = iw_flow_state_segment(segment, forced);

    if (report.limited)
        iw_limit_note(pinfo);
    if (report.flow == IW_FLOW_FOUND)
        iwarp_claim_conversation(pinfo, segment);
    else if (report.flow == IW_FLOW_OTHER && ((segment->flags & IW_TCP_SYN) || report.replaced))
        iwarp_release_conversation(pinfo, segment);
    return report.flow != IW_FLOW_OTHER;
}

/* Catches exceptions, so that they do not hide our results. */
static void iwarp_call_builtin(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
    TRY {
        call_heur_dissector_direct(builtin, tvb, pinfo, tree, data);
    }
    CATCH_BOUNDS_AND_DISSECTOR_ERRORS {
        show_exception(tvb, pinfo, tree, EXCEPT_CODE, GET_MESSAGE);
    }
    ENDTRY;
}

/* TCP calls this with the payload of a claimed connection. Our results are shown elsewhere, by stream offset.
 * The payload goes to the built-in dissector if the user wants to see both results. */
static int iwarp_dissect_payload(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
    if (builtin != NULL && builtin->enabled && !iw_preferences->builtin_off)
        iwarp_call_builtin(tvb, pinfo, tree, data);
    return (int)tvb_captured_length(tvb);
}

/* TCP calls this with the payload of an unclaimed connection, which is not iWARP. It exists only so that
 * users can switch off the recognition. */
static iw_epan_bool iwarp_dissect_unclaimed(
    tvbuff_t *tvb _U_, packet_info *pinfo _U_, proto_tree *tree _U_, void *data _U_) {
    return false;
}

/* ---- the dissector in place of TCP ---- */

struct shown {
    const struct iw_tcp_segment *segment;
    const struct iw_item *first;
};

/* Called through Wireshark, so that the frame's layers include iWARP. */
static int iwarp_dissect_shown(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
    const struct shown *shown = data;

    iw_tree_frame(tvb, pinfo, tree, shown->segment, shown->first);
    return (int)tvb_reported_length(tvb) + 1; /* not 0, even without payload */
}

/* Calls TCP with the built-in dissector switched off, so that it cannot claim a connection before we
 * recognise it. Then restores the user's setting. */
static int iwarp_call_tcp_alone(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
    volatile int used = 0;

    builtin->enabled = false;
    TRY {
        used = call_dissector_only(tcp_handle, tvb, pinfo, tree, data);
    }
    FINALLY {
        builtin->enabled = true;
    }
    ENDTRY;
    return used;
}

static int iwarp_call_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
    if (iw_preferences->builtin_off && builtin != NULL && builtin->enabled)
        return iwarp_call_tcp_alone(tvb, pinfo, tree, data);
    return call_dissector_only(tcp_handle, tvb, pinfo, tree, data);
}

/* For a header with truncated options: TCP's dissector throws an exception, which is shown; the items of
 * the frame are shown after it. */
static int iwarp_call_tcp_cut(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
    volatile int used = (int)tvb_captured_length(tvb);

    TRY {
        used = iwarp_call_tcp(tvb, pinfo, tree, data);
    }
    CATCH(BoundsError) {
        show_exception(tvb, pinfo, tree, EXCEPT_CODE, GET_MESSAGE);
    }
    ENDTRY;
    return used;
}

/* For the beginning of a segment that an ICMP error quotes. */
static void iwarp_take_error(packet_info *pinfo) {
    struct iw_tcp_segment segment;
    struct iw_packet_facts facts;
    enum iw_packet_kind kind;

    if (!PINFO_FD_VISITED(pinfo) && iwarp_read_frame(pinfo, &kind, &segment, &facts) &&
        kind == IW_PACKET_OTHER && facts.content == IW_CONTENT_ICMP)
        iw_flow_state_rejected(&segment, &facts.icmp);
}

static int iwarp_dissect_segment(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
    struct iw_tcp_segment segment;
    bool forced;
    bool claimed = false;
    int used;

    if (pinfo->flags.in_error_pkt)
        iwarp_take_error(pinfo);
    if (!proto_is_protocol_enabled(iwarp) || !proto_is_protocol_enabled(tcp) ||
        iwarp_take_packet(tvb, pinfo, IW_IP_TCP, &segment) != IW_PACKET_TCP ||
        !may_be_iwarp(&segment, &forced))
        return call_dissector_only(tcp_handle, tvb, pinfo, tree, data);
    if (!PINFO_FD_VISITED(pinfo))
        claimed = iwarp_judge_segment(pinfo, &segment, forced);
    if (segment.captured == 0 && segment.length > 0)
        used = iwarp_call_tcp_cut(tvb, pinfo, tree, data);
    else if (claimed)
        used = call_dissector_only(tcp_handle, tvb, pinfo, tree, data);
    else
        used = iwarp_call_tcp(tvb, pinfo, tree, data);
    if (used > 0) {
        struct shown shown = {&segment, iw_tree_first(pinfo->num, &segment)};

        iw_tree_parts(tvb, pinfo, tree, &segment);
        if (shown.first != NULL)
            call_dissector_only(shown_handle, tvb, pinfo, tree, &shown);
    }
    if (used > 0)
        iw_tree_explanation(tvb, pinfo, tree, &segment);
    iw_limit_show(tvb, pinfo, tree);
    iw_tap_late(pinfo);
    return used;
}

/* ---- after all dissectors ---- */

static int iwarp_dissect_after(tvbuff_t *tvb _U_, packet_info *pinfo, proto_tree *tree _U_, void *data _U_) {
    if (!PINFO_FD_VISITED(pinfo))
        iw_flow_state_time(iw_pdu_time(pinfo));
    return 0;
}

/* ---- registration ---- */

/* Wireshark calls this when a file is opened, or dissected again because a setting changed. */
static void iwarp_open_file(void) {
    latest.valid = false;
    iw_preference_take();
    iw_flow_state_open();
}

void proto_register_iwarp(void) {
    iw_hf_register();
    iw_preference_register(proto_iwarp);
    iw_tap_register();
    iw_stat_srt_register();
    iw_stat_tree_register();
    iw_stat_stag_register();
    iw_stat_conversation_register();
    iw_stat_follow_register();
    iwarp = find_protocol_by_id(proto_iwarp);
    iwarp_handle = register_dissector("iwarp", iwarp_dissect_payload, proto_iwarp);
    claimed_handle = create_dissector_handle(iwarp_dissect_payload, NO_PROTOCOL);
    shown_handle = create_dissector_handle(iwarp_dissect_shown, proto_iwarp);
    /* without a protocol, it adds no layer and cannot be disabled */
    front_handle =
        register_dissector_with_description("iwarp.tcp", "TCP (iWARP)", iwarp_dissect_segment, NO_PROTOCOL);
    register_postdissector(create_dissector_handle(iwarp_dissect_after, NO_PROTOCOL));
    register_init_routine(iwarp_open_file);
    register_postseq_cleanup_routine(iw_flow_state_finish);
    register_cleanup_routine(iw_flow_state_close);
}

void proto_reg_handoff_iwarp(void) {
    iw_ulp_call_handoff();
    tcp_handle = find_dissector("tcp");
    tcp = find_protocol_by_id(proto_get_id_by_filter_name("tcp"));
    tcp_ports = find_dissector_table("tcp.port");
    builtin = find_heur_dissector_by_unique_short_name("iwarp_mpa_tcp");
    heur_dissector_add(
        "tcp", iwarp_dissect_unclaimed, "iWARP on any TCP port", "iwarp_tcp", proto_iwarp, HEURISTIC_ENABLE);
    recognition = find_heur_dissector_by_unique_short_name("iwarp_tcp");
    dissector_add_for_decode_as("tcp.port", iwarp_handle);
    dissector_add_uint("ip.proto", IW_IP_TCP, front_handle);
}
