#include <inttypes.h>
#include <string.h>

#include "iw_html.h"
#include "iw_json_member.h"
#include "iw_matrix_page.h"
#include "iw_plural.h"

/* Cells of the page, one by one. */

/* CSS class, and a mark for readers who do not see its colour. */
static const struct {
    const char *class, *mark;
} looks[IW_MATRIX_VERDICTS] = {
    [IW_MATRIX_PASS] = {"conforms", ""},
    [IW_MATRIX_NOT_SUPPORTED] = {"waived", "\u2009\u2013"},
    [IW_MATRIX_NOT_JUDGED] = {"unjudged", "\u2009?"},
    [IW_MATRIX_FAIL] = {"violates", "\u2009\u2717"},
    [IW_MATRIX_ERROR] = {"warning", "\u2009!"},
};

void iw_matrix_page_put_verdict(const struct iw_matrix_page *page, const json_t *cell) {
    enum iw_matrix_verdict verdict = iw_matrix_cell_verdict(cell);

    iw_html_print(
        page->out, "<span class=\"tag %s\">%s</span>", looks[verdict].class, iw_matrix_verdict_name(verdict));
}

static const char *page_cell_code(const struct iw_matrix_page *page, const char *scenario) {
    const json_t *row;
    size_t i;

    json_array_foreach(json_object_get(page->results, "scenarios"), i, row) {
        if (strcmp(iw_json_member_text(row, "name"), scenario) == 0)
            return iw_json_member_text(row, "code");
    }
    return scenario;
}

void iw_matrix_page_put_pair(
    const struct iw_matrix_page *page, const char *initiator, const char *responder) {
    const json_t *cell;
    size_t i;

    json_array_foreach(page->cells, i, cell) {
        enum iw_matrix_verdict verdict = iw_matrix_cell_verdict(cell);
        const char *scenario = iw_json_member_text(cell, "scenario");

        if (strcmp(iw_json_member_text(cell, "initiator"), initiator) == 0 &&
            strcmp(iw_json_member_text(cell, "responder"), responder) == 0)
            iw_html_print(page->out, "<a class=\"tag %s\" href=\"#cell-%zu\" title=\"%s: %s%s\">%s%s</a> ",
                looks[verdict].class, i, scenario, iw_matrix_verdict_name(verdict),
                iw_matrix_cell_is_outdated(cell) ? ", outdated" : "", page_cell_code(page, scenario),
                looks[verdict].mark);
    }
}

/* ---- one cell ---- */

static void page_cell_put_finding(
    const struct iw_matrix_page *page, const json_t *cell, const json_t *finding) {
    const char *peer = iw_matrix_finding_peer(finding);
    json_int_t count = json_integer_value(json_object_get(finding, "count"));

    iw_html_print(page->out, "<li>%s <b>%s</b> violates <code>%s</code> (%s %s, %s): %s", peer,
        iw_json_member_text(cell, peer), iw_json_member_text(finding, "requirement"),
        iw_json_member_text(finding, "document"), iw_json_member_text(finding, "section"),
        iw_json_member_text(finding, "level"), iw_json_member_text(finding, "message"));
    iw_html_print(page->out, " <span class=\"aside\">frame %" PRIu64,
        (uint64_t)json_integer_value(json_object_get(finding, "frame")));
    if (count > 1)
        iw_html_print(page->out, ", %" PRIu64 " times", (uint64_t)count);
    iw_html_print(page->out, "</span></li>\n");
}

static void page_cell_put_link(
    const struct iw_matrix_page *page, const json_t *cell, const char *file, const char *title) {
    char name[IW_MATRIX_NAME_OCTETS];

    /* Not the text of "files": a link to anywhere could be in results of others. */
    iw_matrix_cell_name(name, iw_json_member_text(cell, "initiator"), iw_json_member_text(cell, "responder"),
        iw_json_member_text(cell, "scenario"));
    iw_html_print(page->out, "<a href=\"cells/%s/%s\">%s</a> ", name, file, title);
}

static void page_cell_put_evidence(const struct iw_matrix_page *page, const json_t *cell) {
    if (iw_json_member_text(cell, "files")[0] == '\0')
        return;
    if (json_is_true(json_object_get(cell, "capture")))
        page_cell_put_link(page, cell, "capture.pcapng", "capture");
    if (json_is_true(json_object_get(cell, "diagram")))
        page_cell_put_link(page, cell, "diagram.html", "diagram");
    if (json_object_get(cell, "findings") != NULL)
        page_cell_put_link(page, cell, "judgement.jsonl", "judgement");
    if (json_object_get(json_object_get(cell, "commands"), "initiator") != NULL)
        page_cell_put_link(page, cell, "initiator.log", "initiator");
    page_cell_put_link(page, cell, "responder.log", "responder");
}

static void page_cell_put_history(const struct iw_matrix_page *page, const json_t *cell) {
    const json_t *history = json_object_get(cell, "history"), *one;
    size_t i;

    if (json_array_size(history) < 2)
        return;
    iw_html_print(page->out, "<p class=\"aside\">");
    json_array_foreach(history, i, one) {
        iw_html_print(page->out, "%srun %" PRIu64 ": %s", i > 0 ? ", " : "",
            (uint64_t)json_integer_value(json_object_get(one, "run")), iw_json_member_text(one, "verdict"));
    }
    iw_html_print(page->out, "</p>");
}

static void page_cell_put_commands(const struct iw_matrix_page *page, const json_t *cell) {
    json_t *commands = json_object_get(cell, "commands");

    if (json_object_size(commands) == 0)
        return;
    iw_html_print(page->out, "<details><summary>Commands</summary><dl>");
    for (enum iw_matrix_role role = IW_MATRIX_INITIATOR; role < IW_MATRIX_ROLES; role++) {
        const char *name = iw_matrix_role_name(role), *command = iw_json_member_text(commands, name);

        if (command[0] != '\0')
            iw_html_print(page->out, "<dt>%s</dt><dd><code>%s</code></dd>", name, command);
    }
    iw_html_print(page->out, "</dl></details>");
}

static void page_cell_put(const struct iw_matrix_page *page, size_t place, const json_t *cell) {
    const json_t *findings = json_object_get(cell, "findings"), *finding;
    const char *change = iw_matrix_cell_change(cell);
    size_t i;

    iw_html_print(page->out,
        "<tr id=\"cell-%zu\" data-verdict=\"%s\" data-change=\"%s\" data-initiator=\"%s\" "
        "data-responder=\"%s\" "
        "data-scenario=\"%s\"><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td>",
        place, iw_matrix_verdict_name(iw_matrix_cell_verdict(cell)), change,
        iw_json_member_text(cell, "initiator"), iw_json_member_text(cell, "responder"),
        iw_json_member_text(cell, "scenario"), iw_json_member_text(cell, "initiator"),
        iw_json_member_text(cell, "responder"), iw_json_member_text(cell, "scenario"));
    iw_matrix_page_put_verdict(page, cell);
    if (change[0] != '\0')
        iw_html_print(page->out, " <span class=\"change\">%s</span>", change);
    if (iw_matrix_cell_is_outdated(cell))
        iw_html_print(page->out, " <span class=\"change\">outdated</span>");
    iw_html_print(page->out, "</td><td class=\"words\">%s", iw_json_member_text(cell, "reason"));
    if (json_array_size(findings) > 0)
        iw_html_print(page->out, "<ul>\n");
    json_array_foreach(findings, i, finding) {
        page_cell_put_finding(page, cell, finding);
    }
    if (json_array_size(findings) > 0)
        iw_html_print(page->out, "</ul>");
    page_cell_put_history(page, cell);
    page_cell_put_commands(page, cell);
    iw_html_print(page->out, "</td><td>");
    page_cell_put_evidence(page, cell);
    iw_html_print(page->out, "</td></tr>\n");
}

/* ---- tables of cells ---- */

void iw_matrix_page_put_cells(struct iw_matrix_page *page) {
    static const char *const columns[] = {
        "Initiator", "Responder", "Scenario", "Verdict", "What was seen", "Evidence", NULL};
    const json_t *cell;
    size_t i;

    iw_html_table_begin(page->out, "cells-title", columns);
    json_array_foreach(page->cells, i, cell) {
        page_cell_put(page, i, cell);
    }
    iw_html_table_end(page->out);
}

void iw_matrix_page_put_changes(struct iw_matrix_page *page) {
    const json_t *cell;
    size_t count = 0, i;

    json_array_foreach(page->cells, i, cell) {
        count += iw_matrix_cell_change(cell)[0] != '\0';
    }
    if (json_array_size(json_object_get(page->results, "runs")) < 2) {
        iw_html_print(page->out, "<p>This is the first run.</p>\n");
        return;
    }
    iw_html_print(
        page->out, "<p>%zu cell%s changed since the run before.</p>\n<ul>\n", count, iw_plural(count));
    json_array_foreach(page->cells, i, cell) {
        if (iw_matrix_cell_change(cell)[0] != '\0')
            iw_html_print(page->out,
                "<li><b>%s</b>: <a href=\"#cell-%zu\">%s, %s, %s</a>: %s, before %s</li>\n",
                iw_matrix_cell_change(cell), i, iw_json_member_text(cell, "initiator"),
                iw_json_member_text(cell, "responder"), iw_json_member_text(cell, "scenario"),
                iw_json_member_text(cell, "verdict"), iw_json_member_text(cell, "before"));
    }
    iw_html_print(page->out, "</ul>\n");
}

/* ---- findings ---- */

/* Returns {"PEER REQUIREMENT": {"peer", "finding", "cells", "first"}}; NULL if memory runs out. */
static json_t *page_cell_violations(const struct iw_matrix_page *page) {
    json_t *rows = json_object();
    const json_t *cell, *finding;
    size_t i, k;

    json_array_foreach(page->cells, i, cell) {
        if (iw_matrix_cell_is_outdated(cell))
            continue;
        json_array_foreach(json_object_get(cell, "findings"), k, finding) {
            const char *peer = iw_json_member_text(cell, iw_matrix_finding_peer(finding));
            char name[IW_MATRIX_NAME_OCTETS];
            json_t *row;

            if (strcmp(iw_json_member_text(finding, "severity"), "error") != 0)
                continue;
            snprintf(name, sizeof name, "%.60s %.60s", peer, iw_json_member_text(finding, "requirement"));
            row = json_object_get(rows, name);
            if (row == NULL) {
                row = json_pack("{ss sO sI sI}", "peer", peer, "finding", finding, "cells", (json_int_t)0,
                    "first", (json_int_t)i);
                json_object_set_new(rows, name, row);
            }
            json_object_set_new(
                row, "cells", json_integer(json_integer_value(json_object_get(row, "cells")) + 1));
        }
    }
    return rows;
}

void iw_matrix_page_put_findings(struct iw_matrix_page *page) {
    static const char *const columns[] = {"Peer", "Requirement", "First violation", "#Cells", NULL};
    json_t *rows = page_cell_violations(page), *row;
    const char *name;

    page->whole &= rows != NULL;
    if (json_object_size(rows) == 0) {
        iw_html_print(page->out, "<p>No peer violates a MUST.</p>\n");
    } else {
        iw_html_table_begin(page->out, "findings-title", columns);
        json_object_foreach(rows, name, row) {
            const json_t *finding = json_object_get(row, "finding");

            iw_html_print(page->out,
                "<tr><th scope=\"row\">%s</th><td><code>%s</code> %s %s</td><td class=\"words\">%s</td><td "
                "class=\"number\">"
                "<a href=\"#cell-%" PRIu64 "\">%" PRIu64 "</a></td></tr>\n",
                iw_json_member_text(row, "peer"), iw_json_member_text(finding, "requirement"),
                iw_json_member_text(finding, "document"), iw_json_member_text(finding, "section"),
                iw_json_member_text(finding, "message"),
                (uint64_t)json_integer_value(json_object_get(row, "first")),
                (uint64_t)json_integer_value(json_object_get(row, "cells")));
        }
        iw_html_table_end(page->out);
    }
    json_decref(rows);
}
