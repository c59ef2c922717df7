#include "iw_case.h"

#include <string.h>

#include <lauxlib.h>

#include "iw_case_member.h"
#include "iw_profile.h"

static bool case_is_initiator(lua_State *lua, int table, const char *id) {
    const char *text = iw_case_member_text(lua, table, "role", id);

    if (strcmp(text, "initiator") != 0 && strcmp(text, "responder") != 0)
        luaL_error(lua, "case %s: role is \"responder\" or \"initiator\", not \"%s\"", id, text);
    return strcmp(text, "initiator") == 0;
}

const char *iw_case_tier_name(enum iw_case_tier tier) {
    static const char *const names[] = {"none", "rping", "agent", "relay"};

    return names[tier];
}

bool iw_case_tier_find(const char *name, enum iw_case_tier *tier) {
    *tier = IW_CASE_TIER_NONE;
    while (*tier < IW_CASE_TIER_RELAY && strcmp(iw_case_tier_name(*tier), name) != 0)
        ++*tier;
    return strcmp(iw_case_tier_name(*tier), name) == 0;
}

static enum iw_case_tier case_tier(lua_State *lua, int table, const char *id) {
    const char *text = iw_case_member_text(lua, table, "tier", id);
    enum iw_case_tier tier;

    if (!iw_case_tier_find(text, &tier))
        luaL_error(lua, "case %s: tier is \"none\", \"rping\", \"agent\" or \"relay\", not \"%s\"", id, text);
    return tier;
}

static void case_read_requirements(lua_State *lua, int table, struct iw_case *one) {
    one->requirement_count =
        iw_case_member_requirements(lua, table, "requirements", one->id, one->requirements);
    if (one->requirement_count == 0)
        luaL_error(lua, "case %s: no requirement", one->id);
}

static void case_read_claims(lua_State *lua, int table, struct iw_case *one) {
    const struct iw_profile profile = iw_profile_default();
    bool known = true;

    one->claim_count = iw_case_member_texts(lua, table, "claims", one->id, one->claims);
    for (size_t i = 0; i < one->claim_count; i++) {
        iw_profile_claims(&profile, one->claims[i], &known);
        if (!known)
            luaL_error(lua, "case %s: unknown claim %s", one->id, one->claims[i]);
    }
}

const char *const iw_case_dangers[] = {"memory", "connection", "host", NULL};

bool iw_case_danger_find(const char *name, enum iw_case_danger *danger) {
    size_t bit = 0;

    while (iw_case_dangers[bit] && strcmp(iw_case_dangers[bit], name) != 0)
        bit++;
    *danger = (enum iw_case_danger)(1u << bit);
    return iw_case_dangers[bit] != NULL;
}

static void case_read_dangers(lua_State *lua, int table, struct iw_case *one) {
    const char *names[IW_CASE_LIST_MAX];
    size_t count = iw_case_member_texts(lua, table, "danger", one->id, names);

    for (size_t i = 0; i < count; i++) {
        enum iw_case_danger danger;

        if (!iw_case_danger_find(names[i], &danger))
            luaL_error(lua, "case %s: danger takes \"memory\", \"connection\" and \"host\", not \"%s\"",
                one->id, names[i]);
        one->dangers |= danger;
    }
}

static bool case_read_segments(lua_State *lua, int table, const char *id) {
    int type = lua_getfield(lua, table, "segments");

    if (type != LUA_TNIL && type != LUA_TBOOLEAN)
        luaL_error(lua, "case %s: segments takes true or false", id);
    return lua_toboolean(lua, -1);
}

static void case_check_members(lua_State *lua, int table) {
    static const char *const members[] = {"id", "title", "requirements", "role", "tier", "claims", "close",
        "danger", "segments", "factors", "relay", "run", NULL};

    lua_pushnil(lua);
    while (lua_next(lua, table)) {
        size_t i = 0;

        while (members[i] &&
               !(lua_type(lua, -2) == LUA_TSTRING && strcmp(members[i], lua_tostring(lua, -2)) == 0))
            i++;
        if (!members[i])
            luaL_error(lua, "unknown member '%s' of a case", luaL_tolstring(lua, -2, NULL));
        lua_pop(lua, 1);
    }
}

/* Whether the id is valid: it is part of file names. */
static bool case_is_id(const char *id) {
    static const char known[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t length = strlen(id);

    return length > 0 && length <= IW_CASE_ID_MAX && strspn(id, known) == length && id[0] != '-';
}

static void case_read_run(lua_State *lua, int table, struct iw_case *one) {
    if (lua_getfield(lua, table, "run") != LUA_TFUNCTION)
        luaL_error(lua, "case %s: run takes a function", one->id);
    one->run = luaL_ref(lua, LUA_REGISTRYINDEX);
}

void iw_case_read(lua_State *lua, struct iw_case *one) {
    int table = lua_gettop(lua);
    struct iw_factors *factors;

    luaL_checkstack(lua, 64, NULL);
    case_check_members(lua, table);
    one->id = iw_case_member_text(lua, table, "id", "without id");
    if (!case_is_id(one->id))
        luaL_error(lua,
            "case %s: an id has at most %d ASCII letters, digits, - and _, and does not start with -",
            one->id, (int)IW_CASE_ID_MAX);
    one->title = iw_case_member_text(lua, table, "title", one->id);
    one->initiator = case_is_initiator(lua, table, one->id);
    one->tier = case_tier(lua, table, one->id);
    case_read_requirements(lua, table, one);
    case_read_claims(lua, table, one);
    case_read_dangers(lua, table, one);
    one->segments = case_read_segments(lua, table, one->id);
    one->close_count = iw_case_member_texts(lua, table, "close", one->id, one->closes);
    for (size_t i = 0; i < one->close_count; i++)
        if (strncmp(one->closes[i], "terminate", strlen("terminate")) == 0)
            one->dangers |= IW_CASE_DANGER_CONNECTION;
    factors = lua_newuserdatauv(lua, sizeof *factors, 0);
    luaL_ref(lua, LUA_REGISTRYINDEX); /* keeps the factors as long as the script */
    iw_factors_read(lua, table, one->id, factors);
    one->factors = factors->seeded || factors->count > 0 ? factors : NULL;
    if (one->tier == IW_CASE_TIER_RELAY)
        one->relay = iw_case_relay_read(lua, table, one->id);
    else
        case_read_run(lua, table, one);
    lua_settop(lua, table);
}

json_t *iw_case_requirement_ids(const struct iw_case *one) {
    json_t *ids = json_array();

    for (size_t i = 0; i < one->requirement_count; i++)
        json_array_append_new(ids, json_string(one->requirements[i]->id));
    return ids;
}

bool iw_case_claims(const struct iw_case *one, const char *claim) {
    for (size_t i = 0; i < one->claim_count; i++)
        if (strcmp(one->claims[i], claim) == 0)
            return true;
    return false;
}

enum iw_severity iw_case_severity(const struct iw_case *one) {
    enum iw_severity severity = IW_SEVERITY_NOTE;

    for (size_t i = 0; i < one->requirement_count; i++)
        if (iw_requirement_severity(one->requirements[i]) > severity)
            severity = iw_requirement_severity(one->requirements[i]);
    return severity;
}

const char *iw_case_level(enum iw_severity severity) {
    static const char *const levels[] = {
        [IW_SEVERITY_NOTE] = "MAY", [IW_SEVERITY_WARNING] = "SHOULD", [IW_SEVERITY_ERROR] = "MUST"};

    return levels[severity];
}
