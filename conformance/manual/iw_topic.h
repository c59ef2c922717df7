#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The topics of `warpcheck help TOPIC`, and the manual pages that are not about commands: parts of docs/,
 * which are embedded in the program. */

struct iw_topic {
    const char *name, *summary;
    const char *file; /* in docs/ */
    /* Where the topic begins: the heading "## WORDS", or the paragraph with the anchor <a id="WORDS">. NULL:
     * at the beginning of the page. */
    const char *heading, *anchor;
    const char *page; /* the manual page, such as "warpcheck-waivers"; NULL: none */
    int section;      /* of the manual */
};

extern const struct iw_topic iw_topics[];
extern const size_t iw_topic_count;

/* Finds a topic by its name or that of its manual page. Returns NULL for an unknown name. */
const struct iw_topic *iw_topic_find(const char *name);

/* Finds the text. `whole`: with all subheadings, as for a manual page; otherwise of a whole page only what
 * comes before its first subheading. Returns false if the embedded page lacks the place. */
bool iw_topic_text(const struct iw_topic *topic, bool whole, const char **text, size_t *length);

/* Prints the topic for a terminal, or its manual page. */
void iw_topic_print(FILE *out, const struct iw_topic *topic);
void iw_topic_man(FILE *out, const struct iw_topic *topic);
