#ifndef IW_DUT_STATE_H
#define IW_DUT_STATE_H

#include <lauxlib.h>

#include <jansson.h>

#include "iw_agent.h"
#include "iw_agent_client.h"
#include "iw_command.h"
#include "iw_dut.h"
#include "iw_lua_open.h"
#include "iw_rping.h"
#include "iw_task.h"

/* What the parts of the device share. */

enum {
    IW_DUT_STARTS_MAX = 8,
    IW_DUT_ANSWER_US = 10 * 1000000, /* for a foreign agent to answer a request */
};

/* A command that makes a foreign device connect, and the listener that waits for it. */
struct iw_dut_start {
    struct iw_command *command;
    struct iw_lua_listener *listener;
    struct iw_loop *loop;
    struct iw_timer aftermath; /* the command has ended; the connection may still come */
    char end[IW_COMMAND_TEXT_OCTETS + 64];
};

struct iw_dut {
    struct iw_dut_config config;
    struct iw_agent *agent;         /* of the embedded reference */
    struct iw_agent_client *client; /* or of a foreign device */
    struct iw_reference *reference; /* or the embedded reference as rping */
    struct iw_rping *rping;
    struct iw_dut_start starts[IW_DUT_STARTS_MAX];
    size_t start_count;
    struct iw_timer patience; /* for the foreign one's hello */
    bool ready;
    char loopback[16];             /* of the embedded reference: where both ends of a connection listen */
    char agent_name[128];          /* of the foreign one, or "" */
    uint16_t port;                 /* of the device's listener */
    struct iw_sctp_where sctp;     /* where the device takes associations; host NULL: nobody says it */
    struct iw_sctp_where own_sctp; /* where one of the device's was awaited last; port 0: none was */
    char own_sctp_host[256];       /* what the device calls this host */
    uint64_t requests;             /* to the embedded agent */
    json_t *settings;              /* what its ULP was told to set, by requests `configure`; NULL: nothing */
    json_t *asked;                 /* requests without an answer, by id */
    json_t *making;                /* the request that is being made: an error of Lua may leave it there */
    json_t *answers;               /* by id, until the task that asked has taken it */
    json_t *events;                /* that nobody has asked for, the oldest first */
    size_t event_octets;           /* what they take in memory, about */
    struct iw_waitable answered, arrivals;
    char failure[256]; /* the foreign agent is gone */
    lua_State *lua;
    struct iw_dut **handle; /* what Lua holds */
    int reference_of_handle;
};

/* For methods: the device that they are of. */
struct iw_dut *iw_dut_self(lua_State *lua);
/* The same if it has an agent; raises an error otherwise. */
struct iw_dut *iw_dut_told(lua_State *lua);

/* Nothing can be had from the agent any more, and here is why: one line. */
void iw_dut_lose(struct iw_dut *dut, const char *what);

/* Takes what the device tells, until the case asks for it. A device that tells more than that is lost. */
void iw_dut_keep(struct iw_dut *dut, json_t *event);

/* Takes the answer of that id out of them: NULL if it is not there. */
json_t *iw_dut_take_from(json_t *answers, lua_Integer id);

/* What to do with the answer: the results of the method, as of a C function. */
struct iw_dut_question {
    const char *op;
    int (*finish)(lua_State *lua, const json_t *answer);
    bool connects; /* without a connection the circumstances are wrong, otherwise the device */
};

/* Begins a request, which dut->making is then; iw_dut_ask sends it, waits for the answer, and returns what
 * the method has to return. The stack is as it was, one value higher, when `finish` is called. An error of
 * the agent's is raised. */
json_t *iw_dut_begin(struct iw_dut *dut, const struct iw_dut_question *question);
int iw_dut_ask(lua_State *lua, const struct iw_dut_question *question);

/* Waits for the next event of that name, and takes it from the list: what the method has to return, as
 * `finish` makes it. Without one in time, an expectation has failed, if the agent answers a ping then: of one
 * that does not, nothing is known. The options are at index 2. */
struct iw_dut_wait {
    const char *event;
    const char *missed; /* the failure */
    const char *expected;
    int (*finish)(lua_State *lua, const json_t *event);
};

int iw_dut_await(lua_State *lua, const struct iw_dut_wait *wait);

/* The address to listen at for what the device opens, NULL for any, and in `told` the one that it is to
 * connect to. */
const char *iw_dut_own_address(const struct iw_dut *dut, char told[256]);

/* Pushes dut.sctp. */
void iw_dut_push_sctp(lua_State *lua, const struct iw_dut *dut);

/* The methods, by the files that they stand in. The handle is the upvalue of each. */
extern const luaL_Reg iw_dut_connection_methods[];
extern const luaL_Reg iw_dut_accept_methods[];
extern const luaL_Reg iw_dut_association_methods[];
extern const luaL_Reg iw_dut_memory_methods[];
extern const luaL_Reg iw_dut_post_methods[];
extern const luaL_Reg iw_dut_event_methods[];

#endif
