#ifndef IW_SANDBOX_H
#define IW_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

#include "iw_status.h"

/* A Lua state in which a script can do no harm: no files, no processes, no modules, no binary chunks, a bound
 * on memory and a bound on what it computes between two waits. */

struct iw_sandbox_config {
    size_t memory_octets; /* what the state may hold at a time; 0: 256 MiB */
    uint64_t
        instructions; /* Lua instructions, and steps of its library, between two refills; 0: 100 million */
    uint64_t busy_ms; /* of the processor, for these: one may compare all that memory holds; 0: 100,000 */
    uint64_t seed;    /* of math.random; 0: 1 */
    bool trust;       /* all libraries of Lua (warpcheck --trust); the bounds stay */
};

struct iw_sandbox {
    lua_State *lua;
    struct iw_sandbox_config config;
    size_t held;                            /* octets */
    uint64_t left;                          /* instructions and steps */
    bool late;                              /* nothing is left because busy_ms are over */
    uint64_t refilled_ns, refilled_busy_ns; /* on the clock, and of the thread's processor time */
    void *user;                             /* of whoever runs scripts in it */
};

/* Returns IW_ERR_NOMEM if the state does not fit. The sandbox must not move afterwards. */
enum iw_status iw_sandbox_init(struct iw_sandbox *sandbox, const struct iw_sandbox_config *config);
void iw_sandbox_dispose(struct iw_sandbox *sandbox);

/* The sandbox of a state or of any of its coroutines. */
struct iw_sandbox *iw_sandbox_of(lua_State *lua);

/* Before `thread` is resumed: the full number of instructions is there again. */
void iw_sandbox_refill(struct iw_sandbox *sandbox, lua_State *thread);

/* A function of the library is about to do so many steps: comparisons, octets. If that is more than is left,
 * it does not return: a coroutine that can yield does, which no pcall catches, and is not to be resumed; any
 * other code gets an error, from now on for every instruction. */
void iw_sandbox_charge(lua_State *lua, uint64_t steps);

/* Nothing is left of the steps: what has yielded without a wait has to end, with this message. */
bool iw_sandbox_spent(const struct iw_sandbox *sandbox);
enum { IW_SANDBOX_SPENT_OCTETS = 96 };
void iw_sandbox_spent_text(const struct iw_sandbox *sandbox, char text[IW_SANDBOX_SPENT_OCTETS]);

/* Reads the script `path` and leaves its main chunk as a function on the stack. Otherwise leaves nothing,
 * writes one line without a newline, "PATH:LINE: what is wrong" or "PATH: what is wrong", to `error`, and
 * returns IW_ERR_FORMAT (it is no Lua), IW_ERR_IO (it cannot be read) or IW_ERR_NOMEM. */
enum iw_status iw_sandbox_load(struct iw_sandbox *sandbox, const char *path, char *error, size_t capacity);

/* The same for a script of `length` octets at `text`, called `name` in errors. */
enum iw_status iw_sandbox_load_text(struct iw_sandbox *sandbox, const char *text, size_t length,
    const char *name, char *error, size_t capacity);

#endif
