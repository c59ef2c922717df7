#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_builtin.h"
#include "iw_profile.h"

static const char path[] = "iw_profile_test.lua";
static char error[512];

static enum iw_status load_profile(const char *text, struct iw_profile *profile) {
    FILE *file = fopen("./iw_profile_test.lua", "w");
    enum iw_status status;

    fputs(text, file);
    fclose(file);
    status = iw_profile_load(profile, path, error, sizeof error);
    unlink(path);
    return status;
}

static bool claims(const struct iw_profile *profile, const char *claim) {
    bool known, makes = iw_profile_claims(profile, claim, &known);

    assert_true(known);
    return makes;
}

static void an_empty_profile_claims_everything(void **state) {
    struct iw_profile profile;
    size_t count = 0;

    (void)state;
    assert_int_equal(load_profile("return {}", &profile), IW_OK);
    assert_string_equal(profile.name, "iw_profile_test");
    assert_int_equal(profile.ird, 8);
    assert_int_equal(profile.startup_timeout_s, 60);
    assert_int_equal(profile.service_timeout_s, 5);
    for (; iw_profile_claim(count); count++)
        if (strcmp(iw_profile_claim(count), "no-crc") != 0)
            assert_true(claims(&profile, iw_profile_claim(count)));
    assert_int_equal(count, 21);
}

static void profile_excludes_claims(void **state) {
    static const char text[] =
        "return {name = 'rnic', words = 'a card', roles = {'responder'}, revisions = {2}, markers = false, "
        "crc = 'if-asked', rtr = {'write', 'read'}, ird = 16, ord = 0, atomics = false, swap = false, "
        "immediate = true, crc_reports = false, flush = {'expose'}, verify = {'sha512'}, atomic_write = "
        "false, sctp = false, "
        "limits = {region = 4096, message = 65536, private_data = 128}, revision = 2, settle = 100, "
        "startup_timeout = 20, service_timeout = 30}";
    static const char *const makes[] = {"responder", "rev-2", "no-crc", "rtr-write", "rtr-read", "immediate",
        "flush-expose", "verify", "verify-sha512"};
    struct iw_profile profile;
    size_t count = 0;

    (void)state;
    assert_int_equal(load_profile(text, &profile), IW_OK);
    assert_string_equal(profile.name, "rnic");
    assert_string_equal(profile.words, "a card");
    assert_int_equal(profile.ird, 16);
    assert_int_equal(profile.ord, 0);
    assert_int_equal(profile.limits.region, 4096);
    assert_int_equal(profile.limits.message, 65536);
    assert_int_equal(profile.limits.private_data, 128);
    assert_int_equal(profile.settle_ms, 100);
    assert_int_equal(profile.startup_timeout_s, 20);
    assert_int_equal(profile.service_timeout_s, 30);
    assert_int_equal(profile.revision, 2);
    for (size_t i = 0; iw_profile_claim(i); i++)
        count += claims(&profile, iw_profile_claim(i));
    assert_int_equal(count, sizeof makes / sizeof *makes);
    for (size_t i = 0; i < count; i++)
        assert_true(claims(&profile, makes[i]));
}

/* RFC 6581 defines the RTR, with revision 2. */
static void revision_1_has_no_rtr(void **state) {
    struct iw_profile profile;

    (void)state;
    assert_int_equal(load_profile("return {revisions = {1}}", &profile), IW_OK);
    assert_true(claims(&profile, "rev-1"));
    assert_false(claims(&profile, "rev-2"));
    assert_false(claims(&profile, "rtr-send"));
}

static void error_names_file_and_field(void **state) {
    static const struct {
        const char *text, *words;
    } wrong[] = {
        {"return 7", "a profile must return a table"},
        {"return {marker = true}", "a profile has no 'marker' (did you mean 'markers'?)"},
        {"return {markers = 1}", "markers takes true or false"},
        {"return {roles = 'responder'}", "roles takes a list of responder, initiator, not responder"},
        {"return {rtr = {'send', 'fly'}}", "rtr takes a list of send, write, read, not fly"},
        {"return {rtr = {7}}", "rtr takes a list of send, write, read, not 7"},
        {"return {revisions = {3}}", "revisions takes a list of 1, 2, not 3"},
        {"return {revisions = 2}", "revisions takes a list of 1, 2"},
        {"return {revisions = {}}", "revisions is empty"},
        {"return {crc = 'never'}", "crc takes \"always\" or \"if-asked\", not never"},
        {"return {ird = 16383}", "ird takes an integer from 0 to 16382"},
        {"return {ord = -1}", "ord takes an integer from 0 to 16382"},
        {"return {ord = 1.5}", "ord takes an integer from 0 to 16382"},
        {"return {verify = {'md5'}}", "verify takes a list of crc32c, sha256, sha512, not md5"},
        {"return {flush = {'p'}}", "flush takes a list of persist, expose, not p"},
        {"return {limits = {regions = 1}}", "limits has no 'regions' (did you mean 'region'?)"},
        {"return {limits = {private_data = 513}}", "private_data takes an integer from 0 to 512"},
        {"return {revision = 3}", "revision takes an integer from 0 to 2"},
        {"return {revisions = {1}, revision = 2}", "revision is not in revisions"},
        {"return {settle = 5001}", "settle takes an integer from 0 to 5000"},
        {"return {startup_timeout = 301}", "startup_timeout takes an integer from 0 to 300"},
        {"return {service_timeout = 0}", "service_timeout takes an integer from 1 to 300"},
        {"return {words = 7}", "words takes a text of less than 160 octets"},
        {"return {", "iw_profile_test.lua:1: "},
        {"while true do end", "iw_profile_test.lua"},
        {"return os.exit", "iw_profile_test.lua"},
    };
    struct iw_profile profile;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(load_profile(wrong[i].text, &profile), IW_ERR_FORMAT);
        if (!strstr(error, wrong[i].words) || strncmp(error, path, strlen(path)) != 0 || strchr(error, '\n'))
            fail_msg("%s: %s", wrong[i].text, error);
    }
    assert_int_equal(iw_profile_load(&profile, "./none.lua", error, sizeof error), IW_ERR_IO);
    assert_string_equal(error, "./none.lua: No such file or directory");
    assert_int_equal(iw_profile_load(&profile, "rnic", error, sizeof error), IW_ERR_FORMAT);
    assert_string_equal(error,
        "unknown profile rnic (built in are base, no-crc, no-markers, reference, responder, rev-1, rfc7306, "
        "shallow; a file has a / or a . in its name)");
}

static void undefined_claim_is_unknown(void **state) {
    const struct iw_profile profile = iw_profile_default();
    bool known = true;

    (void)state;
    assert_false(iw_profile_claims(&profile, "flying", &known));
    assert_false(known);
    assert_false(iw_profile_claims(&profile, "", NULL));
}

static void builtin_profiles_load(void **state) {
    struct iw_profile profile;

    (void)state;
    for (size_t i = 0; i < iw_builtin_profile_count; i++) {
        char name[64];
        json_t *row;

        snprintf(name, sizeof name, "%.*s", (int)strcspn(iw_builtin_profiles[i].name, "."),
            iw_builtin_profiles[i].name);
        assert_int_equal(iw_profile_load(&profile, name, error, sizeof error), IW_OK);
        assert_string_equal(profile.name, name);
        assert_true(profile.words[0] != '\0');
        row = iw_profile_json(&profile);
        assert_non_null(row);
        json_decref(row);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_profile_claims_everything),
        cmocka_unit_test(profile_excludes_claims),
        cmocka_unit_test(revision_1_has_no_rtr),
        cmocka_unit_test(error_names_file_and_field),
        cmocka_unit_test(undefined_claim_is_unknown),
        cmocka_unit_test(builtin_profiles_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
