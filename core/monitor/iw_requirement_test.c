#include "iw_requirement.h"

#include <ctype.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const symbols[IW_REQUIREMENT_COUNT] = {
#define IW_REQUIREMENT(symbol, id, document, section, level, role, visibility, terminate, words, rule, why)  \
#symbol,
#include "iw_requirement.def"
};

static void has_each_id_once(void **state) {
    (void)state;
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++) {
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(iw_requirements[i].id, iw_requirements[j].id);
        assert_ptr_equal(iw_requirement_find(iw_requirements[i].id), &iw_requirements[i]);
    }
}

static void finds_no_other_id(void **state) {
    (void)state;
    assert_null(iw_requirement_find(""));
    assert_null(iw_requirement_find("RFC5044-4.4"));
    assert_null(iw_requirement_find("rfc5044-4.4-11"));
}

/* RFC5044_4_4_11 for "RFC5044-4.4-11". */
static void names_each_symbol_like_its_id(void **state) {
    (void)state;
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++) {
        char text[64];

        snprintf(text, sizeof text, "%s", iw_requirements[i].id);
        for (char *c = text; *c != 0; c++)
            if (*c == '-' || *c == '.')
                *c = '_';
        assert_string_equal(symbols[i], text);
    }
}

/* "RFC5044-4.4-11": document, section, and the number of the statement in it. "RFC5042-ATTACK-01": the
 * attacks are numbered throughout RFC 5042. */
static void makes_each_id_of_document_and_section(void **state) {
    (void)state;
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++) {
        const struct iw_requirement *row = &iw_requirements[i];
        char prefix[64];
        const char *number;

        if (strcmp(row->document, "draft-talpey-rdma-commit-01") == 0)
            snprintf(prefix, sizeof prefix, "TALPEY-%s-", row->section);
        else if (strcmp(row->document, "draft-ietf-storm-rdmap-ext-01") == 0)
            snprintf(prefix, sizeof prefix, "EXT01-%s-", row->section);
        else if (strncmp(row->id, "RFC5042-ATTACK-", 15) == 0)
            snprintf(prefix, sizeof prefix, "RFC5042-ATTACK-");
        else
            snprintf(prefix, sizeof prefix, "RFC%s-%s-", row->document + 4, row->section);
        assert_memory_equal(row->id, prefix, strlen(prefix));
        number = row->id + strlen(prefix);
        assert_int_equal(strlen(number), 2);
        assert_int_equal(strspn(number, "0123456789"), 2);
    }
}

static bool is_one_of(const char *text, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, list[i]) == 0)
            return true;
    return false;
}

static void fills_each_column(void **state) {
    static const char *const documents[] = {"RFC 5040", "RFC 5041", "RFC 5042", "RFC 5043", "RFC 5044",
        "RFC 6580", "RFC 6581", "RFC 7146", "RFC 7306", "draft-talpey-rdma-commit-01",
        "draft-ietf-storm-rdmap-ext-01"};
    static const char *const roles[] = {
        "sender", "receiver", "both", "initiator", "MPA responder", "requester", "responder", "ULP"};

    (void)state;
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++) {
        const struct iw_requirement *row = &iw_requirements[i];

        assert_true(is_one_of(row->document, documents, sizeof documents / sizeof *documents));
        assert_true(is_one_of(row->role, roles, sizeof roles / sizeof *roles));
        assert_true(strlen(row->words) > 0);
        assert_true(row->words[strlen(row->words) - 1] != '.');
    }
}

/* Layer and EType one hexadecimal digit each, Error Code two: "2/0/02", or nothing. */
static void writes_each_terminate_as_a_triple(void **state) {
    (void)state;
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++) {
        const char *text = iw_requirements[i].terminate;
        unsigned layer;
        unsigned etype;
        unsigned code;
        int end = 0;

        if (text[0] == 0)
            continue;
        assert_int_equal(strlen(text), 6);
        assert_int_equal(sscanf(text, "%1x/%1x/%2x%n", &layer, &etype, &code, &end), 3);
        assert_int_equal(end, 6);
        assert_true(layer <= 2);
    }
}

static void tells_advice_from_what_has_a_key_word(void **state) {
    (void)state;
    assert_true(iw_requirement_is_advice(&iw_requirements[IW_REQ_RFC5042_ATTACK_30]));
    assert_true(iw_requirement_is_advice(&iw_requirements[IW_REQ_RFC5042_6_4_1_02]));
    assert_false(iw_requirement_is_advice(&iw_requirements[IW_REQ_RFC5042_ATTACK_34]));
    assert_false(iw_requirement_is_advice(&iw_requirements[IW_REQ_RFC5042_6_2_1_01]));
    assert_false(iw_requirement_is_advice(iw_requirement_find("RFC7146-1.3-01"))); /* IMPLIED elsewhere */
}

static void weighs_each_level(void **state) {
    struct iw_requirement row = {.level = IW_LEVEL_MUST};

    (void)state;
    assert_int_equal(iw_requirement_severity(&row), IW_SEVERITY_ERROR);
    row.level = IW_LEVEL_MUST_NOT;
    assert_int_equal(iw_requirement_severity(&row), IW_SEVERITY_ERROR);
    row.level = IW_LEVEL_IMPLIED;
    assert_int_equal(iw_requirement_severity(&row), IW_SEVERITY_ERROR);
    row.level = IW_LEVEL_SHOULD;
    assert_int_equal(iw_requirement_severity(&row), IW_SEVERITY_WARNING);
    row.level = IW_LEVEL_SHOULD_NOT;
    assert_int_equal(iw_requirement_severity(&row), IW_SEVERITY_WARNING);
    row.level = IW_LEVEL_MAY;
    assert_int_equal(iw_requirement_severity(&row), IW_SEVERITY_NOTE);
}

static void names_levels_severities_and_visibilities(void **state) {
    (void)state;
    assert_string_equal(iw_level_name(IW_LEVEL_MUST), "MUST");
    assert_string_equal(iw_level_name(IW_LEVEL_MUST_NOT), "MUST NOT");
    assert_string_equal(iw_level_name(IW_LEVEL_SHOULD), "SHOULD");
    assert_string_equal(iw_level_name(IW_LEVEL_SHOULD_NOT), "SHOULD NOT");
    assert_string_equal(iw_level_name(IW_LEVEL_MAY), "MAY");
    assert_string_equal(iw_level_name(IW_LEVEL_IMPLIED), "IMPLIED");
    assert_string_equal(iw_level_name(IW_LEVEL_NOT_REQUIRED), "NOT REQUIRED");
    assert_string_equal(iw_severity_name(IW_SEVERITY_NOTE), "note");
    assert_string_equal(iw_severity_name(IW_SEVERITY_WARNING), "warning");
    assert_string_equal(iw_severity_name(IW_SEVERITY_ERROR), "error");
    assert_string_equal(iw_visibility_name(IW_VISIBILITY_WIRE), "wire");
    assert_string_equal(iw_visibility_name(IW_VISIBILITY_ACTIVE), "active");
    assert_string_equal(iw_visibility_name(IW_VISIBILITY_INTERNAL), "internal");
    assert_string_equal(iw_visibility_name(IW_VISIBILITY_OUTSIDE), "outside");
}

/* ---- rules and rows ---- */

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);

    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

/* The word that begins at `text` is IW_REQ_ and the symbol. */
static bool names(const char *text, const char *symbol) {
    size_t length = strlen(symbol);
    const char *word = text + strlen("IW_REQ_");

    return strncmp(word, symbol, length) == 0 && !isdigit((unsigned char)word[length]) && word[length] != '_';
}

/* "startup" for ".../iw_rule_startup.c" */
static bool is_rule_of(const char *path, const char *rule) {
    const char *name = strrchr(path, '/') + strlen("/iw_rule_");

    return strncmp(name, rule, strlen(rule)) == 0 && strcmp(name + strlen(rule), ".c") == 0;
}

/* Sets bit 0 for a row that the rules named in it judge, and bit 1 for a row that other rules judge. */
static void note_rules_of(const char *path, unsigned judged[IW_REQUIREMENT_COUNT]) {
    char *text = read_file(path);

    for (const char *at = strstr(text, "IW_REQ_"); at != NULL; at = strstr(at + 1, "IW_REQ_"))
        for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
            if (names(at, symbols[i]))
                judged[i] |= is_rule_of(path, iw_requirements[i].rule) ? 1 : 2;
    free(text);
}

/* What contradicts the row, or NULL. `judged`: as note_rules_of sets it. */
static const char *contradicted_by(const struct iw_requirement *row, unsigned judged) {
    if (row->rule[0] == 0 && judged != 0)
        return "a rule reports it, but the row names none";
    if (row->rule[0] == 0)
        return row->visibility == IW_VISIBILITY_WIRE ? "no rule reports it" : NULL;
    if (!(judged & 1))
        return "the rule that the row names does not report it";
    return row->visibility > IW_VISIBILITY_ACTIVE ? "has a rule, but no traffic can show it" : NULL;
}

/* Every row with visibility WIRE has a rule, in the file that the row names. */
static void names_the_rules_that_judge_each_row(void **state) {
    unsigned judged[IW_REQUIREMENT_COUNT] = {0};
    glob_t paths;

    (void)state;
    assert_int_equal(glob(WARPCHECK_SOURCE_DIR "/core/monitor/iw_rule_*.c", 0, NULL, &paths), 0);
    for (size_t i = 0; i < paths.gl_pathc; i++)
        if (strstr(paths.gl_pathv[i], "_test.c") == NULL)
            note_rules_of(paths.gl_pathv[i], judged);
    globfree(&paths);
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++) {
        const char *fault = contradicted_by(&iw_requirements[i], judged[i]);

        if (fault != NULL)
            fail_msg("%s: %s", iw_requirements[i].id, fault);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_each_id_once),
        cmocka_unit_test(finds_no_other_id),
        cmocka_unit_test(names_each_symbol_like_its_id),
        cmocka_unit_test(makes_each_id_of_document_and_section),
        cmocka_unit_test(fills_each_column),
        cmocka_unit_test(writes_each_terminate_as_a_triple),
        cmocka_unit_test(tells_advice_from_what_has_a_key_word),
        cmocka_unit_test(weighs_each_level),
        cmocka_unit_test(names_levels_severities_and_visibilities),
        cmocka_unit_test(names_the_rules_that_judge_each_row),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
