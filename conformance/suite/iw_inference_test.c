#include "iw_inference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void probe_denies_no_duty(void **state) {
    struct iw_profile found = {.revisions = IW_PROFILE_REVISION_2}, profile;

    (void)state;
    profile = found;
    iw_inference_add_demands(&profile, false, false);
    assert_string_equal(profile.name, iw_inference_name);
    assert_true(profile.markers);
    assert_true(profile.crc_reports);
    assert_true(profile.revisions & IW_PROFILE_REVISION_1);
    assert_false(profile.immediate);
    profile = found;
    iw_inference_add_demands(&profile, true, false);
    assert_true(profile.immediate);
}

static void profile_of_a_probe_is_possible(void **state) {
    struct iw_profile found = iw_profile_default(), profile;

    (void)state;
    found.atomics = found.immediate = false;
    found.revisions = IW_PROFILE_REVISION_1;
    profile = found;
    iw_inference_add_demands(&profile, false, false);
    assert_true(iw_inference_is_possible(&profile, false));
    profile = iw_inference_assume();
    assert_true(iw_inference_is_possible(&profile, false));
    assert_true(iw_inference_is_possible(&profile, true));
}

/* Without Markers, no run has inferred it; nor under a different name. */
static void fewer_claims_are_not_possible(void **state) {
    struct iw_profile profile;

    (void)state;
    profile = iw_inference_assume();
    profile.markers = false;
    assert_false(iw_inference_is_possible(&profile, false));
    profile = iw_inference_assume();
    profile.name[0] = 'I';
    assert_false(iw_inference_is_possible(&profile, false));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probe_denies_no_duty),
        cmocka_unit_test(profile_of_a_probe_is_possible),
        cmocka_unit_test(fewer_claims_are_not_possible),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
