/* iw_fuzz_seed FOLDER CAPTURE...: writes inputs for the fuzz targets to FOLDER, made from the connections
 * of the captures. Inputs contain TCP segments unchanged; or, for iWARP, startup frames and FPDUs, which
 * the target frames again after a mutation; or DATA chunks of SCTP associations. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_capture_file.h"
#include "iw_fuzz_input.h"
#include "iw_monitor.h"
#include "iw_sctp_packet.h"
#include "iw_tcp_table.h"

enum { SEED_OCTETS = 3500, ULPDU_OCTETS = 1400, PATH_OCTETS = 4096 };

/* An input being written. */
struct seed {
    uint8_t octets[SEED_OCTETS];
    struct iw_output output;
    struct iw_fuzz_scene scene;
};

/* One TCP connection. */
struct connection {
    struct iw_monitor *monitor;
    struct seed segments;
    struct seed messages;
    size_t startup_octets; /* scene and startup frames; every further input of messages begins with them */
    uint32_t sent[2];      /* by side: sequence number after what the input has sent */
    bool begun[2];
};

static const char *folder;
static const char *capture;
static unsigned written;

static void seed_begin(struct seed *seed) {
    seed->output = iw_output_into(seed->octets, sizeof seed->octets);
    iw_fuzz_scene_put(&seed->output, &seed->scene);
}

static void seed_write(const struct seed *seed) {
    const char *name = strrchr(capture, '/');
    char path[PATH_OCTETS];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s.%u", folder, name == NULL ? capture : name + 1, written++);
    file = fopen(path, "wb");
    if (file == NULL || fwrite(seed->octets, 1, seed->output.length, file) != seed->output.length ||
        fclose(file) != 0) {
        perror(path);
        exit(3);
    }
}

static bool seed_has_capacity(const struct seed *seed, size_t octets) {
    return seed->output.capacity - seed->output.length >= IW_FUZZ_RECORD_OCTETS + octets;
}

/* ---- startup frames and FPDUs ---- */

static void put_message(struct connection *connection, const struct iw_fuzz_record *record) {
    struct seed *seed = &connection->messages;

    if (!seed_has_capacity(seed, record->length)) {
        seed_write(seed);
        seed->output.length = connection->startup_octets;
    }
    if (seed_has_capacity(seed, record->length))
        iw_fuzz_record_put(&seed->output, record);
}

static void put_startup(struct connection *connection, const struct iw_llp_event *llp) {
    uint8_t octets[SEED_OCTETS];
    size_t rest = llp->image_captured > 20 ? llp->image_captured - 20 : 0;
    bool reply = llp->startup->key == IW_STARTUP_REPLY;
    struct iw_fuzz_record record = {.kind = IW_FUZZ_STARTUP, .options = IW_FUZZ_SEND, .octets = octets};

    if (rest > sizeof octets - 2)
        rest = sizeof octets - 2;
    memcpy(octets, llp->image + 16, 2);
    memcpy(octets + 2, llp->image + 20, rest);
    record.length = (uint16_t)(rest + 2);
    record.options |= llp->side == IW_SIDE_B ? IW_FUZZ_SIDE_B : 0;
    record.options |= reply != (llp->side == IW_SIDE_B) ? IW_FUZZ_OTHER_KEY : 0;
    put_message(connection, &record);
    connection->startup_octets = connection->messages.output.length;
}

static void put_fpdu(struct connection *connection, const struct iw_llp_event *llp) {
    uint32_t octets = iw_fpdu_ulpdu_captured(llp->fpdu);
    struct iw_fuzz_record record = {.kind = IW_FUZZ_FPDU,
        .options = (uint8_t)(IW_FUZZ_SEND | (llp->side == IW_SIDE_B ? IW_FUZZ_SIDE_B : 0)),
        .length = (uint16_t)(octets < ULPDU_OCTETS ? octets : ULPDU_OCTETS),
        .octets = iw_fpdu_ulpdu(llp->fpdu)};

    put_message(connection, &record);
}

static void on_event(void *user, const struct iw_monitor_event *event) {
    if (event->llp->kind == IW_LLP_STARTUP)
        put_startup(user, event->llp);
    if (event->llp->kind == IW_LLP_SEGMENT)
        put_fpdu(user, event->llp);
}

/* ---- segments ---- */

static void put_segment(
    struct connection *connection, enum iw_side side, const struct iw_tcp_segment *segment) {
    int32_t at = connection->begun[side] ? (int32_t)(segment->seq - connection->sent[side]) : 0;
    struct iw_fuzz_record record = {.kind = IW_FUZZ_SEGMENT,
        .options = side == IW_SIDE_B ? IW_FUZZ_SIDE_B : 0,
        .at = (int16_t)at,
        .length = (uint16_t)segment->captured,
        .octets = segment->payload};

    if (segment->captured == 0 || segment->captured > SEED_OCTETS || at != record.at ||
        !seed_has_capacity(&connection->segments, segment->captured))
        return;
    iw_fuzz_record_put(&connection->segments.output, &record);
    if (at == 0)
        connection->sent[side] = segment->seq + segment->captured;
    connection->begun[side] = true;
}

/* ---- connections ---- */

static const struct iw_tcp_segment *current;

static void on_flow_new(void *user, struct iw_tcp_flow *flow) {
    static const struct iw_monitor_config config = {.extensions = IW_EXT_ALL};
    struct connection *connection = calloc(1, sizeof *connection);

    (void)user;
    if (connection == NULL)
        exit(3);
    connection->monitor = iw_monitor_new(&config, on_event, connection);
    if (connection->monitor == NULL)
        exit(3);
    seed_begin(&connection->segments);
    seed_begin(&connection->messages);
    connection->startup_octets = connection->messages.output.length;
    flow->user = connection;
}

static void on_chunk(void *user, struct iw_tcp_flow *flow, const struct iw_chunk *chunk) {
    struct connection *connection = flow->user;

    (void)user;
    iw_monitor_feed(connection->monitor, chunk);
    if (chunk->frame == current->frame)
        put_segment(connection, chunk->side, current);
}

static void on_flow_end(void *user, struct iw_tcp_flow *flow) {
    struct connection *connection = flow->user;

    (void)user;
    iw_monitor_finish(connection->monitor);
    if (connection->segments.output.length > IW_FUZZ_SCENE_OCTETS)
        seed_write(&connection->segments);
    if (connection->messages.output.length > connection->startup_octets)
        seed_write(&connection->messages);
    iw_monitor_free(connection->monitor);
    free(connection);
}

/* ---- SCTP ---- */

/* The DATA chunks since the last INIT. The target counts TSNs from 1, one per chunk. */
static struct {
    struct seed seed;
    uint16_t port;     /* of side A */
    uint32_t first[2]; /* by side: TSN that maps to 1 */
    uint32_t count[2]; /* number of chunks */
} association;

static void end_association(void) {
    if (association.seed.output.length > IW_FUZZ_SCENE_OCTETS)
        seed_write(&association.seed);
    memset(&association, 0, sizeof association);
    seed_begin(&association.seed);
}

static void put_data(enum iw_side side, const struct iw_sctp_data *data) {
    struct iw_fuzz_record record = {
        .kind = IW_FUZZ_DATA, .length = (uint16_t)data->captured, .octets = data->octets};
    int32_t at;

    if (association.count[side] == 0)
        association.first[side] = data->tsn;
    at = (int32_t)(data->tsn - association.first[side] - association.count[side]);
    record.at = (int16_t)at;
    if (data->captured > SEED_OCTETS || at != record.at ||
        !seed_has_capacity(&association.seed, data->captured))
        return;
    record.options = (uint8_t)((side == IW_SIDE_B ? IW_FUZZ_SIDE_B : 0) |
                               (data->ppid == IW_SCTP_PPID_CONTROL ? IW_FUZZ_OTHER_KEY : 0) |
                               (data->first ? 0 : IW_FUZZ_BAD_CRC) | (data->last ? 0 : IW_FUZZ_FPDUPTR) |
                               (data->stream > 0 ? IW_FUZZ_ACK_AHEAD : 0));
    iw_fuzz_record_put(&association.seed.output, &record);
    association.count[side]++;
}

static void put_sctp(const struct iw_tcp_segment *packet) {
    struct iw_sctp_chunks chunks = {packet->payload, packet->captured, packet->length};
    struct iw_sctp_chunk chunk;
    struct iw_sctp_data data;

    while (iw_sctp_chunk_next(&chunks, &chunk)) {
        if (chunk.type == IW_SCTP_INIT)
            end_association();
        if (association.port == 0)
            association.port = packet->source.port;
        if (chunk.type == IW_SCTP_DATA && iw_sctp_data_decode(&chunk, &data))
            put_data(packet->source.port == association.port ? IW_SIDE_A : IW_SIDE_B, &data);
    }
}

/* ---- captures ---- */

static void read_capture(void) {
    static const struct iw_tcp_handlers handlers = {
        .flow_new = on_flow_new, .chunk = on_chunk, .flow_end = on_flow_end};
    struct iw_tcp_table *table = iw_tcp_table_new(NULL, &handlers, NULL);
    struct iw_capture_file *file;
    struct iw_tcp_segment segment;
    struct iw_packet packet;
    char error[PATH_OCTETS];

    if (table == NULL || iw_capture_file_open(capture, &file, error, sizeof error) != IW_OK) {
        fprintf(stderr, "%s\n", table == NULL ? "no memory" : error);
        exit(3);
    }
    current = &segment;
    written = 0;
    memset(&association, 0, sizeof association);
    seed_begin(&association.seed);
    while (iw_capture_file_next(file, &packet, error, sizeof error) == IW_CAPTURE_PACKET) {
        enum iw_packet_kind kind = iw_packet_find(&packet, &segment, &(struct iw_packet_facts){0});

        if (kind == IW_PACKET_TCP)
            iw_tcp_table_segment(table, &segment);
        else if (kind == IW_PACKET_SCTP)
            put_sctp(&segment);
    }
    end_association();
    iw_tcp_table_finish(table);
    iw_tcp_table_free(table);
    iw_capture_file_close(file);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: %s FOLDER CAPTURE...\n", argv[0]);
        return 3;
    }
    folder = argv[1];
    for (int i = 2; i < argc; i++) {
        capture = argv[i];
        read_capture();
    }
    return 0;
}
