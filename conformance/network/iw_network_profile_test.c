#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "iw_network_profile.h"

static struct iw_network_profile profile;
static char error[160];

static bool reads(const char *text) {
    strcpy(error, "");
    return iw_network_profile_read(text, &profile, error, sizeof error);
}

static void every_named_network_is_valid(void **state) {
    (void)state;
    for (size_t i = 0; i < iw_network_name_count; i++) {
        assert_true(reads(iw_network_names[i].name));
        assert_string_equal(profile.name, iw_network_names[i].name);
        assert_true(strlen(iw_network_names[i].about) > 10);
    }
}

static void values_are_those_of_the_text(void **state) {
    (void)state;
    assert_true(reads("loss=0.5%,reorder=25%,duplicate=5%,delay=20ms,rate=10mbit,mtu=9000,seed=7,wait=9s"));
    assert_int_equal(profile.loss, 5000);
    assert_int_equal(profile.reorder, 250000);
    assert_int_equal(profile.duplicate, 50000);
    assert_int_equal(profile.delay_ms, 20);
    assert_int_equal(profile.rate_kbit, 10000);
    assert_int_equal(profile.mtu, 9000);
    assert_int_equal(profile.seed, 7);
    assert_int_equal(profile.wait_ms, 9000);
}

static void what_is_not_given_has_a_default(void **state) {
    (void)state;
    assert_true(reads("lan"));
    assert_int_equal(profile.loss + profile.reorder + profile.duplicate + profile.delay_ms, 0);
    assert_int_equal(profile.rate_kbit, 0);
    assert_int_equal(profile.mtu, 1500);
    assert_int_equal(profile.seed, 1);
    assert_int_equal(profile.wait_ms, 0);
}

static void mistakes_are_named(void **state) {
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"", "a network has 1 to 127 characters"},
        {"los-1", "unknown network los-1 (see warpcheck list networks)"},
        {"los=1%", "unknown key los (known: loss, reorder, duplicate, delay, rate, mtu, seed, wait)"},
        {"loss=1", "loss takes a percentage below 100%, such as 0.5%, not 1"},
        {"loss=100%", "loss takes a percentage below 100%, such as 0.5%, not 100%"},
        {"delay=20", "delay takes 0ms to 10000ms, not 20"},
        {"delay=20ms,", "unknown network  (see warpcheck list networks)"},
        {"rate=0mbit", "rate takes 1mbit to 100000mbit, not 0mbit"},
        {"rate=mbit", "rate takes 1mbit to 100000mbit, not mbit"},
        {"mtu=575", "mtu takes 576 to 65535 octets, not 575"},
        {"seed=-1", "seed takes 1 to 2147483647, not -1"},
        {"wait=601s", "wait takes 1s to 600s, not 601s"},
        {"reorder=25%", "reorder needs a delay: packets overtake those that are delayed"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_false(reads(rows[i].text));
        assert_string_equal(error, rows[i].error);
    }
}

/* 0.2 + 0.4 + 0.8 + 1.6 + 3.2 s, or 1 + 2 + 4 s for a SYN: retransmissions in a row. */
static void waits_cover_retransmissions_delay_and_queue(void **state) {
    (void)state;
    assert_true(reads("loss=1%"));
    assert_int_equal(profile.wait_ms, 7000);
    assert_true(reads("delay=25ms"));
    assert_int_equal(profile.wait_ms, 50);
    assert_true(reads("rate=10mbit")); /* 4 MiB */
    assert_in_range(profile.wait_ms, 3200, 3500);
    assert_true(reads("duplicate=5%"));
    assert_int_equal(profile.wait_ms, 0);
}

static void assert_kind(const char *text, bool loses, bool changes_segments, bool needs_netem) {
    assert_true(reads(text));
    assert_int_equal(iw_network_profile_loses(&profile), loses);
    assert_int_equal(iw_network_profile_changes_segments(&profile), changes_segments);
    assert_int_equal(iw_network_profile_needs_netem(&profile), needs_netem);
}

static void kinds_follow_from_the_values(void **state) {
    (void)state;
    assert_kind("lan", false, false, false);
    assert_kind("loss=1%", true, true, true);
    assert_kind("delay=5ms", false, false, true);
    assert_kind("delay=5ms,reorder=1%", true, true, true);
    assert_kind("duplicate=1%", false, false, true);
    assert_kind("rate=10mbit", false, false, false);
    assert_kind("mtu=1499", false, true, false);
    assert_kind("mtu=9000", false, false, false);
}

static void assert_words(const char *text, const char *words) {
    char found[IW_NETWORK_WORDS_OCTETS];

    assert_true(reads(text));
    iw_network_profile_words(&profile, found);
    assert_string_equal(found, words);
}

static void words_have_values_and_units(void **state) {
    (void)state;
    assert_words("lan", "MTU 1500");
    assert_words("loss=0.1%,delay=25ms,rate=100mbit", "loss 0.1 %, delay 25 ms, rate 100 Mbit/s, MTU 1500");
    assert_words(
        "delay=5ms,reorder=25%,duplicate=1%,mtu=576", "reorder 25 %, duplicate 1 %, delay 5 ms, MTU 576");
}

static void assert_netem(const char *text, const char *words) {
    char found[IW_NETWORK_WORDS_OCTETS];

    assert_true(reads(text));
    iw_network_profile_netem(&profile, found);
    assert_string_equal(found, words);
}

static void netem_gets_all_values_but_the_mtu(void **state) {
    (void)state;
    assert_netem("rate=10mbit,mtu=576", "");
    assert_netem("loss=0.1%", "limit 100000 loss 0.1%");
    assert_netem("delay=5ms,reorder=25%,duplicate=1%,rate=10mbit,mtu=576",
        "limit 100000 delay 5ms duplicate 1% reorder 25% rate 10000kbit");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_named_network_is_valid),
        cmocka_unit_test(values_are_those_of_the_text),
        cmocka_unit_test(what_is_not_given_has_a_default),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(waits_cover_retransmissions_delay_and_queue),
        cmocka_unit_test(kinds_follow_from_the_values),
        cmocka_unit_test(words_have_values_and_units),
        cmocka_unit_test(netem_gets_all_values_but_the_mtu),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
