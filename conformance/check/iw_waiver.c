#include "iw_waiver.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A line while it is read: `at` is what is left of it. */
struct line {
    const char *path;
    unsigned number;
    char *at;
    FILE *complaints;
};

static bool complain(const struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* False, for the caller to pass on. */
static bool complain(const struct line *line, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    fprintf(line->complaints, "%s:%u: ", line->path, line->number);
    vfprintf(line->complaints, format, arguments);
    fputc('\n', line->complaints);
    va_end(arguments);
    return false;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_blanks(struct line *line) {
    while (is_blank(*line->at))
        line->at++;
}

/* Ends the word at line->at, which ends with `end` or, where that is 0, with a blank. False: `end` is not
 * there. */
static bool end_word(struct line *line, char end) {
    while (*line->at != '\0' && (end != 0 ? *line->at != end : !is_blank(*line->at)))
        line->at++;
    if (*line->at == '\0')
        return end == 0;
    *line->at++ = '\0';
    return true;
}

/* The next KEY=VALUE. False: it is none; complained. */
static bool take_pair(struct line *line, char **key, char **value) {
    char *equals;
    bool quoted;

    *key = line->at;
    equals = line->at + strcspn(line->at, "= \t\r\n");
    if (*equals != '=')
        return complain(line, "%.*s is no KEY=VALUE", (int)(equals - line->at), line->at);
    *equals = '\0';
    quoted = equals[1] == '"';
    *value = line->at = equals + 1 + quoted;
    if (!end_word(line, quoted ? '"' : 0))
        return complain(line, "the quotes of %s do not end", *key);
    return true;
}

static bool take_side(const struct line *line, struct iw_waiver *waiver, const char *value) {
    for (enum iw_role role = IW_ROLE_INITIATOR; role <= IW_ROLE_RESPONDER; role++)
        if (strcmp(value, iw_role_name(role)) == 0) {
            waiver->side = role;
            return true;
        }
    return complain(line, "side is initiator or responder, not %s", value);
}

static bool set_pair(const struct line *line, struct iw_waiver *waiver, const char *key, const char *value) {
    const struct {
        const char *key;
        char **to;
    } texts[] = {{"clause", &waiver->clause}, {"reason", &waiver->reason}, {"owner", &waiver->owner},
        {"file", &waiver->file}, {"peer", &waiver->peer}};

    if (*value == '\0')
        return complain(line, "%s is empty", key);
    if (strcmp(key, "side") == 0)
        return take_side(line, waiver, value);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(key, texts[i].key) == 0) {
            if (*texts[i].to != NULL)
                return complain(line, "%s is given twice", key);
            *texts[i].to = strdup(value);
            return *texts[i].to != NULL || complain(line, "out of memory");
        }
    return complain(line, "unknown key %s", key);
}

/* The clause is the requirement's own, "RFC 5044 4.4", or its document, "RFC 5044". */
static bool clause_fits(const struct iw_waiver *waiver, const struct iw_requirement *requirement) {
    size_t document = strlen(requirement->document);

    if (strncmp(waiver->clause, requirement->document, document) != 0)
        return false;
    return waiver->clause[document] == '\0' ||
           (waiver->clause[document] == ' ' &&
               strcmp(waiver->clause + document + 1, requirement->section) == 0);
}

static bool is_complete(const struct line *line, const struct iw_waiver *waiver) {
    const struct iw_requirement *match = NULL;

    if (waiver->clause == NULL || waiver->reason == NULL || waiver->owner == NULL)
        return complain(line, "no %s given",
            waiver->clause == NULL   ? "clause"
            : waiver->reason == NULL ? "reason"
                                     : "owner");
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        if (fnmatch(waiver->pattern, iw_requirements[i].id, 0) == 0) {
            match = &iw_requirements[i];
            if (clause_fits(waiver, match))
                return true;
        }
    if (match == NULL)
        return complain(line, "no requirement is %s", waiver->pattern);
    return complain(line, "the clause of %s is %s %s, not %s", match->id, match->document, match->section,
        waiver->clause);
}

static void clear_waiver(struct iw_waiver *waiver) {
    free(waiver->pattern);
    free(waiver->clause);
    free(waiver->reason);
    free(waiver->owner);
    free(waiver->file);
    free(waiver->peer);
}

static bool read_waiver(struct line *line, struct iw_waiver *waiver) {
    char *pattern = line->at;

    end_word(line, 0);
    waiver->line = line->number;
    waiver->pattern = strdup(pattern);
    if (waiver->pattern == NULL)
        return complain(line, "out of memory");
    for (skip_blanks(line); *line->at != '\0'; skip_blanks(line)) {
        char *key = NULL, *value = NULL;

        if (!take_pair(line, &key, &value) || !set_pair(line, waiver, key, value))
            return false;
    }
    return is_complete(line, waiver);
}

/* Adds the waiver of the line. False: complained. */
static bool add_line(struct iw_waivers *waivers, struct line *line) {
    struct iw_waiver waiver = {0};
    struct iw_waiver *list;

    skip_blanks(line);
    if (*line->at == '\0' || *line->at == '#')
        return true;
    if (!read_waiver(line, &waiver)) {
        clear_waiver(&waiver);
        return false;
    }
    list = realloc(waivers->list, (waivers->count + 1) * sizeof *list);
    if (list == NULL) {
        clear_waiver(&waiver);
        return complain(line, "out of memory");
    }
    waivers->list = list;
    list[waivers->count++] = waiver;
    return true;
}

enum read_line { LINE_READ, LINE_TOO_LONG, LINE_NO_TEXT, LINE_END };

/* The next line, without its end; of one that is too long or no text, nothing is left to read. */
static enum read_line read_line(FILE *in, char text[IW_WAIVER_LINE_MAX + 1]) {
    enum read_line outcome = LINE_READ;
    size_t count = 0;
    int c;

    while ((c = getc(in)) != EOF && c != '\n') {
        if (c == '\0')
            outcome = LINE_NO_TEXT;
        else if (count == IW_WAIVER_LINE_MAX)
            outcome = LINE_TOO_LONG;
        else
            text[count++] = (char)c;
    }
    text[count] = '\0';
    return c == EOF && count == 0 && outcome == LINE_READ ? LINE_END : outcome;
}

/* False: complained. */
static bool take_line(struct iw_waivers *waivers, struct line *line, enum read_line outcome) {
    if (outcome == LINE_TOO_LONG)
        return complain(line, "longer than %d octets", IW_WAIVER_LINE_MAX);
    if (outcome == LINE_NO_TEXT)
        return complain(line, "has an octet of 0, which no text has");
    return add_line(waivers, line);
}

enum iw_status iw_waivers_read(struct iw_waivers *waivers, const char *path, FILE *complaints) {
    struct line line = {path, 0, NULL, complaints};
    FILE *in = fopen(path, "r");
    char text[IW_WAIVER_LINE_MAX + 1];
    enum read_line outcome;
    bool good = true, broken;

    *waivers = (struct iw_waivers){.path = path};
    if (in == NULL) {
        fprintf(complaints, "%s: %s\n", path, strerror(errno));
        return IW_ERR_IO;
    }
    while ((outcome = read_line(in, text)) != LINE_END) {
        line.number++;
        line.at = text;
        good &= take_line(waivers, &line, outcome);
    }
    broken = ferror(in);
    if (broken)
        fprintf(complaints, "%s: %s\n", path, strerror(errno));
    fclose(in);
    return broken ? IW_ERR_IO : good ? IW_OK : IW_ERR_FORMAT;
}

void iw_waivers_clear(struct iw_waivers *waivers) {
    for (size_t i = 0; i < waivers->count; i++)
        clear_waiver(&waivers->list[i]);
    free(waivers->list);
    *waivers = (struct iw_waivers){0};
}

/* Without its * an address of IPv6, "[2001:db8::1]:7", is no pattern of the shell but looks like one. */
static bool peer_fits(const char *pattern, const char *address) {
    return strcmp(pattern, address) == 0 || fnmatch(pattern, address, 0) == 0;
}

static bool file_fits(const char *pattern, const char *file) {
    const char *slash = strrchr(file, '/');

    return fnmatch(pattern, file, FNM_PATHNAME) == 0 ||
           (slash != NULL && fnmatch(pattern, slash + 1, 0) == 0);
}

const struct iw_waiver *iw_waivers_find(const struct iw_waivers *waivers,
    const struct iw_requirement *requirement, const char *file, enum iw_role role, const char *address) {
    for (size_t i = 0; waivers != NULL && i < waivers->count; i++) {
        const struct iw_waiver *waiver = &waivers->list[i];

        if (fnmatch(waiver->pattern, requirement->id, 0) == 0 && clause_fits(waiver, requirement) &&
            (waiver->side == IW_ROLE_UNKNOWN || waiver->side == role) &&
            (waiver->peer == NULL || peer_fits(waiver->peer, address)) &&
            (waiver->file == NULL || file_fits(waiver->file, file)))
            return waiver;
    }
    return NULL;
}

void iw_waivers_use(struct iw_waivers *waivers, const struct iw_waiver *waiver, uint64_t count) {
    waivers->list[waiver - waivers->list].used += count;
}
