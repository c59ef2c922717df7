#include "iw_case_relay.h"

#include <stdio.h>
#include <string.h>

#include <lauxlib.h>

#include "iw_error.h"

/* Returns the set of the texts of a list, by their index in `names`. */
static unsigned relay_read_set(
    lua_State *lua, int table, const char *name, const char *id, const char *const *names) {
    const char *texts[IW_CASE_LIST_MAX];
    size_t count = iw_case_member_texts(lua, table, name, id, texts);
    unsigned set = 0;

    for (size_t i = 0; i < count; i++) {
        unsigned bit = 0;

        while (names[bit] != NULL && strcmp(names[bit], texts[i]) != 0)
            bit++;
        if (names[bit] == NULL)
            luaL_error(lua, "case %s: unknown %s in %s", id, texts[i], name);
        set |= 1u << bit;
    }
    return set;
}

static void relay_read_rules(lua_State *lua, int table, const char *id, struct iw_case_relay *relay) {
    const char *rules[IW_CASE_LIST_MAX];
    char error[IW_RELAY_TEXT_OCTETS];

    relay->rule_count = iw_case_member_texts(lua, table, "rules", id, rules);
    if (relay->rule_count > IW_CASE_RELAY_RULES_MAX)
        luaL_error(lua, "case %s: at most %d rules", id, (int)IW_CASE_RELAY_RULES_MAX);
    for (size_t i = 0; i < relay->rule_count; i++)
        if (!iw_relay_rule_parse(rules[i], &relay->rules[i], error))
            luaL_error(lua, "case %s: rules: %s", id, error);
    if (relay->rule_count > 0)
        relay->unit = iw_case_member_text(lua, table, "unit", id);
}

static void relay_read_sender(lua_State *lua, int table, const char *id, struct iw_case_relay *relay) {
    const char *text = iw_case_member_text(lua, table, "sender", id);

    if (strcmp(text, "initiator") != 0 && strcmp(text, "responder") != 0)
        luaL_error(lua, "case %s: sender is \"initiator\" or \"responder\", not \"%s\"", id, text);
    relay->sender = strcmp(text, "initiator") == 0 ? IW_SIDE_A : IW_SIDE_B;
}

/* Reads "2/0/02". Returns false if the table of errors does not have it. */
static bool relay_read_error(const char *text, uint16_t *error) {
    unsigned layer, etype, code;

    if (sscanf(text, "%1x/%1x/%2x", &layer, &etype, &code) != 3)
        return false;
    *error = iw_error_triple((uint8_t)layer, (uint8_t)etype, (uint8_t)code);
    return iw_error_find(*error) != NULL;
}

/* An error is a requirement, whose row has the Terminate that reports its violation, or the Terminate itself.
 */
static void relay_read_errors(lua_State *lua, int table, const char *id, struct iw_case_relay *relay) {
    const char *texts[IW_CASE_LIST_MAX];

    relay->error_count = iw_case_member_texts(lua, table, "errors", id, texts);
    for (size_t i = 0; i < relay->error_count; i++) {
        const struct iw_requirement *row = iw_requirement_find(texts[i]);

        if (!relay_read_error(row != NULL ? row->terminate : texts[i], &relay->errors[i]))
            luaL_error(lua, "case %s: errors: %s has no Terminate", id, texts[i]);
    }
    if ((relay->error_count > 0) != ((relay->reactions & IW_CASE_REACTION_TERMINATE) != 0))
        luaL_error(lua, "case %s: errors goes with the reaction terminate", id);
}

const struct iw_case_relay *iw_case_relay_read(lua_State *lua, int table, const char *id) {
    static const char *const reactions[] = {"terminate", "refuse", "close", "continue", "abstain", NULL};
    static const char *const needs[] = {"crc", "markers", "enhanced", "depths", NULL};
    struct iw_case_relay *relay;
    int member;

    luaL_checkstack(lua, 64, NULL);
    if (lua_getfield(lua, table, "relay") != LUA_TTABLE)
        luaL_error(lua, "case %s: relay takes a table", id);
    member = lua_gettop(lua);
    relay = lua_newuserdatauv(lua, sizeof *relay, 0);
    luaL_ref(lua, LUA_REGISTRYINDEX);
    memset(relay, 0, sizeof *relay);
    relay->conversation = iw_case_member_text(lua, member, "conversation", id);
    relay_read_rules(lua, member, id, relay);
    relay_read_sender(lua, member, id, relay);
    if (lua_getfield(lua, member, "repair") != LUA_TNIL &&
        !iw_relay_repair_parse(iw_case_member_text(lua, member, "repair", id), &relay->repair))
        luaL_error(lua, "case %s: repair takes a list of length, crc and markers", id);
    relay->reactions = relay_read_set(lua, member, "reactions", id, reactions);
    if (relay->reactions == 0)
        luaL_error(lua, "case %s: no reaction", id);
    relay_read_errors(lua, member, id, relay);
    relay->needs = relay_read_set(lua, member, "needs", id, needs);
    lua_getfield(lua, member, "again");
    relay->again = lua_toboolean(lua, -1);
    lua_getfield(lua, member, "detects");
    relay->detects = lua_toboolean(lua, -1);
    lua_getfield(lua, member, "llp");
    relay->llp = lua_toboolean(lua, -1);
    return relay;
}
