#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_claim.h"

/* A startup frame of revision 2 with enhanced data, as a device with all claims except "no-crc" may send
 * it. */
static struct iw_startup default_startup(enum iw_startup_key key) {
    return (struct iw_startup){.key = key,
        .header = {.c = 1, .s = 1, .rev = 2},
        .enhanced = true,
        .enhanced_data = {.ird = 8, .ord = 8}};
}

/* The claims that the frame contradicts, separated by commas. */
static const char *contradicted_claims(
    const struct iw_profile *profile, const char *settings, const struct iw_startup *frame) {
    static char text[256];
    const struct iw_claims claims = {.profile = profile};
    const struct iw_llp_event llp = {.kind = IW_LLP_STARTUP, .startup = frame};
    const struct iw_monitor_event event = {.llp = &llp};
    struct iw_contradictions found = {.count = 0};
    json_t *object = json_loads(settings, 0, NULL);

    text[0] = '\0';
    iw_claims_check(&claims, &found, object, &event);
    iw_claims_check(&claims, &found, object, &event);
    json_decref(object);
    for (unsigned i = 0; i < found.count; i++) {
        strcat(text, i > 0 ? "," : "");
        strcat(text, found.list[i].claim);
    }
    return text;
}

static void startup_frame_contradicts_claims(void **state) {
    struct iw_profile everything = iw_profile_default(), profile = everything;
    struct iw_startup frame = default_startup(IW_STARTUP_REPLY);

    (void)state;
    assert_string_equal(contradicted_claims(&everything, "{}", &frame), "");
    profile.markers = false;
    profile.revisions = IW_PROFILE_REVISION_1;
    profile.ird = 7;
    profile.ord = 4;
    frame.header.m = 1;
    frame.header.c = 0;
    assert_string_equal(contradicted_claims(&everything, "{}", &frame), "no-crc");
    assert_string_equal(contradicted_claims(&profile, "{}", &frame), "markers,no-crc,rev-2,ird,ord");
    /* without a profile nothing can contradict */
    assert_string_equal(contradicted_claims(NULL, "{}", &frame), "");
    /* a setting of the ULP is not the device's choice */
    assert_string_equal(contradicted_claims(&profile,
                            "{\"markers\":true,\"crc\":false,\"ird\":8,\"ord\":8,\"rev\":2}", &frame),
        "");
    /* a Reply with R=1 offers nothing; in a Request, R is reserved (RFC 5044 7.1.1) */
    frame.header.r = 1;
    assert_string_equal(contradicted_claims(&profile, "{}", &frame), "");
    frame.key = IW_STARTUP_REQUEST;
    assert_string_equal(contradicted_claims(&profile, "{}", &frame), "markers,no-crc,rev-2,ird,ord");
    /* 3FFFh names no depth (RFC 6581 9.1) */
    frame = default_startup(IW_STARTUP_REPLY);
    frame.enhanced_data.ird = frame.enhanced_data.ord = 0x3FFF;
    profile.revisions = IW_PROFILE_REVISION_2;
    assert_string_equal(contradicted_claims(&profile, "{}", &frame), "");
    profile.crc_if_asked = true;
    frame.header.c = 0;
    assert_string_equal(contradicted_claims(&profile, "{}", &frame), "");
}

static void reply_contradicts_rtr_claims(void **state) {
    struct iw_profile profile = iw_profile_default();
    struct iw_startup frame = default_startup(IW_STARTUP_REPLY);

    (void)state;
    profile.rtr = IW_RTR_WRITE;
    frame.enhanced_data.b = frame.enhanced_data.c = frame.enhanced_data.d = 1;
    /* A=0: no peer-to-peer model, no RTR */
    assert_string_equal(contradicted_claims(&profile, "{}", &frame), "");
    frame.enhanced_data.a = 1;
    assert_string_equal(contradicted_claims(&profile, "{}", &frame), "rtr-send,rtr-read");
    assert_string_equal(contradicted_claims(&profile, "{\"rtr\":[\"send\"]}", &frame), "");
    frame.key = IW_STARTUP_REQUEST; /* what an initiator sends does not limit what it accepts */
    assert_string_equal(contradicted_claims(&profile, "{}", &frame), "");
}

static void message_contradicts_extension_claims(void **state) {
    static const char *const without[] = {"atomic", "immediate"};
    const struct iw_claims claims = {.without = without, .without_count = 2};
    const struct iw_llp_event llp = {.kind = IW_LLP_SEGMENT};
    struct iw_segment segment = {.opcode = 0xB};
    const struct iw_monitor_event event = {.llp = &llp, .segment = &segment};
    struct iw_contradictions found = {.count = 0};

    (void)state;
    iw_claims_check(&claims, &found, NULL, &event);
    assert_int_equal(found.count, 0); /* an Atomic Response may answer a Swap, which the device claims */
    segment.opcode = 0xF;
    iw_claims_check(&claims, &found, NULL, &event);
    assert_int_equal(found.count, 0);
    segment.opcode = 0x8;
    iw_claims_check(&claims, &found, NULL, &event);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.list[0].claim, "immediate");
    assert_string_equal(found.list[0].message, "does not claim it, but sends Immediate Data");
}

static void unsupported_request_contradicts_claim(void **state) {
    static const struct {
        const char *request, *claim;
    } rows[] = {
        {"{\"op\":\"post\",\"message\":\"cmp_swap\"}", "atomic"},
        {"{\"op\":\"register\",\"hash\":\"sha256\"}", "verify-sha256"},
        {"{\"op\":\"connect\"}", "initiator"},
        {"{\"op\":\"connect\",\"transport\":\"sctp\"}", NULL},
        {"{\"op\":\"register\",\"size\":8}", NULL},
        {"{\"op\":\"hash\",\"hash\":\"sha256\"}", NULL},
    };
    const struct iw_profile profile = iw_profile_default();
    const struct iw_claims claims = {.profile = &profile}, unstated = {.profile = NULL};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct iw_contradictions found = {.count = 0};
        json_t *request = json_loads(rows[i].request, 0, NULL);

        iw_claims_refused(&unstated, &found, request, "not here");
        assert_int_equal(found.count, 0);
        iw_claims_refused(&claims, &found, request, "not here");
        assert_int_equal(found.count, rows[i].claim != NULL);
        if (rows[i].claim) {
            assert_string_equal(found.list[0].claim, rows[i].claim);
            assert_string_equal(
                found.list[0].message, "claims it, but its agent does not support it: not here");
        }
        json_decref(request);
    }
}

static void text_of_agent_becomes_one_line(void **state) {
    const struct iw_profile profile = iw_profile_default();
    const struct iw_claims claims = {.profile = &profile};
    struct iw_contradictions found = {.count = 0};
    json_t *request = json_loads("{\"op\":\"connect\"}", 0, NULL);

    (void)state;
    iw_claims_refused(&claims, &found, request, "no\x1b[2J\npass");
    assert_string_equal(found.list[0].message, "claims it, but its agent does not support it: no?[2J pass");
    json_decref(request);
}

/* `run` infers a profile without --profile: only --without is the user's word then. */
static void inferred_profile_is_not_contradicted(void **state) {
    static const char *const without[] = {"markers"};
    struct iw_profile profile = iw_profile_default();
    struct iw_claims claims = {.profile = &profile, .inferred = true, .without = without, .without_count = 1};
    struct iw_startup frame = default_startup(IW_STARTUP_REPLY);
    const struct iw_llp_event llp = {.kind = IW_LLP_STARTUP, .startup = &frame};
    const struct iw_monitor_event event = {.llp = &llp};
    struct iw_contradictions found = {.count = 0};

    (void)state;
    profile.ird = profile.ord = 1;
    profile.revisions = IW_PROFILE_REVISION_1;
    iw_claims_check(&claims, &found, NULL, &event);
    assert_int_equal(found.count, 0);
    frame.header.m = 1;
    iw_claims_check(&claims, &found, NULL, &event);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.list[0].claim, "markers");
    claims.inferred = false;
    iw_claims_check(&claims, &found, NULL, &event);
    assert_int_equal(found.count, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(startup_frame_contradicts_claims),
        cmocka_unit_test(inferred_profile_is_not_contradicted),
        cmocka_unit_test(reply_contradicts_rtr_claims),
        cmocka_unit_test(message_contradicts_extension_claims),
        cmocka_unit_test(unsupported_request_contradicts_claim),
        cmocka_unit_test(text_of_agent_becomes_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
