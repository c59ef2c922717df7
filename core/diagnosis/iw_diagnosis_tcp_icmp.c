#include <inttypes.h>
#include <stdio.h>

#include "iw_diagnosis_tcp.h"
#include "iw_ip.h"
#include "iw_plural.h"
#include "iw_tcp_address_text.h"
#include "iw_tcp_seq.h"

/* ICMP errors in the capture about segments that were never acknowledged. */

enum { COPIES_MIN = 3 }; /* copies of a segment that show that its sender does not use the error */

/* Whether the octets that the error is about were in flight up to the end. */
static bool tcp_icmp_is_open(
    const struct iw_facts *facts, enum iw_side side, const struct iw_tcp_rejection *rejection) {
    const struct iw_tcp_life_side *own = &facts->life->side[side];

    return rejection->count > 0 && iw_tcp_life_in_flight(facts->life, side) &&
           iw_tcp_seq_distance(own->acked_seq, rejection->seq) >= 0;
}

/* How large an IP packet with the segment is at least: without options of IP and TCP. */
static uint32_t tcp_icmp_packet_octets(const struct iw_icmp *icmp, uint32_t octets) {
    return octets + IW_TCP_OCTETS + (icmp->reporter.version == 6 ? IW_IPV6_OCTETS : IW_IPV4_OCTETS);
}

/* Who reports what: "192.0.2.254 reports in frame 9 that the packet is too big (ICMP type 3, code 4)". */
enum { REPORT_OCTETS = IW_TCP_ADDRESS_TEXT_OCTETS + IW_ICMP_TEXT_OCTETS + 48 };
static const char *tcp_icmp_report(
    const struct iw_facts *facts, const struct iw_tcp_rejection *rejection, char text[REPORT_OCTETS]) {
    const struct iw_icmp *icmp = &rejection->icmp;
    char address[IW_TCP_ADDRESS_TEXT_OCTETS], error[IW_ICMP_TEXT_OCTETS];

    snprintf(text, REPORT_OCTETS, "%s reports in frame %" PRIu64 " that %s",
        iw_tcp_address_text_host(&icmp->reporter, address),
        iw_facts_frame_number(facts, rejection->last.frame), iw_icmp_text(icmp, error));
    return text;
}

static void tcp_icmp_frames(struct iw_diagnosed *cause, const struct iw_tcp_rejection *rejection) {
    iw_diagnosis_frame(cause, rejection->first.frame);
    iw_diagnosis_frame(cause, rejection->last.frame);
}

/* The side goes on to send a segment that is too large for the path. */
static void tcp_icmp_too_big(
    const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_tcp_trouble *trouble = iw_tcp_life_trouble(facts->life, side);
    const struct iw_tcp_rejection *rejection = &trouble->too_big;
    const struct iw_tcp_resend *resend = &trouble->resend;
    const char *name = iw_facts_side_name(facts, side);
    char report[REPORT_OCTETS], mtu[48] = "";
    struct iw_diagnosed *cause;

    if (!tcp_icmp_is_open(facts, side, rejection) || resend->count < COPIES_MIN ||
        resend->last.frame < rejection->first.frame ||
        tcp_icmp_packet_octets(&rejection->icmp, resend->octets) <= rejection->icmp.mtu)
        return;
    if (rejection->icmp.mtu > 0)
        snprintf(mtu, sizeof mtu, ", and an MTU of %" PRIu32 " octets", rejection->icmp.mtu);
    cause = iw_diagnosis_add_of(diagnosis, side, IW_CAUSE_ID_MTU_BLACK_HOLE, IW_CONFIDENCE_CERTAIN,
        "%s%s; %s sent the segment of %" PRIu32 " octets %" PRIu32
        " times more, and it was never acknowledged.",
        tcp_icmp_report(facts, rejection, report), mtu, name, resend->octets, resend->count);
    if (cause != NULL)
        snprintf(cause->next, sizeof cause->next,
            "Look why %s does not use this error (RFC 1191, RFC 8201): a device with a TCP of its own may "
            "ignore it, and a firewall before the host may drop it. Compare the MTUs.",
            name);
    tcp_icmp_frames(cause, rejection);
    iw_diagnosis_frame(cause, resend->last.frame);
}

/* What to look at next, if a firewall answers so: with a rule that forbids, or in the name of the host. */
static void tcp_icmp_firewall(
    const struct iw_tcp_rejection *rejection, const char *other, struct iw_diagnosed *cause) {
    char address[IW_TCP_ADDRESS_TEXT_OCTETS];

    if (cause != NULL && rejection->icmp.kind != IW_ICMP_UNREACHABLE)
        snprintf(cause->next, sizeof cause->next,
            "Look at the firewall of %s, and at a change of its rules at this time: it rejects segments to "
            "%s.",
            iw_tcp_address_text_host(&rejection->icmp.reporter, address), other);
}

/* Nothing of the other side comes any more, and a router says why. */
static void tcp_icmp_refused(
    const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_tcp_rejection *rejection = &iw_tcp_life_trouble(facts->life, side)->refused;
    enum iw_side other = iw_side_other(side);
    const struct iw_tcp_life_side *peer = &facts->life->side[other];
    char report[REPORT_OCTETS];
    struct iw_diagnosed *cause;

    if (!tcp_icmp_is_open(facts, side, rejection) || peer->segments == 0 ||
        peer->last.frame > rejection->last.frame)
        return;
    cause = iw_diagnosis_add_of(diagnosis, other, IW_CAUSE_ID_UNREACHABLE,
        iw_diagnosis_tcp_missing(facts, other, diagnosis, IW_CONFIDENCE_CERTAIN),
        "%s, about %" PRIu32 " segment%s of %s. Nothing that %s sent then was acknowledged.%s",
        tcp_icmp_report(facts, rejection, report), rejection->count, iw_plural(rejection->count),
        iw_facts_side_name(facts, side), iw_facts_side_name(facts, side),
        iw_diagnosis_tcp_missing_text(facts, other, diagnosis));
    iw_diagnosis_next(facts, cause, IW_CAUSE_SILENT, other);
    tcp_icmp_firewall(rejection, iw_facts_side_name(facts, other), cause);
    tcp_icmp_frames(cause, rejection);
}

void iw_diagnosis_tcp_icmp(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    tcp_icmp_too_big(facts, side, diagnosis);
    tcp_icmp_refused(facts, side, diagnosis);
}
