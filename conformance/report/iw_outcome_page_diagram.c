#include <inttypes.h>
#include <string.h>

#include "iw_evidence.h"
#include "iw_html.h"
#include "iw_outcome_page.h"

/* The sequence diagram of a case, drawn from its wire log: two lanes, the suite on the left and the device on
 * the right, an arrow for each event, and at the end what was expected beside what happened. It is an SVG
 * that needs no script: the title of an arrow has the whole decode, and the keyboard reaches each arrow. */

enum {
    DIAGRAM_EVENTS_MAX = 40, /* drawn; the rest is in the wire log */
    DIAGRAM_LABEL_OCTETS = 76,
    DIAGRAM_TEXT_OCTETS = 112, /* of a line without an arrow */
    DIAGRAM_ROW = 30,          /* height of an event */
    DIAGRAM_STEP = 22,
    DIAGRAM_HEAD = 28,
};

/* Positions in units of the SVG, and colours, are in the style sheet where they can be. */
static const unsigned diagram_width = 720, diagram_left = 60, diagram_right = 660;

struct diagram {
    const struct iw_outcome_page *page;
    unsigned y;
    size_t events; /* drawn */
    size_t beyond; /* not drawn */
};

/* Copies what a reader needs first: the name of the message and its fields, without lengths. */
static void diagram_label(const char *event, char label[DIAGRAM_LABEL_OCTETS]) {
    static const char *const left_out[] = {"ulpdu_length=", "l=", "mo=", "pd_length=", "rev="};
    size_t length = 0;

    label[0] = '\0';
    while (*event != '\0' && length + 1 < DIAGRAM_LABEL_OCTETS) {
        size_t word = strcspn(event, " ");
        bool skip = false;

        for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
            skip |= strncmp(event, left_out[i], strlen(left_out[i])) == 0;
        if (!skip)
            length += (size_t)snprintf(label + length, DIAGRAM_LABEL_OCTETS - length, "%s%.*s",
                length > 0 ? " " : "", (int)word, event);
        event += word + strspn(event + word, " ");
    }
    if (*event != '\0' || length >= DIAGRAM_LABEL_OCTETS)
        memcpy(label + DIAGRAM_LABEL_OCTETS - 4, "...", 4);
}

/* There may be ten thousand arrows in a page, so each has few elements. */
static void diagram_put_arrow(struct diagram *diagram, bool of_suite, const char *event, bool violates) {
    FILE *out = diagram->page->out;
    unsigned to = of_suite ? diagram_right : diagram_left, tip = of_suite ? to - 8 : to + 8;
    char label[DIAGRAM_LABEL_OCTETS];

    diagram_label(event, label);
    diagram->y += DIAGRAM_ROW;
    iw_html_print(out, "<g class=\"%s\" tabindex=\"0\" role=\"img\"><title>%s: %s</title>",
        violates ? "wrong" : "arrow", of_suite ? "suite" : "device", event);
    iw_html_print(out, "<path d=\"M%u %uH%uM%u %uL%u %u %u %u\"/>", diagram_left, diagram->y, diagram_right,
        tip, diagram->y - 4, to, diagram->y, tip, diagram->y + 4);
    iw_html_print(out, "<text x=\"%u\" y=\"%u\">%s</text></g>\n", diagram_width / 2, diagram->y - 5, label);
}

static void diagram_put_text(
    struct diagram *diagram, const char *class, unsigned height, const char *name, const char *text) {
    char shown[DIAGRAM_TEXT_OCTETS + 24];

    snprintf(shown, sizeof shown, "%s%.*s%s", name, DIAGRAM_TEXT_OCTETS - 1, text,
        strlen(text) >= DIAGRAM_TEXT_OCTETS ? "..." : "");
    diagram->y += height;
    iw_html_print(diagram->page->out, "<text class=\"%s\" x=\"%u\" y=\"%u\">%s<title>%s</title></text>\n",
        class, diagram_width / 2, diagram->y, shown, text);
}

/* ---- the lines of the wire log ---- */

/* Returns whether a line that follows the event, and belongs to it, is about a violation. Sets *first to the
 * first of these. */
static bool diagram_violates(const char *next, const char **first) {
    for (; iw_evidence_is_continuation(next); next = strchr(next, '\n') + 1) {
        if (strncmp(next, "    ! ", 6) == 0) {
            *first = next + 6;
            return true;
        }
        if (strchr(next, '\n') == NULL)
            break;
    }
    return false;
}

/* Draws a line of the log; `next` is the text after it. */
static void diagram_put_line(struct diagram *diagram, const char *line, const char *next) {
    const char *event = iw_evidence_event_of(line), *violation = NULL, *message;
    char text[200];

    if (event == NULL) {
        if (strncmp(line, "  step: ", 8) == 0 && diagram->beyond == 0)
            diagram_put_text(diagram, "step", DIAGRAM_STEP, "", line + 8);
        return;
    }
    if (diagram->events == DIAGRAM_EVENTS_MAX) {
        diagram->beyond++;
        return;
    }
    diagram->events++;
    message = strstr(event, ": ");
    diagram_put_arrow(diagram, strncmp(event - 6, "suite ", 6) == 0, message != NULL ? message + 2 : event,
        diagram_violates(next, &violation));
    if (violation == NULL)
        return;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(violation, "\n"), violation);
    diagram_put_text(diagram, "violation", 14, "! ", text);
}

/* Draws all lines. Ends each at its newline while it is drawn. */
static void diagram_put_lines(struct diagram *diagram, char *log) {
    for (char *line = log; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        bool whole = line[length] == '\n';

        line[length] = '\0';
        diagram_put_line(diagram, line, line + length + whole);
        if (!whole)
            break;
        line[length] = '\n';
        line += length + 1;
    }
}

/* The height is known only at its end: counts what diagram_put_lines will draw. */
static unsigned diagram_height(const struct iw_outcome_case *one, const char *log) {
    unsigned height = DIAGRAM_HEAD + DIAGRAM_ROW;
    size_t events = 0;

    for (const char *line = log; *line != '\0' && events < DIAGRAM_EVENTS_MAX;) {
        const char *end = strchr(line, '\n');

        if (iw_evidence_event_of(line) != NULL) {
            events++;
            height += DIAGRAM_ROW;
        } else if (strncmp(line, "  step: ", 8) == 0) {
            height += DIAGRAM_STEP;
        } else if (strncmp(line, "    ! ", 6) == 0) {
            height += 14;
        }
        if (end == NULL)
            break;
        line = end + 1;
    }
    return height + (one->expected[0] != '\0' ? 2 * DIAGRAM_STEP : 0);
}

static void diagram_put_lane(const struct diagram *diagram, unsigned x, unsigned height, const char *name) {
    iw_html_print(diagram->page->out,
        "<text class=\"lane\" x=\"%u\" y=\"14\">%s</text><line class=\"lane\" x1=\"%u\" y1=\"20\" x2=\"%u\" "
        "y2=\"%u\"/>\n",
        x, name, x, x, height);
}

void iw_outcome_page_put_diagram(
    const struct iw_outcome_page *page, const struct iw_outcome_case *one, char *log) {
    struct diagram diagram = {.page = page, .y = DIAGRAM_HEAD};
    unsigned height = diagram_height(one, log);
    char more[64];

    iw_html_print(page->out,
        "<div class=\"drawing\"><svg class=\"diagram\" viewBox=\"0 0 %u %u\" role=\"group\" "
        "aria-label=\"what was sent\">\n",
        diagram_width, height);
    diagram_put_lane(&diagram, diagram_left, height, "suite");
    diagram_put_lane(&diagram, diagram_right, height, "device");
    diagram_put_lines(&diagram, log);
    if (diagram.beyond > 0) {
        snprintf(more, sizeof more, "%zu more in the wire log", diagram.beyond);
        diagram_put_text(&diagram, "step", DIAGRAM_STEP, "", more);
    }
    if (one->verdict != IW_VERDICT_PASS && one->expected[0] != '\0') {
        diagram_put_text(&diagram, "expected", DIAGRAM_STEP, "expected: ", one->expected);
        diagram_put_text(&diagram, "violation", DIAGRAM_STEP, "actual: ", one->actual);
    }
    iw_html_print(page->out, "</svg></div>\n");
}
