#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

#include "iw_status.h"

/* A Lua state for untrusted scripts: no files, processes, modules or binary chunks; bounds on memory and on
 * computation between two waits. */

struct iw_sandbox_config {
    size_t memory_octets;  /* memory limit of the state; 0: 256 MiB */
    uint64_t instructions; /* Lua instructions and library steps per refill; 0: 100 million */
    uint64_t busy_ms;      /* processor time per refill, as one step may compare all memory; 0: 100,000 */
    uint64_t seed;         /* of math.random; 0: 1 */
    bool trust;            /* loads all Lua libraries (warpcheck --trust); the bounds stay */
};

struct iw_sandbox {
    lua_State *lua;
    struct iw_sandbox_config config;
    size_t held;                            /* octets allocated */
    uint64_t left;                          /* remaining instructions and steps */
    bool late;                              /* busy_ms used up */
    uint64_t refilled_ns, refilled_busy_ns; /* of the last refill: clock, processor time of the thread */
    void *user;                             /* for the module that runs scripts in it */
};

/* Returns IW_ERR_NOMEM if memory runs out. The sandbox must keep its address afterwards. */
enum iw_status iw_sandbox_init(struct iw_sandbox *sandbox, const struct iw_sandbox_config *config);
void iw_sandbox_dispose(struct iw_sandbox *sandbox);

/* Calls `function` with the light userdata `data`. Returns false if it raises an error or memory runs out. */
bool iw_sandbox_call(lua_State *lua, lua_CFunction function, const void *data);

/* The sandbox of a state or of any of its coroutines. */
struct iw_sandbox *iw_sandbox_of(lua_State *lua);

/* Restores the full number of steps, before `thread` is resumed. */
void iw_sandbox_refill(struct iw_sandbox *sandbox, lua_State *thread);

/* Uses up steps for the work of a library function, such as comparisons or octets. If no step remains, does
 * not return: a coroutine that can yield does so, which no pcall catches, and must not be resumed. Otherwise
 * raises an error, and a further error at each later instruction. */
void iw_sandbox_charge(lua_State *lua, uint64_t steps);

/* Whether the steps are used up: a task that yielded without a wait must end with iw_sandbox_spent_text. */
bool iw_sandbox_spent(const struct iw_sandbox *sandbox);
enum { IW_SANDBOX_SPENT_OCTETS = 96 };
void iw_sandbox_spent_text(const struct iw_sandbox *sandbox, char text[IW_SANDBOX_SPENT_OCTETS]);

/* Loads the script `path` and pushes its main chunk as a function. On failure pushes nothing and writes one
 * line without newline to `error`: "PATH:LINE: problem" or "PATH: problem". Returns IW_OK, IW_ERR_FORMAT (not
 * Lua), IW_ERR_IO (unreadable) or IW_ERR_NOMEM. */
enum iw_status iw_sandbox_load(struct iw_sandbox *sandbox, const char *path, char *error, size_t capacity);

/* As iw_sandbox_load, for a script in memory, which is called `name` in errors. */
enum iw_status iw_sandbox_load_text(struct iw_sandbox *sandbox, const char *text, size_t length,
    const char *name, char *error, size_t capacity);

/* Replaces Lua's functions that catch errors or make coroutines: the replacements use up steps
 * (iw_sandbox_charge), and do not let a script go on after the end of the steps. */
void iw_sandbox_protect_open(lua_State *lua);

/* Replaces a function of a library by `wrapper`, whose upvalue is the original. */
void iw_sandbox_protect_wrap(lua_State *lua, const char *library, const char *name, lua_CFunction wrapper);

/* Replaces functions of Lua's library that may run very long within one instruction: string.find, match,
 * gmatch, gsub and rep, and some of table and utf8. The replacements do the same and use up steps. */
void iw_sandbox_string_open(lua_State *lua);
