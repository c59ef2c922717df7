#include "iw_lua_pattern.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include <lauxlib.h>

#include "iw_sandbox.h"

enum { DEPTH_MAX = 200, ESCAPE = '%' };

static const char *match(struct iw_lua_pattern *seek, const char *at, const char *pattern);

void iw_lua_pattern_init(struct iw_lua_pattern *seek, lua_State *lua, const char *subject,
    size_t subject_octets, const char *pattern, size_t pattern_octets) {
    seek->lua = lua;
    seek->subject = subject;
    seek->subject_end = subject + subject_octets;
    seek->pattern_end = pattern + pattern_octets;
    seek->depth = DEPTH_MAX;
    seek->level = 0;
}

static int octet(const char *at) {
    return (unsigned char)*at;
}

/* ---- one character ---- */

/* Behind the class that begins there. */
static const char *class_end(struct iw_lua_pattern *seek, const char *pattern) {
    if (*pattern++ == ESCAPE) {
        if (pattern == seek->pattern_end)
            luaL_error(seek->lua, "malformed pattern (ends with '%%')");
        return pattern + 1;
    }
    if (pattern[-1] != '[')
        return pattern;
    if (*pattern == '^')
        pattern++;
    do { /* a "]" that stands first is one of the set */
        if (pattern == seek->pattern_end)
            luaL_error(seek->lua, "malformed pattern (missing ']')");
        if (*pattern++ == ESCAPE && pattern < seek->pattern_end)
            pattern++;
    } while (pattern == seek->pattern_end || *pattern != ']');
    return pattern + 1;
}

static bool in_class(int c, int class) {
    bool in;

    switch (tolower(class)) {
    case 'a':
        in = isalpha(c) != 0;
        break;
    case 'c':
        in = iscntrl(c) != 0;
        break;
    case 'd':
        in = isdigit(c) != 0;
        break;
    case 'g':
        in = isgraph(c) != 0;
        break;
    case 'l':
        in = islower(c) != 0;
        break;
    case 'p':
        in = ispunct(c) != 0;
        break;
    case 's':
        in = isspace(c) != 0;
        break;
    case 'u':
        in = isupper(c) != 0;
        break;
    case 'w':
        in = isalnum(c) != 0;
        break;
    case 'x':
        in = isxdigit(c) != 0;
        break;
    default:
        return class == c;
    }
    return isupper(class) ? !in : in;
}

/* `pattern` is at the "[", `last` at the "]". */
static bool in_set(int c, const char *pattern, const char *last) {
    bool in = true;

    if (pattern[1] == '^') {
        in = false;
        pattern++;
    }
    while (++pattern < last) {
        if (*pattern == ESCAPE) {
            pattern++;
            if (in_class(c, octet(pattern)))
                return in;
        } else if (pattern[1] == '-' && pattern + 2 < last) {
            pattern += 2;
            if (octet(pattern - 2) <= c && c <= octet(pattern))
                return in;
        } else if (octet(pattern) == c) {
            return in;
        }
    }
    return !in;
}

/* The one place where steps are counted: nothing goes on without it. */
static bool is_single(struct iw_lua_pattern *seek, const char *at, const char *pattern, const char *behind) {
    iw_sandbox_charge(seek->lua, 1);
    if (at >= seek->subject_end)
        return false;
    switch (*pattern) {
    case '.':
        return true;
    case ESCAPE:
        return in_class(octet(at), octet(pattern + 1));
    case '[':
        return in_set(octet(at), pattern, behind - 1);
    default:
        return *pattern == *at;
    }
}

/* ---- repetition ---- */

static const char *longest_first(
    struct iw_lua_pattern *seek, const char *at, const char *pattern, const char *behind) {
    ptrdiff_t count = 0;

    while (is_single(seek, at + count, pattern, behind))
        count++;
    for (; count >= 0; count--) {
        const char *end = match(seek, at + count, behind + 1);

        iw_sandbox_charge(seek->lua, 1);
        if (end != NULL)
            return end;
    }
    return NULL;
}

static const char *shortest_first(
    struct iw_lua_pattern *seek, const char *at, const char *pattern, const char *behind) {
    for (;; at++) {
        const char *end = match(seek, at, behind + 1);

        if (end != NULL)
            return end;
        if (!is_single(seek, at, pattern, behind))
            return NULL;
    }
}

/* ---- captures ---- */

static const char *open_capture(
    struct iw_lua_pattern *seek, const char *at, const char *pattern, ptrdiff_t kind) {
    const char *end;

    if (seek->level >= IW_LUA_CAPTURES_MAX)
        luaL_error(seek->lua, "too many captures");
    seek->captures[seek->level] = (struct iw_lua_capture){.begin = at, .length = kind};
    seek->level++;
    end = match(seek, at, pattern);
    if (end == NULL)
        seek->level--;
    return end;
}

static const char *close_capture(struct iw_lua_pattern *seek, const char *at, const char *pattern) {
    int index = seek->level - 1;
    const char *end;

    while (index >= 0 && seek->captures[index].length != IW_LUA_CAPTURE_OPEN)
        index--;
    if (index < 0)
        luaL_error(seek->lua, "invalid pattern capture");
    seek->captures[index].length = at - seek->captures[index].begin;
    end = match(seek, at, pattern);
    if (end == NULL)
        seek->captures[index].length = IW_LUA_CAPTURE_OPEN;
    return end;
}

/* %1: what the capture has matched, once more. */
static const char *again(struct iw_lua_pattern *seek, const char *at, int digit) {
    int index = digit - '1';
    size_t length;

    if (index < 0 || index >= seek->level || seek->captures[index].length == IW_LUA_CAPTURE_OPEN)
        luaL_error(seek->lua, "invalid capture index %%%d", index + 1);
    length = seek->captures[index].length < 0 ? SIZE_MAX : (size_t)seek->captures[index].length;
    if ((size_t)(seek->subject_end - at) < length)
        return NULL;
    iw_sandbox_charge(seek->lua, length);
    return memcmp(seek->captures[index].begin, at, length) == 0 ? at + length : NULL;
}

/* ---- %b, %f ---- */

static const char *balance(struct iw_lua_pattern *seek, const char *at, const char *pattern) {
    int nested = 1;

    if (pattern + 1 >= seek->pattern_end)
        luaL_error(seek->lua, "malformed pattern (missing arguments to '%%b')");
    if (at >= seek->subject_end || *at != *pattern)
        return NULL;
    while (++at < seek->subject_end) {
        iw_sandbox_charge(seek->lua, 1);
        if (*at == pattern[1]) {
            if (--nested == 0)
                return at + 1;
        } else if (*at == *pattern) {
            nested++;
        }
    }
    return NULL;
}

/* Behind the set of a frontier that is there; NULL: none is. */
static const char *frontier(struct iw_lua_pattern *seek, const char *at, const char *pattern) {
    const char *behind;
    int before = at == seek->subject ? '\0' : octet(at - 1);
    int next = at < seek->subject_end ? octet(at) : '\0';

    if (pattern >= seek->pattern_end || *pattern != '[')
        luaL_error(seek->lua, "missing '[' after '%%f' in pattern");
    behind = class_end(seek, pattern);
    return !in_set(before, pattern, behind - 1) && in_set(next, pattern, behind - 1) ? behind : NULL;
}

/* ---- all ---- */

/* Matches what the pattern begins with. True: so far, so good; *at and *pattern are behind it. False: *at is
 * where the whole of it ends, or NULL. What comes one behind the other must not nest, as a pattern may be
 * long.
 */
static bool step_single(struct iw_lua_pattern *seek, const char **at, const char **pattern) {
    const char *single = *pattern;
    const char *behind = class_end(seek, single);
    char suffix = behind < seek->pattern_end ? *behind : '\0';
    const char *end;

    if (!is_single(seek, *at, single, behind)) {
        bool none = suffix == '*' || suffix == '-' || suffix == '?'; /* will do as well */
        *pattern = behind + 1;
        *at = none ? *at : NULL;
        return none;
    }
    switch (suffix) {
    case '*':
        *at = longest_first(seek, *at, single, behind);
        return false;
    case '-':
        *at = shortest_first(seek, *at, single, behind);
        return false;
    case '+':
        *at = longest_first(seek, *at + 1, single, behind);
        return false;
    case '?':
        end = match(seek, *at + 1, behind + 1);
        *at = end != NULL ? end : *at;
        *pattern = behind + 1;
        return end == NULL;
    default:
        *pattern = behind;
        *at = *at + 1;
        return true;
    }
}

static bool step_escape(struct iw_lua_pattern *seek, const char **at, const char **pattern) {
    char kind = *pattern + 1 < seek->pattern_end ? (*pattern)[1] : '\0';

    if (kind == 'b') {
        *at = balance(seek, *at, *pattern + 2);
        *pattern += 4;
    } else if (kind == 'f') {
        *pattern = frontier(seek, *at, *pattern + 2);
        *at = *pattern == NULL ? NULL : *at;
    } else if (isdigit((unsigned char)kind)) {
        *at = again(seek, *at, kind);
        *pattern += 2;
    } else {
        return step_single(seek, at, pattern);
    }
    return *at != NULL;
}

static bool step(struct iw_lua_pattern *seek, const char **at, const char **pattern) {
    const char *next = *pattern + 1;

    switch (**pattern) {
    case '(':
        if (next < seek->pattern_end && *next == ')')
            *at = open_capture(seek, *at, next + 1, IW_LUA_CAPTURE_PLACE);
        else
            *at = open_capture(seek, *at, next, IW_LUA_CAPTURE_OPEN);
        return false;
    case ')':
        *at = close_capture(seek, *at, next);
        return false;
    case '$':
        if (next < seek->pattern_end)
            return step_single(seek, at, pattern);
        *at = *at == seek->subject_end ? *at : NULL;
        return false;
    case ESCAPE:
        return step_escape(seek, at, pattern);
    default:
        return step_single(seek, at, pattern);
    }
}

static const char *match(struct iw_lua_pattern *seek, const char *at, const char *pattern) {
    if (seek->depth-- == 0)
        luaL_error(seek->lua, "pattern too complex");
    while (pattern != seek->pattern_end && step(seek, &at, &pattern))
        ;
    seek->depth++;
    return at;
}

const char *iw_lua_pattern_at(struct iw_lua_pattern *seek, const char *at, const char *pattern) {
    seek->level = 0;
    seek->depth = DEPTH_MAX;
    return match(seek, at, pattern);
}

void iw_lua_pattern_push(struct iw_lua_pattern *seek, int index, const char *begin, const char *end) {
    const struct iw_lua_capture *capture = &seek->captures[index];

    if (index >= seek->level && index != 0)
        luaL_error(seek->lua, "invalid capture index %%%d", index + 1);
    if (index >= seek->level)
        lua_pushlstring(seek->lua, begin, (size_t)(end - begin));
    else if (capture->length == IW_LUA_CAPTURE_PLACE)
        lua_pushinteger(seek->lua, capture->begin - seek->subject + 1);
    else if (capture->length == IW_LUA_CAPTURE_OPEN)
        luaL_error(seek->lua, "unfinished capture");
    else
        lua_pushlstring(seek->lua, capture->begin, (size_t)capture->length);
}

int iw_lua_pattern_push_all(struct iw_lua_pattern *seek, const char *begin, const char *end) {
    int count = seek->level == 0 && begin != NULL ? 1 : seek->level;

    luaL_checkstack(seek->lua, count, "too many captures");
    for (int i = 0; i < count; i++)
        iw_lua_pattern_push(seek, i, begin, end);
    return count;
}
