#include <inttypes.h>

#include "iw_explain_page.h"
#include "iw_html.h"

/* The charts of a story, as SVG without scripts. Positions are in units of the SVG. */

enum {
    CHART_WIDTH = 720,
    CHART_LEFT = 60,
    CHART_RIGHT = 660,
    CHART_HEIGHT = 90,
    CHART_BASE = 70,
    OCTAVES = IW_LATENCY_BUCKETS >> IW_LATENCY_BITS,
};

/* ---- outstanding requests ---- */

/* Whether the message changes the number of outstanding requests; sets the side whose requests these are. */
static bool chart_counts(const struct iw_history_message *message, enum iw_side *requester) {
    if (!message->decoded || !message->known_opcode)
        return false;
    *requester = (enum iw_side)message->side;
    if (iw_opcodes[message->opcode].answer != IW_RDMAP_OP_NONE)
        return true;
    *requester = iw_side_other((enum iw_side)message->side);
    return iw_opcode_answered(message->opcode) != IW_RDMAP_OP_NONE;
}

/* The time that the chart shows: from the first kept message to the end of the connection. */
struct chart_span {
    uint64_t from_ns, to_ns;
};

static unsigned chart_x(struct chart_span span, uint64_t time_ns) {
    double at = time_ns > span.from_ns && span.to_ns > span.from_ns
                    ? (double)(time_ns - span.from_ns) / (double)(span.to_ns - span.from_ns)
                    : 0;

    return CHART_LEFT + (unsigned)((at < 1 ? at : 1) * (CHART_RIGHT - CHART_LEFT));
}

/* The number changes at messages only, so its line has steps; the last one reaches to the end. */
static void chart_put_steps(
    FILE *out, const struct iw_history *history, enum iw_side side, struct chart_span span, uint32_t most) {
    enum iw_side requester;
    bool begun = history->message_count <= iw_history_kept(history); /* then from 0 on */

    iw_html_print(out, "<path class=\"steps\" d=\"");
    if (begun)
        iw_html_print(out, "M%u %u", (unsigned)CHART_LEFT, (unsigned)CHART_BASE);
    for (uint32_t back = iw_history_kept(history); back-- > 0;) {
        const struct iw_history_message *message = iw_history_back(history, back);
        unsigned x = chart_x(span, message->mark.time_ns), y;

        if (!chart_counts(message, &requester) || requester != side)
            continue;
        y = CHART_BASE - (unsigned)((uint64_t)message->waiting * (CHART_BASE - 15) / most);
        if (begun)
            iw_html_print(out, "H%uV%u", x, y);
        else
            iw_html_print(out, "M%u %u", x, y);
        begun = true;
    }
    iw_html_print(out, "H%u\"/>\n", (unsigned)CHART_RIGHT);
}

/* The times at both ends of the axis, since the first packet of the connection. */
static void chart_put_axis(FILE *out, struct chart_span span, uint64_t begin_ns) {
    char from[IW_EXPLAIN_TIME_OCTETS], to[IW_EXPLAIN_TIME_OCTETS];

    iw_html_print(out,
        "<line x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\"/><text x=\"%u\" y=\"%u\">%s</text><text class=\"end\" "
        "x=\"%u\" y=\"%u\">%s</text>\n",
        (unsigned)CHART_LEFT, (unsigned)CHART_BASE, (unsigned)CHART_RIGHT, (unsigned)CHART_BASE,
        (unsigned)CHART_LEFT, CHART_BASE + 15u,
        iw_explain_time(span.from_ns > begin_ns ? span.from_ns - begin_ns : 0, from), (unsigned)CHART_RIGHT,
        CHART_BASE + 15u, iw_explain_time(span.to_ns > begin_ns ? span.to_ns - begin_ns : 0, to));
}

static bool chart_has_requests(const struct iw_history *history, enum iw_side side) {
    enum iw_side requester;

    for (uint32_t i = 0; i < iw_history_kept(history); i++)
        if (chart_counts(iw_history_back(history, i), &requester) && requester == side)
            return true;
    return false;
}

void iw_explain_outstanding(FILE *out, const struct iw_explained *explained) {
    const struct iw_history *history = explained->facts.history;
    uint32_t kept = iw_history_kept(history);
    struct chart_span span;

    if (kept == 0)
        return;
    span = (struct chart_span){
        iw_history_back(history, kept - 1)->mark.time_ns, iw_explained_end(explained).time_ns};
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        uint32_t most = iw_history_requests(history)->side[side].most_waiting;

        if (most == 0 || !chart_has_requests(history, side))
            continue;
        iw_html_print(out,
            "<h4>Outstanding requests of %s, by time since the first packet</h4>\n<div "
            "class=\"drawing\"><svg class=\"chart\" "
            "viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"outstanding requests\"><text x=\"4\" "
            "y=\"20\">%u</text><text x=\"4\" y=\"%u\">0</text>\n",
            iw_facts_side_name(&explained->facts, side), (unsigned)CHART_WIDTH, (unsigned)CHART_HEIGHT, most,
            (unsigned)CHART_BASE);
        chart_put_axis(out, span, explained->stream->first_time_ns);
        chart_put_steps(out, history, side, span, most);
        iw_html_print(out, "</svg></div>\n");
    }
}

/* ---- latencies ---- */

/* The latencies of each power of two, in units of IW_LATENCY_UNIT_NS. */
static uint64_t chart_octave(const struct iw_latency *latency, unsigned octave) {
    uint64_t count = 0;

    for (unsigned i = 0; i < 1u << IW_LATENCY_BITS; i++)
        count += iw_latency_bucket(latency, (octave << IW_LATENCY_BITS) + i);
    return count;
}

/* The count as at most four characters, as a bar is not wider. */
static void chart_put_count(FILE *out, unsigned x, unsigned y, uint64_t count) {
    static const char *const units[] = {"", "k", "M", "G"};
    unsigned unit = 0;

    for (; count >= 1000 && unit < sizeof units / sizeof *units - 1; unit++)
        count = (count + 500) / 1000;
    iw_html_print(
        out, "<text class=\"count\" x=\"%u\" y=\"%u\">%" PRIu64 "%s</text>\n", x, y, count, units[unit]);
}

void iw_explain_histogram(FILE *out, const struct iw_latency *latency, const char *title) {
    const unsigned step = (CHART_RIGHT - CHART_LEFT) / OCTAVES;
    uint64_t most = 1, count;

    for (unsigned i = 0; i < OCTAVES; i++)
        if ((count = chart_octave(latency, i)) > most)
            most = count;
    iw_html_print(out,
        "<h4>Latency of %s</h4>\n<div class=\"drawing\"><svg class=\"chart\" viewBox=\"0 0 %u %u\" "
        "role=\"img\" "
        "aria-label=\"histogram of latencies\"><line x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\"/>\n",
        title, (unsigned)CHART_WIDTH, (unsigned)CHART_HEIGHT, (unsigned)CHART_LEFT, (unsigned)CHART_BASE,
        (unsigned)CHART_RIGHT, (unsigned)CHART_BASE);
    for (unsigned i = 0; i < OCTAVES; i++) {
        unsigned height;

        if ((count = chart_octave(latency, i)) == 0)
            continue;
        height = 2 + (unsigned)((double)count / (double)most * (CHART_BASE - 17));
        iw_html_print(out,
            "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"><title>%" PRIu64 "</title></rect>",
            CHART_LEFT + i * step, CHART_BASE - height, step - 2, height, count);
        chart_put_count(out, CHART_LEFT + i * step + (step - 2) / 2, CHART_BASE - height - 3, count);
    }
    iw_html_print(out,
        "<text x=\"%u\" y=\"%u\">2 us</text><text x=\"%u\" y=\"%u\">1 ms</text><text x=\"%u\" y=\"%u\">1 "
        "s</text></svg></div>\n",
        CHART_LEFT + step, CHART_BASE + 15u, CHART_LEFT + 10 * step, CHART_BASE + 15u, CHART_LEFT + 20 * step,
        CHART_BASE + 15u);
}
