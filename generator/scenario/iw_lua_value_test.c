#include "iw_lua_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <lauxlib.h>

static int set_up(void **state) {
    *state = luaL_newstate();
    return *state == NULL ? -1 : 0;
}

static int tear_down(void **state) {
    lua_close(*state);
    return 0;
}

static const struct iw_lua_layouts startup = {{iw_layout_mpa_startup, iw_layout_mpa_enhanced}, 2};
static const struct iw_lua_layouts flush = {
    {iw_layout_ddp_untagged, iw_layout_rdmap_control, iw_layout_rdmap_invalidate, iw_layout_flush_request},
    4};

/* Leaves the table that the text returns on the stack. */
static void table(lua_State *lua, const char *text) {
    lua_settop(lua, 0);
    assert_int_equal(luaL_dostring(lua, text), LUA_OK);
}

static void writes_values_to_their_fields(void **state) {
    struct iw_lua_values values = {0};
    uint8_t octets[iw_mpa_startup_octets] = {0}, enhanced[iw_mpa_enhanced_octets] = {0};

    table(*state, "return {m = true, c = 1, rev = 2, pd_length = 0x0104, key = 'MPA ID Req Frame', a = 1,"
                  " ird = 0x3FFF, rtr_c = 1, ord = 3, other = 7}");
    iw_lua_value_read(*state, 1, &startup, &values);
    iw_lua_value_put(&values, iw_layout_mpa_startup, octets);
    iw_lua_value_put(&values, iw_layout_mpa_enhanced, enhanced);
    assert_memory_equal(octets, "MPA ID Req Frame\xC0\x02\x01\x04", sizeof octets);
    assert_memory_equal(enhanced, "\xBF\xFF\x80\x03", sizeof enhanced);
}

static void takes_filter_names(void **state) {
    struct iw_lua_values values = {0};
    uint8_t octets[iw_ddp_untagged_octets] = {0};

    table(*state, "return {['ddp.msn'] = 0x01020304, invalidate_stag = 0xFFFFFFFF, stag = 5}");
    iw_lua_value_read(*state, 1, &flush, &values);
    iw_lua_value_put(&values, iw_layout_ddp_untagged, octets);
    iw_lua_value_put(&values, iw_layout_rdmap_invalidate, octets + 2);
    assert_memory_equal(octets, "\0\0\xFF\xFF\xFF\xFF\0\0\0\0\1\2\3\4\0\0\0\0", sizeof octets);
    /* stag is the STag that the Flush addresses */
    assert_int_equal(iw_lua_value_find(&values, &iw_fields[iw_field_flush_request_stag])->number, 5);
}

static int read_startup(lua_State *lua) {
    struct iw_lua_values values = {0};

    iw_lua_value_read(lua, 1, &startup, &values);
    return 0;
}

static void refuses(lua_State *lua, const char *text, const char *why) {
    table(lua, text);
    lua_pushcfunction(lua, read_startup);
    lua_insert(lua, 1);
    assert_int_equal(lua_pcall(lua, 1, 0, 0), LUA_ERRRUN);
    assert_string_equal(lua_tostring(lua, -1), why);
}

static void rejects_values_that_do_not_fit(void **state) {
    refuses(*state, "return {rev = 256}", "rev: 256 has more than 8 bits");
    refuses(*state, "return {rev = -1}", "rev: -1 has more than 8 bits");
    refuses(*state, "return {rev = 1.5}", "rev takes an integer, not 1.5");
    refuses(*state, "return {rev = '1'}", "rev takes an integer, not a string");
    refuses(*state, "return {m = 2}", "m: 2 has more than 1 bits");
    refuses(*state, "return {key = 'short'}", "key takes a string of 16 octets");
}

static void takes_all_64_bits(void **state) {
    static const struct iw_lua_layouts tagged = {{iw_layout_ddp_tagged}, 1};
    struct iw_lua_values values = {0};
    uint8_t octets[iw_ddp_tagged_octets] = {0};

    table(*state, "return {to = 0xFFFFFFFFFFFFFFFE, t = 1}");
    iw_lua_value_read(*state, 1, &tagged, &values);
    iw_lua_value_put(&values, iw_layout_ddp_tagged, octets);
    assert_memory_equal(octets, "\x80\0\0\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFE", sizeof octets);
}

static void pushes_fields_by_name(void **state) {
    lua_State *lua = *state;

    lua_newtable(lua);
    iw_lua_value_push(
        lua, &startup, iw_layout_mpa_startup, (const uint8_t *)"MPA ID Rep Frame\x50\x02\x00\x04");
    iw_lua_value_push(lua, &startup, iw_layout_mpa_enhanced, (const uint8_t *)"\x80\x01\x40\x02");
    lua_setglobal(lua, "e");
    assert_int_equal(
        luaL_dostring(lua, "return e.c == true and e.m == false and e.rev == 2 and e.pd_length == 4 "
                           "and e.key == 'MPA ID Rep Frame' and e.a == true and e.ird == 1 and "
                           "e.rtr_c == false and e.rtr_d == true and e.ord == 2"),
        LUA_OK);
    assert_true(lua_toboolean(lua, -1));
}

static void knows_all_names(void **state) {
    struct iw_lua_names names = {0};

    (void)state;
    iw_lua_value_add_names(&startup, &names);
    assert_true(iw_lua_names_have(&names, "pd_length"));
    assert_true(iw_lua_names_have(&names, "rtr_d"));
    assert_true(iw_lua_names_have(&names, "mpa.rtr_c"));
    assert_false(iw_lua_names_have(&names, "msn"));
}

static void suggests_the_nearest_name(void **state) {
    static const char *const list[] = {"mulpdu", "markers", "private_data", NULL};
    struct iw_lua_names names = {0};

    iw_lua_names_add(&names, list);
    assert_string_equal(iw_lua_names_hint(*state, &names, "mulpud"), " (did you mean 'mulpdu'?)");
    assert_string_equal(iw_lua_names_hint(*state, &names, "marker"), " (did you mean 'markers'?)");
    assert_string_equal(iw_lua_names_hint(*state, &names, "privatedata"), " (did you mean 'private_data'?)");
    assert_string_equal(iw_lua_names_hint(*state, &names, "xyz"), "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(writes_values_to_their_fields),
        TEST(takes_filter_names),
        TEST(rejects_values_that_do_not_fit),
        TEST(takes_all_64_bits),
        TEST(pushes_fields_by_name),
        TEST(knows_all_names),
        TEST(suggests_the_nearest_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
