#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "iw_progress.h"

static void progress_is_one_line_at_intervals(void **state) {
    struct iw_progress progress = {.what = "x.pcap", .total = 1000};
    char *text = NULL;
    size_t octets;

    (void)state;
    progress.out = open_memstream(&text, &octets);
    iw_progress_show(&progress, 10, 100, 1000000000);
    iw_progress_show(&progress, 20, 200, 1100000000); /* less than 200 ms after the last update */
    iw_progress_show(&progress, 30, 1000, 1300000000);
    iw_progress_clear(&progress);
    iw_progress_clear(&progress);
    progress.total = 0;
    iw_progress_show(&progress, 40, 1000, 1600000000);
    fclose(progress.out);
    assert_string_equal(text, "\rx.pcap: 10%, 10 frames\x1b[K"
                              "\rx.pcap: 99%, 30 frames\x1b[K"
                              "\r\x1b[K"
                              "\rx.pcap: 40 frames\x1b[K");
    free(text);
}

static void without_a_terminal_nothing_is_printed(void **state) {
    struct iw_progress progress = {.what = "x.pcap", .total = 1000};

    (void)state;
    iw_progress_show(&progress, 10, 100, 1000000000);
    assert_false(progress.visible);
    iw_progress_clear(&progress);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progress_is_one_line_at_intervals),
        cmocka_unit_test(without_a_terminal_nothing_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
