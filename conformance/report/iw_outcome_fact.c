#include "iw_outcome_fact.h"

#include <stdlib.h>
#include <string.h>

#include "iw_json_member.h"
#include "iw_show.h"
#include "iw_text.h"

/* Results are untrusted: a longer text is cut. */
enum { FACT_TEXT_OCTETS = 300 };

static const struct {
    const char *name;
    enum iw_outcome_fact_kind kind;
    bool of_summary; /* a member of the summary, not of the header */
} facts[] = {
    {"device", IW_OUTCOME_FACT_DEVICE, false},
    {"firmware", IW_OUTCOME_FACT_DEVICE, false},
    {"serial", IW_OUTCOME_FACT_DEVICE, false},
    {"lab", IW_OUTCOME_FACT_DEVICE, false},
    {"agent", IW_OUTCOME_FACT_DEVICE, false},
    {"peer", IW_OUTCOME_FACT_DEVICE, false},
    {"defect", IW_OUTCOME_FACT_DEVICE, false},
    {"variant", IW_OUTCOME_FACT_DEVICE, false},
    {"profile", IW_OUTCOME_FACT_DEVICE, false},
    {"version", IW_OUTCOME_FACT_PROGRAM, false},
    {"build", IW_OUTCOME_FACT_PROGRAM, false},
    {"catalogue", IW_OUTCOME_FACT_PROGRAM, false},
    {"started", IW_OUTCOME_FACT_TEST, false},
    {"ended", IW_OUTCOME_FACT_TEST, true},
    {"host", IW_OUTCOME_FACT_TEST, false},
    {"kernel", IW_OUTCOME_FACT_TEST, false},
    {"nic", IW_OUTCOME_FACT_TEST, false},
    {"network", IW_OUTCOME_FACT_TEST, false},
    {"options", IW_OUTCOME_FACT_TEST, false},
};

/* Prints a word of the command line; in quotes if it would look like several, or like none. */
static void outcome_fact_put_word(FILE *out, const char *word) {
    bool quoted = word[0] == '\0' || strpbrk(word, " \t\n'\"") != NULL;
    char shown[FACT_TEXT_OCTETS];

    iw_show_line(shown, sizeof shown, word);
    fprintf(out, "%s%s%s%s", quoted ? "'" : "", shown, strlen(word) >= sizeof shown ? "..." : "",
        quoted ? "'" : "");
}

/* Returns the value as one printable line, which the caller frees: a text, the words of the command line, or
 * the name of a profile, of a device or a network. "": no value. NULL: memory ran out. */
static char *outcome_fact_text(const json_t *value) {
    const char *text =
        json_is_object(value) ? iw_json_member_text(value, "profile") : json_string_value(value);
    char shown[FACT_TEXT_OCTETS];
    struct iw_text line;

    if (!iw_text_open(&line))
        return NULL;
    if (text != NULL) {
        iw_show_line(shown, sizeof shown, text);
        fputs(shown, line.out);
    }
    /* Every word is shown: the options tell what was not asked of the device. */
    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *word = json_string_value(json_array_get(value, i));

        fputs(i > 0 ? " " : "", line.out);
        outcome_fact_put_word(line.out, word != NULL ? word : "?");
    }
    return iw_text_close(&line);
}

bool iw_outcome_facts(
    const struct iw_outcome_run *run, unsigned kinds, iw_outcome_fact_put *put, void *user) {
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const json_t *object = facts[i].of_summary ? run->summary : run->header;
        char *text;

        if ((facts[i].kind & kinds) == 0)
            continue;
        text = outcome_fact_text(json_object_get(object, facts[i].name));
        if (text == NULL)
            return false;
        if (text[0] != '\0')
            put(user, facts[i].name, text);
        free(text);
    }
    return true;
}

bool iw_outcome_is_fact(const char *key) {
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (strcmp(facts[i].name, key) == 0)
            return true;
    return false;
}

struct fact_printing {
    FILE *out;
    const char *before;
};

static void outcome_fact_put_line(void *user, const char *name, const char *value) {
    const struct fact_printing *printing = user;

    fprintf(printing->out, "%s%-10s  %s\n", printing->before, name, value);
}

bool iw_outcome_put_facts(FILE *out, const struct iw_outcome_run *run, unsigned kinds, const char *indent) {
    struct fact_printing printing = {out, indent};

    return iw_outcome_facts(run, kinds, outcome_fact_put_line, &printing);
}

static void outcome_fact_put_part(void *user, const char *name, const char *value) {
    struct fact_printing *printing = user;

    fprintf(printing->out, "%s%s %s", printing->before, name, value);
    printing->before = "; ";
}

bool iw_outcome_put_facts_line(FILE *out, const struct iw_outcome_run *run) {
    struct fact_printing printing = {out, ""};

    return iw_outcome_facts(run, IW_OUTCOME_FACT_ALL, outcome_fact_put_part, &printing);
}
