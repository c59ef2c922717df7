#include "iw_check_report.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_show.h"
#include "iw_text.h"
#include "iw_walk.h"

enum derived {
#define IW_DERIVED(symbol, label, filter, type, how) DERIVED_##symbol,
#include "iw_derived.def"
    DERIVED_COUNT,
};

static const char *const derived_names[DERIVED_COUNT] = {
#define IW_DERIVED(symbol, label, filter, type, how) filter,
#include "iw_derived.def"
};

/* Fields with the same filter name, such as T of tagged and untagged headers, share a column. */
struct numbering {
    unsigned column[IW_FIELD_COUNT];                  /* by field */
    const char *name[IW_FIELD_COUNT + DERIVED_COUNT]; /* by column */
    unsigned fields; /* number of columns for fields; derived columns follow */
    unsigned count;
};

static void number_columns(struct numbering *numbering) {
    numbering->count = 0;
    for (unsigned field = 0; field < IW_FIELD_COUNT; field++) {
        unsigned column = 0;

        while (column < numbering->count && strcmp(numbering->name[column], iw_fields[field].filter) != 0)
            column++;

        if (column == numbering->count)
            numbering->name[numbering->count++] = iw_fields[field].filter;
        numbering->column[field] = column;
    }
    numbering->fields = numbering->count;
    for (unsigned i = 0; i < DERIVED_COUNT; i++)
        numbering->name[numbering->count++] = derived_names[i];
}

void iw_check_report_fields_list(FILE *out, const char *before, const char *after) {
    struct numbering numbering;

    number_columns(&numbering);
    for (unsigned column = 0; column < numbering.count; column++)
        fprintf(out, "%siwarp.%s%s\n", before, numbering.name[column], after);
}

struct cell {
    uint64_t frame;
    uint64_t ordinal; /* index of the cell in the order of events */
    size_t text;      /* offset of its value in `texts` */
    unsigned column;
};

struct columns {
    struct numbering numbering;
    struct cell *cells;
    size_t count;
    uint32_t capacity;
    struct iw_text texts; /* all values, each followed by NUL */
    uint64_t frame;       /* of the current event */
    bool failed;
};

static void columns_free(struct columns *columns) {
    if (columns == NULL)
        return;
    free(iw_text_close(&columns->texts));
    free(columns->cells);
    free(columns);
}

static void columns_begin(struct iw_check_report *report) {
    struct columns *columns = calloc(1, sizeof *columns);

    if (columns != NULL)
        number_columns(&columns->numbering);
    if (columns != NULL && !iw_text_open(&columns->texts)) {
        free(columns);
        columns = NULL;
    }
    report->state = columns;
}

/* Begins a cell: its value follows in `texts`, then columns_end_cell. Returns false if memory ran out. */
static bool columns_begin_cell(struct columns *columns, uint64_t frame, unsigned column) {
    columns->failed |=
        !iw_array_reserve(&columns->cells, &columns->capacity, columns->count + 1, sizeof *columns->cells);
    if (columns->failed || !iw_text_flush(&columns->texts))
        return false;
    columns->cells[columns->count] = (struct cell){frame, columns->count, columns->texts.length, column};
    columns->count++;
    return true;
}

static void columns_end_cell(struct columns *columns) {
    fputc('\0', columns->texts.out);
}

static void columns_put_cell_text(
    struct columns *columns, uint64_t frame, enum derived derived, const char *text) {
    if (!columns_begin_cell(columns, frame, columns->numbering.fields + derived))
        return;
    fputs(text, columns->texts.out);
    columns_end_cell(columns);
}

static void columns_put_field(
    void *user, const struct iw_field *field, const uint8_t *header, enum iw_walk_place place) {
    struct columns *columns = user;
    unsigned column = columns->numbering.column[field - iw_fields];

    /* The opcode in the included header of a Terminate has its own column. */
    if (place == IW_WALK_QUOTED && field->kind == IW_KIND_OPCODE)
        column = columns->numbering.fields + DERIVED_TERMINATED_OPCODE;
    if (!columns_begin_cell(columns, columns->frame, column))
        return;
    iw_show_field(columns->texts.out, field, header);
    columns_end_cell(columns);
}

static void columns_put_findings(struct columns *columns, const struct iw_monitor_event *event) {
    for (size_t i = 0; i < event->finding_count; i++) {
        const struct iw_finding *finding = &event->findings[i];

        columns_put_cell_text(columns, finding->frame, DERIVED_FINDING, finding->message);
        columns_put_cell_text(columns, finding->frame, DERIVED_FINDING_REQUIREMENT, finding->requirement->id);
        columns_put_cell_text(columns, finding->frame, DERIVED_FINDING_LEVEL,
            iw_severity_name(iw_requirement_severity(finding->requirement)));
    }
}

static void columns_put_event(
    struct iw_check_report *report, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    struct columns *columns = report->state;

    (void)stream;
    if (columns == NULL)
        return;
    columns->frame = event->llp->frame;
    if (event->llp->kind != IW_LLP_CLOSE || event->finding_count > 0 || event->llp->pending.octets > 0)
        columns_put_cell_text(columns, columns->frame, DERIVED_ROLE, iw_role_name(event->role));
    if (event->llp->kind == IW_LLP_CLOSE && event->llp->pending.octets > 0) {
        char text[IW_UNFINISHED_TEXT_OCTETS];

        iw_unfinished_text(event->llp, text);
        columns_put_cell_text(columns, columns->frame, DERIVED_UNFINISHED, text);
    }
    iw_walk_event(event, columns_put_field, columns);
    if (event->llp->kind == IW_LLP_SEGMENT && !event->llp->session)
        columns_put_cell_text(
            columns, columns->frame, DERIVED_CRC_STATUS, iw_crc_status_name(event->llp->fpdu->crc));
    if (event->judged != IW_FPDU_JUDGED)
        columns_put_cell_text(columns, columns->frame, DERIVED_NOT_JUDGED, iw_fpdu_not_judged(event->judged));
    if (event->segment) {
        char text[16];

        snprintf(text, sizeof text, "%u", event->segment->payload_octets);
        columns_put_cell_text(columns, columns->frame, DERIVED_PAYLOAD_OCTETS, text);
    }
    columns_put_findings(columns, event);
}

static int columns_compare_cells(const void *left, const void *right) {
    const struct cell *one = left, *other = right;

    if (one->frame != other->frame)
        return one->frame < other->frame ? -1 : 1;
    if (one->column != other->column)
        return one->column < other->column ? -1 : 1;
    return one->ordinal < other->ordinal ? -1 : one->ordinal > other->ordinal;
}

static void columns_print_cells(
    const struct columns *columns, const struct cell *cells, size_t count, FILE *out) {
    size_t next = 0;

    fprintf(out, "%" PRIu64, cells->frame);
    for (unsigned column = 0; column < columns->numbering.count; column++) {
        const char *separator = "\t";

        if (next == count || cells[next].column != column)
            fputs(separator, out);
        for (; next < count && cells[next].column == column; next++) {
            fprintf(out, "%s%s", separator, columns->texts.octets + cells[next].text);
            separator = ",";
        }
    }
    fputc('\n', out);
}

static void columns_print(struct iw_check_report *report, const struct iw_check_counts *counts) {
    struct columns *columns = report->state;
    bool flushed = columns != NULL && iw_text_flush(&columns->texts);
    size_t first = 0;

    (void)counts;
    if (!flushed || columns->failed)
        report->result.incomplete = true;
    if (flushed && columns->count > 0)
        qsort(columns->cells, columns->count, sizeof *columns->cells, columns_compare_cells);
    for (size_t i = 1; flushed && i <= columns->count; i++)
        if (i == columns->count || columns->cells[i].frame != columns->cells[first].frame) {
            columns_print_cells(columns, columns->cells + first, i - first, report->out);
            first = i;
        }
    columns_free(columns);
    report->state = NULL;
}

const struct iw_check_report_form iw_check_report_fields = {
    .file_begin = columns_begin, .event = columns_put_event, .file_end = columns_print};
