#include "iw_topic.h"

#include <string.h>

#include "iw_builtin_page.h"
#include "iw_markdown.h"

const struct iw_topic iw_topics[] = {
    {"exit-codes", "what the exit codes of all commands mean", "commands.md", .heading = "Exit codes"},
    {"verdicts", "how a case of the suite can end", "decides.md", .heading = "Verdicts of a case"},
    {"tiers", "what a case needs on the device: nothing, rping or an agent", "device.md", .anchor = "tiers"},
    {"captures", "the files that 'check' reads", "inputs.md", .heading = "Which files are read"},
    {"packets", "the packets that 'check' reads: tunnels, fragments", "inputs.md",
        .heading = "Which packets are read"},
    {"debug", "why a connection died, hangs or is slow: how to read 'explain'", "debug.md",
        .heading = "How to read an explanation"},
    {"upper", "the protocols above iWARP, and the rules of 'check --upper'", "upper.md", .anchor = NULL},
    {"waivers", "known findings of 'check', and the file that lists them", "check.md",
        .heading = "Known findings", .page = "warpcheck-waivers", .section = 5},
    {"expectations", "cases that are known to fail, and the file that lists them", "reports.md",
        .heading = "What is known to fail", .page = "warpcheck-expectations", .section = 5},
    {"policies", "what a certificate needs, and the file that says so", "reports.md",
        .heading = "A policy: what a certificate needs", .page = "warpcheck-policy", .section = 5},
    {"profile", "what a device claims, and the file that says so", "profile.md", .page = "warpcheck-profile",
        .section = 5},
    {"scripts", "the Lua vocabulary of scripts and cases", "scripts.md", .page = "warpcheck-scripts",
        .section = 7},
    {"agent", "the protocol of the agent on a device", "agent.md", .page = "warpcheck-agent-protocol",
        .section = 7},
};
const size_t iw_topic_count = sizeof iw_topics / sizeof *iw_topics;

const struct iw_topic *iw_topic_find(const char *name) {
    for (size_t i = 0; i < iw_topic_count; i++)
        if (strcmp(name, iw_topics[i].name) == 0 ||
            (iw_topics[i].page != NULL && strcmp(name, iw_topics[i].page) == 0))
            return &iw_topics[i];
    return NULL;
}

static const struct iw_builtin *topic_page(const struct iw_topic *topic) {
    for (size_t i = 0; i < iw_builtin_page_count; i++)
        if (strcmp(topic->file, iw_builtin_pages[i].name) == 0)
            return &iw_builtin_pages[i];
    return NULL;
}

/* Whether the block is the heading, or a paragraph with the anchor, where the topic begins. */
static bool topic_begins(const struct iw_topic *topic, const struct iw_markdown_block *block) {
    char anchor[64];

    if (topic->anchor == NULL && topic->heading == NULL)
        return block->kind == IW_MARKDOWN_HEADING && block->level == 1;
    if (topic->heading != NULL)
        return block->kind == IW_MARKDOWN_HEADING && block->length == strlen(topic->heading) &&
               memcmp(block->text, topic->heading, block->length) == 0;
    snprintf(anchor, sizeof anchor, "<a id=\"%s\"></a>", topic->anchor);
    return block->kind == IW_MARKDOWN_PARAGRAPH && block->length > strlen(anchor) &&
           memcmp(block->text, anchor, strlen(anchor)) == 0;
}

/* Whether the block, after the beginning of the topic, belongs to something else. An anchor's text ends at
 * the next paragraph that has an anchor or begins with bold words. */
static bool topic_ends(
    const struct iw_topic *topic, bool whole, int level, const struct iw_markdown_block *block) {
    if (block->kind == IW_MARKDOWN_HEADING)
        return topic->anchor != NULL || block->level <= level || (!whole && topic->heading == NULL);
    return topic->anchor != NULL && block->kind == IW_MARKDOWN_PARAGRAPH && block->length > 2 &&
           (memcmp(block->text, "**", 2) == 0 || memcmp(block->text, "<a", 2) == 0);
}

bool iw_topic_text(const struct iw_topic *topic, bool whole, const char **text, size_t *length) {
    const struct iw_builtin *page = topic_page(topic);
    struct iw_markdown_block block;
    const char *at, *end, *before;
    int level;

    if (page == NULL)
        return false;
    at = page->text;
    end = page->text + page->octets;
    do
        if (!iw_markdown_next(&at, end, &block))
            return false;
    while (!topic_begins(topic, &block));
    level = block.level;
    *text = topic->anchor != NULL ? block.text : at;
    do
        before = at;
    while (iw_markdown_next(&at, end, &block) && !topic_ends(topic, whole, level, &block));
    *length = (size_t)(before - *text);
    return true;
}

void iw_topic_print(FILE *out, const struct iw_topic *topic) {
    const char *text;
    size_t length;

    if (!iw_topic_text(topic, topic->heading != NULL, &text, &length))
        return;
    iw_markdown_print(out, text, length);
    if (topic->page != NULL)
        fprintf(out, "\nManual page: %s(%d)\n", topic->page, topic->section);
}

void iw_topic_man(FILE *out, const struct iw_topic *topic) {
    struct iw_roff roff;
    const char *text;
    size_t length;

    if (!iw_topic_text(topic, true, &text, &length))
        return;
    iw_roff_begin(&roff, out, topic->page, topic->section);
    iw_roff_section(&roff, ".SH", "NAME", strlen("NAME"));
    iw_roff_text(&roff, topic->page, strlen(topic->page));
    iw_roff_text(&roff, " - ", 3);
    iw_roff_text(&roff, topic->summary, strlen(topic->summary));
    iw_roff_section(&roff, ".SH", "DESCRIPTION", strlen("DESCRIPTION"));
    iw_markdown_roff(&roff, text, length);
    iw_roff_section(&roff, ".SH", "SEE ALSO", strlen("SEE ALSO"));
    iw_roff_text(&roff, "warpcheck(1)", strlen("warpcheck(1)"));
    iw_roff_end_line(&roff);
}
