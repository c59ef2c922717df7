#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "iw_scenario.h"
#include "iw_temporary_test.h"

/* Regions in scripts, and the requests that need their rights. */

/* Two connections of the script with each other: `a`, and `b`, which responds automatically. */
#define PAIR                                                                                                 \
    "local l = listen{port = 20100} local b\n"                                                               \
    "local t = spawn(function() b = l:accept{} end)\n"                                                       \
    "local a = connect{port = l.port} t:wait()\n"

/* Runs a script on a loop in memory. The script must succeed if `message` is NULL; otherwise it must end with
 * that mistake at that line. The monitor must find no violation. */
static void run_with(bool trust, const char *text, int line, const char *message) {
    const struct iw_sandbox_config sandbox = {.trust = trust};
    struct iw_loop *loop = iw_loop_new(IW_LOOP_VIRTUAL);
    struct iw_script *script = iw_script_new(&sandbox);
    const struct iw_scenario_config config = {.script = script, .loop = loop};
    struct iw_scenario *scenario = iw_scenario_new(&config);
    char error[512] = "";

    if (iw_sandbox_load_text(iw_sandbox_of(iw_script_lua(script)), text, strlen(text), "case.lua", error,
            sizeof error) != IW_OK)
        fail_msg("%s", error);
    assert_int_equal(iw_scenario_start(scenario, 0), IW_OK);
    iw_scenario_run(scenario);

    const struct iw_scenario_result *result = iw_scenario_result(scenario);
    if (message == NULL && result->outcome != IW_SCENARIO_OK)
        fail_msg("%d: %s (expected %s, actual %s)", result->line, result->message,
            result->expected == NULL ? "-" : result->expected, result->actual == NULL ? "-" : result->actual);
    if (message != NULL) {
        assert_int_equal(result->outcome, IW_SCENARIO_ERROR);
        assert_string_equal(result->message, message);
        assert_int_equal(result->line, line);
    }
    assert_int_equal(iw_scenario_findings(scenario, true)[IW_SEVERITY_ERROR], 0);
    iw_scenario_free(scenario);
    iw_script_free(script);
    iw_loop_free(loop);
}

static void passes(const char *text) {
    run_with(false, text, 0, NULL);
}

static void is_mistake(const char *text, const char *message) {
    run_with(false, text, 1, message);
}

static void invalid_regions_are_mistakes(void **state) {
    (void)state;
    is_mistake("region{rights = 'rx'}", "rights takes letters of \"rwapg\", not \"rx\"");
    is_mistake("region{rights = 'p'}", "region: volatile memory cannot be flushed to persistence");
    is_mistake("region{rights = 'a', size = 7}", "region: atomic operations need 64 bits");
    is_mistake("region{rights = 'a', over = region{}, at = 4}",
        "region: atomic operations need memory that is 64-bit aligned");
    is_mistake("region{over = region{size = 8}, size = 9}",
        "region: it is not inside the region that it is registered over");
    is_mistake(
        "region{over = region{size = 8}, at = 9}", "region: at is outside of the region that it is over");
    is_mistake("region{over = 5}", "over takes what region{...} gives, not a number");
    is_mistake(
        "region{verify = 'md5'}", "a hash algorithm is \"crc32c\", \"sha256\" or \"sha512\", not \"md5\"");
    is_mistake("region{stag = 7} region{stag = 7}", "region: the STag is in use");
    is_mistake("region{domain = -1}", "region: domain has 32 bits");
    is_mistake("region{file = '/tmp/x'}", "region: file is for scripts that are trusted (--trust)");
    is_mistake("region{}:kept()", "this region is volatile: it has no medium");
    is_mistake("hash('sha1', '')", "a hash algorithm is \"crc32c\", \"sha256\" or \"sha512\", not \"sha1\"");
    run_with(
        true, "region{file = '/nowhere/at/all'}", 1, "region: /nowhere/at/all: No such file or directory");
}

static void a_region_over_another_shares_its_octets(void **state) {
    (void)state;
    passes("local whole = region{size = 16, fill = 'abcdefgh', rights = ''}\n"
           "local part = region{over = whole, at = 4, rights = 'r'}\n"
           "check(part.size == 12 and part:get(0, 4) == 'efgh')\n"
           "part:set(0, 'EF') check(whole:get(4, 2) == 'EF')\n"
           "for i = 1, 5 do region{over = whole} end");
}

static void each_stag_has_its_own_rights(void **state) {
    (void)state;
    passes(PAIR "local all = region{size = 16, rights = 'rwa'}\n"
                "local less = region{over = all, rights = 'w'}\n"
                "a:atomic_write{stag = less.stag, to = 0, data = 5}\n"
                "a:fetch_add{stag = all.stag, to = 0, add = 1}\n"
                "a:expect{{kind = 'atomic_write_response'}}\n"
                "a:expect{{kind = 'atomic_response', original_value = 5}}\n"
                "a:fetch_add{stag = less.stag, to = 0, add = 1}\n"
                "a:expect{{kind = 'terminate', layer = 0, etype = 1, code = 2, r = false}}\n"
                "check(string.unpack('I8', all:get()) == 6)");
}

static void limits_a_region_to_a_stream_or_domain(void **state) {
    (void)state;
    passes(PAIR "local mine = region{stream = b, size = 8, rights = 'a'}\n"
                "a:fetch_add{stag = mine.stag, to = 0, add = 1}\n"
                "a:expect{{kind = 'atomic_response'}}\n"
                "local other = region{stream = a, size = 8, rights = 'a'}\n"
                "a:fetch_add{stag = other.stag, to = 0, add = 1}\n"
                "a:expect{{kind = 'terminate', layer = 0, etype = 1, code = 3}}");
    passes("local l = listen{port = 20100}\n"
           "local r = region{domain = 7, size = 8, rights = 'a'}\n"
           "for i, domain in ipairs{7, 8} do\n"
           "  spawn(function() l:accept{domain = domain} end)\n"
           "  local c = connect{port = l.port}\n"
           "  c:fetch_add{stag = r.stag, to = 0, add = 1}\n"
           "  check(select(2, c:expect{{kind = 'atomic_response'}, {kind = 'terminate', code = 3}}) == i)\n"
           "end");
}

static void keeps_only_flushed_octets(void **state) {
    (void)state;
    passes(
        PAIR "local r = region{size = 16, fill = '.', rights = 'wp', persistent = true, verify = 'crc32c'}\n"
             "a:write{stag = r.stag, to = 0, data = '123456789'}\n"
             "a:verify{stag = r.stag, to = 0, length = 9}\n"
             "a:expect{{kind = 'verify_response', data = hash('crc32c', '.........')}}\n"
             "check(r:get(0, 9) == '123456789' and r:kept(0, 9) == '.........')\n"
             "a:flush{stag = r.stag, to = 0, length = 9}\n"
             "a:verify{stag = r.stag, to = 0, length = 9}\n"
             "a:expect{{kind = 'flush_response'}}\n"
             "a:expect{{kind = 'verify_response', data = hex'839206e3'}}\n"
             "check(r:kept() == '123456789.......')");
}

static void writes_flushed_octets_to_the_file(void **state) {
    char path[TEMPORARY_PATH];
    char text[TEMPORARY_PATH + 512];
    char found[8];
    FILE *file;

    (void)state;
    close(mkstemp(temporary_path(path, "iw_lua_region_test")));
    snprintf(text, sizeof text,
        PAIR "local r = region{size = 8, rights = 'wp', file = '%s'}\n"
             "a:write{stag = r.stag, to = 0, data = 'kept....'}\n"
             "a:flush{stag = r.stag, to = 0, length = 4}\n"
             "a:expect{{kind = 'flush_response'}}",
        path);
    run_with(true, text, 0, NULL);
    file = fopen(path, "rb");
    assert_int_equal(fread(found, 1, 8, file), 8);
    fclose(file);
    unlink(path);
    assert_memory_equal(found, "kept\0\0\0\0", 8);
}

/* Named fields override what the method fills in. */
static void sets_any_field_of_a_request(void **state) {
    (void)state;
    passes(
        "local l = listen{port = 20100} local b\n"
        "local t = spawn(function() b = l:accept{auto = {responses = false}} end)\n"
        "local a = connect{port = l.port} t:wait()\n"
        "a:fetch_add{stag = 1, to = 2, add = 3, add_mask = 4, identifier = 9}\n"
        "b:expect{{kind = 'atomic_request', aopcode = 0, stag = 1, to = 2, identifier = 9,\n"
        "  compare_data = 0, compare_mask = -1, mask = 4}}\n"
        "a:cmp_swap{stag = 1, to = 2, compare = 5, swap = 6, compare_mask = 0xff}\n"
        "b:expect{{kind = 'atomic_request', aopcode = 2, compare_data = 5, compare_mask = 0xff, mask = -1}}\n"
        "a:atomic{aopcode = 2, mask = 1}\n"
        "b:expect{{kind = 'atomic_request', aopcode = 2, mask = 1}}\n"
        "a:flush{stag = 1, length = 1} a:flush{stag = 1, g = true} a:flush{stag = 1, p = false}\n"
        "b:expect{{kind = 'flush_request', p = true, g = false, length = 1}}\n"
        "b:expect{{kind = 'flush_request', p = false, g = true}}\n"
        "b:expect{{kind = 'flush_request', p = false, g = false}}\n"
        "a:verify{stag = 1, length = 4, hash = 'hash'}\n"
        "b:expect{{kind = 'verify_request', length = 4, data = 'hash'}}\n"
        "a:atomic_write{['rdmap.atomic_write.stag'] = 1, data = -2, length = 8}\n"
        "b:expect{{kind = 'atomic_write_request', length = 8}}");
}

static void misspelt_options_of_requests_are_mistakes(void **state) {
    (void)state;
    run_with(false, PAIR "a:fetch_add{ad = 1}", 4, "fetch_add has no 'ad' (did you mean 'add'?)");
    run_with(false, PAIR "a:cmp_swap{swap = '1x'}", 4, "swap takes an integer");
    run_with(false, PAIR "a:flush{lenght = 1}", 4, "flush has no 'lenght' (did you mean 'length'?)");
}

/* As it happens if peer.stag is nil. */
static void a_missing_stag_is_a_mistake(void **state) {
    static const char *const methods[] = {
        "write", "fetch_add", "cmp_swap", "swap", "flush", "verify", "atomic_write"};
    char text[256], expected[128];

    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        snprintf(text, sizeof text, PAIR "a:%s{stag = nil, to = 0}", methods[i]);
        snprintf(expected, sizeof expected, "%s needs stag of a region of the peer", methods[i]);
        run_with(false, text, 4, expected);
    }
    run_with(false, PAIR "a:read{sink_stag = 1}", 4, "read needs source_stag of a region of the peer");
    run_with(false, PAIR "a:read{source_stag = 1}", 4,
        "read needs region, or sink_stag: where the answer is placed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invalid_regions_are_mistakes),
        cmocka_unit_test(a_region_over_another_shares_its_octets),
        cmocka_unit_test(each_stag_has_its_own_rights),
        cmocka_unit_test(limits_a_region_to_a_stream_or_domain),
        cmocka_unit_test(keeps_only_flushed_octets),
        cmocka_unit_test(writes_flushed_octets_to_the_file),
        cmocka_unit_test(sets_any_field_of_a_request),
        cmocka_unit_test(misspelt_options_of_requests_are_mistakes),
        cmocka_unit_test(a_missing_stag_is_a_mistake),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
