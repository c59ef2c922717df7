#include <inttypes.h>

#include "iw_explain_page.h"
#include "iw_html.h"

/* Diagrams of a story, as SVG without scripts. Positions are in units of the SVG. */

enum {
    DIAGRAM_WIDTH = 720,
    DIAGRAM_LEFT = 60,
    DIAGRAM_RIGHT = 660,
    DIAGRAM_ROW = 30,
    DIAGRAM_HEAD = 28,
    CHART_HEIGHT = 90,
    CHART_BASE = 70,
    OCTAVES = IW_LATENCY_BUCKETS >> IW_LATENCY_BITS,
};

/* ---- sequence ---- */

static void diagram_label(const struct iw_history_message *message, char *label, size_t size) {
    const char *title = message->known_opcode ? iw_opcodes[message->opcode].title : "unknown message";

    if (!message->decoded)
        snprintf(label, size, "frame %" PRIu64 ": FPDU without a complete header", message->mark.frame);
    else if (message->tagged)
        snprintf(label, size, "frame %" PRIu64 ": %s, STag 0x%08" PRIx32 ", %" PRIu32 " octets",
            message->mark.frame, title, message->stag, message->length);
    else
        snprintf(
            label, size, "frame %" PRIu64 ": %s, MSN %" PRIu32, message->mark.frame, title, message->msn);
}

static void diagram_put_lane(
    FILE *out, const struct iw_explained *explained, enum iw_side side, unsigned x, unsigned height) {
    iw_html_print(out,
        "<text class=\"lane\" x=\"%u\" y=\"14\">%s</text><line class=\"lane\" x1=\"%u\" y1=\"20\" x2=\"%u\" "
        "y2=\"%u\"/>\n",
        x, iw_evidence_side_name(&explained->evidence, side), x, x, height);
}

static void diagram_put_arrow(
    FILE *out, const struct iw_history_message *message, enum iw_side left, unsigned y) {
    bool to_right = message->side == left;
    unsigned to = to_right ? DIAGRAM_RIGHT : DIAGRAM_LEFT, tip = to_right ? to - 8 : to + 8;
    bool wrong = message->crc == IW_CRC_BAD || message->opcode == IW_RDMAP_OP_TERMINATE;
    char label[120];

    diagram_label(message, label, sizeof label);
    iw_html_print(out,
        "<g class=\"%s\"><path d=\"M%u %uH%uM%u %uL%u %u %u %u\"/><text x=\"%u\" y=\"%u\">%s</text></g>\n",
        wrong ? "wrong" : "arrow", (unsigned)DIAGRAM_LEFT, y, (unsigned)DIAGRAM_RIGHT, tip, y - 4, to, y, tip,
        y + 4, (unsigned)DIAGRAM_WIDTH / 2, y - 5, label);
}

void iw_explain_diagram(FILE *out, const struct iw_explained *explained) {
    const struct iw_history *history = explained->evidence.history;
    uint32_t count = iw_history_kept(history);
    unsigned height = DIAGRAM_HEAD + DIAGRAM_ROW * count + 10, y = DIAGRAM_HEAD;
    enum iw_side left =
        explained->evidence.terms->initiator_known ? explained->evidence.terms->initiator : IW_SIDE_A;

    if (count == 0)
        return;
    iw_html_print(out,
        "<h4>The latest messages</h4>\n<div class=\"drawing\"><svg class=\"diagram\" viewBox=\"0 0 %u %u\" "
        "role=\"img\" aria-label=\"the latest messages\">\n",
        (unsigned)DIAGRAM_WIDTH, height);
    diagram_put_lane(out, explained, left, DIAGRAM_LEFT, height);
    diagram_put_lane(out, explained, iw_side_other(left), DIAGRAM_RIGHT, height);
    for (uint32_t back = count; back-- > 0;)
        diagram_put_arrow(out, iw_history_back(history, back), left, y += DIAGRAM_ROW);
    iw_html_print(out, "</svg></div>\n");
}

/* ---- outstanding requests ---- */

/* Whether the message changes the number of outstanding requests; sets the side whose requests these are. */
static bool diagram_counts(const struct iw_history_message *message, enum iw_side *requester) {
    if (!message->decoded || !message->known_opcode)
        return false;
    *requester = (enum iw_side)message->side;
    if (iw_opcodes[message->opcode].answer != IW_RDMAP_OP_NONE)
        return true;
    *requester = iw_side_other((enum iw_side)message->side);
    return iw_opcode_answered(message->opcode) != IW_RDMAP_OP_NONE;
}

static void diagram_put_points(
    FILE *out, const struct iw_history *history, enum iw_side side, uint32_t most) {
    uint32_t count = iw_history_kept(history);
    uint64_t from = iw_history_back(history, count - 1)->mark.time_ns;
    uint64_t to = iw_history_back(history, 0)->mark.time_ns;
    double span = to > from ? (double)(to - from) : 1;
    enum iw_side requester;

    iw_html_print(out, "<polyline points=\"");
    for (uint32_t back = count; back-- > 0;) {
        const struct iw_history_message *message = iw_history_back(history, back);
        double at = message->mark.time_ns > from ? (double)(message->mark.time_ns - from) / span : 0;

        if (!diagram_counts(message, &requester) || requester != side)
            continue;
        iw_html_print(out, "%u,%u ",
            DIAGRAM_LEFT + (unsigned)((at < 1 ? at : 1) * (DIAGRAM_RIGHT - DIAGRAM_LEFT)),
            CHART_BASE - (unsigned)((uint64_t)message->waiting * (CHART_BASE - 15) / most));
    }
    iw_html_print(out, "\"/>\n");
}

static bool diagram_has_requests(const struct iw_history *history, enum iw_side side) {
    enum iw_side requester;

    for (uint32_t i = 0; i < iw_history_kept(history); i++)
        if (diagram_counts(iw_history_back(history, i), &requester) && requester == side)
            return true;
    return false;
}

void iw_explain_outstanding(FILE *out, const struct iw_explained *explained) {
    const struct iw_history *history = explained->evidence.history;

    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        uint32_t most = history->side[side].most_waiting;

        if (most == 0 || !diagram_has_requests(history, side))
            continue;
        iw_html_print(out,
            "<h4>Outstanding requests of %s, over the latest messages</h4>\n<svg class=\"chart\" viewBox=\"0 "
            "0 %u "
            "%u\" role=\"img\" aria-label=\"outstanding requests\"><line x1=\"%u\" y1=\"%u\" x2=\"%u\" "
            "y2=\"%u\"/><text x=\"4\" y=\"20\">%u</text><text x=\"4\" y=\"%u\">0</text>\n",
            iw_evidence_side_name(&explained->evidence, side), (unsigned)DIAGRAM_WIDTH,
            (unsigned)CHART_HEIGHT, (unsigned)DIAGRAM_LEFT, (unsigned)CHART_BASE, (unsigned)DIAGRAM_RIGHT,
            (unsigned)CHART_BASE, most, (unsigned)CHART_BASE);
        diagram_put_points(out, history, side, most);
        iw_html_print(out, "</svg>\n");
    }
}

/* ---- latencies ---- */

/* The latencies of each power of two, in units of IW_LATENCY_UNIT_NS. */
static uint64_t diagram_octave(const struct iw_latency *latency, unsigned octave) {
    uint64_t count = 0;

    for (unsigned i = 0; i < 1u << IW_LATENCY_BITS; i++)
        count += iw_latency_bucket(latency, (octave << IW_LATENCY_BITS) + i);
    return count;
}

void iw_explain_histogram(FILE *out, const struct iw_latency *latency, const char *title) {
    const unsigned step = (DIAGRAM_RIGHT - DIAGRAM_LEFT) / OCTAVES;
    uint64_t most = 1, count;

    for (unsigned i = 0; i < OCTAVES; i++)
        if ((count = diagram_octave(latency, i)) > most)
            most = count;
    iw_html_print(out,
        "<h4>Latency of %s</h4>\n<svg class=\"chart\" viewBox=\"0 0 %u %u\" role=\"img\" "
        "aria-label=\"histogram of latencies\"><line x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\"/>\n",
        title, (unsigned)DIAGRAM_WIDTH, (unsigned)CHART_HEIGHT, (unsigned)DIAGRAM_LEFT, (unsigned)CHART_BASE,
        (unsigned)DIAGRAM_RIGHT, (unsigned)CHART_BASE);
    for (unsigned i = 0; i < OCTAVES; i++) {
        unsigned height;

        if ((count = diagram_octave(latency, i)) == 0)
            continue;
        height = 2 + (unsigned)((double)count / (double)most * (CHART_BASE - 17));
        iw_html_print(out,
            "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"><title>%" PRIu64 "</title></rect>\n",
            DIAGRAM_LEFT + i * step, CHART_BASE - height, step - 2, height, count);
    }
    iw_html_print(out,
        "<text x=\"%u\" y=\"%u\">2 us</text><text x=\"%u\" y=\"%u\">1 ms</text><text x=\"%u\" y=\"%u\">1 "
        "s</text></svg>\n",
        DIAGRAM_LEFT + step, CHART_BASE + 15u, DIAGRAM_LEFT + 10 * step, CHART_BASE + 15u,
        DIAGRAM_LEFT + 20 * step, CHART_BASE + 15u);
}
