#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_selection.h"

enum { CASES = 7 };

static struct iw_case cases[CASES];
static const struct iw_catalogue catalogue = {.cases = cases, .count = CASES};

static int name_cases(void **state) {
    static const char *const ids[CASES] = {"a-0", "a-1", "a-2", "b-3", "b-4", "b-5", "b-6"};

    (void)state;
    for (size_t i = 0; i < CASES; i++)
        cases[i] = (struct iw_case){.id = ids[i],
            .title = "A title",
            .requirements = {&iw_requirements[IW_REQ_RFC5044_4_4_11]},
            .requirement_count = 1};
    return 0;
}

static void shards_have_every_case_once(void **state) {
    (void)state;
    for (unsigned shards = 1; shards <= CASES + 1; shards++) {
        unsigned times[CASES] = {0};

        for (unsigned shard = 1; shard <= shards; shard++) {
            struct iw_run_config config = {
                .catalogue = &catalogue, .selection.shards = shards, .selection.shard = shard};
            struct iw_selection selection;

            assert_int_equal(iw_selection_init(&selection, &config), IW_OK);
            assert_int_equal(selection.total, CASES);
            assert_in_range(selection.count, CASES / shards, CASES / shards + 1);
            for (size_t i = 0; i < selection.count; i++)
                times[selection.cases[i] - cases]++;
            iw_selection_dispose(&selection);
        }
        for (size_t i = 0; i < CASES; i++)
            assert_int_equal(times[i], 1);
    }
}

static void shards_split_the_selected_cases(void **state) {
    char error[128];
    struct iw_pattern *only = iw_pattern_new("^b", error, sizeof error);
    struct iw_pattern *skip = iw_pattern_new("-5", error, sizeof error);
    struct iw_run_config config = {.catalogue = &catalogue,
        .selection.only = only,
        .selection.skip = skip,
        .selection.shards = 2,
        .selection.shard = 2};
    struct iw_selection selection;

    (void)state;
    assert_int_equal(iw_selection_init(&selection, &config), IW_OK);
    assert_int_equal(selection.total, 3);
    assert_int_equal(selection.count, 1);
    assert_ptr_equal(selection.cases[0], &cases[4]);
    iw_selection_dispose(&selection);
    iw_pattern_free(only);
    iw_pattern_free(skip);
}

static void tiers_select_cases(void **state) {
    static struct iw_case tiered[] = {{.id = "a", .title = "", .tier = IW_CASE_TIER_NONE},
        {.id = "b", .title = "", .tier = IW_CASE_TIER_RPING},
        {.id = "c", .title = "", .tier = IW_CASE_TIER_AGENT}};
    const struct iw_catalogue of_tiers = {.cases = tiered, .count = 3};
    struct iw_run_config config = {
        .catalogue = &of_tiers, .selection.tiers = 1u << IW_CASE_TIER_NONE | 1u << IW_CASE_TIER_AGENT};
    struct iw_selection selection;

    (void)state;
    assert_int_equal(iw_selection_init(&selection, &config), IW_OK);
    assert_int_equal(selection.total, 2);
    assert_string_equal(selection.cases[0]->id, "a");
    assert_string_equal(selection.cases[1]->id, "c");
    iw_selection_dispose(&selection);
}

static void case_that_cannot_run_has_a_reason(void **state) {
    static const char *const without[] = {"markers"};
    struct iw_case one = {
        .id = "a", .tier = IW_CASE_TIER_AGENT, .claims = {"rev-2", "markers"}, .claim_count = 2};
    struct iw_run_config config = {.catalogue = &catalogue};
    struct iw_profile profile = iw_profile_default();
    const struct iw_dut_agent agent = {.host = "::1"};
    char reason[IW_SELECTION_REASON_OCTETS];
    enum iw_verdict verdict;

    (void)state;
    assert_true(iw_selection_can_run(&config, &one, &verdict, reason));
    config.target.host = "::1";
    assert_false(iw_selection_can_run(&config, &one, &verdict, reason));
    assert_string_equal(reason, "needs an agent on the device (--agent)");
    assert_int_equal(verdict, IW_VERDICT_NOT_TESTED);
    config.claims.without = without; /* what is not claimed needs no agent */
    config.claims.without_count = 1;
    assert_false(iw_selection_can_run(&config, &one, &verdict, reason));
    assert_string_equal(reason, "needs what the device does not claim: markers");
    assert_int_equal(verdict, IW_VERDICT_NOT_APPLICABLE);
    config.claims.without_count = 0;
    config.target.agent = &agent;
    assert_true(iw_selection_can_run(&config, &one, &verdict, reason));
    config.claims.without = without;
    config.claims.without_count = 1;
    assert_false(iw_selection_can_run(&config, &one, &verdict, reason));
    assert_string_equal(reason, "needs what the device does not claim: markers");
    profile.revisions = IW_PROFILE_REVISION_1;
    profile.roles = IW_PROFILE_RESPONDER;
    config.claims.profile = &profile;
    assert_false(iw_selection_can_run(&config, &one, &verdict, reason));
    assert_string_equal(reason, "needs what the device does not claim: rev-2");
    one.initiator = true;
    assert_false(iw_selection_can_run(&config, &one, &verdict, reason));
    assert_string_equal(reason, "the device does not support the initiator role");
}

static void case_about_segments_needs_a_network_that_keeps_them(void **state) {
    const struct iw_case about = {.id = "a", .segments = true}, other = {.id = "b"};
    struct iw_network_profile network = {.mtu = 1500};
    const struct iw_run_config config = {.catalogue = &catalogue, .network = &network};
    char reason[IW_SELECTION_REASON_OCTETS];
    enum iw_verdict verdict;

    (void)state;
    assert_true(iw_selection_can_run(&config, &about, &verdict, reason));
    network.loss = 1;
    assert_true(iw_selection_can_run(&config, &other, &verdict, reason));
    assert_false(iw_selection_can_run(&config, &about, &verdict, reason));
    assert_int_equal(verdict, IW_VERDICT_NOT_TESTED);
    assert_string_equal(
        reason, "needs TCP segments with the bounds that the case gives them; the network changes them");
}

static void sctp_case_needs_an_address(void **state) {
    const struct iw_case one = {.id = "a", .claims = {"sctp"}, .claim_count = 1};
    struct iw_run_config config = {.catalogue = &catalogue};
    struct iw_run_config by_agent = {.catalogue = &catalogue, .target.host = "::1"};
    const struct iw_dut_agent agent = {.host = "::1"};
    char reason[IW_SELECTION_REASON_OCTETS];
    enum iw_verdict verdict;

    (void)state;
    assert_true(iw_selection_can_run(&config, &one, &verdict, reason));
    config.target.host = "::1";
    assert_false(iw_selection_can_run(&config, &one, &verdict, reason));
    assert_string_equal(reason, "needs the device's SCTP address (--sctp)");
    assert_int_equal(verdict, IW_VERDICT_NOT_TESTED);
    config.target.sctp.host = "::1";
    assert_true(iw_selection_can_run(&config, &one, &verdict, reason));
    by_agent.target.agent = &agent; /* the agent may report the SCTP address later */
    assert_true(iw_selection_can_run(&by_agent, &one, &verdict, reason));
}

static void dangerous_cases_can_be_excluded(void **state) {
    static const struct iw_case harmless = {.id = "a"},
                                writes = {.id = "b",
                                    .dangers = IW_CASE_DANGER_MEMORY | IW_CASE_DANGER_CONNECTION},
                                ends = {.id = "c", .dangers = IW_CASE_DANGER_CONNECTION};
    struct iw_run_config config = {
        .catalogue = &catalogue, .selection.without_dangers = IW_CASE_DANGER_MEMORY};
    char reason[IW_SELECTION_REASON_OCTETS];
    enum iw_verdict verdict;

    (void)state;
    assert_true(iw_selection_can_run(&config, &harmless, &verdict, reason));
    assert_true(iw_selection_can_run(&config, &ends, &verdict, reason));
    assert_false(iw_selection_can_run(&config, &writes, &verdict, reason));
    assert_string_equal(reason, "left out for its danger: memory");
    assert_int_equal(verdict, IW_VERDICT_NOT_TESTED);
    config.selection.without_dangers = IW_CASE_DANGER_CONNECTION;
    assert_true(iw_selection_can_run(&config, &harmless, &verdict, reason));
    assert_false(iw_selection_can_run(&config, &writes, &verdict, reason));
    assert_false(iw_selection_can_run(&config, &ends, &verdict, reason));
    assert_string_equal(reason, "left out for its danger: connection");
}

static void danger_to_the_host_needs_permission(void **state) {
    static const struct iw_case attack = {.id = "a", .dangers = IW_CASE_DANGER_HOST};
    struct iw_run_config config = {.catalogue = &catalogue};
    char reason[IW_SELECTION_REASON_OCTETS];
    enum iw_verdict verdict;

    (void)state;
    assert_true(iw_selection_can_run(&config, &attack, &verdict, reason)); /* the embedded peer */
    config.target.host = "::1";
    assert_false(iw_selection_can_run(&config, &attack, &verdict, reason));
    assert_string_equal(reason, "may crash or exhaust the device; --allow-danger host permits it");
    assert_int_equal(verdict, IW_VERDICT_NOT_TESTED);
    config.selection.allowed_dangers = IW_CASE_DANGER_HOST;
    assert_true(iw_selection_can_run(&config, &attack, &verdict, reason));
}

static void case_needs_access_to_the_device(void **state) {
    static const struct {
        enum iw_case_tier tier;
        bool initiator, agent, rping, starter;
        const char *lacks;
    } rows[] = {
        {IW_CASE_TIER_NONE, false, false, false, false, NULL},
        {IW_CASE_TIER_NONE, true, false, false, false, "--initiator"},
        {IW_CASE_TIER_NONE, true, true, false, false, NULL},
        {IW_CASE_TIER_NONE, true, false, false, true, NULL},
        {IW_CASE_TIER_RPING, false, true, false, true, "--rping"},
        {IW_CASE_TIER_RPING, false, false, true, false, NULL},
        {IW_CASE_TIER_RPING, true, true, true, false, "--initiator"},
        {IW_CASE_TIER_RPING, true, false, true, true, NULL},
        {IW_CASE_TIER_AGENT, false, false, true, true, "an agent"},
        {IW_CASE_TIER_AGENT, true, true, false, false, NULL},
    };
    const struct iw_dut_agent agent = {.host = "::1"};
    const struct iw_dut_starter starter = {.command = "connect {port}"};
    char reason[IW_SELECTION_REASON_OCTETS];
    enum iw_verdict verdict;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct iw_case one = {.id = "a", .tier = rows[i].tier, .initiator = rows[i].initiator};
        const struct iw_run_config config = {.catalogue = &catalogue,
            .target.host = "::1",
            .target.agent = rows[i].agent ? &agent : NULL,
            .rping = rows[i].rping,
            .target.starter = rows[i].starter ? &starter : NULL};

        assert_int_equal(iw_selection_can_run(&config, &one, &verdict, reason), rows[i].lacks == NULL);
        assert_true(rows[i].lacks == NULL || strstr(reason, rows[i].lacks) != NULL);
    }
}

/* Otherwise --skip would run the cases that it should skip. */
static void pattern_that_takes_too_long_selects_nothing(void **state) {
    char error[256];
    struct iw_pattern *pattern = iw_pattern_new("^(([a-z ]+)+)+\\b\\B", error, sizeof error);
    const struct iw_case one = {
        .id = "an-id", .title = "a title of many letters and words that go on and on"};
    const struct iw_catalogue slow = {.cases = (struct iw_case *)(uintptr_t)&one, .count = 1};
    struct iw_selection selection;

    (void)state;
    assert_non_null(pattern);
    for (int skips = 0; skips < 2; skips++) {
        const struct iw_run_config config = {.catalogue = &slow,
            .selection.only = skips ? NULL : pattern,
            .selection.skip = skips ? pattern : NULL};

        assert_int_equal(iw_selection_init(&selection, &config), IW_ERR_LIMIT);
        assert_string_equal(iw_selection_failure(&config), "the pattern of --only or --skip takes too long");
    }
    iw_pattern_free(pattern);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shards_have_every_case_once),
        cmocka_unit_test(shards_split_the_selected_cases),
        cmocka_unit_test(tiers_select_cases),
        cmocka_unit_test(case_that_cannot_run_has_a_reason),
        cmocka_unit_test(case_about_segments_needs_a_network_that_keeps_them),
        cmocka_unit_test(sctp_case_needs_an_address),
        cmocka_unit_test(dangerous_cases_can_be_excluded),
        cmocka_unit_test(danger_to_the_host_needs_permission),
        cmocka_unit_test(case_needs_access_to_the_device),
        cmocka_unit_test(pattern_that_takes_too_long_selects_nothing),
    };
    return cmocka_run_group_tests(tests, name_cases, NULL);
}
