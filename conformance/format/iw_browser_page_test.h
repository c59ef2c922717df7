#pragma once

#include "iw_browser_test.h"
#include "iw_temporary_test.h"

/* A page in a browser, for the tests of a file with cmocka: written and opened once, and found by each test
 * as a user finds it. */

struct iw_browser_page {
    char folder[TEMPORARY_PATH]; /* a new folder, removed at the end */
    char path[TEMPORARY_FILE];   /* of the page in it */
    struct iw_browser *browser;
};

/* Sets up all tests: `write` writes the page to page->path. *state becomes the page. Returns 0. */
int iw_browser_page_begin(void **state, void (*write)(struct iw_browser_page *page));
int iw_browser_page_end(void **state);

/* Sets up a test: opens the page again, on a wide screen with light colours, with the functions of
 * iw_browser_tools. Returns 0. */
int iw_browser_page_find(void **state);

/* Opens the page at `anchor`, with the functions of iw_browser_tools. */
void iw_browser_page_open(const struct iw_browser_page *page, const char *anchor);
/* Opens the page in a browser that runs no script of pages. */
void iw_browser_page_open_without_script(const struct iw_browser_page *page);

/* Sets the media type, "" for the screen, and the colour scheme, until the next call. */
void iw_browser_page_emulate(const struct iw_browser_page *page, const char *media, const char *scheme);

/* Calls `check` for each screen, in light and in dark colours, with all details open: a phone, a laptop, and
 * A4 paper without its margins. */
void iw_browser_page_each_screen(struct iw_browser_page *page, void (*check)(struct iw_browser_page *page));

/* Tests of every page. It causes no error messages and no network requests: */
void iw_browser_page_loads_nothing(void **state);
/* On each screen, the contrast of a text to its background is at least the 4.5 to 1 of WCAG 2: */
void iw_browser_page_has_contrast(void **state);

#define assert_value(page, expression, expected)                                                             \
    assert_string_equal(iw_browser_value((page)->browser, expression), expected)
