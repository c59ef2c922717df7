#include "iw_capture_unread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { CAN = 190, RAW = 101 }; /* link types: CAN carries no IP */

/* More types than are counted separately: the packets that may carry IP are still those of their own types.
 */
static void adds_the_packets_that_may_carry_ip(void **state) {
    struct iw_capture_unread all = {0}, more = {0};

    (void)state;
    for (uint16_t type = 0; type < IW_CAPTURE_UNREAD_MAX - 1; type++)
        iw_capture_unread_count(&more, 1000 + type, 1);
    iw_capture_unread_count(&more, CAN, 3);
    iw_capture_unread_count(&more, RAW, 5); /* counted with CAN */
    assert_int_equal(more.packets, IW_CAPTURE_UNREAD_MAX - 1 + 8);
    assert_int_equal(more.may_carry_ip, IW_CAPTURE_UNREAD_MAX - 1 + 5);
    iw_capture_unread_add(&all, &more);
    iw_capture_unread_add(&all, &more);
    assert_int_equal(all.packets, 2 * more.packets);
    assert_int_equal(all.may_carry_ip, 2 * more.may_carry_ip);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_the_packets_that_may_carry_ip),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
