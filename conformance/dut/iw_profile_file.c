#include "iw_profile.h"

#include <stdio.h>
#include <string.h>

#include <lauxlib.h>

#include "iw_agent.h"
#include "iw_builtin.h"
#include "iw_lua_member.h"
#include "iw_lua_names.h"
#include "iw_sandbox.h"

/* Parses the table of a profile in protected mode: each mistake is a Lua error that names the field. */

enum {
    INSTRUCTIONS_MAX = 1000000, /* limit for endless loops; far more than a table needs */
    SETTLE_MS_MAX = 5000,
    STARTUP_TIMEOUT_S_MAX = 300,
    SERVICE_TIMEOUT_S_MAX = 300,
};

static const char *const roles[] = {"responder", "initiator", NULL};
static const char *const flushes[] = {"persist", "expose", NULL};

/* Raises an error about the value on top of the stack, which is neither a list nor one of `names`. */
static void profile_file_reject_field(lua_State *lua, const char *field, const char *const *names) {
    const char *given = luaL_tolstring(lua, -1, NULL);
    luaL_Buffer known;

    luaL_buffinit(lua, &known);
    for (unsigned i = 0; names[i]; i++) {
        luaL_addstring(&known, i > 0 ? ", " : "");
        luaL_addstring(&known, names[i]);
    }
    luaL_pushresult(&known);
    luaL_error(lua, "%s takes a list of %s, not %s", field, lua_tostring(lua, -1), given);
}

/* The bit of the name on top of the stack; raises an error for an unknown name. */
static unsigned profile_file_bit_of(lua_State *lua, const char *field, const char *const *names) {
    unsigned i = 0;

    while (names[i] && !(lua_type(lua, -1) == LUA_TSTRING && strcmp(lua_tostring(lua, -1), names[i]) == 0))
        i++;
    if (!names[i])
        profile_file_reject_field(lua, field, names);
    return 1u << i;
}

static void profile_file_take_list(
    lua_State *lua, const char *field, const char *const *names, unsigned *set) {
    if (lua_getfield(lua, 1, field) != LUA_TNIL) {
        if (!lua_istable(lua, -1))
            profile_file_reject_field(lua, field, names);
        *set = 0;
        for (lua_Integer i = 1; lua_geti(lua, -1, i) != LUA_TNIL; i++) {
            *set |= profile_file_bit_of(lua, field, names);
            lua_pop(lua, 1);
        }
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

static void profile_file_take_flag(lua_State *lua, const char *field, bool *flag) {
    if (lua_getfield(lua, 1, field) != LUA_TNIL) {
        if (!lua_isboolean(lua, -1))
            luaL_error(lua, "%s takes true or false", field);
        *flag = lua_toboolean(lua, -1);
    }
    lua_pop(lua, 1);
}

static void profile_file_take_text(lua_State *lua, const char *field, char *text, size_t octets) {
    if (lua_getfield(lua, 1, field) != LUA_TNIL) {
        if (lua_type(lua, -1) != LUA_TSTRING || lua_rawlen(lua, -1) >= octets)
            luaL_error(lua, "%s takes a text of less than %d octets", field, (int)octets);
        snprintf(text, octets, "%s", lua_tostring(lua, -1));
    }
    lua_pop(lua, 1);
}

static void profile_file_take_revisions(lua_State *lua, unsigned *revisions) {
    if (lua_getfield(lua, 1, "revisions") != LUA_TNIL) {
        *revisions = 0;
        if (!lua_istable(lua, -1))
            luaL_error(lua, "revisions takes a list of 1, 2");
        for (lua_Integer i = 1; lua_geti(lua, -1, i) != LUA_TNIL; i++) {
            lua_Integer revision = lua_tointeger(lua, -1);

            if (revision != 1 && revision != 2)
                luaL_error(lua, "revisions takes a list of 1, 2, not %s", luaL_tolstring(lua, -1, NULL));
            *revisions |= 1u << (revision - 1);
            lua_pop(lua, 1);
        }
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
    if (!*revisions)
        luaL_error(lua, "revisions is empty");
}

static void profile_file_take_revision(lua_State *lua, struct iw_profile *profile) {
    profile->revision = (uint8_t)iw_lua_member_integer(lua, 1, "revision", 0, 0, 2);
    if (profile->revision != 0 && !(profile->revisions & 1u << (profile->revision - 1)))
        luaL_error(lua, "revision is not in revisions");
}

static void profile_file_take_crc(lua_State *lua, bool *if_asked) {
    if (lua_getfield(lua, 1, "crc") != LUA_TNIL) {
        const char *text = lua_tostring(lua, -1);

        *if_asked = text && strcmp(text, "if-asked") == 0;
        if (!*if_asked && (!text || strcmp(text, "always") != 0))
            luaL_error(lua, "crc takes \"always\" or \"if-asked\", not %s", luaL_tolstring(lua, -1, NULL));
    }
    lua_pop(lua, 1);
}

static void profile_file_take_limits(lua_State *lua, struct iw_profile *profile) {
    static const char *const limits[] = {"region", "message", "private_data", NULL};

    if (lua_getfield(lua, 1, "limits") != LUA_TNIL) {
        int table = lua_gettop(lua);

        if (!lua_istable(lua, -1))
            luaL_error(lua, "limits takes a table");
        iw_lua_names_allow(lua, table, limits, "limits");
        profile->limits.region = (uint64_t)iw_lua_member_integer(
            lua, table, "region", (lua_Integer)profile->limits.region, 0, IW_AGENT_REGION_MAX);
        profile->limits.message = (uint64_t)iw_lua_member_integer(
            lua, table, "message", (lua_Integer)profile->limits.message, 0, UINT32_MAX);
        profile->limits.private_data =
            (uint16_t)iw_lua_member_integer(lua, table, "private_data", profile->limits.private_data, 0, 512);
    }
    lua_pop(lua, 1);
}

/* Runs the chunk of a file, and fills a struct iw_profile; the stack has the two. */
static int profile_file_read(lua_State *lua) {
    static const char *const members[] = {"name", "words", "roles", "revisions", "revision", "markers", "crc",
        "crc_reports", "rtr", "ird", "ord", "atomics", "swap", "immediate", "flush", "verify", "atomic_write",
        "sctp", "limits", "settle", "startup_timeout", "service_timeout", NULL};
    struct iw_profile *profile = lua_touserdata(lua, 2);

    lua_settop(lua, 1);
    lua_call(lua, 0, 1);
    if (!lua_istable(lua, 1))
        luaL_error(lua, "a profile must return a table");
    iw_lua_names_allow(lua, 1, members, "a profile");
    profile_file_take_text(lua, "name", profile->name, sizeof profile->name);
    profile_file_take_text(lua, "words", profile->words, sizeof profile->words);
    profile_file_take_list(lua, "roles", roles, &profile->roles);
    profile_file_take_revisions(lua, &profile->revisions);
    profile_file_take_revision(lua, profile);
    profile_file_take_flag(lua, "markers", &profile->markers);
    profile_file_take_crc(lua, &profile->crc_if_asked);
    profile_file_take_flag(lua, "crc_reports", &profile->crc_reports);
    profile_file_take_list(lua, "rtr", iw_rtr_names, &profile->rtr);
    profile->ird = (uint16_t)iw_lua_member_integer(lua, 1, "ird", profile->ird, 0, IW_IRD_ORD_NONE - 1);
    profile->ord = (uint16_t)iw_lua_member_integer(lua, 1, "ord", profile->ord, 0, IW_IRD_ORD_NONE - 1);
    profile_file_take_flag(lua, "atomics", &profile->atomics);
    profile_file_take_flag(lua, "swap", &profile->swap);
    profile_file_take_flag(lua, "immediate", &profile->immediate);
    profile_file_take_list(lua, "flush", flushes, &profile->flush);
    profile_file_take_list(lua, "verify", iw_hash_names, &profile->hashes);
    profile_file_take_flag(lua, "atomic_write", &profile->atomic_write);
    profile_file_take_flag(lua, "sctp", &profile->sctp);
    profile_file_take_limits(lua, profile);
    profile->settle_ms =
        (unsigned)iw_lua_member_integer(lua, 1, "settle", profile->settle_ms, 0, SETTLE_MS_MAX);
    profile->startup_timeout_s = (unsigned)iw_lua_member_integer(
        lua, 1, "startup_timeout", profile->startup_timeout_s, 0, STARTUP_TIMEOUT_S_MAX);
    profile->service_timeout_s = (unsigned)iw_lua_member_integer(
        lua, 1, "service_timeout", profile->service_timeout_s, 1, SERVICE_TIMEOUT_S_MAX);
    return 0;
}

/* ---- files ---- */

/* Calls profile_file_read in protected mode, for the chunk on top of the stack. */
static enum iw_status profile_file_run_chunk(
    lua_State *lua, const char *name, struct iw_profile *profile, char *error, size_t error_octets) {
    const char *text;

    lua_pushcfunction(lua, profile_file_read);
    lua_insert(lua, -2);
    lua_pushlightuserdata(lua, profile);
    if (lua_pcall(lua, 2, 0, 0) == LUA_OK)
        return IW_OK;
    text = lua_tostring(lua, -1);
    text = text ? text : "an error without text";
    snprintf(
        error, error_octets, "%s%s%s", strstr(text, name) ? "" : name, strstr(text, name) ? "" : ": ", text);
    return IW_ERR_FORMAT;
}

static const struct iw_builtin *profile_file_find_builtin(const char *name) {
    for (size_t i = 0; i < iw_builtin_profile_count; i++) {
        const struct iw_builtin *builtin = &iw_builtin_profiles[i];

        if (strlen(name) + 4 == strlen(builtin->name) && strncmp(builtin->name, name, strlen(name)) == 0)
            return builtin;
    }
    return NULL;
}

static void profile_file_explain_unknown(const char *name, char *error, size_t error_octets) {
    size_t length = (size_t)snprintf(error, error_octets, "unknown profile %.60s (built in are", name);

    for (size_t i = 0; i < iw_builtin_profile_count && length < error_octets; i++)
        length += (size_t)snprintf(error + length, error_octets - length, "%s %.*s", i > 0 ? "," : "",
            (int)strlen(iw_builtin_profiles[i].name) - 4, iw_builtin_profiles[i].name);
    if (length < error_octets)
        snprintf(error + length, error_octets - length, "; a file has a / or a . in its name)");
}

/* Loads the profile from `given`, or from the file `name` if that is NULL. */
static enum iw_status profile_file_load(struct iw_profile *profile, const char *name,
    const struct iw_builtin *given, char *error, size_t error_octets) {
    const char *base = strrchr(name, '/');
    struct iw_sandbox sandbox;
    enum iw_status status;

    *profile = iw_profile_default();
    base = base ? base + 1 : name;
    snprintf(profile->name, sizeof profile->name, "%.*s", (int)strcspn(base, "."), base);
    snprintf(error, error_octets, "out of memory");
    status = iw_sandbox_init(&sandbox, &(struct iw_sandbox_config){.instructions = INSTRUCTIONS_MAX});
    if (status != IW_OK)
        return status;
    if (given)
        status = iw_sandbox_load_text(&sandbox, given->text, given->octets, given->name, error, error_octets);
    else
        status = iw_sandbox_load(&sandbox, name, error, error_octets);
    iw_sandbox_refill(&sandbox, sandbox.lua);
    if (status == IW_OK)
        status = profile_file_run_chunk(sandbox.lua, name, profile, error, error_octets);
    iw_sandbox_dispose(&sandbox);
    return status;
}

enum iw_status iw_profile_load(
    struct iw_profile *profile, const char *name, char *error, size_t error_octets) {
    const struct iw_builtin *builtin = profile_file_find_builtin(name);

    if (builtin || strpbrk(name, "/."))
        return profile_file_load(profile, name, builtin, error, error_octets);
    profile_file_explain_unknown(name, error, error_octets);
    return IW_ERR_FORMAT;
}

enum iw_status iw_profile_load_text(struct iw_profile *profile, const char *name, const char *text,
    size_t octets, char *error, size_t error_octets) {
    const struct iw_builtin given = {.name = name, .text = text, .octets = octets};

    return profile_file_load(profile, name, &given, error, error_octets);
}
