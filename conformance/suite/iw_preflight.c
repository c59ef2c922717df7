#include "iw_preflight.h"

#include <stdio.h>
#include <string.h>

#include "iw_case.h"
#include "iw_loop.h"
#include "iw_port.h"
#include "iw_selection.h"
#include "iw_show.h"

enum {
    FRAME_OCTETS = 20, /* of a startup frame before its private data (RFC 5044 7.1.1) */
    KEY_OCTETS = 16,
    KIND_OCTETS = 9, /* "MPA ID Re": what the keys of Request and Reply have in common */
    FLAG_REJECTED = 0x20,
    SHOWN_OCTETS = 60,
};

/* Requests with C=1. Their private data ends two lines, so that a server of a text protocol such as HTTP
 * answers, too. That of revision 2 begins with IRD and ORD, both 1 (RFC 6581 9.1). */
static const char request_1[] = "MPA ID Req Frame\x40\x01\x00\x04\r\n\r\n";
static const char request_2[] = "MPA ID Req Frame\x50\x02\x00\x08\x00\x01\x00\x01\r\n\r\n";

enum preflight_end { PREFLIGHT_WAITS, PREFLIGHT_ANSWERED, PREFLIGHT_CLOSED, PREFLIGHT_FAILED };

struct preflight {
    struct iw_loop *loop;
    struct iw_port *port;
    unsigned revision;
    enum preflight_end end;
    uint8_t answer[256];
    size_t octets;
    char failure[IW_PORT_TEXT_OCTETS];
};

bool iw_preflight_helps(const struct iw_run_config *config) {
    char reason[IW_SELECTION_REASON_OCTETS];
    struct iw_selection selection;
    enum iw_verdict verdict;
    bool helps = false;

    if (!config->target.host || config->target.agent || config->before || config->target.port == 0 ||
        iw_selection_init(&selection, config) != IW_OK)
        return false;
    for (size_t i = 0; i < selection.count && !helps; i++)
        helps = !selection.cases[i]->initiator && !iw_case_claims(selection.cases[i], "sctp") &&
                iw_selection_can_run(config, selection.cases[i], &verdict, reason);
    iw_selection_dispose(&selection);
    return helps;
}

static void preflight_end(struct preflight *preflight, enum preflight_end end) {
    preflight->end = end;
    iw_loop_stop(preflight->loop);
}

static void preflight_connected(void *user) {
    struct preflight *preflight = user;
    bool first = preflight->revision == 1;

    iw_port_write(preflight->port, (const uint8_t *)(first ? request_1 : request_2),
        first ? sizeof request_1 - 1 : sizeof request_2 - 1);
}

static void preflight_received(void *user, const uint8_t *octets, size_t length) {
    struct preflight *preflight = user;
    size_t left = sizeof preflight->answer - preflight->octets;

    memcpy(preflight->answer + preflight->octets, octets, length < left ? length : left);
    preflight->octets += length < left ? length : left;
    if (preflight->octets >= FRAME_OCTETS)
        preflight_end(preflight, PREFLIGHT_ANSWERED);
}

static void preflight_ended(void *user, enum iw_port_end how, const char *text) {
    struct preflight *preflight = user;

    snprintf(preflight->failure, sizeof preflight->failure, "%s", text);
    preflight_end(preflight, preflight->octets > 0                ? PREFLIGHT_ANSWERED
                             : iw_port_connected(preflight->port) ? PREFLIGHT_CLOSED
                                                                  : PREFLIGHT_FAILED);
    (void)how;
}

static void preflight_timed_out(void *user) {
    struct preflight *preflight = user;

    if (preflight->octets > 0)
        preflight->end = PREFLIGHT_ANSWERED;
    iw_loop_stop(preflight->loop);
}

/* Sends a Request of that revision on a new connection, and waits until something ends the wait. */
static void preflight_attempt(
    struct preflight *preflight, const struct iw_dut_target *target, unsigned revision) {
    static const struct iw_port_handlers handlers = {
        .connected = preflight_connected, .received = preflight_received, .ended = preflight_ended};

    preflight->revision = revision;
    preflight->end = PREFLIGHT_WAITS;
    preflight->port = iw_port_connect(
        preflight->loop, target->host, target->port, &handlers, preflight, preflight->failure);
    if (preflight->port)
        iw_loop_run(preflight->loop);
    else
        preflight->end = PREFLIGHT_FAILED;
}

/* Shows the first line of the answer, at most SHOWN_OCTETS, printable. */
static void preflight_show_answer(const struct preflight *preflight, char shown[SHOWN_OCTETS + 1]) {
    char line[SHOWN_OCTETS + 1];
    size_t length = 0;

    while (length < preflight->octets && length < SHOWN_OCTETS && preflight->answer[length] != '\r' &&
           preflight->answer[length] != '\n') {
        line[length] = preflight->answer[length] == 0 ? '?' : (char)preflight->answer[length];
        length++;
    }
    line[length] = '\0';
    iw_show_line(shown, SHOWN_OCTETS + 1, line);
}

/* Whether the answer begins like a startup frame. A device with a fault in its key is still worth a run. */
static bool preflight_is_mpa(const struct preflight *preflight) {
    size_t octets = preflight->octets < KIND_OCTETS ? preflight->octets : KIND_OCTETS;

    return memcmp(preflight->answer, "MPA ID Re", octets) == 0;
}

static void preflight_describe_reply(const struct preflight *preflight, const char *name, char *text) {
    unsigned revision = preflight->answer[KEY_OCTETS + 1];

    text[0] = '\0';
    if (preflight->octets < FRAME_OCTETS)
        snprintf(
            text, IW_PREFLIGHT_TEXT_OCTETS, "%s answers a Request with an incomplete startup frame", name);
    else if (preflight->answer[KEY_OCTETS] & FLAG_REJECTED)
        snprintf(text, IW_PREFLIGHT_TEXT_OCTETS,
            "%s rejects a Request of revision %u: its Reply has revision %u", name, preflight->revision,
            revision);
    else if (revision != preflight->revision)
        snprintf(text, IW_PREFLIGHT_TEXT_OCTETS, "%s answers a Request of revision %u with revision %u", name,
            preflight->revision, revision);
    else if (preflight->revision == 2)
        snprintf(text, IW_PREFLIGHT_TEXT_OCTETS,
            "%s accepts a Request of revision 2, but closes the connection without an answer to one of "
            "revision 1",
            name);
}

static bool preflight_judge(const struct preflight *preflight, const char *name, char *text) {
    char shown[SHOWN_OCTETS + 1];

    if (preflight->end == PREFLIGHT_ANSWERED && preflight_is_mpa(preflight)) {
        preflight_describe_reply(preflight, name, text);
        return true;
    }
    preflight_show_answer(preflight, shown);
    if (preflight->end == PREFLIGHT_FAILED)
        snprintf(text, IW_PREFLIGHT_TEXT_OCTETS, "%s", preflight->failure);
    else if (preflight->end == PREFLIGHT_ANSWERED)
        snprintf(text, IW_PREFLIGHT_TEXT_OCTETS,
            "%s is no iWARP responder: it answers an MPA Request with \"%s\" (--no-preflight ignores this)",
            name, shown);
    else if (preflight->end == PREFLIGHT_CLOSED)
        snprintf(text, IW_PREFLIGHT_TEXT_OCTETS,
            "%s closes the connection without an answer to an MPA Request of revision 1 or 2 (--no-preflight "
            "ignores this)",
            name);
    else
        snprintf(text, IW_PREFLIGHT_TEXT_OCTETS, "%s: %s within %d.%d s (--no-preflight ignores this)", name,
            preflight->port && iw_port_connected(preflight->port) ? "no answer to an MPA Request"
                                                                  : "no connection",
            IW_PREFLIGHT_LIMIT_MS / 1000, IW_PREFLIGHT_LIMIT_MS % 1000 / 100);
    return false;
}

bool iw_preflight(const struct iw_dut_target *target, char text[IW_PREFLIGHT_TEXT_OCTETS]) {
    struct preflight preflight = {.loop = iw_loop_new(IW_LOOP_REAL)};
    struct iw_timer timer = {0};
    char name[300];
    bool found;

    snprintf(text, IW_PREFLIGHT_TEXT_OCTETS, "out of memory");
    if (!preflight.loop)
        return false;
    snprintf(name, sizeof name, strchr(target->host, ':') ? "[%.250s]:%u" : "%.250s:%u", target->host,
        target->port);
    iw_timer_start(
        &timer, preflight.loop, IW_PREFLIGHT_LIMIT_MS * UINT64_C(1000), preflight_timed_out, &preflight);
    preflight_attempt(&preflight, target, 1);
    if (preflight.end == PREFLIGHT_CLOSED) {
        iw_port_free(preflight.port);
        preflight_attempt(&preflight, target, 2);
        /* An unsupported revision is no reason to be unreachable afterwards. */
        preflight.end = preflight.end == PREFLIGHT_FAILED ? PREFLIGHT_CLOSED : preflight.end;
    }
    found = preflight_judge(&preflight, name, text);
    iw_timer_stop(&timer);
    iw_port_free(preflight.port);
    iw_loop_free(preflight.loop);
    return found;
}
