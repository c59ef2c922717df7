#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "iw_sctp_address.h"

static void sctp_is_in_ip_or_in_udp(void **state) {
    static const struct {
        const char *text;
        bool tunnelled;
        unsigned short tunnel;
    } right[] = {{"192.0.2.1:7174", false, 0}, {"udp:192.0.2.1:7174", true, 9899},
        {"udp/0:192.0.2.1:7174", true, 0}, {"udp/65535:192.0.2.1:7174", true, 65535}};
    static const char *const wrong[] = {"udp:", "udp:7174", "udp/:192.0.2.1:1", "udp/65536:192.0.2.1:1",
        "udp/99999999:192.0.2.1:1", "udp/1x:192.0.2.1:1", "udp:192.0.2.1", "tcp:192.0.2.1:1", ""};
    struct iw_sctp_where where;
    char host[16];

    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        assert_true(iw_sctp_address_read(right[i].text, host, sizeof host, &where));
        assert_string_equal(where.host, "192.0.2.1");
        assert_int_equal(where.port, 7174);
        assert_int_equal(where.tunnelled, right[i].tunnelled);
        if (where.tunnelled)
            assert_int_equal(where.tunnel, right[i].tunnel);
    }
    assert_true(iw_sctp_address_read("udp:[::1]:7", host, sizeof host, &where));
    assert_string_equal(host, "::1");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(iw_sctp_address_read(wrong[i], host, sizeof host, &where));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sctp_is_in_ip_or_in_udp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
