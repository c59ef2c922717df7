#include "iw_record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iw_array.h"

static void record_file_report(struct iw_record_file *file) {
    if (file->trouble == NULL || file->reported)
        return;
    file->reported = true;
    file->trouble(file->user, file->text);
}

static void record_file_set_stopped(struct iw_record_file *file, const char *reason) {
    if (file->stopped)
        return;
    file->stopped = true;
    if (file->packets > 0)
        snprintf(file->text, sizeof file->text, "%.300s: %.100s; recorded up to frame %" PRIu64, file->path,
            reason, file->packets);
    else
        snprintf(file->text, sizeof file->text, "%.300s: %.100s; nothing recorded", file->path, reason);
}

void iw_record_file_stop(struct iw_record_file *file, const char *reason) {
    record_file_set_stopped(file, reason);
    record_file_report(file);
}

/* Returns 0 or an errno. */
static int record_file_write_fully(int descriptor, const uint8_t *octets, size_t length) {
    while (length > 0) {
        ssize_t written = write(descriptor, octets, length);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? errno : EIO;
        octets += written;
        length -= (size_t)written;
    }
    return 0;
}

static int record_file_write_blocks(struct iw_record_file *file, const uint8_t *octets, size_t length) {
    int error = record_file_write_fully(file->descriptor, octets, length);

    if (error == 0)
        file->whole += (off_t)length;
    else
        (void)!ftruncate(file->descriptor, file->whole); /* removes a partial block, but not from a pipe */
    return error;
}

/* Writes the first blocks of a file, at most IW_PCAPNG_HEAD_MAX octets. Returns their size. */
typedef size_t record_head(enum iw_pcapng_order order, uint16_t link, uint32_t snaplen, uint8_t *octets);

static size_t record_file_section(
    enum iw_pcapng_order order, uint16_t link, uint32_t snaplen, uint8_t *octets) {
    (void)link;
    (void)snaplen;
    return iw_pcapng_section(order, "", octets);
}

static int record_file_create(
    struct iw_record_file *file, const char *path, record_head *head, uint16_t link, uint32_t snaplen) {
    uint8_t octets[IW_PCAPNG_HEAD_MAX];
    struct stat there;

    file->descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file->descriptor < 0)
        return errno;
    file->order = iw_pcapng_order_for(file->descriptor);
    int error = record_file_write_blocks(file, octets, head(file->order, link, snaplen, octets));
    if (error != 0 && lstat(path, &there) == 0 && S_ISREG(there.st_mode))
        unlink(path); /* an empty file is no capture */
    return error;
}

/* Blocks SIGINT and SIGTERM while it creates a file and writes its head, so that these signals leave no empty
 * file. Does not block them for a pipe: opening it waits for a reader, and the signals must end this wait. */
static int record_file_begin(
    struct iw_record_file *file, const char *path, record_head *head, uint16_t link, uint32_t snaplen) {
    struct stat there;
    sigset_t signals, before;

    file->path = strdup(path);
    if (file->path == NULL)
        return ENOMEM;
    sigemptyset(&signals);
    if (stat(path, &there) != 0 || S_ISREG(there.st_mode)) {
        sigaddset(&signals, SIGINT);
        sigaddset(&signals, SIGTERM);
    }
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    int error = record_file_create(file, path, head, link, snaplen);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static bool record_file_open_with(struct iw_record_file *file, const char *path, record_head *head,
    uint16_t link, uint32_t snaplen, char *text) {
    *file = (struct iw_record_file){.descriptor = -1};
    int error = record_file_begin(file, path, head, link, snaplen);
    if (error != 0)
        snprintf(text, IW_RECORD_FILE_TEXT_OCTETS, "%.400s: %s", path, strerror(error));
    return error == 0;
}

bool iw_record_file_open(
    struct iw_record_file *file, const char *path, uint16_t link, uint32_t snaplen, char *text) {
    return record_file_open_with(file, path, iw_pcapng_head, link, snaplen, text);
}

bool iw_record_file_open_section(struct iw_record_file *file, const char *path, char *text) {
    return record_file_open_with(file, path, record_file_section, 0, 0, text);
}

void iw_record_file_tell(struct iw_record_file *file, iw_record_trouble *trouble, void *user) {
    file->trouble = trouble;
    file->user = user;
}

/* ---- the limit ---- */

enum { RECORD_FILE_HEADERS = 74 }; /* Ethernet, IPv6 and TCP, or less */

void iw_record_file_limit(struct iw_record_file *file, uint64_t octets) {
    file->limit = octets;
}

void iw_record_file_keep(struct iw_record_file *file, uint64_t number) {
    if (number <= file->packets)
        iw_tail_queue_keep(&file->tail, file->packets - number);
}

/* Writes the oldest packet of the tail, shortened unless it is kept or `whole`. Returns 0 or an errno. */
static int record_file_write_oldest(struct iw_record_file *file, bool whole) {
    struct iw_tail_item *item = iw_tail_queue_take(&file->tail);
    size_t length = item->length;
    int error;

    if (item->kept && file->kept_octets + length <= file->limit / 8)
        file->kept_octets += length;
    else if (!whole)
        file->shortened += iw_pcapng_shorten(file->order, item->octets, RECORD_FILE_HEADERS, &length);
    error = record_file_write_blocks(file, item->octets, length);
    free(item);
    return error;
}

static int record_file_write_tail(struct iw_record_file *file) {
    int error = 0;

    while (error == 0 && file->tail.count > 0)
        error = record_file_write_oldest(file, true);
    return error;
}

/* Puts the block into the tail, and writes what is no longer among the newest quarter of the limit. Once the
 * file has three quarters, the tail ends it. Returns 0 or an errno. */
static int record_file_defer(struct iw_record_file *file, size_t octets) {
    int error = 0;

    if (iw_tail_queue_add(&file->tail, file->block, octets) == NULL)
        return ENOMEM;
    while (error == 0 && file->tail.octets > file->limit / 4)
        error = record_file_write_oldest(file, false);
    if (error == 0 && (uint64_t)file->whole > file->limit - file->limit / 4) {
        error = record_file_write_tail(file);
        file->full = true;
    }
    return error;
}

static int record_file_put_block(struct iw_record_file *file, size_t octets) {
    bool head = file->tail.count == 0 && (uint64_t)file->whole + octets <= file->limit / 2;

    return file->limit == 0 || head ? record_file_write_blocks(file, file->block, octets)
                                    : record_file_defer(file, octets);
}

static void record_file_fail(struct iw_record_file *file, int error) {
    record_file_set_stopped(file, strerror(error));
    if (error != EPIPE)
        record_file_report(file);
}

bool iw_record_file_interface(
    struct iw_record_file *file, uint16_t link, uint32_t snaplen, const char *name) {
    uint8_t octets[IW_PCAPNG_HEAD_MAX];
    size_t length = iw_pcapng_named_interface(file->order, link, snaplen, name, octets);
    int error = file->stopped ? 0 : record_file_write_blocks(file, octets, length);

    if (error != 0)
        record_file_fail(file, error);
    return !file->stopped;
}

bool iw_record_file_packet(struct iw_record_file *file, const struct iw_pcapng_packet *packet) {
    struct iw_pcapng_packet ordered = *packet;
    size_t octets = iw_pcapng_packet_octets(packet);
    int error = ENOMEM;

    if (file->stopped)
        return false;
    if (file->full) {
        file->missing++;
        return true;
    }
    ordered.order = file->order;
    if (iw_array_reserve(&file->block, &file->capacity, octets, 1)) {
        iw_pcapng_packet(&ordered, file->block);
        error = record_file_put_block(file, octets);
    }
    if (error != 0) {
        record_file_fail(file, error);
        return false;
    }
    file->packets++;
    return true;
}

bool iw_record_file_close(struct iw_record_file *file, char *text) {
    int error = file->descriptor >= 0 && !file->stopped ? record_file_write_tail(file) : 0;

    if (error != 0)
        record_file_fail(file, error);
    iw_tail_queue_clear(&file->tail);
    if (file->descriptor >= 0 && close(file->descriptor) != 0)
        record_file_set_stopped(file, strerror(errno));
    if (file->stopped)
        record_file_report(file);
    if (text != NULL)
        snprintf(text, IW_RECORD_FILE_TEXT_OCTETS, "%s", file->reported ? "" : file->text);
    free(file->path);
    free(file->block);
    *file = (struct iw_record_file){.descriptor = -1, .stopped = file->stopped};
    return !file->stopped;
}
