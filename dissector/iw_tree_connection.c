#include "iw_tree.h"

#include "iw_connection.h"
#include "iw_explanation.h"
#include "iw_tap.h"

/* ---- the connection, in each frame ---- */

struct shown_connection {
    packet_info *pinfo;
    proto_tree *tree;
    const struct iw_stored_flow *flow;
};

static void connection_add_frame(const struct shown_connection *shown, enum iw_hf hf, uint32_t frame) {
    if (frame != 0 && frame != shown->pinfo->num)
        iw_pdu_number(shown->tree, hf, frame);
}

static const char *connection_terms(const struct iw_mpa_terms *terms, wmem_allocator_t *pool) {
    const struct iw_startup *reply = &terms->frame[iw_side_other(terms->initiator)];
    bool initiator = terms->markers[terms->initiator];
    bool responder = terms->markers[iw_side_other(terms->initiator)];

    return wmem_strdup_printf(pool, "Rev %u, CRC %s, %s", reply->header.rev,
        terms->crc == IW_CRC_ON ? "in use" : "not in use",
        initiator && responder ? "Markers in both directions"
        : initiator            ? "Markers from the initiator"
        : responder            ? "Markers from the responder"
                               : "no Markers");
}

static void connection_add_waiting(
    const struct shown_connection *shown, enum iw_side requester, enum iw_hf hf) {
    proto_item *item;
    uint32_t waiting, depth;

    if (!iw_connection_waiting(shown->flow, requester, shown->pinfo->num, &waiting))
        return;
    item = iw_pdu_number(shown->tree, hf, waiting);
    if (iw_mpa_depth(shown->flow->settled, requester, &depth))
        proto_item_append_text(item, " (Read Requests allowed by IRD and ORD: %u)", depth);
}

static void connection_add_startup(const struct shown_connection *shown) {
    const struct iw_stored_flow *flow = shown->flow;
    const struct iw_mpa_terms *terms = &flow->connection->terms;

    if (!terms->initiator_known)
        return;
    connection_add_frame(shown, IW_HF_CONNECTION_REQUEST, flow->startup_frame[terms->initiator]);
    connection_add_frame(shown, IW_HF_CONNECTION_REPLY, flow->startup_frame[iw_side_other(terms->initiator)]);
    if (!iw_connection_settled(flow, shown->pinfo->num))
        return;
    iw_pdu_text(shown->tree, IW_HF_CONNECTION_TERMS, connection_terms(flow->settled, shown->pinfo->pool));
    connection_add_waiting(shown, terms->initiator, IW_HF_CONNECTION_WAITING_INITIATOR);
    connection_add_waiting(shown, iw_side_other(terms->initiator), IW_HF_CONNECTION_WAITING_RESPONDER);
}

static void connection_add_since(const struct shown_connection *shown) {
    uint64_t since_ns;
    nstime_t time;

    if (!iw_connection_since(
            shown->flow->connection, shown->pinfo->num, iw_pdu_time(shown->pinfo), &since_ns))
        return;
    time = (nstime_t){(time_t)(since_ns / 1000000000u), (int)(since_ns % 1000000000u)};
    proto_item_set_generated(
        proto_tree_add_time(shown->tree, hf_iwarp[IW_HF_CONNECTION_SINCE], NULL, 0, 0, &time));
}

static void connection_add_links(const struct shown_connection *shown) {
    const struct iw_connection *connection = shown->flow->connection;
    const struct iw_explanation *explanation = connection->explanation;

    if (connection->finding != NULL)
        proto_item_append_text(
            iw_pdu_number(shown->tree, IW_HF_CONNECTION_FINDING, connection->finding_frame), ": %s (%s)",
            connection->finding->message, connection->finding->requirement->id);
    if (explanation == NULL)
        return;
    iw_pdu_number(shown->tree, IW_HF_CONNECTION_LAST, explanation->frame);
    iw_pdu_text(shown->tree, IW_HF_CONNECTION_EXPLANATION, explanation->title);
}

void iw_tree_connection(
    packet_info *pinfo, proto_tree *parent, tvbuff_t *tvb, const struct iw_stored_flow *flow) {
    struct shown_connection shown = {.pinfo = pinfo, .flow = flow};
    uint32_t stream = iw_tap_stream(pinfo);
    const char *state;
    proto_item *top;

    if (flow->connection == NULL)
        return;
    state = iw_connection_state(flow, pinfo->num, pinfo->pool);
    shown.tree = proto_tree_add_subtree(parent, tvb, 0, 0, ett_iwarp[IW_ETT_CONNECTION], &top, "Connection");
    proto_item_set_generated(top);
    if (stream != IW_TAP_NO_STREAM)
        proto_item_append_text(top, " %u", stream);
    proto_item_append_text(top, ": %s", state);
    iw_pdu_text(shown.tree, IW_HF_CONNECTION_STATE, state);
    connection_add_startup(&shown);
    connection_add_since(&shown);
    connection_add_links(&shown);
}

/* ---- its explanation, in the last frame ---- */

static proto_item *explanation_add_text(proto_tree *tree, tvbuff_t *tvb, enum iw_hf hf, const char *text) {
    proto_item *shown = proto_tree_add_string(tree, hf_iwarp[hf], tvb, 0, 0, text);

    proto_item_set_generated(shown);
    return shown;
}

static expert_field *explanation_expert(enum iw_conclusion conclusion) {
    switch (conclusion) {
    case IW_CONCLUSION_FAILED:
    case IW_CONCLUSION_NOT_KNOWN:
        return &ei_iwarp_explanation_failed;
    case IW_CONCLUSION_SLOW:
        return &ei_iwarp_explanation_slow;
    case IW_CONCLUSION_VIOLATIONS: /* each has its own expert info */
    case IW_CONCLUSION_PARTIAL:
    case IW_CONCLUSION_FINE:
    case IW_CONCLUSION_COUNT:
        break;
    }
    return &ei_iwarp_explanation_fine;
}

/* Without a cause, a note says why there may be none. */
static void explanation_add_expert(
    packet_info *pinfo, proto_item *shown, const struct iw_explanation *explanation) {
    bool any = explanation->count + explanation->note_count > 0;

    expert_add_info_format(pinfo, shown, explanation_expert(explanation->conclusion), "%s%s%s",
        explanation->title,
        !any                     ? ""
        : explanation->count > 0 ? ": "
                                 : ". ",
        any ? explanation->causes[0].detail : "");
}

/* Returns the tree of a cause or note. */
static proto_tree *explanation_add_cause(
    proto_tree *parent, tvbuff_t *tvb, enum iw_hf hf, const struct iw_explanation_cause *cause) {
    proto_item *shown = explanation_add_text(parent, tvb, hf, cause->cause->id);

    proto_item_append_text(shown, ": %s", cause->cause->title);
    return proto_item_add_subtree(shown, ett_iwarp[IW_ETT_CONNECTION]);
}

static void explanation_show_cause(
    proto_tree *parent, tvbuff_t *tvb, const struct iw_explanation_cause *cause, bool first) {
    proto_tree *tree = explanation_add_cause(parent, tvb, IW_HF_EXPLANATION_CAUSE, cause);
    const char *clause = cause->cause->clause;
    proto_item *next;

    explanation_add_text(tree, tvb, IW_HF_EXPLANATION_CONFIDENCE, iw_confidence_name(cause->confidence));
    explanation_add_text(tree, tvb, IW_HF_EXPLANATION_DETAIL, cause->detail);
    for (unsigned i = 0; i < cause->frame_count; i++)
        iw_pdu_number(
            tree, first ? IW_HF_EXPLANATION_EVIDENCE : IW_HF_EXPLANATION_OTHER_EVIDENCE, cause->frames[i]);
    next = explanation_add_text(tree, tvb, IW_HF_EXPLANATION_NEXT, cause->next);
    if (clause[0] != '\0')
        proto_item_append_text(next, " (%s)", clause);
}

static void explanation_show_note(
    proto_tree *parent, tvbuff_t *tvb, const struct iw_explanation_cause *note) {
    proto_tree *tree = explanation_add_cause(parent, tvb, IW_HF_EXPLANATION_NOTE, note);

    explanation_add_text(tree, tvb, IW_HF_EXPLANATION_NOTE_DETAIL, note->detail);
    explanation_add_text(tree, tvb, IW_HF_EXPLANATION_NOTE_NEXT, note->next);
}

static proto_tree *explanation_show(
    tvbuff_t *tvb, packet_info *pinfo, proto_tree *root, const struct iw_explanation *explanation) {
    proto_item *shown = explanation_add_text(root, tvb, IW_HF_EXPLANATION, explanation->title);
    proto_tree *tree = proto_item_add_subtree(shown, ett_iwarp[IW_ETT_CONNECTION]);
    proto_item *ended;

    proto_item_set_text(shown, "iWARP, end of the connection of %s and %s: %s",
        explanation->address[IW_SIDE_A], explanation->address[IW_SIDE_B], explanation->title);
    explanation_add_expert(pinfo, shown, explanation);
    ended = explanation_add_text(tree, tvb, IW_HF_EXPLANATION_ENDED, explanation->ending);
    if (explanation->end_frame != 0)
        proto_item_append_text(ended, " in frame %u", explanation->end_frame);
    for (unsigned i = 0; i < explanation->count; i++)
        explanation_show_cause(tree, tvb, &explanation->causes[i], i == 0);
    if (explanation->advice != NULL)
        explanation_add_text(tree, tvb, IW_HF_EXPLANATION_NEXT, explanation->advice);
    for (unsigned i = 0; i < explanation->note_count; i++)
        explanation_show_note(tree, tvb, &explanation->causes[explanation->count + i]);
    if (explanation->replays)
        iw_tree_replay(pinfo, tree, IW_HF_EXPLANATION_REPLAY);
    return tree;
}

/* The connection has its tree in the last frame, too, where a hang shows itself as the time since the last
 * exchange. An item of the segment already has that tree. */
void iw_tree_explanation(
    tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_tcp_segment *segment) {
    for (const struct iw_explanation *explanation = iw_explanation_first(pinfo->num); explanation != NULL;
         explanation = explanation->next) {
        proto_tree *shown;

        if (!iw_tree_is_of_flow(explanation->flow, segment))
            continue;
        shown = explanation_show(tvb, pinfo, tree, explanation);
        if (iw_tree_needs_fields(tree) && iw_tree_first(pinfo->num, segment) == NULL)
            iw_tree_connection(pinfo, shown, tvb, explanation->flow);
    }
}
