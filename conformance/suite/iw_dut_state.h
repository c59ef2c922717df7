#ifndef IW_DUT_STATE_H
#define IW_DUT_STATE_H

#include <lauxlib.h>

#include <jansson.h>

#include "iw_agent.h"
#include "iw_agent_client.h"
#include "iw_command.h"
#include "iw_dut.h"
#include "iw_lua_member.h"
#include "iw_lua_open.h"
#include "iw_rping.h"
#include "iw_task.h"

/* State shared by the modules of the device. */

enum {
    IW_DUT_STARTS_MAX = 8,
    IW_DUT_ANSWER_US = 10 * 1000000, /* timeout for answers of a foreign agent */
};

/* A command that makes a foreign device connect, and the listener that waits for it. */
struct iw_dut_start {
    struct iw_command *command;
    struct iw_lua_listener *listener;
    struct iw_loop *loop;
    struct iw_timer grace; /* runs after the end of the command, while the connection may still arrive */
    char end[IW_COMMAND_TEXT_OCTETS + 64];
};

/* The embedded peer: with its agent, or as rping. */
struct iw_dut_embedded {
    struct iw_agent *agent;
    struct iw_reference *reference;
    struct iw_rping *rping;
    char loopback[16]; /* address on which both sides of a connection listen */
    uint64_t requests; /* number of requests to the agent */
};

struct iw_dut_connect_commands {
    struct iw_dut_start list[IW_DUT_STARTS_MAX];
    size_t count;
};

struct iw_dut_requests {
    json_t *settings; /* fields of all `configure` requests */
    json_t *asked;    /* unanswered requests, by id */
    json_t *making;   /* request, answer or event in use, owned here so that a Lua error does not leak it */
    json_t *answers;  /* answers by id, until the waiting task takes them */
    struct iw_waitable answered;
};

struct iw_dut_events {
    json_t *queue; /* not yet asked for by the case, oldest first */
    size_t octets; /* approximate memory that these events use */
    struct iw_waitable arrivals;
};

/* The Lua object. */
struct iw_dut_value {
    lua_State *lua;
    struct iw_dut **handle; /* the userdata */
    int reference;          /* registry reference to the userdata */
};

struct iw_dut {
    struct iw_dut_config config;
    struct iw_dut_embedded embedded;
    struct iw_agent_client *client; /* of a foreign device with an agent */
    struct iw_timer hello_timer;    /* for the foreign agent's hello */
    json_t *hello;                  /* the foreign agent's answer to it, or NULL */
    char agent_name[128];           /* of the foreign agent, or "" */
    bool ready;
    char failure[256];             /* why the foreign agent is lost */
    uint16_t port;                 /* of the device's listener */
    struct iw_sctp_where sctp;     /* the device's address for associations; host NULL: unknown */
    struct iw_sctp_where own_sctp; /* this host's address in the last dut:accept_association; port 0: none */
    char own_sctp_host[256];       /* this host's address for the device */
    struct iw_dut_connect_commands starts;
    struct iw_dut_requests requests;
    struct iw_dut_events events;
    struct iw_dut_value value;
};

/* iw_dut_request.c: used by all other files. */

/* The device of the method being called. */
struct iw_dut *iw_dut_self(lua_State *lua);
/* Like iw_dut_self; raises an error if the device has no agent. */
struct iw_dut *iw_dut_with_agent(lua_State *lua);

/* Reports that the agent is lost; `why` is one line that names the agent. A handler of the agent's client. */
void iw_dut_lose(void *dut, const char *why);
/* Like iw_dut_lose; adds the agent's address before `what`. */
void iw_dut_fail(struct iw_dut *dut, const char *what);

/* Keeps the answer to a request until the waiting task takes it. */
void iw_dut_store_answer(struct iw_dut *dut, uint64_t id, json_t *answer);

/* Waits for the answer to the request whose id is on top of the stack: `again` is the
 * caller's continuation, as for iw_task_wait. Raises an error if the agent is lost or does not answer. The
 * caller owns the answer. */
json_t *iw_dut_await_answer(lua_State *lua, lua_KContext context, lua_KFunction again);

/* How to handle the answer: like a C function of Lua, `finish` pushes the results of the method and returns
 * their number. */
struct iw_dut_question {
    const char *op;
    int (*finish)(lua_State *lua, const json_t *answer);
    bool connects; /* the request opens a connection; for other requests, a missing connection is a failure of
                      the device */
};

/* Starts a request in dut->requests.making. iw_dut_ask sends it, waits for the answer, and returns the
 * results of the method. When `finish` is called, the request's id is on top of the stack. An error that the
 * agent reports becomes a Lua error. */
json_t *iw_dut_begin(struct iw_dut *dut, const struct iw_dut_question *question);
int iw_dut_ask(lua_State *lua, const struct iw_dut_question *question);

/* iw_dut_field.c: sets fields of requests to an agent, and converts fields of answers and events to Lua
 * values. */

void iw_dut_set_integer(json_t *request, const char *field, lua_Integer value);
void iw_dut_set_text(json_t *request, const char *field, const char *text);

/* Each pushes one value. A missing value or a wrong type is an error of the agent, which is raised. */
void iw_dut_need_octets(lua_State *lua, const json_t *object, const char *field);
void iw_dut_need_wide(lua_State *lua, const json_t *object, const char *field);
void iw_dut_need_integer(lua_State *lua, const json_t *object, const char *field);

/* Whether that list of the foreign agent's hello has the name. An agent that omits the list supports all that
 * the list could name. */
bool iw_dut_lists(const struct iw_dut *dut, const char *list, const char *name);

/* Raises an error, by which the case is not tested, if the agent's hello says that the device lacks the
 * ability. */
void iw_dut_require(lua_State *lua, const char *ability);

/* iw_dut_inbox.c: events that the case has not asked for. */

/* Queues an event until the case asks for it: a handler of the agent. If the queue is full, the agent is
 * lost. */
void iw_dut_queue(void *dut, json_t *event);

/* The event that iw_dut_await waits for. `finish` pushes the results of the method. On timeout the
 * expectation fails if the agent answers a ping; otherwise the environment fails. */
struct iw_dut_wait {
    const char *event;
    const char *missed; /* text of the failure */
    const char *expected;
    int (*finish)(lua_State *lua, const json_t *event);
};

/* Raises an error if the agent cannot report the event that `wait` describes. Yields until it arrives, and
 * removes it from the queue, or until the `timeout` option expires; the options are at index 2. Returns what
 * wait->finish pushes. */
int iw_dut_await(lua_State *lua, const struct iw_dut_wait *wait);

/* iw_dut_option.c: converts options of a method, the table at index 2 of the stack, to fields of a request.
 */

enum iw_dut_option_type {
    IW_DUT_OPTION_OTHER, /* handled by the method itself */
    IW_DUT_OPTION_INTEGER,
    IW_DUT_OPTION_WIDE, /* of 64 bits */
    IW_DUT_OPTION_FLAG,
    IW_DUT_OPTION_TEXT,
    IW_DUT_OPTION_OCTETS,
    IW_DUT_OPTION_LIST,   /* of strings */
    IW_DUT_OPTION_RIGHTS, /* letters */
};

struct iw_dut_option {
    const char *name; /* NULL after the last */
    enum iw_dut_option_type type;
    const char *field; /* of the request; NULL: same as the option */
};

/* Creates an empty table if the script gives no table. Raises an error for a name that is not in `options`.
 */
void iw_dut_option_check(lua_State *lua, const char *method, const struct iw_dut_option *options);

/* Like iw_dut_option_check; also sets the request's field for each given option. Raises an error for an
 * invalid value. */
void iw_dut_option_take(
    lua_State *lua, const char *method, const struct iw_dut_option *options, json_t *request);

/* iw_dut_method.c */

/* A method that sends one request, made of its options. */
struct iw_dut_method {
    const char *name; /* NULL after the last */
    struct iw_dut_question question;
    void (*add)(lua_State *lua, json_t *request); /* adds further fields to the request; NULL: none */
    struct iw_dut_option options[14];
};

extern const struct iw_dut_method iw_dut_methods[];

/* The C function of every struct iw_dut_method. Its upvalues are the handle of the device and a light
 * userdata of the method. */
int iw_dut_request(lua_State *lua);

/* iw_dut_accept.c, iw_dut_connection.c */

/* Pushes dut.sctp. */
void iw_dut_push_sctp(lua_State *lua, const struct iw_dut *dut);

/* The device of the method being called; raises an error if its SCTP address is unknown. */
struct iw_dut *iw_dut_with_sctp(lua_State *lua);

/* Pushes the global function, to index 3, and a copy of the table at index 2 as its argument, or an empty
 * table. */
void iw_dut_push_call(lua_State *lua, const char *function);

/* Continuation that returns the result of the called function. Methods are in C, because a script error
 * reports the line of the innermost Lua function, which must be that of the case. */
int iw_dut_return(lua_State *lua, int status, lua_KContext context);

/* The methods that are not a struct iw_dut_method, by source file. The upvalue of each is the handle of the
 * device. */
extern const luaL_Reg iw_dut_connection_methods[];
extern const luaL_Reg iw_dut_accept_methods[];
extern const luaL_Reg iw_dut_memory_methods[];
extern const luaL_Reg iw_dut_event_methods[];

#endif
