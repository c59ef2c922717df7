#define _GNU_SOURCE /* syscall */
#include "iw_live_device.h"

#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WAIT_MS = 10 };

static bool live_device_fail(const char *name, const char *reason, char *text) {
    snprintf(text, IW_LIVE_DEVICE_TEXT_OCTETS, "%.128s: %.300s", name, reason);
    return false;
}

/* Requests nanosecond timestamps. A device that does not support them uses microseconds. */
static int live_device_activate(pcap_t *pcap, const struct iw_live_device_config *config) {
    int status = pcap_set_snaplen(pcap, (int)config->snaplen);

    if (status == 0)
        status = pcap_set_promisc(pcap, config->promiscuous);
    if (status == 0)
        status = pcap_set_buffer_size(pcap, (int)config->buffer);
    if (status == 0)
        status = config->immediate ? pcap_set_immediate_mode(pcap, 1) : pcap_set_timeout(pcap, WAIT_MS);
    if (status == 0)
        status = pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO);
    return status == 0 || status == PCAP_ERROR_TSTAMP_PRECISION_NOTSUP ? pcap_activate(pcap) : status;
}

static bool live_device_filter(pcap_t *pcap, const struct iw_live_device_config *config, char *text) {
    struct bpf_program program;
    int status;

    if (config->filter == NULL)
        return true;
    status = pcap_compile(pcap, &program, config->filter, 1, PCAP_NETMASK_UNKNOWN);
    if (status == 0) {
        status = pcap_setfilter(pcap, &program);
        pcap_freecode(&program);
    }
    return status == 0 || live_device_fail(config->name, pcap_geterr(pcap), text);
}

/* The link type as files number it. Of the types that a capture on Linux gives, only raw IP has another
 * number in libpcap (DLT_RAW). */
static uint16_t live_device_link_type(int type) {
    enum { FILE_RAW_IP = 101 };

    return type == DLT_RAW ? FILE_RAW_IP : (uint16_t)type;
}

static bool live_device_begin(pcap_t *pcap, const struct iw_live_device_config *config, char *text) {
    char reason[PCAP_ERRBUF_SIZE] = "";
    int status = live_device_activate(pcap, config);

    if (status == PCAP_ERROR_PERM_DENIED)
        return live_device_fail(config->name, "no permission to capture packets", text);
    if (status < 0)
        return live_device_fail(
            config->name, status == PCAP_ERROR ? pcap_geterr(pcap) : pcap_statustostr(status), text);
    if (pcap_setnonblock(pcap, 1, reason) != 0)
        return live_device_fail(config->name, reason, text);
    return live_device_filter(pcap, config, text);
}

bool iw_live_device_open(
    struct iw_live_device *device, const struct iw_live_device_config *config, char *text) {
    char reason[PCAP_ERRBUF_SIZE] = "";
    pcap_t *pcap = pcap_create(config->name, reason);

    device->pcap = NULL;
    if (pcap == NULL)
        return live_device_fail(config->name, reason, text);
    if (!live_device_begin(pcap, config, text)) {
        pcap_close(pcap);
        return false;
    }
    *device = (struct iw_live_device){.pcap = pcap,
        .nanoseconds = pcap_get_tstamp_precision(pcap) == PCAP_TSTAMP_PRECISION_NANO,
        .link_type = live_device_link_type(pcap_datalink(pcap))};
    return true;
}

uint64_t iw_live_device_time(const struct iw_live_device *device, const struct pcap_pkthdr *header) {
    uint64_t fraction = (uint64_t)header->ts.tv_usec * (device->nanoseconds ? 1 : 1000);

    return (uint64_t)header->ts.tv_sec * 1000000000u + fraction;
}

bool iw_live_device_dropped(const struct iw_live_device *device, uint64_t *dropped) {
    struct pcap_stat counts;

    if (pcap_stats(device->pcap, &counts) != 0)
        return false;
    *dropped = (uint64_t)counts.ps_drop + counts.ps_ifdrop;
    return true;
}

void iw_live_device_close(struct iw_live_device *device) {
    if (device->pcap != NULL)
        pcap_close(device->pcap);
    device->pcap = NULL;
}

/* Of the calling thread; libcap would only wrap this call. */
bool iw_live_device_drop_rights(void) {
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
