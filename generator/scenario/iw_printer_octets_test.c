#include "iw_printer_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lauxlib.h>

#include "iw_script.h"

/* The Lua text for the octets; also checks each time that Lua evaluates it to these octets. */
static char *print(const uint8_t *octets, size_t length) {
    struct iw_printer printer = {0};
    struct iw_sandbox_config sandbox = {0};
    struct iw_script *script = iw_script_new(&sandbox);
    lua_State *lua = iw_script_lua(script);
    size_t got;
    char *text;

    assert_true(iw_text_open(&printer.items.text));
    iw_printer_begin(&printer);
    iw_printer_octets(&printer, octets, length);
    text = iw_text_close(&printer.items.text);
    assert_non_null(text);
    assert_non_null(lua_pushfstring(lua, "return %s", text));
    if (luaL_dostring(lua, lua_tostring(lua, -1)) != LUA_OK)
        fail_msg("%s", lua_tostring(lua, -1));
    const char *back = lua_tolstring(lua, -1, &got);
    assert_int_equal(got, length);
    assert_memory_equal(back, octets, length);
    iw_script_free(script);
    return text;
}

static void prints(const void *octets, size_t length, const char *expected) {
    char *text = print(octets, length);

    assert_string_equal(text, expected);
    free(text);
}

static void prints_text_and_digits(void **state) {
    (void)state;
    prints("", 0, "\"\"");
    prints("hello", 5, "\"hello\"");
    prints("say \"\\n\"", 8, "\"say \\\"\\\\n\\\"\"");
    prints("a\nb", 3, "hex\"610a62\"");
    prints("\x00\x01\x02\x03\x04", 5, "hex\"00010203 04\"");
    prints("\x7f", 1, "hex\"7f\"");
}

static void splits_digits_into_lines(void **state) {
    uint8_t octets[33];

    (void)state;
    for (uint8_t i = 0; i < sizeof octets; i++)
        octets[i] = (uint8_t)(i * i);
    char *text = print(octets, sizeof octets);
    assert_int_equal(strncmp(text, "hex[[\n  00010409 10192431", 25), 0);
    assert_string_equal(text + strlen(text) - 7, "\n  00]]");
    free(text);
}

static void prints_repetitions(void **state) {
    uint8_t octets[4096];

    (void)state;
    memset(octets, 'x', sizeof octets);
    prints(octets, 4096, "(\"x\"):rep(4096)");
    prints(octets, 31, "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"");
    memset(octets, 0, sizeof octets);
    prints(octets, 100, "(\"\\x00\"):rep(100)");
    for (size_t i = 0; i < sizeof octets; i++)
        octets[i] = (uint8_t) "abc"[i % 3];
    prints(octets, 100, "(\"abc\"):rep(33) .. \"a\"");
}

static void prints_every_octet(void **state) {
    uint8_t octets[1024];

    (void)state;
    for (size_t i = 0; i < sizeof octets; i++)
        octets[i] = (uint8_t)i;
    char *text = print(octets, sizeof octets);
    assert_string_equal(text + strlen(text) - 10, "]]):rep(4)");
    free(text);
}

static void prints_runs_within_other_octets(void **state) {
    uint8_t octets[80] = "head";

    (void)state;
    memset(octets + 4, 0, 40);
    memcpy(octets + 44, "tail", 4);
    prints(octets, 48, "\"head\" .. (\"\\x00\"):rep(40) .. \"tail\"");
    prints(octets, 44, "\"head\" .. (\"\\x00\"):rep(40)");
    prints(octets + 4, 44, "(\"\\x00\"):rep(40) .. \"tail\"");
}

/* More runs than Lua has registers. */
static void prints_more_runs_than_registers(void **state) {
    size_t length = 600 * 40;
    uint8_t *octets = malloc(length);

    (void)state;
    for (size_t i = 0; i < length; i++)
        octets[i] = (uint8_t)(i / 40 % 251);
    free(print(octets, length));
    free(octets);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_text_and_digits),
        cmocka_unit_test(splits_digits_into_lines),
        cmocka_unit_test(prints_repetitions),
        cmocka_unit_test(prints_every_octet),
        cmocka_unit_test(prints_runs_within_other_octets),
        cmocka_unit_test(prints_more_runs_than_registers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
