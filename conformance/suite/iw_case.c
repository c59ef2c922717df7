#include "iw_case.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lauxlib.h>

#include "iw_builtin_case.h"
#include "iw_profile.h"

enum { PATH_OCTETS = 1024 };

/* Reading one file: a function in protected mode, in which every mistake is an error of Lua. */
struct reading {
    struct iw_catalogue *catalogue;
    struct iw_script *script;
    const char *file;
};

static const char *text_of(lua_State *lua, int table, const char *name, const char *id) {
    if (lua_getfield(lua, table, name) != LUA_TSTRING)
        luaL_error(lua, "case %s: %s takes a text", id, name);
    return lua_tostring(lua, -1); /* the table keeps it, and the script the table */
}

static size_t list_of(lua_State *lua, int table, const char *name, const char *id, const char **list) {
    size_t count;

    if (lua_getfield(lua, table, name) == LUA_TNIL)
        return 0;
    if (!lua_istable(lua, -1) || lua_rawlen(lua, -1) > IW_CASE_LIST_MAX)
        luaL_error(lua, "case %s: %s takes a list of at most %d texts", id, name, (int)IW_CASE_LIST_MAX);
    count = lua_rawlen(lua, -1);
    for (size_t i = 0; i < count; i++) {
        if (lua_rawgeti(lua, -1, (lua_Integer)i + 1) != LUA_TSTRING)
            luaL_error(lua, "case %s: %s takes a list of texts", id, name);
        list[i] = lua_tostring(lua, -1);
        lua_pop(lua, 1);
    }
    return count;
}

static bool is_initiator(lua_State *lua, int table, const char *id) {
    const char *text = text_of(lua, table, "role", id);

    if (strcmp(text, "initiator") != 0 && strcmp(text, "responder") != 0)
        luaL_error(lua, "case %s: role is \"responder\" or \"initiator\", not \"%s\"", id, text);
    return strcmp(text, "initiator") == 0;
}

const char *iw_case_tier_name(enum iw_case_tier tier) {
    static const char *const names[] = {"none", "rping", "agent"};

    return names[tier];
}

bool iw_case_tier_find(const char *name, enum iw_case_tier *tier) {
    *tier = IW_CASE_TIER_NONE;
    while (*tier < IW_CASE_TIER_AGENT && strcmp(iw_case_tier_name(*tier), name) != 0)
        ++*tier;
    return strcmp(iw_case_tier_name(*tier), name) == 0;
}

static enum iw_case_tier tier_of(lua_State *lua, int table, const char *id) {
    const char *text = text_of(lua, table, "tier", id);
    enum iw_case_tier tier;

    if (!iw_case_tier_find(text, &tier))
        luaL_error(lua, "case %s: tier is \"none\", \"rping\" or \"agent\", not \"%s\"", id, text);
    return tier;
}

static void read_requirements(lua_State *lua, int table, struct iw_case *one) {
    const char *ids[IW_CASE_LIST_MAX];

    one->requirement_count = list_of(lua, table, "requirements", one->id, ids);
    if (one->requirement_count == 0)
        luaL_error(lua, "case %s: no requirement", one->id);
    for (size_t i = 0; i < one->requirement_count; i++) {
        one->requirements[i] = iw_requirement_find(ids[i]);
        if (!one->requirements[i])
            luaL_error(lua, "case %s: unknown requirement %s", one->id, ids[i]);
    }
}

static void read_claims(lua_State *lua, int table, struct iw_case *one) {
    const struct iw_profile profile = iw_profile_default();
    bool known = true;

    one->claim_count = list_of(lua, table, "claims", one->id, one->claims);
    for (size_t i = 0; i < one->claim_count; i++) {
        iw_profile_claims(&profile, one->claims[i], &known);
        if (!known)
            luaL_error(lua, "case %s: unknown claim %s", one->id, one->claims[i]);
    }
}

static const char *const dangers[] = {"memory", "connection", NULL};

const char *iw_case_danger(size_t bit) {
    return dangers[bit];
}

static void read_dangers(lua_State *lua, int table, struct iw_case *one) {
    const char *names[IW_CASE_LIST_MAX];
    size_t count = list_of(lua, table, "danger", one->id, names);

    for (size_t i = 0; i < count; i++) {
        size_t bit = 0;

        while (dangers[bit] && strcmp(dangers[bit], names[i]) != 0)
            bit++;
        if (!dangers[bit])
            luaL_error(
                lua, "case %s: danger takes \"memory\" and \"connection\", not \"%s\"", one->id, names[i]);
        one->dangers |= 1u << bit;
    }
}

/* A device that is to answer by Terminate gives up the connection. */
static void read_closes(lua_State *lua, int table, struct iw_case *one) {
    one->close_count = list_of(lua, table, "close", one->id, one->closes);
    for (size_t i = 0; i < one->close_count; i++)
        if (strncmp(one->closes[i], "terminate", strlen("terminate")) == 0)
            one->dangers |= IW_CASE_DANGER_CONNECTION;
}

static void check_names(lua_State *lua, int table) {
    static const char *const names[] = {
        "id", "title", "requirements", "role", "tier", "claims", "close", "danger", "factors", "run", NULL};

    lua_pushnil(lua);
    while (lua_next(lua, table)) {
        size_t i = 0;

        while (
            names[i] && !(lua_type(lua, -2) == LUA_TSTRING && strcmp(names[i], lua_tostring(lua, -2)) == 0))
            i++;
        if (!names[i])
            luaL_error(lua, "a case has no '%s'", luaL_tolstring(lua, -2, NULL));
        lua_pop(lua, 1);
    }
}

static bool is_there(const struct iw_catalogue *catalogue, const char *id) {
    for (size_t i = 0; i < catalogue->count; i++)
        if (strcmp(catalogue->cases[i].id, id) == 0)
            return true;
    return false;
}

/* They live as long as the script. */
static void read_factors(lua_State *lua, int table, struct iw_case *one) {
    struct iw_factors *factors = lua_newuserdatauv(lua, sizeof *factors, 0);

    luaL_ref(lua, LUA_REGISTRYINDEX);
    iw_factors_read(lua, table, one->id, factors);
    one->factors = factors->seeded || factors->count > 0 ? factors : NULL;
}

/* The table on top of the stack, which stays there. */
static void read_case(lua_State *lua, const struct reading *reading, struct iw_case *one) {
    int table = lua_gettop(lua);

    luaL_checkstack(lua, 64, NULL);
    check_names(lua, table);
    one->id = text_of(lua, table, "id", "without id");
    if (is_there(reading->catalogue, one->id))
        luaL_error(lua, "case %s: there are two of that id", one->id);
    one->title = text_of(lua, table, "title", one->id);
    one->file = reading->file;
    one->script = reading->script;
    one->initiator = is_initiator(lua, table, one->id);
    one->tier = tier_of(lua, table, one->id);
    read_requirements(lua, table, one);
    read_claims(lua, table, one);
    read_dangers(lua, table, one);
    read_closes(lua, table, one);
    read_factors(lua, table, one);
    if (lua_getfield(lua, table, "run") != LUA_TFUNCTION)
        luaL_error(lua, "case %s: run takes a function", one->id);
    one->run = luaL_ref(lua, LUA_REGISTRYINDEX);
    lua_settop(lua, table);
}

static bool make_room(struct iw_catalogue *catalogue) {
    size_t capacity = catalogue->capacity ? 2 * catalogue->capacity : 64;
    struct iw_case *cases;

    if (catalogue->count < catalogue->capacity)
        return true;
    cases = realloc(catalogue->cases, capacity * sizeof *cases);
    if (!cases)
        return false;
    catalogue->cases = cases;
    catalogue->capacity = capacity;
    return true;
}

/* With the chunk of the file and a struct reading. */
static int read_cases(lua_State *lua) {
    struct reading *reading = lua_touserdata(lua, 2);
    struct iw_catalogue *catalogue = reading->catalogue;
    size_t count;

    lua_settop(lua, 1);
    lua_call(lua, 0, 1);
    luaL_argcheck(lua, lua_istable(lua, 1), 1, "a case file returns a list of cases");
    lua_pushvalue(lua, 1);
    luaL_ref(lua, LUA_REGISTRYINDEX); /* keeps the texts for as long as the script lives */
    count = lua_rawlen(lua, 1);
    for (size_t i = 0; i < count; i++) {
        if (lua_rawgeti(lua, 1, (lua_Integer)i + 1) != LUA_TTABLE)
            luaL_error(lua, "a case file returns a list of tables");
        if (!make_room(catalogue))
            luaL_error(lua, "not enough memory");
        memset(&catalogue->cases[catalogue->count], 0, sizeof *catalogue->cases);
        read_case(lua, reading, &catalogue->cases[catalogue->count]);
        catalogue->count++;
        lua_pop(lua, 1);
    }
    return 0;
}

static struct iw_case_file *add_file(struct iw_catalogue *catalogue, const char *name) {
    struct iw_case_file *files = realloc(catalogue->files, (catalogue->file_count + 1) * sizeof *files);
    struct iw_case_file *file;

    if (!files)
        return NULL;
    catalogue->files = files;
    file = &files[catalogue->file_count++];
    file->name = strdup(name);
    file->script = iw_script_new(&(struct iw_sandbox_config){0});
    return file->name && file->script ? file : NULL;
}

/* Calls `read` with the chunk on top of the stack and `reading`. */
static enum iw_status take_chunk(
    lua_State *lua, lua_CFunction read, struct reading *reading, char *error, size_t error_octets) {
    enum iw_status status = IW_OK;

    iw_sandbox_refill(iw_sandbox_of(lua), lua);
    lua_pushcfunction(lua, read);
    lua_insert(lua, -2);
    lua_pushlightuserdata(lua, reading);
    if (lua_pcall(lua, 2, 0, 0) != LUA_OK) {
        const char *text = lua_tostring(lua, -1);
        bool named = text && strstr(text, reading->file);

        snprintf(error, error_octets, "%s%s%s", named ? "" : reading->file, named ? "" : ": ",
            text ? text : "an error that is no text");
        lua_pop(lua, 1);
        status = IW_ERR_FORMAT;
    }
    return status;
}

/* What the cases of all files share is the global `common` of each. */
static int read_common(lua_State *lua) {
    lua_settop(lua, 1);
    lua_call(lua, 0, 1);
    luaL_argcheck(lua, lua_istable(lua, 1), 1, "it returns a table");
    lua_setglobal(lua, "common");
    return 0;
}

static const char common_name[] = "common.lua";

static enum iw_status load_builtin(
    struct iw_sandbox *sandbox, const struct iw_builtin *builtin, char *error, size_t error_octets) {
    return iw_sandbox_load_text(sandbox, builtin->text, builtin->octets, builtin->name, error, error_octets);
}

static const struct iw_builtin *builtin_common(void) {
    size_t i = 0;

    while (strcmp(iw_builtin_cases[i].name, common_name) != 0)
        i++;
    return &iw_builtin_cases[i];
}

/* Writes where the file that the case file at `path` shares with others would be; tells whether it is. */
static bool find_common(const char *path, char beside[PATH_OCTETS]) {
    int folder = path ? (int)(strrchr(path, '/') + 1 - path) : 0;

    snprintf(beside, PATH_OCTETS, "%.*s%s", folder, path ? path : "", common_name);
    return path && access(beside, R_OK) == 0;
}

/* The one beside the case file at `path` or, without either, the built-in one. */
static enum iw_status load_common(
    struct iw_script *script, const char *path, char *error, size_t error_octets) {
    struct reading reading = {.file = common_name};
    lua_State *lua = iw_script_lua(script);
    char beside[PATH_OCTETS];
    enum iw_status status;

    if (find_common(path, beside))
        status = iw_sandbox_load(iw_sandbox_of(lua), beside, error, error_octets);
    else
        status = load_builtin(iw_sandbox_of(lua), builtin_common(), error, error_octets);
    return status == IW_OK ? take_chunk(lua, read_common, &reading, error, error_octets) : status;
}

static void digest_common(struct iw_digest *digest, const char *path) {
    char beside[PATH_OCTETS];

    if (find_common(path, beside))
        iw_digest_file(digest, beside);
    else
        iw_digest_text(digest, common_name, builtin_common()->text, builtin_common()->octets);
}

/* The file at `path` or, if `builtin` is not NULL, that one. */
static enum iw_status load_file(struct iw_catalogue *catalogue, struct iw_digest *digest, const char *path,
    const struct iw_builtin *builtin, char *error, size_t error_octets) {
    struct iw_case_file *file = add_file(catalogue, builtin ? builtin->name : path);
    struct reading reading = {.catalogue = catalogue};
    struct iw_sandbox *sandbox;
    enum iw_status status;

    if (!file)
        return IW_ERR_NOMEM;
    if (catalogue->file_count == 1)
        digest_common(digest, path);
    if (builtin)
        iw_digest_text(digest, builtin->name, builtin->text, builtin->octets);
    else
        iw_digest_file(digest, path);
    reading.script = file->script;
    reading.file = file->name;
    sandbox = iw_sandbox_of(iw_script_lua(file->script));
    status = load_common(file->script, path, error, error_octets);
    if (status == IW_OK)
        status = builtin ? load_builtin(sandbox, builtin, error, error_octets)
                         : iw_sandbox_load(sandbox, path, error, error_octets);
    return status == IW_OK
               ? take_chunk(iw_script_lua(file->script), read_cases, &reading, error, error_octets)
               : status;
}

static int is_lua(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);

    return length > 4 && entry->d_name[0] != '.' && strcmp(entry->d_name + length - 4, ".lua") == 0 &&
           strcmp(entry->d_name, common_name) != 0;
}

static enum iw_status load_folder(struct iw_catalogue *catalogue, struct iw_digest *digest,
    const char *folder, char *error, size_t error_octets) {
    struct dirent **entries;
    enum iw_status status = IW_OK;
    int count = scandir(folder, &entries, is_lua, alphasort);

    if (count < 0) {
        snprintf(error, error_octets, "%s: %s", folder, strerror(errno));
        return IW_ERR_IO;
    }
    for (int i = 0; i < count; i++) {
        char path[PATH_OCTETS];

        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (status == IW_OK)
            status = load_file(catalogue, digest, path, NULL, error, error_octets);
        free(entries[i]);
    }
    free(entries);
    return status;
}

enum iw_status iw_catalogue_init(
    struct iw_catalogue *catalogue, const char *folder, char *error, size_t error_octets) {
    enum iw_status status = IW_OK;
    struct iw_digest digest;

    memset(catalogue, 0, sizeof *catalogue);
    iw_digest_begin(&digest);
    snprintf(error, error_octets, "out of memory");
    if (folder)
        status = load_folder(catalogue, &digest, folder, error, error_octets);
    for (size_t i = 0; !folder && i < iw_builtin_case_count && status == IW_OK; i++)
        if (strcmp(iw_builtin_cases[i].name, common_name) != 0)
            status = load_file(catalogue, &digest, NULL, &iw_builtin_cases[i], error, error_octets);
    if (!iw_digest_end(&digest, catalogue->digest) && status == IW_OK)
        status = IW_ERR_NOMEM;
    if (status != IW_OK)
        iw_catalogue_dispose(catalogue);
    return status;
}

void iw_catalogue_dispose(struct iw_catalogue *catalogue) {
    for (size_t i = 0; i < catalogue->file_count; i++) {
        iw_script_free(catalogue->files[i].script);
        free(catalogue->files[i].name);
    }
    free(catalogue->files);
    free(catalogue->cases);
    memset(catalogue, 0, sizeof *catalogue);
}

enum iw_severity iw_case_severity(const struct iw_case *one) {
    enum iw_severity severity = IW_SEVERITY_NOTE;

    for (size_t i = 0; i < one->requirement_count; i++)
        if (iw_requirement_severity(one->requirements[i]) > severity)
            severity = iw_requirement_severity(one->requirements[i]);
    return severity;
}

const char *iw_case_level(enum iw_severity severity) {
    static const char *const names[] = {
        [IW_SEVERITY_NOTE] = "MAY", [IW_SEVERITY_WARNING] = "SHOULD", [IW_SEVERITY_ERROR] = "MUST"};

    return names[severity];
}
