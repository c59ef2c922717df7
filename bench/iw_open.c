/* iw_open BROWSER RUNS PAGE...: the time until a headless Chromium has opened each page, in milliseconds from
 * the start of the navigation: until its first text is drawn, until all of it is loaded and the next frame
 * drawn, and then until the filter has searched it. The least of several runs, each by itself. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "iw_browser_test.h"

enum { TIMES = 3, WIDTH = 1366 };

static const char *const expressions[TIMES] = {
    "performance.getEntriesByName('first-contentful-paint')[0].startTime",
    "window.after = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));"
    "after().then(() => performance.now())",
    "(() => { const from = performance.now(), field = document.getElementById('filter-text');"
    " if (!field) return 0;"
    " field.value = 'terminate'; field.dispatchEvent(new Event('input', {bubbles: true}));"
    " return after().then(() => performance.now() - from); })()",
};

int main(int argc, char **argv) {
    struct iw_browser *browser;

    if (argc < 4 || atoi(argv[2]) < 1) {
        fputs("iw_open BROWSER RUNS PAGE...\n", stderr);
        return 3;
    }
    browser = iw_browser_new(argv[1]);
    iw_browser_resize(browser, WIDTH);
    for (int page = 3; page < argc; page++) {
        double least[TIMES] = {INFINITY, INFINITY, INFINITY};

        for (int run = 0; run < atoi(argv[2]); run++) {
            iw_browser_open(browser, argv[page], "");
            /* The second is awaited first: then the first text has been drawn. */
            for (int i = 0; i < TIMES; i++) {
                static const int order[TIMES] = {1, 0, 2};
                double time = atof(iw_browser_value(browser, expressions[order[i]]));

                least[order[i]] = fmin(least[order[i]], time);
            }
        }
        printf("%.0f %.0f %.0f\n", least[0], least[1], least[2]);
    }
    iw_browser_free(browser);
    return 0;
}
