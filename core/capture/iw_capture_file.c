#include "iw_capture_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_capture_blocks.h"
#include "iw_capture_libpcap.h"
#include "iw_capture_pcap.h"
#include "iw_capture_pcapng.h"
#include "iw_capture_source.h"
#include "iw_link_type.h"
#include "iw_placement.h"

enum form { FORM_PCAP, FORM_PCAPNG, FORM_LIBPCAP };

struct iw_capture_file {
    char *path;
    struct iw_capture_source *source;
    struct iw_capture_blocks blocks; /* unused with FORM_LIBPCAP */
    enum form form;
    struct iw_capture_pcap pcap;
    struct iw_capture_pcapng pcapng;
    struct iw_capture_libpcap *libpcap;
    enum iw_link link; /* link type of every packet; unused with FORM_PCAPNG */
    uint64_t frames, packets;
    struct iw_capture_unread unread;
    int failed; /* 0, or IW_CAPTURE_END or an error, which each further call returns */
    const char *reason;
};

static const char *capture_file_path_name(const char *path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

static enum iw_status capture_file_take_link(
    struct iw_capture_file *file, uint16_t link_type, char *reason, size_t octets) {
    struct iw_capture_unread unread = {0};
    char text[128] = "";

    if (iw_link_type_find(link_type, &file->link))
        return IW_OK;
    iw_capture_unread_count(&unread, link_type, 0);
    iw_capture_unread_text(&unread, text, sizeof text);
    snprintf(reason, octets, "unsupported %s", text);
    return IW_ERR_FORMAT;
}

static enum iw_status capture_file_open_libpcap(struct iw_capture_file *file, char *reason, size_t octets) {
    enum iw_status status = iw_capture_libpcap_open(file->source, &file->libpcap, reason, octets);

    return status == IW_OK
               ? capture_file_take_link(file, iw_capture_libpcap_link_type(file->libpcap), reason, octets)
               : status;
}

static enum iw_status capture_file_open_pcap(struct iw_capture_file *file, char *reason, size_t octets) {
    switch (iw_capture_pcap_init(&file->pcap, &file->blocks)) {
    case IW_CAPTURE_GOT:
        return capture_file_take_link(file, file->pcap.link_type, reason, octets);
    case IW_CAPTURE_FAILED:
        snprintf(reason, octets, "%s", iw_capture_source_reason(file->source));
        return iw_capture_source_status(file->source);
    default:
        snprintf(reason, octets, "truncated before the first frame");
        return IW_ERR_TRUNCATED;
    }
}

static enum iw_status capture_file_open_reader(struct iw_capture_file *file, char *reason, size_t octets) {
    uint8_t head[8];
    size_t head_octets = iw_capture_source_peek(file->source, head, sizeof head);

    if (iw_capture_pcap_is(head, head_octets))
        file->form = FORM_PCAP;
    else
        file->form = iw_capture_pcapng_is(head, head_octets) ? FORM_PCAPNG : FORM_LIBPCAP;
    if (file->form == FORM_LIBPCAP)
        return capture_file_open_libpcap(file, reason, octets);
    if (!iw_capture_blocks_init(&file->blocks, file->source)) {
        snprintf(reason, octets, "out of memory");
        return IW_ERR_NOMEM;
    }
    if (file->form == FORM_PCAP)
        return capture_file_open_pcap(file, reason, octets);
    iw_capture_pcapng_init(&file->pcapng, &file->blocks);
    return IW_OK;
}

enum iw_status iw_capture_file_open(
    const char *path, struct iw_capture_file **file, char *error, size_t error_octets) {
    enum iw_status status = IW_ERR_NOMEM;
    char reason[256] = "out of memory";

    *file = calloc(1, sizeof **file);
    if (*file)
        (*file)->path = strdup(capture_file_path_name(path));
    if (*file && (*file)->path)
        status = iw_capture_source_open(path, &(*file)->source, reason, sizeof reason);
    if (status == IW_OK)
        status = capture_file_open_reader(*file, reason, sizeof reason);
    if (status == IW_OK)
        return IW_OK;
    snprintf(error, error_octets, "%s: %s", capture_file_path_name(path), reason);
    iw_capture_file_close(*file);
    *file = NULL;
    return status;
}

void iw_capture_file_close(struct iw_capture_file *file) {
    if (!file)
        return;
    iw_capture_pcapng_dispose(&file->pcapng);
    iw_capture_blocks_dispose(&file->blocks);
    iw_capture_libpcap_close(file->libpcap);
    iw_capture_source_close(file->source);
    free(file->path);
    free(file);
}

static void capture_file_set_failed(struct iw_capture_file *file, int failed, const char *reason) {
    file->failed = failed;
    file->reason = reason;
}

IW_COLD static void capture_file_take_failure(struct iw_capture_file *file, enum iw_capture_outcome outcome) {
    switch (outcome) {
    case IW_CAPTURE_GOT:
        break;
    case IW_CAPTURE_ENDED: /* an error if all packets have unknown link types */
        capture_file_set_failed(file,
            file->packets == 0 && file->unread.packets > 0 ? (int)IW_ERR_FORMAT : (int)IW_CAPTURE_END, NULL);
        break;
    case IW_CAPTURE_TRUNCATED:
        capture_file_set_failed(file, IW_ERR_TRUNCATED, NULL);
        break;
    case IW_CAPTURE_DAMAGED:
        capture_file_set_failed(
            file, IW_ERR_FORMAT, file->form == FORM_PCAP ? file->pcap.reason : file->pcapng.reason);
        break;
    case IW_CAPTURE_FAILED:
        capture_file_set_failed(
            file, iw_capture_source_status(file->source), iw_capture_source_reason(file->source));
        break;
    case IW_CAPTURE_NO_MEMORY:
        capture_file_set_failed(file, IW_ERR_NOMEM, "out of memory");
        break;
    }
}

static void capture_file_take_outcome(struct iw_capture_file *file, enum iw_capture_outcome outcome) {
    if (outcome != IW_CAPTURE_GOT)
        capture_file_take_failure(file, outcome);
}

/* Writes the file offset of the error, for example " (octet 85 decompressed)". For pcapng, it is that of the
 * block with the error. Writes "" for libpcap. */
static void capture_file_write_place(const struct iw_capture_file *file, char *text, size_t octets) {
    uint64_t offset =
        file->form == FORM_PCAPNG ? file->pcapng.begin : iw_capture_blocks_offset(&file->blocks);

    text[0] = '\0';
    if (file->form != FORM_LIBPCAP)
        snprintf(text, octets, " (octet %" PRIu64 "%s)", offset,
            iw_capture_source_compressed(file->source) ? " decompressed" : "");
}

IW_COLD static int capture_file_fail(const struct iw_capture_file *file, char *error, size_t error_octets) {
    char place[64], links[256] = "";

    if (file->failed >= 0)
        return file->failed;
    capture_file_write_place(file, place, sizeof place);
    iw_capture_unread_text(&file->unread, links, sizeof links);
    if (file->failed == IW_ERR_FORMAT && !file->reason)
        snprintf(error, error_octets, "%s: unsupported %s", file->path, links);
    else
        snprintf(error, error_octets, "%s: %s after frame %" PRIu64 "%s%s%s", file->path,
            file->failed == IW_ERR_TRUNCATED ? "truncated" : "not readable", file->frames, place,
            file->reason ? ": " : "", file->reason ? file->reason : "");
    return file->failed;
}

IW_COLD static void capture_file_next_by_libpcap(struct iw_capture_file *file, struct iw_packet *packet) {
    int step = iw_capture_libpcap_next(file->libpcap, packet);

    if (step == 0)
        capture_file_set_failed(file, IW_CAPTURE_END, NULL);
    else if (step < 0)
        capture_file_set_failed(
            file, step, step == IW_ERR_TRUNCATED ? NULL : iw_capture_libpcap_reason(file->libpcap));
}

static enum iw_capture_frame capture_file_next_frame(struct iw_capture_file *file, struct iw_packet *packet) {
    switch (file->form) {
    case FORM_PCAP:
        capture_file_take_outcome(file, iw_capture_pcap_next(&file->pcap, packet));
        break;
    case FORM_PCAPNG:
        capture_file_take_outcome(file, iw_capture_pcapng_next(&file->pcapng, packet));
        return file->pcapng.frame;
    case FORM_LIBPCAP:
        capture_file_next_by_libpcap(file, packet);
        break;
    }
    packet->link = file->link;
    return IW_CAPTURE_FRAME_PACKET;
}

IW_HOT int iw_capture_file_next(
    struct iw_capture_file *file, struct iw_packet *packet, char *error, size_t error_octets) {
    while (!file->failed) {
        enum iw_capture_frame frame = capture_file_next_frame(file, packet);

        if (file->failed)
            break;
        packet->frame = ++file->frames;
        if (frame == IW_CAPTURE_FRAME_PACKET) {
            file->packets++;
            return IW_CAPTURE_PACKET;
        }
        if (frame == IW_CAPTURE_FRAME_UNREAD)
            iw_capture_unread_count(&file->unread, file->pcapng.unread, 1);
    }
    return capture_file_fail(file, error, error_octets);
}

uint64_t iw_capture_file_block(const struct iw_capture_file *file) {
    return file->form == FORM_LIBPCAP ? 0 : file->blocks.ordinal;
}

uint64_t iw_capture_file_frames(const struct iw_capture_file *file) {
    return file->frames;
}

uint64_t iw_capture_file_octets(const struct iw_capture_file *file) {
    return iw_capture_source_taken(file->source);
}

const struct iw_capture_unread *iw_capture_file_unread(const struct iw_capture_file *file) {
    return &file->unread;
}

void iw_capture_file_on_section(struct iw_capture_file *file,
    void (*section)(void *user, const char *comment, size_t octets), void *user) {
    file->pcapng.section = section;
    file->pcapng.user = user;
}

void iw_capture_file_note(const struct iw_capture_file *file, struct iw_capture_note *note) {
    iw_capture_options_note(file->pcapng.options, note);
}
