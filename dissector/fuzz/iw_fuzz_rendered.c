#include "iw_fuzz_rendered.h"

#include <stdio.h>
#include <string.h>

bool iw_fuzz_rendered_print;

static void take(struct iw_fuzz_rendered *rendered, const void *octets, size_t count) {
    const uint8_t *at = octets;

    for (size_t i = 0; i < count; i++)
        rendered->hash = (rendered->hash ^ at[i]) * UINT64_C(0x100000001b3);
}

static void take_item(struct iw_fuzz_rendered *rendered, field_info *field) {
    char label[ITEM_LABEL_LENGTH];
    const char *text = field->rep == NULL ? label : field->rep->representation;

    if (field->rep == NULL)
        proto_item_fill_label(field, label);
    take(rendered, &field->start, sizeof field->start);
    take(rendered, &field->length, sizeof field->length);
    take(rendered, text, strlen(text));
    rendered->items++;
    if (iw_fuzz_rendered_print)
        fprintf(stderr, "%d+%d %s\n", field->start, field->length, text);
}

/* Aborts if Wireshark reports a dissector bug of ours. Exceptions of other dissectors are caught
 * elsewhere. */
static void check_bug(const field_info *field) {
    if (field->rep != NULL &&
        (strncmp(field->rep->representation, "[Dissector bug, protocol iW", 27) == 0 ||
            strncmp(field->rep->representation, "[Dissector bug, protocol TCP (iW", 32) == 0))
        g_error("%s", field->rep->representation);
}

static void take_node(proto_node *node, gpointer data) {
    field_info *field = PNODE_FINFO(node);
    const char *filter = field == NULL ? "" : field->hfinfo->abbrev;

    if (strncmp(filter, "iwarp", 5) == 0 && strncmp(filter, "iwarp_", 6) != 0)
        take_item(data, field);
    else if (strcmp(filter, "_ws.malformed") == 0)
        check_bug(field);
    proto_tree_children_foreach(node, take_node, data);
}

struct iw_fuzz_rendered iw_fuzz_rendered_of(proto_tree *tree) {
    struct iw_fuzz_rendered rendered = {0};

    if (tree != NULL)
        proto_tree_children_foreach(tree, take_node, &rendered);
    return rendered;
}

void iw_fuzz_rendered_same(unsigned frame, struct iw_fuzz_rendered a, struct iw_fuzz_rendered b) {
    if (a.items != b.items || a.hash != b.hash)
        g_error("frame %u is shown with %u items of iWARP, and %u when shown again", frame, a.items, b.items);
}
