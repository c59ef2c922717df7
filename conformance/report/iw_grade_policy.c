#include "iw_grade_policy.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "iw_builtin_policy.h"
#include "iw_show.h"

/* ---- reading the JSON of a policy ---- */

struct policy_reading {
    struct iw_grade_policy *policy;
    const char *file;
    char *error;
    size_t error_octets;
};

static enum iw_status policy_refuse(const struct policy_reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static enum iw_status policy_refuse(const struct policy_reading *reading, const char *format, ...) {
    char what[160];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(reading->error, reading->error_octets, "%s: ", reading->file);
    iw_show_line(
        reading->error + strlen(reading->error), reading->error_octets - strlen(reading->error), what);
    return IW_ERR_FORMAT;
}

/* Copies a text member, which must fit. */
static enum iw_status policy_take_text(
    const struct policy_reading *reading, const char *key, const json_t *value, char *text, size_t octets) {
    if (!json_is_string(value) || json_string_length(value) == 0 || json_string_length(value) >= octets)
        return policy_refuse(reading, "%s takes a text of 1 to %zu octets", key, octets - 1);
    iw_show_line(text, octets, json_string_value(value));
    return IW_OK;
}

static enum iw_status policy_take_name(const struct policy_reading *reading, const json_t *value) {
    return policy_take_text(reading, "policy", value, reading->policy->name, sizeof reading->policy->name);
}

static enum iw_status policy_take_title(const struct policy_reading *reading, const json_t *value) {
    return policy_take_text(reading, "title", value, reading->policy->title, sizeof reading->policy->title);
}

static enum iw_status policy_take_level(const struct policy_reading *reading, const json_t *value) {
    static const struct {
        const char *name;
        enum iw_severity level;
    } rows[] = {{"MUST", IW_SEVERITY_ERROR}, {"SHOULD", IW_SEVERITY_WARNING}, {"MAY", IW_SEVERITY_NOTE}};

    for (size_t i = 0; json_is_string(value) && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(json_string_value(value), rows[i].name) == 0) {
            reading->policy->has_level = true;
            reading->policy->level = rows[i].level;
            return IW_OK;
        }
    return policy_refuse(reading, "level takes \"MUST\", \"SHOULD\" or \"MAY\"");
}

static enum iw_status policy_take_every_case(const struct policy_reading *reading, const json_t *value) {
    if (!json_is_boolean(value))
        return policy_refuse(reading, "every_case takes true or false");
    reading->policy->every_case = json_is_true(value);
    return IW_OK;
}

static enum iw_status policy_take_attacks(const struct policy_reading *reading, const json_t *value) {
    if (!json_is_boolean(value))
        return policy_refuse(reading, "attacks takes true or false");
    reading->policy->attacks = json_is_true(value);
    return IW_OK;
}

static enum iw_status policy_take_except(const struct policy_reading *reading, const json_t *value) {
    const json_t *reason;
    const char *id;

    if (!json_is_object(value))
        return policy_refuse(reading, "except takes an object of requirements and reasons");
    json_object_foreach((json_t *)(uintptr_t)value, id, reason) {
        if (iw_requirement_find(id) == NULL)
            return policy_refuse(reading, "except: no requirement is named %s", id);
        if (!json_is_string(reason) || json_string_length(reason) == 0)
            return policy_refuse(reading, "except: %s needs a reason", id);
    }
    reading->policy->except = json_incref((json_t *)(uintptr_t)value);
    return IW_OK;
}

static enum iw_status policy_take_partners(const struct policy_reading *reading, const json_t *value) {
    const json_t *of = json_object_get(value, "of"), *pass = json_object_get(value, "pass");

    if (json_object_size(value) != 2 || !json_is_integer(of) || !json_is_integer(pass) ||
        json_integer_value(of) < 1 || json_integer_value(of) > IW_GRADE_POLICY_PARTNERS_MAX ||
        json_integer_value(pass) < 1 || json_integer_value(pass) > json_integer_value(of))
        return policy_refuse(reading,
            "partners takes \"of\", from 1 to %d, and \"pass\", from 1 to that number",
            IW_GRADE_POLICY_PARTNERS_MAX);
    reading->policy->partners = (unsigned)json_integer_value(of);
    reading->policy->partners_pass = (unsigned)json_integer_value(pass);
    return IW_OK;
}

static const struct {
    const char *key;
    enum iw_status (*take)(const struct policy_reading *reading, const json_t *value);
} policy_members[] = {
    {"policy", policy_take_name},
    {"title", policy_take_title},
    {"level", policy_take_level},
    {"every_case", policy_take_every_case},
    {"attacks", policy_take_attacks},
    {"except", policy_take_except},
    {"partners", policy_take_partners},
};

static enum iw_status policy_take_member(
    const struct policy_reading *reading, const char *key, const json_t *value) {
    for (size_t i = 0; i < sizeof policy_members / sizeof *policy_members; i++)
        if (strcmp(policy_members[i].key, key) == 0)
            return policy_members[i].take(reading, value);
    return policy_refuse(reading, "a policy has no member %s", key);
}

static enum iw_status policy_take(const struct policy_reading *reading, json_t *object) {
    const struct iw_grade_policy *policy = reading->policy;
    enum iw_status status;
    const json_t *value;
    const char *key;

    if (!json_is_object(object))
        return policy_refuse(reading, "not a JSON object");
    json_object_foreach(object, key, value) {
        status = policy_take_member(reading, key, value);
        if (status != IW_OK)
            return status;
    }
    if (policy->name[0] == '\0' || policy->title[0] == '\0')
        return policy_refuse(reading, "%s is missing", policy->name[0] == '\0' ? "policy" : "title");
    if (!policy->has_level && policy->partners == 0)
        return policy_refuse(reading, "demands nothing: level or partners is missing");
    return IW_OK;
}

/* ---- built-in policies, and files ---- */

static size_t policy_name_octets(const struct iw_builtin *builtin) {
    return strlen(builtin->name) - strlen(".json");
}

static const struct iw_builtin *policy_find_builtin(const char *name) {
    for (size_t i = 0; i < iw_builtin_policy_file_count; i++)
        if (strlen(name) == policy_name_octets(&iw_builtin_policy_files[i]) &&
            strncmp(iw_builtin_policy_files[i].name, name, strlen(name)) == 0)
            return &iw_builtin_policy_files[i];
    return NULL;
}

static enum iw_status policy_explain_unknown(const char *name, char *error, size_t error_octets) {
    size_t length = (size_t)snprintf(error, error_octets, "unknown policy %.60s (built in are", name);

    for (size_t i = 0; i < iw_builtin_policy_file_count && length < error_octets; i++)
        length += (size_t)snprintf(error + length, error_octets - length, "%s %.*s", i > 0 ? "," : "",
            (int)policy_name_octets(&iw_builtin_policy_files[i]), iw_builtin_policy_files[i].name);
    if (length < error_octets)
        snprintf(error + length, error_octets - length, "; a file has a / or a . in its name)");
    return IW_ERR_FORMAT;
}

/* Returns the JSON of the file; NULL with *status set if it cannot be read. */
static json_t *policy_load_file(const struct policy_reading *reading, enum iw_status *status) {
    FILE *in = fopen(reading->file, "re");
    json_error_t where;
    json_t *object;

    if (in == NULL) {
        snprintf(reading->error, reading->error_octets, "%s: %s", reading->file, strerror(errno));
        *status = IW_ERR_IO;
        return NULL;
    }
    object = json_loadf(in, JSON_REJECT_DUPLICATES, &where);
    fclose(in);
    if (object == NULL)
        *status = policy_refuse(reading, "line %d: %s", where.line, where.text);
    return object;
}

enum iw_status iw_grade_policy_load(
    struct iw_grade_policy *policy, const char *name, char *error, size_t error_octets) {
    const struct iw_builtin *builtin = policy_find_builtin(name);
    const struct policy_reading reading = {
        .policy = policy, .file = name, .error = error, .error_octets = error_octets};
    enum iw_status status = IW_OK;
    json_t *object;

    *policy = (struct iw_grade_policy){.level = IW_SEVERITY_ERROR};
    if (builtin == NULL && strpbrk(name, "/.") == NULL)
        return policy_explain_unknown(name, error, error_octets);
    object = builtin != NULL ? json_loadb(builtin->text, builtin->octets, JSON_REJECT_DUPLICATES, NULL)
                             : policy_load_file(&reading, &status);
    if (object != NULL)
        status = policy_take(&reading, object);
    else if (builtin != NULL)
        status = IW_ERR_NOMEM;
    json_decref(object);
    return status;
}

void iw_grade_policy_clear(struct iw_grade_policy *policy) {
    json_decref(policy->except);
    *policy = (struct iw_grade_policy){0};
}
