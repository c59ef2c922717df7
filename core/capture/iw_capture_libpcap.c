#define _GNU_SOURCE /* fopencookie */
#include "iw_capture_libpcap.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct iw_capture_libpcap {
    pcap_t *pcap;
    struct iw_capture_source *source;
};

static ssize_t libpcap_read_source(void *user, char *to, size_t octets) {
    ssize_t got = iw_capture_source_read(user, (uint8_t *)to, octets);

    if (got < 0)
        errno = EIO;
    return got;
}

/* libpcap reports errors only as English text, so this function compares the wording. */
static enum iw_status libpcap_refuse(const char *why, char *reason, size_t reason_octets) {
    /* A file of fewer than four octets has no magic number: it counts as no capture file. */
    if (strstr(why, "unknown file format") || strstr(why, "tried to read 4 file header bytes")) {
        snprintf(reason, reason_octets, "not a capture file: neither pcap nor pcapng");
        return IW_ERR_FORMAT;
    }
    if (strstr(why, "truncated dump file")) {
        snprintf(reason, reason_octets, "truncated before the first frame");
        return IW_ERR_TRUNCATED;
    }
    snprintf(reason, reason_octets, "cannot be read as a capture: %s", why);
    return IW_ERR_FORMAT;
}

static enum iw_status libpcap_begin(struct iw_capture_libpcap *reader, char *reason, size_t reason_octets) {
    static const cookie_io_functions_t functions = {.read = libpcap_read_source};
    FILE *stream = fopencookie(reader->source, "rb", functions);
    char why[PCAP_ERRBUF_SIZE] = "";

    if (!stream) {
        snprintf(reason, reason_octets, "out of memory");
        return IW_ERR_NOMEM;
    }
    reader->pcap = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, why);
    if (reader->pcap)
        return IW_OK;
    fclose(stream);
    if (iw_capture_source_status(reader->source) == IW_OK)
        return libpcap_refuse(why, reason, reason_octets);
    snprintf(reason, reason_octets, "%s", iw_capture_source_reason(reader->source));
    return iw_capture_source_status(reader->source);
}

enum iw_status iw_capture_libpcap_open(struct iw_capture_source *source, struct iw_capture_libpcap **reader,
    char *reason, size_t reason_octets) {
    enum iw_status status;

    *reader = calloc(1, sizeof **reader);
    if (!*reader) {
        snprintf(reason, reason_octets, "out of memory");
        return IW_ERR_NOMEM;
    }
    (*reader)->source = source;
    status = libpcap_begin(*reader, reason, reason_octets);
    if (status != IW_OK) {
        free(*reader);
        *reader = NULL;
    }
    return status;
}

void iw_capture_libpcap_close(struct iw_capture_libpcap *reader) {
    if (!reader)
        return;
    pcap_close(reader->pcap);
    free(reader);
}

uint16_t iw_capture_libpcap_link_type(const struct iw_capture_libpcap *reader) {
    return (uint16_t)pcap_datalink(reader->pcap);
}

static enum iw_status libpcap_fault(const struct iw_capture_libpcap *reader) {
    const char *reason = iw_capture_libpcap_reason(reader);

    if (iw_capture_source_status(reader->source) != IW_OK)
        return iw_capture_source_status(reader->source);
    if (strstr(reason, "truncated"))
        return IW_ERR_TRUNCATED;
    return strstr(reason, "error reading") ? IW_ERR_IO : IW_ERR_FORMAT;
}

int iw_capture_libpcap_next(struct iw_capture_libpcap *reader, struct iw_packet *packet) {
    struct pcap_pkthdr *header;
    const u_char *octets;
    int step = pcap_next_ex(reader->pcap, &header, &octets);

    if (step == PCAP_ERROR_BREAK)
        return 0;
    if (step < 0)
        return libpcap_fault(reader);
    packet->octets = octets;
    packet->captured = header->caplen;
    packet->length = header->len;
    /* The file is opened with nanosecond precision, so tv_usec holds nanoseconds. */
    packet->time_ns = (uint64_t)header->ts.tv_sec * 1000000000u + (uint64_t)header->ts.tv_usec;
    return 1;
}

const char *iw_capture_libpcap_reason(const struct iw_capture_libpcap *reader) {
    if (iw_capture_source_status(reader->source) != IW_OK)
        return iw_capture_source_reason(reader->source);
    return pcap_geterr(reader->pcap);
}
