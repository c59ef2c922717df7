#include "iw_dut_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_lua_failure.h"
#include "iw_show.h"

enum {
    HELLO_US = 5 * 1000000,
    PENDING = 8,     /* maximum number of unanswered Initiates at the embedded peer (SCTP) */
    CLOSE_MS = 5000, /* how long the embedded peer waits for the suite's FIN, without a slow network */
};

static void dut_agent_event(void *user, const json_t *event) {
    iw_dut_queue(user, json_incref((json_t *)event));
}

static void dut_agent_answer(void *user, uint64_t id, const json_t *answer) {
    struct iw_dut *dut = user;

    iw_dut_store_answer(dut, id, json_incref((json_t *)answer));
    iw_waitable_wake(&dut->requests.answered);
}

static bool dut_is_port(json_int_t port) {
    return port > 0 && port <= UINT16_MAX;
}

/* Stores the SCTP address in the agent's hello, if any. `sctp` is NULL if the hello has none. */
static void dut_read_sctp(struct iw_dut *dut, const json_t *sctp) {
    json_int_t port = json_integer_value(json_object_get(sctp, "port"));
    json_int_t tunnel = json_integer_value(json_object_get(sctp, "tunnel"));

    if (dut_is_port(port))
        dut->sctp = (struct iw_sctp_where){.host = dut->config.target.host,
            .port = (uint16_t)port,
            .tunnelled = dut_is_port(tunnel),
            .tunnel = dut_is_port(tunnel) ? (uint16_t)tunnel : 0};
}

static void dut_read_names(struct iw_dut_names *names, const json_t *hello) {
    const struct {
        const char *field;
        char *name;
    } rows[] = {{"agent", names->agent}, {"device", names->device}, {"firmware", names->firmware},
        {"serial", names->serial}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *text = json_string_value(json_object_get(hello, rows[i].field));

        iw_show_line(rows[i].name, sizeof names->agent, text ? text : "");
    }
}

static void dut_agent_hello(void *user, const json_t *hello) {
    struct iw_dut *dut = user;
    json_int_t port = json_integer_value(json_object_get(hello, "port"));

    iw_timer_stop(&dut->hello_timer);
    dut->ready = true;
    dut->hello = json_incref((json_t *)hello);
    dut_read_names(&dut->names, hello);
    if (dut_is_port(port))
        dut->port = (uint16_t)port;
    dut_read_sctp(dut, json_object_get(hello, "sctp"));
    if (dut->port == 0) {
        iw_dut_fail(dut, "names no port of the device; --peer HOST:PORT does");
        return;
    }
    dut->config.ready(dut->config.user);
}

static void dut_hello_timed_out(void *user) {
    iw_dut_fail(user, "no answer");
}

void iw_dut_enter(const struct iw_dut *dut) {
    iw_network_enter(dut->config.target.network, IW_NETWORK_B);
}

void iw_dut_leave(const struct iw_dut *dut) {
    iw_network_enter(dut->config.target.network, IW_NETWORK_A);
}

/* Chooses random addresses for each case. With one address for all, each case would be slower: the kernel
 * searches all ports that the address has used in the last minute. */
static void dut_choose_addresses(struct iw_dut *dut) {
    uint32_t chance = iw_loop_kind(dut->config.loop) == IW_LOOP_REAL ? arc4random() : 0;
    struct iw_dut_embedded *embedded = &dut->embedded;

    if (dut->config.target.network) {
        iw_network_address(IW_NETWORK_A, chance, embedded->own_host);
        iw_network_address(IW_NETWORK_B, chance, embedded->host);
        return;
    }
    snprintf(embedded->host, sizeof embedded->host, "127.%u.%u.%u", chance >> 16 & 0x7F, chance >> 8 & 0x7F,
        1 + (chance & 0x7F));
    memcpy(embedded->own_host, embedded->host, sizeof embedded->own_host);
}

static void dut_configure_endpoint(struct iw_dut *dut, struct iw_endpoint_config *endpoint) {
    *endpoint = iw_agent_defaults();
    if (dut->config.profile)
        iw_profile_configure(dut->config.profile, endpoint);
    endpoint->timeouts.startup_ms += dut->config.network_ms;
    if (dut->config.network_ms > 0)
        endpoint->timeouts.close_ms = CLOSE_MS + dut->config.network_ms;
    iw_defect_configure(dut->config.target.defect, &dut->embedded.defect, endpoint);
}

static bool dut_start_rping(struct iw_dut *dut, char *text) {
    const struct iw_rping_config rping = {
        .client = dut->config.initiator, .octets = dut->config.target.rping_octets, .pings = 1};
    struct iw_reference_config config = {
        .loop = dut->config.loop, .host = dut->embedded.host, .event = iw_rping_take};

    dut_configure_endpoint(dut, &config.endpoint);
    iw_rping_configure(&config.endpoint);
    config.user = dut->embedded.rping = iw_rping_new(&rping);
    dut->embedded.reference = dut->embedded.rping ? iw_reference_new(&config, text) : NULL;
    if (!dut->embedded.reference)
        return false;
    dut->port = iw_reference_port(dut->embedded.reference);
    return true;
}

static bool dut_start_embedded(struct iw_dut *dut, char *text) {
    const struct iw_profile *profile = dut->config.profile;
    struct iw_agent_config config = {.loop = dut->config.loop,
        .host = dut->embedded.host,
        .stack = profile && !profile->sctp ? NULL : dut->config.stack,
        .tunnelled = true, /* SCTP in UDP needs no privileges */
        .association = {.pending = PENDING},
        .event = iw_dut_queue,
        .user = dut};

    dut_configure_endpoint(dut, &config.endpoint);
    iw_defect_configure_association(dut->config.target.defect, &config.association);
    dut->embedded.agent = iw_agent_new(&config, text);
    if (!dut->embedded.agent)
        return false;
    dut->port = iw_agent_port(dut->embedded.agent);
    dut->sctp = iw_agent_sctp(dut->embedded.agent);
    return true;
}

static bool dut_connect_agent(struct iw_dut *dut, char *text) {
    struct iw_agent_client_config config = {.loop = dut->config.loop,
        .host = dut->config.target.agent->host,
        .port = dut->config.target.agent->port,
        .token = dut->config.target.agent->token,
        .tls = dut->config.target.agent->tls,
        .handlers = {dut_agent_hello, dut_agent_answer, dut_agent_event, iw_dut_lose},
        .user = dut};
    char why[IW_PORT_TEXT_OCTETS];

    dut->client = iw_agent_client_new(&config, why);
    if (!dut->client && why[0])
        snprintf(text, IW_PORT_TEXT_OCTETS, "agent %.140s", why);
    if (dut->client)
        iw_timer_start(&dut->hello_timer, dut->config.loop, HELLO_US, dut_hello_timed_out, dut);
    return dut->client != NULL;
}

static bool dut_start(struct iw_dut *dut, char *text) {
    dut->requests.answers = json_object();
    dut->requests.settings = json_object();
    dut->requests.asked = json_object();
    dut->events.queue = json_array();
    if (!dut->requests.answers || !dut->events.queue || !dut->requests.settings || !dut->requests.asked)
        return false;
    if (!dut->config.target.host) {
        dut_choose_addresses(dut);
        dut->config.target.host = dut->embedded.host;
        iw_dut_enter(dut);
        dut->ready = dut->config.rping ? dut_start_rping(dut, text) : dut_start_embedded(dut, text);
        iw_dut_leave(dut);
        return dut->ready;
    }
    dut->port = dut->config.target.port;
    dut->sctp = dut->config.target.sctp;
    dut->ready = !dut->config.target.agent || dut->config.rping;
    return dut->ready || dut_connect_agent(dut, text);
}

struct iw_dut *iw_dut_new(const struct iw_dut_config *config, char *text) {
    struct iw_dut *dut = calloc(1, sizeof *dut);

    strcpy(text, "not enough memory"); /* default reason; dut_start may replace it */
    if (!dut)
        return NULL;
    dut->config = *config;
    if (config->target.rping_octets == 0)
        dut->config.target.rping_octets = config->target.host ? IW_RPING_SIZE : IW_RPING_SIZE_SEGMENTS;
    dut->events.arrivals.what = "the device to report an event";
    dut->requests.answered.what = "the agent to answer";
    if (dut_start(dut, text))
        return dut;
    iw_dut_free(dut);
    return NULL;
}

void iw_dut_free(struct iw_dut *dut) {
    if (!dut)
        return;
    if (dut->value.handle) {
        *dut->value.handle = NULL;
        luaL_unref(dut->value.lua, LUA_REGISTRYINDEX, dut->value.reference);
    }
    iw_timer_stop(&dut->hello_timer);
    iw_dut_stop_commands(dut);
    iw_agent_free(dut->embedded.agent);
    iw_reference_free(dut->embedded.reference);
    iw_rping_free(dut->embedded.rping);
    iw_agent_client_free(dut->client);
    json_decref(dut->requests.making);
    json_decref(dut->requests.settings);
    json_decref(dut->requests.asked);
    json_decref(dut->requests.answers);
    json_decref(dut->events.queue);
    json_decref(dut->hello);
    free(dut);
}

bool iw_dut_ready(const struct iw_dut *dut) {
    return dut->ready;
}

bool iw_dut_is_lost(const struct iw_dut *dut) {
    return dut->failure[0] != '\0';
}

const char *iw_dut_unconnected(const struct iw_dut *dut) {
    json_t *event;
    size_t i;

    json_array_foreach(dut->events.queue, i, event) {
        const char *name = json_string_value(json_object_get(event, "event"));
        const char *how = json_string_value(json_object_get(event, "how"));

        if (name && how && strcmp(name, "closed") == 0 && strcmp(how, "failed") == 0)
            return json_string_value(json_object_get(event, "text"));
    }
    return NULL;
}

const json_t *iw_dut_settings(const struct iw_dut *dut) {
    return dut->requests.settings;
}

const struct iw_dut_names *iw_dut_names(const struct iw_dut *dut) {
    return &dut->names;
}

/* A limit of the device, by its profile or its agent's hello, whichever is lower. */
static uint64_t dut_limit(const struct iw_dut *dut, const char *name, uint64_t claimed) {
    const json_t *limit = json_object_get(json_object_get(dut->hello, "limits"), name);
    json_int_t told = json_integer_value(limit);

    return json_is_integer(limit) && told >= 0 && (uint64_t)told < claimed ? (uint64_t)told : claimed;
}

static void dut_push_profile(lua_State *lua, const struct iw_dut *dut) {
    const struct iw_profile profile = dut->config.profile ? *dut->config.profile : iw_profile_default();

    lua_createtable(lua, 0, 3);
    iw_lua_member_set_integer(lua, "ird", profile.ird);
    iw_lua_member_set_integer(lua, "ord", profile.ord);
    lua_createtable(lua, 0, 3);
    iw_lua_member_set_integer(lua, "region", dut_limit(dut, "region", profile.limits.region));
    iw_lua_member_set_integer(lua, "message", profile.limits.message);
    iw_lua_member_set_integer(
        lua, "private_data", dut_limit(dut, "private_data", profile.limits.private_data));
    lua_setfield(lua, -2, "limits");
    iw_lua_member_set_integer(lua, "startup_timeout", profile.startup_timeout_s);
    iw_lua_member_set_integer(lua, "service_timeout", profile.service_timeout_s);
}

/* dut:not_applicable(reason): ends a case whose subject the device does not have, as only its traffic shows.
 */
static int dut_end_not_applicable(lua_State *lua) {
    return iw_lua_failure_raise(lua, IW_SCENARIO_INAPPLICABLE, luaL_checkstring(lua, 2), NULL, NULL);
}

/* dut:not_tested(reason): ends a case that this run has no means to test. */
static int dut_end_not_tested(lua_State *lua) {
    return iw_lua_failure_raise(lua, IW_SCENARIO_UNSUPPORTED, luaL_checkstring(lua, 2), NULL, NULL);
}

static const luaL_Reg dut_case_methods[] = {
    {"not_applicable", dut_end_not_applicable}, {"not_tested", dut_end_not_tested}, {NULL, NULL}};

void iw_dut_push(lua_State *lua, struct iw_dut *dut) {
    static const luaL_Reg *const methods[] = {dut_case_methods, iw_dut_connection_methods,
        iw_dut_accept_methods, iw_dut_memory_methods, iw_dut_event_methods};

    lua_newtable(lua);
    iw_lua_member_set_string(lua, "host", dut->config.target.host);
    iw_lua_member_set_integer(lua, "port", dut->port);
    iw_dut_push_sctp(lua, dut);
    lua_setfield(lua, -2, "sctp");
    dut_push_profile(lua, dut);
    lua_setfield(lua, -2, "profile");
    iw_lua_member_set_integer(lua, "rping_size", dut->config.target.rping_octets);
    iw_lua_member_set_boolean(lua, "told", dut->embedded.agent || dut->client);
    dut->value.handle = lua_newuserdatauv(lua, sizeof *dut->value.handle, 0);
    *dut->value.handle = dut;
    dut->value.lua = lua;
    dut->value.reference = luaL_ref(lua, LUA_REGISTRYINDEX);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        lua_rawgeti(lua, LUA_REGISTRYINDEX, dut->value.reference);
        luaL_setfuncs(lua, methods[i], 1);
    }
    for (const struct iw_dut_method *method = iw_dut_methods; method->name; method++) {
        lua_rawgeti(lua, LUA_REGISTRYINDEX, dut->value.reference);
        lua_pushlightuserdata(lua, (void *)method);
        lua_pushcclosure(lua, iw_dut_request, 2);
        lua_setfield(lua, -2, method->name);
    }
}
