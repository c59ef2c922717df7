#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_builtin.h"
#include "iw_probe.h"

/* The probe of a reference with a profile finds that profile. */

static const char path[] = "./iw_probe_test.lua";
static char error[512];

enum { LIMIT_S = 3 }; /* in virtual time; the embedded peer gives up a startup after 2 s */

static void probe(const struct iw_profile *is, unsigned limit_s, struct iw_profile *found) {
    struct iw_probe_config config = {.profile = is, .startup_limit_s = limit_s};
    enum iw_exit code;
    char *text = iw_probe(&config, &code, error, sizeof error);
    FILE *file;

    if (!text)
        fail_msg("%s", error);
    assert_int_equal(code, IW_EXIT_CONFORMS);
    file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    if (iw_profile_load(found, path, error, sizeof error) != IW_OK)
        fail_msg("%s:\n%s", error, text);
    unlink(path);
    free(text);
}

/* Abilities that the reference has with any profile, because it cannot disable them. */
static bool is_excepted(const char *profile, const char *claim) {
    return (strcmp(profile, "no-markers") == 0 && strcmp(claim, "markers") == 0) ||
           (strcmp(profile, "responder") == 0 && strcmp(claim, "initiator") == 0);
}

static void probe_finds_each_profile(void **state) {
    (void)state;
    for (size_t i = 0; i < iw_builtin_profile_count; i++) {
        struct iw_profile is, found;
        char name[64];

        snprintf(name, sizeof name, "%.*s", (int)strcspn(iw_builtin_profiles[i].name, "."),
            iw_builtin_profiles[i].name);
        assert_int_equal(iw_profile_load(&is, name, error, sizeof error), IW_OK);
        probe(&is, LIMIT_S, &found);
        for (size_t j = 0; iw_profile_claim(j); j++) {
            const char *claim = iw_profile_claim(j);

            if (iw_profile_claims(&is, claim, NULL) != iw_profile_claims(&found, claim, NULL) &&
                !is_excepted(name, claim))
                fail_msg("%s of %s is not found", claim, name);
        }
        assert_int_equal(found.ird, is.ird);
        assert_int_equal(found.ord, is.ord);
        assert_int_equal(found.startup_timeout_s, 2);
    }
}

static void startup_timeout_beyond_the_limit_is_not_claimed(void **state) {
    const struct iw_profile all = iw_profile_default();

    (void)state;
    for (unsigned limit_s = 0; limit_s < 2; limit_s++) {
        struct iw_profile found;

        probe(&all, limit_s, &found);
        assert_int_equal(found.startup_timeout_s, IW_PROFILE_STARTUP_TIMEOUT_S);
    }
}

static void unreachable_device_is_reported(void **state) {
    const struct iw_probe_config config = {.target = {.host = "127.0.0.1", .port = 1}};
    enum iw_exit code;

    (void)state;
    assert_null(iw_probe(&config, &code, error, sizeof error));
    assert_int_equal(code, IW_EXIT_ENVIRONMENT);
    assert_string_equal(error, "127.0.0.1:1: connection refused");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probe_finds_each_profile),
        cmocka_unit_test(startup_timeout_beyond_the_limit_is_not_claimed),
        cmocka_unit_test(unreachable_device_is_reported),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
