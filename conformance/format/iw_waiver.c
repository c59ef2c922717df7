#define _GNU_SOURCE /* basename */
#include "iw_waiver.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_until.h"

static bool waiver_take_side(const struct iw_pairs *line, void *record, char *value) {
    struct iw_waiver *waiver = record;

    for (enum iw_role role = IW_ROLE_INITIATOR; role <= IW_ROLE_RESPONDER; role++)
        if (strcmp(value, iw_role_name(role)) == 0) {
            waiver->side = role;
            return true;
        }
    return iw_pairs_error(line, "side takes initiator or responder, not %s", value);
}

bool iw_waiver_take_until(const struct iw_pairs *line, void *record, char *value) {
    char **until = record;

    if (!iw_until_is_date(value))
        return iw_pairs_error(line, "until takes a date such as 2027-01-31, not %s", value);
    *until = strdup(value);
    return *until != NULL || iw_pairs_error(line, "out of memory");
}

static bool waiver_take_until(const struct iw_pairs *line, void *record, char *value) {
    return iw_waiver_take_until(line, &((struct iw_waiver *)record)->until, value);
}

static const struct iw_pairs_key keys[] = {
    {"clause", true, offsetof(struct iw_waiver, clause), NULL},
    {"reason", true, offsetof(struct iw_waiver, reason), NULL},
    {"owner", false, offsetof(struct iw_waiver, owner), NULL},
    {"issue", false, offsetof(struct iw_waiver, issue), NULL},
    {"until", false, 0, waiver_take_until},
    {"file", false, offsetof(struct iw_waiver, file), NULL},
    {"peer", false, offsetof(struct iw_waiver, peer), NULL},
    {"side", false, 0, waiver_take_side},
};

/* What a waiver can name. */
struct waiver_rule {
    const char *id, *document, *section;
};

static struct waiver_rule waiver_requirement(const struct iw_requirement *requirement) {
    return (struct waiver_rule){requirement->id, requirement->document, requirement->section};
}

static struct waiver_rule waiver_upper_rule(const struct iw_upper_rule *rule) {
    return (struct waiver_rule){rule->id, rule->document, rule->section};
}

/* Requirements first, then the rules of the protocols above. */
enum { WAIVER_RULES = IW_REQUIREMENT_COUNT + IW_UPPER_RULE_COUNT };
static struct waiver_rule waiver_rule_at(size_t at) {
    return at < IW_REQUIREMENT_COUNT ? waiver_requirement(&iw_requirements[at])
                                     : waiver_upper_rule(&iw_upper_rules[at - IW_REQUIREMENT_COUNT]);
}

static bool waiver_clause_fits(const char *clause, struct waiver_rule rule) {
    size_t document = strlen(rule.document);

    if (strncmp(clause, rule.document, document) != 0)
        return false;
    return clause[document] == '\0' ||
           (clause[document] == ' ' && strcmp(clause + document + 1, rule.section) == 0);
}

bool iw_waiver_clause_fits(const char *clause, const struct iw_requirement *requirement) {
    return waiver_clause_fits(clause, waiver_requirement(requirement));
}

bool iw_waiver_pattern_fits(const char *pattern) {
    for (size_t i = 0; i < WAIVER_RULES; i++)
        if (fnmatch(pattern, waiver_rule_at(i).id, 0) == 0)
            return true;
    return false;
}

static bool waiver_find_rule(const struct iw_pairs *line, struct iw_waiver *waiver) {
    struct waiver_rule match = {NULL, NULL, NULL};

    for (size_t i = 0; i < WAIVER_RULES; i++) {
        struct waiver_rule rule = waiver_rule_at(i);

        if (fnmatch(waiver->pattern, rule.id, 0) != 0)
            continue;
        match = rule;
        if (waiver_clause_fits(waiver->clause, rule)) {
            waiver->upper = i >= IW_REQUIREMENT_COUNT;
            return true;
        }
    }
    if (match.id == NULL)
        return iw_pairs_error(line, "no requirement or rule matches %s", waiver->pattern);
    return iw_pairs_error(
        line, "the clause of %s is %s %s, not %s", match.id, match.document, match.section, waiver->clause);
}

static void clear_waiver(struct iw_waiver *waiver) {
    free(waiver->pattern);
    free(waiver->clause);
    free(waiver->reason);
    free(waiver->owner);
    free(waiver->issue);
    free(waiver->until);
    free(waiver->file);
    free(waiver->peer);
}

bool iw_waivers_take(struct iw_waivers *waivers, struct iw_pairs *line) {
    struct iw_waiver waiver = {.line = line->number};
    bool good = iw_pairs_take(line, &waiver.pattern, keys, sizeof keys / sizeof *keys, &waiver) &&
                waiver_find_rule(line, &waiver);

    if (good && !iw_array_grow(&waivers->list, waivers->count, sizeof waiver))
        good = iw_pairs_error(line, "out of memory");
    if (good)
        waivers->list[waivers->count++] = waiver;
    else
        clear_waiver(&waiver);
    return good;
}

/* Skips lines about cases of the suite. */
static bool waiver_add_line(void *user, struct iw_pairs *line) {
    return iw_pairs_has(line, "verdict") || iw_waivers_take(user, line);
}

enum iw_status iw_waivers_read(struct iw_waivers *waivers, const char *path, FILE *diagnostics) {
    *waivers = (struct iw_waivers){.path = path};
    return iw_pairs_read(path, diagnostics, waiver_add_line, waivers);
}

void iw_waivers_clear(struct iw_waivers *waivers) {
    for (size_t i = 0; i < waivers->count; i++)
        clear_waiver(&waivers->list[i]);
    free(waivers->list);
    *waivers = (struct iw_waivers){0};
}

/* Also compares the texts: an IPv6 address, "[2001:db8::1]:7", does not match itself as a shell pattern. */
static bool waiver_peer_fits(const char *pattern, const char *address) {
    return strcmp(pattern, address) == 0 || fnmatch(pattern, address, 0) == 0;
}

static bool waiver_file_fits(const char *pattern, const char *file) {
    return fnmatch(pattern, file, FNM_PATHNAME) == 0 || fnmatch(pattern, basename(file), 0) == 0;
}

static const struct iw_waiver *waivers_find(const struct iw_waivers *waivers, struct waiver_rule rule,
    const char *file, enum iw_role role, const char *address) {
    for (size_t i = 0; waivers != NULL && i < waivers->count; i++) {
        const struct iw_waiver *waiver = &waivers->list[i];

        if (!iw_until_is_over(waiver->until) && fnmatch(waiver->pattern, rule.id, 0) == 0 &&
            waiver_clause_fits(waiver->clause, rule) &&
            (waiver->side == IW_ROLE_UNKNOWN || waiver->side == role) &&
            (waiver->peer == NULL || waiver_peer_fits(waiver->peer, address)) &&
            (waiver->file == NULL || waiver_file_fits(waiver->file, file)))
            return waiver;
    }
    return NULL;
}

const struct iw_waiver *iw_waivers_find(const struct iw_waivers *waivers,
    const struct iw_requirement *requirement, const char *file, enum iw_role role, const char *address) {
    return waivers_find(waivers, waiver_requirement(requirement), file, role, address);
}

const struct iw_waiver *iw_waivers_find_upper(const struct iw_waivers *waivers,
    const struct iw_upper_rule *rule, const char *file, enum iw_role role, const char *address) {
    return waivers_find(waivers, waiver_upper_rule(rule), file, role, address);
}

bool iw_waiver_is_unused(const struct iw_waiver *waiver, bool upper) {
    return waiver->used == 0 && (upper || !waiver->upper);
}

const char *iw_waiver_owner(const struct iw_waiver *waiver) {
    return waiver->owner != NULL ? waiver->owner : "no owner";
}

void iw_waivers_use(struct iw_waivers *waivers, const struct iw_waiver *waiver, uint64_t count) {
    waivers->list[waiver - waivers->list].used += count;
}
