#include "iw_sandbox.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <lauxlib.h>
#include <lualib.h>

#include "iw_exit.h"

enum {
    HOOK_INSTRUCTIONS = 250, /* instructions between two checks of the bounds */
    SCRIPT_MAX = 16 << 20,   /* octets of a script */
    OCTETS_OF_A_STEP = 64,   /* one step for so many allocated octets: new memory is usually written, too */
};

static void *sandbox_allocate(void *user, void *block, size_t old_octets, size_t octets) {
    struct iw_sandbox *sandbox = user;

    if (block == NULL)
        old_octets = 0; /* without a block, Lua passes the kind of the new object here */
    if (octets == 0) {
        sandbox->held -= old_octets;
        free(block);
        return NULL;
    }
    if (octets > old_octets && octets - old_octets > sandbox->config.memory_octets - sandbox->held)
        return NULL;
    /* The hook checks the steps later: an error cannot be raised here. */
    size_t steps = octets / OCTETS_OF_A_STEP;
    sandbox->left = sandbox->left > steps ? sandbox->left - steps : 0;
    void *moved = realloc(block, octets);
    if (moved != NULL)
        sandbox->held = sandbox->held - old_octets + octets;
    return moved;
}

static void sandbox_count_instructions(lua_State *lua, lua_Debug *activation);

bool iw_sandbox_spent(const struct iw_sandbox *sandbox) {
    return sandbox->left == 0;
}

void iw_sandbox_spent_text(const struct iw_sandbox *sandbox, char text[IW_SANDBOX_SPENT_OCTETS]) {
    snprintf(text, IW_SANDBOX_SPENT_OCTETS, "script computes without end: %" PRIu64 " %s and no wait",
        sandbox->late ? sandbox->config.busy_ms : sandbox->config.instructions,
        sandbox->late ? "milliseconds" : "steps");
}

/* Stops the script by a yield, which no pcall can catch. Where a yield is impossible (inside C functions),
 * raises an error, which each enclosing pcall can catch once: Lua allows at most 200 nested C calls. */
static void sandbox_end_of_steps(lua_State *lua) {
    struct iw_sandbox *sandbox = iw_sandbox_of(lua);
    char text[IW_SANDBOX_SPENT_OCTETS];

    sandbox->left = 0;
    lua_sethook(lua, sandbox_count_instructions, LUA_MASKCOUNT, 1);
    if (lua_isyieldable(lua)) {
        lua_yield(lua, 0); /* in a hook lua_yield returns, and the hook must return immediately */
        return;
    }
    luaL_where(lua, 0);
    if (*lua_tostring(lua, -1) == '\0')
        luaL_where(lua, 1);
    iw_sandbox_spent_text(sandbox, text);
    lua_pushfstring(lua, "%s%s", lua_tostring(lua, -1), text);
    lua_error(lua);
}

static uint64_t now_ns(clockid_t clock) {
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Whether the script has used more than `busy_ms` of processor time. The wall clock, which is cheaper to
 * read, is checked first: processor time cannot exceed it. */
static bool sandbox_is_late(const struct iw_sandbox *sandbox) {
    uint64_t most = sandbox->config.busy_ms * 1000000;

    return now_ns(CLOCK_MONOTONIC) - sandbox->refilled_ns > most &&
           now_ns(CLOCK_THREAD_CPUTIME_ID) - sandbox->refilled_busy_ns > most;
}

/* Once the steps are used up, every further instruction of the coroutine fails: no pcall can continue. */
static void sandbox_count_instructions(lua_State *lua, lua_Debug *activation) {
    struct iw_sandbox *sandbox = iw_sandbox_of(lua);

    (void)activation;
    sandbox->late = sandbox->late || sandbox_is_late(sandbox);
    if (!sandbox->late && sandbox->left > HOOK_INSTRUCTIONS)
        sandbox->left -= HOOK_INSTRUCTIONS;
    else
        sandbox_end_of_steps(lua);
}

void iw_sandbox_charge(lua_State *lua, uint64_t steps) {
    struct iw_sandbox *sandbox = iw_sandbox_of(lua);

    if (sandbox->left > steps)
        sandbox->left -= steps;
    else
        sandbox_end_of_steps(lua);
}

struct iw_sandbox *iw_sandbox_of(lua_State *lua) {
    struct iw_sandbox *sandbox;

    memcpy(&sandbox, lua_getextraspace(lua), sizeof sandbox);
    return sandbox;
}

void iw_sandbox_refill(struct iw_sandbox *sandbox, lua_State *thread) {
    sandbox->left = sandbox->config.instructions;
    sandbox->late = false;
    sandbox->refilled_ns = now_ns(CLOCK_MONOTONIC);
    sandbox->refilled_busy_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
    lua_sethook(thread, sandbox_count_instructions, LUA_MASKCOUNT, HOOK_INSTRUCTIONS);
}

/* Lua's load(chunk, name, mode, env) without binary chunks, which the virtual machine would trust. It
 * catches errors of a function that supplies the chunk. */
static int sandbox_load_text(lua_State *lua) {
    bool has_environment = !lua_isnone(lua, 4);

    iw_sandbox_charge(lua, lua_type(lua, 1) == LUA_TSTRING ? lua_rawlen(lua, 1) : 1);
    lua_settop(lua, 4);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_pushliteral(lua, "t");
    lua_replace(lua, 4);
    if (!has_environment)
        lua_settop(lua, 4);
    lua_call(lua, lua_gettop(lua) - 1, LUA_MULTRET);
    iw_sandbox_charge(lua, 1);
    return lua_gettop(lua);
}

/* Lua's setmetatable without __gc: the bound on instructions does not apply in finalizers. */
static int sandbox_set_metatable(lua_State *lua) {
    if (lua_istable(lua, 2)) {
        lua_pushliteral(lua, "__gc");
        if (lua_rawget(lua, 2) != LUA_TNIL)
            return luaL_error(lua, "a script has no finalizers: __gc");
        lua_pop(lua, 1);
    }
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, lua_gettop(lua) - 1, 1);
    return 1;
}

static void sandbox_open_safe(lua_State *lua) {
    static const luaL_Reg libraries[] = {{LUA_GNAME, luaopen_base}, {LUA_COLIBNAME, luaopen_coroutine},
        {LUA_TABLIBNAME, luaopen_table}, {LUA_STRLIBNAME, luaopen_string}, {LUA_MATHLIBNAME, luaopen_math},
        {LUA_UTF8LIBNAME, luaopen_utf8}};
    static const char *const unsafe[] = {"dofile", "loadfile", "collectgarbage"};

    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        luaL_requiref(lua, libraries[i].name, libraries[i].func, 1);
        lua_pop(lua, 1);
    }
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++) {
        lua_pushnil(lua);
        lua_setglobal(lua, unsafe[i]);
    }
    lua_getglobal(lua, LUA_STRLIBNAME);
    lua_pushnil(lua);
    lua_setfield(lua, -2, "dump");
    lua_pop(lua, 1);
    iw_sandbox_protect_wrap(lua, LUA_GNAME, "load", sandbox_load_text);
    iw_sandbox_protect_wrap(lua, LUA_GNAME, "setmetatable", sandbox_set_metatable);
}

/* Lua seeds math.random from the clock; a script must run identically every time. */
static void sandbox_set_seed(lua_State *lua) {
    uint64_t seed = iw_sandbox_of(lua)->config.seed;

    lua_getglobal(lua, LUA_MATHLIBNAME);
    lua_getfield(lua, -1, "randomseed");
    lua_pushinteger(lua, seed != 0 ? (lua_Integer)seed : 1);
    lua_call(lua, 1, 0);
}

static int sandbox_open_libraries(lua_State *lua) {
    if (iw_sandbox_of(lua)->config.trust)
        luaL_openlibs(lua);
    else
        sandbox_open_safe(lua);
    iw_sandbox_string_open(lua);
    iw_sandbox_protect_open(lua);
    sandbox_set_seed(lua);
    return 0;
}

bool iw_sandbox_call(lua_State *lua, lua_CFunction function, const void *data) {
    if (!lua_checkstack(lua, LUA_MINSTACK))
        return false;
    lua_pushcfunction(lua, function);
    lua_pushlightuserdata(lua, (void *)(uintptr_t)data);
    if (lua_pcall(lua, 1, 0, 0) == LUA_OK)
        return true;
    lua_pop(lua, 1);
    return false;
}

/* Lua aborts if it runs out of memory outside a protected call, and its state is then unusable. The program
 * exits here; earlier reports are complete. */
static int sandbox_panic(lua_State *lua) {
    const char *message = lua_tostring(lua, -1);

    fflush(stdout);
    fprintf(stderr, "warpcheck: %s\n", message != NULL ? message : "out of memory");
    exit(IW_EXIT_ENVIRONMENT);
}

enum iw_status iw_sandbox_init(struct iw_sandbox *sandbox, const struct iw_sandbox_config *config) {
    *sandbox = (struct iw_sandbox){.config = *config};
    if (sandbox->config.memory_octets == 0)
        sandbox->config.memory_octets = (size_t)256 << 20;
    if (sandbox->config.instructions == 0)
        sandbox->config.instructions = 100000000;
    if (sandbox->config.busy_ms == 0)
        sandbox->config.busy_ms = 100000;
    sandbox->lua = lua_newstate(sandbox_allocate, sandbox);
    if (sandbox->lua == NULL)
        return IW_ERR_NOMEM;
    lua_atpanic(sandbox->lua, sandbox_panic);
    memcpy(lua_getextraspace(sandbox->lua), &sandbox, sizeof sandbox);
    iw_sandbox_refill(sandbox, sandbox->lua);
    if (!iw_sandbox_call(sandbox->lua, sandbox_open_libraries, NULL)) {
        iw_sandbox_dispose(sandbox);
        return IW_ERR_NOMEM;
    }
    return IW_OK;
}

void iw_sandbox_dispose(struct iw_sandbox *sandbox) {
    if (sandbox->lua != NULL)
        lua_close(sandbox->lua);
    sandbox->lua = NULL;
}

/* Restores a long script name that Lua shortened in its message. */
static void sandbox_restore_name(lua_State *lua, const char *name, char *error, size_t capacity) {
    const char *message = lua_tostring(lua, -1);
    char shown[LUA_IDSIZE] = "";
    lua_Debug activation;

    if (message == NULL)
        message = "not a text";
    lua_pushfstring(lua, "@%s", name);
    if (luaL_loadbuffer(lua, "", 0, lua_tostring(lua, -1)) == LUA_OK && lua_getinfo(lua, ">S", &activation))
        snprintf(shown, sizeof shown, "%s", activation.short_src);
    size_t length = strlen(shown);
    if (length > 0 && strncmp(message, shown, length) == 0)
        snprintf(error, capacity, "%s%s", name, message + length);
    else
        snprintf(error, capacity, "%s: %s", name, message);
    for (char *c = error; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F)
            *c = ' ';
}

enum iw_status iw_sandbox_load_text(struct iw_sandbox *sandbox, const char *text, size_t length,
    const char *name, char *error, size_t capacity) {
    lua_State *lua = sandbox->lua;
    int top = lua_gettop(lua);
    char chunk_name[4096];

    snprintf(chunk_name, sizeof chunk_name, "@%s", name);
    int outcome = luaL_loadbufferx(lua, text, length, chunk_name, "t");
    if (outcome == LUA_OK)
        return IW_OK;
    if (outcome == LUA_ERRMEM)
        snprintf(error, capacity, "%s: out of memory", name);
    else
        sandbox_restore_name(lua, name, error, capacity);
    lua_settop(lua, top);
    return outcome == LUA_ERRMEM ? IW_ERR_NOMEM : IW_ERR_FORMAT;
}

static char *sandbox_read_script_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");

    if (file == NULL)
        return NULL;
    char *text = malloc(SCRIPT_MAX);
    int reason = ENOMEM;
    *length = text == NULL ? 0 : fread(text, 1, SCRIPT_MAX, file);
    if (*length == SCRIPT_MAX || ferror(file)) {
        reason = ferror(file) ? errno : EFBIG;
        free(text);
        text = NULL;
    }
    fclose(file);
    errno = reason;
    return text;
}

/* Offset of the Lua text: after a byte order mark and a first line with "#", whose newline is kept. */
static size_t sandbox_begin_of_lua(const char *text, size_t length) {
    size_t at = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

    if (at < length && text[at] == '#')
        while (at < length && text[at] != '\n')
            at++;
    return at;
}

enum iw_status iw_sandbox_load(struct iw_sandbox *sandbox, const char *path, char *error, size_t capacity) {
    size_t length;
    char *text = sandbox_read_script_file(path, &length);

    if (text == NULL) {
        snprintf(error, capacity, "%s: %s", path, strerror(errno));
        return errno == ENOMEM ? IW_ERR_NOMEM : IW_ERR_IO;
    }
    size_t begin = sandbox_begin_of_lua(text, length);
    enum iw_status status =
        iw_sandbox_load_text(sandbox, text + begin, length - begin, path, error, capacity);
    if (status == IW_ERR_FORMAT && memchr(text, '\0', length) != NULL)
        snprintf(error, capacity, "%s: not a Lua script", path);
    free(text);
    return status;
}
