#pragma once

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

/* The state of the device under test, and the functions that the iw_dut_*.c files share. */

enum {
    IW_DUT_STARTS_MAX = 8,
    IW_DUT_ANSWER_US = 10 * 1000000, /* timeout for answers of a foreign agent that is silent */
};

/* A command that makes a foreign device connect, and the listener that waits for it. */
struct iw_dut_start {
    struct iw_command *command;
    struct iw_lua_listener *listener;
    struct iw_loop *loop;
    struct iw_timer grace;                 /* from the end of the command until `listener` gives up */
    const char *name;                      /* the command as the user has given it */
    bool missing;                          /* the command cannot be run */
    char end[IW_COMMAND_TEXT_OCTETS + 64]; /* how the command has ended */
};

/* The embedded peer: either `agent`, or `reference` and `rping`. */
struct iw_dut_embedded {
    struct iw_agent *agent;
    struct iw_reference *reference;
    struct iw_rping *rping;
    struct iw_defect_device defect;
    char host[IW_NETWORK_ADDRESS_OCTETS];     /* where it listens */
    char own_host[IW_NETWORK_ADDRESS_OCTETS]; /* where the suite listens for it */
    uint64_t requests;                        /* number of requests to `agent`; gives their ids */
};

struct iw_dut_connect_commands {
    struct iw_dut_start list[IW_DUT_STARTS_MAX];
    size_t count;
};

struct iw_dut_requests {
    json_t *settings; /* fields of all `configure` requests */
    json_t *asked;    /* requests that the foreign agent has not answered, by id */
    json_t *making;   /* the request, answer or event in use; owned here, because a Lua error would leak it */
    json_t *answers;  /* answers that no task has taken yet, by id */
    struct iw_waitable answered;
};

struct iw_dut_events {
    json_t *queue; /* events that the case has not asked for yet, oldest first */
    size_t octets; /* approximate memory of `queue` */
    struct iw_waitable arrivals;
};

/* The userdata of the Lua object. It holds a pointer to the device; NULL once the device is freed. */
struct iw_dut_value {
    lua_State *lua;
    struct iw_dut **handle; /* content of the userdata */
    int reference;          /* registry reference to the userdata */
};

struct iw_dut {
    struct iw_dut_config config;
    struct iw_dut_embedded embedded;
    struct iw_agent_client *client; /* of a foreign device with an agent */
    struct iw_timer hello_timer;    /* for the foreign agent's hello */
    json_t *hello;                  /* the foreign agent's answer to it, or NULL */
    struct iw_dut_names names;
    bool ready;
    char failure[256];             /* why the agent failed; "": it has not failed */
    uint16_t port;                 /* where the device listens for TCP connections */
    struct iw_sctp_where sctp;     /* where the device accepts associations; host NULL: unknown */
    struct iw_sctp_where own_sctp; /* address of the last dut:accept_association; port 0: none yet */
    char own_sctp_host[256];       /* host to which the device connects in that association */
    struct iw_dut_connect_commands starts;
    struct iw_dut_requests requests;
    struct iw_dut_events events;
    struct iw_dut_value value;
};

/* Makes sockets that are opened until iw_dut_leave those of the embedded peer: they are on its host of the
 * network. Without a network, both have no effect. */
void iw_dut_enter(const struct iw_dut *dut);
void iw_dut_leave(const struct iw_dut *dut);

/* ---- iw_dut_request.c: requests to the agent ---- */

/* Returns the device of the running Lua method. Raises an error if the device is freed. */
struct iw_dut *iw_dut_self(lua_State *lua);
/* Like iw_dut_self, but raises an error if the device has no agent. */
struct iw_dut *iw_dut_with_agent(lua_State *lua);

/* Records that the agent is lost, wakes all waiting tasks, and calls config.failed. `why` is one line that
 * names the agent. Is also a handler of the agent client, so `dut` is void *. */
void iw_dut_lose(void *dut, const char *why);
/* Like iw_dut_lose, with the address of the agent before the text `what`. */
void iw_dut_fail(struct iw_dut *dut, const char *what);

/* Stores the answer, which it then owns, until the waiting task takes it. */
void iw_dut_store_answer(struct iw_dut *dut, uint64_t id, json_t *answer);

/* Waits for the answer to the request whose id is on top of the stack, and returns the answer, which the
 * caller then owns. `again` is called to continue after a wait, as for iw_task_wait. Raises an error if the
 * agent is lost or does not answer in time. */
json_t *iw_dut_await_answer(lua_State *lua, lua_KContext context, lua_KFunction again);

/* A kind of request to the agent. `finish` (NULL: no results) handles the answer: it pushes the results of
 * the Lua method and returns their number, like a C function of Lua. */
struct iw_dut_question {
    const char *op;
    int (*finish)(lua_State *lua, const json_t *answer);
    bool connects; /* opens a connection; for others, the error "connection" fails the case */
};

/* iw_dut_begin creates the request in dut->requests.making, for the caller to add fields. iw_dut_ask sends
 * it, waits for the answer, and returns what `finish` returns. During `finish`, the id of the request is on
 * top of the stack. An error in the answer becomes a Lua error. */
json_t *iw_dut_begin(struct iw_dut *dut, const struct iw_dut_question *question);
int iw_dut_ask(lua_State *lua, const struct iw_dut_question *question);

/* ---- iw_dut_field.c: fields of requests, answers and events ---- */

void iw_dut_set_integer(json_t *request, const char *field, lua_Integer value);
void iw_dut_set_text(json_t *request, const char *field, const char *text);

/* Push the value of the field onto the Lua stack: octets as a string, a 64-bit number, or an integer. If the
 * value is missing or has a wrong type, raise an error of the environment. */
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

/* Queues an event, which it then owns, until the case asks for it; drops it if the agent is lost. If the
 * queue is full, calls iw_dut_fail. Is a handler of the agent, so `dut` is void *. */
void iw_dut_queue(void *dut, json_t *event);

/* What iw_dut_await waits for. `finish` pushes the results of the Lua method and returns their number. */
struct iw_dut_wait {
    const char *event;
    const char *missed; /* message if the event does not arrive */
    const char *expected;
    int (*finish)(lua_State *lua, const json_t *event);
};

/* Raises an error if the agent cannot report the event that `wait` describes. Yields until it arrives, and
 * removes it from the queue, or until the `timeout` option expires; the options are at index 2. Returns what
 * wait->finish pushes. */
int iw_dut_await(lua_State *lua, const struct iw_dut_wait *wait);

/* ---- iw_dut_option.c: the options of a method, a table at index 2 of the stack ---- */

enum iw_dut_option_type {
    IW_DUT_OPTION_OTHER, /* not converted: the method reads the option itself */
    IW_DUT_OPTION_INTEGER,
    IW_DUT_OPTION_WIDE, /* 64 bits, as 0x and hexadecimal digits */
    IW_DUT_OPTION_FLAG,
    IW_DUT_OPTION_TEXT,
    IW_DUT_OPTION_OCTETS,
    IW_DUT_OPTION_LIST,   /* list of strings */
    IW_DUT_OPTION_RIGHTS, /* letters of IW_RIGHT_LETTERS */
};

struct iw_dut_option {
    const char *name; /* NULL after the last */
    enum iw_dut_option_type type;
    const char *field; /* name of the field in the request; NULL: `name` */
};

/* Raises an error for a name that is not in `options`. Replaces nil by an empty table. */
void iw_dut_option_check(lua_State *lua, const char *method, const struct iw_dut_option *options);

/* Like iw_dut_option_check; also adds each given option to the request as a field, except those of type
 * OTHER. Raises an error for an invalid value. */
void iw_dut_option_take(
    lua_State *lua, const char *method, const struct iw_dut_option *options, json_t *request);

/* ---- iw_dut_method.c: methods that send one request ---- */

/* A Lua method that sends one request to the agent: the fields are the options of the method. */
struct iw_dut_method {
    const char *name; /* NULL after the last */
    struct iw_dut_question question;
    void (*add)(lua_State *lua, json_t *request); /* adds more fields to the request; NULL: none */
    struct iw_dut_option options[14];
};

extern const struct iw_dut_method iw_dut_methods[];

/* The C function of all iw_dut_methods. Upvalues: userdata of the device, struct iw_dut_method *. */
int iw_dut_request(lua_State *lua);

/* ---- iw_dut_connection.c, iw_dut_accept.c: connections ---- */

/* Terminates the commands of --initiator that were started. */
void iw_dut_stop_commands(struct iw_dut *dut);

/* Pushes the Lua field dut.sctp: a table with the SCTP address of the device, or nil. */
void iw_dut_push_sctp(lua_State *lua, const struct iw_dut *dut);

/* Like iw_dut_self, but raises an error if the SCTP address of the device is unknown. */
struct iw_dut *iw_dut_with_sctp(lua_State *lua);

/* Prepares a call of the global Lua function `function`: pushes the function at index 3, and at index 4 a
 * table as its argument. The table is a copy of the table at index 2, or empty if that is nil. */
void iw_dut_push_call(lua_State *lua, const char *function);

/* Continuation for lua_callk: returns the value on top of the stack. Methods are C functions, because a
 * script error names the line of the innermost Lua function: so it is a line of the case. */
int iw_dut_return(lua_State *lua, int status, lua_KContext context);

/* All other methods, one table for each source file. Upvalue 1 is the userdata of the device. */
extern const luaL_Reg iw_dut_connection_methods[];
extern const luaL_Reg iw_dut_accept_methods[];
extern const luaL_Reg iw_dut_memory_methods[];
extern const luaL_Reg iw_dut_event_methods[];
