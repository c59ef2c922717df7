#include "iw_conversation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_capture_file.h"
#include "iw_lazy_monitor.h"
#include "iw_packet_reader.h"
#include "iw_tcp_table.h"

/* Reading a file twice: to find its iWARP connections, then to read the selected connection. */
struct reading {
    const struct iw_conversation_choice *choice;
    struct iw_conversation_count *count;
    struct iw_conversation *conversation;
    uint64_t wanted; /* number of the TCP connection; UINT64_MAX: not found yet */
    bool no_memory;
};

static const struct iw_monitor_config monitor_config = {.extensions = IW_EXT_ALL};

static void conversation_file_ignore_event(void *user, const struct iw_monitor_event *event) {
    (void)user;
    (void)event;
}

static void conversation_file_first_pass_ignore_flow(
    struct reading *reading, struct iw_tcp_flow *flow, bool no_memory) {
    struct iw_lazy_monitor *seen = flow->user;

    reading->no_memory |= no_memory;
    if (seen != NULL)
        iw_lazy_monitor_dispose(seen);
    free(seen);
    flow->user = NULL;
    flow->ignored = true;
}

static void conversation_file_first_pass_take_flow(void *user, struct iw_tcp_flow *flow) {
    struct iw_lazy_monitor *seen = calloc(1, sizeof *seen);

    flow->user = seen;
    if (seen != NULL)
        iw_lazy_monitor_init(seen, &monitor_config, conversation_file_ignore_event, NULL);
    else
        conversation_file_first_pass_ignore_flow(user, flow, true);
}

static void conversation_file_first_pass_take_chunk(
    void *user, struct iw_tcp_flow *flow, const struct iw_chunk *chunk) {
    struct iw_lazy_monitor *seen = flow->user;

    if (seen == NULL)
        return;
    enum iw_lazy_monitor_state state = iw_lazy_monitor_feed(seen, chunk);
    if (state != IW_LAZY_MONITOR_OPEN)
        conversation_file_first_pass_ignore_flow(user, flow, state == IW_LAZY_MONITOR_NO_MEMORY);
}

static void conversation_file_first_pass_count_connection(struct reading *reading, uint64_t id) {
    const struct iw_conversation_choice *choice = reading->choice;
    uint64_t wanted = choice->connection == 0 ? 1 : choice->connection;

    reading->count->connections++;
    if (choice->by_stream ? choice->stream == id : reading->count->connections == wanted)
        reading->wanted = id;
}

static void conversation_file_first_pass_take_end(void *user, struct iw_tcp_flow *flow) {
    struct reading *reading = user;
    struct iw_lazy_monitor *seen = flow->user;

    reading->count->tcp_flows++;
    if (seen == NULL)
        return;
    if (iw_lazy_monitor_finish(seen))
        conversation_file_first_pass_count_connection(reading, flow->id);
    reading->no_memory |= seen->state == IW_LAZY_MONITOR_NO_MEMORY;
    iw_lazy_monitor_dispose(seen);
    free(seen);
}

static const struct iw_tcp_handlers first_pass = {.flow_new = conversation_file_first_pass_take_flow,
    .chunk = conversation_file_first_pass_take_chunk,
    .flow_end = conversation_file_first_pass_take_end};

static void conversation_file_second_pass_take_chunk(
    void *user, struct iw_tcp_flow *flow, const struct iw_chunk *chunk) {
    struct reading *reading = user;

    if (flow->id != reading->wanted)
        return;
    iw_conversation_feed(reading->conversation, chunk);
    memcpy(reading->conversation->address, flow->address, sizeof flow->address);
}

static const struct iw_tcp_handlers second_pass = {.chunk = conversation_file_second_pass_take_chunk};

static enum iw_status conversation_file_report_no_memory(const char *path, char *error, size_t error_octets) {
    snprintf(error, error_octets, "%s: not enough memory", path);
    return IW_ERR_NOMEM;
}

static enum iw_status read_conversation_packets(struct reading *reading, struct iw_capture_file *file,
    struct iw_tcp_table *table, char *error, size_t error_octets) {
    struct iw_reassembly *reader = iw_reassembly_new();
    struct iw_packet packet;
    struct iw_packet_facts facts;
    struct iw_tcp_segment segment;
    int step = IW_CAPTURE_END;

    reading->no_memory |= reader == NULL;
    while (reader != NULL &&
           (step = iw_capture_file_next(file, &packet, error, error_octets)) == IW_CAPTURE_PACKET) {
        enum iw_packet_kind kind = iw_packet_read(reader, &packet, &segment, &facts);

        reading->count->sctp |= kind == IW_PACKET_SCTP;
        if (kind == IW_PACKET_TCP && iw_tcp_table_segment(table, &segment) != IW_OK)
            reading->no_memory = true;
    }
    iw_tcp_table_finish(table);
    reading->no_memory |= reader != NULL && iw_reassembly_counts(reader).no_memory;
    iw_reassembly_free(reader);
    return step < 0 ? (enum iw_status)step : IW_OK;
}

static enum iw_status read_conversation_file(struct reading *reading, const char *path,
    const struct iw_tcp_handlers *handlers, char *error, size_t error_octets) {
    struct iw_capture_file *file;
    enum iw_status status = iw_capture_file_open(path, &file, error, error_octets);
    struct iw_tcp_table *table = iw_tcp_table_new(NULL, handlers, reading);

    if (status == IW_OK && table != NULL)
        status = read_conversation_packets(reading, file, table, error, error_octets);
    iw_capture_file_close(file);
    iw_tcp_table_free(table);
    if (status == IW_OK && (table == NULL || reading->no_memory))
        return conversation_file_report_no_memory(path, error, error_octets);
    return status;
}

enum iw_status iw_conversation_read(const char *path, const struct iw_conversation_choice *choice,
    struct iw_conversation *conversation, struct iw_conversation_count *count, char *error,
    size_t error_octets) {
    struct reading reading = {
        .choice = choice, .count = count, .conversation = conversation, .wanted = UINT64_MAX};

    memset(count, 0, sizeof *count);
    if (!iw_conversation_init(conversation))
        return conversation_file_report_no_memory(path, error, error_octets);
    enum iw_status status = read_conversation_file(&reading, path, &first_pass, error, error_octets);
    if (status != IW_OK)
        return status;
    if (reading.wanted == UINT64_MAX)
        return IW_ERR_ARGUMENT;
    status = read_conversation_file(&reading, path, &second_pass, error, error_octets);
    conversation->stream = reading.wanted;
    iw_conversation_finish(conversation);
    return status == IW_OK && conversation->no_memory
               ? conversation_file_report_no_memory(path, error, error_octets)
               : status;
}
