#include <inttypes.h>

#include "iw_describe.h"
#include "iw_html.h"
#include "iw_page.h"
#include "iw_plural.h"
#include "iw_show.h"

/* The section of connections: a table, then the negotiation, traffic and losses of each connection. */

static void connections_put_cell(const struct iw_page *page, uint64_t count, const char *class) {
    iw_html_print(page->out, "<td class=\"number %s\">%" PRIu64 "</td>", count > 0 ? class : "nil", count);
}

static const char *const crc_uses[] = {
    [IW_CRC_OFF] = "not in use", [IW_CRC_ON] = "in use", [IW_CRC_UNKNOWN] = "not known"};

/* Prints the address of a side; names the side only if its role is unknown, as the column shows the role. */
static void connections_put_address(
    const struct iw_page *page, const struct iw_check_connection *connection, enum iw_side side) {
    iw_html_print(page->out, "<td class=\"address\">%s", connection->address[side]);
    if (connection->role[side] == IW_ROLE_UNKNOWN)
        iw_html_print(page->out, " <span class=\"aside\">%s</span>", iw_check_side_name(connection, side));
    iw_html_print(page->out, "</td>");
}

static void connections_put_row(const struct iw_page *page, size_t place) {
    const struct iw_check_connection *connection = page->result->connections[place];
    const struct iw_monitor_counts *counts = &connection->counts;
    enum iw_side first = iw_check_first_side(connection);
    uint64_t reasons = 0;

    for (int i = 0; i < IW_UNJUDGED_COUNT; i++)
        reasons += connection->totals.unjudged[i] > 0;
    iw_html_print(page->out, "<tr data-connection=\"%zu\"><th scope=\"row\">", place);
    if (page->connections[place].detailed)
        iw_html_print(page->out, "<a href=\"#c%zu\">%" PRIu64 "</a>", place, connection->number);
    else
        iw_html_print(page->out, "%" PRIu64, connection->number);
    if (connection->sctp)
        iw_html_print(page->out, " <span class=\"aside\">SCTP</span>");
    iw_html_print(page->out, "</th><td>");
    iw_page_put_verdict(page, &connection->totals);
    iw_html_print(page->out, "</td>");
    connections_put_address(page, connection, first);
    connections_put_address(page, connection, iw_side_other(first));
    iw_html_print(page->out, "<td class=\"number\">%" PRIu64 "&ndash;%" PRIu64, connection->first_frame,
        connection->last_frame);
    iw_page_put_other_file(page, connection->last_file, connection->file);
    iw_html_print(page->out, "</td><td class=\"short\">%s</td>",
        connection->sctp ? "of SCTP" : crc_uses[connection->terms.crc]);
    connections_put_cell(page, counts->fpdus[IW_SIDE_A] + counts->fpdus[IW_SIDE_B], "plain");
    connections_put_cell(
        page, counts->payload_octets[IW_SIDE_A] + counts->payload_octets[IW_SIDE_B], "plain");
    connections_put_cell(page, connection->totals.findings[IW_SEVERITY_ERROR], "error");
    connections_put_cell(page, connection->totals.findings[IW_SEVERITY_WARNING], "warning");
    connections_put_cell(page, connection->totals.findings[IW_SEVERITY_NOTE], "note");
    connections_put_cell(page, reasons, "unjudged");
    iw_html_print(page->out, "</tr>\n");
}

/* Prints the table of connections, grouped by file if there are several. */
static void connections_put_table(const struct iw_page *page) {
    static const char *const columns[] = {"Stream", "Verdict", "Initiator", "Responder", "#Frames", "CRC",
        "#FPDUs", "#Payload octets", "#Errors", "#Warnings", "#Notes", "#Unjudged", NULL};
    const char *file = NULL;
    uint64_t beyond = 0;

    iw_html_table_begin(page->out, "connections-title", columns);
    for (size_t i = 0; i < page->result->connection_count; i++) {
        const struct iw_check_connection *connection = page->result->connections[i];

        if (!page->connections[i].listed) {
            beyond++;
            continue;
        }
        if (page->report->many && connection->file != file)
            iw_html_print(page->out,
                "</tbody>\n<tbody>\n<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"12\" "
                "class=\"path\">%s</th></tr>\n",
                connection->file);
        file = connection->file;
        connections_put_row(page, i);
    }
    iw_html_table_end(page->out);
    if (beyond > 0)
        iw_html_print(page->out,
            "<p class=\"beyond\">%" PRIu64
            " more connection%s not listed. Those with findings go first, then those "
            "that could not be judged in full.</p>\n",
            beyond, beyond == 1 ? " is" : "s are");
}

/* Prints one property of a side. */
typedef void put_side(FILE *out, const struct iw_check_connection *connection, enum iw_side side);

static void connections_put_revision(
    FILE *out, const struct iw_check_connection *connection, enum iw_side side) {
    iw_html_print(out, "%u", connection->terms.frame[side].header.rev);
}

static void connections_put_flags(
    FILE *out, const struct iw_check_connection *connection, enum iw_side side) {
    const struct iw_mpa_startup *header = &connection->terms.frame[side].header;

    iw_html_print(out, "M=%u C=%u R=%u S=%u", header->m, header->c, header->r, header->s);
}

/* Over SCTP, an Initiate and its Accept or Reject replace the startup frames (RFC 5043 5.2.3). */
static void connections_put_function(
    FILE *out, const struct iw_check_connection *connection, enum iw_side side) {
    const struct iw_startup *frame = &connection->terms.frame[side];

    iw_html_print(out, "%s%s", frame->enhanced ? "Enhanced " : "",
        frame->key == IW_STARTUP_REQUEST ? "Initiate"
        : frame->header.r                ? "Reject"
                                         : "Accept");
}

static void connections_put_private(
    FILE *out, const struct iw_check_connection *connection, enum iw_side side) {
    const struct iw_startup *frame = &connection->terms.frame[side];
    uint64_t octets = frame->header.pd_length;

    /* The enhanced data come before the ULP's private data (RFC 6581 9). */
    if (frame->enhanced)
        octets -= octets < iw_mpa_enhanced_octets ? octets : iw_mpa_enhanced_octets;
    iw_html_print(out, "%" PRIu64 " octet%s", octets, iw_plural(octets));
}

static void connections_put_model(
    FILE *out, const struct iw_check_connection *connection, enum iw_side side) {
    const struct iw_startup *frame = &connection->terms.frame[side];

    if (!frame->enhanced)
        iw_html_print(out, "none");
    else
        iw_html_print(out, "%s, IRD %u, ORD %u", frame->enhanced_data.a ? "peer-to-peer" : "client-server",
            frame->enhanced_data.ird, frame->enhanced_data.ord);
}

static void connections_put_rtr(FILE *out, const struct iw_check_connection *connection, enum iw_side side) {
    const struct iw_startup *frame = &connection->terms.frame[side];
    unsigned rtr = frame->enhanced && frame->enhanced_data.a ? iw_startup_rtr(&frame->enhanced_data) : 0;

    iw_html_print(out, "%s", rtr == 0 ? "none" : iw_startup_rtr_text(rtr));
}

static void connections_put_announced(const struct iw_page *page,
    const struct iw_check_connection *connection, const char *what, put_side *print) {
    enum iw_side first = iw_check_first_side(connection);

    iw_html_print(page->out, "<tr><th scope=\"row\">%s</th>", what);
    for (int i = 0; i < 2; i++) {
        enum iw_side side = i == 0 ? first : iw_side_other(first);

        iw_html_print(page->out, "<td>");
        if (connection->terms.seen[side])
            print(page->out, connection, side);
        else
            iw_html_print(page->out, "<span class=\"aside\">not captured</span>");
        iw_html_print(page->out, "</td>");
    }
    iw_html_print(page->out, "</tr>\n");
}

static void connections_begin_table(const struct iw_page *page, const char *caption) {
    iw_html_print(page->out,
        "<div class=\"scroll\" role=\"region\" aria-label=\"%s\" tabindex=\"0\">\n<table class=\"sides\">\n"
        "<caption>%s</caption>\n<thead><tr>",
        caption, caption);
}

static void connections_begin_sides(const struct iw_page *page, const struct iw_check_connection *connection,
    const char *caption, const char *columns) {
    enum iw_side first = iw_check_first_side(connection);

    connections_begin_table(page, caption);
    iw_html_print(page->out,
        "<th scope=\"col\">%s</th><th scope=\"col\">%s</th><th scope=\"col\">%s</th></tr></thead>\n<tbody>\n",
        columns, iw_check_side_name(connection, first), iw_check_side_name(connection, iw_side_other(first)));
}

static void connections_put_negotiated(
    const struct iw_page *page, const struct iw_check_connection *connection) {
    const struct iw_mpa_terms *terms = &connection->terms;
    enum iw_side first = iw_check_first_side(connection);

    connections_begin_sides(
        page, connection, "Negotiated", connection->sctp ? "Control message" : "Startup frame");
    if (connection->sctp) {
        connections_put_announced(page, connection, "Function", connections_put_function);
    } else {
        connections_put_announced(page, connection, "MPA revision", connections_put_revision);
        connections_put_announced(page, connection, "Flags", connections_put_flags);
    }
    connections_put_announced(page, connection, "Enhanced data", connections_put_model);
    connections_put_announced(page, connection, "Ready to receive by", connections_put_rtr);
    connections_put_announced(page, connection, "Private data", connections_put_private);
    if (!connection->sctp)
        iw_html_print(page->out,
            "<tr><th scope=\"row\">Sends markers</th><td>%s</td><td>%s</td></tr>\n"
            "<tr><th scope=\"row\">CRC</th><td colspan=\"2\">%s%s</td></tr>\n",
            terms->markers[first] ? "yes" : "no", terms->markers[iw_side_other(first)] ? "yes" : "no",
            crc_uses[terms->crc], terms->rejected ? "; the connection was rejected" : "");
    iw_html_table_end(page->out);
}

static void connections_put_traffic_row(
    const struct iw_page *page, const char *class, const char *what, const uint64_t counts[2][3]) {
    iw_html_print(page->out, "<tr class=\"%s\"><th scope=\"row\">%s</th>", class, what);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 3; i++)
            connections_put_cell(page, counts[side][i], "plain");
    iw_html_print(page->out, "</tr>\n");
}

/* Prints the counts of an opcode, with both sides, if `at` is its first traffic row. */
static void connections_put_opcode(
    const struct iw_page *page, const struct iw_check_connection *connection, size_t at) {
    const struct iw_check_kept *kept = &connection->kept;
    const struct iw_opcode *op = kept->traffic[at].op;
    enum iw_side first = iw_check_first_side(connection);
    uint64_t counts[2][3] = {{0}};

    for (size_t i = 0; i < kept->traffic_count; i++) {
        const struct iw_check_traffic *row = &kept->traffic[i];
        uint64_t *of_side = counts[row->side == first ? 0 : 1];

        if (row->op != op)
            continue;
        if (i < at)
            return;
        of_side[0] = row->fpdus;
        of_side[1] = row->messages;
        of_side[2] = row->octets;
    }
    connections_put_traffic_row(page, "opcode", op != NULL ? op->title : "unknown opcodes", counts);
}

static void connections_put_traffic(
    const struct iw_page *page, const struct iw_check_connection *connection) {
    enum iw_side first = iw_check_first_side(connection), second = iw_side_other(first);
    const struct iw_monitor_counts *counts = &connection->counts;
    const uint64_t total[2][3] = {
        {counts->fpdus[first], counts->messages[first], counts->payload_octets[first]},
        {counts->fpdus[second], counts->messages[second], counts->payload_octets[second]}};

    connections_begin_table(page, "Traffic");
    iw_html_print(page->out,
        "<th rowspan=\"2\" scope=\"col\">Opcode</th>"
        "<th colspan=\"3\" scope=\"colgroup\">%s</th><th colspan=\"3\" scope=\"colgroup\">%s</th></tr>\n<tr>",
        iw_check_side_name(connection, first), iw_check_side_name(connection, second));
    for (int side = 0; side < 2; side++)
        iw_html_print(page->out,
            "<th scope=\"col\" class=\"number\">%s</th><th scope=\"col\" class=\"number\">messages</th>"
            "<th scope=\"col\" class=\"number\">octets</th>",
            connection->sctp ? "DDP Segments" : "FPDUs");
    iw_html_print(page->out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < connection->kept.traffic_count; i++)
        connections_put_opcode(page, connection, i);
    connections_put_traffic_row(page, "total", "all", total);
    iw_html_table_end(page->out);
}

static void connections_put_tcp(const struct iw_page *page, const struct iw_check_connection *connection) {
    enum iw_side first = iw_check_first_side(connection);
    const struct iw_tcp_counters *tcp[2] = {&connection->tcp[first], &connection->tcp[iw_side_other(first)]};
    const struct {
        const char *what, *class;
        uint64_t count[2];
    } rows[] = {
        {"octets", "plain", {tcp[0]->octets, tcp[1]->octets}},
        {"never captured", "unjudged", {tcp[0]->lost, tcp[1]->lost}},
        {"of these acknowledged: capture loss", "unjudged", {tcp[0]->unseen, tcp[1]->unseen}},
        {"dropped at a limit", "unjudged", {tcp[0]->limited, tcp[1]->limited}},
        {"cut off by the capture", "unjudged", {tcp[0]->cut, tcp[1]->cut}},
        {"retransmitted", "plain", {tcp[0]->retransmitted, tcp[1]->retransmitted}},
        {"segments out of order", "plain", {tcp[0]->out_of_order, tcp[1]->out_of_order}},
        {"segments with a wrong checksum: ignored", "plain", {tcp[0]->discarded, tcp[1]->discarded}},
    };

    connections_begin_sides(page, connection, "TCP octets", "Sent");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        iw_html_print(page->out, "<tr><th scope=\"row\">%s</th>", rows[i].what);
        connections_put_cell(page, rows[i].count[0], rows[i].class);
        connections_put_cell(page, rows[i].count[1], rows[i].class);
        iw_html_print(page->out, "</tr>\n");
    }
    iw_html_table_end(page->out);
}

static void connections_put_unjudged(
    const struct iw_page *page, const struct iw_check_connection *connection) {
    for (int i = 0; i < IW_UNJUDGED_COUNT; i++) {
        uint64_t count = connection->counts.unjudged[i];

        if (count > 0)
            iw_html_print(page->out, "<p class=\"unjudged\">Not judged: %" PRIu64 " %s, because %s.</p>\n",
                count, iw_unjudged_name((enum iw_unjudged)i, count), iw_unjudged_why((enum iw_unjudged)i));
    }
}

static void connections_put_request(const struct iw_page *page, const struct iw_check_connection *connection,
    enum iw_side side, unsigned at) {
    const struct iw_request_name *request = &connection->unanswered[side].named[at];
    char time[IW_SHOW_TIME_OCTETS], part[IW_DESCRIBE_PART_OCTETS];

    iw_show_time(request->time_ns, time);
    iw_html_print(page->out, "<li>%s, MSN %u, frame %" PRIu64, iw_opcodes[request->opcode].title,
        request->msn, request->frame);
    iw_page_put_other_file(page, connection->unanswered_file[side][at], connection->file);
    iw_html_print(page->out, ", since %s%s%s</li>\n", time, iw_describe_request_part(request, part),
        request->perhaps ? iw_check_perhaps_answered(connection) : "");
}

static void connections_put_unanswered(
    const struct iw_page *page, const struct iw_check_connection *connection, enum iw_side side) {
    const struct iw_unanswered *unanswered = &connection->unanswered[side];

    if (unanswered->count == 0)
        return;
    iw_html_print(page->out,
        "<p class=\"outstanding\">Outstanding %s: %" PRIu64 " request%s of %s%s without %s%s</p>\n<ul>\n",
        iw_describe_unanswered_end(unanswered->end, connection->sctp), unanswered->count,
        iw_plural(unanswered->count), connection->role[side] == IW_ROLE_UNKNOWN ? "" : "the ",
        iw_check_side_name(connection, side), iw_describe_unanswered_lack(unanswered),
        unanswered->count > unanswered->named_count ? "; the oldest:" : ":");
    for (unsigned i = 0; i < unanswered->named_count; i++)
        connections_put_request(page, connection, side, i);
    iw_html_print(page->out, "</ul>\n");
}

static void connections_put_session(
    const struct iw_page *page, const struct iw_check_connection *connection) {
    iw_html_print(page->out,
        "<p>Over SCTP: session %u on DDP Stream %u, %s; %" PRIu64
        " DATA chunk%s of its association not captured.</p>\n",
        connection->session.number, connection->session.stream,
        iw_session_state_name(connection->session.state), connection->lost_chunks,
        iw_plural(connection->lost_chunks));
}

/* Prints links to other sections. The script turns the link to the findings into a filter. */
static void connections_put_links(const struct iw_page *page, size_t place) {
    const struct iw_check_connection *connection = page->result->connections[place];

    iw_html_print(page->out, "<p class=\"links\">");
    if (connection->kept.finding_count > 0)
        iw_html_print(page->out, "<a href=\"#findings\" data-only=\"%zu\">Its findings</a> ", place);
    if (page->connections[place].logged)
        iw_html_print(page->out, "<a href=\"#l%zu\">Wire log</a>", place);
    iw_html_print(page->out, "</p>\n");
}

static void connections_put_details(const struct iw_page *page, size_t place) {
    const struct iw_check_connection *connection = page->result->connections[place];
    enum iw_side first = iw_check_first_side(connection);

    iw_html_print(page->out,
        "<details class=\"connection\" id=\"c%zu\" data-connection=\"%zu\">\n<summary><h3>", place, place);
    iw_page_put_connection_name(page, connection);
    iw_html_print(page->out, "</h3> <span class=\"address\">%s &rarr; %s</span> ", connection->address[first],
        connection->address[iw_side_other(first)]);
    iw_page_put_verdict(page, &connection->totals);
    iw_html_print(page->out, "</summary>\n");
    if (connection->sctp)
        connections_put_session(page, connection);
    if (connection->mapped)
        iw_html_print(page->out, "<p>Ports mapped by the iWARP port mapper: %s asked for %s.</p>\n",
            connection->connecting, connection->advertised);
    connections_put_unjudged(page, connection);
    if (connection->totals.unstarted > 0)
        iw_html_print(page->out, "<p class=\"unjudged\">Startup not finished: no Reply captured.</p>\n");
    connections_put_unanswered(page, connection, first);
    connections_put_unanswered(page, connection, iw_side_other(first));
    iw_html_print(page->out, "<div class=\"columns\">\n");
    connections_put_negotiated(page, connection);
    if (!connection->sctp)
        connections_put_tcp(page, connection);
    connections_put_traffic(page, connection);
    iw_html_print(page->out, "</div>\n");
    connections_put_links(page, place);
    iw_html_print(page->out, "</details>\n");
}

void iw_page_connections(const struct iw_page *page) {
    if (page->result->connection_count == 0) {
        iw_html_print(page->out, "<p>No iWARP connection found.</p>\n");
        return;
    }
    connections_put_table(page);
    for (size_t i = 0; i < page->result->connection_count; i++)
        if (page->connections[i].detailed)
            connections_put_details(page, i);
}
