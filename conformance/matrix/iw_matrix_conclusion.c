#include "iw_matrix_conclusion.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "iw_json.h"
#include "iw_json_member.h"
#include "iw_matrix_judgement.h"

enum { REASON_OCTETS = 512 };

static void matrix_conclude_set(json_t *result, enum iw_matrix_verdict verdict, const char *reason) {
    iw_json_set_text(result, "verdict", iw_matrix_verdict_name(verdict));
    iw_json_set_text(result, "reason", reason);
}

/* Writes which peer says itself that it failed. Returns false if neither does. */
static bool matrix_conclude_from_peers(const struct iw_matrix_conclusion *conclusion, char *reason) {
    const struct iw_matrix_process *initiator = conclusion->initiator, *responder = conclusion->responder;

    if (conclusion->initiator_hangs)
        snprintf(reason, REASON_OCTETS, "the initiator does not end; its last line: %s",
            initiator->last[0] != '\0' ? initiator->last : "none");
    else if (initiator->end != IW_COMMAND_SUCCEEDED)
        snprintf(reason, REASON_OCTETS, "the initiator says: %s", initiator->text);
    else if (conclusion->responder_hangs)
        snprintf(reason, REASON_OCTETS, "the responder does not end; its last line: %s",
            responder->last[0] != '\0' ? responder->last : "none");
    else if ((conclusion->leaves || conclusion->responder_early) && responder->end != IW_COMMAND_SUCCEEDED)
        snprintf(reason, REASON_OCTETS, "the responder says: %s", responder->text);
    else
        return false;
    return true;
}

static void matrix_conclude_unjudged(const json_t *keys, char *reason) {
    size_t used = (size_t)snprintf(reason, REASON_OCTETS, "not judged:");
    const json_t *key;
    size_t i;

    json_array_foreach(keys, i, key) {
        if (used < REASON_OCTETS)
            used += (size_t)snprintf(
                reason + used, REASON_OCTETS - used, "%s %s", i > 0 ? "," : "", json_string_value(key));
    }
}

static const char *matrix_conclude_side(const struct iw_matrix_judgement *judgement) {
    const bool *violates = judgement->violates;

    return violates[IW_MATRIX_INITIATOR] && violates[IW_MATRIX_RESPONDER] ? "both"
           : violates[IW_MATRIX_INITIATOR]                                ? "initiator"
           : violates[IW_MATRIX_RESPONDER]                                ? "responder"
                                                                          : NULL;
}

static void matrix_conclude_judged(const struct iw_matrix_conclusion *conclusion,
    const struct iw_matrix_judgement *judgement, json_t *result) {
    char reason[REASON_OCTETS] = "";
    bool failed = matrix_conclude_from_peers(conclusion, reason);

    json_object_set(result, "findings", judgement->findings);
    json_object_set(result, "unjudged", judgement->unjudged);
    json_object_set_new(result, "connections", json_integer((json_int_t)judgement->opened));
    iw_json_set_text(result, "side", matrix_conclude_side(judgement));
    if (judgement->opened == 0)
        matrix_conclude_set(result, IW_MATRIX_ERROR, failed ? reason : "the initiator did not connect");
    else if (judgement->errors > 0 || (failed && judgement->exit >= 0))
        matrix_conclude_set(result, IW_MATRIX_FAIL, reason);
    else if (judgement->exit == IW_EXIT_CONFORMS)
        matrix_conclude_set(result, IW_MATRIX_PASS, NULL);
    else if (judgement->exit == IW_EXIT_UNJUDGED) {
        matrix_conclude_unjudged(judgement->unjudged, reason);
        matrix_conclude_set(result, IW_MATRIX_NOT_JUDGED, reason);
    } else {
        snprintf(reason, sizeof reason, "relay: %s",
            judgement->trouble[0] != '\0' ? judgement->trouble : conclusion->relay->text);
        matrix_conclude_set(result, IW_MATRIX_ERROR, reason);
    }
}

void iw_matrix_conclude(
    const struct iw_matrix_conclusion *conclusion, const char *judgement, json_t *result) {
    struct iw_matrix_judgement judged;

    if (conclusion->error[0] != '\0' || judgement == NULL) {
        matrix_conclude_set(
            result, IW_MATRIX_ERROR, conclusion->error[0] != '\0' ? conclusion->error : "out of memory");
        return;
    }
    if (iw_matrix_judgement_read(&judged, judgement))
        matrix_conclude_judged(conclusion, &judged, result);
    else
        matrix_conclude_set(result, IW_MATRIX_ERROR, judged.trouble);
    iw_matrix_judgement_clear(&judged);
}
