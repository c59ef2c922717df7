#include "iw_listing_suite.h"

#include <string.h>

#include "iw_agent_field.h"
#include "iw_catalogue.h"
#include "iw_builtin.h"
#include "iw_defect.h"
#include "iw_json.h"
#include "iw_network_profile.h"
#include "iw_profile.h"
#include "iw_selection.h"

enum { SUITE_CATALOGUES = 2 }; /* the cases of one device, and those of two with the relay between them */

static void suite_dispose_cases(struct iw_catalogue catalogues[SUITE_CATALOGUES]) {
    for (int i = 0; i < SUITE_CATALOGUES; i++)
        iw_catalogue_dispose(&catalogues[i]);
}

/* Loads the built-in cases. Returns false, after a line on stderr, on an error. */
static bool suite_load_cases(struct iw_catalogue catalogues[SUITE_CATALOGUES]) {
    char error[512];

    memset(catalogues, 0, SUITE_CATALOGUES * sizeof *catalogues);
    if (iw_catalogue_init(&catalogues[0], NULL, error, sizeof error) == IW_OK &&
        iw_catalogue_init_relay(&catalogues[1], error, sizeof error) == IW_OK)
        return true;
    suite_dispose_cases(catalogues);
    fprintf(stderr, "warpcheck: %s\n", error);
    return false;
}

static void suite_add_cases(const struct iw_listing_printer *printer, const struct iw_catalogue *catalogue) {
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct iw_case *one = &catalogue->cases[i];

        iw_listing_add(printer,
            json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:b}", "case", one->id, "title",
                one->title, "file", one->file, "role", one->initiator ? "initiator" : "responder", "tier",
                iw_case_tier_name(one->tier), "requirements", iw_case_requirement_ids(one), "level",
                iw_case_level(iw_case_severity(one)), "claims", iw_json_texts(one->claims, one->claim_count),
                "close", iw_json_texts(one->closes, one->close_count), "danger",
                iw_agent_set_json(iw_case_dangers, one->dangers), "segments", one->segments));
    }
}

static int suite_case_rows(const struct iw_listing_printer *printer) {
    struct iw_catalogue catalogues[SUITE_CATALOGUES];

    if (!suite_load_cases(catalogues))
        return -1;
    for (int i = 0; i < SUITE_CATALOGUES; i++)
        suite_add_cases(printer, &catalogues[i]);
    suite_dispose_cases(catalogues);
    return 0;
}

static bool suite_case_tests(const struct iw_case *one, const struct iw_requirement *requirement) {
    for (size_t i = 0; i < one->requirement_count; i++)
        if (one->requirements[i] == requirement)
            return true;
    return false;
}

static json_t *suite_cases_of(
    const struct iw_catalogue catalogues[SUITE_CATALOGUES], const struct iw_requirement *requirement) {
    json_t *array = json_array();

    for (int i = 0; i < SUITE_CATALOGUES; i++)
        for (size_t k = 0; k < catalogues[i].count; k++)
            if (suite_case_tests(&catalogues[i].cases[k], requirement))
                json_array_append_new(array, json_string(catalogues[i].cases[k].id));
    return array;
}

static int suite_requirement_rows(const struct iw_listing_printer *printer) {
    struct iw_catalogue catalogues[SUITE_CATALOGUES];

    if (!suite_load_cases(catalogues))
        return -1;
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++) {
        const struct iw_requirement *requirement = &iw_requirements[i];
        json_t *cases = suite_cases_of(catalogues, requirement);

        iw_listing_add(
            printer, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:o, s:s, s:s}", "id",
                         requirement->id, "document", requirement->document, "section", requirement->section,
                         "level", iw_level_name(requirement->level), "role", requirement->role, "visibility",
                         iw_visibility_name(requirement->visibility), "terminate", requirement->terminate,
                         "rule", requirement->rule, "case_count", (int)json_array_size(cases), "cases", cases,
                         "words", requirement->words, "why", requirement->why));
    }
    suite_dispose_cases(catalogues);
    return 0;
}

static void suite_add_changes(const char *key, const struct iw_defect *changes, size_t count,
    const struct iw_listing_printer *printer) {
    for (size_t i = 0; i < count; i++)
        iw_listing_add(printer,
            json_pack("{s:s, s:s, s:s, s:s}", key, changes[i].name, "role", iw_defect_roles(&changes[i]),
                "requirement", iw_requirements[changes[i].requirement].id, "words", changes[i].words));
}

static int suite_defect_rows(const struct iw_listing_printer *printer) {
    suite_add_changes("defect", iw_defects, iw_defect_count, printer);
    return 0;
}

static int suite_variant_rows(const struct iw_listing_printer *printer) {
    suite_add_changes("variant", iw_variants, iw_variant_count, printer);
    return 0;
}

static int suite_profile_rows(const struct iw_listing_printer *printer) {
    for (size_t i = 0; i < iw_builtin_profile_count; i++) {
        const char *file = iw_builtin_profiles[i].name;
        char name[64], error[256];
        struct iw_profile profile;

        snprintf(name, sizeof name, "%.*s", (int)strcspn(file, "."), file);
        if (iw_profile_load(&profile, name, error, sizeof error) != IW_OK) {
            fprintf(stderr, "warpcheck: %s\n", error);
            return -1;
        }
        iw_listing_add(printer, iw_profile_json(&profile));
    }
    return 0;
}

static int suite_network_rows(const struct iw_listing_printer *printer) {
    for (size_t i = 0; i < iw_network_name_count; i++) {
        const struct iw_network_named *named = &iw_network_names[i];
        struct iw_network_profile profile;
        char words[IW_NETWORK_WORDS_OCTETS], netem[IW_NETWORK_WORDS_OCTETS], error[256];

        if (!iw_network_profile_read(named->name, &profile, error, sizeof error)) {
            fprintf(stderr, "warpcheck: %s\n", error);
            return -1;
        }
        iw_network_profile_words(&profile, words);
        iw_network_profile_netem(&profile, netem);
        iw_listing_add(printer,
            json_pack("{s:s, s:s, s:s, s:s, s:i, s:s}", "network", named->name, "values", named->values,
                "words", words, "netem", netem, "wait_ms", (int)profile.wait_ms, "about", named->about));
    }
    return 0;
}

const struct iw_listing iw_listing_requirements = {
    .topic = "requirements",
    .columns = (const struct iw_listing_column[]){{"id", 19}, {"level", 12}, {"role", 13}, {"visibility", 8},
        {"terminate", 9}, {"rule", 10}, {"case_count", 3}, {"words", 0}, {0}},
    .aside = "why",
    .rows = suite_requirement_rows,
};

const struct iw_listing iw_listing_cases = {
    .topic = "cases",
    .columns = (const struct iw_listing_column[]){{"case", 19}, {"role", 9}, {"tier", 5}, {"title", 66},
        {"requirements", 0}, {0}},
    .rows = suite_case_rows,
};

const struct iw_listing iw_listing_variants = {
    .topic = "variants",
    .columns = (const struct iw_listing_column[]){{"variant", 32}, {"role", 9}, {"requirement", 18},
        {"words", 0}, {0}},
    .rows = suite_variant_rows,
};

const struct iw_listing iw_listing_defects = {
    .topic = "defects",
    .columns = (const struct iw_listing_column[]){{"defect", 32}, {"role", 9}, {"requirement", 18},
        {"words", 0}, {0}},
    .rows = suite_defect_rows,
};

const struct iw_listing iw_listing_profiles = {
    .topic = "profiles",
    .columns = (const struct iw_listing_column[]){{"profile", 12}, {"words", 0}, {0}},
    .rows = suite_profile_rows,
};

const struct iw_listing iw_listing_networks = {
    .topic = "networks",
    .columns = (const struct iw_listing_column[]){{"network", 12}, {"words", 50}, {"about", 0}, {0}},
    .rows = suite_network_rows,
};

static const struct iw_listing run_listing = {
    .columns = (const struct iw_listing_column[]){{"case", 19}, {"runs", 14}, {"title", 0}, {0}},
    .aside = "reason",
};

int iw_listing_run(const struct iw_run_config *config, enum iw_listing_format format, FILE *out) {
    const struct iw_listing_printer printer = {&run_listing, format, out};
    struct iw_selection selection;
    int count;

    if (iw_selection_init(&selection, config) != IW_OK)
        return -1;
    iw_listing_begin(&printer);
    for (size_t i = 0; i < selection.count; i++) {
        const struct iw_case *one = selection.cases[i];
        char reason[IW_SELECTION_REASON_OCTETS] = "";
        enum iw_verdict verdict;
        bool runs = iw_selection_can_run(config, one, &verdict, reason);

        iw_listing_add(&printer, json_pack("{s:s, s:s, s:s, s:s}", "case", one->id, "title", one->title,
                                     "runs", runs ? "yes" : iw_verdict_name(verdict), "reason", reason));
    }
    count = (int)selection.total;
    iw_selection_dispose(&selection);
    return count;
}
