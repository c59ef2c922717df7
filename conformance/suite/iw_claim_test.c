#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_claim.h"

/* A startup frame of revision 2 with enhanced data, that a device may send which claims everything but to do
 * without CRC. */
static struct iw_startup plain(enum iw_startup_key key) {
    return (struct iw_startup){.key = key,
        .header = {.c = 1, .s = 1, .rev = 2},
        .enhanced = true,
        .enhanced_data = {.ird = 8, .ord = 8}};
}

/* The claims that the frame contradicts, with commas between them. */
static const char *see(
    const struct iw_profile *profile, const char *settings, const struct iw_startup *frame) {
    static char text[256];
    const struct iw_claims claims = {.profile = profile};
    const struct iw_mpa_event mpa = {.kind = IW_MPA_STARTUP, .startup = frame};
    const struct iw_monitor_event event = {.mpa = &mpa};
    struct iw_contradictions found = {.count = 0};
    json_t *object = json_loads(settings, 0, NULL);

    text[0] = '\0';
    iw_claims_see(&claims, &found, object, &event);
    iw_claims_see(&claims, &found, object, &event);
    json_decref(object);
    for (unsigned i = 0; i < found.count; i++) {
        strcat(text, i > 0 ? "," : "");
        strcat(text, found.list[i].claim);
    }
    return text;
}

static void a_startup_frame_shows_what_is_not_claimed(void **state) {
    struct iw_profile everything = iw_profile_default(), profile = everything;
    struct iw_startup frame = plain(IW_STARTUP_REPLY);

    (void)state;
    assert_string_equal(see(&everything, "{}", &frame), "");
    profile.markers = false;
    profile.revisions = IW_PROFILE_REVISION_1;
    profile.ird = 7;
    profile.ord = 4;
    frame.header.m = 1;
    frame.header.c = 0;
    assert_string_equal(see(&everything, "{}", &frame), "no-crc");
    assert_string_equal(see(&profile, "{}", &frame), "markers,no-crc,rev-2,ird,ord");
    /* without anybody's word there is nothing to contradict */
    assert_string_equal(see(NULL, "{}", &frame), "");
    /* what the ULP was told to set is not the device's choice */
    assert_string_equal(
        see(&profile, "{\"markers\":true,\"crc\":false,\"ird\":8,\"ord\":8,\"rev\":2}", &frame), "");
    /* a Reply that rejects offers nothing; a Request has no R (RFC 5044 7.1.1) */
    frame.header.r = 1;
    assert_string_equal(see(&profile, "{}", &frame), "");
    frame.key = IW_STARTUP_REQUEST;
    assert_string_equal(see(&profile, "{}", &frame), "markers,no-crc,rev-2,ird,ord");
    /* 3FFFh is no number (RFC 6581 9.1) */
    frame = plain(IW_STARTUP_REPLY);
    frame.enhanced_data.ird = frame.enhanced_data.ord = 0x3FFF;
    profile.revisions = IW_PROFILE_REVISION_2;
    assert_string_equal(see(&profile, "{}", &frame), "");
    profile.crc_if_asked = true;
    frame.header.c = 0;
    assert_string_equal(see(&profile, "{}", &frame), "");
}

static void a_reply_shows_what_rtr_it_takes(void **state) {
    struct iw_profile profile = iw_profile_default();
    struct iw_startup frame = plain(IW_STARTUP_REPLY);

    (void)state;
    profile.rtr = IW_RTR_WRITE;
    frame.enhanced_data.b = frame.enhanced_data.c = frame.enhanced_data.d = 1;
    assert_string_equal(see(&profile, "{}", &frame), ""); /* A=0: no peer-to-peer model, no RTR */
    frame.enhanced_data.a = 1;
    assert_string_equal(see(&profile, "{}", &frame), "rtr-send,rtr-read");
    assert_string_equal(see(&profile, "{\"rtr\":[\"send\"]}", &frame), "");
    frame.key = IW_STARTUP_REQUEST; /* what an initiator may send is not what it takes */
    assert_string_equal(see(&profile, "{}", &frame), "");
}

static void a_message_shows_an_extension(void **state) {
    static const char *const without[] = {"atomic", "immediate"};
    const struct iw_claims claims = {.without = without, .without_count = 2};
    const struct iw_mpa_event mpa = {.kind = IW_MPA_FPDU};
    struct iw_segment segment = {.opcode = 0xB};
    const struct iw_monitor_event event = {.mpa = &mpa, .segment = &segment};
    struct iw_contradictions found = {.count = 0};

    (void)state;
    iw_claims_see(&claims, &found, NULL, &event);
    assert_int_equal(found.count, 0); /* it may be the answer to a Swap, which it claims */
    segment.opcode = 0xF;
    iw_claims_see(&claims, &found, NULL, &event);
    assert_int_equal(found.count, 0);
    segment.opcode = 0x8;
    iw_claims_see(&claims, &found, NULL, &event);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.list[0].claim, "immediate");
    assert_string_equal(found.list[0].message, "does not claim it, but sends Immediate Data");
}

static void what_the_agent_does_not_support_is_claimed(void **state) {
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

static void the_words_of_an_agent_are_one_line(void **state) {
    const struct iw_profile profile = iw_profile_default();
    const struct iw_claims claims = {.profile = &profile};
    struct iw_contradictions found = {.count = 0};
    json_t *request = json_loads("{\"op\":\"connect\"}", 0, NULL);

    (void)state;
    iw_claims_refused(&claims, &found, request, "no\x1b[2J\npass");
    assert_string_equal(found.list[0].message, "claims it, but its agent does not support it: no?[2J pass");
    json_decref(request);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_startup_frame_shows_what_is_not_claimed),
        cmocka_unit_test(a_reply_shows_what_rtr_it_takes),
        cmocka_unit_test(a_message_shows_an_extension),
        cmocka_unit_test(what_the_agent_does_not_support_is_claimed),
        cmocka_unit_test(the_words_of_an_agent_are_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
