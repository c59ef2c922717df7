#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_catalogue.h"
#include "iw_temporary_test.h"

static void write_file(const char *folder, const char *name, const char *text, char path[TEMPORARY_FILE]) {
    FILE *out;

    snprintf(path, TEMPORARY_FILE, "%s/%s", folder, name);
    out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

/* Loads a folder with one case file, `text`, and common.lua unless its text is NULL. */
static enum iw_status load_with(
    const char *common, const char *text, struct iw_catalogue *catalogue, char error[512]) {
    char folder[TEMPORARY_PATH], path[TEMPORARY_FILE], common_path[TEMPORARY_FILE];
    enum iw_status status;

    assert_non_null(mkdtemp(temporary_path(folder, "iw_case_test")));
    write_file(folder, "one.lua", text, path);
    if (common)
        write_file(folder, "common.lua", common, common_path);
    status = iw_catalogue_init(catalogue, folder, error, 512);
    unlink(path);
    if (common)
        unlink(common_path);
    rmdir(folder);
    return status;
}

static enum iw_status load_cases(const char *text, struct iw_catalogue *catalogue, char error[512]) {
    return load_with(NULL, text, catalogue, error);
}

static void case_has_the_members_of_its_table(void **state) {
    struct iw_catalogue catalogue;
    const struct iw_case *one;
    char error[512];

    (void)state;
    assert_int_equal(
        load_cases(
            "return {{id='a-001', title='A title', requirements={'RFC5044-4.1-02'}, role='initiator',\n"
            "  tier='agent', claims={'markers'}, close={'fin', 'rst'}, danger={'connection'}, "
            "segments=true, run=function() end}}",
            &catalogue, error),
        IW_OK);
    assert_int_equal(catalogue.count, 1);
    one = &catalogue.cases[0];
    assert_string_equal(one->id, "a-001");
    assert_string_equal(one->title, "A title");
    assert_string_equal(one->requirements[0]->id, "RFC5044-4.1-02");
    assert_true(one->initiator);
    assert_int_equal(one->tier, IW_CASE_TIER_AGENT);
    assert_string_equal(one->claims[0], "markers");
    assert_string_equal(one->closes[1], "rst");
    assert_int_equal(one->dangers, IW_CASE_DANGER_CONNECTION);
    assert_true(one->segments);
    assert_string_equal(iw_case_dangers[1], "connection");
    assert_string_equal(iw_case_dangers[2], "host");
    iw_catalogue_dispose(&catalogue);
}

static void cases_have_the_common_table(void **state) {
    static const char text[] =
        "return {{id='a-001', title=common.closed.kind, role='responder', tier='none', "
        "requirements={'RFC5044-4.1-02'}, run=print}}";
    struct iw_catalogue catalogue;
    char error[512];

    (void)state;
    assert_int_equal(load_cases(text, &catalogue, error), IW_OK);
    assert_string_equal(catalogue.cases[0].title, "close");
    iw_catalogue_dispose(&catalogue);
    assert_int_equal(load_with("return {closed={kind='other'}}", text, &catalogue, error), IW_OK);
    assert_int_equal(catalogue.count, 1);
    assert_string_equal(catalogue.cases[0].title, "other");
    iw_catalogue_dispose(&catalogue);
    assert_int_equal(load_with("return 1", text, &catalogue, error), IW_ERR_FORMAT);
    assert_string_equal(error, "common.lua: returns no table");
}

static void close_by_terminate_endangers_connection(void **state) {
    struct iw_catalogue catalogue;
    char error[512];

    (void)state;
    assert_int_equal(
        load_cases(
            "local function case(id, close) return {id=id, title='t', requirements={'RFC5044-4.1-02'},\n"
            "  role='responder', tier='none', close=close, run=print} end\n"
            "return {case('a', {'fin', 'terminate+rst'}), case('b', {'fin'}), case('c')}",
            &catalogue, error),
        IW_OK);
    assert_int_equal(catalogue.cases[0].dangers, IW_CASE_DANGER_CONNECTION);
    assert_int_equal(catalogue.cases[1].dangers, 0);
    assert_int_equal(catalogue.cases[2].dangers, 0);
    iw_catalogue_dispose(&catalogue);
}

/* RFC 5040 4.8-05 is a SHOULD, RFC 5044 4.1-02 a MUST, 4.4-09 a MAY. */
static void severity_is_that_of_strictest_requirement(void **state) {
    static const struct {
        const char *requirements, *level;
    } rows[] = {
        {"'RFC5040-4.8-05'", "SHOULD"},
        {"'RFC5040-4.8-05', 'RFC5044-4.1-02'", "MUST"},
        {"'RFC5044-4.4-09'", "MAY"},
        {"'RFC5044-4.4-09', 'RFC5040-4.8-05'", "SHOULD"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct iw_catalogue catalogue;
        char text[512], error[512];

        snprintf(text, sizeof text,
            "return {{id='a', title='t', requirements={%s}, role='responder', tier='none', run=print}}",
            rows[i].requirements);
        assert_int_equal(load_cases(text, &catalogue, error), IW_OK);
        assert_string_equal(iw_case_level(iw_case_severity(&catalogue.cases[0])), rows[i].level);
        iw_catalogue_dispose(&catalogue);
    }
}

static void error_is_one_line_with_file(void **state) {
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"return {", "one.lua:1: "},
        {"return 7", "one.lua"},
        {"return {{}}", "id takes a text"},
        {"return {7}", "item 1 of the returned list is no case: return { {id = ...}, ... }"},
        {"return {{id='a', title='b', requirements={'RFC1-1-01'}, role='responder', tier='none', run=print}}",
            "unknown requirement RFC1-1-01"},
        {"return {{id='a', title='b', requirements={}, role='responder', tier='none', run=print}}",
            "no requirement"},
        {"return {{id='a', title='b', requirements={'RFC5044-4.1-02'}, role='both', tier='none', run=print}}",
            "role is \"responder\" or \"initiator\""},
        {"return {{id='a', title='b', requirements={'RFC5044-4.1-02'}, role='responder', tier='none'}}",
            "run takes a function"},
        {"return {{id='a', titel='b'}}", "unknown member 'titel' of a case"},
        {"local c = {id='a', title='b', requirements={'RFC5044-4.1-02'}, role='responder', tier='none', "
         "run=print}\n"
         "return {c, c}",
            "duplicate id"},
        {"return {{id='../a', title='b', requirements={'RFC5044-4.1-02'}, role='responder', tier='none', "
         "run=print}}",
            "case ../a: an id has at most 64 ASCII letters, digits, - and _, and does not start with -"},
        {"return {{id=('a'):rep(65), title='b', requirements={'RFC5044-4.1-02'}, role='responder', "
         "tier='none', "
         "run=print}}",
            "an id has at most 64 ASCII letters, digits, - and _, and does not start with -"},
        {"return {{id='a', title='b', requirements={'RFC5044-4.1-02'}, role='responder', tier='none', "
         "claims={'flying'}, run=print}}",
            "case a: unknown claim flying"},
        {"return {{id='a', title='b', requirements={'RFC5044-4.1-02'}, role='responder', tier='none', "
         "danger={'fire'}, run=print}}",
            "case a: danger takes \"memory\", \"connection\" and \"host\", not \"fire\""},
        {"while true do end", "one.lua"},
        {"error({})", "one.lua"},
        {"error('two\\nlines\\27[2J')", "two lines?[2J"},
    };
    struct iw_catalogue catalogue;
    char error[512];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(load_cases(rows[i].text, &catalogue, error), IW_ERR_FORMAT);
        assert_non_null(strstr(error, rows[i].words));
        assert_non_null(strstr(error, "one.lua"));
        assert_null(strchr(error, '\n'));
    }
}

static void missing_folder_is_an_error(void **state) {
    struct iw_catalogue catalogue;
    char error[512];

    (void)state;
    assert_int_equal(iw_catalogue_init(&catalogue, "/nonexistent", error, sizeof error), IW_ERR_IO);
    assert_string_equal(error, "/nonexistent: No such file or directory");
}

static unsigned count_same_titles(const struct iw_catalogue *catalogue) {
    unsigned same = 0;

    for (size_t i = 0; i < catalogue->count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(catalogue->cases[i].title, catalogue->cases[j].title) == 0) {
                print_error("%s and %s\n", catalogue->cases[j].id, catalogue->cases[i].id);
                same++;
            }
    return same;
}

/* The titles name the cases in reports. */
static void no_two_built_in_cases_have_the_same_title(void **state) {
    struct iw_catalogue catalogue;
    char error[256];

    (void)state;
    assert_int_equal(iw_catalogue_init(&catalogue, NULL, error, sizeof error), IW_OK);
    assert_int_equal(count_same_titles(&catalogue), 0);
    iw_catalogue_dispose(&catalogue);
    assert_int_equal(iw_catalogue_init_relay(&catalogue, error, sizeof error), IW_OK);
    assert_int_equal(count_same_titles(&catalogue), 0);
    iw_catalogue_dispose(&catalogue);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_has_the_members_of_its_table),
        cmocka_unit_test(cases_have_the_common_table),
        cmocka_unit_test(close_by_terminate_endangers_connection),
        cmocka_unit_test(severity_is_that_of_strictest_requirement),
        cmocka_unit_test(error_is_one_line_with_file),
        cmocka_unit_test(missing_folder_is_an_error),
        cmocka_unit_test(no_two_built_in_cases_have_the_same_title),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
