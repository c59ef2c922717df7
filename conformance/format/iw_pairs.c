#include "iw_pairs.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

bool iw_pairs_error(const struct iw_pairs *line, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    fprintf(line->diagnostics, "%s:%u: ", line->path, line->number);
    vfprintf(line->diagnostics, format, arguments);
    fputc('\n', line->diagnostics);
    va_end(arguments);
    return false;
}

static bool pairs_is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool pairs_more(struct iw_pairs *line) {
    while (pairs_is_blank(*line->at))
        line->at++;
    return *line->at != '\0';
}

/* Ends the word at line->at before `end`, or before a blank if `end` is 0. Returns false if `end` is missing.
 */
static bool pairs_end_word(struct iw_pairs *line, char end) {
    while (*line->at != '\0' && (end != 0 ? *line->at != end : !pairs_is_blank(*line->at)))
        line->at++;
    if (*line->at == '\0')
        return end == 0;
    *line->at++ = '\0';
    return true;
}

static bool pairs_next(struct iw_pairs *line, char **key, char **value) {
    char *equals;
    bool quoted;

    *key = line->at;
    equals = line->at + strcspn(line->at, "= \t\r\n");
    if (*equals != '=')
        return iw_pairs_error(line, "%.*s is not KEY=VALUE", (int)(equals - line->at), line->at);
    *equals = '\0';
    quoted = equals[1] == '"';
    *value = line->at = equals + 1 + quoted;
    if (!pairs_end_word(line, quoted ? '"' : 0))
        return iw_pairs_error(line, "%s has no closing quote", *key);
    if (**value == '\0')
        return iw_pairs_error(line, "%s is empty", *key);
    return true;
}

static bool pairs_set(const struct iw_pairs *line, char **to, const char *value) {
    *to = strdup(value);
    return *to != NULL || iw_pairs_error(line, "out of memory");
}

bool iw_pairs_take(
    struct iw_pairs *line, char **word, const struct iw_pairs_key *keys, size_t count, void *record) {
    const char *first = line->at;
    unsigned given = 0;

    pairs_end_word(line, 0);
    *word = strdup(first);
    if (*word == NULL)
        return iw_pairs_error(line, "out of memory");
    while (pairs_more(line)) {
        char *name = NULL, *value = NULL;
        size_t i = 0;

        if (!pairs_next(line, &name, &value))
            return false;
        while (i < count && strcmp(name, keys[i].name) != 0)
            i++;
        if (i == count)
            return iw_pairs_error(line, "unknown key %s", name);
        if ((given & 1u << i) != 0)
            return iw_pairs_error(line, "%s is given twice", name);
        if (keys[i].take != NULL ? !keys[i].take(line, record, value)
                                 : !pairs_set(line, (char **)((char *)record + keys[i].at), value))
            return false;
        given |= 1u << i;
    }
    for (size_t i = 0; i < count; i++)
        if (keys[i].required && (given & 1u << i) == 0)
            return iw_pairs_error(line, "no %s given", keys[i].name);
    return true;
}

bool iw_pairs_has(const struct iw_pairs *line, const char *key) {
    size_t length = strlen(key);
    bool quoted = false;

    for (const char *at = line->at; *at != '\0'; at++) {
        if (*at == '"')
            quoted = !quoted;
        if (!quoted && pairs_is_blank(*at) && strncmp(at + 1, key, length) == 0 && at[1 + length] == '=')
            return true;
    }
    return false;
}

enum read_line { LINE_READ, LINE_TOO_LONG, LINE_NO_TEXT, LINE_END };

/* Reads the next line, without the newline. Skips NUL octets, and octets beyond IW_PAIRS_LINE_MAX. */
static enum read_line pairs_read_line(FILE *in, char text[IW_PAIRS_LINE_MAX + 1]) {
    enum read_line outcome = LINE_READ;
    size_t count = 0;
    int c;

    while ((c = getc(in)) != EOF && c != '\n') {
        if (c == '\0')
            outcome = LINE_NO_TEXT;
        else if (count == IW_PAIRS_LINE_MAX)
            outcome = LINE_TOO_LONG;
        else
            text[count++] = (char)c;
    }
    text[count] = '\0';
    return c == EOF && count == 0 && outcome == LINE_READ ? LINE_END : outcome;
}

/* Passes the line to `take` unless it is blank or a comment. After an error, reports it and returns false. */
static bool pairs_line(struct iw_pairs *line, enum read_line outcome,
    bool (*take)(void *user, struct iw_pairs *line), void *user) {
    if (outcome == LINE_TOO_LONG)
        return iw_pairs_error(line, "longer than %d octets", IW_PAIRS_LINE_MAX);
    if (outcome == LINE_NO_TEXT)
        return iw_pairs_error(line, "contains a NUL octet");
    return !pairs_more(line) || *line->at == '#' || take(user, line);
}

enum iw_status iw_pairs_read(
    const char *path, FILE *diagnostics, bool (*take)(void *user, struct iw_pairs *line), void *user) {
    struct iw_pairs line = {path, 0, NULL, diagnostics};
    FILE *in = fopen(path, "r");
    char text[IW_PAIRS_LINE_MAX + 1];
    enum read_line outcome;
    bool good = true, broken;

    if (in == NULL) {
        fprintf(diagnostics, "%s: %s\n", path, strerror(errno));
        return IW_ERR_IO;
    }
    while ((outcome = pairs_read_line(in, text)) != LINE_END) {
        line.number++;
        line.at = text;
        good &= pairs_line(&line, outcome, take, user);
    }
    broken = ferror(in);
    if (broken)
        fprintf(diagnostics, "%s: %s\n", path, strerror(errno));
    fclose(in);
    return broken ? IW_ERR_IO : good ? IW_OK : IW_ERR_FORMAT;
}
