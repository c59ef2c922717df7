#include "iw_tree.h"

#include "iw_connection.h"
#include "iw_preference.h"
#include "iw_upper_store.h"

static const char *upper_access_name(uint8_t access) {
    return access == (IW_UPPER_ACCESS_READ | IW_UPPER_ACCESS_WRITE) ? "read and written by the peer"
           : access == IW_UPPER_ACCESS_WRITE                        ? "written by the peer"
                                                                    : "read by the peer";
}

static const char *upper_end_name(enum iw_upper_end end) {
    return end == IW_UPPER_END_REPLY ? "the reply to its call" : "a Send with Invalidate";
}

/* ---- buffers ---- */

static void upper_add_end(proto_tree *tree, const struct iw_stored_buffer *buffer) {
    if (buffer->end_frame != 0)
        proto_item_append_text(iw_pdu_number(tree, IW_HF_UPPER_BUFFER_END, buffer->end_frame), ", by %s",
            upper_end_name(buffer->end));
}

static proto_tree *upper_add_buffer(struct iw_pdu *pdu, const struct iw_stored_buffer *buffer) {
    proto_item *shown = iw_pdu_text(pdu->tree, IW_HF_UPPER_BUFFER, buffer->purpose);
    proto_tree *tree = proto_item_add_subtree(shown, ett_iwarp[IW_ETT_STAG]);
    const struct iw_connection *connection = pdu->item->flow->connection;

    proto_item_set_text(shown, "Buffer with STag 0x%08x, %s", buffer->stag, buffer->purpose);
    iw_pdu_number(tree, IW_HF_UPPER_BUFFER_STAG, buffer->stag);
    iw_pdu_text(tree, IW_HF_UPPER_BUFFER_OWNER, iw_connection_side_name(connection, buffer->owner));
    iw_pdu_text(tree, IW_HF_UPPER_BUFFER_ACCESS, upper_access_name(buffer->access));
    iw_pdu_number64(tree, IW_HF_UPPER_BUFFER_TO, buffer->to);
    iw_pdu_number64(tree, IW_HF_UPPER_BUFFER_LENGTH, buffer->length);
    return tree;
}

/* The buffer of a Write, Read Request or Read Response. */
static void upper_add_used(struct iw_pdu *pdu, const struct iw_stored_buffer *buffer) {
    proto_tree *tree = upper_add_buffer(pdu, buffer);

    iw_pdu_frame(pdu, tree, IW_HF_UPPER_BUFFER_ADVERTISED, buffer->frame);
    upper_add_end(tree, buffer);
}

static void upper_add_advertised(struct iw_pdu *pdu, const struct iw_stored_buffer *buffer) {
    proto_tree *tree = upper_add_buffer(pdu, buffer);

    iw_pdu_frame(pdu, tree, IW_HF_UPPER_BUFFER_FIRST, buffer->first_use);
    iw_pdu_frame(pdu, tree, IW_HF_UPPER_BUFFER_LAST, buffer->last_use);
    if (pdu->pinfo->fd->visited) /* the first pass has not seen the octets yet */
        iw_pdu_number64(tree, IW_HF_UPPER_BUFFER_OCTETS, buffer->octets);
    upper_add_end(tree, buffer);
}

/* ---- calls ---- */

static void upper_add_time(proto_tree *tree, enum iw_hf hf, uint64_t time_ns) {
    nstime_t time = {(time_t)(time_ns / 1000000000u), (int)(time_ns % 1000000000u)};

    proto_item_set_generated(proto_tree_add_time(tree, hf_iwarp[hf], NULL, 0, 0, &time));
}

static void upper_add_call(struct iw_pdu *pdu, const struct iw_stored_call *call) {
    proto_item *shown = iw_pdu_text(pdu->tree, IW_HF_UPPER_CALL, call->name);

    iw_pdu_frame(
        pdu, proto_item_add_subtree(shown, ett_iwarp[IW_ETT_STAG]), IW_HF_UPPER_REPLY_IN, call->reply_frame);
}

static void upper_add_reply(struct iw_pdu *pdu, const struct iw_stored_call *call) {
    proto_item *shown = iw_pdu_text(pdu->tree, IW_HF_UPPER_REPLY, call->name);
    proto_tree *tree = proto_item_add_subtree(shown, ett_iwarp[IW_ETT_STAG]);

    iw_pdu_frame(pdu, tree, IW_HF_UPPER_CALL_IN, call->frame);
    if (call->moved) {
        upper_add_time(tree, IW_HF_UPPER_TIME_FIRST, call->first_octets_ns);
        upper_add_time(tree, IW_HF_UPPER_TIME_LAST, call->last_octets_ns);
    }
    upper_add_time(tree, IW_HF_UPPER_TIME_REPLY, call->reply_ns);
}

void iw_tree_upper(struct iw_pdu *pdu) {
    const struct iw_upper_note *note = iw_upper_note(pdu->item);

    if (note == NULL)
        return;
    for (const struct iw_stored_call *call = note->calls; call != NULL; call = call->next)
        upper_add_call(pdu, call);
    for (const struct iw_stored_call *call = note->replies; call != NULL; call = call->next_reply)
        upper_add_reply(pdu, call);
    for (const struct iw_stored_buffer *buffer = note->advertised; buffer != NULL; buffer = buffer->next)
        upper_add_advertised(pdu, buffer);
    if (note->used != NULL)
        upper_add_used(pdu, note->used);
}

/* ---- findings ---- */

/* With `warn`, a finding of another protocol than iWARP is a warning at most. */
static enum iw_severity upper_severity(const struct iw_upper_rule *rule) {
    enum iw_severity severity = iw_upper_rule_severity(rule);

    return severity == IW_SEVERITY_ERROR && iw_preferences->upper == IW_PREFERENCE_UPPER_WARN
               ? IW_SEVERITY_WARNING
               : severity;
}

static void upper_add_finding(struct iw_pdu *pdu, const struct iw_stored_upper_finding *finding) {
    proto_item *shown =
        proto_tree_add_string(pdu->tree, hf_iwarp[IW_HF_UPPER_FINDING], pdu->payload, 0, 0, finding->message);
    proto_tree *tree = proto_item_add_subtree(shown, ett_iwarp[IW_ETT_FINDING]);
    const struct iw_upper_rule *rule = finding->rule;

    proto_item_set_generated(shown);
    iw_pdu_text(tree, IW_HF_UPPER_RULE, rule->id);
    iw_pdu_text(tree, IW_HF_UPPER_LEVEL, iw_severity_name(iw_upper_rule_severity(rule)));
    iw_pdu_text(tree, IW_HF_UPPER_REQUIRES, rule->words);
    if (finding->expected[0] != '\0')
        iw_pdu_text(tree, IW_HF_UPPER_EXPECTED, finding->expected);
    if (finding->actual[0] != '\0')
        iw_pdu_text(tree, IW_HF_UPPER_ACTUAL, finding->actual);
    iw_pdu_frame(pdu, tree, IW_HF_UPPER_ABOUT, finding->about_frame);
    iw_tree_replay(pdu->pinfo, tree, IW_HF_UPPER_REPLAY);
    expert_add_info_format(
        pdu->pinfo, shown, &ei_iwarp_upper[upper_severity(rule)], "%s (%s)", finding->message, rule->id);
}

void iw_tree_upper_findings(struct iw_pdu *pdu) {
    const struct iw_upper_note *note = iw_upper_note(pdu->item);

    if (note == NULL)
        return;
    for (const struct iw_stored_upper_finding *finding = note->findings; finding != NULL;
         finding = finding->next)
        upper_add_finding(pdu, finding);
}
