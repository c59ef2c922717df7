#include "iw_rfc_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iw_text.h"

/* ---- lines ---- */

struct text_line {
    const char *begin;
    size_t octets; /* without the newline */
};

/* Returns the line at `at`, and sets *next after it. */
static struct text_line text_line_at(const char *at, const char *end, const char **next) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    struct text_line line = {at, (size_t)((newline != NULL ? newline : end) - at)};

    *next = newline != NULL ? newline + 1 : end;
    return line;
}

static bool text_line_begins(const struct text_line *line, const char *with) {
    return line->octets >= strlen(with) && memcmp(line->begin, with, strlen(with)) == 0;
}

/* Whether the line is the last one of a page: "Culley, et al.   Standards Track   [Page 15]". */
static bool text_line_is_footer(const struct text_line *line) {
    size_t at = line->octets;

    if (at == 0 || line->begin[--at] != ']')
        return false;
    while (at > 0 && line->begin[at - 1] >= '0' && line->begin[at - 1] <= '9')
        at--;
    return at >= 6 && memcmp(line->begin + at - 6, "[Page ", 6) == 0;
}

/* ---- cleaning ---- */

/* Removes page breaks, blanks at the end of lines, and all empty lines but one. Returns the new length. */
static size_t text_clean(char *octets, size_t count) {
    const char *end = octets + count, *next;
    bool after_footer = false, empty = true;
    char *to = octets;

    for (const char *at = octets; at < end; at = next) {
        struct text_line line = text_line_at(at, end, &next);

        while (line.octets > 0 && line.begin[0] == '\f')
            line.begin++, line.octets--;
        while (line.octets > 0 && strchr(" \r\f", line.begin[line.octets - 1]) != NULL)
            line.octets--;
        if (text_line_is_footer(&line)) {
            after_footer = true;
            continue;
        }
        if (line.octets > 0 && after_footer) {
            after_footer = false;
            if (text_line_begins(&line, "RFC ") || text_line_begins(&line, "Internet-Draft"))
                continue;
        }
        if (line.octets == 0 && empty)
            continue;
        empty = line.octets == 0;
        memmove(to, line.begin, line.octets);
        to += line.octets;
        *to++ = '\n'; /* the file has one more octet than its length */
    }
    return (size_t)(to - octets);
}

/* Replaces NUL and tabs, which the page cannot show, by blanks. */
static void text_blank(char *octets, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (octets[i] == '\0' || octets[i] == '\t')
            octets[i] = ' ';
}

/* ---- headings ---- */

/* Removes the octets of `set` from the beginning, and blanks and the marks of Markdown from the end. */
static struct text_line text_line_trim(struct text_line line, const char *set) {
    while (line.octets > 0 && strchr(set, line.begin[0]) != NULL)
        line.begin++, line.octets--;
    while (line.octets > 0 && strchr(" *", line.begin[line.octets - 1]) != NULL)
        line.octets--;
    return line;
}

/* Whether the title begins with the line, in any case, up to the end of a word. */
static bool text_line_is_title(const struct text_line *line, const char *title) {
    return line->octets > 0 && strlen(title) >= line->octets &&
           strncasecmp(line->begin, title, line->octets) == 0 &&
           (title[line->octets] == ' ' || title[line->octets] == '\0');
}

/* If the line at `at` is the heading of the section, returns the octets after the heading; otherwise NULL.
 * Drafts exist as Markdown, too: "### **5.2. Title**". A line of the table of contents differs by its page
 * number, an item of a list by its text. */
static const char *text_heading(
    const char *at, const char *end, const char *label, const struct iw_rfc_section *section) {
    const char *next, *after;
    struct text_line line = text_line_trim(text_line_at(at, end, &next), "#*[ "), more;

    if (!text_line_begins(&line, label))
        return NULL;
    line.begin += strlen(label);
    line.octets -= strlen(label);
    if (line.octets == 0 || strchr(".:] ", line.begin[0]) == NULL)
        return NULL;
    line = text_line_trim(line, ".:]()#* ");
    if (!text_line_is_title(&line, section->title))
        return NULL;
    if (section->title[line.octets] == '\0')
        return next;
    more = text_line_trim(text_line_at(next, end, &after), " ");
    return text_line_is_title(&more, section->title + line.octets + 1) ? after : NULL;
}

/* Finds the last line that is the heading of the section: an earlier one is in the table of contents. */
static const char *text_find_heading(
    const char *octets, const char *end, const struct iw_rfc_section *section, const char **heading) {
    char label[IW_RFC_LABEL_OCTETS];
    const char *next, *found = NULL;

    iw_rfc_section_label(section, label);
    for (const char *at = octets; at < end; at = next) {
        const char *after = text_heading(at, end, label, section);

        text_line_at(at, end, &next);
        if (after == NULL)
            continue;
        *heading = at;
        found = after;
    }
    return found;
}

/* ---- sections ---- */

static bool text_section_is_of(size_t section, size_t document) {
    return strcmp(iw_rfc_sections[section].document, iw_rfc_documents[document].name) == 0;
}

/* Without empty lines at both ends. */
static struct iw_rfc_span text_span(const char *begin, const char *end) {
    while (begin < end && *begin == '\n')
        begin++;
    while (begin < end && end[-1] == '\n')
        end--;
    return (struct iw_rfc_span){begin, (size_t)(end - begin)};
}

size_t iw_rfc_texts_take(struct iw_rfc_texts *texts, size_t document, char *octets, size_t count) {
    const char *begins[IW_RFC_SECTION_COUNT] = {0}, *headings[IW_RFC_SECTION_COUNT] = {0}, *end;
    size_t missing = 0;

    free(texts->octets[document]);
    texts->octets[document] = octets;
    text_blank(octets, count);
    end = octets + text_clean(octets, count);
    for (size_t i = 0; i < IW_RFC_SECTION_COUNT; i++) {
        if (!text_section_is_of(i, document))
            continue;
        begins[i] = text_find_heading(octets, end, &iw_rfc_sections[i], &headings[i]);
        missing += begins[i] == NULL;
    }
    for (size_t i = 0; i < IW_RFC_SECTION_COUNT; i++) {
        const char *stop = end;

        if (!text_section_is_of(i, document))
            continue;
        texts->sections[i] = (struct iw_rfc_span){0};
        if (begins[i] == NULL)
            continue;
        for (size_t j = 0; j < IW_RFC_SECTION_COUNT; j++)
            if (headings[j] != NULL && headings[j] >= begins[i] && headings[j] < stop)
                stop = headings[j];
        texts->sections[i] = text_span(begins[i], stop);
    }
    return missing;
}

/* ---- files ---- */

/* Reads a file whole, with one octet more than its length. Returns NULL with errno: EINVAL if it is not a
 * regular file, EFBIG if it is larger than IW_RFC_TEXT_MAX. */
static char *text_read_file(const char *path, size_t *count) {
    int descriptor =
        open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* does not wait for the other end of a FIFO */
    struct stat about;
    char *octets = NULL;
    ssize_t more = 1;

    *count = 0;
    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &about) != 0)
        more = -1;
    else if (!S_ISREG(about.st_mode) || about.st_size > IW_RFC_TEXT_MAX) {
        errno = S_ISDIR(about.st_mode) ? EISDIR : S_ISREG(about.st_mode) ? EFBIG : EINVAL;
        more = -1;
    } else if ((octets = malloc((size_t)about.st_size + 1)) == NULL) {
        more = -1;
    }
    while (more > 0 && *count < (size_t)about.st_size) {
        more = read(descriptor, octets + *count, (size_t)about.st_size - *count);
        *count += more > 0 ? (size_t)more : 0;
    }
    if (more < 0) {
        free(octets);
        octets = NULL;
    }
    close(descriptor);
    return octets;
}

static void text_report_missing(
    const struct iw_rfc_texts *texts, size_t document, const char *path, FILE *diagnostics) {
    const char *between = " lacks the section ";

    fputs(path, diagnostics);
    for (size_t i = 0; i < IW_RFC_SECTION_COUNT; i++) {
        char label[IW_RFC_LABEL_OCTETS];

        if (!text_section_is_of(i, document) || texts->sections[i].begin != NULL)
            continue;
        iw_rfc_section_label(&iw_rfc_sections[i], label);
        fprintf(diagnostics, "%s%s", between, label);
        between = ", ";
    }
    fputc('\n', diagnostics);
}

static void text_report_unreadable(const char *path, int error, FILE *diagnostics) {
    if (error == EFBIG)
        fprintf(diagnostics, "%s: larger than %d octets\n", path, IW_RFC_TEXT_MAX);
    else
        fprintf(diagnostics, "%s: %s\n", path, error == EINVAL ? "not a regular file" : strerror(error));
}

static bool text_is_folder(const char *folder, FILE *diagnostics) {
    struct stat status;

    errno = 0;
    if (stat(folder, &status) == 0 && S_ISDIR(status.st_mode))
        return true;
    text_report_unreadable(folder, errno != 0 ? errno : ENOTDIR, diagnostics);
    return false;
}

enum iw_status iw_rfc_texts_read(struct iw_rfc_texts *texts, const char *folder, FILE *diagnostics) {
    bool found = false, short_of_memory = false;

    *texts = (struct iw_rfc_texts){0};
    if (!text_is_folder(folder, diagnostics))
        return IW_ERR_IO;
    for (size_t i = 0; i < IW_RFC_DOCUMENT_COUNT; i++) {
        char name[IW_RFC_FILE_OCTETS], *path, *octets;
        size_t count;

        iw_rfc_file_name(&iw_rfc_documents[i], name);
        path = iw_text_format("%s/%s", folder, name);
        if (path == NULL)
            return IW_ERR_NOMEM;
        octets = text_read_file(path, &count);
        found |= octets != NULL;
        short_of_memory |= octets == NULL && errno == ENOMEM;
        if (octets == NULL)
            text_report_unreadable(path, errno, diagnostics);
        else if (iw_rfc_texts_take(texts, i, octets, count) > 0)
            text_report_missing(texts, i, path, diagnostics);
        free(path);
    }
    if (short_of_memory)
        return IW_ERR_NOMEM;
    return found ? IW_OK : IW_ERR_IO;
}

void iw_rfc_texts_clear(struct iw_rfc_texts *texts) {
    for (size_t i = 0; i < IW_RFC_DOCUMENT_COUNT; i++)
        free(texts->octets[i]);
    *texts = (struct iw_rfc_texts){0};
}
