#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_suggest.h"

static const char *nearest(const char *word, const char *const *names, size_t count) {
    struct iw_suggest suggest;

    iw_suggest_init(&suggest, word);
    for (size_t i = 0; i < count; i++)
        iw_suggest_consider(&suggest, names[i]);
    return suggest.name;
}

static void distances(void **state) {
    (void)state;
    assert_int_equal(iw_suggest_distance("", ""), 0);
    assert_int_equal(iw_suggest_distance("check", "check"), 0);
    assert_int_equal(iw_suggest_distance("", "run"), 3);
    assert_int_equal(iw_suggest_distance("run", ""), 3);
    assert_int_equal(iw_suggest_distance("chek", "check"), 1);
    assert_int_equal(iw_suggest_distance("checck", "check"), 1);
    assert_int_equal(iw_suggest_distance("chock", "check"), 1);
    assert_int_equal(iw_suggest_distance("hceck", "check"), 1);
    assert_int_equal(iw_suggest_distance("kitten", "sitting"), 3);
    assert_int_equal(iw_suggest_distance("ca", "abc"), 3); /* a swapped pair is not edited again */
}

static void a_near_name_is_found(void **state) {
    static const char *const names[] = {"run", "report", "check", "verify-bundle", "extensions"};

    (void)state;
    assert_string_equal(nearest("chekc", names, 5), "check");
    assert_string_equal(nearest("rnu", names, 5), "run");
    assert_string_equal(nearest("reprot", names, 5), "report");
    assert_string_equal(nearest("verifybundel", names, 5), "verify-bundle");
    assert_string_equal(nearest("ext", names, 5), "extensions");
    assert_null(nearest("frobnicate", names, 5));
    assert_null(nearest("x", names, 5));
    assert_null(nearest("", names, 5));
}

static void the_nearest_and_first_wins(void **state) {
    static const char *const names[] = {"serve", "server", "severe"};

    (void)state;
    assert_string_equal(nearest("serves", names, 3), "serve");
    assert_string_equal(nearest("severer", names, 3), "severe");
}

/* A name is no suggestion if nothing of it is left of the word. */
static void a_name_of_one_letter_needs_that_letter(void **state) {
    static const char *const names[] = {"a"};

    (void)state;
    assert_null(nearest("b", names, 1));
    assert_null(nearest("bc", names, 1));
}

static void long_words_have_no_suggestion(void **state) {
    char word[200], name[200];
    const char *names[] = {name};

    (void)state;
    memset(word, 'a', sizeof word);
    memset(name, 'a', sizeof name);
    word[IW_SUGGEST_LENGTH_MAX] = name[IW_SUGGEST_LENGTH_MAX] = '\0';
    assert_string_equal(nearest(word, names, 1), name);
    word[0] = 'b';
    assert_string_equal(nearest(word, names, 1), name);
    word[IW_SUGGEST_LENGTH_MAX] = 'a';
    word[sizeof word - 1] = '\0';
    assert_null(nearest(word, names, 1));
    word[IW_SUGGEST_LENGTH_MAX] = '\0';
    name[IW_SUGGEST_LENGTH_MAX] = 'a';
    name[sizeof name - 1] = '\0';
    assert_null(nearest(word, names, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances),
        cmocka_unit_test(a_near_name_is_found),
        cmocka_unit_test(the_nearest_and_first_wins),
        cmocka_unit_test(a_name_of_one_letter_needs_that_letter),
        cmocka_unit_test(long_words_have_no_suggestion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
