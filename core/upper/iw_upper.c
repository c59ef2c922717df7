#include "iw_upper.h"

#include <stdlib.h>

#include "iw_upper_state.h"

static const struct iw_upper_handlers silent;

struct iw_upper *iw_upper_new(void) {
    struct iw_upper *upper = calloc(1, sizeof *upper);

    if (upper == NULL)
        return NULL;
    upper->handlers = &silent;
    upper->findings_max = IW_UPPER_FINDINGS_MAX;
    return upper;
}

void iw_upper_listen(struct iw_upper *upper, const struct iw_upper_handlers *handlers, void *user) {
    upper->handlers = handlers;
    upper->user = user;
}

void iw_upper_keep_findings(struct iw_upper *upper, size_t most) {
    upper->findings_max = most < IW_UPPER_FINDINGS_MAX ? most : IW_UPPER_FINDINGS_MAX;
}

void iw_upper_free(struct iw_upper *upper) {
    if (upper == NULL)
        return;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        free(upper->part[side].head);
        free(upper->private_data[side].data);
        free(upper->recent[side]);
        free(upper->reads[side].heads);
    }
    iw_upper_iser_forget_hello(upper);
    free(upper->rping);
    free(upper->rules);
    free(upper->calls);
    free(upper->buffers);
    free(upper->findings);
    free(upper->pending);
    free(upper);
}

void iw_upper_set_lost(struct iw_upper *upper) {
    upper->lost = false;
    upper->forgotten = true;
    upper->forgotten_frame = upper->frame;
    upper->call_count = 0;
    upper->hidden = 0;
    upper->buffer_count = upper->ended = 0;
    upper->pending_count = 0;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        if (upper->recent[side] != NULL)
            upper->recent[side]->count = 0;
        upper->part[side].broken = upper->part[side].open;
        upper->fragments[side] = false;
    }
    iw_upper_iser_forget_hello(upper);
    free(upper->rping);
    upper->rping = NULL;
}

bool iw_upper_startup_is_seen(const struct iw_upper *upper) {
    return upper->private_data[IW_SIDE_A].seen && upper->private_data[IW_SIDE_B].seen;
}

/* Whether the capture begins after the startup, and has both directions. */
static bool upper_begins_late(const struct iw_upper *upper) {
    return !upper->private_data[IW_SIDE_A].seen && !upper->private_data[IW_SIDE_B].seen &&
           upper->sent[IW_SIDE_A] && upper->sent[IW_SIDE_B];
}

/* In a capture that begins late, the replies to the calls that it has come later. */
bool iw_upper_calls_complete(const struct iw_upper *upper) {
    return !upper->lost && upper->hidden == 0 &&
           (iw_upper_startup_is_seen(upper) || upper_begins_late(upper));
}

bool iw_upper_is_read_after(const struct iw_upper *upper, uint64_t frame) {
    return iw_upper_calls_complete(upper) && upper->unread_frame <= frame &&
           (!upper->forgotten || upper->forgotten_frame <= frame);
}

bool iw_upper_all_messages_seen(const struct iw_upper *upper) {
    return iw_upper_startup_is_seen(upper) && !upper->forgotten && !upper->lost && upper->unread_frame == 0;
}

bool iw_upper_all_seen(const struct iw_upper *upper) {
    return iw_upper_all_messages_seen(upper) && upper->hidden == 0;
}

bool iw_upper_complete(const struct iw_upper *upper) {
    return iw_upper_all_seen(upper) && !upper->finding_dropped;
}

/* ---- results ---- */

enum iw_ulp_protocol iw_upper_protocol(const struct iw_upper *upper) {
    return upper->protocol;
}

static const struct {
    const char *name;
    const char *key;
} protocols[IW_ULP_COUNT] = {
    [IW_ULP_UNKNOWN] = {"unknown", "unknown"},
    [IW_ULP_RPC] = {"RPC-over-RDMA", "rpc"},
    [IW_ULP_SMB_DIRECT] = {"SMB Direct", "smb_direct"},
    [IW_ULP_ISER] = {"iSER", "iser"},
    [IW_ULP_NVME] = {"NVMe over RDMA", "nvme"},
    [IW_ULP_RPING] = {"rping", "rping"},
};

const char *iw_upper_protocol_name(enum iw_ulp_protocol protocol) {
    return protocols[protocol].name;
}

const char *iw_upper_protocol_key(enum iw_ulp_protocol protocol) {
    return protocols[protocol].key;
}

bool iw_upper_no_memory(const struct iw_upper *upper) {
    return upper->no_memory;
}

const struct iw_upper_counts *iw_upper_counts(const struct iw_upper *upper) {
    return &upper->counts;
}

const struct iw_upper_rule_count *iw_upper_rule_counts(const struct iw_upper *upper) {
    return upper->rules;
}

const struct iw_upper_finding *iw_upper_findings(const struct iw_upper *upper, size_t *count) {
    *count = upper->finding_count;
    return upper->findings;
}

const struct iw_upper_call *iw_upper_calls(const struct iw_upper *upper, size_t *count) {
    *count = upper->call_count;
    return upper->calls;
}

struct iw_upper_credits iw_upper_credits(const struct iw_upper *upper, enum iw_side caller) {
    const struct iw_upper_grants *grants = &upper->grants[caller];
    struct iw_upper_credits credits = {
        .known = grants->replies > 0, .granted = grants->latest, .open = iw_upper_calls_of(upper, caller)};

    uint32_t used = 0;

    if (!credits.known || credits.open < credits.granted)
        return credits;
    credits.exceeded = credits.open > grants->largest;
    for (uint32_t i = 0; i < upper->call_count && (used == 0 || used < credits.granted); i++)
        if (iw_upper_call_counts(&upper->calls[i], caller)) {
            credits.exhausted_frame = upper->calls[i].frame;
            used++;
        }
    return credits;
}
