#include "iw_matrix_member.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "iw_suggest.h"

bool iw_matrix_member_error(struct iw_matrix_member *at, const char *format, ...) {
    char text[IW_MATRIX_ERROR_OCTETS / 2];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(at->error, IW_MATRIX_ERROR_OCTETS, "%.200s: %s%s%s", at->path, at->place,
        at->place[0] != '\0' ? ": " : "", text);
    return false;
}

/* ---- names and types ---- */

static bool matrix_member_is_text(const json_t *value) {
    return json_is_string(value) && json_string_length(value) > 0;
}

static bool matrix_member_is_port(const json_t *value) {
    return json_is_integer(value) && json_integer_value(value) >= 1 && json_integer_value(value) <= 65535;
}

static bool matrix_member_is_flag(const json_t *value) {
    return json_is_boolean(value);
}

static bool matrix_member_are_texts(const json_t *value) {
    const json_t *one;
    size_t i;

    json_array_foreach(value, i, one) {
        if (!matrix_member_is_text(one))
            return false;
    }
    return json_is_array(value);
}

static bool matrix_member_is_object(const json_t *value) {
    return json_is_object(value);
}

struct row {
    const char *name;
    bool (*is_right)(const json_t *value);
    const char *takes;
    bool of_peer; /* not in a kind */
};

static const struct row members[] = {
    {"name", matrix_member_is_text, "a text", true},
    {"kind", matrix_member_is_text, "the name of a kind", true},
    {"initiator", matrix_member_is_object, "an object", false},
    {"responder", matrix_member_is_object, "an object", false},
    {"address", matrix_member_is_text, "a host", false},
    {"port", matrix_member_is_port, "a number from 1 to 65535", false},
    {"own_host", matrix_member_is_text, "a host", false},
    {"profile", matrix_member_is_text, "a text", false},
    {"agent", matrix_member_is_text, "a text", false},
    {"namespace", matrix_member_is_text, "the name of a network namespace", false},
    {"ssh", matrix_member_is_text, "a destination of ssh", false},
    {"version", matrix_member_is_text, "a command", false},
    {"files", matrix_member_are_texts, "an array of files", false},
    {"exclusive", matrix_member_is_flag, "true or false", false},
};
static const struct row role_members[] = {
    {"commands", matrix_member_is_object, "an object", false},
    {"ready", matrix_member_is_text, "a regular expression", false},
    {"ends", matrix_member_is_flag, "true or false", false},
};

static bool matrix_member_unknown(
    struct iw_matrix_member *at, const char *name, const struct row *rows, size_t count, bool of_peer) {
    struct iw_suggest suggest;

    iw_suggest_init(&suggest, name);
    for (size_t i = 0; i < count; i++)
        if (of_peer || !rows[i].of_peer)
            iw_suggest_consider(&suggest, rows[i].name);
    if (suggest.name != NULL)
        return iw_matrix_member_error(
            at, "unknown member \"%.60s\" (did you mean \"%s\"?)", name, suggest.name);
    return iw_matrix_member_error(at, "unknown member \"%.60s\"", name);
}

static bool matrix_member_check_rows(
    struct iw_matrix_member *at, json_t *object, const struct row *rows, size_t count, bool of_peer) {
    const char *name;
    json_t *value;

    json_object_foreach(object, name, value) {
        const struct row *row = NULL;

        for (size_t i = 0; i < count; i++)
            if (strcmp(rows[i].name, name) == 0 && (of_peer || !rows[i].of_peer))
                row = &rows[i];
        if (row == NULL)
            return matrix_member_unknown(at, name, rows, count, of_peer);
        if (!row->is_right(value))
            return iw_matrix_member_error(at, "\"%s\" takes %s", name, row->takes);
    }
    return true;
}

static bool matrix_member_check_role(struct iw_matrix_member *at, json_t *object, enum iw_matrix_role role) {
    json_t *own = json_object_get(object, iw_matrix_role_name(role));

    if (!matrix_member_check_rows(at, own, role_members, sizeof role_members / sizeof *role_members, true))
        return false;
    for (int i = 1; i < 3; i++)
        if (role == IW_MATRIX_INITIATOR && json_object_get(own, role_members[i].name) != NULL)
            return iw_matrix_member_error(
                at, "\"%s\" is of a responder, not of an initiator", role_members[i].name);
    return true;
}

bool iw_matrix_member_check(struct iw_matrix_member *at, json_t *object, bool of_peer) {
    return matrix_member_check_rows(at, object, members, sizeof members / sizeof *members, of_peer) &&
           matrix_member_check_role(at, object, IW_MATRIX_INITIATOR) &&
           matrix_member_check_role(at, object, IW_MATRIX_RESPONDER);
}

/* ---- commands ---- */

static bool matrix_member_unknown_scenario(struct iw_matrix_member *at, const char *name) {
    struct iw_suggest suggest;

    iw_suggest_init(&suggest, name);
    for (size_t i = 0; i < IW_MATRIX_SCENARIOS; i++)
        iw_suggest_consider(&suggest, iw_matrix_scenarios[i].name);
    return iw_matrix_member_error(at, "unknown scenario \"%.60s\"%s%s%s", name,
        suggest.name != NULL ? " (did you mean \"" : " (see warpcheck list scenarios)",
        suggest.name != NULL ? suggest.name : "", suggest.name != NULL ? "\"?)" : "");
}

static bool matrix_member_check_command(struct iw_matrix_member *at, const struct iw_matrix_peer *peer,
    enum iw_matrix_role role, const char *scenario, const json_t *value) {
    const struct iw_matrix_value values[] = {{"host", ""}, {"port", ""}, {"size", ""}, {"count", ""},
        {"connections", ""}, {"seconds", ""}, {"scenario", ""}, {"here", ""}, {"warpcheck", ""},
        {"netem", ""}, {"mtu", ""}, {"address", ""}, {"profile", peer->profile}, {"agent", peer->agent}};
    const char *text = json_string_value(value);
    const char *side = iw_matrix_role_name(role);
    char name[64];

    if (strcmp(scenario, "*") != 0 && iw_matrix_scenario_find(scenario) == NULL)
        return matrix_member_unknown_scenario(at, scenario);
    if (json_is_null(value))
        return true;
    if (text == NULL || text[0] == '\0')
        return iw_matrix_member_error(at, "%s, \"%s\": a command is a text, or null", side, scenario);
    if (iw_matrix_text_unknown(text, values, sizeof values / sizeof *values, name, sizeof name))
        return iw_matrix_member_error(at, "%s, \"%s\": unknown placeholder {%s}", side, scenario, name);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i].value == NULL && iw_matrix_text_has(text, values[i].name))
            return iw_matrix_member_error(at, "%s, \"%s\": it uses {%s}, but has no \"%s\"", side, scenario,
                values[i].name, values[i].name);
    if (role == IW_MATRIX_INITIATOR && !iw_matrix_text_has(text, "port"))
        return iw_matrix_member_error(
            at, "%s, \"%s\": without {port} it would not connect to the relay", side, scenario);
    if (role == IW_MATRIX_RESPONDER && peer->port == 0 && iw_matrix_text_has(text, "port"))
        return iw_matrix_member_error(at, "%s, \"%s\": it uses {port}, but has no \"port\"", side, scenario);
    return true;
}

bool iw_matrix_member_check_commands(struct iw_matrix_member *at, const struct iw_matrix_peer *peer) {
    for (enum iw_matrix_role role = IW_MATRIX_INITIATOR; role < IW_MATRIX_ROLES; role++) {
        json_t *commands =
            json_object_get(json_object_get(peer->definition, iw_matrix_role_name(role)), "commands");
        const char *scenario;
        json_t *value;

        json_object_foreach(commands, scenario, value) {
            if (!matrix_member_check_command(at, peer, role, scenario, value))
                return false;
        }
    }
    return true;
}
