#include <inttypes.h>
#include <string.h>

#include "iw_explain_page.h"
#include "iw_html.h"

/* The sequence diagram of a story, as SVG without scripts: the latest DDP segments and how the connection
 * ended. Positions are in units of the SVG. */

enum {
    DIAGRAM_TIME = 104, /* right end of the times */
    DIAGRAM_LEFT = 150,
    DIAGRAM_RIGHT = 710,
    DIAGRAM_MIDDLE = (DIAGRAM_LEFT + DIAGRAM_RIGHT) / 2,
    DIAGRAM_WIDTH = 760,
    DIAGRAM_ROW = 30,
    DIAGRAM_HEAD = 28,
    LABEL_OCTETS = IW_EXPLAIN_FRAME_OCTETS + 120,
};

/* A shorter pause has no row of its own. */
#define PAUSE_NS UINT64_C(100000000)

struct diagram_row {
    struct iw_history_mark mark;              /* time_ns 0: not known */
    const struct iw_history_message *message; /* or NULL, and then: */
    const char *what;
    bool sent, wrong; /* `side` sent it; it is a failure by itself */
    enum iw_side side;
};

enum {
    /* each side: its startup frame, its close and its RST; and the last packet */
    DIAGRAM_ROWS_MAX = IW_HISTORY_MESSAGES + 2 * 3 + IW_DIAGNOSIS_CAUSES * IW_DIAGNOSIS_FRAMES + 1,
};

struct diagram {
    FILE *out;
    const struct iw_explained *explained;
    struct diagram_row rows[DIAGRAM_ROWS_MAX]; /* in order of frames */
    unsigned count;
    enum iw_side left;
    unsigned y;
};

/* ---- rows ---- */

/* Adds the row after those of the same frame. */
static void diagram_add(struct diagram *diagram, struct diagram_row row) {
    unsigned at = diagram->count;

    if (row.mark.frame == 0 || diagram->count == DIAGRAM_ROWS_MAX)
        return;
    while (at > 0 && diagram->rows[at - 1].mark.frame > row.mark.frame)
        at--;
    memmove(&diagram->rows[at + 1], &diagram->rows[at], (diagram->count - at) * sizeof *diagram->rows);
    diagram->rows[at] = row;
    diagram->count++;
}

static bool diagram_has(const struct diagram *diagram, uint64_t frame) {
    for (unsigned i = 0; i < diagram->count; i++)
        if (diagram->rows[i].mark.frame == frame)
            return true;
    return false;
}

static void diagram_add_messages(struct diagram *diagram, const struct iw_history *history) {
    for (uint32_t back = iw_history_kept(history); back-- > 0;) {
        const struct iw_history_message *message = iw_history_back(history, back);

        diagram_add(diagram, (struct diagram_row){.mark = message->mark,
                                 .message = message,
                                 .sent = true,
                                 .wrong = message->crc == IW_CRC_BAD ||
                                          (message->decoded && message->opcode == IW_RDMAP_OP_TERMINATE),
                                 .side = (enum iw_side)message->side});
    }
}

static void diagram_add_startup(struct diagram *diagram, enum iw_side side) {
    const struct iw_facts *facts = &diagram->explained->facts;
    const struct iw_history *history = facts->history;
    const struct iw_startup *frame = &facts->terms->frame[side];

    if (history->message_count > iw_history_kept(history))
        return; /* messages between it and the first row are no longer kept */
    diagram_add(diagram, (struct diagram_row){.mark = history->side[side].startup,
                             .what = frame->key == IW_STARTUP_REQUEST ? "Request of the startup"
                                     : frame->header.r ? iw_ending_name(facts, IW_ENDING_REJECTED)
                                                       : "Reply of the startup",
                             .sent = true,
                             .wrong = frame->header.r,
                             .side = side});
}

static void diagram_add_close(struct diagram *diagram, enum iw_side side) {
    const struct iw_facts *facts = &diagram->explained->facts;
    const struct iw_history_side *own = &facts->history->side[side];

    if (own->close_kind == IW_LLP_CLOSE_GRACEFUL)
        diagram_add(diagram, (struct diagram_row){.mark = own->close,
                                 .what = iw_ending_name(facts, IW_ENDING_GRACEFUL),
                                 .sent = true,
                                 .side = side});
    diagram_add(diagram, (struct diagram_row){.mark = iw_history_trouble(facts->history, side)->rst,
                             .what = iw_ending_name(facts, IW_ENDING_RESET),
                             .sent = true,
                             .wrong = true,
                             .side = side});
}

static bool diagram_is_evidence(const struct diagram *diagram, uint64_t frame) {
    const struct iw_diagnosis *diagnosis = &diagram->explained->diagnosis;

    for (unsigned i = 0; i < diagnosis->count; i++)
        for (unsigned at = 0; at < diagnosis->causes[i].frame_count; at++)
            if (diagnosis->causes[i].frames[at] == frame)
                return true;
    return false;
}

/* Evidence that is no message, such as a closed window. */
static void diagram_add_evidence(struct diagram *diagram) {
    const struct iw_diagnosis *diagnosis = &diagram->explained->diagnosis;

    for (unsigned i = 0; i < diagnosis->count; i++)
        for (unsigned at = 0; at < diagnosis->causes[i].frame_count; at++)
            if (!diagram_has(diagram, diagnosis->causes[i].frames[at]))
                diagram_add(diagram, (struct diagram_row){.mark.frame = diagnosis->causes[i].frames[at],
                                         .what = "a packet without a message"});
}

static void diagram_add_last(struct diagram *diagram) {
    const struct iw_check_stream *stream = diagram->explained->stream;

    if (diagram->explained->diagnosis.ending == IW_ENDING_OPEN && !diagram_has(diagram, stream->last_frame))
        diagram_add(diagram, (struct diagram_row){.mark = {stream->last_frame, stream->last_time_ns},
                                 .what = "the last packet; the connection is open"});
}

/* ---- drawing ---- */

static void diagram_label(const struct diagram *diagram, const struct diagram_row *row, char *label) {
    const struct iw_history_message *message = row->message;
    const char *evidence = diagram_is_evidence(diagram, row->mark.frame) ? ", evidence" : "";
    char frame[IW_EXPLAIN_FRAME_OCTETS];

    iw_explain_frame(diagram->explained->chain, row->mark.frame, frame);
    if (message == NULL)
        snprintf(label, LABEL_OCTETS, "%s: %s%s", frame, row->what, evidence);
    else if (!message->decoded)
        snprintf(label, LABEL_OCTETS, "%s: FPDU without a complete header%s", frame, evidence);
    else if (message->tagged)
        snprintf(label, LABEL_OCTETS, "%s: %s, STag 0x%08" PRIx32 ", %" PRIu32 " octets%s", frame,
            message->known_opcode ? iw_opcodes[message->opcode].title : "unknown message", message->stag,
            message->length, evidence);
    else
        snprintf(label, LABEL_OCTETS, "%s: %s, MSN %" PRIu32 "%s", frame,
            message->known_opcode ? iw_opcodes[message->opcode].title : "unknown message", message->msn,
            evidence);
}

static void diagram_put_lane(const struct diagram *diagram, enum iw_side side, unsigned x, unsigned height) {
    iw_html_print(diagram->out,
        "<text class=\"lane\" x=\"%u\" y=\"14\">%s</text><line class=\"lane\" x1=\"%u\" y1=\"20\" x2=\"%u\" "
        "y2=\"%u\"/>\n",
        x, iw_facts_side_name(&diagram->explained->facts, side), x, x, height);
}

static void diagram_put_row(struct diagram *diagram, const struct diagram_row *row) {
    uint64_t begin = diagram->explained->stream->first_time_ns;
    unsigned y = diagram->y += DIAGRAM_ROW;
    bool to_right = row->side == diagram->left;
    unsigned to = to_right ? DIAGRAM_RIGHT : DIAGRAM_LEFT, tip = to_right ? to - 8 : to + 8;
    char label[LABEL_OCTETS], time[IW_EXPLAIN_TIME_OCTETS];

    diagram_label(diagram, row, label);
    iw_html_print(diagram->out, "<g class=\"%s%s\">", row->wrong ? "wrong" : "arrow",
        diagram_is_evidence(diagram, row->mark.frame) ? " evidence" : "");
    if (row->mark.time_ns >= begin)
        iw_html_print(diagram->out, "<text class=\"time\" x=\"%u\" y=\"%u\">%s</text>",
            (unsigned)DIAGRAM_TIME, y + 4, iw_explain_time(row->mark.time_ns - begin, time));
    if (row->sent)
        iw_html_print(diagram->out, "<path d=\"M%u %uH%uM%u %uL%u %u %u %u\"/>", (unsigned)DIAGRAM_LEFT, y,
            (unsigned)DIAGRAM_RIGHT, tip, y - 4, to, y, tip, y + 4);
    iw_html_print(
        diagram->out, "<text x=\"%u\" y=\"%u\">%s</text></g>\n", (unsigned)DIAGRAM_MIDDLE, y - 5, label);
}

/* The pause before the row, if it is long and both its ends are known. */
static uint64_t diagram_pause(const struct diagram *diagram, unsigned at) {
    uint64_t end = diagram->rows[at].mark.time_ns;
    unsigned before = at;

    while (before > 0 && diagram->rows[before - 1].mark.time_ns == 0)
        before--;
    if (before == 0 || end < diagram->rows[before - 1].mark.time_ns + PAUSE_NS)
        return 0;
    return end - diagram->rows[before - 1].mark.time_ns;
}

static void diagram_put_pause(struct diagram *diagram, uint64_t pause_ns) {
    char time[IW_EXPLAIN_TIME_OCTETS];

    if (pause_ns == 0)
        return;
    diagram->y += DIAGRAM_ROW;
    iw_html_print(diagram->out,
        "<g class=\"pause\"><path d=\"M%u %uH%u\"/><text x=\"%u\" y=\"%u\">%s without a message</text></g>\n",
        (unsigned)DIAGRAM_LEFT, diagram->y, (unsigned)DIAGRAM_RIGHT, (unsigned)DIAGRAM_MIDDLE, diagram->y - 5,
        iw_explain_time(pause_ns, time));
}

void iw_explain_diagram(FILE *out, const struct iw_explained *explained) {
    struct diagram diagram = {.out = out, .explained = explained, .y = DIAGRAM_HEAD};
    const struct iw_mpa_terms *terms = explained->facts.terms;
    unsigned height, pauses = 0;

    diagram_add_messages(&diagram, explained->facts.history);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        diagram_add_startup(&diagram, side);
        diagram_add_close(&diagram, side);
    }
    diagram_add_evidence(&diagram);
    diagram_add_last(&diagram);
    if (diagram.count == 0)
        return;
    diagram.left = terms->initiator_known ? terms->initiator : IW_SIDE_A;
    for (unsigned i = 0; i < diagram.count; i++)
        pauses += diagram_pause(&diagram, i) > 0;
    height = DIAGRAM_HEAD + DIAGRAM_ROW * (diagram.count + pauses) + 10;
    iw_html_print(out,
        "<h4>The latest DDP segments, by time since the first packet</h4>\n<div class=\"drawing\"><svg "
        "class=\"diagram\" viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"the latest DDP segments\">\n",
        (unsigned)DIAGRAM_WIDTH, height);
    diagram_put_lane(&diagram, diagram.left, DIAGRAM_LEFT, height);
    diagram_put_lane(&diagram, iw_side_other(diagram.left), DIAGRAM_RIGHT, height);
    for (unsigned i = 0; i < diagram.count; i++) {
        diagram_put_pause(&diagram, diagram_pause(&diagram, i));
        diagram_put_row(&diagram, &diagram.rows[i]);
    }
    iw_html_print(out, "</svg></div>\n");
}
