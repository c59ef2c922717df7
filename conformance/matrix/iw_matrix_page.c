#include "iw_matrix_page.h"

#include <inttypes.h>
#include <string.h>

#include "iw_html.h"
#include "iw_json_member.h"
#include "iw_plural.h"

static const json_t *matrix_page_run(const struct iw_matrix_page *page) {
    const json_t *runs = json_object_get(page->results, "runs");

    return json_array_get(runs, json_array_size(runs) - 1);
}

static const struct {
    const char *words, *class;
} exits[] = {[IW_EXIT_CONFORMS] = {"passes", "conforms"},
    [IW_EXIT_VIOLATIONS] = {"fails", "violates"},
    [IW_EXIT_UNJUDGED] = {"not fully judged", "unjudged"},
    [IW_EXIT_ENVIRONMENT] = {"not everything could be run", "warning"},
    [IW_EXIT_INTERNAL] = {"in error", "error"}};

static void matrix_page_put_title(struct iw_matrix_page *page) {
    iw_html_print(page->out, "Matrix of %zu peers: %s - warpcheck",
        json_array_size(json_object_get(page->results, "peers")),
        exits[iw_matrix_results_exit(page->results)].words);
}

static void matrix_page_put_masthead(struct iw_matrix_page *page) {
    enum iw_exit exit = iw_matrix_results_exit(page->results);

    iw_html_print(page->out,
        "<p class=\"product\">warpcheck %s<span>initiators by responders</span></p>\n<h1>Matrix of %zu "
        "peers</h1>\n"
        "<p class=\"verdict %s\">%s</p>\n",
        WARPCHECK_VERSION, json_array_size(json_object_get(page->results, "peers")), exits[exit].class,
        exits[exit].words);
}

static void matrix_page_put_sections(struct iw_matrix_page *page) {
    iw_html_print(page->out,
        "<li><a href=\"#overview\">Overview</a></li>\n<li><a href=\"#matrix\">Matrix</a></li>\n"
        "<li><a href=\"#changes\">Changes</a></li>\n<li><a href=\"#findings\">Violations</a></li>\n"
        "<li><a href=\"#cells\">Cells</a> <span class=\"count\">%zu</span></li>\n"
        "<li><a href=\"#peers\">Peers</a></li>\n<li><a href=\"#runs\">Runs</a></li>\n",
        json_array_size(page->cells));
}

/* ---- filter ---- */

static void matrix_page_put_verdicts(struct iw_matrix_page *page) {
    size_t counts[IW_MATRIX_VERDICTS];

    iw_matrix_results_count(page->results, counts);
    for (int i = IW_MATRIX_VERDICTS - 1; i >= 0; i--)
        if (counts[i] > 0)
            iw_html_print(page->out,
                "<label><input type=\"checkbox\" name=\"verdict\" value=\"%s\" checked> %s <span "
                "class=\"count\">%zu</span>"
                "</label>\n",
                iw_matrix_verdict_name((enum iw_matrix_verdict)i),
                iw_matrix_verdict_name((enum iw_matrix_verdict)i), counts[i]);
}

static void matrix_page_put_options(struct iw_matrix_page *page, const char *list) {
    const json_t *one;
    size_t i;

    json_array_foreach(json_object_get(page->results, list), i, one) {
        iw_html_print(page->out, "<option value=\"%s\">%s</option>\n", iw_json_member_text(one, "name"),
            iw_json_member_text(one, "name"));
    }
}

static void matrix_page_put_peer_options(struct iw_matrix_page *page) {
    matrix_page_put_options(page, "peers");
}

static void matrix_page_put_scenario_options(struct iw_matrix_page *page) {
    matrix_page_put_options(page, "scenarios");
}

/* ---- tables ---- */

static void matrix_page_put_overview(struct iw_matrix_page *page) {
    static const char *const classes[IW_MATRIX_VERDICTS] = {
        "conforms", "waived", "unjudged", "violates", "warning"};
    size_t counts[IW_MATRIX_VERDICTS];
    const json_t *run = matrix_page_run(page);

    iw_matrix_results_count(page->results, counts);
    iw_html_print(page->out, "<dl class=\"figures\">\n");
    for (int i = 0; i < IW_MATRIX_VERDICTS; i++)
        iw_html_print(page->out, "<div class=\"%s\"><dt>%s</dt><dd>%zu</dd></div>\n",
            counts[i] > 0 ? classes[i] : "nil", iw_matrix_verdict_name((enum iw_matrix_verdict)i), counts[i]);
    iw_html_print(page->out,
        "</dl>\n<p>Run %" PRIu64 ", %s: %" PRIu64 " cells run, %" PRIu64 " kept from earlier runs, %" PRIu64
        " outdated%s.</p>\n",
        (uint64_t)json_integer_value(json_object_get(run, "run")), iw_json_member_text(run, "started"),
        (uint64_t)json_integer_value(json_object_get(run, "ran")),
        (uint64_t)json_integer_value(json_object_get(run, "kept")),
        (uint64_t)json_integer_value(json_object_get(run, "outdated")),
        json_is_true(json_object_get(run, "interrupted")) ? "; interrupted" : "");
}

static void matrix_page_put_legend(const struct iw_matrix_page *page) {
    const json_t *row;
    size_t i;

    iw_html_print(page->out, "<dl class=\"legend\">\n");
    json_array_foreach(json_object_get(page->results, "scenarios"), i, row) {
        iw_html_print(page->out, "<div><dt>%s</dt><dd><b>%s</b>: %s</dd></div>\n",
            iw_json_member_text(row, "code"), iw_json_member_text(row, "name"),
            iw_json_member_text(row, "title"));
    }
    iw_html_print(page->out, "</dl>\n");
}

static void matrix_page_put_matrix(struct iw_matrix_page *page) {
    const json_t *peers = json_object_get(page->results, "peers"), *initiator, *responder;
    size_t i, k;

    iw_html_print(page->out,
        "<div class=\"scroll\" role=\"region\" aria-labelledby=\"matrix-title\" tabindex=\"0\">\n<table "
        "class=\"pairs\">\n<thead><tr><th scope=\"col\">Initiator</th>");
    json_array_foreach(peers, i, responder) {
        iw_html_print(page->out, "<th scope=\"col\">%s</th>", iw_json_member_text(responder, "name"));
    }
    iw_html_print(page->out, "</tr></thead>\n<tbody>\n");
    json_array_foreach(peers, i, initiator) {
        iw_html_print(page->out, "<tr><th scope=\"row\">%s</th>", iw_json_member_text(initiator, "name"));
        json_array_foreach(peers, k, responder) {
            iw_html_print(page->out, "<td>");
            iw_matrix_page_put_pair(
                page, iw_json_member_text(initiator, "name"), iw_json_member_text(responder, "name"));
            iw_html_print(page->out, "</td>");
        }
        iw_html_print(page->out, "</tr>\n");
    }
    iw_html_table_end(page->out);
    matrix_page_put_legend(page);
}

static void matrix_page_put_peers(struct iw_matrix_page *page) {
    static const char *const columns[] = {"Peer", "Profile", "Version", NULL};
    const json_t *peer;
    size_t i;

    iw_html_table_begin(page->out, "peers-title", columns);
    json_array_foreach(json_object_get(page->results, "peers"), i, peer) {
        iw_html_print(page->out, "<tr><th scope=\"row\">%s</th><td>%s</td><td class=\"words\">%s</td></tr>\n",
            iw_json_member_text(peer, "name"), iw_json_member_text(peer, "profile"),
            iw_json_member_text(peer, "version"));
    }
    iw_html_table_end(page->out);
}

/* The latest run first. */
static void matrix_page_put_runs(struct iw_matrix_page *page) {
    static const char *const columns[] = {"#Run", "Started", "Version", "#Cells run", "#Kept", "#Changed",
        "#Pass", "#Not supported", "#Not judged", "#Fail", "#Error", NULL};
    static const char *const numbers[] = {"ran", "kept", "changed"};
    const json_t *runs = json_object_get(page->results, "runs");

    iw_html_table_begin(page->out, "runs-title", columns);
    for (size_t i = json_array_size(runs); i > 0; i--) {
        const json_t *run = json_array_get(runs, i - 1), *counts = json_object_get(run, "counts");

        iw_html_print(page->out, "<tr><td class=\"number\">%" PRIu64 "</td><td>%s</td><td>%s</td>",
            (uint64_t)json_integer_value(json_object_get(run, "run")), iw_json_member_text(run, "started"),
            iw_json_member_text(run, "version"));
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            iw_html_print(page->out, "<td class=\"number\">%" PRIu64 "</td>",
                (uint64_t)json_integer_value(json_object_get(run, numbers[k])));
        for (int k = 0; k < IW_MATRIX_VERDICTS; k++)
            iw_html_print(page->out, "<td class=\"number\">%" PRIu64 "</td>",
                (uint64_t)json_integer_value(
                    json_object_get(counts, iw_matrix_verdict_name((enum iw_matrix_verdict)k))));
        iw_html_print(page->out, "</tr>\n");
    }
    iw_html_table_end(page->out);
}

/* ---- the page ---- */

static void matrix_page_fill_place(void *user, const char *name, size_t length) {
    static const struct {
        const char *name;
        void (*put)(struct iw_matrix_page *page);
    } places[] = {
        {"title", matrix_page_put_title},
        {"masthead", matrix_page_put_masthead},
        {"sections", matrix_page_put_sections},
        {"verdicts", matrix_page_put_verdicts},
        {"peer-options", matrix_page_put_peer_options},
        {"scenario-options", matrix_page_put_scenario_options},
        {"overview", matrix_page_put_overview},
        {"matrix", matrix_page_put_matrix},
        {"changes", iw_matrix_page_put_changes},
        {"findings", iw_matrix_page_put_findings},
        {"cells", iw_matrix_page_put_cells},
        {"peers", matrix_page_put_peers},
        {"runs", matrix_page_put_runs},
    };

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strlen(places[i].name) == length && memcmp(places[i].name, name, length) == 0)
            places[i].put(user);
}

bool iw_matrix_page_put(FILE *out, const json_t *results) {
    struct iw_matrix_page page = {
        .out = out, .results = results, .cells = json_object_get(results, "cells"), .whole = true};

    iw_html_fill(out, iw_matrix_page_template, matrix_page_fill_place, &page);
    return page.whole;
}
