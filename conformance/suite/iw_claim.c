#include "iw_claim.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "iw_show.h"

bool iw_claims_make(const struct iw_claims *claims, const char *claim) {
    for (size_t i = 0; i < claims->without_count; i++)
        if (strcmp(claim, claims->without[i]) == 0)
            return false;
    return !claims->profile || iw_profile_claims(claims->profile, claim, NULL);
}

/* Copies to `stated` the claims that the user has stated, because only they can be contradicted: not a
 * profile that was inferred. Returns false if the user has stated nothing. */
static bool claim_take_stated(const struct iw_claims *claims, struct iw_claims *stated) {
    *stated = *claims;
    if (stated->inferred)
        stated->profile = NULL;
    return stated->profile || stated->without_count > 0;
}

static void claim_contradict(struct iw_contradictions *found, const char *claim, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void claim_contradict(struct iw_contradictions *found, const char *claim, const char *format, ...) {
    va_list arguments;

    for (unsigned i = 0; i < found->count; i++)
        if (strcmp(found->list[i].claim, claim) == 0)
            return;
    if (found->count == IW_CONTRADICTIONS_MAX)
        return;
    found->list[found->count].claim = claim;
    va_start(arguments, format);
    vsnprintf(found->list[found->count].message, sizeof found->list->message, format, arguments);
    va_end(arguments);
    iw_show_line(found->list[found->count].message, sizeof found->list->message,
        found->list[found->count].message); /* the message may contain unprintable text of the agent */
    found->count++;
}

static void claim_check_depth(const struct iw_claims *claims, struct iw_contradictions *found,
    const json_t *settings, const struct iw_startup *frame) {
    const struct iw_mpa_enhanced *data = &frame->enhanced_data;

    if (!claims->profile || !frame->enhanced)
        return;
    if (data->ird != IW_IRD_ORD_NONE && data->ird > claims->profile->ird && !json_object_get(settings, "ird"))
        claim_contradict(found, "ird", "claims an IRD of %u, but offers %u", claims->profile->ird, data->ird);
    if (data->ord != IW_IRD_ORD_NONE && data->ord > claims->profile->ord && !json_object_get(settings, "ord"))
        claim_contradict(found, "ord", "claims an ORD of %u, but offers %u", claims->profile->ord, data->ord);
}

/* RFC 6581 9.2: the Reply shows which RTR types a responder supports. */
static void claim_check_rtr(const struct iw_claims *claims, struct iw_contradictions *found,
    const json_t *settings, const struct iw_startup *frame) {
    static const struct {
        enum iw_rtr rtr;
        const char *claim;
    } rows[] = {{IW_RTR_SEND, "rtr-send"}, {IW_RTR_WRITE, "rtr-write"}, {IW_RTR_READ, "rtr-read"}};
    unsigned taken = iw_startup_rtr(&frame->enhanced_data);

    if (!frame->enhanced || !frame->enhanced_data.a || frame->key != IW_STARTUP_REPLY ||
        json_object_get(settings, "rtr"))
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((taken & rows[i].rtr) && !iw_claims_make(claims, rows[i].claim))
            claim_contradict(found, rows[i].claim, "does not claim it, but its Reply names %s as RTR",
                iw_startup_rtr_text(rows[i].rtr));
}

/* Ignores a Reply with R=1, because it offers nothing. */
static void claim_check_startup(const struct iw_claims *claims, struct iw_contradictions *found,
    const json_t *settings, const struct iw_startup *frame) {
    const char *name = frame->key == IW_STARTUP_REQUEST ? "Request" : "Reply";
    const char *revision = frame->header.rev == 1 ? "rev-1" : frame->header.rev == 2 ? "rev-2" : NULL;

    if (frame->key == IW_STARTUP_UNKNOWN || (frame->key == IW_STARTUP_REPLY && frame->header.r))
        return;
    if (frame->header.m && !iw_claims_make(claims, "markers") && !json_object_get(settings, "markers"))
        claim_contradict(found, "markers", "does not claim Markers, but its %s asks for them", name);
    if (!frame->header.c && !iw_claims_make(claims, "no-crc") && !json_object_get(settings, "crc"))
        claim_contradict(found, "no-crc", "claims to ask for CRC always, but its %s does not", name);
    if (revision && !iw_claims_make(claims, revision) && !json_object_get(settings, "rev"))
        claim_contradict(
            found, revision, "does not claim MPA revision %u, but its %s has it", frame->header.rev, name);
    claim_check_depth(claims, found, settings, frame);
    claim_check_rtr(claims, found, settings, frame);
}

/* Claims of which a message needs at least one; the report names the first. NULL: it needs none. */
static const char *const message_claims[][2] = {
    [IW_RDMAP_OP_IMMEDIATE] = {"immediate"},
    [IW_RDMAP_OP_IMMEDIATE_SE] = {"immediate"},
    [IW_RDMAP_OP_ATOMIC_REQUEST] = {"atomic", "swap"},
    [IW_RDMAP_OP_ATOMIC_RESPONSE] = {"atomic", "swap"},
    [IW_RDMAP_OP_FLUSH_REQUEST] = {"flush-persist", "flush-expose"},
    [IW_RDMAP_OP_FLUSH_RESPONSE] = {"flush-persist", "flush-expose"},
    [IW_RDMAP_OP_VERIFY_REQUEST] = {"verify"},
    [IW_RDMAP_OP_VERIFY_RESPONSE] = {"verify"},
    [IW_RDMAP_OP_ATOMIC_WRITE_REQUEST] = {"atomic-write"},
    [IW_RDMAP_OP_ATOMIC_WRITE_RESPONSE] = {"atomic-write"},
};

_Static_assert(sizeof message_claims / sizeof *message_claims == IW_RDMAP_OP_COUNT, "an opcode is missing");

static void claim_check_message(
    const struct iw_claims *claims, struct iw_contradictions *found, const struct iw_segment *segment) {
    const char *const *names = segment->opcode < IW_RDMAP_OP_COUNT ? message_claims[segment->opcode] : NULL;

    if (names && names[0] && !iw_claims_make(claims, names[0]) &&
        !(names[1] && iw_claims_make(claims, names[1])))
        claim_contradict(
            found, names[0], "does not claim it, but sends %s", iw_opcodes[segment->opcode].title);
}

void iw_claims_check(const struct iw_claims *claims, struct iw_contradictions *found, const json_t *settings,
    const struct iw_monitor_event *event) {
    struct iw_claims stated;

    if (!claim_take_stated(claims, &stated))
        return;
    if (event->llp->kind == IW_LLP_STARTUP)
        claim_check_startup(&stated, found, settings, event->llp->startup);
    if (event->segment)
        claim_check_message(&stated, found, event->segment);
}

/* The claim that a request to an agent needs. A row applies if the request has this `op`, and this `value` in
 * `field`; NULL: no such field. So `connect` over SCTP needs no claim: an agent may lack SCTP. */
static const struct {
    const char *op, *field, *value, *claim;
} requests[] = {
    {"connect", "transport", NULL, "initiator"},
    {"post", "message", "fetch_add", "atomic"},
    {"post", "message", "cmp_swap", "atomic"},
    {"post", "message", "swap", "swap"},
    {"post", "message", "immediate", "immediate"},
    {"post", "message", "immediate_se", "immediate"},
    {"post", "message", "verify", "verify"},
    {"post", "message", "atomic_write", "atomic-write"},
    {"register", "hash", "crc32c", "verify-crc32c"},
    {"register", "hash", "sha256", "verify-sha256"},
    {"register", "hash", "sha512", "verify-sha512"},
};

static bool claim_request_has(const json_t *request, const char *field, const char *value) {
    const char *text = json_string_value(json_object_get(request, field));

    return value ? text && strcmp(text, value) == 0 : !text;
}

void iw_claims_refused(const struct iw_claims *claims, struct iw_contradictions *found, const json_t *request,
    const char *words) {
    struct iw_claims stated;

    if (!claim_take_stated(claims, &stated))
        return;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        if (claim_request_has(request, "op", requests[i].op) &&
            claim_request_has(request, requests[i].field, requests[i].value) &&
            iw_claims_make(&stated, requests[i].claim))
            claim_contradict(
                found, requests[i].claim, "claims it, but its agent does not support it: %.80s", words);
}
