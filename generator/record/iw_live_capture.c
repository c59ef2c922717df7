#include "iw_live_capture.h"

#include <arpa/inet.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SNAPLEN = 262144, PUMP_MAX = 1024, FILTER_OCTETS = 160 };

struct iw_live_capture {
    pcap_t *device;
    pcap_dumper_t *file;
};

static void say(char *text, const char *subject, const char *reason) {
    snprintf(text, IW_LIVE_CAPTURE_TEXT_OCTETS, "%.128s: %.300s", subject, reason);
}

/* The filter in libpcap's language. Returns false if the address is none. */
static int make_filter(const char *host, uint16_t port, char filter[FILTER_OCTETS]) {
    struct in6_addr any;
    int used = snprintf(filter, FILTER_OCTETS, "tcp");

    if (host != NULL && inet_pton(AF_INET, host, &any) != 1 && inet_pton(AF_INET6, host, &any) != 1)
        return 0;
    if (host != NULL)
        used += snprintf(filter + used, FILTER_OCTETS - (size_t)used, " and host %s", host);
    if (port != 0)
        snprintf(filter + used, FILTER_OCTETS - (size_t)used, " and port %u", port);
    return 1;
}

/* A device that cannot tell nanoseconds gives microseconds. */
static int activate(pcap_t *pcap) {
    int status = pcap_set_snaplen(pcap, SNAPLEN);

    if (status == 0)
        status = pcap_set_immediate_mode(pcap, 1);
    if (status == 0)
        status = pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO);
    return status == 0 || status == PCAP_ERROR_TSTAMP_PRECISION_NOTSUP ? pcap_activate(pcap) : status;
}

static pcap_t *open_device(const char *device, char *text) {
    char reason[PCAP_ERRBUF_SIZE] = "";
    pcap_t *pcap = pcap_create(device, reason);
    int status;

    if (pcap == NULL) {
        say(text, device, reason);
        return NULL;
    }
    status = activate(pcap);
    if (status == PCAP_ERROR_PERM_DENIED)
        say(text, device, "no permission to capture packets");
    else if (status < 0)
        say(text, device, status == PCAP_ERROR ? pcap_geterr(pcap) : pcap_statustostr(status));
    else if (pcap_setnonblock(pcap, 1, reason) == 0)
        return pcap;
    else
        say(text, device, reason);
    pcap_close(pcap);
    return NULL;
}

static int set_filter(pcap_t *pcap, const char *device, const char *filter, char *text) {
    struct bpf_program program;
    int status = pcap_compile(pcap, &program, filter, 1, PCAP_NETMASK_UNKNOWN);

    if (status == 0) {
        status = pcap_setfilter(pcap, &program);
        pcap_freecode(&program);
    }
    if (status != 0)
        say(text, device, pcap_geterr(pcap));
    return status == 0;
}

struct iw_live_capture *iw_live_capture_open(
    const char *device, const char *host, uint16_t port, const char *path, char *text) {
    struct iw_live_capture *capture;
    char filter[FILTER_OCTETS];

    if (!make_filter(host, port, filter)) {
        say(text, host, "no numeric address");
        return NULL;
    }
    capture = calloc(1, sizeof *capture);
    if (capture == NULL) {
        say(text, device, "out of memory");
        return NULL;
    }
    capture->device = open_device(device, text);
    if (capture->device == NULL || !set_filter(capture->device, device, filter, text)) {
        iw_live_capture_close(capture);
        return NULL;
    }
    capture->file = pcap_dump_open(capture->device, path);
    if (capture->file == NULL) {
        snprintf(text, IW_LIVE_CAPTURE_TEXT_OCTETS, "%.400s", pcap_geterr(capture->device)); /* names it */
        iw_live_capture_close(capture);
        return NULL;
    }
    return capture;
}

int iw_live_capture_descriptor(const struct iw_live_capture *capture) {
    return pcap_get_selectable_fd(capture->device);
}

int iw_live_capture_pump(struct iw_live_capture *capture) {
    int total = 0;
    int count;

    do {
        count = pcap_dispatch(capture->device, PUMP_MAX, pcap_dump, (u_char *)capture->file);
        if (count < 0)
            return IW_ERR_IO;
        total += count;
    } while (count == PUMP_MAX);
    if (total > 0 && pcap_dump_flush(capture->file) != 0)
        return IW_ERR_IO;
    return total;
}

uint64_t iw_live_capture_close(struct iw_live_capture *capture) {
    struct pcap_stat counts;
    uint64_t dropped = 0;

    if (capture == NULL)
        return 0;
    if (capture->file != NULL) {
        iw_live_capture_pump(capture);
        if (pcap_stats(capture->device, &counts) == 0)
            dropped = (uint64_t)counts.ps_drop + counts.ps_ifdrop;
        pcap_dump_close(capture->file);
    }
    if (capture->device != NULL)
        pcap_close(capture->device);
    free(capture);
    return dropped;
}
