#include "iw_live_capture.h"

#include <arpa/inet.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_live_device.h"

enum {
    SNAPLEN = 262144,
    BUFFER_OCTETS = 16 << 20, /* libpcap reserves SNAPLEN octets of it for each packet */
    PUMP_MAX = 1024,
    FILTER_OCTETS = 160,
};

struct iw_live_capture {
    struct iw_live_device device;
    struct iw_record_file file;
    char *comment;
};

static void capture_set_error_text(char *text, const char *subject, const char *reason) {
    snprintf(text, IW_LIVE_CAPTURE_TEXT_OCTETS, "%.128s: %.300s", subject, reason);
}

/* Makes the libpcap filter: TCP of `host` (NULL: any) and `port` (0: any). False: `host` is no address. */
static bool capture_make_filter(const char *host, uint16_t port, char filter[FILTER_OCTETS]) {
    struct in6_addr any;
    int used = snprintf(filter, FILTER_OCTETS, "tcp");

    if (host != NULL && inet_pton(AF_INET, host, &any) != 1 && inet_pton(AF_INET6, host, &any) != 1)
        return false;
    if (host != NULL)
        used += snprintf(filter + used, FILTER_OCTETS - (size_t)used, " and host %s", host);
    if (port != 0)
        snprintf(filter + used, FILTER_OCTETS - (size_t)used, " and port %u", port);
    return true;
}

struct iw_live_capture *iw_live_capture_open(
    const char *device, const char *host, uint16_t port, const char *path, char *text) {
    struct iw_live_capture *capture;
    char filter[FILTER_OCTETS];

    if (!capture_make_filter(host, port, filter)) {
        capture_set_error_text(text, host, "not a numeric address");
        return NULL;
    }
    capture = calloc(1, sizeof *capture);
    if (capture == NULL) {
        capture_set_error_text(text, device, "out of memory");
        return NULL;
    }
    capture->file.descriptor = -1;
    const struct iw_live_device_config config = {
        .name = device, .filter = filter, .snaplen = SNAPLEN, .buffer = BUFFER_OCTETS, .immediate = true};
    if (!iw_live_device_open(&capture->device, &config, text) ||
        !iw_record_file_open(&capture->file, path, capture->device.link_type, SNAPLEN, text)) {
        iw_live_capture_close(capture, NULL, NULL);
        return NULL;
    }
    return capture;
}

void iw_live_capture_tell(struct iw_live_capture *capture, iw_record_trouble *trouble, void *user) {
    iw_record_file_tell(&capture->file, trouble, user);
}

static void live_capture_write(u_char *user, const struct pcap_pkthdr *header, const u_char *octets) {
    struct iw_live_capture *capture = (struct iw_live_capture *)user;
    const struct iw_pcapng_packet packet = {.octets = octets,
        .captured = header->caplen,
        .length = header->len,
        .time_ns = iw_live_device_time(&capture->device, header),
        .comment = capture->comment};

    iw_record_file_packet(&capture->file, &packet);
}

int iw_live_capture_pump(struct iw_live_capture *capture) {
    int total = 0;
    int count;

    do {
        count = pcap_dispatch(capture->device.pcap, PUMP_MAX, live_capture_write, (u_char *)capture);
        if (count < 0)
            iw_record_file_stop(&capture->file, pcap_geterr(capture->device.pcap));
        else
            total += count;
    } while (count == PUMP_MAX);
    return capture->file.stopped ? IW_ERR_IO : total;
}

int iw_live_capture_comment(struct iw_live_capture *capture, const char *comment) {
    int pumped = iw_live_capture_pump(capture);
    char *copy = comment == NULL ? NULL : strdup(comment);

    if (comment != NULL && copy == NULL)
        return IW_ERR_NOMEM;
    free(capture->comment);
    capture->comment = copy;
    return pumped;
}

enum iw_status iw_live_capture_close(struct iw_live_capture *capture, uint64_t *dropped, char *text) {
    if (dropped != NULL)
        *dropped = 0;
    if (capture == NULL)
        return IW_OK;
    if (capture->file.descriptor >= 0) {
        iw_live_capture_pump(capture);
        if (dropped != NULL)
            iw_live_device_dropped(&capture->device, dropped);
    }
    bool whole = iw_record_file_close(&capture->file, text);
    iw_live_device_close(&capture->device);
    free(capture->comment);
    free(capture);
    return whole ? IW_OK : IW_ERR_IO;
}
