#ifndef IW_BROWSER_TEST_H
#define IW_BROWSER_TEST_H

#include <jansson.h>
#include <stdbool.h>

/* A headless Chromium for tests of pages, over its DevTools protocol. What goes wrong with the browser
 * itself, or takes more than a minute, ends the program with a word on stderr. */

struct iw_browser;

/* Starts the browser at `program`, with an empty page. */
struct iw_browser *iw_browser_new(const char *program);
void iw_browser_free(struct iw_browser *browser);

/* Opens the file, of which `anchor` is "#part" or "", and waits until it is loaded. Nothing has been
 * complained of, nor requested, then but by this page. */
void iw_browser_open(struct iw_browser *browser, const char *path, const char *anchor);

/* Calls a method of the protocol on the page and returns its result, for the caller to release. Takes
 * `parameters`, which may be NULL: none. */
json_t *iw_browser_call(struct iw_browser *browser, const char *method, json_t *parameters);

/* The value of an expression in the page, a text, a number or a truth; a promise is awaited. The text is
 * valid until the next call; what is thrown is a text that begins with "thrown: ". */
const char *iw_browser_value(struct iw_browser *browser, const char *expression);

/* Gives the open page functions for such expressions: all(selector), an array; seen(selector), how many of
 * them can be seen; set(id, value), as by hand; text(selector); reset(), of the filter. */
void iw_browser_tools(struct iw_browser *browser);

/* An expression with these: the elements whose text has less contrast to what is behind it than WCAG 2 asks
 * for, 4.5 to 1; "" if there are none. All details are open then. */
extern const char iw_browser_weak_texts[];

/* The width of the window, in CSS pixels, for all pages until the next call. */
void iw_browser_resize(struct iw_browser *browser, int width);

/* Presses and releases "Tab", "Enter", "Escape", " " or "End". */
void iw_browser_key(struct iw_browser *browser, const char *key);
/* Types the text. */
void iw_browser_type(struct iw_browser *browser, const char *text);

/* How much the page has complained: messages of its console, exceptions, entries of the browser's log. */
unsigned iw_browser_complaints(const struct iw_browser *browser);
/* How much it has requested beside itself. */
unsigned iw_browser_requests(const struct iw_browser *browser);

#endif
