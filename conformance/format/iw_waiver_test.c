#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_temporary_test.h"
#include "iw_waiver.h"

#define GOOD "clause=\"RFC 5044 4.4\" reason=\"firmware 3\" owner=bob"

static const struct iw_requirement *crc(void) {
    const struct iw_requirement *requirement = iw_requirement_find("RFC5044-4.4-11");

    assert_non_null(requirement);
    return requirement;
}

/* Reads a file with that text; compares the diagnostics without the path. */
static enum iw_status read_text(struct iw_waivers *waivers, const char *text, const char *diagnostics) {
    char path[TEMPORARY_PATH], *said = NULL;
    size_t octets, length;
    FILE *out = open_memstream(&said, &octets);
    int descriptor = mkstemp(temporary_path(path, "iw_waiver_test"));
    enum iw_status status;
    char *from, *to;

    length = strlen(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    status = iw_waivers_read(waivers, path, out);
    fclose(out);
    unlink(path);
    for (from = to = said; *from != '\0';) {
        if (strncmp(from, path, length) == 0)
            from += length;
        else
            *to++ = *from++;
    }
    *to = '\0';
    assert_string_equal(said, diagnostics);
    free(said);
    return status;
}

static const struct iw_waiver *find(
    const struct iw_waivers *waivers, const char *file, enum iw_role role, const char *address) {
    return iw_waivers_find(waivers, crc(), file, role, address);
}

static void each_line_is_a_waiver(void **state) {
    struct iw_waivers waivers;
    const struct iw_waiver *waiver;

    (void)state;
    assert_int_equal(read_text(&waivers, "# of ours\n\n  RFC5044-4.4-11\t" GOOD "\r\n", ""), IW_OK);
    assert_int_equal(waivers.count, 1);
    waiver = find(&waivers, "x.pcap", IW_ROLE_UNKNOWN, "192.0.2.1:1");
    assert_ptr_equal(waiver, waivers.list);
    assert_int_equal(waiver->line, 3);
    assert_string_equal(waiver->clause, "RFC 5044 4.4");
    assert_string_equal(waiver->reason, "firmware 3");
    assert_string_equal(waiver->owner, "bob");
    assert_null(iw_waivers_find(
        &waivers, iw_requirement_find("RFC5041-4.1-08"), "x.pcap", IW_ROLE_UNKNOWN, "192.0.2.1:1"));
    iw_waivers_use(&waivers, waiver, 3);
    assert_int_equal(waivers.list[0].used, 3);
    iw_waivers_clear(&waivers);
}

static void a_waiver_applies_to_the_side_peer_and_file_it_names(void **state) {
    struct iw_waivers waivers;

    (void)state;
    assert_int_equal(read_text(&waivers,
                         "RFC5044-* clause=\"RFC 5044\" reason=r owner=o side=responder "
                         "peer=192.0.2.2:* file=b*.pcap",
                         ""),
        IW_OK);
    assert_non_null(find(&waivers, "a/b1.pcap", IW_ROLE_RESPONDER, "192.0.2.2:7"));
    assert_null(find(&waivers, "a/b1.pcap", IW_ROLE_INITIATOR, "192.0.2.2:7"));
    assert_null(find(&waivers, "a/b1.pcap", IW_ROLE_UNKNOWN, "192.0.2.2:7"));
    assert_null(find(&waivers, "a/b1.pcap", IW_ROLE_RESPONDER, "192.0.2.22:7"));
    assert_null(find(&waivers, "b/a1.pcap", IW_ROLE_RESPONDER, "192.0.2.2:7"));
    iw_waivers_clear(&waivers);
}

/* A waiver applies only to requirements of its clause, even if its pattern matches others. */
static void a_waiver_applies_to_its_clause(void **state) {
    struct iw_waivers waivers;

    (void)state;
    assert_int_equal(read_text(&waivers, "* clause=\"RFC 5044 4.4\" reason=r owner=o\n", ""), IW_OK);
    assert_non_null(find(&waivers, "x", IW_ROLE_UNKNOWN, ""));
    assert_null(iw_waivers_find(&waivers, iw_requirement_find("RFC5044-7.1.1-17"), "x", IW_ROLE_UNKNOWN, ""));
    iw_waivers_clear(&waivers);
}

static void a_waiver_may_name_a_rule_of_a_protocol_above(void **state) {
    const struct iw_upper_rule *bounds = &iw_upper_rules[IW_UPPER_ACCESS_01];
    const struct iw_upper_rule *end = &iw_upper_rules[IW_UPPER_ACCESS_03];
    struct iw_waivers waivers;

    (void)state;
    assert_int_equal(read_text(&waivers,
                         "UPPER-ACCESS-* clause=\"buffers bounds\" reason=r side=responder\n"
                         "RFC5044-4.4-11 " GOOD "\n",
                         ""),
        IW_OK);
    assert_ptr_equal(iw_waivers_find_upper(&waivers, bounds, "x", IW_ROLE_RESPONDER, ""), &waivers.list[0]);
    assert_null(iw_waivers_find_upper(&waivers, bounds, "x", IW_ROLE_INITIATOR, ""));
    assert_null(iw_waivers_find_upper(&waivers, end, "x", IW_ROLE_RESPONDER, ""));
    assert_ptr_equal(find(&waivers, "x", IW_ROLE_RESPONDER, ""), &waivers.list[1]);
    iw_waivers_clear(&waivers);
}

/* A line about a rule that was not judged is not stale. */
static void a_waiver_is_unused_only_if_its_rule_was_judged(void **state) {
    struct iw_waivers waivers;

    (void)state;
    assert_int_equal(read_text(&waivers,
                         "UPPER-ACCESS-01 clause=buffers reason=r\n"
                         "RFC5044-4.4-11 " GOOD "\n",
                         ""),
        IW_OK);
    assert_false(iw_waiver_is_unused(&waivers.list[0], false));
    assert_true(iw_waiver_is_unused(&waivers.list[0], true));
    assert_true(iw_waiver_is_unused(&waivers.list[1], false));
    iw_waivers_use(&waivers, &waivers.list[0], 1);
    assert_false(iw_waiver_is_unused(&waivers.list[0], true));
    iw_waivers_clear(&waivers);
}

static void an_ipv6_address_is_not_a_pattern(void **state) {
    struct iw_waivers waivers;

    (void)state;
    assert_int_equal(read_text(&waivers, "RFC5044-4.4-11 " GOOD " peer=[2001:db8::1]:7", ""), IW_OK);
    assert_non_null(find(&waivers, "x", IW_ROLE_UNKNOWN, "[2001:db8::1]:7"));
    assert_null(find(&waivers, "x", IW_ROLE_UNKNOWN, "[2001:db8::2]:7"));
    iw_waivers_clear(&waivers);
}

static void every_wrong_line_is_reported(void **state) {
    struct iw_waivers waivers;

    (void)state;
    assert_int_equal(read_text(&waivers,
                         "RFC5044-4.4-11\n"
                         "RFC5044-4.4-11 clause=\"RFC 5044 4.4\" owner=bob\n"
                         "RFC5044-4.4-11 clause=\"RFC 5044 4.4\" reason=r\n"
                         "RFC5044-4.4-11 " GOOD "\n"
                         "RFC5044-4.4-11 clause=\"RFC 5044 4.4 reason=r\n"
                         "RFC5044-4.4-11 clause=\"RFC 5044 4.3\" reason=r owner=o\n"
                         "RFC5044-4.4-99 " GOOD "\n"
                         "UPPER-ACCESS-01 " GOOD "\n"
                         "RFC5044-4.4-11 " GOOD " side=server\n"
                         "RFC5044-4.4-11 " GOOD " until=tomorrow\n"
                         "RFC5044-4.4-11 " GOOD " owner=eve\n"
                         "RFC5044-4.4-11 " GOOD " peer=\n"
                         "RFC5044-4.4-11 " GOOD " side=initiator side=responder\n"
                         "RFC5044-4.4-11 because " GOOD "\n",
                         ":1: no clause given\n"
                         ":2: no reason given\n"
                         ":5: clause has no closing quote\n"
                         ":6: the clause of RFC5044-4.4-11 is RFC 5044 4.4, not RFC 5044 4.3\n"
                         ":7: no requirement or rule matches RFC5044-4.4-99\n"
                         ":8: the clause of UPPER-ACCESS-01 is buffers bounds, not RFC 5044 4.4\n"
                         ":9: side takes initiator or responder, not server\n"
                         ":10: until takes a date such as 2027-01-31, not tomorrow\n"
                         ":11: owner is given twice\n"
                         ":12: peer is empty\n"
                         ":13: side is given twice\n"
                         ":14: because is not KEY=VALUE\n"),
        IW_ERR_FORMAT);
    assert_int_equal(waivers.count, 2); /* those of lines 3 and 4 */
    iw_waivers_clear(&waivers);
}

/* The longest valid line, a line with one octet more, a line with a NUL octet, and a valid line. */
static void the_length_of_a_line_is_limited(void **state) {
    static const char good[] = "RFC5044-4.4-11 " GOOD;
    char path[TEMPORARY_PATH], *said = NULL;
    int descriptor = mkstemp(temporary_path(path, "iw_waiver_test"));
    FILE *file = fdopen(descriptor, "w"), *out;
    struct iw_waivers waivers;
    char expected[2 * TEMPORARY_PATH + 128];
    size_t octets;

    (void)state;
    for (int more = 0; more < 2; more++)
        fprintf(file, "%s%*s\n", good, (int)(4096 - strlen(good)) + more, "");
    fwrite("# \0\n", 1, 4, file);
    fputs(good, file);
    fclose(file);
    out = open_memstream(&said, &octets);
    assert_int_equal(iw_waivers_read(&waivers, path, out), IW_ERR_FORMAT);
    fclose(out);
    snprintf(
        expected, sizeof expected, "%s:2: longer than 4096 octets\n%s:3: contains a NUL octet\n", path, path);
    assert_string_equal(said, expected);
    assert_int_equal(waivers.count, 2);
    assert_int_equal(waivers.list[1].line, 4);
    free(said);
    iw_waivers_clear(&waivers);
    unlink(path);
}

static void a_missing_file_is_an_error(void **state) {
    struct iw_waivers waivers;
    char *said = NULL;
    size_t octets;
    FILE *out = open_memstream(&said, &octets);

    (void)state;
    assert_int_equal(iw_waivers_read(&waivers, "/nonexistent/waivers", out), IW_ERR_IO);
    fclose(out);
    assert_string_equal(said, "/nonexistent/waivers: No such file or directory\n");
    free(said);
    iw_waivers_clear(&waivers);
    assert_null(iw_waivers_find(NULL, crc(), "x", IW_ROLE_UNKNOWN, ""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_is_a_waiver),
        cmocka_unit_test(a_waiver_applies_to_the_side_peer_and_file_it_names),
        cmocka_unit_test(a_waiver_applies_to_its_clause),
        cmocka_unit_test(a_waiver_may_name_a_rule_of_a_protocol_above),
        cmocka_unit_test(a_waiver_is_unused_only_if_its_rule_was_judged),
        cmocka_unit_test(an_ipv6_address_is_not_a_pattern),
        cmocka_unit_test(every_wrong_line_is_reported),
        cmocka_unit_test(the_length_of_a_line_is_limited),
        cmocka_unit_test(a_missing_file_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
