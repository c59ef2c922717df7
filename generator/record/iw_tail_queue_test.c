#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_tail_queue.h"

static void add(struct iw_tail_queue *queue, const char *text) {
    assert_non_null(iw_tail_queue_add(queue, text, strlen(text)));
}

static void takes(struct iw_tail_queue *queue, const char *text, bool kept) {
    struct iw_tail_item *item = iw_tail_queue_take(queue);

    assert_non_null(item);
    assert_int_equal(item->length, strlen(text));
    assert_memory_equal(item->octets, text, item->length);
    assert_int_equal(item->kept, kept);
    free(item);
}

static void oldest_leaves_first(void **state) {
    struct iw_tail_queue queue = {0};

    (void)state;
    assert_null(iw_tail_queue_take(&queue));
    for (int round = 0; round < 2; round++) { /* the queue is usable after it was empty */
        add(&queue, "one");
        add(&queue, "three");
        add(&queue, "");
        assert_int_equal(queue.octets, 8);
        assert_int_equal(queue.count, 3);
        iw_tail_queue_keep(&queue, 1);
        iw_tail_queue_keep(&queue, 3); /* no such item */
        takes(&queue, "one", false);
        takes(&queue, "three", true);
        takes(&queue, "", false);
        assert_null(iw_tail_queue_take(&queue));
        assert_int_equal(queue.octets, 0);
    }
    add(&queue, "left");
    iw_tail_queue_clear(&queue);
    assert_int_equal(queue.count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(oldest_leaves_first)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
