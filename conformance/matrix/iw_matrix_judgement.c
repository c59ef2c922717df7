#include "iw_matrix_judgement.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_json.h"
#include "iw_json_member.h"
#include "iw_line_reader.h"
#include "iw_results.h"

/* Members of a finding that the result keeps, beside "peer". */
static const char *const kept[] = {
    "side", "requirement", "document", "section", "level", "severity", "message", "frame"};

/* The peer that sent the octets. "side" is the MPA role that the frames suggest: an initiator that sends a
 * Reply is a "responder" there. */
static const char *judgement_peer(const json_t *line) {
    bool device = strcmp(iw_json_member_text(line, "peer"), "device") == 0;

    return iw_matrix_role_name(device ? IW_MATRIX_RESPONDER : IW_MATRIX_INITIATOR);
}

static void judgement_add_finding(struct iw_matrix_judgement *judgement, const json_t *line) {
    bool error = strcmp(iw_json_member_text(line, "severity"), "error") == 0;
    const char *peer = judgement_peer(line);
    json_t *finding;
    size_t i;

    if (json_object_get(line, "waived") != NULL)
        return; /* sent by the relay: the other peer's own connection has the same finding */
    judgement->errors += error;
    for (enum iw_matrix_role role = IW_MATRIX_INITIATOR; role < IW_MATRIX_ROLES; role++)
        judgement->violates[role] |= error && strcmp(peer, iw_matrix_role_name(role)) == 0;
    json_array_foreach(judgement->findings, i, finding) {
        if (strcmp(iw_json_member_text(finding, "peer"), peer) != 0 ||
            strcmp(iw_json_member_text(finding, "requirement"), iw_json_member_text(line, "requirement")) !=
                0)
            continue;
        json_object_set_new(
            finding, "count", json_integer(json_integer_value(json_object_get(finding, "count")) + 1));
        return;
    }
    finding = json_object();
    iw_json_set_text(finding, "peer", peer);
    for (i = 0; i < sizeof kept / sizeof *kept; i++)
        if (json_object_get(line, kept[i]) != NULL)
            json_object_set(finding, kept[i], json_object_get(line, kept[i]));
    json_object_set_new(finding, "count", json_integer(1));
    json_array_append_new(judgement->findings, finding);
}

/* Keeps the keys sorted, so that results can be compared. */
static void judgement_add_unjudged(struct iw_matrix_judgement *judgement, json_t *unjudged) {
    const char *key;
    const json_t *value;

    json_object_foreach(unjudged, key, value) {
        size_t at = 0;
        int order = -1;

        while (at < json_array_size(judgement->unjudged) &&
               (order = strcmp(key, json_string_value(json_array_get(judgement->unjudged, at)))) > 0)
            at++;
        if (at == json_array_size(judgement->unjudged) || order != 0)
            json_array_insert_new(judgement->unjudged, at, json_string(key));
    }
}

static void judgement_take_line(struct iw_matrix_judgement *judgement, char *text, size_t length) {
    json_error_t wrong;
    json_t *line = iw_json_read(text, length, 0, &wrong);
    const char *type = iw_json_member_text(line, "type");

    if (line == NULL) {
        text[strcspn(text, "\n")] = '\0';
        snprintf(judgement->trouble, sizeof judgement->trouble, "%s", text);
    }
    if (strcmp(type, "finding") == 0)
        judgement_add_finding(judgement, line);
    else if (strcmp(type, "stream") == 0)
        judgement_add_unjudged(judgement, json_object_get(line, "unjudged"));
    else if (strcmp(type, "relay") == 0)
        judgement->opened += strcmp(iw_json_member_text(line, "event"), "opened") == 0;
    else if (strcmp(type, "summary") == 0)
        judgement->exit = (int)json_integer_value(json_object_get(line, "exit"));
    json_decref(line);
}

bool iw_matrix_judgement_read(struct iw_matrix_judgement *judgement, const char *path) {
    struct iw_line_reader lines = {.in = fopen(path, "r"), .limit = IW_RESULTS_LINE_MAX};
    char reason[IW_LINE_READER_ERROR_OCTETS] = "out of memory";
    bool whole;

    *judgement = (struct iw_matrix_judgement){.findings = json_array(), .unjudged = json_array(), .exit = -1};
    if (lines.in == NULL) {
        snprintf(judgement->trouble, sizeof judgement->trouble, "%s: %s", path, strerror(errno));
        return false;
    }
    while (iw_line_reader_next(&lines))
        judgement_take_line(judgement, lines.text, lines.octets);
    whole = lines.error == IW_OK && judgement->findings != NULL && judgement->unjudged != NULL;
    if (lines.error != IW_OK)
        iw_line_reader_error(&lines, reason);
    if (!whole)
        snprintf(
            judgement->trouble, sizeof judgement->trouble, "%s:%" PRIu64 ": %s", path, lines.number, reason);
    fclose(lines.in);
    iw_line_reader_clear(&lines);
    return whole;
}

void iw_matrix_judgement_clear(struct iw_matrix_judgement *judgement) {
    json_decref(judgement->findings);
    json_decref(judgement->unjudged);
}
