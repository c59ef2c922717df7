#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <getopt.h>
#include <string.h>
#include <cmocka.h>

#include "iw_exit.h"
#include "iw_option.h"

/* Appends the options seen: l, and the argument of --size. The argument 13 ends the parsing. */
static int take(const struct iw_usage *usage, const struct iw_option *option, void *at) {
    char *seen = at;

    (void)usage;
    strcat(seen, option->letter == 'l' ? "l" : optarg);
    return option->letter == 0 && strcmp(optarg, "13") == 0 ? IW_EXIT_VIOLATIONS : 0;
}

static const struct iw_option options[] = {
    {"loud", NULL, 'l', "not quiet", .take = take},
    {"size", "N", 0, "how big", .take = take},
};

static int all(const char *operand, bool operands, char *const *words, int count, char *seen) {
    const struct iw_usage usage = {.command = "test",
        .arguments = "",
        .summary = "",
        .detail = "",
        .examples = "",
        .exits = "",
        .operand = operand,
        .operands = operands,
        .options = options,
        .option_count = 2};
    char *argv[8] = {"test"};

    memcpy(argv + 1, words, (size_t)count * sizeof *words);
    seen[0] = '\0';
    optind = 0; /* restart the getopt of glibc */
    return iw_option_all(&usage, count + 1, argv, seen);
}

static void options_are_parsed(void **state) {
    char seen[32];

    (void)state;
    assert_int_equal(
        all("file", false, (char *[]){"-l", "--size", "7", "x", "--size=8"}, 5, seen), IW_OPTION_DONE);
    assert_string_equal(seen, "l78");
    assert_int_equal(all(NULL, false, (char *[]){"--size", "13", "-l"}, 3, seen), IW_EXIT_VIOLATIONS);
    assert_string_equal(seen, "13");
    assert_int_equal(all(NULL, false, (char *[]){"-l", "--help", "-l"}, 3, seen), IW_EXIT_CONFORMS);
    assert_string_equal(seen, "l");
    assert_int_equal(all(NULL, false, (char *[]){"--size"}, 1, seen), IW_EXIT_ENVIRONMENT);
    assert_int_equal(all(NULL, false, (char *[]){"--wrong"}, 1, seen), IW_EXIT_ENVIRONMENT);
    /* a forgotten argument must not swallow the next option */
    assert_int_equal(all(NULL, false, (char *[]){"--size", "--loud"}, 2, seen), IW_EXIT_ENVIRONMENT);
    assert_int_equal(all(NULL, false, (char *[]){"--size", "--help"}, 2, seen), IW_EXIT_ENVIRONMENT);
    assert_string_equal(seen, "");
    assert_int_equal(all(NULL, false, (char *[]){"--size=--loud"}, 1, seen), IW_OPTION_DONE);
    assert_int_equal(all(NULL, false, (char *[]){"--size", "--lo"}, 2, seen), IW_OPTION_DONE);
    assert_string_equal(seen, "--lo");
    assert_int_equal(all("file", false, (char *[]){"x", "--siz", "7"}, 3, seen), IW_EXIT_ENVIRONMENT);
    assert_int_equal(all("file", false, (char *[]){"x", "--siz=7"}, 2, seen), IW_EXIT_ENVIRONMENT);
    assert_int_equal(all("file", false, (char *[]){"x", "--lou"}, 2, seen), IW_EXIT_ENVIRONMENT);
    assert_string_equal(seen, "");
    assert_int_equal(all("file", false, (char *[]){"x", "--size", "--size=7"}, 3, seen), IW_OPTION_DONE);
    assert_string_equal(seen, "--size=7");
}

static void values_are_stored(void **state) {
    struct settings {
        uint16_t before, number, after;
        uint64_t large;
        bool flag;
        const char *text;
    } settings = {.before = 1, .after = 3};
    const struct iw_option stored[] = {
        {"number", "N", 0, "", IW_OPTION_NUMBER(struct settings, number, 2, 4096)},
        {"large", "N", 0, "", IW_OPTION_NUMBER(struct settings, large, 0, UINT64_MAX)},
        {"flag", NULL, 0, "", iw_option_flag, .at = offsetof(struct settings, flag)},
        {"text", "TEXT", 0, "", iw_option_text, .at = offsetof(struct settings, text)},
    };
    const struct iw_usage usage = {.command = "test", .options = stored, .option_count = 4};
    char *argv[] = {
        "test", "--number=4096", "--large", "18446744073709551615", "--flag", "--text", "a", NULL};

    (void)state;
    optind = 0;
    assert_int_equal(iw_option_all(&usage, 7, argv, &settings), IW_OPTION_DONE);
    assert_int_equal(settings.before, 1);
    assert_int_equal(settings.number, 4096);
    assert_int_equal(settings.after, 3);
    assert_int_equal(settings.large, UINT64_MAX);
    assert_true(settings.flag);
    assert_string_equal(settings.text, "a");
    optind = 0;
    argv[1] = "--number=1";
    assert_int_equal(iw_option_all(&usage, 7, argv, &settings), IW_EXIT_ENVIRONMENT);
}

static void operands_are_counted(void **state) {
    char *const words[] = {"a", "b"};
    char seen[32];

    (void)state;
    assert_int_equal(all(NULL, false, words, 0, seen), IW_OPTION_DONE);
    assert_int_equal(all(NULL, false, words, 1, seen), IW_EXIT_ENVIRONMENT);
    assert_int_equal(all("file", false, words, 0, seen), IW_EXIT_ENVIRONMENT);
    assert_int_equal(all("file", false, words, 1, seen), IW_OPTION_DONE);
    assert_int_equal(all("file", false, words, 2, seen), IW_EXIT_ENVIRONMENT);
    assert_int_equal(all("file", true, words, 0, seen), IW_EXIT_ENVIRONMENT);
    assert_int_equal(all("file", true, words, 2, seen), IW_OPTION_DONE);
}

static void numbers_are_whole_and_in_range(void **state) {
    static const char *const wrong[] = {"", "-1", "+1", " 1", "1 ", "0x1", "11", "99999999999999999999", "a"};
    unsigned long number;

    (void)state;
    assert_true(iw_option_read_number("10", 0, 10, &number));
    assert_int_equal(number, 10);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(iw_option_read_number(wrong[i], 0, 10, &number));
}

static void seconds_may_have_a_fraction(void **state) {
    static const struct {
        const char *text;
        uint32_t ms;
    } right[] = {{"5", 5000}, {"0.5", 500}, {".25", 250}, {"1.", 1000}, {"0.001", 1}, {"60", 60000}};
    static const char *const wrong[] = {
        "", ".", "0", "0.0001", "-1", "+1", " 1", "1 ", "1e1", "0x1", "nan", "inf", "60.001", "1.2.3", "1s"};
    uint32_t ms;

    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        assert_true(iw_option_read_seconds(right[i].text, 60, &ms));
        assert_int_equal(ms, right[i].ms);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(iw_option_read_seconds(wrong[i], 60, &ms));
}

static void addresses_have_host_and_port(void **state) {
    static const char *const wrong[] = {"", "host", ":1", "host:", "host:65536", "host:-1", "::1:80", "[]:1",
        "host:1x", "much-too-long-a-host:1"};
    unsigned short port;
    char host[16];

    (void)state;
    assert_true(iw_option_address("192.0.2.1:7174", host, sizeof host, &port));
    assert_string_equal(host, "192.0.2.1");
    assert_int_equal(port, 7174);
    assert_true(iw_option_address("[::1]:0", host, sizeof host, &port));
    assert_string_equal(host, "::1");
    assert_int_equal(port, 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(iw_option_address(wrong[i], host, sizeof host, &port));
}

static void octets_may_have_a_unit(void **state) {
    static const char *const wrong[] = {"", "K", "1k", "1KK", "1M ", "-1", "+1", "0x1", "1.5G", "5M",
        "18446744073709551616", "00000000000000000000000001"};
    uint64_t octets;

    (void)state;
    assert_true(iw_option_read_octets("0", 0, &octets) && octets == 0);
    assert_true(iw_option_read_octets("1048577", 4 << 20, &octets) && octets == 1048577);
    assert_true(iw_option_read_octets("4096K", 4 << 20, &octets) && octets == 4194304);
    assert_true(iw_option_read_octets("4M", 4 << 20, &octets) && octets == 4194304);
    assert_true(iw_option_read_octets("3G", UINT64_MAX, &octets) && octets == UINT64_C(3221225472));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(iw_option_read_octets(wrong[i], 4 << 20, &octets));
}

static void a_port_alone_takes_the_default_host(void **state) {
    unsigned short port;
    char host[16];

    (void)state;
    assert_true(iw_option_address_or_port("7174", "192.0.2.1", host, sizeof host, &port));
    assert_string_equal(host, "192.0.2.1");
    assert_int_equal(port, 7174);
    assert_true(iw_option_address_or_port("[::1]:7", "192.0.2.1", host, sizeof host, &port));
    assert_string_equal(host, "::1");
    assert_int_equal(port, 7);
    assert_false(iw_option_address_or_port("65536", "192.0.2.1", host, sizeof host, &port));
    assert_false(iw_option_address_or_port("host", "192.0.2.1", host, sizeof host, &port));
    assert_false(iw_option_address_or_port("7", "much-too-long-a-host", host, sizeof host, &port));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_parsed),
        cmocka_unit_test(values_are_stored),
        cmocka_unit_test(operands_are_counted),
        cmocka_unit_test(numbers_are_whole_and_in_range),
        cmocka_unit_test(seconds_may_have_a_fraction),
        cmocka_unit_test(octets_may_have_a_unit),
        cmocka_unit_test(addresses_have_host_and_port),
        cmocka_unit_test(a_port_alone_takes_the_default_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
