#include "iw_capture_file.h"

#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_capture_plain.h"

struct iw_capture_file {
    pcap_t *pcap;
    struct iw_capture_plain plain; /* if it has memory, packets are read by this */
    char *path;
    enum iw_link link;
    uint64_t frame; /* of the latest packet */
    int failed;     /* what every further call returns; 0 as long as there may be more */
    const char *reason;
};

static bool find_link(int datalink, enum iw_link *link) {
    static const struct {
        int datalink;
        enum iw_link link;
    } links[] = {
        {DLT_EN10MB, IW_LINK_ETHERNET},
        {DLT_LINUX_SLL, IW_LINK_SLL},
        {DLT_LINUX_SLL2, IW_LINK_SLL2},
        {DLT_NULL, IW_LINK_LOOPBACK},
        {DLT_LOOP, IW_LINK_LOOPBACK},
        {DLT_RAW, IW_LINK_IP},
        {DLT_IPV4, IW_LINK_IP},
        {DLT_IPV6, IW_LINK_IP},
    };
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        if (links[i].datalink == datalink) {
            *link = links[i].link;
            return true;
        }
    }
    return false;
}

/* libpcap tells its reasons in English alone, so the wording is all there is to tell them apart by; a wording
 * that is not known is passed on. */
static bool says(const char *reason, const char *words) {
    return strstr(reason, words) != NULL;
}

static bool says_mixed(const char *reason) {
    return says(reason, "different from the") && says(reason, "of the first interface");
}

static const char *const mixed_text =
    "interfaces of different link type or snapshot length in one file cannot be read";

static enum iw_status open_failure(const char *path, const char *reason, char *error, size_t error_octets) {
    /* Of the magic number, the first four octets, there must be all to call it a capture that was truncated.
     */
    if (says(reason, "unknown file format") || says(reason, "tried to read 4 file header bytes")) {
        snprintf(error, error_octets, "%s: not a capture file: pcap or pcapng is read, not compressed", path);
        return IW_ERR_FORMAT;
    }
    if (says(reason, "truncated dump file")) {
        snprintf(error, error_octets, "%s: truncated before the first frame", path);
        return IW_ERR_TRUNCATED;
    }
    if (says_mixed(reason)) {
        snprintf(error, error_octets, "%s: %s", path, mixed_text);
        return IW_ERR_FORMAT;
    }
    snprintf(error, error_octets, "%s: cannot be read as a capture: %s", path, reason);
    return IW_ERR_FORMAT;
}

/* libpcap reads packet by packet; the C library's own buffer would ask the system for each 4 KiB of them. */
enum { BUFFER_OCTETS = 1 << 18 };

/* Opens the stream for libpcap, which would not tell an empty file from one cut in its first octets. */
static enum iw_status open_stream(const char *path, FILE **stream, char *error, size_t error_octets) {
    *stream = fopen(path, "rb");
    if (!*stream) {
        snprintf(error, error_octets, "%s: %s", path, strerror(errno));
        return IW_ERR_IO;
    }
    setvbuf(*stream, NULL, _IOFBF, BUFFER_OCTETS);
    int first = getc(*stream);
    if (first != EOF) {
        ungetc(first, *stream);
        return IW_OK;
    }
    bool broken = ferror(*stream);
    if (broken)
        snprintf(error, error_octets, "%s: %s", path, strerror(errno));
    else
        snprintf(error, error_octets, "%s: empty file", path);
    fclose(*stream);
    return broken ? IW_ERR_IO : IW_ERR_FORMAT;
}

static enum iw_status open_pcap(
    const char *path, struct iw_capture_file *file, char *error, size_t error_octets) {
    char reason[PCAP_ERRBUF_SIZE] = "";
    FILE *stream;
    enum iw_status status = open_stream(path, &stream, error, error_octets);
    if (status != IW_OK)
        return status;
    file->pcap = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, reason);
    if (!file->pcap) {
        fclose(stream);
        return open_failure(path, reason, error, error_octets);
    }
    int datalink = pcap_datalink(file->pcap);
    if (!find_link(datalink, &file->link)) {
        const char *name = pcap_datalink_val_to_name(datalink);
        snprintf(error, error_octets, "%s: unsupported link type %d%s%s%s", path, datalink, name ? " (" : "",
            name ? name : "", name ? ")" : "");
        return IW_ERR_FORMAT;
    }
    iw_capture_plain_init(&file->plain, fileno(stream), (uint32_t)pcap_snapshot(file->pcap));
    return IW_OK;
}

enum iw_status iw_capture_file_open(
    const char *path, struct iw_capture_file **file, char *error, size_t error_octets) {
    enum iw_status status = IW_ERR_NOMEM;
    *file = calloc(1, sizeof **file);
    if (*file)
        (*file)->path = strdup(path);
    if (*file && (*file)->path)
        status = open_pcap(path, *file, error, error_octets);
    else
        snprintf(error, error_octets, "%s: out of memory", path);
    if (status != IW_OK) {
        iw_capture_file_close(*file);
        *file = NULL;
    }
    return status;
}

/* Why libpcap has no further packet. */
static void set_failed(struct iw_capture_file *file) {
    file->reason = pcap_geterr(file->pcap);
    if (says(file->reason, "truncated"))
        file->failed = IW_ERR_TRUNCATED;
    else if (says(file->reason, "error reading"))
        file->failed = IW_ERR_IO;
    else
        file->failed = IW_ERR_FORMAT;
    if (says_mixed(file->reason))
        file->reason = mixed_text;
}

static int fail(const struct iw_capture_file *file, char *error, size_t error_octets) {
    if (file->failed == IW_ERR_TRUNCATED)
        snprintf(error, error_octets, "%s: truncated after frame %" PRIu64, file->path, file->frame);
    else if (file->failed < 0)
        snprintf(error, error_octets, "%s: not readable after frame %" PRIu64 ": %s", file->path, file->frame,
            file->reason);
    return file->failed;
}

static void next_by_pcap(struct iw_capture_file *file, struct iw_packet *packet) {
    struct pcap_pkthdr *header;
    const u_char *octets;
    int step = pcap_next_ex(file->pcap, &header, &octets);

    if (step == PCAP_ERROR_BREAK)
        file->failed = IW_CAPTURE_END;
    else if (step < 0)
        set_failed(file);
    else
        *packet = (struct iw_packet){
            .octets = octets,
            .captured = header->caplen,
            .length = header->len,
            /* Opened for nanoseconds, which then stand where the name says microseconds. */
            .time_ns = (uint64_t)header->ts.tv_sec * 1000000000u + (uint64_t)header->ts.tv_usec,
        };
}

static void next_plain(struct iw_capture_file *file, struct iw_packet *packet) {
    struct iw_capture_plain_packet next;

    switch (iw_capture_plain_next(&file->plain, &next)) {
    case IW_CAPTURE_PLAIN_PACKET:
        *packet = (struct iw_packet){
            .octets = next.octets, .captured = next.captured, .length = next.length, .time_ns = next.time_ns};
        break;
    case IW_CAPTURE_PLAIN_END:
        file->failed = IW_CAPTURE_END;
        break;
    case IW_CAPTURE_PLAIN_TRUNCATED:
        file->failed = IW_ERR_TRUNCATED;
        break;
    case IW_CAPTURE_PLAIN_DAMAGED:
        file->failed = IW_ERR_FORMAT;
        file->reason = "a packet is longer than any can be";
        break;
    case IW_CAPTURE_PLAIN_ERROR:
        file->failed = IW_ERR_IO;
        file->reason = strerror(errno);
        break;
    }
}

int iw_capture_file_next(
    struct iw_capture_file *file, struct iw_packet *packet, char *error, size_t error_octets) {
    if (!file->failed && file->plain.memory)
        next_plain(file, packet);
    else if (!file->failed)
        next_by_pcap(file, packet);
    if (file->failed)
        return fail(file, error, error_octets);
    packet->link = file->link;
    packet->frame = ++file->frame;
    return IW_CAPTURE_PACKET;
}

uint64_t iw_capture_file_block(const struct iw_capture_file *file) {
    return file->plain.memory ? file->plain.block : 0;
}

void iw_capture_file_close(struct iw_capture_file *file) {
    if (!file)
        return;
    iw_capture_plain_dispose(&file->plain);
    if (file->pcap)
        pcap_close(file->pcap);
    free(file->path);
    free(file);
}
