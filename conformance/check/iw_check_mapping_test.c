#include "iw_check_mapping.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { REQUEST = 0, ACCEPT = 1, REJECT = 3, MAPPED = 4711 };

static void put_port(uint8_t *at, unsigned port) {
    at[0] = (uint8_t)(port >> 8);
    at[1] = (uint8_t)port;
}

/* Takes a message of iwpmd: 192.0.2.1:36001 asks for `port` of 192.0.2.2; the connection comes from port
 * `mapped` of 192.0.2.1. An Accept or Reject has the accepting peer's mapped port as `port`. */
static void take(
    struct iw_check_mappings *mappings, unsigned type, unsigned handle, unsigned port, unsigned mapped) {
    uint8_t octets[64] = {
        [0] = (uint8_t)(type << 4 | 4), [16] = 192, 0, 2, 1, [32] = 192, 0, 2, 2, [48] = 192, 0, 2, 1};
    struct iw_tcp_segment packet = {.payload = octets, .captured = type == REQUEST ? 64 : 48};

    put_port(octets + 2, type == REQUEST ? mapped : 0);
    put_port(octets + 4, port);
    put_port(octets + 6, 36001);
    put_port(octets + 14, handle);
    assert_true(iw_check_mappings_take(mappings, &packet));
}

/* The port that the application asked for, if a connection begins from this mapped port; 0: no mapping. */
static unsigned asked_port(struct iw_check_mappings *mappings, uint16_t mapped) {
    const struct iw_tcp_address ends[2] = {{.octets = {192, 0, 2, 2}, .port = MAPPED, .version = 4},
        {.octets = {192, 0, 2, 1}, .port = mapped, .version = 4}};
    struct iw_check_mapped found = iw_check_mappings_find(mappings, ends);

    assert_int_equal(found.connecting.port, found.known ? 36001 : 0);
    return found.accepting.port;
}

static void the_latest_mapping_of_the_ports_counts(void **state) {
    struct iw_check_mappings mappings = {0};

    (void)state;
    take(&mappings, REQUEST, 1, 3260, 40000);
    take(&mappings, ACCEPT, 1, MAPPED, 0);
    assert_int_equal(asked_port(&mappings, 40000), 3260);
    assert_int_equal(asked_port(&mappings, 40001), 0);
    take(&mappings, REQUEST, 2, 3261, 40000);
    take(&mappings, ACCEPT, 2, MAPPED, 0);
    assert_int_equal(asked_port(&mappings, 40000), 3261);
    take(&mappings, REJECT, 2, MAPPED, 0);
    assert_int_equal(asked_port(&mappings, 40000), 3260);
    iw_check_mappings_clear(&mappings);
}

/* A peer may use a handle again. Only the same Request is a retransmission. */
static void a_handle_with_another_port_is_another_mapping(void **state) {
    struct iw_check_mappings mappings = {0};

    (void)state;
    take(&mappings, REQUEST, 1, 3260, 40000);
    take(&mappings, REQUEST, 1, 3260, 40000);
    assert_int_equal(mappings.count, 1);
    take(&mappings, REQUEST, 1, 3260, 40001);
    take(&mappings, REQUEST, 1, 3261, 40002);
    assert_int_equal(mappings.count, 3);
    assert_int_equal(asked_port(&mappings, 40001), 3260);
    assert_int_equal(asked_port(&mappings, 40002), 3261);
    take(&mappings, ACCEPT, 1, MAPPED + 1, 0); /* answers the latest Request */
    assert_int_equal(asked_port(&mappings, 40002), 0);
    assert_int_equal(asked_port(&mappings, 40001), 3260);
    iw_check_mappings_clear(&mappings);
}

/* Mapping 0 was used and mapping 1 rejected, so the limit hides none of them from a later connection. */
static void a_mapping_forgotten_before_its_connection_is_counted(void **state) {
    struct iw_check_mappings mappings = {0};

    (void)state;
    for (unsigned i = 0; i < IW_CHECK_MAPPINGS; i++)
        take(&mappings, REQUEST, i, 3260, 40000 + i);
    assert_int_equal(asked_port(&mappings, 40000), 3260);
    take(&mappings, REJECT, 1, 3260, 0);
    take(&mappings, REQUEST, 2000, 3260, 50000);
    take(&mappings, REQUEST, 2001, 3260, 50001);
    assert_int_equal(mappings.forgotten, 0);
    assert_int_equal(asked_port(&mappings, 40002), 3260);
    take(&mappings, REQUEST, 2002, 3260, 50002);
    take(&mappings, REQUEST, 2003, 3260, 50003);
    assert_int_equal(mappings.forgotten, 1);
    assert_int_equal(asked_port(&mappings, 40003), 0);
    assert_int_equal(asked_port(&mappings, 40004), 3260);
    iw_check_mappings_clear(&mappings);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_latest_mapping_of_the_ports_counts),
        cmocka_unit_test(a_handle_with_another_port_is_another_mapping),
        cmocka_unit_test(a_mapping_forgotten_before_its_connection_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
