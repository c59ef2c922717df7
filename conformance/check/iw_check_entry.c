#include "iw_check_entry.h"

#include <stdlib.h>

#include "iw_array.h"
#include "iw_describe.h"
#include "iw_show.h"
#include "iw_text.h"

void iw_check_entry_free(struct iw_check_entry *entry) {
    if (entry == NULL)
        return;
    for (unsigned i = 0; i < entry->field_count; i++)
        free(entry->fields[i].value);
    free(entry->fields);
    free(entry->text);
    free(entry);
}

static char *entry_text(const struct iw_monitor_event *event) {
    struct iw_text text;

    if (!iw_text_open(&text))
        return NULL;
    iw_describe_event(text.out, event);
    return iw_text_close(&text);
}

struct collecting {
    struct iw_check_entry *entry;
    bool failed;
};

static void entry_take_field(
    void *user, const struct iw_field *field, const uint8_t *header, enum iw_walk_place place) {
    struct collecting *collecting = user;
    struct iw_check_entry *entry = collecting->entry;
    bool reserved = iw_array_grow(&entry->fields, entry->field_count, sizeof *entry->fields);
    struct iw_text text;
    char *value;

    if (iw_text_open(&text))
        iw_show_field_named(text.out, field, header);
    value = iw_text_close(&text);
    if (!reserved || value == NULL) {
        free(value);
        collecting->failed = true;
        return;
    }
    entry->fields[entry->field_count++] = (struct iw_check_field){field, place, value};
}

struct iw_check_entry *iw_check_entry_new(const struct iw_monitor_event *event, bool with_fields) {
    const struct iw_llp_event *llp = event->llp;
    struct iw_check_entry *entry = calloc(1, sizeof *entry);
    struct collecting collecting = {entry, false};

    if (entry == NULL)
        return NULL;
    *entry = (struct iw_check_entry){.kind = llp->kind,
        .side = llp->side,
        .role = event->role,
        .frame = llp->frame,
        .first_frame = llp->first_frame,
        .time_ns = llp->time_ns,
        .offset = llp->offset,
        .octets = llp->octets,
        .title = iw_describe_title(event),
        .text = entry_text(event)};
    iw_check_octets_head(&entry->head, event);
    if (with_fields)
        iw_walk_event(event, entry_take_field, &collecting);
    if (entry->text != NULL && !collecting.failed)
        return entry;
    iw_check_entry_free(entry);
    return NULL;
}
