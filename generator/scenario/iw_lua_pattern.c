#include "iw_lua_pattern.h"

#include <ctype.h>
#include <string.h>

#include <lauxlib.h>

#include "iw_sandbox.h"

enum { DEPTH_MAX = 200, ESCAPE = '%' };

static const char *pattern_match(struct iw_lua_pattern *search, const char *at, const char *pattern);

void iw_lua_pattern_init(struct iw_lua_pattern *search, lua_State *lua, const char *subject,
    size_t subject_octets, const char *pattern, size_t pattern_octets) {
    search->lua = lua;
    search->subject = subject;
    search->subject_end = subject + subject_octets;
    search->pattern_end = pattern + pattern_octets;
    search->depth = DEPTH_MAX;
    search->level = 0;
}

static int lua_pattern_octet_at(const char *at) {
    return (unsigned char)*at;
}

static const char *lua_pattern_class_end(struct iw_lua_pattern *search, const char *pattern) {
    if (*pattern++ == ESCAPE) {
        if (pattern == search->pattern_end)
            luaL_error(search->lua, "malformed pattern (ends with '%%')");
        return pattern + 1;
    }
    if (pattern[-1] != '[')
        return pattern;
    if (*pattern == '^')
        pattern++;
    do { /* a "]" in first position belongs to the set */
        if (pattern == search->pattern_end)
            luaL_error(search->lua, "malformed pattern (missing ']')");
        if (*pattern++ == ESCAPE && pattern < search->pattern_end)
            pattern++;
    } while (pattern == search->pattern_end || *pattern != ']');
    return pattern + 1;
}

static bool lua_pattern_in_class(int c, int class) {
    static const struct {
        int letter;
        int (*in)(int);
    } classes[] = {{'a', isalpha}, {'c', iscntrl}, {'d', isdigit}, {'g', isgraph}, {'l', islower},
        {'p', ispunct}, {'s', isspace}, {'u', isupper}, {'w', isalnum}, {'x', isxdigit}};

    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i].letter == tolower(class))
            return (classes[i].in(c) != 0) != (isupper(class) != 0);
    return class == c;
}

/* `pattern` points at "[", `last` at "]". */
static bool lua_pattern_in_set(int c, const char *pattern, const char *last) {
    bool in = true;

    if (pattern[1] == '^') {
        in = false;
        pattern++;
    }
    while (++pattern < last) {
        if (*pattern == ESCAPE) {
            pattern++;
            if (lua_pattern_in_class(c, lua_pattern_octet_at(pattern)))
                return in;
        } else if (pattern[1] == '-' && pattern + 2 < last) {
            pattern += 2;
            if (lua_pattern_octet_at(pattern - 2) <= c && c <= lua_pattern_octet_at(pattern))
                return in;
        } else if (lua_pattern_octet_at(pattern) == c) {
            return in;
        }
    }
    return !in;
}

/* Whether the octet at `at` matches the single item `pattern`. Uses up a step of the sandbox. */
static bool lua_pattern_is_single(
    struct iw_lua_pattern *search, const char *at, const char *pattern, const char *after) {
    iw_sandbox_charge(search->lua, 1);
    if (at >= search->subject_end)
        return false;
    switch (*pattern) {
    case '.':
        return true;
    case ESCAPE:
        return lua_pattern_in_class(lua_pattern_octet_at(at), lua_pattern_octet_at(pattern + 1));
    case '[':
        return lua_pattern_in_set(lua_pattern_octet_at(at), pattern, after - 1);
    default:
        return *pattern == *at;
    }
}

static const char *lua_pattern_longest_first(
    struct iw_lua_pattern *search, const char *at, const char *pattern, const char *after) {
    ptrdiff_t count = 0;

    while (lua_pattern_is_single(search, at + count, pattern, after))
        count++;
    for (; count >= 0; count--) {
        const char *end = pattern_match(search, at + count, after + 1);

        iw_sandbox_charge(search->lua, 1);
        if (end != NULL)
            return end;
    }
    return NULL;
}

static const char *lua_pattern_shortest_first(
    struct iw_lua_pattern *search, const char *at, const char *pattern, const char *after) {
    for (;; at++) {
        const char *end = pattern_match(search, at, after + 1);

        if (end != NULL)
            return end;
        if (!lua_pattern_is_single(search, at, pattern, after))
            return NULL;
    }
}

static const char *lua_pattern_open_capture(
    struct iw_lua_pattern *search, const char *at, const char *pattern, ptrdiff_t kind) {
    if (search->level >= IW_LUA_CAPTURES_MAX)
        luaL_error(search->lua, "too many captures");
    search->captures[search->level] = (struct iw_lua_capture){.begin = at, .length = kind};
    search->level++;
    const char *end = pattern_match(search, at, pattern);
    if (end == NULL)
        search->level--;
    return end;
}

static const char *lua_pattern_close_capture(
    struct iw_lua_pattern *search, const char *at, const char *pattern) {
    int index = search->level - 1;

    while (index >= 0 && search->captures[index].length != IW_LUA_CAPTURE_OPEN)
        index--;
    if (index < 0)
        luaL_error(search->lua, "invalid pattern capture");
    search->captures[index].length = at - search->captures[index].begin;
    const char *end = pattern_match(search, at, pattern);
    if (end == NULL)
        search->captures[index].length = IW_LUA_CAPTURE_OPEN;
    return end;
}

/* %1: matches the text of an earlier capture. */
static const char *lua_pattern_match_capture(struct iw_lua_pattern *search, const char *at, int digit) {
    int index = digit - '1';
    size_t length;

    if (index < 0 || index >= search->level || search->captures[index].length == IW_LUA_CAPTURE_OPEN)
        luaL_error(search->lua, "invalid capture index %%%d", index + 1);
    length = search->captures[index].length < 0 ? SIZE_MAX : (size_t)search->captures[index].length;
    if ((size_t)(search->subject_end - at) < length)
        return NULL;
    iw_sandbox_charge(search->lua, length);
    return memcmp(search->captures[index].begin, at, length) == 0 ? at + length : NULL;
}

static const char *lua_pattern_match_balance(
    struct iw_lua_pattern *search, const char *at, const char *pattern) {
    int nested = 1;

    if (pattern + 1 >= search->pattern_end)
        luaL_error(search->lua, "malformed pattern (missing arguments to '%%b')");
    if (at >= search->subject_end || *at != *pattern)
        return NULL;
    while (++at < search->subject_end) {
        iw_sandbox_charge(search->lua, 1);
        if (*at == pattern[1]) {
            if (--nested == 0)
                return at + 1;
        } else if (*at == *pattern) {
            nested++;
        }
    }
    return NULL;
}

/* %f[set]: returns the pattern after the set; or NULL unless a run of octets of the set begins at `at`. */
static const char *lua_pattern_match_frontier(
    struct iw_lua_pattern *search, const char *at, const char *pattern) {
    const char *after;
    int before = at == search->subject ? '\0' : lua_pattern_octet_at(at - 1);
    int next = at < search->subject_end ? lua_pattern_octet_at(at) : '\0';

    if (pattern >= search->pattern_end || *pattern != '[')
        luaL_error(search->lua, "missing '[' after '%%f' in pattern");
    after = lua_pattern_class_end(search, pattern);
    return !lua_pattern_in_set(before, pattern, after - 1) && lua_pattern_in_set(next, pattern, after - 1)
               ? after
               : NULL;
}

/* Matches the first item of the pattern. Returns true if matching goes on at *at and *pattern. Returns false
 * if it has ended: *at is then the end of the whole match, or NULL without a match. Does not recurse for each
 * item, because a pattern may be long. */
static bool pattern_step_single(struct iw_lua_pattern *search, const char **at, const char **pattern) {
    const char *single = *pattern;
    const char *after = lua_pattern_class_end(search, single);
    char suffix = after < search->pattern_end ? *after : '\0';
    const char *end;

    if (!lua_pattern_is_single(search, *at, single, after)) {
        bool none = suffix == '*' || suffix == '-' || suffix == '?'; /* zero repetitions match, too */
        *pattern = after + 1;
        *at = none ? *at : NULL;
        return none;
    }
    switch (suffix) {
    case '*':
        *at = lua_pattern_longest_first(search, *at, single, after);
        return false;
    case '-':
        *at = lua_pattern_shortest_first(search, *at, single, after);
        return false;
    case '+':
        *at = lua_pattern_longest_first(search, *at + 1, single, after);
        return false;
    case '?':
        end = pattern_match(search, *at + 1, after + 1);
        *at = end != NULL ? end : *at;
        *pattern = after + 1;
        return end == NULL;
    default:
        *pattern = after;
        *at = *at + 1;
        return true;
    }
}

static bool pattern_step_escape(struct iw_lua_pattern *search, const char **at, const char **pattern) {
    char kind = *pattern + 1 < search->pattern_end ? (*pattern)[1] : '\0';

    if (kind == 'b') {
        *at = lua_pattern_match_balance(search, *at, *pattern + 2);
        *pattern += 4;
    } else if (kind == 'f') {
        *pattern = lua_pattern_match_frontier(search, *at, *pattern + 2);
        *at = *pattern == NULL ? NULL : *at;
    } else if (isdigit((unsigned char)kind)) {
        *at = lua_pattern_match_capture(search, *at, kind);
        *pattern += 2;
    } else {
        return pattern_step_single(search, at, pattern);
    }
    return *at != NULL;
}

static bool pattern_step(struct iw_lua_pattern *search, const char **at, const char **pattern) {
    const char *next = *pattern + 1;

    switch (**pattern) {
    case '(':
        if (next < search->pattern_end && *next == ')')
            *at = lua_pattern_open_capture(search, *at, next + 1, IW_LUA_CAPTURE_PLACE);
        else
            *at = lua_pattern_open_capture(search, *at, next, IW_LUA_CAPTURE_OPEN);
        return false;
    case ')':
        *at = lua_pattern_close_capture(search, *at, next);
        return false;
    case '$':
        if (next < search->pattern_end)
            return pattern_step_single(search, at, pattern);
        *at = *at == search->subject_end ? *at : NULL;
        return false;
    case ESCAPE:
        return pattern_step_escape(search, at, pattern);
    default:
        return pattern_step_single(search, at, pattern);
    }
}

static const char *pattern_match(struct iw_lua_pattern *search, const char *at, const char *pattern) {
    if (search->depth-- == 0)
        luaL_error(search->lua, "pattern too complex");
    while (pattern != search->pattern_end && pattern_step(search, &at, &pattern))
        ;
    search->depth++;
    return at;
}

const char *iw_lua_pattern_at(struct iw_lua_pattern *search, const char *at, const char *pattern) {
    search->level = 0;
    search->depth = DEPTH_MAX;
    return pattern_match(search, at, pattern);
}

void iw_lua_pattern_push(struct iw_lua_pattern *search, int index, const char *begin, const char *end) {
    const struct iw_lua_capture *capture = &search->captures[index];

    if (index >= search->level && index != 0)
        luaL_error(search->lua, "invalid capture index %%%d", index + 1);
    if (index >= search->level)
        lua_pushlstring(search->lua, begin, (size_t)(end - begin));
    else if (capture->length == IW_LUA_CAPTURE_PLACE)
        lua_pushinteger(search->lua, capture->begin - search->subject + 1);
    else if (capture->length == IW_LUA_CAPTURE_OPEN)
        luaL_error(search->lua, "unfinished capture");
    else
        lua_pushlstring(search->lua, capture->begin, (size_t)capture->length);
}

int iw_lua_pattern_push_all(struct iw_lua_pattern *search, const char *begin, const char *end) {
    int count = search->level == 0 && begin != NULL ? 1 : search->level;

    luaL_checkstack(search->lua, count, "too many captures");
    for (int i = 0; i < count; i++)
        iw_lua_pattern_push(search, i, begin, end);
    return count;
}
