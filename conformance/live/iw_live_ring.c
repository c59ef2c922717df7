#include "iw_live_ring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "iw_link_type.h"

enum { NUMBER_MAX = 99999, NAME_OCTETS = 48, PATH_OCTETS = 4096, INTERFACES = 256 };

struct ring_file {
    char name[NAME_OCTETS];
    bool finding; /* a packet of it has a finding that is not waived */
};

struct ring_interface {
    size_t input;
    enum iw_link link;
};

struct iw_live_ring {
    struct iw_live_ring_config config;
    const struct iw_live_source *live;
    struct iw_check_source source; /* gives the packets */
    struct iw_record_file file;
    bool open;
    struct ring_interface interfaces[INTERFACES]; /* of the open file */
    uint32_t interface_count;
    struct ring_file *files; /* the files that exist, a ring with space for one more than config.files */
    size_t first, count;     /* oldest file, and number; the newest is the open one */
    uint64_t seconds;        /* in the name of the newest file */
    unsigned number;         /* the same */
    bool waiting;            /* `packet` was given, and is not yet written */
    bool finding;            /* the waiting packet has a finding that is not waived */
    struct iw_packet packet;
    uint64_t frame; /* of the latest packet given */
    struct iw_text comment;
    bool commented; /* `comment` is open */
    bool failed;
};

static struct ring_file *live_ring_file(struct iw_live_ring *ring, size_t index) {
    return &ring->files[(ring->first + index) % (ring->config.files + 1)];
}

/* Stops recording for good: the caller of iw_live_ring_open hears of the first error only. */
static void live_ring_fail(struct iw_live_ring *ring, const char *text) {
    if (!ring->failed)
        ring->config.trouble(ring->config.user, text);
    ring->failed = true;
}

static void live_ring_fail_file(struct iw_live_ring *ring, const char *name, const char *reason) {
    char text[IW_LIVE_RING_TEXT_OCTETS];

    snprintf(text, sizeof text, "%.300s/%.60s: %s", ring->config.folder, name, reason);
    live_ring_fail(ring, text);
}

/* ---- files ---- */

static bool live_ring_path(const struct iw_live_ring *ring, const char *name, char path[PATH_OCTETS]) {
    return snprintf(path, PATH_OCTETS, "%s/%s", ring->config.folder, name) < PATH_OCTETS;
}

/* Removes a file that the user may have removed before. */
static void live_ring_remove(struct iw_live_ring *ring, const char *name) {
    char path[PATH_OCTETS];

    if (live_ring_path(ring, name, path) && unlink(path) != 0 && errno != ENOENT)
        live_ring_fail_file(ring, name, strerror(errno));
}

/* The next name in order: the clock of a capture may be set back, and the number has five digits. */
static void live_ring_next_name(struct iw_live_ring *ring, char name[NAME_OCTETS]) {
    uint64_t seconds = ring->packet.time_ns / 1000000000;
    char date[24];
    time_t when;
    struct tm parts;

    ring->number++;
    if (ring->number > NUMBER_MAX) {
        ring->number = 1;
        ring->seconds++;
    }
    if (seconds > ring->seconds)
        ring->seconds = seconds;
    when = (time_t)ring->seconds;
    gmtime_r(&when, &parts);
    strftime(date, sizeof date, "%Y%m%d%H%M%S", &parts);
    snprintf(name, NAME_OCTETS, "watch_%s_%05u.pcapng", date, ring->number);
}

/* Finds a name that no file has: an earlier run may have recorded to the same folder. */
static bool live_ring_name_file(struct iw_live_ring *ring, char name[NAME_OCTETS], char path[PATH_OCTETS]) {
    struct stat there;

    for (unsigned tries = 0; tries < NUMBER_MAX; tries++) {
        live_ring_next_name(ring, name);
        if (!live_ring_path(ring, name, path))
            break;
        if (lstat(path, &there) != 0)
            return true;
    }
    return false;
}

/* Removes the oldest file only after the new one exists: a full disk costs nothing that was recorded. */
static bool live_ring_open_file(struct iw_live_ring *ring) {
    char path[PATH_OCTETS], text[IW_RECORD_FILE_TEXT_OCTETS];
    struct ring_file *file = live_ring_file(ring, ring->count);

    *file = (struct ring_file){.finding = false};
    if (!live_ring_name_file(ring, file->name, path)) {
        live_ring_fail_file(ring, file->name, "the path is too long, or exists");
        return false;
    }
    if (!iw_record_file_open_section(&ring->file, path, text)) {
        iw_record_file_close(&ring->file, NULL);
        live_ring_fail(ring, text);
        return false;
    }
    ring->open = true;
    ring->interface_count = 0;
    ring->count++;
    if (ring->count > ring->config.files) {
        live_ring_remove(ring, live_ring_file(ring, 0)->name);
        ring->first = (ring->first + 1) % (ring->config.files + 1);
        ring->count--;
    }
    return !ring->failed;
}

/* Removes the second newest file, unless it or the newest has a finding. */
static void live_ring_prune(struct iw_live_ring *ring) {
    struct ring_file *newest, *before;

    if (!ring->config.findings_only || ring->count < 2)
        return;
    newest = live_ring_file(ring, ring->count - 1);
    before = live_ring_file(ring, ring->count - 2);
    if (newest->finding || before->finding)
        return;
    live_ring_remove(ring, before->name);
    *before = *newest;
    ring->count--;
}

static void live_ring_close_file(struct iw_live_ring *ring) {
    const struct ring_file *newest = live_ring_file(ring, ring->count - 1);
    char text[IW_RECORD_FILE_TEXT_OCTETS];
    struct stat status;

    if (!ring->failed && fstat(ring->file.descriptor, &status) == 0 && status.st_nlink == 0)
        live_ring_fail_file(ring, newest->name, "was removed while it was written");
    if (!iw_record_file_close(&ring->file, text))
        live_ring_fail(ring, text);
    ring->open = false;
    if (!ring->failed)
        live_ring_prune(ring);
}

/* ---- packets ---- */

/* Sets packet->interface; adds the interface if it is new in this file. */
static bool live_ring_find_interface(struct iw_live_ring *ring, struct iw_pcapng_packet *packet) {
    const char *name;
    size_t input = iw_live_source_latest(ring->live, &name);
    uint32_t i = 0;

    while (i < ring->interface_count &&
           (ring->interfaces[i].input != input || ring->interfaces[i].link != ring->packet.link))
        i++;
    packet->interface = i;
    if (i < ring->interface_count)
        return true;
    ring->interfaces[ring->interface_count++] = (struct ring_interface){input, ring->packet.link};
    return iw_record_file_interface(&ring->file, iw_link_type_of(ring->packet.link), 0, name);
}

/* Returns whether the file has its size with the packet, and so takes it no more. */
static bool live_ring_is_full(const struct iw_live_ring *ring, const struct iw_pcapng_packet *packet) {
    return ring->file.packets > 0 &&
           (uint64_t)ring->file.whole + IW_PCAPNG_HEAD_MAX + iw_pcapng_packet_octets(packet) >
               ring->config.octets;
}

static void live_ring_record(struct iw_live_ring *ring, const char *comment) {
    struct iw_pcapng_packet packet = {.octets = ring->packet.octets,
        .captured = ring->packet.captured,
        .length = ring->packet.length,
        .time_ns = ring->packet.time_ns,
        .comment = comment,
        .id = ring->frame};

    if (ring->open && live_ring_is_full(ring, &packet))
        live_ring_close_file(ring);
    if (ring->failed || (!ring->open && !live_ring_open_file(ring)))
        return;
    if (!live_ring_find_interface(ring, &packet) || !iw_record_file_packet(&ring->file, &packet))
        live_ring_fail(ring, ring->file.text);
    else if (ring->finding)
        live_ring_file(ring, ring->count - 1)->finding = true;
}

/* Writes the packet that was judged since it was given. */
static void live_ring_write(struct iw_live_ring *ring) {
    char *comment = ring->commented ? iw_text_close(&ring->comment) : NULL;

    if (ring->waiting && !ring->failed)
        live_ring_record(ring, comment);
    free(comment);
    ring->waiting = ring->finding = ring->commented = false;
}

static int live_ring_next(void *user, struct iw_packet *packet, char *error, size_t octets) {
    struct iw_live_ring *ring = user;
    int step;

    live_ring_write(ring);
    step = ring->source.next(ring->source.user, packet, error, octets);
    if (step == IW_CHECK_PACKET) {
        ring->packet = *packet;
        ring->waiting = true;
        ring->frame++;
    }
    return step;
}

static uint64_t live_ring_lost(void *user) {
    struct iw_live_ring *ring = user;

    return ring->source.lost(ring->source.user);
}

/* ---- findings ---- */

/* A packet may show that an earlier one was wrong: its frame is the packet id of that one. */
static void live_ring_comment(struct iw_live_ring *ring, const struct iw_finding *finding, bool waived) {
    struct iw_text *text = &ring->comment;

    if (!ring->commented && !iw_text_open(text))
        return;
    if (ring->commented && (!iw_text_flush(text) || text->length > IW_PCAPNG_COMMENT_MAX))
        return;
    fputs(ring->commented ? "\n" : "", text->out);
    ring->commented = true;
    iw_check_finding_comment(text->out, finding, waived);
    if (finding->frame != ring->frame)
        fprintf(text->out, " (packet id %llu)", (unsigned long long)finding->frame);
}

static void live_ring_event(
    void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    struct iw_live_ring *ring = user;

    for (size_t i = 0; i < event->finding_count && !ring->failed; i++) {
        const struct iw_check_breach *breach = iw_check_breach_of(stream, &event->findings[i]);
        bool waived = breach != NULL && breach->waiver != NULL;

        if (ring->waiting)
            live_ring_comment(ring, &event->findings[i], waived);
        if (ring->waiting)
            ring->finding |= !waived;
        else if (ring->open && !waived) /* at the end of the capture */
            live_ring_file(ring, ring->count - 1)->finding = true;
    }
}

/* ---- begin and end ---- */

static bool live_ring_make_folder(const char *folder, char *text) {
    struct stat status;
    int error = mkdir(folder, 0777) == 0 || errno == EEXIST ? 0 : errno;

    if (error == 0 && stat(folder, &status) != 0)
        error = errno;
    if (error == 0 && !S_ISDIR(status.st_mode))
        error = ENOTDIR;
    if (error == 0 && access(folder, W_OK | X_OK) != 0)
        error = errno;
    if (error != 0)
        snprintf(text, IW_LIVE_RING_TEXT_OCTETS, "%.400s: %s", folder, strerror(error));
    return error == 0;
}

struct iw_live_ring *iw_live_ring_open(
    const struct iw_live_ring_config *config, const struct iw_live_source *source, char *text) {
    struct iw_live_ring *ring;

    if (!live_ring_make_folder(config->folder, text))
        return NULL;
    ring = calloc(1, sizeof *ring);
    if (ring != NULL)
        ring->files = calloc(config->files + 1, sizeof *ring->files);
    if (ring == NULL || ring->files == NULL) {
        snprintf(text, IW_LIVE_RING_TEXT_OCTETS, "out of memory");
        free(ring);
        return NULL;
    }
    ring->config = *config;
    ring->live = source;
    return ring;
}

void iw_live_ring_attach(
    struct iw_live_ring *ring, struct iw_check_source *check, struct iw_check_observer *observer) {
    ring->source = *check;
    *check = (struct iw_check_source){.user = ring, .next = live_ring_next, .lost = live_ring_lost};
    *observer = (struct iw_check_observer){.user = ring, .event = live_ring_event};
}

bool iw_live_ring_close(struct iw_live_ring *ring) {
    bool good;

    if (ring == NULL)
        return true;
    live_ring_write(ring);
    if (ring->open)
        live_ring_close_file(ring);
    if (ring->config.findings_only && !ring->failed && ring->count > 0 &&
        !live_ring_file(ring, ring->count - 1)->finding)
        live_ring_remove(ring, live_ring_file(ring, ring->count - 1)->name);
    good = !ring->failed;
    free(ring->files);
    free(ring);
    return good;
}
