#pragma once

#include <jansson.h>
#include <stdbool.h>

/* A headless Chromium for tests of pages, over its DevTools protocol. If the browser itself fails, or takes
 * more than a minute, the program ends with a line on stderr. */

struct iw_browser;

/* Starts the browser at `program`, with an empty page. */
struct iw_browser *iw_browser_new(const char *program);
void iw_browser_free(struct iw_browser *browser);

/* Opens the file at `anchor`, which is "#part" or "", and waits until it is loaded. Complaints and requests
 * are counted from here on. */
void iw_browser_open(struct iw_browser *browser, const char *path, const char *anchor);

/* The same for a page of a web server. */
void iw_browser_open_url(struct iw_browser *browser, const char *url);

/* Calls a method of the protocol on the page and returns its result, which the caller releases. Takes
 * ownership of `parameters`, which may be NULL. */
json_t *iw_browser_call(struct iw_browser *browser, const char *method, json_t *parameters);

/* The value of an expression in the page, as text; a promise is awaited. An exception gives a text that
 * begins with "thrown: ". The text is valid until the next call. */
const char *iw_browser_value(struct iw_browser *browser, const char *expression);

/* Defines functions for such expressions in the open page: all(selector) returns an array, seen(selector) the
 * number of visible elements, text(selector) a text; set(id, value) sets an input as a user does; reset()
 * resets the filter. */
void iw_browser_tools(struct iw_browser *browser);

/* An expression that uses these functions: the elements whose text has less contrast to its background than
 * the 4.5 to 1 of WCAG 2; "" if all texts have enough. It opens all details. */
extern const char iw_browser_weak_texts[];

/* Sets the width of the window, in CSS pixels, for all pages until the next call. */
void iw_browser_resize(struct iw_browser *browser, int width);

/* Presses and releases "Tab", "Enter", "Escape", " " or "End". */
void iw_browser_key(struct iw_browser *browser, const char *key);
/* Types the text. */
void iw_browser_type(struct iw_browser *browser, const char *text);

/* The number of complaints about the page: console messages, exceptions, entries of the browser's log. */
unsigned iw_browser_complaints(const struct iw_browser *browser);
/* The number of requests of the page, except the one for the page itself. */
unsigned iw_browser_requests(const struct iw_browser *browser);
