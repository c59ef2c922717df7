#define _GNU_SOURCE /* syscall */
#include "iw_live_capture.h"

#include <arpa/inet.h>
#include <linux/capability.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    SNAPLEN = 262144,
    BUFFER_OCTETS = 16 << 20, /* libpcap reserves SNAPLEN octets of it for each packet */
    PUMP_MAX = 1024,
    FILTER_OCTETS = 160,
};

struct iw_live_capture {
    pcap_t *device;
    bool nanoseconds; /* the capture device's timestamps are in nanoseconds; otherwise in microseconds */
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

/* Requests nanosecond timestamps. A device that does not support them uses microseconds. */
static int capture_activate_device(pcap_t *pcap) {
    int status = pcap_set_snaplen(pcap, SNAPLEN);

    if (status == 0)
        status = pcap_set_buffer_size(pcap, BUFFER_OCTETS);
    if (status == 0)
        status = pcap_set_immediate_mode(pcap, 1);
    if (status == 0)
        status = pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO);
    return status == 0 || status == PCAP_ERROR_TSTAMP_PRECISION_NOTSUP ? pcap_activate(pcap) : status;
}

static pcap_t *capture_open_device(const char *device, char *text) {
    char reason[PCAP_ERRBUF_SIZE] = "";
    pcap_t *pcap = pcap_create(device, reason);

    if (pcap == NULL) {
        capture_set_error_text(text, device, reason);
        return NULL;
    }
    int status = capture_activate_device(pcap);
    if (status == PCAP_ERROR_PERM_DENIED)
        capture_set_error_text(text, device, "no permission to capture packets");
    else if (status < 0)
        capture_set_error_text(
            text, device, status == PCAP_ERROR ? pcap_geterr(pcap) : pcap_statustostr(status));
    else if (pcap_setnonblock(pcap, 1, reason) == 0)
        return pcap;
    else
        capture_set_error_text(text, device, reason);
    pcap_close(pcap);
    return NULL;
}

static int capture_set_filter(pcap_t *pcap, const char *device, const char *filter, char *text) {
    struct bpf_program program;
    int status = pcap_compile(pcap, &program, filter, 1, PCAP_NETMASK_UNKNOWN);

    if (status == 0) {
        status = pcap_setfilter(pcap, &program);
        pcap_freecode(&program);
    }
    if (status != 0)
        capture_set_error_text(text, device, pcap_geterr(pcap));
    return status == 0;
}

/* The link type as files number it. Of the types that a capture on Linux gives, only raw IP has another
 * number in libpcap (DLT_RAW). */
static uint16_t capture_link_type_of(int type) {
    enum { FILE_RAW_IP = 101 };

    return type == DLT_RAW ? FILE_RAW_IP : (uint16_t)type;
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
    capture->device = capture_open_device(device, text);
    if (capture->device == NULL || !capture_set_filter(capture->device, device, filter, text)) {
        iw_live_capture_close(capture, NULL, NULL);
        return NULL;
    }
    capture->nanoseconds = pcap_get_tstamp_precision(capture->device) == PCAP_TSTAMP_PRECISION_NANO;
    if (!iw_record_file_open(
            &capture->file, path, capture_link_type_of(pcap_datalink(capture->device)), SNAPLEN, text)) {
        iw_live_capture_close(capture, NULL, NULL);
        return NULL;
    }
    return capture;
}

/* Of the calling thread; libcap would only wrap this call. */
bool iw_live_capture_drop_rights(void) {
    const uint32_t rights = 1u << CAP_NET_RAW | 1u << CAP_NET_ADMIN;
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

    if (syscall(SYS_capget, &header, sets) != 0)
        return false;
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    sets[0].effective &= ~rights;
    sets[0].permitted &= ~rights;
    sets[0].inheritable &= ~rights;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_capset, &header, sets) == 0;
}

void iw_live_capture_tell(struct iw_live_capture *capture, iw_record_trouble *trouble, void *user) {
    iw_record_file_tell(&capture->file, trouble, user);
}

static void live_capture_write(u_char *user, const struct pcap_pkthdr *header, const u_char *octets) {
    struct iw_live_capture *capture = (struct iw_live_capture *)user;
    uint64_t fraction = (uint64_t)header->ts.tv_usec * (capture->nanoseconds ? 1 : 1000);
    const struct iw_pcapng_packet packet = {.octets = octets,
        .captured = header->caplen,
        .length = header->len,
        .time_ns = (uint64_t)header->ts.tv_sec * 1000000000u + fraction,
        .comment = capture->comment};

    iw_record_file_packet(&capture->file, &packet);
}

int iw_live_capture_pump(struct iw_live_capture *capture) {
    int total = 0;
    int count;

    do {
        count = pcap_dispatch(capture->device, PUMP_MAX, live_capture_write, (u_char *)capture);
        if (count < 0)
            iw_record_file_stop(&capture->file, pcap_geterr(capture->device));
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
    struct pcap_stat counts;

    if (dropped != NULL)
        *dropped = 0;
    if (capture == NULL)
        return IW_OK;
    if (capture->file.descriptor >= 0) {
        iw_live_capture_pump(capture);
        if (dropped != NULL && pcap_stats(capture->device, &counts) == 0)
            *dropped = (uint64_t)counts.ps_drop + counts.ps_ifdrop;
    }
    bool whole = iw_record_file_close(&capture->file, text);
    if (capture->device != NULL)
        pcap_close(capture->device);
    free(capture->comment);
    free(capture);
    return whole ? IW_OK : IW_ERR_IO;
}
