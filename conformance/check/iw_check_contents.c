#include "iw_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void iw_check_contents_add(struct iw_check_contents *contents, enum iw_content content, uint16_t number,
    uint64_t frames, uint64_t first) {
    struct iw_check_content *row = contents->rows, *end = row + contents->count;

    contents->frames[content] += frames;
    if (contents->first[content] == 0)
        contents->first[content] = first;
    while (row < end && (row->content != content || row->number != number))
        row++;
    if (row == end && contents->count == IW_CHECK_CONTENTS) {
        contents->more += frames;
        return;
    }
    if (row == end) {
        contents->count++;
        *row = (struct iw_check_content){.content = content, .number = number};
    }
    row->frames += frames;
}

void iw_check_contents_join(struct iw_check_contents *contents, const struct iw_check_contents *other) {
    struct iw_check_contents rows = *contents;

    for (unsigned i = 0; i < other->count; i++)
        iw_check_contents_add(&rows, other->rows[i].content, other->rows[i].number, other->rows[i].frames,
            other->first[other->rows[i].content]);
    rows.more += other->more;
    for (unsigned i = 0; i < IW_CONTENT_COUNT; i++)
        rows.frames[i] = contents->frames[i] + other->frames[i];
    *contents = rows;
}

static int contents_by_frames(const void *one, const void *other) {
    const struct iw_check_content *a = one, *b = other;

    if (a->frames != b->frames)
        return a->frames < b->frames ? 1 : -1;
    if (a->content != b->content)
        return a->content < b->content ? -1 : 1;
    return (int)a->number - (int)b->number;
}

void iw_check_contents_sort(struct iw_check_contents *contents) {
    qsort(contents->rows, contents->count, sizeof *contents->rows, contents_by_frames);
}

void iw_check_content_text(const struct iw_check_content *row, char *text, size_t octets) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, octets, iw_content_text(row->content), row->number); /* format of iw_content.def */
#pragma GCC diagnostic pop
}

enum { LINE_ROWS = 4, TEXT_OCTETS = 96 };

void iw_check_contents_line(
    const struct iw_check_contents *contents, const char *separator, char *line, size_t octets) {
    struct iw_check_contents sorted = *contents;
    uint64_t rest = sorted.more;
    size_t used = 0;

    iw_check_contents_sort(&sorted);
    line[0] = '\0';
    for (unsigned i = 0; i < sorted.count; i++) {
        char text[TEXT_OCTETS];

        if (i >= LINE_ROWS) {
            rest += sorted.rows[i].frames;
            continue;
        }
        iw_check_content_text(&sorted.rows[i], text, sizeof text);
        used += (size_t)snprintf(line + used, used < octets ? octets - used : 0, "%s %" PRIu64 " with %s",
            i == 0 ? separator : ";", sorted.rows[i].frames, text);
        if (used >= octets)
            return;
    }
    if (rest > 0)
        snprintf(line + used, octets - used, "; %" PRIu64 " with something else", rest);
}
