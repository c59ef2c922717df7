#include "iw_browser_test.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "iw_temporary_test.h"

const char iw_browser_weak_texts[] =
    "(() => {"
    " const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);"
    " const light = (colour) => { const [r, g, b] = parts(colour).map((one) => one / 255)"
    "   .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);"
    "   return 0.2126 * r + 0.7152 * g + 0.0722 * b; };"
    " const behind = (one) => { for (; one; one = one.parentElement) {"
    "   const colour = getComputedStyle(one).backgroundColor; if (parts(colour)[3] !== 0) return colour; "
    "} };"
    " all('details').forEach((one) => { one.open = true; });"
    " const weak = new Set(); let texts = 0;"
    " for (const one of all('body *')) {"
    "   if (!one.checkVisibility() || ![...one.childNodes].some((child) => child.nodeType === 3 && "
    "child.data.trim())) continue;"
    "   const pair = [light(getComputedStyle(one).color), light(behind(one))]; texts += 1;"
    "   if ((Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05) < 4.5) weak.add(one.tagName + '.' + "
    "one.className); }"
    " return texts > 80 ? [...weak].join() : 'few texts: ' + texts; })()";

enum { PATIENCE_MS = 60000, COMMAND_FD = 3, ANSWER_FD = 4, FREE_FD = 10 };

extern char **environ;

struct iw_browser {
    pid_t process;
    int command, answer;
    char folder[TEMPORARY_PATH]; /* of the browser's profile */
    char *octets;                /* read, but not yet parsed */
    size_t count, room;
    json_int_t calls;
    char *session;
    char *page; /* address of the open page, without an anchor */
    char *value;
    bool loaded;
    unsigned complaints, requests;
};

__attribute__((noreturn)) static void give_up(const char *why) {
    fprintf(stderr, "browser: %s\n", why);
    exit(1);
}

/* Opens a pipe; its descriptors differ from the two that the browser uses, and are closed on exec. */
static void open_pipe(int ends[2]) {
    int low[2];

    if (pipe(low) != 0)
        give_up("no pipe");
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, FREE_FD);
        close(low[i]);
    }
}

static void start(struct iw_browser *browser, const char *program, int command, int answer) {
    char profile[TEMPORARY_FILE];
    char *const arguments[] = {(char *)(uintptr_t)program, "--headless=new", "--remote-debugging-pipe",
        "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
        "--disable-component-update", "--disable-sync",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", profile,
        geteuid() == 0 ? "--no-sandbox" : "about:blank", "about:blank", NULL};
    posix_spawn_file_actions_t actions;

    snprintf(profile, sizeof profile, "--user-data-dir=%s", browser->folder);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, command, COMMAND_FD);
    posix_spawn_file_actions_adddup2(&actions, answer, ANSWER_FD);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&browser->process, program, &actions, NULL, arguments, environ) != 0)
        give_up("cannot be started");
    posix_spawn_file_actions_destroy(&actions);
}

static void send_text(struct iw_browser *browser, const char *text) {
    size_t left = strlen(text) + 1; /* a NUL ends a message */

    while (left > 0) {
        ssize_t sent = write(browser->command, text, left);

        if (sent <= 0)
            give_up("does not listen");
        text += sent;
        left -= (size_t)sent;
    }
}

static void read_more(struct iw_browser *browser) {
    struct pollfd ready = {.fd = browser->answer, .events = POLLIN};
    ssize_t count;

    if (browser->room - browser->count < 65536) {
        browser->room = 2 * browser->room + 65536;
        browser->octets = realloc(browser->octets, browser->room);
        if (browser->octets == NULL)
            give_up("no memory");
    }
    if (poll(&ready, 1, PATIENCE_MS) != 1)
        give_up("does not answer");
    count = read(browser->answer, browser->octets + browser->count, browser->room - browser->count);
    if (count <= 0)
        give_up("has ended");
    browser->count += (size_t)count;
}

static json_t *next_message(struct iw_browser *browser) {
    char *end;
    json_t *message;

    while (browser->count == 0 || (end = memchr(browser->octets, '\0', browser->count)) == NULL)
        read_more(browser);
    message = json_loads(browser->octets, 0, NULL);
    browser->count -= (size_t)(end + 1 - browser->octets);
    memmove(browser->octets, end + 1, browser->count);
    if (message == NULL)
        give_up("speaks no JSON");
    return message;
}

static void complain(struct iw_browser *browser, json_t *message) {
    char *text = json_dumps(message, 0);

    fprintf(stderr, "page: %s\n", text);
    free(text);
    browser->complaints++;
}

static void note_request(struct iw_browser *browser, json_t *message) {
    const char *url = NULL;

    json_unpack(message, "{s:{s:{s:s}}}", "params", "request", "url", &url);
    if (url == NULL || browser->page == NULL || strcmp(url, browser->page) == 0)
        return;
    fprintf(stderr, "page: requests %s\n", url);
    browser->requests++;
}

static void take_event(struct iw_browser *browser, json_t *message) {
    const char *method = json_string_value(json_object_get(message, "method"));

    if (method == NULL)
        return;
    if (strcmp(method, "Page.loadEventFired") == 0)
        browser->loaded = true;
    else if (strcmp(method, "Runtime.consoleAPICalled") == 0 ||
             strcmp(method, "Runtime.exceptionThrown") == 0 || strcmp(method, "Log.entryAdded") == 0)
        complain(browser, message);
    else if (strcmp(method, "Network.requestWillBeSent") == 0)
        note_request(browser, message);
}

json_t *iw_browser_call(struct iw_browser *browser, const char *method, json_t *parameters) {
    json_int_t id = ++browser->calls;
    json_t *call = json_pack("{s:I,s:s,s:o}", "id", id, "method", method, "params",
        parameters != NULL ? parameters : json_object());
    char *text;

    if (browser->session != NULL)
        json_object_set_new(call, "sessionId", json_string(browser->session));
    text = json_dumps(call, JSON_COMPACT);
    json_decref(call);
    send_text(browser, text);
    free(text);
    for (;;) {
        json_t *message = next_message(browser);
        json_t *result = json_object_get(message, "result");

        if (json_integer_value(json_object_get(message, "id")) != id) {
            take_event(browser, message);
            json_decref(message);
            continue;
        }
        if (result == NULL) {
            complain(browser, message);
            give_up("cannot do that");
        }
        json_incref(result);
        json_decref(message);
        return result;
    }
}

static void command(struct iw_browser *browser, const char *method, json_t *parameters) {
    json_decref(iw_browser_call(browser, method, parameters));
}

/* Sends all later commands to one page. */
static void attach(struct iw_browser *browser) {
    static const char *const wanted[] = {"Page.enable", "Runtime.enable", "Log.enable", "Network.enable"};
    json_t *made = iw_browser_call(browser, "Target.createTarget", json_pack("{s:s}", "url", "about:blank"));
    json_t *attached = iw_browser_call(browser, "Target.attachToTarget",
        json_pack("{s:O,s:b}", "targetId", json_object_get(made, "targetId"), "flatten", 1));

    browser->session = strdup(json_string_value(json_object_get(attached, "sessionId")));
    json_decref(made);
    json_decref(attached);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        command(browser, wanted[i], NULL);
}

struct iw_browser *iw_browser_new(const char *program) {
    struct iw_browser *browser = calloc(1, sizeof *browser);
    int commands[2], answers[2];

    if (browser == NULL)
        give_up("no memory");
    if (mkdtemp(temporary_path(browser->folder, "iw_browser_test")) == NULL)
        give_up("no folder for its profile");
    open_pipe(commands);
    open_pipe(answers);
    start(browser, program, commands[0], answers[1]);
    close(commands[0]);
    close(answers[1]);
    browser->command = commands[1];
    browser->answer = answers[0];
    signal(SIGPIPE, SIG_IGN);
    attach(browser);
    return browser;
}

void iw_browser_free(struct iw_browser *browser) {
    free(browser->session);
    browser->session = NULL;
    command(browser, "Browser.close", NULL);
    waitpid(browser->process, NULL, 0);
    close(browser->command);
    close(browser->answer);
    if (!temporary_remove(browser->folder))
        give_up("leaves its profile");
    free(browser->octets);
    free(browser->page);
    free(browser->value);
    free(browser);
}

/* "file://" and the path, with percent-encoding. */
static char *address_of(const char *path) {
    char *address = malloc(3 * strlen(path) + 8), *end = address;

    if (address == NULL)
        give_up("no memory");
    end += sprintf(end, "file://");
    for (; *path != '\0'; path++)
        if (strchr("/._-", *path) != NULL || (*path >= '0' && *path <= '9') ||
            ((*path | 0x20) >= 'a' && (*path | 0x20) <= 'z'))
            *end++ = *path;
        else
            end += sprintf(end, "%%%02X", (unsigned char)*path);
    *end = '\0';
    return address;
}

static void navigate(struct iw_browser *browser, const char *url) {
    browser->loaded = false;
    command(browser, "Page.navigate", json_pack("{s:s}", "url", url));
    while (!browser->loaded) {
        json_t *message = next_message(browser);

        take_event(browser, message);
        json_decref(message);
    }
}

/* Takes ownership of `page`. */
static void open_page(struct iw_browser *browser, char *page, const char *anchor) {
    char *whole = page != NULL ? malloc(strlen(page) + strlen(anchor) + 1) : NULL;

    if (whole == NULL)
        give_up("no memory");
    navigate(browser, "about:blank"); /* if only the anchor differs, the browser loads nothing */
    free(browser->page);
    browser->page = page;
    browser->complaints = browser->requests = 0;
    sprintf(whole, "%s%s", page, anchor);
    navigate(browser, whole);
    free(whole);
    browser->loaded = false;
}

void iw_browser_open(struct iw_browser *browser, const char *path, const char *anchor) {
    open_page(browser, address_of(path), anchor);
}

void iw_browser_open_url(struct iw_browser *browser, const char *url) {
    open_page(browser, strdup(url), "");
}

/* A text as it is, any other value as JSON. */
static char *text_of(const json_t *value) {
    return json_is_string(value) ? strdup(json_string_value(value)) : json_dumps(value, JSON_ENCODE_ANY);
}

const char *iw_browser_value(struct iw_browser *browser, const char *expression) {
    json_t *result = iw_browser_call(browser, "Runtime.evaluate",
        json_pack("{s:s,s:b,s:b}", "expression", expression, "returnByValue", 1, "awaitPromise", 1));
    const char *thrown = NULL;

    json_unpack(result, "{s:{s:{s:s}}}", "exceptionDetails", "exception", "description", &thrown);
    free(browser->value);
    if (thrown != NULL) {
        browser->value = malloc(strlen(thrown) + 9);
        if (browser->value != NULL)
            sprintf(browser->value, "thrown: %s", thrown);
    } else {
        browser->value = text_of(json_object_get(json_object_get(result, "result"), "value"));
    }
    json_decref(result);
    return browser->value != NULL ? browser->value : "undefined";
}

void iw_browser_tools(struct iw_browser *browser) {
    static const char tools[] =
        "window.all = (selector) => [...document.querySelectorAll(selector)];"
        "window.seen = (selector) => all(selector).filter((one) => one.checkVisibility()).length;"
        "window.set = (id, value) => { const one = document.getElementById(id); one.value = value;"
        "  one.dispatchEvent(new Event('input', {bubbles: true})); };"
        "window.text = (selector) => document.querySelector(selector).textContent.replace(/\\s+/g, ' "
        "').trim();"
        "window.reset = () => new Promise((done) => { document.getElementById('filter').reset(); "
        "setTimeout(done, 0); });"
        "true";

    if (strcmp(iw_browser_value(browser, tools), "true") != 0)
        give_up("it takes no functions");
}

void iw_browser_resize(struct iw_browser *browser, int width) {
    json_decref(iw_browser_call(browser, "Emulation.setDeviceMetricsOverride",
        json_pack("{s:i,s:i,s:i,s:b}", "width", width, "height", 800, "deviceScaleFactor", 1, "mobile", 0)));
}

void iw_browser_key(struct iw_browser *browser, const char *key) {
    static const struct {
        const char *key, *text;
        int number;
    } keys[] = {{"Tab", "", 9}, {"Enter", "\r", 13}, {"Escape", "", 27}, {" ", " ", 32}, {"End", "", 35}};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i].key, key) != 0)
            continue;
        command(browser, "Input.dispatchKeyEvent",
            json_pack("{s:s,s:s,s:s,s:i,s:s}", "type", "keyDown", "key", key, "code",
                key[0] == ' ' ? "Space" : key, "windowsVirtualKeyCode", keys[i].number, "text",
                keys[i].text));
        command(browser, "Input.dispatchKeyEvent",
            json_pack("{s:s,s:s,s:i}", "type", "keyUp", "key", key, "windowsVirtualKeyCode", keys[i].number));
        return;
    }
    give_up("has no such key");
}

void iw_browser_type(struct iw_browser *browser, const char *text) {
    command(browser, "Input.insertText", json_pack("{s:s}", "text", text));
}

unsigned iw_browser_complaints(const struct iw_browser *browser) {
    return browser->complaints;
}

unsigned iw_browser_requests(const struct iw_browser *browser) {
    return browser->requests;
}
