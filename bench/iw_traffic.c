/* Writes captures for the benchmarks: parallel iWARP connections in good order. Writes large files fast;
 * for conversations to look at use `warpcheck synth`. */

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcap/pcap.h>

#include "iw_fpdu_writer.h"
#include "iw_frame.h"
#include "iw_segment.h"
#include "iw_startup.h"

static const char usage[] =
    "Usage: iw_traffic FILE FPDUS PAYLOAD [NAME=VALUE...]\n"
    "\n"
    "Writes FPDUS FPDUs with PAYLOAD octets each, CRC on: Writes, and a Send as every 16th message.\n"
    "\n"
    "  connections=N  number of connections, used in turn [1]\n"
    "  mss=OCTETS     octets of each TCP segment, wherever FPDUs begin\n"
    "                 [each FPDU is one segment]\n"
    "  acks=0         without pure acknowledgements [one after every second segment]\n"
    "  reverse=N      N segments at a time come in reverse order [in order]\n"
    "  drop=N         every Nth segment is not captured [all are]\n"
    "  markers=1      with Markers [without]\n"
    "  stags=N        number of STags that Writes use in turn [1]\n"
    "  to=OFFSET      Tagged Offset of the first Write [0]\n"
    "  segments=N     a Write takes N DDP Segments [1]; every 16th message is a Send of one\n";

enum {
    SEND_EVERY = 16,
    ACK_EVERY = 2,
    FPDU_OCTETS_MAX = 70000,
    FIRST_PORT = 20000,
    PORTS = 40000,
    LISTEN_PORT = 20100,
    STEP_NS = 10000,
    REVERSE_MAX = 4096,
    FIRST_STAG = 0x1000,
};

/* A segment with data, held back for reordering. */
struct held {
    uint8_t *frame;
    size_t octets;
};

struct connection {
    struct iw_tcp_address address[2]; /* initiator, responder */
    uint32_t next[2];                 /* sequence numbers */
    struct iw_fpdu_writer writer;
    uint32_t msn;
    uint64_t to;
    uint32_t segments;
    uint32_t writes;
    uint32_t messages;
    uint64_t segments_left; /* DDP Segments that the current Write still needs */
    bool started;
    uint8_t *pending; /* with mss: octets that do not fill a segment yet */
    size_t pending_octets;
};

struct traffic {
    pcap_dumper_t *file;
    uint64_t time_ns;
    uint64_t fpdus, payload, connections, mss, reverse, drop, stags, to, segments;
    bool acks, markers;
    struct held held[REVERSE_MAX];
    size_t held_count;
    uint64_t data_segments;
    uint8_t *octets; /* payload of a message */
};

static void write_frame(struct traffic *traffic, const uint8_t *frame, size_t octets) {
    struct pcap_pkthdr header = {.caplen = (uint32_t)octets, .len = (uint32_t)octets};

    traffic->time_ns += STEP_NS;
    header.ts.tv_sec = (time_t)(traffic->time_ns / 1000000000u);
    header.ts.tv_usec = (suseconds_t)(traffic->time_ns % 1000000000u); /* nanoseconds in this file */
    pcap_dump((unsigned char *)traffic->file, &header, frame);
}

static void release_held(struct traffic *traffic) {
    while (traffic->held_count > 0) {
        struct held *held = &traffic->held[--traffic->held_count];

        write_frame(traffic, held->frame, held->octets);
        free(held->frame);
    }
}

/* Drops, reorders or writes a segment with data, as the options say. */
static void write_data_frame(struct traffic *traffic, const uint8_t *frame, size_t octets) {
    struct held *held = &traffic->held[traffic->held_count];

    if (traffic->drop > 0 && ++traffic->data_segments % traffic->drop == 0)
        return;
    held->frame = traffic->reverse > 1 ? malloc(octets) : NULL;
    held->octets = octets;
    if (held->frame == NULL) {
        write_frame(traffic, frame, octets);
        return;
    }
    memcpy(held->frame, frame, octets);
    if (++traffic->held_count == traffic->reverse)
        release_held(traffic);
}

static void write_packet(struct traffic *traffic, struct connection *connection, unsigned from, uint8_t flags,
    const uint8_t *payload, size_t octets) {
    static uint8_t frame[IW_FRAME_MAX + FPDU_OCTETS_MAX];
    struct iw_tcp_segment segment = {.source = connection->address[from],
        .destination = connection->address[1 - from],
        .seq = connection->next[from],
        .ack = connection->next[1 - from],
        .flags = flags,
        .length = (uint32_t)octets,
        .captured = (uint32_t)octets,
        .payload = payload};
    size_t size = iw_frame_write(&segment, 0, frame);

    if (connection->started && octets > 0)
        write_data_frame(traffic, frame, size);
    else
        write_frame(traffic, frame, size);
    connection->next[from] += (uint32_t)octets + ((flags & IW_TCP_SYN) ? 1u : 0u);
}

/* A Request and its Reply with C=1, Rev 1 (RFC 5044 7.1.1). */
static void write_startup(struct traffic *traffic, struct connection *connection) {
    struct iw_mpa_startup header = {.m = traffic->markers, .c = 1, .rev = 1};
    uint8_t octets[iw_mpa_startup_octets];

    write_packet(traffic, connection, 0, IW_TCP_SYN, NULL, 0);
    write_packet(traffic, connection, 1, IW_TCP_SYN | IW_TCP_ACK, NULL, 0);
    write_packet(traffic, connection, 0, IW_TCP_ACK, NULL, 0);
    memcpy(header.key, iw_startup_key_request, sizeof header.key);
    iw_mpa_startup_encode(&header, octets);
    write_packet(traffic, connection, 0, IW_TCP_ACK | IW_TCP_PSH, octets, sizeof octets);
    memcpy(header.key, iw_startup_key_reply, sizeof header.key);
    iw_mpa_startup_encode(&header, octets);
    write_packet(traffic, connection, 1, IW_TCP_ACK | IW_TCP_PSH, octets, sizeof octets);
    connection->started = true;
}

static void write_data(
    struct traffic *traffic, struct connection *connection, const uint8_t *octets, size_t count) {
    write_packet(traffic, connection, 0, IW_TCP_ACK | IW_TCP_PSH, octets, count);
    if (traffic->acks && ++connection->segments % ACK_EVERY == 0)
        write_packet(traffic, connection, 1, IW_TCP_ACK, NULL, 0);
}

/* Splits pending octets into full segments; with `all` also the rest. */
static void write_pending(struct traffic *traffic, struct connection *connection, bool all) {
    size_t at = 0;

    while (connection->pending_octets - at >= traffic->mss || (all && at < connection->pending_octets)) {
        size_t left = connection->pending_octets - at;
        size_t octets = left < traffic->mss ? left : traffic->mss;

        write_data(traffic, connection, connection->pending + at, octets);
        at += octets;
    }
    connection->pending_octets -= at;
    memmove(connection->pending, connection->pending + at, connection->pending_octets);
}

/* Returns whether the next FPDU is a Send. Begins the next message if the last one has ended. */
static bool next_is_send(const struct traffic *traffic, struct connection *connection) {
    bool send = false;

    if (connection->segments_left == 0) {
        send = ++connection->messages % SEND_EVERY == 0;
        connection->segments_left = send ? 1 : traffic->segments;
    }
    connection->segments_left--;
    return send;
}

static void write_fpdu(struct traffic *traffic, struct connection *connection) {
    bool send = next_is_send(traffic, connection);
    bool last = connection->segments_left == 0;
    static uint8_t octets[FPDU_OCTETS_MAX];
    struct iw_output output = iw_output_into(octets, sizeof octets);
    struct iw_segment segment = {.tagged = !send,
        .last = last,
        .dv = 1,
        .control = iw_segment_control(1, 0, send ? IW_RDMAP_OP_SEND : IW_RDMAP_OP_RDMA_WRITE),
        .stag = FIRST_STAG + (uint32_t)(connection->writes % traffic->stags),
        .to = connection->to,
        .qn = IW_QN_SEND,
        .msn = connection->msn};
    uint8_t header[iw_ddp_untagged_octets];
    struct iw_fpdu_parts parts = {.headers = header,
        .header_octets = iw_segment_encode_ddp(&segment, header),
        .payload = traffic->octets,
        .payload_octets = traffic->payload};

    iw_fpdu_write(&connection->writer, &parts, &output);
    connection->msn += send;
    connection->writes += !send && last;
    connection->to += send ? 0 : traffic->payload;
    if (traffic->mss == 0) {
        write_data(traffic, connection, octets, output.length);
        return;
    }
    memcpy(connection->pending + connection->pending_octets, octets, output.length);
    connection->pending_octets += output.length;
    write_pending(traffic, connection, false);
}

static bool open_connections(struct traffic *traffic, struct connection *connections) {
    for (uint64_t i = 0; i < traffic->connections; i++) {
        struct connection *connection = &connections[i];

        *connection = (struct connection){.msn = 1, .next = {1000, 5000}, .to = traffic->to};
        connection->address[0] =
            (struct iw_tcp_address){{10, 0, (uint8_t)(i / PORTS), 1}, (uint16_t)(FIRST_PORT + i % PORTS), 4};
        connection->address[1] = (struct iw_tcp_address){{10, 1, 0, 2}, LISTEN_PORT, 4};
        iw_fpdu_writer_init(&connection->writer, traffic->markers, true);
        if (traffic->mss > 0 && (connection->pending = malloc(traffic->mss + FPDU_OCTETS_MAX)) == NULL)
            return false;
        write_startup(traffic, connection);
    }
    return true;
}

static bool write_traffic(struct traffic *traffic) {
    struct connection *connections = calloc(traffic->connections, sizeof *connections);

    if (connections == NULL || !open_connections(traffic, connections))
        return false;
    for (uint64_t i = 0; i < traffic->fpdus; i++)
        write_fpdu(traffic, &connections[i % traffic->connections]);
    for (uint64_t i = 0; i < traffic->connections; i++) {
        if (traffic->mss > 0)
            write_pending(traffic, &connections[i], true);
        free(connections[i].pending);
    }
    release_held(traffic);
    free(connections);
    return true;
}

/* Reads NAME=NUMBER; false for another name or an invalid number. */
static bool read_option(const char *argument, const char *name, uint64_t *value) {
    size_t length = strlen(name);
    char *end;

    if (strncmp(argument, name, length) != 0 || argument[length] != '=')
        return false;
    *value = strtoull(argument + length + 1, &end, 10);
    return end != argument + length + 1 && *end == '\0';
}

static bool read_arguments(int count, char **arguments, struct traffic *traffic) {
    uint64_t acks = 1, markers = 0;

    if (count < 4)
        return false;
    *traffic = (struct traffic){.connections = 1,
        .stags = 1,
        .segments = 1,
        .fpdus = strtoull(arguments[2], NULL, 10),
        .payload = strtoull(arguments[3], NULL, 10)};
    for (int i = 4; i < count; i++)
        if (!read_option(arguments[i], "connections", &traffic->connections) &&
            !read_option(arguments[i], "mss", &traffic->mss) && !read_option(arguments[i], "acks", &acks) &&
            !read_option(arguments[i], "reverse", &traffic->reverse) &&
            !read_option(arguments[i], "drop", &traffic->drop) &&
            !read_option(arguments[i], "markers", &markers) &&
            !read_option(arguments[i], "stags", &traffic->stags) &&
            !read_option(arguments[i], "to", &traffic->to) &&
            !read_option(arguments[i], "segments", &traffic->segments))
            return false;
    traffic->acks = acks != 0;
    traffic->markers = markers != 0;
    return traffic->stags > 0 && traffic->segments > 0 && traffic->reverse <= REVERSE_MAX &&
           traffic->fpdus > 0 && traffic->connections > 0 && traffic->payload < 65000 && traffic->mss < 65000;
}

int main(int count, char **arguments) {
    static struct traffic traffic;
    pcap_t *pcap;
    bool written;

    if (!read_arguments(count, arguments, &traffic)) {
        fputs(usage, stderr);
        return 3;
    }
    traffic.octets = calloc(1, traffic.payload + 1);
    pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, 1 << 18, PCAP_TSTAMP_PRECISION_NANO);
    traffic.file = pcap == NULL ? NULL : pcap_dump_open(pcap, arguments[1]);
    if (traffic.octets == NULL || traffic.file == NULL) {
        fprintf(stderr, "%s: %s\n", arguments[1], pcap == NULL ? "no memory" : pcap_geterr(pcap));
        free(traffic.octets);
        return 3;
    }
    traffic.time_ns = UINT64_C(1700000000000000000);
    written = write_traffic(&traffic) && pcap_dump_flush(traffic.file) == 0;
    pcap_dump_close(traffic.file);
    pcap_close(pcap);
    free(traffic.octets);
    if (!written)
        fprintf(stderr, "%s: cannot be written\n", arguments[1]);
    return written ? 0 : 3;
}
