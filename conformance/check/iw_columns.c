#include "iw_columns.h"

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

/* Several fields have one filter name (T of tagged and untagged) and share a column. */
struct numbering {
    unsigned column[IW_FIELD_COUNT];                  /* of each field */
    const char *name[IW_FIELD_COUNT + DERIVED_COUNT]; /* of each column */
    unsigned fields;                                  /* number of field columns; derived columns follow */
    unsigned count;
};

static unsigned columns_find_name(const struct numbering *numbering, const char *name) {
    unsigned column = 0;

    while (column < numbering->count && strcmp(numbering->name[column], name) != 0)
        column++;
    return column;
}

static void number_columns(struct numbering *numbering) {
    numbering->count = 0;
    for (unsigned field = 0; field < IW_FIELD_COUNT; field++) {
        unsigned column = columns_find_name(numbering, iw_fields[field].filter);

        if (column == numbering->count)
            numbering->name[numbering->count++] = iw_fields[field].filter;
        numbering->column[field] = column;
    }
    numbering->fields = numbering->count;
    for (unsigned i = 0; i < DERIVED_COUNT; i++)
        numbering->name[numbering->count++] = derived_names[i];
}

void iw_columns_list(FILE *out, const char *before, const char *after) {
    struct numbering numbering;

    number_columns(&numbering);
    for (unsigned column = 0; column < numbering.count; column++)
        fprintf(out, "%siwarp.%s%s\n", before, numbering.name[column], after);
}

struct cell {
    uint64_t frame;
    uint64_t ordinal; /* number of the cell in the order of events */
    size_t text;      /* offset of its value in the texts */
    unsigned column;
};

struct iw_columns {
    struct numbering numbering;
    struct cell *cells;
    size_t count;
    uint32_t capacity;
    struct iw_text texts; /* all values, each followed by NUL */
    uint64_t frame;       /* frame of the current event */
    bool failed;
};

struct iw_columns *iw_columns_new(void) {
    struct iw_columns *columns = calloc(1, sizeof *columns);

    if (!columns)
        return NULL;
    number_columns(&columns->numbering);
    if (!iw_text_open(&columns->texts)) {
        free(columns);
        return NULL;
    }
    return columns;
}

void iw_columns_free(struct iw_columns *columns) {
    if (!columns)
        return;
    free(iw_text_close(&columns->texts));
    free(columns->cells);
    free(columns);
}

/* Begins a cell: the caller then prints its value to `texts` and calls columns_end_cell. Returns false if
 * memory ran out. */
static bool columns_begin_cell(struct iw_columns *columns, uint64_t frame, unsigned column) {
    columns->failed |=
        !iw_array_reserve(&columns->cells, &columns->capacity, columns->count + 1, sizeof *columns->cells);
    if (columns->failed || !iw_text_flush(&columns->texts))
        return false;
    columns->cells[columns->count] = (struct cell){frame, columns->count, columns->texts.length, column};
    columns->count++;
    return true;
}

static void columns_end_cell(struct iw_columns *columns) {
    fputc('\0', columns->texts.out);
}

static void columns_put_cell_text(
    struct iw_columns *columns, uint64_t frame, enum derived derived, const char *text) {
    if (!columns_begin_cell(columns, frame, columns->numbering.fields + derived))
        return;
    fputs(text, columns->texts.out);
    columns_end_cell(columns);
}

static void columns_put_field(
    void *user, const struct iw_field *field, const uint8_t *header, enum iw_walk_place place) {
    struct iw_columns *columns = user;
    unsigned column = columns->numbering.column[field - iw_fields];

    /* The included header has its own opcode, which is not that of the Terminate. */
    if (place == IW_WALK_QUOTED && field->kind == IW_KIND_OPCODE)
        column = columns->numbering.fields + DERIVED_TERMINATED_OPCODE;
    if (!columns_begin_cell(columns, columns->frame, column))
        return;
    iw_show_field(columns->texts.out, field, header);
    columns_end_cell(columns);
}

static void columns_put_findings(struct iw_columns *columns, const struct iw_monitor_event *event) {
    for (size_t i = 0; i < event->finding_count; i++) {
        const struct iw_finding *finding = &event->findings[i];

        columns_put_cell_text(columns, finding->frame, DERIVED_FINDING, finding->message);
        columns_put_cell_text(columns, finding->frame, DERIVED_FINDING_REQUIREMENT, finding->requirement->id);
        columns_put_cell_text(columns, finding->frame, DERIVED_FINDING_LEVEL,
            iw_severity_name(iw_requirement_severity(finding->requirement)));
    }
}

static void columns_put_unfinished(struct iw_columns *columns, const struct iw_llp_event *close) {
    char text[IW_UNFINISHED_TEXT_OCTETS];

    iw_unfinished_text(close, text);
    columns_put_cell_text(columns, columns->frame, DERIVED_UNFINISHED, text);
}

void iw_columns_event(struct iw_columns *columns, const struct iw_monitor_event *event) {
    columns->frame = event->llp->frame;
    if (event->llp->kind != IW_LLP_CLOSE || event->finding_count > 0 || event->llp->pending.octets > 0)
        columns_put_cell_text(columns, columns->frame, DERIVED_ROLE, iw_role_name(event->role));
    if (event->llp->kind == IW_LLP_CLOSE && event->llp->pending.octets > 0)
        columns_put_unfinished(columns, event->llp);
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

/* Prints the cells of one frame: `count` sorted cells. */
static void columns_print_cells(
    const struct iw_columns *columns, const struct cell *cells, size_t count, FILE *out) {
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

enum iw_status iw_columns_print(struct iw_columns *columns, FILE *out) {
    size_t first = 0;

    if (!iw_text_flush(&columns->texts))
        return IW_ERR_NOMEM;
    if (columns->count > 0)
        qsort(columns->cells, columns->count, sizeof *columns->cells, columns_compare_cells);
    for (size_t i = 1; i <= columns->count; i++)
        if (i == columns->count || columns->cells[i].frame != columns->cells[first].frame) {
            columns_print_cells(columns, columns->cells + first, i - first, out);
            first = i;
        }
    return columns->failed ? IW_ERR_NOMEM : IW_OK;
}
