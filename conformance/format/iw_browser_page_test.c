#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "iw_browser_page_test.h"

enum { BROWSER_PAGE_WIDTH = 1400 };

static void browser_page_fail(const char *what) {
    fprintf(stderr, "%s failed\n", what);
    exit(EXIT_FAILURE);
}

int iw_browser_page_begin(void **state, void (*write)(struct iw_browser_page *page)) {
    struct iw_browser_page *page = calloc(1, sizeof *page);

    if (page == NULL || mkdtemp(temporary_path(page->folder, "iw_page")) == NULL)
        browser_page_fail("the folder of the page");
    snprintf(page->path, sizeof page->path, "%s/page.html", page->folder);
    write(page);
    page->browser = iw_browser_new(WARPCHECK_CHROMIUM);
    *state = page;
    return 0;
}

int iw_browser_page_end(void **state) {
    struct iw_browser_page *page = *state;

    iw_browser_free(page->browser);
    if (!temporary_remove(page->folder))
        browser_page_fail("removal of the folder of the page");
    free(page);
    return 0;
}

int iw_browser_page_find(void **state) {
    const struct iw_browser_page *page = *state;

    iw_browser_page_emulate(page, "", "light");
    iw_browser_resize(page->browser, BROWSER_PAGE_WIDTH);
    iw_browser_page_open(page, "");
    return 0;
}

void iw_browser_page_open(const struct iw_browser_page *page, const char *anchor) {
    iw_browser_open(page->browser, page->path, anchor);
    iw_browser_tools(page->browser);
}

static void browser_page_disable_scripts(const struct iw_browser_page *page, bool disabled) {
    json_decref(iw_browser_call(
        page->browser, "Emulation.setScriptExecutionDisabled", json_pack("{s:b}", "value", disabled)));
}

void iw_browser_page_open_without_script(const struct iw_browser_page *page) {
    browser_page_disable_scripts(page, true);
    iw_browser_open(page->browser, page->path, "");
    browser_page_disable_scripts(page, false);
    iw_browser_tools(page->browser);
}

void iw_browser_page_emulate(const struct iw_browser_page *page, const char *media, const char *scheme) {
    json_decref(iw_browser_call(page->browser, "Emulation.setEmulatedMedia",
        json_pack("{s:s,s:[{s:s,s:s}]}", "media", media, "features", "name", "prefers-color-scheme", "value",
            scheme)));
}

void iw_browser_page_each_screen(struct iw_browser_page *page, void (*check)(struct iw_browser_page *page)) {
    static const struct {
        int width;
        const char *media;
    } screens[] = {{390, "screen"}, {1366, "screen"}, {703, "print"}};
    static const char *const schemes[] = {"light", "dark"};

    for (size_t i = 0; i < 2 * sizeof screens / sizeof *screens; i++) {
        iw_browser_resize(page->browser, screens[i / 2].width);
        iw_browser_page_emulate(page, screens[i / 2].media, schemes[i % 2]);
        if (atoi(iw_browser_value(page->browser,
                "all('details').forEach((one) => { one.open = true; }); innerWidth")) != screens[i / 2].width)
            browser_page_fail("a change of the width of the window");
        check(page);
    }
}

/* ---- tests of every page ---- */

void iw_browser_page_loads_nothing(void **state) {
    const struct iw_browser_page *page = *state;

    assert_int_equal(iw_browser_complaints(page->browser), 0);
    assert_int_equal(iw_browser_requests(page->browser), 0);
}

static void browser_page_check_contrast(struct iw_browser_page *page) {
    assert_value(page, iw_browser_weak_texts, "");
}

void iw_browser_page_has_contrast(void **state) {
    iw_browser_page_each_screen(*state, browser_page_check_contrast);
}
