#include "iw_outcome_option.h"

#include <stdio.h>
#include <string.h>

static const json_t *outcome_option_words(const struct iw_outcome_run *run) {
    return json_object_get(run->header, "options");
}

/* Returns the word at this index; "" after the last word, or if it is not a text. */
static const char *outcome_option_word(const struct iw_outcome_run *run, size_t at) {
    const char *word = json_string_value(json_array_get(outcome_option_words(run), at));

    return word != NULL ? word : "";
}

/* Returns the option that the word names; NULL: none that iw_run_option.h reads. */
static const struct iw_run_option *outcome_option_find(const char *word) {
    return strncmp(word, "--", 2) == 0 ? iw_run_option_find(word + 2) : NULL;
}

bool iw_outcome_has_options(const struct iw_outcome_run *run) {
    return json_is_array(outcome_option_words(run));
}

bool iw_outcome_has_option(const struct iw_outcome_run *run, const char *name) {
    for (size_t i = 0; i < json_array_size(outcome_option_words(run)); i++)
        if (strcmp(outcome_option_word(run, i), name) == 0)
            return true;
    return false;
}

bool iw_outcome_read_options(
    const struct iw_outcome_run *run, struct iw_run_options *options, char *error, size_t error_octets) {
    for (size_t i = 0; i < json_array_size(outcome_option_words(run)); i++) {
        const struct iw_run_option *option = outcome_option_find(outcome_option_word(run, i));

        if (option == NULL)
            continue;
        i += iw_run_option_has_argument(option);
        if (!iw_run_option_read(option, outcome_option_word(run, i), options, error, error_octets))
            return false;
    }
    return true;
}
