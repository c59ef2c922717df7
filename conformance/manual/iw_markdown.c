#include "iw_markdown.h"

#include <string.h>

static size_t markdown_line(const char *at, const char *end) {
    const char *line_end = memchr(at, '\n', (size_t)(end - at));

    return (size_t)((line_end != NULL ? line_end + 1 : end) - at);
}

static bool markdown_begins(const char *at, const char *end, const char *with) {
    size_t length = strlen(with);

    return (size_t)(end - at) >= length && memcmp(at, with, length) == 0;
}

static bool markdown_is_blank(const char *at, const char *end) {
    return at == end || *at == '\n';
}

/* Whether a line cannot continue a paragraph. */
static bool markdown_begins_block(const char *at, const char *end) {
    return markdown_is_blank(at, end) || *at == '#' || *at == '|' || markdown_begins(at, end, "```") ||
           markdown_begins(at, end, "- ") || markdown_begins(at, end, "<!--");
}

/* Moves *at after the line in which a comment ends. */
static void markdown_comment(const char **at, const char *end) {
    while (*at < end) {
        const char *line = *at;
        size_t length = markdown_line(line, end);

        *at += length;
        for (size_t i = 0; i + 3 <= length; i++)
            if (memcmp(line + i, "-->", 3) == 0)
                return;
    }
}

static void markdown_fenced(const char **at, const char *end, struct iw_markdown_block *block) {
    *at += markdown_line(*at, end);
    block->kind = IW_MARKDOWN_CODE;
    block->text = *at;
    while (*at < end && !markdown_begins(*at, end, "```"))
        *at += markdown_line(*at, end);
    block->length = (size_t)(*at - block->text);
    *at += markdown_line(*at, end);
}

/* Indented lines, with the blank ones between them. */
static void markdown_indented(const char **at, const char *end, struct iw_markdown_block *block) {
    block->kind = IW_MARKDOWN_CODE;
    block->text = *at;
    for (const char *line = *at; line < end; line += markdown_line(line, end)) {
        if (markdown_begins(line, end, "    "))
            *at = line + markdown_line(line, end);
        else if (!markdown_is_blank(line, end))
            break;
    }
    block->length = (size_t)(*at - block->text);
}

static void markdown_take(const char **at, const char *end, struct iw_markdown_block *block) {
    block->text = *at;
    if (**at == '#') {
        block->kind = IW_MARKDOWN_HEADING;
        for (block->level = 0; *at < end && **at == '#'; (*at)++)
            block->level++;
        *at += **at == ' ';
        block->text = *at;
        *at += markdown_line(*at, end);
    } else if (**at == '|') {
        block->kind = IW_MARKDOWN_TABLE;
        while (*at < end && **at == '|')
            *at += markdown_line(*at, end);
    } else {
        bool item = markdown_begins(*at, end, "- ");

        block->kind = item ? IW_MARKDOWN_ITEM : IW_MARKDOWN_PARAGRAPH;
        block->text += item ? 2 : 0;
        do
            *at += markdown_line(*at, end);
        while (*at < end && !markdown_begins_block(*at, end));
    }
    block->length = (size_t)(*at - block->text);
    while (block->length > 0 && block->text[block->length - 1] == '\n')
        block->length--;
}

/* An image, or a line of the table of contents. */
static bool markdown_is_skipped(const struct iw_markdown_block *block) {
    const char *end = block->text + block->length, *link;

    if (block->kind == IW_MARKDOWN_PARAGRAPH)
        return markdown_begins(block->text, end, "![");
    if (block->kind != IW_MARKDOWN_ITEM || !markdown_begins(block->text, end, "["))
        return false;
    link = memchr(block->text, ']', block->length);
    return link != NULL && markdown_begins(link, end, "](#") && end[-1] == ')';
}

bool iw_markdown_next(const char **at, const char *end, struct iw_markdown_block *block) {
    while (*at < end) {
        if (**at == '\n') {
            (*at)++;
            continue;
        }
        if (markdown_begins(*at, end, "<!--")) {
            markdown_comment(at, end);
            continue;
        }
        *block = (struct iw_markdown_block){.level = 0};
        if (markdown_begins(*at, end, "```"))
            markdown_fenced(at, end, block);
        else if (markdown_begins(*at, end, "    "))
            markdown_indented(at, end, block);
        else
            markdown_take(at, end, block);
        if (!markdown_is_skipped(block))
            return true;
    }
    return false;
}

bool iw_markdown_cell(const char **at, const char *end, const char **cell, size_t *length) {
    const char *from = *at;

    if (from == end || *from != '|')
        return false;
    for (from++; from < end && *from == ' '; from++)
        ;
    if (from == end || *from == '\n') { /* the bar at the end of the row */
        *at = from < end ? from + 1 : end;
        return false;
    }
    *cell = from;
    while (from < end && *from != '\n' && (*from != '|' || from[-1] == '\\'))
        from++;
    *at = from;
    while (from > *cell && from[-1] == ' ')
        from--;
    *length = (size_t)(from - *cell);
    return true;
}

const char *iw_markdown_titles(const char **at, const char *end) {
    const char *titles = *at, *cell;
    size_t count = 0, length;

    while (iw_markdown_cell(at, end, &cell, &length))
        count++;
    while (iw_markdown_cell(at, end, &cell, &length))
        ;
    return count > 2 ? titles : NULL;
}

/* Octets of the markup at `at` without text: an anchor, or the target of a link. 0: none. */
static size_t markdown_silent(const char *at, const char *end) {
    const char *close = NULL;

    if (markdown_begins(at, end, "<a id="))
        close = memchr(at, '>', (size_t)(end - at));
    else if (markdown_begins(at, end, "]("))
        close = memchr(at, ')', (size_t)(end - at));
    else if (markdown_begins(at, end, "</a>"))
        return 4;
    return close != NULL ? (size_t)(close + 1 - at) : 0;
}

/* Octets of the markup at `at`, after which *font changes; 0: none. In code nothing but its end is markup. */
static size_t markdown_mark(const char *at, const char *end, bool *code, bool *bold, bool *italic) {
    if (*at == '`') {
        *code = !*code;
        return 1;
    }
    if (*code)
        return *at == '\\' && markdown_begins(at, end, "\\|") ? 1 : 0;
    if (markdown_begins(at, end, "**")) {
        *bold = !*bold;
        return 2;
    }
    if (*at == '*' && (*italic || (end - at > 1 && at[1] != ' '))) {
        *italic = !*italic;
        return 1;
    }
    if (*at == '[' && memchr(at, ']', (size_t)(end - at)) != NULL) {
        const char *close = memchr(at, ']', (size_t)(end - at));

        return markdown_begins(close, end, "](") ? 1 : 0;
    }
    if (*at == '\\' && end - at > 1 && strchr("|*`_\\<[", at[1]) != NULL)
        return 1;
    return markdown_silent(at, end);
}

void iw_markdown_pieces(const char *text, size_t length, iw_markdown_piece *piece, void *user) {
    const char *at = text, *from = text, *end = text + length;
    bool code = false, bold = false, italic = false;

    while (at < end) {
        char font = code ? 'C' : bold ? 'B' : italic ? 'I' : 'R';
        bool escape = *at == '\\';
        size_t mark = markdown_mark(at, end, &code, &bold, &italic);

        if (mark > 0 && at > from)
            piece(user, font, from, (size_t)(at - from));
        at += mark > 0 ? mark : 1;
        if (mark > 0)
            from = at;
        at += mark > 0 && escape && at < end; /* the escaped letter is no markup */
    }
    if (at > from)
        piece(user, code ? 'C' : bold ? 'B' : italic ? 'I' : 'R', from, (size_t)(at - from));
}
