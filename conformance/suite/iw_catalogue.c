#include "iw_catalogue.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lauxlib.h>

#include "iw_array.h"
#include "iw_builtin_suite.h"
#include "iw_lua_failure.h"
#include "iw_show.h"

enum { PATH_OCTETS = 1024 };

/* The Lua files that are embedded in the program. */
struct catalogue_builtins {
    const struct iw_builtin *files;
    size_t count;
};

static struct catalogue_builtins catalogue_builtins(bool relay) {
    return relay ? (struct catalogue_builtins){iw_builtin_relay_cases, iw_builtin_relay_case_count}
                 : (struct catalogue_builtins){iw_builtin_cases, iw_builtin_case_count};
}

/* Where Lua code comes from. */
struct source {
    const struct iw_builtin *builtin; /* embedded file; NULL: the file at `path` */
    const char *path;
    bool relay; /* of `builtin`: it belongs to the cases of tier relay */
};

/* Argument of the functions that read a Lua file, which run in protected mode. */
struct file_reader {
    struct iw_catalogue *catalogue;
    struct iw_script *script;
    const char *file;
};

const struct iw_case *iw_catalogue_find(const struct iw_catalogue *catalogue, const char *id, size_t octets) {
    for (size_t i = 0; i < catalogue->count; i++)
        if (strlen(catalogue->cases[i].id) == octets && memcmp(catalogue->cases[i].id, id, octets) == 0)
            return &catalogue->cases[i];
    return NULL;
}

/* Lua function that adds the cases of a file. Arguments: the chunk of the file, a struct file_reader. */
static int catalogue_read_cases(lua_State *lua) {
    struct file_reader *file_reader = lua_touserdata(lua, 2);
    struct iw_catalogue *catalogue = file_reader->catalogue;
    struct iw_case *one;
    size_t count;

    lua_settop(lua, 1);
    lua_call(lua, 0, 1);
    if (!lua_istable(lua, 1) || lua_rawlen(lua, 1) == 0)
        luaL_error(lua, "returns no list of cases: return { {id = ...}, ... }");
    lua_pushvalue(lua, 1);
    luaL_ref(lua, LUA_REGISTRYINDEX); /* the registry keeps the strings as long as the script */
    count = lua_rawlen(lua, 1);
    for (size_t i = 0; i < count; i++) {
        if (lua_rawgeti(lua, 1, (lua_Integer)i + 1) != LUA_TTABLE)
            luaL_error(
                lua, "item %d of the returned list is no case: return { {id = ...}, ... }", (int)i + 1);
        if (!iw_array_grow(&catalogue->cases, catalogue->count, sizeof *catalogue->cases))
            luaL_error(lua, "not enough memory");
        one = &catalogue->cases[catalogue->count];
        *one = (struct iw_case){.file = file_reader->file, .script = file_reader->script};
        iw_case_read(lua, one);
        if (iw_catalogue_find(catalogue, one->id, strlen(one->id)))
            luaL_error(lua, "case %s: duplicate id", one->id);
        catalogue->count++;
        lua_pop(lua, 1);
    }
    return 0;
}

/* The cases of tier relay have names like those of other cases, in a folder of their own. */
static char *catalogue_file_name(const struct source *source) {
    char name[PATH_OCTETS];

    snprintf(name, sizeof name, "%s%s", source->relay ? "relay/" : "",
        source->builtin ? source->builtin->name : source->path);
    return strdup(name);
}

static struct iw_case_file *catalogue_add_case_file(
    struct iw_catalogue *catalogue, const struct source *source) {
    struct iw_case_file *file;

    if (!iw_array_grow(&catalogue->files, catalogue->file_count, sizeof *file))
        return NULL;
    file = &catalogue->files[catalogue->file_count++];
    file->name = catalogue_file_name(source);
    file->script = iw_script_new(&(struct iw_sandbox_config){0});
    return file->name && file->script ? file : NULL;
}

/* Lua function that sets the global `common`. Argument: the chunk of common.lua. */
static int catalogue_read_common(lua_State *lua) {
    lua_settop(lua, 1);
    iw_lua_failure_mark_helpers(lua);
    lua_call(lua, 0, 1);
    if (!lua_istable(lua, 1))
        luaL_error(lua, "returns no table");
    lua_setglobal(lua, "common");
    return 0;
}

static const char common_name[] = "common.lua";

/* Loads the source, and calls `read` in protected mode with two arguments: the loaded chunk, and `reader`. */
static enum iw_status catalogue_read_source(const struct source *source, lua_CFunction read,
    struct file_reader *reader, char *error, size_t error_octets) {
    lua_State *lua = iw_script_lua(reader->script);
    const struct iw_builtin *builtin = source->builtin;
    const char *text;
    bool named;
    enum iw_status status = builtin ? iw_sandbox_load_text(iw_sandbox_of(lua), builtin->text, builtin->octets,
                                          builtin->name, error, error_octets)
                                    : iw_sandbox_load(iw_sandbox_of(lua), source->path, error, error_octets);

    if (status != IW_OK)
        return status;
    iw_sandbox_refill(iw_sandbox_of(lua), lua);
    lua_pushcfunction(lua, read);
    lua_insert(lua, -2);
    lua_pushlightuserdata(lua, reader);
    if (lua_pcall(lua, 2, 0, 0) == LUA_OK)
        return IW_OK;
    text = lua_tostring(lua, -1);
    named = text && strstr(text, reader->file);
    snprintf(error, error_octets, "%s%s%s", named ? "" : reader->file, named ? "" : ": ",
        text ? text : "an error without text");
    iw_show_line(error, error_octets, error);
    lua_pop(lua, 1);
    return IW_ERR_FORMAT;
}

static void catalogue_digest_source(struct iw_digest *digest, const struct source *source) {
    if (source->builtin)
        iw_digest_text(digest, source->builtin->name, source->builtin->text, source->builtin->octets);
    else
        iw_digest_file(digest, source->path);
}

/* Returns common.lua from the folder of the case file; the built-in common.lua if the file is built in or
 * there is no readable one. `beside` stores the path of the result. */
static struct source catalogue_find_common(const struct source *file, char beside[PATH_OCTETS]) {
    const struct catalogue_builtins builtins = catalogue_builtins(file->relay);
    const char *path = file->path;
    size_t i = 0;

    if (path) {
        snprintf(beside, PATH_OCTETS, "%.*s%s", (int)(strrchr(path, '/') + 1 - path), path, common_name);
        if (access(beside, R_OK) == 0)
            return (struct source){.path = beside};
    }
    while (strcmp(builtins.files[i].name, common_name) != 0)
        i++;
    return (struct source){.builtin = &builtins.files[i]};
}

static enum iw_status catalogue_load_file(struct iw_catalogue *catalogue, struct iw_digest *digest,
    const struct source *source, char *error, size_t error_octets) {
    char beside[PATH_OCTETS];
    const struct source common = catalogue_find_common(source, beside);
    struct iw_case_file *file = catalogue_add_case_file(catalogue, source);
    struct file_reader reader = {.catalogue = catalogue, .file = common_name};
    enum iw_status status;

    if (!file)
        return IW_ERR_NOMEM;
    if (catalogue->file_count == 1)
        catalogue_digest_source(digest, &common);
    catalogue_digest_source(digest, source);
    reader.script = file->script;
    status = catalogue_read_source(&common, catalogue_read_common, &reader, error, error_octets);
    reader.file = file->name;
    return status == IW_OK ? catalogue_read_source(source, catalogue_read_cases, &reader, error, error_octets)
                           : status;
}

static int catalogue_is_lua(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);

    return length > 4 && entry->d_name[0] != '.' && strcmp(entry->d_name + length - 4, ".lua") == 0 &&
           strcmp(entry->d_name, common_name) != 0;
}

static enum iw_status catalogue_load_folder(struct iw_catalogue *catalogue, struct iw_digest *digest,
    const char *folder, char *error, size_t error_octets) {
    struct dirent **entries;
    enum iw_status status = IW_OK;
    int count = scandir(folder, &entries, catalogue_is_lua, alphasort);

    if (count < 0) {
        snprintf(error, error_octets, "%s: %s", folder, strerror(errno));
        return IW_ERR_IO;
    }
    if (count == 0) {
        snprintf(error, error_octets, "no *.lua in %s", folder);
        status = IW_ERR_FORMAT;
    }
    for (int i = 0; i < count; i++) {
        char path[PATH_OCTETS];

        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (status == IW_OK)
            status =
                catalogue_load_file(catalogue, digest, &(struct source){.path = path}, error, error_octets);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static enum iw_status catalogue_load(
    struct iw_catalogue *catalogue, const char *folder, bool relay, char *error, size_t error_octets) {
    const struct catalogue_builtins builtins = catalogue_builtins(relay);
    enum iw_status status = IW_OK;
    struct iw_digest digest;

    memset(catalogue, 0, sizeof *catalogue);
    iw_digest_begin(&digest);
    snprintf(error, error_octets, "out of memory");
    if (folder)
        status = catalogue_load_folder(catalogue, &digest, folder, error, error_octets);
    for (size_t i = 0; !folder && i < builtins.count && status == IW_OK; i++)
        if (strcmp(builtins.files[i].name, common_name) != 0)
            status = catalogue_load_file(catalogue, &digest,
                &(struct source){.builtin = &builtins.files[i], .relay = relay}, error, error_octets);
    if (!iw_digest_end(&digest, catalogue->digest) && status == IW_OK)
        status = IW_ERR_NOMEM;
    if (status != IW_OK)
        iw_catalogue_dispose(catalogue);
    return status;
}

enum iw_status iw_catalogue_init(
    struct iw_catalogue *catalogue, const char *folder, char *error, size_t error_octets) {
    return catalogue_load(catalogue, folder, false, error, error_octets);
}

enum iw_status iw_catalogue_init_relay(struct iw_catalogue *catalogue, char *error, size_t error_octets) {
    return catalogue_load(catalogue, NULL, true, error, error_octets);
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
