#include "iw_live_column.h"

#include <inttypes.h>
#include <stdio.h>

void iw_live_number(uint64_t value, char text[IW_LIVE_NUMBER_OCTETS]) {
    static const char units[] = "kMGTPE";
    double rest = (double)value;
    int unit = -1;

    if (value < 10000) {
        snprintf(text, IW_LIVE_NUMBER_OCTETS, "%" PRIu64, value);
        return;
    }
    while (rest >= 999.5) {
        rest /= 1000;
        unit++;
    }
    snprintf(text, IW_LIVE_NUMBER_OCTETS, "%.*f%c",
        rest < 9.995   ? 2
        : rest < 99.95 ? 1
                       : 0,
        rest, units[unit]);
}

/* ---- cells ---- */

static void live_cell(char cell[IW_LIVE_CELL_OCTETS], const char *text) {
    snprintf(cell, IW_LIVE_CELL_OCTETS, "%s", text);
}

static enum iw_side live_second(const struct iw_live_row *row) {
    return iw_side_other(iw_live_row_first(row));
}

static void live_put_first(const struct iw_live_row *row, uint8_t stricter, char *cell) {
    (void)stricter;
    live_cell(cell, row->address[iw_live_row_first(row)]);
}

static void live_put_second(const struct iw_live_row *row, uint8_t stricter, char *cell) {
    (void)stricter;
    live_cell(cell, row->address[live_second(row)]);
}

static void live_put_state(const struct iw_live_row *row, uint8_t stricter, char *cell) {
    (void)stricter;
    live_cell(cell, iw_live_row_state_name(row));
}

static void live_put_verdict(const struct iw_live_row *row, uint8_t stricter, char *cell) {
    live_cell(cell, iw_live_row_verdict(row, stricter));
}

static void live_put_findings(const struct iw_live_row *row, uint8_t stricter, char *cell) {
    char text[IW_SEVERITY_ERROR + 1][IW_LIVE_NUMBER_OCTETS];

    (void)stricter;
    for (int i = 0; i <= IW_SEVERITY_ERROR; i++)
        iw_live_number(iw_live_row_findings(row, (enum iw_severity)i), text[i]);
    snprintf(cell, IW_LIVE_CELL_OCTETS, "%s/%s/%s", text[IW_SEVERITY_ERROR], text[IW_SEVERITY_WARNING],
        text[IW_SEVERITY_NOTE]);
}

static void live_put_rate(const struct iw_live_row *row, uint8_t stricter, char *cell) {
    (void)stricter;
    iw_live_number(row->rate[IW_SIDE_A].per_second + row->rate[IW_SIDE_B].per_second, cell);
}

/* Outstanding requests of a side, of how many that may be outstanding: the IRD of the other side, and its own
 * ORD (RFC 6581 9.1). */
static void live_put_outstanding(const struct iw_live_row *row, enum iw_side requester, char *cell) {
    char count[IW_LIVE_NUMBER_OCTETS];
    uint32_t depth;

    iw_live_number(iw_live_row_outstanding(row, requester), count);
    if (iw_mpa_depth(iw_live_row_terms(row), requester, &depth))
        snprintf(cell, IW_LIVE_CELL_OCTETS, "%s/%" PRIu32, count, depth);
    else
        live_cell(cell, count);
}

static void live_put_first_outstanding(const struct iw_live_row *row, uint8_t stricter, char *cell) {
    (void)stricter;
    live_put_outstanding(row, iw_live_row_first(row), cell);
}

static void live_put_second_outstanding(const struct iw_live_row *row, uint8_t stricter, char *cell) {
    (void)stricter;
    live_put_outstanding(row, live_second(row), cell);
}

static void live_put_first_fpdus(const struct iw_live_row *row, uint8_t stricter, char *cell) {
    (void)stricter;
    iw_live_number(iw_live_row_counts(row)->fpdus[iw_live_row_first(row)], cell);
}

static void live_put_second_fpdus(const struct iw_live_row *row, uint8_t stricter, char *cell) {
    (void)stricter;
    iw_live_number(iw_live_row_counts(row)->fpdus[live_second(row)], cell);
}

static void live_put_first_octets(const struct iw_live_row *row, uint8_t stricter, char *cell) {
    (void)stricter;
    iw_live_number(iw_live_row_counts(row)->payload_octets[iw_live_row_first(row)], cell);
}

static void live_put_second_octets(const struct iw_live_row *row, uint8_t stricter, char *cell) {
    (void)stricter;
    iw_live_number(iw_live_row_counts(row)->payload_octets[live_second(row)], cell);
}

/* The Rev of the second startup frame is in force; before it comes, the first one proposes. */
static void live_put_revision(const struct iw_live_row *row, uint8_t stricter, char *cell) {
    const struct iw_mpa_terms *terms = iw_live_row_terms(row);
    enum iw_side first = iw_live_row_first(row), second = iw_side_other(first);

    (void)stricter;
    cell[0] = '\0';
    if (row->sctp)
        live_cell(cell, "SCTP");
    else if (terms->seen[first] || terms->seen[second])
        snprintf(
            cell, IW_LIVE_CELL_OCTETS, "%u", terms->frame[terms->seen[second] ? second : first].header.rev);
}

static void live_put_markers(const struct iw_live_row *row, uint8_t stricter, char *cell) {
    const struct iw_mpa_terms *terms = iw_live_row_terms(row);
    enum iw_side first = iw_live_row_first(row);
    bool one = terms->markers[first], other = terms->markers[iw_side_other(first)];

    (void)stricter;
    live_cell(cell, one && other ? "both" : one ? "->" : other ? "<-" : "no");
}

static void live_put_crc(const struct iw_live_row *row, uint8_t stricter, char *cell) {
    static const char *const texts[] = {[IW_CRC_OFF] = "no", [IW_CRC_ON] = "yes", [IW_CRC_UNKNOWN] = "?"};

    (void)stricter;
    live_cell(cell, row->sctp ? "" : texts[iw_live_row_terms(row)->crc]);
}

/* The IRD and ORD that each startup frame states. */
static void live_put_depths(const struct iw_live_row *row, uint8_t stricter, char *cell) {
    const struct iw_mpa_terms *terms = iw_live_row_terms(row);
    enum iw_side side = iw_live_row_first(row);
    size_t used = 0;

    (void)stricter;
    cell[0] = '\0';
    for (int i = 0; i < 2; i++, side = iw_side_other(side)) {
        const struct iw_startup *frame = &terms->frame[side];

        if (terms->seen[side] && frame->enhanced)
            used += (size_t)snprintf(cell + used, IW_LIVE_CELL_OCTETS - used, "%s%u/%u", used > 0 ? " " : "",
                frame->enhanced_data.ird, frame->enhanced_data.ord);
    }
}

static void live_put_latest(const struct iw_live_row *row, uint8_t stricter, char *cell) {
    const struct iw_live_finding *latest = iw_live_row_finding(row, 0);

    (void)stricter;
    cell[0] = '\0';
    if (latest != NULL)
        snprintf(cell, IW_LIVE_CELL_OCTETS, "%s%s %s", latest->waived ? "waived " : "",
            latest->finding.requirement->id, latest->finding.message);
}

/* "->": of the initiator, "<-": of the responder. */
enum { ADDRESSES = 2, ADDRESS_WIDTH = 21, ADDRESS_WIDE = 47 }; /* IPv4 and IPv6 with brackets and port */
const struct iw_live_column iw_live_columns[IW_LIVE_COLUMNS] = {
    {"initiator", ADDRESS_WIDTH, ADDRESS_WIDE, false, false, live_put_first},
    {"responder", ADDRESS_WIDTH, ADDRESS_WIDE, false, false, live_put_second},
    {"state", 9, 9, false, false, live_put_state},
    {"verdict", 9, 16, false, true, live_put_verdict},
    {"err/w/n", 7, 11, true, true, live_put_findings},
    {"octets/s", 8, 8, true, false, live_put_rate},
    {"out ->", 7, 9, true, false, live_put_first_outstanding},
    {"out <-", 7, 9, true, false, live_put_second_outstanding},
    {"FPDUs ->", 8, 8, true, false, live_put_first_fpdus},
    {"FPDUs <-", 8, 8, true, false, live_put_second_fpdus},
    {"octets ->", 9, 9, true, false, live_put_first_octets},
    {"octets <-", 9, 9, true, false, live_put_second_octets},
    {"Rev", 4, 4, false, false, live_put_revision},
    {"Markers", 7, 7, false, false, live_put_markers},
    {"CRC", 3, 3, false, false, live_put_crc},
    {"IRD/ORD", 11, 23, false, false, live_put_depths},
    {"latest finding", 20, IW_LIVE_CELL_OCTETS, false, false, live_put_latest},
};

void iw_live_columns_fit(unsigned total, unsigned address, unsigned width[IW_LIVE_COLUMNS]) {
    unsigned used = 0, rest;

    bool fits = true;

    for (unsigned i = 0; i < IW_LIVE_COLUMNS; i++) {
        unsigned wanted = iw_live_columns[i].width + (used > 0);

        fits &= used + wanted <= total;
        width[i] = fits ? iw_live_columns[i].width : 0;
        used += fits ? wanted : 0;
    }
    rest = total > used ? total - used : 0;
    for (unsigned i = 0; i < IW_LIVE_COLUMNS && rest > 0; i++) {
        unsigned wide =
            i < ADDRESSES && address < iw_live_columns[i].wide ? address : iw_live_columns[i].wide;
        unsigned more = width[i] > 0 && wide > width[i] ? wide - width[i] : 0;

        more = more < rest ? more : rest;
        width[i] += more;
        rest -= more;
    }
}
