#define _GNU_SOURCE /* strptime, timegm */
#include <arpa/inet.h>
#include <string.h>
#include <time.h>

#include "iw_bundle_device.h"
#include "iw_json_member.h"
#include "iw_show.h"
#include "iw_tcp_address_text.h"

/* Compares when and where the captures were made with when and where the run says that it took place. */

/* The clock of the host may be set during the run. */
enum { ORIGIN_TOLERANCE_S = 3600 };

/* Reads a time as iw_origin_time writes it. Returns -1 if it is not such a time. */
static int64_t origin_seconds(const char *text) {
    struct tm utc = {.tm_mday = 1};
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &utc);

    return end != NULL && *end == '\0' ? (int64_t)timegm(&utc) : -1;
}

static void origin_check_packets(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const struct iw_bundle_seen *seen) {
    const char *started = iw_json_member_text(check->run.header, "started"),
               *ended = iw_json_member_text(check->run.summary, "ended");
    int64_t first = (int64_t)(seen->first_ns / 1000000000u), last = (int64_t)(seen->last_ns / 1000000000u);
    int64_t begin = origin_seconds(started), end = origin_seconds(ended);
    bool early = begin >= 0 && first < begin - ORIGIN_TOLERANCE_S,
         late = end >= 0 && last > end + ORIGIN_TOLERANCE_S;
    char time[IW_SHOW_TIME_OCTETS];

    if (seen->last_ns == 0 || check->dates_differ || (!early && !late))
        return;
    check->dates_differ = true; /* one fault says it for all cases */
    iw_show_time(early ? seen->first_ns : seen->last_ns, time);
    iw_bundle_fault(check, IW_RESULTS_FILE, "packets of %s are from %s, but the run %s at %.40s", one->id,
        time, early ? "began" : "ended", early ? started : ended);
}

/* Reads the host of HOST:PORT or [HOST]:PORT. Returns false if it is a name, or any address. */
static bool origin_read_host(const char *peer, struct iw_tcp_address *address) {
    static const uint8_t any[sizeof address->octets];
    const char *colon = strrchr(peer, ':');
    size_t length = colon != NULL ? (size_t)(colon - peer) : strlen(peer);
    bool six = length > 2 && peer[0] == '[' && peer[length - 1] == ']';
    char host[INET6_ADDRSTRLEN];

    *address = (struct iw_tcp_address){.version = six ? 6 : 4};
    if (length >= sizeof host)
        return false;
    memcpy(host, six ? peer + 1 : peer, length);
    host[six ? length - 2 : length] = '\0';
    return inet_pton(six ? AF_INET6 : AF_INET, host, address->octets) == 1 &&
           memcmp(address->octets, any, sizeof any) != 0;
}

/* The suite connects a responder at the address of --peer. */
static void origin_check_peer(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const struct iw_bundle_seen *seen) {
    const char *peer = iw_json_member_text(check->run.header, "peer");
    struct iw_tcp_address stated;
    char text[IW_TCP_ADDRESS_TEXT_OCTETS];

    if (strcmp(iw_json_member_text(one->object, "role"), "responder") != 0 || check->peers_differ ||
        !origin_read_host(peer, &stated) || stated.version != seen->address.version ||
        memcmp(stated.octets, seen->address.octets, sizeof stated.octets) == 0)
        return;
    check->peers_differ = true;
    iw_tcp_address_text(&seen->address, text);
    *strrchr(text, ':') = '\0';
    iw_bundle_fault(check, one->id, "was tested at %s, not at the peer %.100s", text, peer);
}

/* A run in memory has a clock and addresses of its own. */
void iw_bundle_origin_check(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const struct iw_bundle_seen *seen) {
    if (json_is_true(json_object_get(check->run.header, "simulated")))
        return;
    origin_check_packets(check, one, seen);
    origin_check_peer(check, one, seen);
}

void iw_bundle_origin_check_order(struct iw_bundle_check *check) {
    const char *started = iw_json_member_text(check->run.header, "started"),
               *ended = iw_json_member_text(check->run.summary, "ended");
    int64_t begin = origin_seconds(started), end = origin_seconds(ended);

    if (begin >= 0 && end >= 0 && end < begin - ORIGIN_TOLERANCE_S)
        iw_bundle_fault(check, IW_RESULTS_FILE, "ended at %s, before it began: %s", ended, started);
}
