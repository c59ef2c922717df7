#include "iw_sent_summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void iw_sent_summary_event(struct iw_sent_summary *summary, const struct iw_monitor_event *event) {
    uint8_t opcode;

    if (event->llp->kind == IW_LLP_STARTUP) {
        summary->startups++;
        summary->startup = event->llp->startup->header;
    }
    if (!event->segment || event->segment->opcode >= IW_RDMAP_OP_COUNT)
        return;
    opcode = event->segment->opcode;
    summary->messages[opcode] += event->segment->last;
    summary->octets[opcode] += event->segment->payload_octets;
}

static void summary_describe_startup(const struct iw_sent_summary *summary, char *text, size_t octets) {
    const struct iw_mpa_startup *frame = &summary->startup;

    if (summary->startups == 0)
        snprintf(text, octets, "none");
    else
        snprintf(text, octets, "rev=%u m=%u c=%u r=%u s=%u pd_length=%u", frame->rev, frame->m, frame->c,
            frame->r, frame->s, frame->pd_length);
}

bool iw_sent_summary_differ(
    const struct iw_sent_summary *a, const struct iw_sent_summary *b, char *text, size_t octets) {
    char first[80], second[80];

    summary_describe_startup(a, first, sizeof first);
    summary_describe_startup(b, second, sizeof second);
    snprintf(text, octets, "startup frame: %s, %s", first, second);
    if (strcmp(first, second) != 0)
        return true;
    for (size_t i = 0; i < IW_RDMAP_OP_COUNT; i++) {
        if (a->messages[i] == b->messages[i] && a->octets[i] == b->octets[i])
            continue;
        snprintf(text, octets, "%s: %" PRIu32 " of %" PRIu64 " octets, %" PRIu32 " of %" PRIu64,
            iw_opcodes[i].title, a->messages[i], a->octets[i], b->messages[i], b->octets[i]);
        return true;
    }
    text[0] = '\0';
    return false;
}
