#include "iw_outcome_option.h"

#include <string.h>

static const json_t *outcome_option_words(const struct iw_outcome_run *run) {
    return json_object_get(run->header, "options");
}

/* Returns the word at this index; "" after the last word, or if it is not a text. */
static const char *outcome_option_word(const struct iw_outcome_run *run, size_t at) {
    const char *word = json_string_value(json_array_get(outcome_option_words(run), at));

    return word != NULL ? word : "";
}

static bool outcome_option_is_name(const char *word) {
    return strncmp(word, "--", 2) == 0;
}

const char *iw_outcome_option(const struct iw_outcome_run *run, const char *name, size_t *at) {
    for (; *at < json_array_size(outcome_option_words(run)); ++*at) {
        const char *argument = outcome_option_word(run, *at + 1);

        if (strcmp(outcome_option_word(run, *at), name) != 0)
            continue;
        ++*at;
        return outcome_option_is_name(argument) ? "" : argument;
    }
    return NULL;
}

const char *iw_outcome_option_last(const struct iw_outcome_run *run, const char *name) {
    const char *last = NULL, *found;
    size_t at = 0;

    while ((found = iw_outcome_option(run, name, &at)) != NULL)
        last = found;
    return last;
}

bool iw_outcome_has_options(const struct iw_outcome_run *run) {
    return json_is_array(outcome_option_words(run));
}
