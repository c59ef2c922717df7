#include "iw_live_source.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "iw_link_type.h"
#include "iw_live_device.h"
#include "iw_live_pipe.h"
#include "iw_monotonic.h"
#include "iw_placement.h"

enum { SNAPLEN = 262144, TICK_MS = 100, PACKETS_PER_CLOCK = 64 };
static const uint64_t TICK_NS = TICK_MS * 1000000u;
/* After the stop: packets reach this program up to 10 ms after they were captured. */
static const uint64_t LAST_NS = 50000000;

struct live_input {
    const char *name;
    struct iw_live_device device; /* closed: a pipe */
    enum iw_link link;            /* of the device */
    bool piped;                   /* a pipe, not a device */
    struct iw_live_pipe *pipe;
    bool ended;
    bool waiting; /* `packet` is the next one of this input */
    struct iw_packet packet;
};

struct iw_live_source {
    struct live_input input[IW_LIVE_SOURCES];
    size_t count;
    bool begun;
    int wake; /* eventfd: a pipe has a packet, or the source is to stop */
    volatile sig_atomic_t stopped;
    uint64_t end_ns;  /* monotonic; 0: no end */
    uint64_t tick_ns; /* monotonic: time of the next IW_CHECK_TICK */
    uint64_t over_ns; /* monotonic: when a stopped source ends; 0: not stopped yet */
    size_t latest;    /* the input that gave the latest packet */
    unsigned since;   /* packets since the clock was read */
    struct iw_live_counts counts;
};

static int live_fail(const struct live_input *input, const char *reason, char *error, size_t octets) {
    snprintf(error, octets, "%s: %s", input->name, reason);
    return IW_ERR_IO;
}

/* ---- open and close ---- */

static bool live_is_pipe(const char *name) {
    return strcmp(name, "-") == 0 || strchr(name, '/') != NULL;
}

static bool live_open_device(
    struct live_input *input, const struct iw_live_source_config *config, char *text) {
    const struct iw_live_device_config device = {.name = input->name,
        .filter = config->filter,
        .snaplen = SNAPLEN,
        .buffer = config->buffer,
        .promiscuous = true};

    if (!iw_live_device_open(&input->device, &device, text)) {
        if (access(input->name, F_OK) == 0)
            snprintf(text, IW_LIVE_SOURCE_TEXT_OCTETS,
                "%.100s: no such device; a path has a slash: ./%.100s for the file of this name", input->name,
                input->name);
        return false;
    }
    if (iw_link_type_find(input->device.link_type, &input->link))
        return true;
    snprintf(text, IW_LIVE_SOURCE_TEXT_OCTETS, "%.128s: unsupported link type %u", input->name,
        input->device.link_type);
    return false;
}

static bool live_open_input(
    struct iw_live_source *source, const char *name, const struct iw_live_source_config *config, char *text) {
    struct live_input *input = &source->input[source->count++];

    input->name = name;
    if (!live_is_pipe(name))
        return live_open_device(input, config, text);
    input->piped = true; /* its thread begins with the first packet wanted, when the process is confined */
    return true;
}

static int live_begin_pipes(struct iw_live_source *source, char *error, size_t octets) {
    source->begun = true;
    for (size_t i = 0; i < source->count; i++) {
        struct live_input *input = &source->input[i];

        if (input->piped && (input->pipe = iw_live_pipe_open(input->name, source->wake)) == NULL) {
            live_fail(input, "out of memory", error, octets);
            return IW_ERR_NOMEM;
        }
    }
    return IW_OK;
}

struct iw_live_source *iw_live_source_open(const struct iw_live_source_config *config, char *text) {
    struct iw_live_source *source = calloc(1, sizeof *source);
    uint64_t now = iw_monotonic_ns();

    if (source == NULL || (source->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) < 0) {
        snprintf(text, IW_LIVE_SOURCE_TEXT_OCTETS, "%s", source == NULL ? "out of memory" : strerror(errno));
        free(source);
        return NULL;
    }
    for (size_t i = 0; i < config->count; i++)
        if (!live_open_input(source, config->names[i], config, text)) {
            iw_live_source_close(source);
            return NULL;
        }
    source->tick_ns = now + TICK_NS;
    source->end_ns = config->duration_ms > 0 ? now + config->duration_ms * (uint64_t)1000000 : 0;
    return source;
}

void iw_live_source_close(struct iw_live_source *source) {
    if (source == NULL)
        return;
    for (size_t i = 0; i < source->count; i++) {
        iw_live_pipe_close(source->input[i].pipe);
        iw_live_device_close(&source->input[i].device);
    }
    close(source->wake);
    free(source);
}

void iw_live_source_stop(struct iw_live_source *source) {
    uint64_t one = 1;
    int error = errno;

    source->stopped = true;
    if (write(source->wake, &one, sizeof one) < 0)
        errno = EAGAIN; /* the counter is at its limit: nothing waits for it */
    errno = error;
}

/* ---- packets ---- */

IW_HOT static int live_take_from_device(struct live_input *input, char *error, size_t octets) {
    struct pcap_pkthdr *header;
    const u_char *data;
    int step = pcap_next_ex(input->device.pcap, &header, &data);

    if (step < 0)
        return live_fail(input, pcap_geterr(input->device.pcap), error, octets);
    input->waiting = step > 0;
    if (step > 0)
        input->packet = (struct iw_packet){.link = input->link,
            .octets = data,
            .captured = header->caplen,
            .length = header->len,
            .time_ns = iw_live_device_time(&input->device, header)};
    return IW_OK;
}

static int live_take_from_pipe(struct live_input *input, char *error, size_t octets) {
    const char *reason;

    switch (iw_live_pipe_next(input->pipe, &input->packet, &reason)) {
    case IW_LIVE_PIPE_PACKET:
        input->waiting = true;
        break;
    case IW_LIVE_PIPE_EMPTY:
        break;
    case IW_LIVE_PIPE_END:
        input->ended = true;
        break;
    case IW_LIVE_PIPE_ERROR:
        snprintf(error, octets, "%s", reason); /* names the pipe */
        return IW_ERR_IO;
    }
    return IW_OK;
}

/* Sets *oldest to the input with the oldest waiting packet; NULL: none has a packet. */
IW_HOT static int live_look(
    struct iw_live_source *source, struct live_input **oldest, char *error, size_t octets) {
    *oldest = NULL;
    for (size_t i = 0; i < source->count; i++) {
        struct live_input *input = &source->input[i];
        int status = IW_OK;

        if (!input->waiting && !input->ended)
            status = input->piped ? live_take_from_pipe(input, error, octets)
                                  : live_take_from_device(input, error, octets);
        if (status != IW_OK)
            return status;
        if (input->waiting && (*oldest == NULL || input->packet.time_ns < (*oldest)->packet.time_ns))
            *oldest = input;
    }
    return IW_OK;
}

static bool live_is_over(const struct iw_live_source *source) {
    for (size_t i = 0; i < source->count; i++)
        if (!source->input[i].ended)
            return false;
    return true;
}

/* Waits for a packet until the next tick. */
static void live_wait(struct iw_live_source *source) {
    struct pollfd wanted[IW_LIVE_SOURCES + 1] = {{.fd = source->wake, .events = POLLIN}};
    uint64_t now = iw_monotonic_ns(), count;
    nfds_t used = 1;

    for (size_t i = 0; i < source->count; i++)
        if (!source->input[i].piped)
            wanted[used++] =
                (struct pollfd){.fd = pcap_get_selectable_fd(source->input[i].device.pcap), .events = POLLIN};
    if (now < source->tick_ns)
        poll(wanted, used, (int)((source->tick_ns - now) / 1000000) + 1);
    if (read(source->wake, &count, sizeof count) < 0)
        return; /* nothing to read */
}

/* If a device does not say how many, those of the latest tick count. */
static uint64_t live_lost(void *user) {
    struct iw_live_source *source = user;
    uint64_t lost = 0, dropped;

    for (size_t i = 0; i < source->count; i++) {
        if (source->input[i].piped)
            continue;
        if (!iw_live_device_dropped(&source->input[i].device, &dropped))
            return source->counts.lost;
        lost += dropped;
    }
    return source->counts.lost = lost;
}

/* Whether it is time for the next tick. Reads the clock only with some of the packets. */
static bool live_tick(struct iw_live_source *source, bool idle) {
    uint64_t now;

    if (!idle && ++source->since < PACKETS_PER_CLOCK)
        return false;
    source->since = 0;
    now = iw_monotonic_ns();
    if (source->end_ns > 0 && now >= source->end_ns)
        source->stopped = true;
    if (now < source->tick_ns)
        return false;
    source->tick_ns = now + TICK_NS;
    live_lost(source);
    return true;
}

/* Whether a stopped source has given the packets that were captured before the stop. */
static bool live_is_late(struct iw_live_source *source) {
    uint64_t now = iw_monotonic_ns();

    if (source->over_ns == 0)
        source->over_ns = now + LAST_NS;
    if (source->tick_ns > source->over_ns)
        source->tick_ns = source->over_ns;
    return now >= source->over_ns;
}

IW_HOT static int live_next(void *user, struct iw_packet *packet, char *error, size_t octets) {
    struct iw_live_source *source = user;
    struct live_input *oldest = NULL;

    if (!source->begun) {
        int status = live_begin_pipes(source, error, octets);

        if (status != IW_OK)
            return status;
    }
    for (bool idle = false;; idle = true) {
        if (live_tick(source, idle))
            return IW_CHECK_TICK;
        if (source->stopped && live_is_late(source))
            return IW_CHECK_END;
        int status = live_look(source, &oldest, error, octets);
        if (status != IW_OK)
            return status;
        if (oldest != NULL)
            break;
        if (live_is_over(source))
            return IW_CHECK_END;
        live_wait(source);
    }
    oldest->waiting = false;
    source->latest = (size_t)(oldest - source->input);
    *packet = oldest->packet;
    source->counts.packets++;
    source->counts.octets += packet->captured;
    source->counts.time_ns = packet->time_ns;
    return IW_CHECK_PACKET;
}

void iw_live_source_init(struct iw_live_source *source, struct iw_check_source *check) {
    *check = (struct iw_check_source){.user = source, .next = live_next, .lost = live_lost};
}

struct iw_live_counts iw_live_source_counts(const struct iw_live_source *source) {
    return source->counts;
}

size_t iw_live_source_latest(const struct iw_live_source *source, const char **name) {
    *name = source->input[source->latest].name;
    return source->latest;
}
