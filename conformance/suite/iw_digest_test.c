#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_digest.h"
#include "iw_temporary_test.h"

/* printf 'a 3\nabcb.lua 0\n' | sha256sum */
static const char expected[] = "d92bab1207647e6f070fa2442b7494b38e04cfe7ac3332a8bf6f12241c6c494b";

static void digest_covers_names_lengths_and_octets(void **state) {
    char text[IW_DIGEST_OCTETS];
    struct iw_digest digest;

    (void)state;
    iw_digest_begin(&digest);
    iw_digest_text(&digest, "a", "abc", 3);
    iw_digest_text(&digest, "b.lua", "", 0);
    assert_true(iw_digest_end(&digest, text));
    assert_string_equal(text, expected);
}

static void assert_unreadable(const char *path) {
    char text[IW_DIGEST_OCTETS];
    struct iw_digest digest;

    iw_digest_begin(&digest);
    iw_digest_file(&digest, path);
    assert_false(iw_digest_end(&digest, text));
    assert_string_equal(text, "");
}

static void file_has_the_digest_of_its_text(void **state) {
    char folder[TEMPORARY_PATH], path[TEMPORARY_FILE], text[IW_DIGEST_OCTETS];
    struct iw_digest digest;
    FILE *out;

    (void)state;
    assert_non_null(mkdtemp(temporary_path(folder, "iw_digest_test")));
    snprintf(path, sizeof path, "%s/a", folder);
    out = fopen(path, "w");
    fputs("abc", out);
    fclose(out);
    iw_digest_begin(&digest);
    iw_digest_file(&digest, path);
    iw_digest_text(&digest, "b.lua", "", 0);
    assert_true(iw_digest_end(&digest, text));
    assert_string_equal(text, expected);
    unlink(path);
    assert_unreadable(folder);
    rmdir(folder);
    assert_unreadable(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digest_covers_names_lengths_and_octets),
        cmocka_unit_test(file_has_the_digest_of_its_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
