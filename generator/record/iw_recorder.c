#include "iw_recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_impairment.h"
#include "iw_pcapng.h"

enum { ISN_FIRST = 0x10000000, ISN_STEP = 0x00100000 };

struct iw_recorder_flow {
    struct iw_recorder_flow *next;
    struct iw_recorder *recorder;
    struct iw_tcp_address addresses[2];
    uint32_t seq[2];  /* of the next octet, by side */
    bool has_sent[2]; /* the side has sent a packet, which the SYN+ACK of the other side acknowledges */
    uint32_t segment;
    char *comment;
    struct iw_impairment *impairment; /* or NULL */
    bool converted;                   /* IPv4 addresses were converted to IPv6 */
};

struct iw_recorder {
    struct iw_record_file file;
    const struct iw_impairment_plan *plan; /* `no_plan` if nothing is impaired */
    uint64_t time_ns;                      /* of the last packet */
    uint32_t flow_count;
    struct iw_recorder_flow *flows;
    uint8_t packet[IW_FRAME_MAX + IW_RECORDER_PACKET_MAX];
};

static const struct iw_impairment_plan no_plan;

struct iw_recorder *iw_recorder_open(const char *path, const struct iw_impairment_plan *plan, char *text) {
    struct iw_recorder *recorder = calloc(1, sizeof *recorder);

    if (recorder == NULL) {
        snprintf(text, IW_RECORDER_TEXT_OCTETS, "%.400s: out of memory", path);
        return NULL;
    }
    recorder->plan = plan == NULL ? &no_plan : plan;
    if (!iw_record_file_open(&recorder->file, path, IW_PCAPNG_ETHERNET, recorder->plan->snaplen, text)) {
        iw_recorder_close(recorder, NULL);
        return NULL;
    }
    return recorder;
}

void iw_recorder_tell(struct iw_recorder *recorder, iw_record_trouble *trouble, void *user) {
    iw_record_file_tell(&recorder->file, trouble, user);
}

void iw_recorder_stop(struct iw_recorder *recorder, const char *reason) {
    iw_record_file_stop(&recorder->file, reason);
}

enum iw_status iw_recorder_close(struct iw_recorder *recorder, char *text) {
    if (recorder == NULL)
        return IW_OK;
    for (struct iw_recorder_flow *flow = recorder->flows; flow != NULL; flow = flow->next)
        if (flow->impairment != NULL)
            iw_impairment_finish(flow->impairment);
    bool whole = iw_record_file_close(&recorder->file, text);
    while (recorder->flows != NULL) {
        struct iw_recorder_flow *flow = recorder->flows;

        recorder->flows = flow->next;
        iw_impairment_free(flow->impairment);
        free(flow->comment);
        free(flow);
    }
    free(recorder);
    return whole ? IW_OK : IW_ERR_IO;
}

/* Example: 192.0.2.1 becomes 2001:db8::c000:201, with the prefix of RFC 3849. */
static void recorder_convert_to_ipv6(struct iw_tcp_address *address) {
    static const uint8_t documentation[4] = {0x20, 0x01, 0x0D, 0xB8};

    address->version = 6;
    memcpy(address->octets + 12, address->octets, 4);
    memset(address->octets, 0, 12);
    memcpy(address->octets, documentation, sizeof documentation);
}

static enum iw_status recorder_flow_write(
    void *user, const struct iw_tcp_segment *segment, const char *comment);

/* Applies the plan to the flow. A side's first octet has the sequence number ISN + 1. */
static bool recorder_flow_impair(struct iw_recorder_flow *flow) {
    const struct iw_impairment_plan *plan = flow->recorder->plan;

    for (int side = 0; side < 2; side++) {
        if (plan->ipv6 && flow->addresses[side].version == 4) {
            recorder_convert_to_ipv6(&flow->addresses[side]);
            flow->converted = true;
        }
        if (plan->wrap)
            flow->seq[side] = 0u - 1u - iw_impairment_wrap(plan);
    }
    flow->impairment = iw_impairment_new(plan, flow->recorder->flow_count, recorder_flow_write, flow);
    return flow->impairment != NULL;
}

struct iw_recorder_flow *iw_recorder_flow(
    struct iw_recorder *recorder, const struct iw_tcp_address addresses[2], const uint32_t isn[2]) {
    struct iw_recorder_flow *flow = calloc(1, sizeof *flow);

    if (flow == NULL)
        return NULL;
    flow->recorder = recorder;
    flow->segment = IW_FRAME_SEGMENT_MAX;
    for (int side = 0; side < 2; side++) {
        flow->addresses[side] = addresses[side];
        flow->seq[side] = isn != NULL
                              ? isn[side]
                              : (uint32_t)ISN_FIRST * (1u + (unsigned)side) + recorder->flow_count * ISN_STEP;
    }
    if (recorder->plan != &no_plan && !recorder_flow_impair(flow)) {
        free(flow);
        return NULL;
    }
    recorder->flow_count++;
    flow->next = recorder->flows;
    recorder->flows = flow;
    return flow;
}

void iw_recorder_segment(struct iw_recorder_flow *flow, uint32_t octets) {
    if (octets >= 1 && octets <= IW_FRAME_SEGMENT_MAX)
        flow->segment = octets;
}

enum iw_status iw_recorder_comment(struct iw_recorder_flow *flow, const char *comment) {
    char *copy = comment == NULL ? NULL : strdup(comment);

    if (comment != NULL && copy == NULL)
        return IW_ERR_NOMEM;
    free(flow->comment);
    flow->comment = copy;
    return IW_OK;
}

uint64_t iw_recorder_frames(const struct iw_recorder *recorder) {
    return recorder->file.packets;
}

void iw_recorder_limit(struct iw_recorder *recorder, uint64_t octets) {
    iw_record_file_limit(&recorder->file, octets);
}

void iw_recorder_keep(struct iw_recorder *recorder, uint64_t frame) {
    iw_record_file_keep(&recorder->file, frame);
}

void iw_recorder_left_out(const struct iw_recorder *recorder, uint64_t *shortened, uint64_t *missing) {
    *shortened = recorder->file.shortened;
    *missing = recorder->file.missing;
}

const struct iw_impairment_plan *iw_recorder_plan(const struct iw_recorder *recorder) {
    return recorder->plan;
}

uint64_t iw_recorder_last_frame(const struct iw_recorder *recorder) {
    return recorder->file.stopped || recorder->file.full || iw_recorder_changes_packets(recorder)
               ? 0
               : recorder->file.packets;
}

bool iw_recorder_changes_packets(const struct iw_recorder *recorder) {
    return iw_impairment_changes_packets(recorder->plan);
}

/* The MSS that a side's SYN announces: that of Ethernet, because the real MSS is unknown. Returns 0
 * (announces none) if packets may be larger. */
static uint16_t recorder_mss_of(const struct iw_recorder_flow *flow, enum iw_side side) {
    enum { ETHERNET_4 = 1460, ETHERNET_6 = 1440 };

    if (flow->segment > ETHERNET_4)
        return 0;
    return flow->addresses[side].version == 6 && !flow->converted ? ETHERNET_6 : ETHERNET_4;
}

/* Writes the frame in recorder->packet. Its time is at least that of the frame before it. */
static enum iw_status recorder_write_packet(
    struct iw_recorder *recorder, size_t octets, uint64_t time_ns, const char *comment) {
    uint32_t snaplen = recorder->plan->snaplen;
    const struct iw_pcapng_packet packet = {.octets = recorder->packet,
        .captured = snaplen != 0 && snaplen < octets ? snaplen : octets,
        .length = octets,
        .time_ns = time_ns > recorder->time_ns ? time_ns : recorder->time_ns,
        .comment = comment};

    if (!iw_record_file_packet(&recorder->file, &packet))
        return IW_ERR_IO;
    recorder->time_ns = packet.time_ns;
    return IW_OK;
}

enum iw_status iw_recorder_packet(struct iw_recorder *recorder, const struct iw_frame_path *path,
    const uint8_t *octets, size_t length, uint64_t time_ns, const char *comment) {
    struct iw_frame_path shown = *path;

    shown.vlan = recorder->plan->vlan;
    if (recorder->plan->ipv6 && path->source.version == 4) {
        recorder_convert_to_ipv6(&shown.source);
        recorder_convert_to_ipv6(&shown.destination);
    }
    size_t header = iw_frame_ethernet(&shown, recorder->packet);
    header += iw_frame_ip(&shown, length, recorder->packet + header);
    memcpy(recorder->packet + header, octets, length);
    return recorder_write_packet(recorder, header + length, time_ns, comment);
}

static enum iw_status recorder_flow_write(
    void *user, const struct iw_tcp_segment *segment, const char *comment) {
    struct iw_recorder_flow *flow = user;
    struct iw_recorder *recorder = flow->recorder;
    size_t octets = iw_frame_write(segment, recorder->plan->vlan, recorder->packet);

    return recorder_write_packet(recorder, octets, segment->time_ns, comment);
}

static enum iw_status recorder_flow_put_packet(struct iw_recorder_flow *flow, enum iw_side side,
    unsigned flags, const uint8_t *payload, uint32_t length, uint64_t time_ns) {
    enum iw_side other = iw_side_other(side);
    bool acks = flow->has_sent[other] || (flags & IW_TCP_SYN) == 0;
    struct iw_tcp_segment segment = {.source = flow->addresses[side],
        .destination = flow->addresses[other],
        .seq = flow->seq[side],
        .ack = acks ? flow->seq[other] : 0,
        .flags = (uint8_t)(flags | (acks ? IW_TCP_ACK : 0u)),
        .mss = flags & IW_TCP_SYN ? recorder_mss_of(flow, side) : 0,
        .length = length,
        .captured = length,
        .payload = payload,
        .time_ns = time_ns};
    enum iw_status status = flow->impairment == NULL
                                ? recorder_flow_write(flow, &segment, flow->comment)
                                : iw_impairment_segment(flow->impairment, side, &segment, flow->comment);

    if (status != IW_OK)
        return status;
    flow->has_sent[side] = true;
    flow->seq[side] += length + ((flags & (IW_TCP_SYN | IW_TCP_FIN)) != 0 ? 1 : 0);
    return IW_OK;
}

static enum iw_status recorder_flow_put_data(struct iw_recorder_flow *flow, const struct iw_chunk *chunk) {
    enum iw_status status = IW_OK;

    for (uint32_t at = 0; at < chunk->length && status == IW_OK;) {
        uint32_t left = chunk->length - at;
        uint32_t length = left < flow->segment ? left : flow->segment;

        status = recorder_flow_put_packet(
            flow, chunk->side, IW_TCP_PSH, chunk->octets + at, length, chunk->time_ns);
        at += length;
    }
    return status;
}

static enum iw_status recorder_flow_put_start(struct iw_recorder_flow *flow, const struct iw_chunk *chunk) {
    enum iw_status status = recorder_flow_put_packet(flow, chunk->side, IW_TCP_SYN, NULL, 0, chunk->time_ns);

    if (status == IW_OK && chunk->side == IW_SIDE_B)
        status = recorder_flow_put_packet(flow, IW_SIDE_A, 0, NULL, 0, chunk->time_ns);
    return status;
}

enum iw_status iw_recorder_chunk(struct iw_recorder_flow *flow, const struct iw_chunk *chunk) {
    switch (chunk->kind) {
    case IW_CHUNK_START:
        return recorder_flow_put_start(flow, chunk);
    case IW_CHUNK_DATA:
        return recorder_flow_put_data(flow, chunk);
    case IW_CHUNK_GAP:
        flow->seq[chunk->side] += chunk->length;
        return IW_OK;
    case IW_CHUNK_FIN:
        return recorder_flow_put_packet(flow, chunk->side, IW_TCP_FIN, NULL, 0, chunk->time_ns);
    case IW_CHUNK_RST:
        return recorder_flow_put_packet(flow, chunk->side, IW_TCP_RST, NULL, 0, chunk->time_ns);
    case IW_CHUNK_OUTSIDE:
    case IW_CHUNK_DIFFERING:
        break; /* a recorded connection has no such chunks */
    }
    return IW_ERR_ARGUMENT;
}
