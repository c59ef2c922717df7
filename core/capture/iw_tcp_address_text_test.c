#include "iw_tcp_address_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void addresses_of_both_kinds(void **state) {
    struct iw_tcp_address four = {.octets = {192, 0, 2, 1}, .port = 7174, .version = 4};
    struct iw_tcp_address six = {.octets = {0x20, 0x01, 0x0d, 0xb8, [15] = 1}, .port = 1, .version = 6};
    char text[IW_TCP_ADDRESS_TEXT_OCTETS];

    (void)state;
    iw_tcp_address_text(&four, text);
    assert_string_equal(text, "192.0.2.1:7174");
    iw_tcp_address_text(&six, text);
    assert_string_equal(text, "[2001:db8::1]:1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_of_both_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
